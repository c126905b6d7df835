/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals and the ends of threads: a record each. */
#ifndef SKEP_TRACESIGNAL_BPF_H
#define SKEP_TRACESIGNAL_BPF_H

#include "lib/tracerecord.bpf.h"
#include "lib/uring.bpf.h"

const volatile __u64 cfg_signals = ~0ull; /* bit number - 1 of each that is shown */

#define SIGNAL_KILL 9
#define STOP_SIGNALS 0x3c0000ull /* STOP TSTP TTIN TTOU */
#define FATAL_SIGNALS 0xffffffffb600fa03ull /* HUP INT USR1 USR2 PIPE ALRM TERM STKFLT VTALRM PROF IO PWR, real-time ones: those with a core are delivered */

/* Instead of the address of a siginfo: include/linux/sched/signal.h. */
#define INFO_PRIV 1 /* SEND_SIG_PRIV: the kernel has sent it; SEND_SIG_NOINFO, which is 0: a process has */
#define CODE_KERNEL 0x80 /* si_code: SI_KERNEL; SI_USER is 0 */

/* enum of include/trace/events/signal.h */
#define SIGNAL_DELIVERED 0 /* TRACE_SIGNAL_DELIVERED */
#define SIGNAL_IGNORED 1   /* TRACE_SIGNAL_IGNORED */

/* of: the task that gets it, with its id; stops: it stops that task. info: a siginfo, or one of the two numbers above. */
static __always_inline int take_signal(struct task_struct *of, int sig, const void *info, __u64 id, int stops)
{
	struct note_rec *p = note_get(NOTE_SIGNAL);
	struct call *call;

	if (!p || sig < 1 || sig > 64 || !(cfg_signals >> (sig - 1) & 1))
		return 0;
	call = find_call(of, id, 0);
	begin_record(&p->rec, TRACE_SIGNAL);
	p->rec.start_ns = p->rec.time_ns = bpf_ktime_get_ns();
	p->rec.nr = sig;
	p->rec.ret = stops;
	if (call && call->is_open && all_results_are_wanted())
		p->rec.flags = TRACE_IN_CALL;
	name_record(&p->rec, of, id);
	comm_of(p->rec.comm, of);
	if ((__u64)info <= INFO_PRIV || bpf_probe_read_kernel(p->data, TRACE_SIGINFO_BYTES, info)) {
		__u32 *words = (void *)p->data;

		__builtin_memset(p->data, 0, TRACE_SIGINFO_BYTES);
		words[0] = sig;
		words[2] = (__u64)info == INFO_PRIV ? CODE_KERNEL : 0;
	}
	p->rec.bytes = TRACE_SIGINFO_BYTES;
	count_event(emit(&p->rec, TRACE_SIGINFO_BYTES));
	return 0;
}

SEC("?tp_btf/signal_deliver")
int signal_deliver(__u64 *ctx)
{
	struct task_struct *current = current_task();
	struct k_sigaction___kernel *action = (void *)ctx[2];
	__u64 id = current_id(current), sig = ctx[0];
	int stops;

	if (sig == SIGNAL_KILL || !filter_pass(id)) /* strace does not see that one either */
		return 0;
	stops = sig <= 64 && STOP_SIGNALS >> ((sig - 1) & 63) & 1 && !BPF_CORE_READ(action, sa.sa_handler);
	return take_signal(current, sig, (void *)ctx[1], id, stops);
}

/* Will it end the process at once? Then it is not delivered: kernel/signal.c, complete_signal() sends SIGKILL to all threads instead. */
static __always_inline int is_end(struct task_struct *of, int sig)
{
	struct sighand_struct *sighand = BPF_CORE_READ(of, sighand);
	struct k_sigaction___kernel *action;

	if (sig < 1 || sig > 64 || !(FATAL_SIGNALS >> (sig - 1) & 1) || BPF_CORE_READ(of, blocked.sig[0]) >> (sig - 1) & 1)
		return 0;
	action = (void *)sighand + bpf_core_field_offset(struct sighand_struct, action) + (sig - 1) * bpf_core_type_size(struct k_sigaction___kernel);
	return !BPF_CORE_READ(action, sa.sa_handler); /* SIG_DFL */
}

/* A signal that is ignored, or ends the process, is never delivered. strace shows it all the same. */
SEC("?tp_btf/signal_generate")
int signal_undelivered(__u64 *ctx)
{
	struct task_struct *of = (void *)ctx[2];
	__u64 id = (__u64)(__u32)of->tgid << 32 | (__u32)of->pid;

	if (!run_armed || !filter_task(of))
		return 0;
	if (ctx[4] != SIGNAL_IGNORED && !(ctx[4] == SIGNAL_DELIVERED && is_end(of, ctx[0])))
		return 0;
	return take_signal(of, ctx[0], (void *)ctx[1], id, 0);
}

static __always_inline int end_thread(void)
{
	struct task_struct *current = current_task();
	__u64 id = current_id(current);
	struct note_rec *p = note_get(NOTE_END);
	struct call *call;
	int is_lost;

	if (!p || uring_is_worker(current) || !filter_pass(id))
		return 0;
	call = find_call(current, id, 0);
	begin_record(&p->rec, TRACE_GONE);
	if (call && call->is_open && !call->is_left_out) {
		copy_call(&p->rec, call);
		if (ends_are_wanted())
			p->rec.flags |= TRACE_IN_CALL;
		call->is_open = 0;
	}
	p->rec.time_ns = bpf_ktime_get_ns();
	p->rec.ret = BPF_CORE_READ(current, exit_code);
	name_record(&p->rec, current, id);
	comm_of_current(p->rec.comm);
	is_lost = emit(&p->rec, TRACE_SIGINFO_BYTES);
	count_event(is_lost);
	if (p->rec.flags & TRACE_IN_CALL)
		count_event(is_lost);
	forget_call(id);
	return 0;
}

/*
 * Two ways to the same hook. By perf's the task stays on its CPU (include/trace/perf.h), but detaching from it takes 80 ms; by the raw one
 * another thread may end in the middle of the program from 7.0 on (filter_fork()), and is skipped. Without tracefs there is only the raw one.
 */
SEC("?tp/sched/sched_process_exit")
int tp_thread_end(void *ctx)
{
	return end_thread();
}

SEC("?raw_tp/sched_process_exit")
int raw_thread_end(void *ctx)
{
	return end_thread();
}

#endif
