// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, off-CPU time: when a task leaves its CPU it is the current one, and its stacks are walked and kept with it; when it runs
 * again the time is added to `spans` under these stacks, or goes into a ring. Nothing is allocated in the scheduler's hooks, which
 * hold locks that an allocation may need.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/offcpu.h"
#include "lib/filter_task.bpf.h"
#include "lib/kstack.bpf.h"
#include "lib/rings.bpf.h"
#include "lib/tasksums.bpf.h"
#include "lib/unwind.bpf.h"
#include "lib/ustack.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_kernel_stack = 1;
const volatile __u32 cfg_user_stack = 1;
const volatile __u32 cfg_by_tid = 1;
const volatile __u32 cfg_blocked = 1;	/* spans that begin with the task's own wish */
const volatile __u32 cfg_preempted = 1; /* the others */
const volatile __u32 cfg_stream = 1;	/* each span to a ring; else summed */
const volatile __u32 cfg_cgroup = 1;
const volatile __u32 cfg_key_bytes = sizeof(struct offcpu_key);

#define PLACES 2	 /* that a task leaves its CPU at in turn */
#define MISSES_TO_LEARN 4 /* a task that is never at one of them pays for the search only now and then */

struct task {
	__u64 since_ns;		/* when it left its CPU; 0: it is on one, or is no target */
	__u64 woken_ns;		/* 0: not yet */
	__u64 kernel_wait_ns;	/* the kernel's sum of waits for a CPU, then */
	__u32 is_target, epoch; /* checked in which epoch of `targets` */
	__u64 kcheck, ucheck;	/* with the keys: of stacks that are kept */
	__u32 turn;		/* of the tables that have these */
	struct offcpu_key key;
	__u32 misses, hit; /* of `places`: one after the other, the last */
	struct kstack_place places[PLACES];
};

#include "lib/task.bpf.h"

/*
 * Sums and stacks have two tables each, used in turn. User space reads and empties the sums of a turn when it ends, and its stacks before the
 * turn after the next begins: before that offcpu_asleep reports which of them tasks that are off their CPUs still have.
 */
volatile __u32 run_turn;

struct spans {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OFFCPU_ROWS_DEFAULT);
	__uint(key_size, sizeof(struct offcpu_key)); /* no type: user space leaves the waker out */
	__uint(value_size, sizeof(struct offcpu_sums));
};

struct spans spans SEC(".maps"), spans_odd SEC(".maps");
struct stacks stacks_odd SEC(".maps");

/* What did not fit into `spans`, of blocked and, at 1, of preempted tasks. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct offcpu_sums);
} other SEC(".maps");

struct scratch {
	struct stack_val kernel, user;
	struct offcpu_rec rec;
	struct kstack_scratch kstack;
	struct kstack_place place; /* learned, for the key: */
	__u64 place_key;
	__u32 turn; /* of this run of a program */
	struct ustack_scratch ustack;
};

/*
 * Interrupts are off in both hooks, and neither is inside the other: who is leaving its CPU wakes nobody there, a read of memory that is
 * not there ends in the kernel's table of exceptions, and what a program or an NMI wakes waits for an interrupt of its own (irq_work).
 * Only who wakes itself does so with interrupts on (try_to_wake_up()): offcpu_waking() leaves it out.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

#define OFFCPU_UNWIND_SLOT 0 /* for the same reason one is enough */

/* Of the iterators, which one process runs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} iter_scratch SEC(".maps");

static __always_inline void ring_span(struct task *s, struct offcpu_rec *rec, __u64 until_ns, __u64 off_ns, __u64 wait_ns)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 size = offsetof(struct offcpu_rec, key) + cfg_key_bytes;
	void *ring;

	rec->time_ns = until_ns + run_offset_ns;
	rec->off_ns = off_ns;
	rec->wait_ns = wait_ns;
	rec->cpu = cpu;
	rec->key = s->key;
	if (size > sizeof(*rec))
		return;
	ring = ring_of(cpu);
	if (ring)
		ring_copy(ring, rec, size, ring_wake(ring, rec->time_ns, RING_WAKE_FULL));
}

static __always_inline void sum_span(struct task *s, __u32 turn, __u64 off_ns, __u64 wait_ns, __u32 waits)
{
	void *map = turn & 1 ? (void *)&spans_odd : (void *)&spans;
	struct offcpu_sums first = { 1, off_ns, waits, wait_ns, s->since_ns }, *row = bpf_map_lookup_elem(map, &s->key);
	__u32 preempted = !!(s->key.task.how & OFFCPU_PREEMPTED);

	if (!row) {
		if (!bpf_map_update_elem(map, &s->key, &first, BPF_NOEXIST))
			return;
		row = bpf_map_lookup_elem(map, &s->key);
	}
	if (!row) {
		loss_count(LOSS_STACKS_FULL);
		row = bpf_map_lookup_elem(&other, &preempted);
	}
	if (!row)
		return;
	__sync_fetch_and_add(&row->spans, 1);
	__sync_fetch_and_add(&row->off_ns, off_ns);
	if (waits) {
		__sync_fetch_and_add(&row->waits, waits);
		__sync_fetch_and_add(&row->wait_ns, wait_ns);
	}
	row->last_ns = s->since_ns;
}

/* The part of this run of the span that ends, or is cut, at until_ns. */
static __always_inline void add_span(struct task *s, struct task_struct *t, struct scratch *scratch, __u64 until_ns)
{
	__u64 from_ns = s->since_ns > run_start_ns ? s->since_ns : run_start_ns, woken_ns = 0;

	/* Behind the end the kernel's sums are also of later waits */
	if (run_end_ns && until_ns > run_end_ns)
		until_ns = run_end_ns;
	else if (!(s->key.task.how & OFFCPU_PREEMPTED))
		woken_ns = task_woken(t, s->kernel_wait_ns, until_ns);
	if (until_ns <= from_ns)
		return;
	if (!woken_ns && !(s->key.task.how & OFFCPU_PREEMPTED))
		woken_ns = s->woken_ns; /* as it was seen */
	if (!woken_ns || woken_ns > until_ns)
		woken_ns = until_ns;
	if (woken_ns < from_ns)
		woken_ns = from_ns;
	if (cfg_stream)
		ring_span(s, &scratch->rec, until_ns, woken_ns - from_ns, until_ns - woken_ns);
	else
		sum_span(s, scratch->turn, woken_ns - from_ns, until_ns - woken_ns, until_ns > woken_ns);
}

/* Mostly it waits where it waited before: check is that of the stack under *key. Returns 0 when there is room for it. */
static __always_inline int keep(struct stack_val *stack, __u32 turn, __u64 *key, __u64 *check)
{
	__u64 k;

	/* As in sample.bpf.c: barriers have nr read again from memory, or the verifier walks all that follows once for each length. */
	barrier();
	k = stack->nr ? stack_hash(stack) : 0;
	barrier();
	if (k == *key && stack->check == *check)
		return 0;
	*key = k;
	*check = stack->check;
	if (!stack_save_in(turn & 1 ? (void *)&stacks_odd : (void *)&stacks, stack, k))
		return 0;
	*key = *check = 0;
	return 1;
}

static __always_inline void walk_kernel(void *ctx, struct scratch *scratch, struct offcpu_who *who, __u64 *check)
{
	scratch->kernel.nr = 0;
	if (cfg_kernel_stack)
		scratch->kernel.nr = stack_walk(ctx, scratch->kernel.ips, 0);
	if (keep(&scratch->kernel, scratch->turn, &who->kstack, check))
		who->how |= OFFCPU_NO_ROOM;
}

/* By frame pointers. t NULL: the current task is known by no pointer that can be followed. */
static __always_inline struct stack_val *walk_frames(void *ctx, struct scratch *scratch, struct task_struct *t, int has_user)
{
	scratch->user.nr = 0;
	if (has_user && !(t && ustack_walk(t, &scratch->ustack, &scratch->user)))
		scratch->user.nr = stack_walk(ctx, scratch->user.ips, BPF_F_USER_STACK);
	return &scratch->user;
}

/* The current task's; t as above. */
static __always_inline void walk_user(void *ctx, struct scratch *scratch, struct task_struct *t, struct offcpu_who *who, __u64 *check)
{
	int has_user = who->how & OFFCPU_HAS_USER;
	struct stack_val *walk;

	if (cfg_unwind)
		walk = unwind_walk_task(OFFCPU_UNWIND_SLOT, has_user, who->pid);
	else
		walk = walk_frames(ctx, scratch, t, has_user);
	if (!walk) {
		loss_count(LOSS_INTERNAL);
		who->ustack = *check = 0;
	} else if (keep(walk, scratch->turn, &who->ustack, check)) {
		who->how |= OFFCPU_NO_ROOM;
	}
}

/* A function of its own, and global: the verifier walks it once, not once for each way that leads to it (100 ms). */
__noinline int learn(void)
{
	__u32 zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &zero);

	if (scratch)
		kstack_learn(&scratch->place, &scratch->kstack, &scratch->kernel, scratch->place_key);
	return 0;
}

/* As walk_kernel(), for a task that may be where it was before. */
static __always_inline void find_kernel(void *ctx, struct scratch *scratch, struct task *s)
{
	struct offcpu_who *who = &s->key.task;
	int looked = cfg_kernel_stack && kstack_look(ctx, &scratch->kstack);
	__u32 misses;

	for (int i = 0; i < PLACES && looked; i++) {
		if (kstack_same(&s->places[i], &scratch->kstack)) {
			who->kstack = s->places[i].key;
			s->kcheck = s->places[i].check;
			s->misses = 0;
			s->hit = i;
			return;
		}
	}
	walk_kernel(ctx, scratch, who, &s->kcheck);
	misses = s->misses++;
	if (!looked || !who->kstack || (misses >= PLACES && misses % MISSES_TO_LEARN))
		return;
	scratch->place_key = who->kstack;
	learn();
	s->places[(s->hit + 1 + misses / MISSES_TO_LEARN) % PLACES] = scratch->place;
}

/* All but the stacks. */
static __always_inline void name(struct offcpu_who *who, struct task_struct *t, __u32 how)
{
	__u64 id = task_id(t);

	who->pid = id >> 32;
	who->tid = cfg_by_tid ? id : 0;
	who->exec_id = t->self_exec_id;
	who->how = how | (cfg_user_stack && stack_has_user(t->flags) ? OFFCPU_HAS_USER : 0);
	who->cgroup = cfg_cgroup ? BPF_CORE_READ(t, cgroups, dfl_cgrp, kn, id) : 0;
	comm_copy(who->comm, t);
}

/* The current task, which is leaving its CPU. */
static __always_inline int wanted(struct task *s)
{
	__u32 epoch = targets_epoch;

	if (cfg_filter & (FILTER_CGROUPS | FILTER_UIDS | FILTER_COMMS))
		return filter_who(bpf_get_current_pid_tgid());
	if (s->epoch != epoch) {
		s->epoch = epoch;
		s->is_target = filter_who(bpf_get_current_pid_tgid());
	}
	return s->is_target;
}

/* What is kept of its stacks is in the tables of another turn. */
static __always_inline void begin_turn(struct task *s, __u32 turn)
{
	s->turn = turn;
	s->kcheck = s->ucheck = 0;
	for (int i = 0; i < PLACES; i++)
		s->places[i].key = 0;
}

static __always_inline void leave(void *ctx, struct scratch *scratch, struct task_struct *t, __u64 now_ns, int preempted, __u64 state)
{
	struct task *s = task_find(t);
	int is_dead;
	__u64 on_ns;

	if (!s) {
		/* Of a container the iterator has only its own; who is ending has left its tables before */
		if (run_armed && !run_end_ns && !cfg_pidns_level && !(state & TASK_DEAD) && filter_who(bpf_get_current_pid_tgid()))
			loss_count(LOSS_TARGETS_FULL);
		return;
	}
	is_dead = !preempted && state & TASK_DEAD;
	/* It came back and no hook reported it; after the end an iterator does, but not for a dead task, which it will not find */
	if (s->since_ns && run_armed && (!run_end_ns || is_dead)) {
		on_ns = task_arrived(t, s->since_ns);
		add_span(s, t, scratch, on_ns ? on_ns : run_end_ns);
	}
	if (!run_end_ns || is_dead)
		s->since_ns = 0;
	if (is_dead) {
		task_forget(t);
		return;
	}
	preempted = preempted || !state;
	if (run_end_ns || !(preempted ? cfg_preempted : cfg_blocked))
		return;
	filter_count_self(t->tgid);
	if (!wanted(s))
		return;
	if (s->turn != scratch->turn)
		begin_turn(s, scratch->turn);
	name(&s->key.task, t, preempted ? OFFCPU_PREEMPTED : 0);
	find_kernel(ctx, scratch, s);
	walk_user(ctx, scratch, t, &s->key.task, &s->ucheck);
	__builtin_memset(&s->key.waker, 0, sizeof(s->key.waker));
	s->woken_ns = 0;
	s->kernel_wait_ns = task_kernel_wait(t);
	s->since_ns = now_ns;
}

SEC("?tp_btf/sched_switch")
int offcpu_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u64 now_ns = task_clock(prev->pid ? prev : next);
	struct scratch *scratch;
	__u32 zero = 0;
	struct task *s;

	task_compare_clocks(now_ns);
	scratch = bpf_map_lookup_elem(&scratches, &zero);
	if (!scratch)
		return 0;
	scratch->turn = run_turn;
	if (prev->pid)
		leave(ctx, scratch, prev, now_ns, ctx[0] & 0xff, task_switch_state(ctx));
	if (!next->pid || run_end_ns)
		return 0;
	s = task_find(next);
	if (!s || !s->since_ns)
		return 0;
	if (run_armed)
		add_span(s, next, scratch, now_ns);
	s->since_ns = 0;
	return 0;
}

SEC("?tp_btf/sched_wakeup")
int offcpu_wakeup(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct task *s = task_find(t);

	if (s && s->since_ns && !s->woken_ns && !(s->key.task.how & OFFCPU_PREEMPTED))
		s->woken_ns = task_clock(t);
	return 0;
}

/* Where a task is made, and before it waits for its first turn on a CPU: filter_fork has seen to it that it may be a target. */
SEC("?tp_btf/sched_wakeup_new")
int offcpu_wakeup_new(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct task *s = task_find(t);

	if (!s) {
		if (run_armed && filter_task(t))
			loss_count(LOSS_TARGETS_FULL);
		return 0;
	}
	s->epoch = targets_epoch;
	s->is_target = filter_task(t);
	if (!s->is_target || run_end_ns || !cfg_blocked)
		return 0;
	name(&s->key.task, t, 0);
	s->key.task.how = 0; /* it has run nowhere yet */
	s->since_ns = s->woken_ns = task_clock(t);
	return 0;
}

/* Always run by the waker, where sched_wakeup may be by the CPU that the task is put on. */
SEC("?tp_btf/sched_waking")
int offcpu_waking(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct task *s = task_find(t);
	__u64 kcheck = 0, ucheck = 0, id;
	struct offcpu_who *waker;
	struct task_struct *task;
	struct scratch *scratch;
	__u32 zero = 0;

	if (!s || !s->since_ns || s->woken_ns || s->key.task.how & OFFCPU_PREEMPTED)
		return 0;
	id = bpf_get_current_pid_tgid();
	scratch = bpf_map_lookup_elem(&scratches, &zero);
	if (!scratch || (__u32)id == (__u32)t->pid)
		return 0;
	scratch->turn = run_turn;
	task = (void *)bpf_get_current_task();
	waker = &s->key.waker;
	waker->kstack = waker->ustack = 0;
	waker->pid = id >> 32;
	if (cfg_pidns_level)
		waker->pid = pidns_number(BPF_CORE_READ(task, group_leader), cfg_pidns_level, (void *)cfg_pidns);
	waker->exec_id = BPF_CORE_READ(task, self_exec_id);
	waker->how = cfg_user_stack && stack_has_user(BPF_CORE_READ(task, flags)) ? OFFCPU_HAS_USER : 0;
	comm_of_current(waker->comm);
	walk_kernel(ctx, scratch, waker, &kcheck);
	walk_user(ctx, scratch, NULL, waker, &ucheck);
	return 0;
}

/* A thread that is not the first takes the number of the process with its exec. */
SEC("?tp_btf/sched_process_exec")
int offcpu_exec(__u64 *ctx)
{
	task_renumber((void *)ctx[0], ctx[1]);
	return 0;
}

/* Every new task, also those that the kernel makes for a process (io_uring's workers). */
SEC("?tp_btf/task_newtask")
int offcpu_newtask(__u64 *ctx)
{
	task_make((void *)ctx[0]);
	return 0;
}

/* Before the run: every task that is there. What happened to it meanwhile is known already. */
SEC("?iter/task")
int offcpu_begin(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct scratch *scratch;
	__u32 zero = 0;
	struct task *s;
	__u64 state;
	long bytes;

	if (!t || !t->pid || task_find(t))
		return 0;
	s = task_make(t);
	scratch = bpf_map_lookup_elem(&iter_scratch, &zero);
	if (!s || !scratch) {
		loss_count(LOSS_TARGETS_FULL);
		return 0;
	}
	s->epoch = targets_epoch;
	s->is_target = filter_task(t);
	state = task_state(t);
	if (!s->is_target || s->since_ns || task_is_running(t) || state & TASK_DEAD || !(state ? cfg_blocked : cfg_preempted))
		return 0;
	s->turn = scratch->turn = run_turn;
	name(&s->key.task, t, OFFCPU_BEFORE | (state ? 0 : OFFCPU_PREEMPTED));
	scratch->kernel.nr = 0;
	if (cfg_kernel_stack) {
		bytes = bpf_get_task_stack(t, scratch->kernel.ips, STACK_MAX_FRAMES * sizeof(__u64), 0);
		scratch->kernel.nr = bytes > 0 ? (__u64)bytes / sizeof(__u64) : 0;
	}
	if (keep(&scratch->kernel, scratch->turn, &s->key.task.kstack, &s->kcheck))
		s->key.task.how |= OFFCPU_NO_ROOM;
	s->kernel_wait_ns = task_kernel_wait(t);
	s->since_ns = task_arrived(t, s->since_ns) + 1; /* at some time after that */
	return 0;
}

/* Behind the end: those that were off their CPUs then. */
SEC("?iter/task")
int offcpu_end(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct scratch *scratch;
	__u32 zero = 0;
	struct task *s;
	__u64 on_ns;

	if (!t || !t->pid)
		return 0;
	s = task_find(t);
	scratch = bpf_map_lookup_elem(&iter_scratch, &zero);
	if (!s || !scratch || !s->since_ns)
		return 0;
	on_ns = task_arrived(t, s->since_ns);
	scratch->turn = run_turn;
	add_span(s, t, scratch, on_ns ? on_ns : run_end_ns);
	s->since_ns = 0;
	return 0;
}

/* Before a turn ends: the stacks of tasks that left their CPUs in an earlier one. */
SEC("?iter/task")
int offcpu_asleep(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct task *s = t && t->pid ? task_find(t) : NULL;
	struct offcpu_asleep keys;

	if (!s || s->turn == run_turn)
		return 0;
	keys.stacks[0] = s->key.task.kstack;
	keys.stacks[1] = s->key.task.ustack;
	keys.stacks[2] = s->key.waker.kstack;
	keys.stacks[3] = s->key.waker.ustack;
	bpf_seq_write(ctx->meta->seq, &keys, sizeof(keys));
	return 0;
}
