// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, tracepoints by any key: one program, cloned for each of them. Sums are per CPU in a hash, whose look-up takes no lock;
 * it is preallocated, since the allocator has tracepoints, too. A key with fields needs the trace record, which only programs of
 * perf's tracepoints see; it costs as much as filling in that record.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/eventsby.h"
#include "lib/by.bpf.h"
#include "lib/filter.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_nr_fields = BY_FIELDS_MAX;
const volatile __u32 cfg_texts = ~0u; /* bit i: field i is text */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, BY_ROWS_DEFAULT);
	__uint(key_size, BY_FIELDS_KEY_MAX); /* no type: user space makes it as long as the key is */
	__uint(value_size, sizeof(__u64));
} rows SEC(".maps");

/* What did not fit into `rows`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} other SEC(".maps");

/* Offsets are numbers that the verifier knows, and no access to the context: it wants those fixed. */
static __always_inline void put_field(void *ctx, __u64 *to, int is_text, __u64 where)
{
	__u32 offset = where & 0xffff, bytes = where >> 16 & 0xffff, how = where >> 32 & 0xff, loc = 0;

	to[0] = 0;
	if (!is_text) {
		if (bytes <= sizeof(*to))
			bpf_probe_read_kernel(to, bytes, ctx + offset);
		return;
	}
	for (__u32 i = 1; i < BY_TEXT_MAX / sizeof(*to); i++)
		to[i] = 0;
	if (how) {
		bpf_probe_read_kernel(&loc, sizeof(loc), ctx + offset);
		offset = (loc & 0xffff) + (how & EVENTSBY_REL_LOC ? offset + sizeof(loc) : 0);
	}
	if (bytes <= BY_TEXT_MAX)
		bpf_probe_read_kernel_str(to, bytes, ctx + offset);
}

#define PUT_FIELD(i)                                                                             \
	if (cfg_nr_fields > (i)) {                                                               \
		__u64 where;                                                                     \
                                                                                                 \
		asm volatile("%0 = %1 ll" : "=r"(where) : "i"(EVENTSBY_FIELD_MARK(i)));          \
		put_field(ctx, (void *)key + cfg_at.fields[i], cfg_texts >> (i) & 1, where);     \
	}

static __always_inline int add(void *ctx)
{
	__u64 id = bpf_get_current_pid_tgid(), index, key[BY_FIELDS_KEY_MAX / sizeof(__u64)], *hits, none = 0;
	__u32 zero = 0;

	if (!filter_pass(id))
		return 0;
	asm volatile("%0 = %1 ll" : "=r"(index) : "i"(EVENTSBY_INDEX_MARK));
	by_key_fill(key, NULL, id, index, 0);
	PUT_FIELD(0)
	PUT_FIELD(1)
	PUT_FIELD(2)
	PUT_FIELD(3)
	hits = bpf_map_lookup_elem(&rows, key);
	if (!hits) {
		bpf_map_update_elem(&rows, key, &none, BPF_NOEXIST);
		hits = bpf_map_lookup_elem(&rows, key);
	}
	if (!hits)
		hits = bpf_map_lookup_elem(&other, &zero);
	if (hits)
		__sync_fetch_and_add(hits, 1);
	return 0;
}

/* For keys without fields. */
SEC("?raw_tp")
int add_hit(void *ctx)
{
	return add(ctx);
}

SEC("?tp")
int add_record(void *ctx)
{
	return add(ctx);
}
