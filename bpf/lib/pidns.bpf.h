/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The numbers that tasks have in the PID namespace skep runs in, which may be a container's. bpf_get_ns_current_pid_tgid()
 * would not do: it knows no task of a namespace within that namespace.
 */
#ifndef SKEP_PIDNS_BPF_H
#define SKEP_PIDNS_BPF_H

#include <bpf/bpf_core_read.h>

/* The entry of numbers[] that a pid has for the namespace `level` below the initial one. */
static __always_inline struct upid *pidns_slot(struct pid *pid, __u32 level)
{
	return (void *)pid + bpf_core_field_offset(struct pid, numbers) + level * bpf_core_type_size(struct upid);
}

/* The number of a task's pid in the namespace ns, which is level namespaces below the initial one. 0: it has none there. */
static __always_inline __u32 pidns_number_of(struct pid *pid, __u32 level, const void *ns)
{
	struct upid *slot;

	if (!pid || BPF_CORE_READ(pid, level) < level)
		return 0;
	slot = pidns_slot(pid, level);
	return BPF_CORE_READ(slot, ns) == ns ? BPF_CORE_READ(slot, nr) : 0;
}

static __always_inline __u32 pidns_number(struct task_struct *task, __u32 level, const void *ns)
{
	return pidns_number_of(BPF_CORE_READ(task, thread_pid), level, ns);
}

#endif
