/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words that programs of the scheduler, and all views of what they report, have for it. */
#ifndef SKEP_BPF_SCHEDWORDS_H
#define SKEP_BPF_SCHEDWORDS_H

/* What a task does from one moment on. */
enum sched_state {
	SCHED_NEW,	/* made, and not awake yet */
	SCHED_RUNNING,	/* on a CPU */
	SCHED_WAITING,	/* for a CPU */
	SCHED_SLEEPING, /* S; I of kernel threads */
	SCHED_BLOCKED,	/* D */
	SCHED_STOPPED,	/* T, t, parked, dead */
	SCHED_STATES
};

enum schedlog_kind {
	SCHEDLOG_SWITCH,  /* `task` leaves the CPU, `other` gets it */
	SCHEDLOG_WAKE,	  /* `task` is made able to run, by waker */
	SCHEDLOG_MIGRATE, /* `task` is put from cpu to other_cpu, by waker */
	SCHEDLOG_LEFT,	  /* what `task` does when the run ends */
};

enum schedlog_flag {
	SCHEDLOG_PREEMPTED = 1 << 0,
	SCHEDLOG_TASK = 1 << 1,	  /* `task` is a target */
	SCHEDLOG_OTHER = 1 << 2,  /* `other` was */
	SCHEDLOG_HAS_USER = 1 << 3, /* user frames were requested, and it has user memory */
};

/* Who woke a task. */
enum schedlog_waker {
	SCHEDLOG_NOBODY, /* it was not asleep; or it is not known */
	SCHEDLOG_BY_TASK,
	SCHEDLOG_BY_SOFTIRQ,   /* that the task brought about, as by what it sends to itself; or that found it there by chance */
	SCHEDLOG_BY_INTERRUPT, /* most often a timer or a device; or a softirq of the idle task */
};

#define SCHEDLOG_NO_CPU 0xffffffffu
#define SCHEDLOG_UNKNOWN 0xffffffffffffffffull

#endif
