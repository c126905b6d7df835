/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel types that skep's BPF programs touch, and of those only the fields they touch. Offsets
 * are relocated at load time against the running kernel's BTF (preserve_access_index), so order and
 * padding here mean nothing, and one file serves both architectures. A field that a kernel lacks fails the load there.
 */
#ifndef SKEP_VMLINUX_COMMON_H
#define SKEP_VMLINUX_COMMON_H

#include <linux/bpf.h>
#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct perf_event {
	__u64 id;
};

/* What a perf_event program's context really is: include/linux/perf_event.h. */
struct bpf_perf_event_data_kern {
	void *regs;
	void *data;
	struct perf_event *event;
};

struct pid_namespace;

/* A number of a task in one PID namespace. */
struct upid {
	int nr;
	struct pid_namespace *ns;
};

/* numbers[0..level]: from the initial namespace to the one that the task was born in. */
struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct thread_info {
	unsigned long flags;
#ifdef __TARGET_ARCH_x86
	__u32 status;
#endif
};

/* A flavour: user space has a pt_regs of its own. */
struct pt_regs___kernel {
#ifdef __TARGET_ARCH_x86
	unsigned long orig_ax;
#else
	int syscallno;
#endif
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	int pid;
	int tgid;
	__u64 self_exec_id;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	__u64 start_boottime; /* 5.5 */
	char comm[16];
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

/* Context of iter/task; task is NULL once behind the last. */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

#endif
