// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, the scheduler: each task has its own sums, which need no look-up; they go into `rows` when it ends,
 * and an iterator reads them while it lives. A switch looks only at the task that leaves its CPU: sched_info of the kernel says when it
 * was put there and how long it had waited, and so when it was woken. Nothing is allocated here except where a task is created: the
 * scheduler's hooks hold locks that an allocation may need.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "bpf/sched.h"
#include "lib/by.bpf.h"
#include "lib/tasksums.bpf.h"

struct task_own {
	struct task_sums kernel; /* when it left its CPU last */
	__u64 waited_ns; /* before it was put on the CPU where it is; not in the sums yet */
	__u64 max_from_ns; /* waits that ended until then were reported as a maximum, if they were one */
	struct sched_sums sums, reported; /* reported: that much of them */
};

#include "lib/taskstate.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_hist = 1; /* of the time on a CPU and of the time asleep, too */

/* Up to when sched_live reports. */
volatile __u64 run_ask_ns = 0;

/* Of tasks that have ended, by the user's key. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_ROWS_DEFAULT);
	__uint(key_size, BY_KEY_MAX);
	__uint(value_size, sizeof(struct sched_sums));
} rows SEC(".maps");

/* What did not fit into `rows`. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_sums);
} other SEC(".maps");

/* What the iterator reports of a task: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sched_task);
} reported SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct task);
} until_now SEC(".maps");

/* How much of ns that ended at until_ns is of this run. */
static __always_inline __u64 inside(__u64 ns, __u64 until_ns)
{
	__u64 from_ns = until_ns > ns ? until_ns - ns : 0, to_ns = until_ns;

	if (run_end_ns && to_ns > run_end_ns)
		to_ns = run_end_ns;
	if (from_ns < run_start_ns)
		from_ns = run_start_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* Of what happened at that time, which may be found later. */
static __always_inline int counts(const struct task *s, __u64 at_ns)
{
	return run_armed && s->is_target && at_ns >= run_start_ns && !(run_end_ns && at_ns > run_end_ns);
}

/* Ends what the task did and begins something else. Returns how long it was, of this run. */
static __always_inline __u64 turn(struct task *s, __u32 state, __u64 now_ns)
{
	__u64 ns = inside(now_ns > s->since_ns ? now_ns - s->since_ns : 0, now_ns);
	__u32 was = s->state;

	s->since_ns = now_ns;
	s->state = state;
	/* What it ran and waited is added when it leaves its CPU, from the kernel's sums */
	if (run_armed && s->is_target && was < SCHED_STATES && was != SCHED_RUNNING && was != SCHED_WAITING)
		s->own.sums.ns[was] += ns;
	return ns;
}

/* What the kernel added to its sums since the task left its CPU last: it ran until now_ns, and waited until it was put there. */
static __always_inline void take_kernel_sums(struct task *s, struct task_struct *t, __u64 put_ns, __u64 now_ns)
{
	struct task_sums added = task_sums_added(t, &s->own.kernel);

	if (run_armed && s->is_target) {
		s->own.sums.ns[SCHED_RUNNING] += inside(added.run_ns, now_ns);
		s->own.sums.ns[SCHED_WAITING] += s->own.kernel.wait_ns ? inside(added.wait_ns, put_ns) : s->own.waited_ns;
	}
	s->own.waited_ns = 0;
}

static __always_inline void add_slot(__u32 *slots, __u64 ns)
{
	__u32 slot = by_slot(ns);

	if (slot < BY_SLOTS)
		slots[slot]++;
}

/* Adds what of s was not reported yet. A maximum that was reported before is reported again: the reader expects it. */
static __always_inline void add_new(struct sched_sums *to, const struct sched_sums *s, const struct sched_sums *reported)
{
	for (int i = 0; i < SCHED_STATES; i++)
		to->ns[i] += s->ns[i] > reported->ns[i] ? s->ns[i] - reported->ns[i] : 0;
	to->waits += s->waits - reported->waits;
	to->waited_ns += s->waited_ns - reported->waited_ns;
	if (s->wait_max_ns > to->wait_max_ns) {
		to->wait_max_ns = s->wait_max_ns;
		to->wait_max_at_ns = s->wait_max_at_ns;
	}
	to->voluntary += s->voluntary - reported->voluntary;
	to->involuntary += s->involuntary - reported->involuntary;
	to->wakeups += s->wakeups - reported->wakeups;
	to->migrations += s->migrations - reported->migrations;
	for (int i = 0; i < BY_SLOTS; i++) {
		to->wait_slots[i] += s->wait_slots[i] - reported->wait_slots[i];
		to->run_slots[i] += s->run_slots[i] - reported->run_slots[i];
		to->off_slots[i] += s->off_slots[i] - reported->off_slots[i];
	}
}

/* The current task has ended. */
static __always_inline void bury(struct task_struct *t, struct task *s)
{
	__u64 key[BY_KEY_MAX / sizeof(__u64)];
	struct sched_sums *row;
	struct task *empty;
	__u32 zero = 0;

	by_key_fill(key, NULL, (__u64)s->pid << 32 | s->tid, 0, 0);
	row = bpf_map_lookup_elem(&rows, key);
	empty = row ? NULL : bpf_map_lookup_elem(&nothing, &zero);
	if (empty) {
		bpf_map_update_elem(&rows, key, &empty->own.sums, BPF_NOEXIST);
		row = bpf_map_lookup_elem(&rows, key);
	}
	if (!row) {
		loss_count(LOSS_KEYS_FULL);
		row = bpf_map_lookup_elem(&other, &zero);
	}
	if (row)
		add_new(row, &s->own.sums, &s->own.reported);
	s->is_target = 0; /* an iterator that meets it must not report it again */
	task_forget(t);
}

static __always_inline void wake_up(struct task *s, __u64 now_ns)
{
	__u32 was = s->state;
	__u64 ns = turn(s, SCHED_WAITING, now_ns);

	if (!counts(s, now_ns) || was == SCHED_NEW)
		return;
	s->own.sums.wakeups++;
	if (cfg_hist)
		add_slot(s->own.sums.off_slots, ns);
}

/* By sched_info: when a task was woken that is put on a CPU at now_ns, and was asleep or new at its last event. */
static __always_inline void find_wake_up(struct task *s, struct task_struct *t, __u64 now_ns)
{
	__u64 woken_ns = task_queued(t, s->own.kernel.wait_ns, now_ns);

	if (!woken_ns)
		woken_ns = now_ns; /* it did not wait */
	if (woken_ns > s->since_ns)
		wake_up(s, woken_ns);
	else
		s->state = SCHED_WAITING; /* asleep by its state, but never off the run queue: a signal was pending */
}

static __always_inline void put_on_cpu(struct task *s, struct task_struct *t, __u64 now_ns)
{
	__u32 was;
	__u64 ns;

	if (HAS_SCHED_INFO && s->state != SCHED_WAITING)
		find_wake_up(s, t, now_ns);
	was = s->state;
	ns = turn(s, SCHED_RUNNING, now_ns);
	s->own.waited_ns = was == SCHED_WAITING ? ns : 0;
	if (!counts(s, now_ns))
		return;
	if (was != SCHED_WAITING) { /* asleep by its state, but never off the run queue: a signal was pending */
		if (cfg_hist && was > SCHED_WAITING)
			add_slot(s->own.sums.off_slots, ns);
		return;
	}
	s->own.sums.waits++;
	s->own.sums.waited_ns += ns;
	add_slot(s->own.sums.wait_slots, ns);
	if (ns > s->own.sums.wait_max_ns && now_ns > s->own.max_from_ns) {
		s->own.sums.wait_max_ns = ns;
		s->own.sums.wait_max_at_ns = now_ns;
	}
}

static __always_inline void switch_out(struct task_struct *t, __u64 now_ns, int preempted, __u64 state)
{
	struct task *s = task_find(t);
	__u64 ran, put_ns;

	if (!s) {
		task_count_unknown(t, state);
		return;
	}
	task_ask(s, bpf_get_current_pid_tgid());
	filter_count_self(t->tgid);
	if (HAS_SCHED_INFO && s->state != SCHED_RUNNING) {
		put_ns = task_arrived(t, s->since_ns);
		put_on_cpu(s, t, put_ns ? put_ns : s->since_ns); /* the clocks of two CPUs may differ by a little */
	}
	put_ns = s->since_ns;
	ran = turn(s, preempted || !state ? SCHED_WAITING : task_sleep(state), now_ns);
	take_kernel_sums(s, t, put_ns, now_ns);
	if (counts(s, now_ns)) {
		if (preempted || !state)
			s->own.sums.involuntary++;
		else
			s->own.sums.voluntary++;
		if (cfg_hist)
			add_slot(s->own.sums.run_slots, ran);
	}
	if (run_armed && s->is_target && !preempted && state & TASK_DEAD)
		bury(t, s);
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct task *s = NULL;
	__u64 now_ns;

	if (HAS_SCHED_INFO && !prev->pid)
		return 0;
	now_ns = task_clock(prev->pid ? prev : next);
	task_compare_clocks(now_ns);
	if (prev->pid)
		switch_out(prev, now_ns, ctx[0] & 0xff, task_switch_state(ctx));
	if (!HAS_SCHED_INFO && next->pid)
		s = task_find(next);
	if (s)
		put_on_cpu(s, next, now_ns);
	return 0;
}

static __always_inline int wake(struct task_struct *t)
{
	struct task *s = task_find(t);

	if (s && s->state != SCHED_RUNNING && s->state != SCHED_WAITING)
		wake_up(s, task_clock(t));
	return 0;
}

/* Attached only to kernels without sched_info. */
SEC("?tp_btf/sched_wakeup")
int sched_wakeup(__u64 *ctx)
{
	return wake((void *)ctx[0]);
}

SEC("?tp_btf/sched_wakeup_new")
int sched_wakeup_new(__u64 *ctx)
{
	return wake((void *)ctx[0]);
}

SEC("tp_btf/sched_migrate_task")
int sched_migrate(__u64 *ctx)
{
	struct task *s = task_find((void *)ctx[0]);

	if (s && run_armed && !run_end_ns && s->is_target)
		s->own.sums.migrations++;
	return 0;
}

static __always_inline void task_own_first(struct task *s, struct task_struct *t, __u64 state)
{
	task_sums_added(t, &s->own.kernel);
	s->since_ns = task_arrived(t, 0); /* its last time on a CPU began then: a later one began after this */
}

/* Brings the sums in a copy of a task up to now: adds what no switch has reported yet, and the time in its present state. */
static __always_inline void sum_up(struct task *s, struct task_struct *t)
{
	__u64 until_ns = run_ask_ns, put_ns = s->state == SCHED_RUNNING ? 0 : task_arrived(t, s->since_ns), since_ns, woken_ns;
	__u32 state;

	if (put_ns && put_ns < until_ns) {
		put_on_cpu(s, t, put_ns);
	} else if (HAS_SCHED_INFO && !put_ns && s->state != SCHED_RUNNING && s->state != SCHED_WAITING) {
		woken_ns = task_woken(t, s->own.kernel.wait_ns, until_ns);
		if (woken_ns > s->since_ns && woken_ns < until_ns)
			wake_up(s, woken_ns);
	}
	state = s->state;
	since_ns = s->since_ns > run_start_ns ? s->since_ns : run_start_ns;
	if (state < SCHED_STATES && until_ns > since_ns)
		s->own.sums.ns[state] += until_ns - since_ns;
	if (state == SCHED_RUNNING)
		s->own.sums.ns[SCHED_WAITING] += s->own.waited_ns;
}

static __always_inline void copy_task(struct task *to, const struct task *s)
{
	to->since_ns = s->since_ns;
	to->state = s->state;
	to->is_target = s->is_target;
	to->own.kernel = s->own.kernel;
	to->own.waited_ns = s->own.waited_ns;
	to->own.max_from_ns = s->own.max_from_ns;
	to->own.sums = s->own.sums;
}

/* At any time: every task that is there. */
SEC("iter/task")
int sched_live(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct task *s, *copy;
	struct sched_sums *sums;
	struct sched_task *out;
	__u32 zero = 0;

	if (!t || !t->pid)
		return 0;
	s = task_find(t);
	out = bpf_map_lookup_elem(&reported, &zero);
	copy = bpf_map_lookup_elem(&until_now, &zero);
	if (!s || !out || !copy || !s->is_target)
		return 0;
	sums = &copy->own.sums;
	out->pid = s->pid;
	out->tid = s->tid;
	out->start = cfg_by & BY_TID ? t->start_boottime : t->group_leader->start_boottime;
	out->cgroup = BPF_CORE_READ(t, cgroups, dfl_cgrp, kn, id);
	out->uid = BPF_CORE_READ(t, cred, uid.val);
	__builtin_memcpy(out->comm, t->comm, sizeof(out->comm));
	__builtin_memset(&out->sums, 0, sizeof(out->sums));
	copy_task(copy, s);
	sum_up(copy, t);
	add_new(&out->sums, sums, &s->own.reported);
	if (bpf_seq_write(ctx->meta->seq, out, sizeof(*out)))
		return 0; /* no room: the kernel calls again */
	/* The end of a state can be found late: then what was reported of it is more than it was. No interval reports it twice */
	for (int i = 0; i < SCHED_STATES; i++)
		if (sums->ns[i] < s->own.reported.ns[i])
			sums->ns[i] = s->own.reported.ns[i];
	s->own.reported = *sums;
	s->own.sums.wait_max_ns = 0;
	s->own.max_from_ns = run_ask_ns;
	return 0;
}
