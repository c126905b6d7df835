// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, the scheduler, event by event: a record of each switch has everything about the run that it ends and about the wait
 * before. These values are kept with the task, so a lost record makes no other record wrong.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "bpf/schedlog.h"
#include "lib/rings.bpf.h"
#include "lib/stack.bpf.h"
#include "lib/tasksums.bpf.h"
#include "lib/unwind.bpf.h"

/* Times are 0 for what was before that was seen. */
struct task_own {
	__u64 off_ns, ready_ns, on_ns;
	struct task_sums kernel; /* when it left its CPU last */
	__u32 cpu, on_cpu; /* where it was put off, and on, last; or SCHEDLOG_NO_CPU */
	__u16 off_state;
	__u8 waker_kind, coming_kind; /* enum schedlog_waker */
	__u32 waker_is_target;
	struct schedlog_who waker;  /* of the wake-up that ended the last wait */
	struct schedlog_who coming; /* of the one after that: it may be under way before the task has left its CPU */
};

#include "lib/taskstate.bpf.h"
#include "lib/waker.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 cfg_stacks = 1;
const volatile __u32 cfg_next = 1;    /* report switches that put a target onto its CPU, too */
const volatile __u32 cfg_wakes = 1;
const volatile __u32 cfg_cpus = 1;    /* only CPUs that have a ring are reported */
const volatile __u32 cfg_own_pid = 1; /* skep itself, whose own switches would never end; 0: they are reported */

/* The hooks run with interrupts off: no two of them on a CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct schedlog_rec);
} scratch SEC(".maps");

#define SCHEDLOG_UNWIND_SLOT 0 /* only sched_switch walks */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct schedlog_rec);
} left SEC(".maps");

static __always_inline int is_shown(struct task_struct *t, const struct task *s)
{
	return s && s->is_target && !(cfg_own_pid && (__u32)t->tgid == cfg_own_pid);
}

/* The ring of this CPU; NULL: nothing is to be reported there, or can be. */
static __always_inline void *ring_here(__u32 cpu)
{
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	if (!ring && cfg_cpus)
		return NULL;
	loss_count(COUNT_SEEN);
	if (!ring)
		loss_count(LOSS_INTERNAL);
	return ring;
}

struct switched {
	struct task_struct *prev, *next;
	struct task *p, *n; /* NULL: nothing is known of it */
	__u64 now_ns, delay_ns, run_ns; /* the latter two of p's run */
	__u32 cpu;
	__u16 state;
	__u8 flags;
};

/* What the run that ends here took, and the wait for it: not known where neither its begin was seen nor the end of the one before. */
static __always_inline void take_kernel_sums(struct switched *sw)
{
	struct task_sums added = task_sums_added(sw->prev, &sw->p->own.kernel);
	struct task_own *own = &sw->p->own;
	int is_known = own->on_ns || own->off_ns;

	sw->run_ns = is_known ? added.run_ns : SCHEDLOG_UNKNOWN;
	sw->delay_ns = SCHEDLOG_UNKNOWN;
	if (is_known && own->kernel.wait_ns)
		sw->delay_ns = added.wait_ns;
	else if (own->on_ns && own->ready_ns)
		sw->delay_ns = own->on_ns > own->ready_ns ? own->on_ns - own->ready_ns : 0;
}

static __always_inline void fill_switch(struct schedlog_rec *rec, const struct switched *sw)
{
	const struct task *p = sw->p;

	rec->time_ns = sw->now_ns;
	rec->cpu = sw->cpu;
	rec->state = sw->state;
	rec->kind = SCHEDLOG_SWITCH;
	rec->flags = sw->flags;
	rec->now = rec->unused = rec->nr_kips = rec->nr_uips = 0;
	task_who(&rec->task, sw->prev, p);
	task_who(&rec->other, sw->next, sw->n);
	rec->delay_ns = sw->delay_ns;
	rec->run_ns = sw->run_ns;
	if (!p) {
		rec->off_ns = rec->ready_ns = rec->on_ns = 0;
		rec->other_cpu = SCHEDLOG_NO_CPU;
		rec->off_state = rec->waker_kind = 0;
		return;
	}
	rec->off_ns = p->own.off_ns;
	rec->ready_ns = p->own.ready_ns;
	rec->on_ns = p->own.on_ns;
	rec->other_cpu = p->own.cpu;
	rec->off_state = p->own.off_state;
	rec->waker_kind = p->own.waker_kind;
	rec->waker = p->own.waker;
}

/* The user stack of who leaves its CPU, to ips. Returns how many frames. */
static __always_inline __u32 walk_user(void *ctx, __u32 pid, __u64 *ips)
{
	struct stack_val *walk;
	__u32 nr;

	if (!cfg_unwind)
		return stack_walk(ctx, ips, BPF_F_USER_STACK);
	walk = unwind_walk_task(SCHEDLOG_UNWIND_SLOT, 1, pid);
	if (!walk)
		return 0;
	nr = walk->nr & STACK_MAX_FRAMES;
	bpf_probe_read_kernel(ips, nr * sizeof(*ips), walk->ips);
	return nr;
}

static __always_inline void tell_with_stacks(void *ctx, void *ring, const struct switched *sw)
{
	__u32 zero = 0, nr, nr_user = 0;
	struct schedlog_rec *rec = bpf_map_lookup_elem(&scratch, &zero);
	__u64 size;

	if (!rec) {
		loss_count(LOSS_INTERNAL);
		return;
	}
	fill_switch(rec, sw);
	nr = stack_walk(ctx, rec->ips, 0);
	nr &= STACK_MAX_FRAMES; /* the verifier lost the bound: 127 is a mask */
	if (stack_has_user(sw->prev->flags)) {
		rec->flags |= SCHEDLOG_HAS_USER;
		nr_user = walk_user(ctx, rec->task.pid, &rec->ips[nr]);
	}
	nr_user &= STACK_MAX_FRAMES;
	rec->nr_kips = nr;
	rec->nr_uips = nr_user;
	size = SCHEDLOG_HEAD_BYTES + (nr + nr_user) * sizeof(__u64);
	if (size > sizeof(*rec))
		return;
	ring_copy(ring, rec, size, ring_wake(ring, sw->now_ns, RING_WAKE_HOT));
}

static __always_inline void tell_switch(void *ctx, const struct switched *sw)
{
	struct schedlog_rec *rec;
	void *ring = ring_here(sw->cpu);

	if (!ring)
		return;
	if (cfg_stacks && sw->flags & SCHEDLOG_TASK) {
		tell_with_stacks(ctx, ring, sw);
		return;
	}
	RING_EMIT(rec, ring, SCHEDLOG_HEAD_BYTES, ring_wake(ring, sw->now_ns, RING_WAKE_HOT))
		fill_switch(rec, sw);
}

static __always_inline void put_off(struct task *s, const struct switched *sw)
{
	int stays = sw->flags & SCHEDLOG_PREEMPTED || !sw->state;

	s->state = stays ? SCHED_WAITING : task_sleep(sw->state);
	s->own.off_ns = sw->now_ns;
	s->own.on_ns = 0;
	s->own.off_state = stays ? 0 : sw->state;
	s->own.ready_ns = stays ? sw->now_ns : 0;
	s->own.cpu = sw->cpu;
	s->own.waker_kind = SCHEDLOG_NOBODY;
}

static __always_inline void put_on(struct task *s, const struct switched *sw)
{
	s->state = SCHED_RUNNING;
	s->own.on_ns = sw->now_ns;
	s->own.on_cpu = sw->cpu;
	if (s->own.waker_kind == SCHEDLOG_NOBODY)
		return;
	s->own.waker_kind = s->own.coming_kind;
	s->own.waker = s->own.coming;
	s->own.coming_kind = SCHEDLOG_NOBODY;
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct switched sw = { .prev = (void *)ctx[1], .next = (void *)ctx[2], .cpu = bpf_get_smp_processor_id(),
			       .delay_ns = SCHEDLOG_UNKNOWN, .run_ns = SCHEDLOG_UNKNOWN };
	__u64 state = task_switch_state(ctx);
	int is_end;

	sw.now_ns = task_clock(sw.prev->pid ? sw.prev : sw.next);
	sw.state = state;
	if (ctx[0] & 0xff)
		sw.flags = SCHEDLOG_PREEMPTED;
	task_compare_clocks(sw.now_ns);
	is_end = run_end_ns && sw.now_ns > run_end_ns;
	if (sw.prev->pid) {
		sw.p = task_find(sw.prev);
		if (sw.p) {
			task_ask(sw.p, bpf_get_current_pid_tgid());
			take_kernel_sums(&sw);
		} else {
			task_count_unknown(sw.prev, state);
		}
		if (is_shown(sw.prev, sw.p))
			sw.flags |= SCHEDLOG_TASK;
	}
	if (sw.next->pid) {
		sw.n = task_find(sw.next);
		if (is_shown(sw.next, sw.n))
			sw.flags |= SCHEDLOG_OTHER;
	}
	if (run_armed && (sw.flags & SCHEDLOG_TASK || (cfg_next && sw.flags & SCHEDLOG_OTHER)) && (!is_end || state & TASK_DEAD))
		tell_switch(ctx, &sw);
	if (sw.n && !is_end)
		put_on(sw.n, &sw);
	if (!sw.p)
		return 0;
	if (state & TASK_DEAD)
		task_forget(sw.prev);
	else if (!is_end)
		put_off(sw.p, &sw);
	return 0;
}

/* In the context of who wakes; its CPU may not be the one on which the task is made able to run. */
SEC("tp_btf/sched_waking")
int sched_waking(__u64 *ctx)
{
	struct task *s = task_find((void *)ctx[0]);

	if (!s || !run_armed || (!s->is_target && !cfg_wakes))
		return 0;
	s->own.coming_kind = on_account_of();
	if (s->own.coming_kind == SCHEDLOG_BY_INTERRUPT)
		return 0;
	current_who(&s->own.coming);
	if (cfg_wakes)
		s->own.waker_is_target = filter_pass(bpf_get_current_pid_tgid());
	return 0;
}

static __always_inline void tell_wake(struct task_struct *t, struct task *s, __u64 now_ns)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct schedlog_rec *rec;
	void *ring = ring_here(cpu);

	if (!ring)
		return;
	RING_EMIT(rec, ring, SCHEDLOG_HEAD_BYTES, ring_wake(ring, now_ns, RING_WAKE_HOT)) {
		__builtin_memset(rec, 0, SCHEDLOG_HEAD_BYTES);
		rec->time_ns = now_ns;
		rec->kind = SCHEDLOG_WAKE;
		rec->cpu = cpu;
		rec->other_cpu = s->own.cpu;
		rec->flags = s->is_target ? SCHEDLOG_TASK : 0;
		task_who(&rec->task, t, s);
		rec->waker_kind = s->own.coming_kind;
		rec->waker = s->own.coming;
	}
}

static __always_inline int wake(struct task_struct *t)
{
	struct task *s = task_find(t);
	__u64 now_ns;

	if (!s || s->state == SCHED_RUNNING || s->state == SCHED_WAITING)
		return 0;
	now_ns = task_clock(t);
	if (run_end_ns && now_ns > run_end_ns)
		return 0;
	if (s->state == SCHED_NEW) {
		s->own.off_ns = now_ns;
		s->own.cpu = s->own.on_cpu = SCHEDLOG_NO_CPU;
	}
	s->state = SCHED_WAITING;
	s->own.ready_ns = now_ns;
	s->own.waker_kind = s->own.coming_kind;
	if (cfg_wakes && run_armed && (is_shown(t, s) || (s->own.coming_kind && s->own.coming_kind != SCHEDLOG_BY_INTERRUPT && s->own.waker_is_target)))
		tell_wake(t, s, now_ns);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int sched_wakeup(__u64 *ctx)
{
	return wake((void *)ctx[0]);
}

/* Nothing reported it before: the parent makes it able to run. */
SEC("tp_btf/sched_wakeup_new")
int sched_wakeup_new(__u64 *ctx)
{
	struct task *s = task_find((void *)ctx[0]);

	if (s && run_armed) {
		current_who(&s->own.coming);
		s->own.coming_kind = SCHEDLOG_BY_TASK;
		if (cfg_wakes)
			s->own.waker_is_target = filter_pass(bpf_get_current_pid_tgid());
	}
	return wake((void *)ctx[0]);
}

/* The run queue's clock may not be that of now here. */
SEC("?tp_btf/sched_migrate_task")
int sched_migrate(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct task *s = task_find(t);
	__u32 cpu = bpf_get_smp_processor_id();
	struct schedlog_rec *rec;
	__u64 now_ns;
	void *ring;

	if (!run_armed || run_end_ns || !is_shown(t, s))
		return 0;
	ring = ring_here(cpu);
	if (!ring)
		return 0;
	now_ns = bpf_ktime_get_ns() - run_offset_ns;
	RING_EMIT(rec, ring, SCHEDLOG_HEAD_BYTES, ring_wake(ring, now_ns, RING_WAKE_HOT)) {
		__builtin_memset(rec, 0, SCHEDLOG_HEAD_BYTES);
		rec->time_ns = now_ns;
		rec->kind = SCHEDLOG_MIGRATE;
		rec->flags = SCHEDLOG_TASK;
		rec->cpu = cpu;
		rec->other_cpu = ctx[1];
		task_who(&rec->task, t, s);
		current_who(&rec->waker);
		rec->waker_kind = on_account_of();
	}
	return 0;
}

static __always_inline void task_own_first(struct task *s, struct task_struct *t, __u64 state)
{
	task_sums_added(t, &s->own.kernel);
	s->own.off_state = state;
	s->own.cpu = s->own.on_cpu = SCHEDLOG_NO_CPU;
}

/* Behind the end: what every task that is there does then. */
SEC("iter/task")
int schedlog_left(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct schedlog_rec *rec;
	struct task *s;
	__u32 zero = 0;

	if (!t || !t->pid)
		return 0;
	s = task_find(t);
	rec = bpf_map_lookup_elem(&left, &zero);
	if (!rec || !is_shown(t, s))
		return 0;
	rec->time_ns = run_end_ns;
	rec->kind = SCHEDLOG_LEFT;
	rec->delay_ns = rec->run_ns = SCHEDLOG_UNKNOWN;
	rec->flags = SCHEDLOG_TASK;
	rec->now = s->state;
	rec->off_ns = s->own.off_ns;
	rec->ready_ns = s->own.ready_ns;
	rec->on_ns = s->state == SCHED_RUNNING ? s->own.on_ns : 0;
	rec->off_state = s->own.off_state;
	rec->cpu = s->own.on_cpu;
	rec->other_cpu = s->own.cpu;
	rec->waker_kind = s->state == SCHED_RUNNING ? s->own.waker_kind : SCHEDLOG_NOBODY;
	rec->waker = s->own.waker;
	task_who(&rec->task, t, s);
	bpf_seq_write(ctx->meta->seq, rec, SCHEDLOG_HEAD_BYTES); /* no room: the kernel calls again */
	return 0;
}
