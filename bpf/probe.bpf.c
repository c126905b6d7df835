// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, probes: what happens at a hit of a function, a USDT probe or a tracepoint, for every kind of program. The
 * body of expr_body() belongs to the probe; its clones are made by user/capture/source/probe.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/probe.h"
#include "lib/by.bpf.h"
#include "lib/probe.bpf.h"
#include "lib/rings.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_value = 1; /* a histogram of values is requested */
const volatile __u32 cfg_unsigned = 1; /* values of 2^63 and more are not negative */
const volatile __u32 cfg_linear = 1; /* 0: log2; else the slot of what is beyond the others */
const volatile __s64 cfg_low = 0;
const volatile __u64 cfg_step = 1;

/* Few CPUs share one ring: filling a map of maps waits for an RCU grace period, 10 to 15 ms in front of the first hit. */
const volatile __u32 cfg_one_ring = 0;

struct ring one_ring SEC(".maps");

/* Hits of each site. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} hits SEC(".maps");

/* Sums by a key that the user chose, the CPU in it; preallocated, since functions of the allocator are probed, too. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, BY_FIELDS_KEY_MAX); /* no type: user space makes it as long as the key is */
	__uint(value_size, sizeof(struct by_sum));
} rows SEC(".maps");

/* What did not fit into `rows`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct by_sum);
} other SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PROBE_SCRATCHES);
	__type(key, __u32);
	__type(value, struct probe_scratch);
} scratches SEC(".maps");

static __always_inline __u64 hit_index(void *ctx, __u32 site)
{
	return MARK(PROBE_CALLS_MARK) == PROBE_NO_CALLS ? site_index(ctx) : site - 1;
}

/* Every hit with its values, through the ring of its CPU. */
static __always_inline void stream(void *ctx, struct probe_info *info, struct probe_call *call, __u32 site)
{
	__u64 size = MARK(PROBE_SIZE_MARK) & 0xffffff;
	__u32 cpu = bpf_get_smp_processor_id();
	struct probe_rec *rec;
	void *ring;

	loss_count(COUNT_SEEN);
	if (cfg_pidns_level && !info->pid)
		loss_count(COUNT_OUTSIDE);
	ring = cfg_one_ring ? (void *)&one_ring : ring_of(cpu);
	if (!ring)
		return;
	RING_EMIT(rec, ring, size, ring_wake(ring, info->time_ns, RING_WAKE_LIVE)) {
		expr_run(ctx, rec->data, call, info, PROBE_ASK_VALUES);
		rec->time_ns = info->time_ns;
		rec->faults = info->faults;
		rec->pid = info->pid;
		rec->tid = info->tid;
		rec->index = hit_index(ctx, site);
		rec->cpu = cpu;
		comm_of_current(rec->comm);
	}
}

SEC("?kprobe")
int probe_stream(void *ctx)
{
	__u64 want = MARK(PROBE_WANT_MARK);
	__u32 site = take_site(ctx);
	struct probe_call_key key;
	struct probe_call *call = NULL;
	struct probe_info info = {};

	if (site && probe_take(ctx, want, &info, &key, &call))
		stream(ctx, &info, call, site);
	if (call)
		bpf_map_delete_elem(&calls, &key);
	return 0;
}

static __always_inline void add_hit(void *ctx, __u32 site)
{
	__u32 index = hit_index(ctx, site);
	__u64 *n = bpf_map_lookup_elem(&hits, &index);

	if (n)
		__sync_fetch_and_add(n, 1);
}

static __always_inline void count_asked(void *ctx, __u64 want, __u32 site)
{
	struct probe_call_key key;
	struct probe_call *call = NULL;
	struct probe_info info = {};

	if (probe_take(ctx, want, &info, &key, &call))
		add_hit(ctx, site);
	if (call)
		bpf_map_delete_elem(&calls, &key);
}

SEC("?kprobe")
int probe_count(void *ctx)
{
	__u64 want = MARK(PROBE_WANT_MARK);
	__u32 site = take_site(ctx);

	if (!site)
		return 0;
	if (want & ~(__u64)PROBE_WANT_USER)
		count_asked(ctx, want, site);
	else if (filter_pass(bpf_get_current_pid_tgid()) && !filter_leaves_out())
		add_hit(ctx, site);
	return 0;
}

static __always_inline struct probe_scratch *get_scratch(void)
{
	for (__u32 i = 0; i < PROBE_SCRATCHES; i++) {
		__u32 slot = i;
		struct probe_scratch *s = bpf_map_lookup_elem(&scratches, &slot);

		if (!s || scratch_take(&s->users))
			return s;
	}
	return NULL;
}

static __always_inline __u32 linear_slot(__s64 value)
{
	__u64 slot;

	if (value < 0 && cfg_unsigned)
		return cfg_linear;
	if (value < cfg_low)
		return 0;
	slot = 1 + (__u64)(value - cfg_low) / cfg_step;
	return slot < cfg_linear ? slot : cfg_linear;
}

/* total and max are of what is not negative as __s64; errors counts what is. */
static __always_inline void add_value(struct by_sum *sum, __s64 value)
{
	__u32 slot = cfg_linear ? linear_slot(value) : value < 0 ? 0 : by_slot(value);

	if (value < 0) {
		__sync_fetch_and_add(&sum->errors, 1);
	} else {
		__sync_fetch_and_add(&sum->total_ns, value);
		if ((__u64)value > sum->max_ns)
			sum->max_ns = value;
		if (~(__u64)value > sum->not_min_ns)
			sum->not_min_ns = ~(__u64)value;
	}
	if (slot < BY_SLOTS && (value >= 0 || cfg_linear))
		__sync_fetch_and_add(&sum->slots[slot], 1);
}

static __always_inline void add_row(struct probe_scratch *s)
{
	struct by_sum *sum = bpf_map_lookup_elem(&rows, s->key);
	__u32 zero = 0;

	if (!sum) {
		bpf_map_update_elem(&rows, s->key, &s->empty, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&rows, s->key);
	}
	if (!sum)
		sum = bpf_map_lookup_elem(&other, &zero);
	if (!sum)
		return;
	__sync_fetch_and_add(&sum->calls, 1);
	if (cfg_value)
		add_value(sum, s->value);
}

SEC("?kprobe")
int probe_sum(void *ctx)
{
	__u64 want = MARK(PROBE_WANT_MARK);
	__u32 site = take_site(ctx);
	struct probe_call_key key;
	struct probe_call *call = NULL;
	struct probe_scratch *s = NULL;
	struct probe_info info = {};

	if (!site || !probe_take(ctx, want, &info, &key, &call))
		goto out;
	loss_count(COUNT_SEEN);
	s = get_scratch();
	if (!s) {
		loss_count(LOSS_INTERNAL);
		goto out;
	}
	by_key_fill(s->key, NULL, info.pid << 32 | info.tid, hit_index(ctx, site), 0);
	expr_run(ctx, s->key, call, &info, PROBE_ASK_VALUES);
	if (info.faults)
		loss_count(LOSS_READ_FAULT);
	else
		add_row(s);
	scratch_give(&s->users);
out:
	if (call)
		bpf_map_delete_elem(&calls, &key);
	return 0;
}
