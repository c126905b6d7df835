// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, sampling: one perf_event program. Aggregate mode sums equal (stacks, task, comm) in two
 * hashes, and what does not fit there goes through one ring buffer; every sample of stream mode goes
 * through the ring of its CPU. Nothing is dropped here without a counter. One kind of sample never gets here: the kernel skips
 * a sample that interrupts another BPF program on its CPU (bpf_overflow_handler), and it cannot be counted.
 */
#include "vmlinux.h"
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/sample.h"
#include "lib/probe.bpf.h"
#include "lib/rings.bpf.h"
#include "lib/stacks.bpf.h"
#include "lib/unwind.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_aggregate = 1;
const volatile __u32 cfg_kernel_stack = 1;
const volatile __u32 cfg_user_stack = 1;
const volatile __u32 cfg_by_tid = 1;
const volatile __u32 cfg_nr_events = 2;
const volatile __u32 cfg_addr = 1;
const volatile __u32 cfg_cgroup = 1;

/* Set by user space while it empties the hashes: samples then go by the ring. */
volatile __u32 is_emptying;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLE_COUNTS_DEFAULT);
	__type(key, struct sample_key);
	__type(value, struct sample_count);
} counts SEC(".maps");

/* Aggregate mode needs a ring only when a hash is full: one for all CPUs, which is there at once. Filling a map of
 * maps waits for an RCU grace period, 10 ms of start-up. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} spill SEC(".maps");

/* perf_event.id -> index of the event in the session */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32);
} event_ids SEC(".maps");

struct scratch {
	struct sample_rec rec;
	__u64 values[1 + PROBE_DATA_MAX / 8]; /* room for those of the event, after stacks of any length */
	struct stack_val kernel, user;
	__u64 users;
	__u32 slot; /* its own number */
};

/*
 * A clock's tick, a tracepoint and a kernel function never meet on one CPU (bpf_prog_active), but from Linux 6.0 on a probe of a
 * user function may be preempted by another one.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PROBE_SCRATCHES);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Attach cookies came with 5.15; the perf_event of the context has an id on every kernel. */
static __always_inline __u16 event_index(void *ctx)
{
	struct bpf_perf_event_data_kern *kctx = ctx;
	struct perf_event *event;
	__u64 id = 0;
	__u32 *index;

	if (cfg_nr_events <= 1)
		return 0;
	if (bpf_core_read(&event, sizeof(event), &kctx->event) || bpf_core_read(&id, sizeof(id), &event->id))
		return 0;
	index = bpf_map_lookup_elem(&event_ids, &id);
	return index ? *index : 0;
}

/* From the numbers of the initial PID namespace to those that skep's user sees. */
static __always_inline void own_numbers(struct task_struct *task, struct sample_key *key)
{
	if (!cfg_pidns_level || !key->pid)
		return;
	key->tid = pidns_number(task, cfg_pidns_level, (void *)cfg_pidns);
	key->pid = pidns_number(BPF_CORE_READ(task, group_leader), cfg_pidns_level, (void *)cfg_pidns);
	if (!key->pid)
		loss_count(COUNT_OUTSIDE);
}

static __always_inline int has_user_stack(struct task_struct *task)
{
	return cfg_user_stack && stack_has_user(BPF_CORE_READ(task, flags));
}

/* Bytes of the values of a probe or tracepoint, without the word before them; 0: none are requested. */
static __always_inline __u64 value_bytes(void)
{
	return (MARK(PROBE_SIZE_MARK) & 0xffff) - sizeof(struct probe_rec);
}

/* Puts them at the end of the record. Returns how many bytes that makes. */
static __always_inline __u64 add_values(void *ctx, struct sample_rec *rec, __u64 at, struct probe_info *info, struct probe_call *call)
{
	__u64 bytes = value_bytes();
	__u64 *to = (void *)rec + at;

	if (!bytes || at > sizeof(*rec))
		return 0;
	expr_run(ctx, to + 1, call, info, PROBE_ASK_VALUES);
	*to = info->faults;
	return bytes + sizeof(*to);
}

/*
 * Through the ring: both walks into one record, cut to their length. unwound: the user's, if it is there already. info: of what has
 * values; or NULL. call: of a return what it was entered with; or NULL.
 */
static __always_inline void sample_stream(struct bpf_perf_event_data *ctx, struct sample_rec *rec, int user,
					  const struct stack_val *unwound, struct probe_info *info, struct probe_call *call)
{
	__u32 cpu = rec->cpu, nr = 0, nr_user = 0;
	__u64 size;
	void *ring;

	if (cfg_kernel_stack)
		nr = stack_walk(ctx, rec->ips, 0);
	nr &= STACK_MAX_FRAMES; /* the verifier lost the bound: 127 is a mask */
	if (unwound) {
		nr_user = unwound->nr & STACK_MAX_FRAMES;
		bpf_probe_read_kernel(&rec->ips[nr], nr_user * sizeof(__u64), unwound->ips);
	} else if (user) {
		nr_user = stack_walk(ctx, &rec->ips[nr], BPF_F_USER_STACK);
	}
	nr_user &= STACK_MAX_FRAMES;
	rec->nr_kips = nr;
	rec->nr_uips = nr_user;

	size = offsetof(struct sample_rec, ips) + (nr + nr_user) * sizeof(__u64);
	if (size > sizeof(*rec))
		return;
	if (info)
		size += add_values(ctx, rec, size, info, call);
	if (size > sizeof(*rec) + sizeof(((struct scratch *)0)->values))
		return;
	if (cfg_aggregate) {
		ring_copy(&spill, rec, size, ring_wake(&spill, rec->time_ns, RING_WAKE_FULL));
		return;
	}
	ring = ring_of(cpu);
	if (ring)
		ring_copy(ring, rec, size, ring_wake(ring, rec->time_ns, RING_WAKE_FULL));
}

/* Returns 0 when the sample is in the hashes. */
static __always_inline int sample_aggregate(struct bpf_perf_event_data *ctx, struct scratch *s, int user, struct stack_val *unwound)
{
	struct stack_val *walk = unwound ?: &s->user;
	struct sample_key *key = &s->rec.key;
	struct sample_count *have, first = { 1, s->rec.weight, s->rec.time_ns };
	__u32 tid = key->tid;

	s->kernel.nr = s->user.nr = 0;
	if (cfg_kernel_stack)
		s->kernel.nr = stack_walk(ctx, s->kernel.ips, 0);
	if (user && !unwound)
		s->user.nr = stack_walk(ctx, s->user.ips, BPF_F_USER_STACK);
	/*
	 * Both hashes before any branch on a look-up, and barriers that have nr read again from memory: what the
	 * verifier still knows of a branch that was taken makes it walk all that follows once more. 32,000 instructions
	 * without this, 13,000 with it.
	 */
	barrier();
	key->kstack = s->kernel.nr ? stack_hash(&s->kernel) : 0;
	barrier();
	key->ustack = walk->nr ? stack_hash(walk) : 0;
	barrier();
	if (stack_save(&s->kernel, key->kstack) || stack_save(walk, key->ustack))
		return 1;
	if (!cfg_by_tid)
		key->tid = 0;
	have = bpf_map_lookup_elem(&counts, key);
	if (!have) {
		if (!bpf_map_update_elem(&counts, key, &first, BPF_NOEXIST))
			return 0;
		have = bpf_map_lookup_elem(&counts, key);
		if (!have) {
			key->tid = tid;
			return 1;
		}
	}
	__sync_fetch_and_add(&have->count, 1);
	__sync_fetch_and_add(&have->weight, s->rec.weight);
	have->last_ns = s->rec.time_ns;
	return 0;
}

static __always_inline struct scratch *get_scratch(void)
{
	for (__u32 i = 0; i < PROBE_SCRATCHES; i++) {
		__u32 slot = i;
		struct scratch *s = bpf_map_lookup_elem(&scratches, &slot);

		if (!s)
			return NULL;
		if (scratch_take(&s->users)) {
			s->slot = i;
			return s;
		}
	}
	return NULL;
}

/* Whose program it is. */
enum sampler {
	BY_COUNTER,
	BY_USER_PROBE, /* its registers are of user space */
	BY_OTHER,      /* tracepoints, probes of the kernel */
};

/*
 * The user's stack by tables. A walk has the scratch of its sample, whose number is read from there: the verifier would walk all that
 * follows for each number it knows.
 */
static __always_inline struct stack_val *unwind(void *ctx, const struct scratch *s, int user, enum sampler by)
{
	if (by == BY_COUNTER)
		return unwind_walk_event(ctx, s->slot, user, s->rec.key.pid);
	return unwind_walk_probe(ctx, by == BY_USER_PROBE, s->slot, user, s->rec.key.pid);
}
_Static_assert(PROBE_SCRATCHES <= UNWIND_SCRATCHES, "a walk has the number of its sample's scratch");

/* One hit of an event that passed, with its stacks. */
static __always_inline int take(void *ctx, __u64 id, __u64 weight, __u64 addr, __u16 event, enum sampler by, struct probe_info *info,
				struct probe_call *call)
{
	struct stack_val *unwound = NULL;
	struct task_struct *task;
	struct scratch *s;
	int user;

	loss_count(COUNT_SEEN);
	s = get_scratch();
	if (!s) {
		loss_count(LOSS_INTERNAL);
		return 0;
	}
	task = (void *)bpf_get_current_task();
	s->rec.time_ns = bpf_ktime_get_ns();
	s->rec.weight = weight;
	s->rec.cpu = bpf_get_smp_processor_id();
	s->rec.key = (struct sample_key){
		.pid = id >> 32,
		.tid = id,
		.exec_id = BPF_CORE_READ(task, self_exec_id),
		.event = event,
		.cgroup = cfg_cgroup ? bpf_get_current_cgroup_id() : 0,
	};
	own_numbers(task, &s->rec.key);
	bpf_get_current_comm(s->rec.key.comm, sizeof(s->rec.key.comm));
	user = has_user_stack(task);
	s->rec.key.has_user = user;
	if (cfg_unwind) {
		unwound = unwind(ctx, s, user, by);
		if (!unwound) {
			loss_count(LOSS_INTERNAL);
			goto out;
		}
	}
	if (cfg_aggregate && !is_emptying) {
		if (!sample_aggregate(ctx, s, user, unwound))
			goto out;
		loss_count(COUNT_SPILLED);
	}
	s->rec.key.addr = addr;
	sample_stream(ctx, &s->rec, user, unwound, info, call);
out:
	scratch_give(&s->users);
	return 0;
}

SEC("?perf_event")
int sample(struct bpf_perf_event_data *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();

	return filter_pass(id) ? take(ctx, id, ctx->sample_period, cfg_addr ? ctx->addr : 0, event_index(ctx), BY_COUNTER, NULL, NULL) : 0;
}

/*
 * A probe, or a tracepoint (through perf's trace event, whose registers are those of the function that holds the tracepoint), every
 * time.
 */
SEC("?kprobe")
int sample_hit(void *ctx)
{
	__u64 want = MARK(PROBE_WANT_MARK);
	struct probe_call_key key;
	struct probe_call *call = NULL;
	struct probe_info info = {};

	if (take_site(ctx) && probe_take(ctx, want, &info, &key, &call))
		take(ctx, bpf_get_current_pid_tgid(), 1, 0, site_index(ctx), want & PROBE_WANT_USER ? BY_USER_PROBE : BY_OTHER, &info, call);
	if (call)
		bpf_map_delete_elem(&calls, &key);
	return 0;
}
