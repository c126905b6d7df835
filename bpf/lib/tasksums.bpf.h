/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's own sums of the time on a CPU, without interrupts, and of the waits for one (/proc/PID/schedstat). They are what is
 * reported; times between hooks are for what has not ended, and for kernels without such sums.
 */
#ifndef SKEP_TASKSUMS_BPF_H
#define SKEP_TASKSUMS_BPF_H

/* CONFIG_SCHED_INFO, which CONFIG_SCHEDSTATS and CONFIG_TASK_DELAY_ACCT bring. */
#define HAS_SCHED_INFO bpf_core_field_exists(((struct sched_info *)0)->last_arrival)

struct task_sums {
	__u64 run_ns, wait_ns; /* wait_ns 0: the kernel may have no such sum */
};

static __always_inline __u64 task_kernel_wait(struct task_struct *t)
{
	return HAS_SCHED_INFO ? t->sched_info.run_delay : 0;
}

/* What was added to them since they were *before, which are then those of now. */
static __always_inline struct task_sums task_sums_added(struct task_struct *t, struct task_sums *before)
{
	__u64 run_ns = t->se.sum_exec_runtime, wait_ns = task_kernel_wait(t);
	struct task_sums added;

	/* Or the compiler loads them by the instructions for others: "same insn cannot be used with different pointers". */
	asm volatile("" : "+r"(run_ns), "+r"(wait_ns));
	added.run_ns = run_ns > before->run_ns ? run_ns - before->run_ns : 0;
	added.wait_ns = wait_ns > before->wait_ns ? wait_ns - before->wait_ns : 0;
	before->run_ns = run_ns;
	before->wait_ns = wait_ns;
	return added;
}

/*
 * When a task that is put on a CPU at until_ns began to wait for it: the kernel's own sums and its note of when it was put into a queue
 * know it even of a wake-up by a thread that is hidden from tracing. before_ns: its sum of waits when it left its CPU last. 0: not known
 * (without CONFIG_SCHED_INFO), or it did not wait.
 */
static __always_inline __u64 task_queued(struct task_struct *t, __u64 before_ns, __u64 until_ns)
{
	__u64 queued_ns, waited_ns;

	if (!HAS_SCHED_INFO)
		return 0;
	queued_ns = t->sched_info.last_queued;
	waited_ns = task_kernel_wait(t) - before_ns;
	if (queued_ns && until_ns > queued_ns)
		waited_ns += until_ns - queued_ns;
	return waited_ns && waited_ns < until_ns ? until_ns - waited_ns : 0;
}

/*
 * Of a task that is on a CPU although no switch has reported it: the kernel skips a program on a CPU where it runs already, and some
 * threads are hidden from tracing. The kernel knows since when, by the same clock. 0: not after since_ns, or not known.
 */
static __always_inline __u64 task_arrived(struct task_struct *t, __u64 since_ns)
{
	__u64 ns = HAS_SCHED_INFO ? t->sched_info.last_arrival : 0;

	return ns > since_ns ? ns : 0;
}

#endif
