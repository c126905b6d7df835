/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who a task is, and on whose account the scheduler's hooks run. Behind task.bpf.h. */
#ifndef SKEP_WAKER_BPF_H
#define SKEP_WAKER_BPF_H

#include "bpf/schedlog.h"

const volatile __s64 cfg_preempt_at = 8; /* from a CPU's run queue to its count of what must not be preempted; 0: not known */

/* include/linux/preempt.h: NMI or hardirq; a softirq being served */
#define IN_INTERRUPT 0xff0000
#define IN_SOFTIRQ 0x100

/*
 * On whose account this is done, enum schedlog_waker. The count that says it is beside the run queue of its CPU; a kernel without
 * CONFIG_KALLSYMS_ALL does not relocate it (bpf_this_cpu_ptr).
 */
static __always_inline __u8 on_account_of(void)
{
	__u32 count = 0;
	char *at;

	if (!(__u32)bpf_get_current_pid_tgid())
		return SCHEDLOG_BY_INTERRUPT;
	if (!cfg_preempt_at || !bpf_core_field_exists(((struct sched_entity *)0)->cfs_rq) || !bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		return SCHEDLOG_BY_TASK;
	if (cfg_task_storage) /* 5.11, too; a read by address takes 20 ns */
		at = (char *)bpf_get_current_task_btf()->se.cfs_rq->rq + cfg_preempt_at;
	else
		at = (char *)BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), se.cfs_rq, rq) + cfg_preempt_at;
	if (bpf_core_type_exists(struct pcpu_hot))
		at += bpf_core_field_offset(struct pcpu_hot, preempt_count);
	bpf_probe_read_kernel(&count, sizeof(count), at);
	if (count & IN_INTERRUPT)
		return SCHEDLOG_BY_INTERRUPT;
	return count & IN_SOFTIRQ ? SCHEDLOG_BY_SOFTIRQ : SCHEDLOG_BY_TASK;
}

static __always_inline void task_who(struct schedlog_who *who, struct task_struct *t, const struct task *s)
{
	__u64 id = s ? (__u64)s->pid << 32 | s->tid : task_id(t);

	who->pid = id >> 32;
	who->tid = id;
	__builtin_memcpy(who->comm, t->comm, sizeof(who->comm));
}

static __always_inline void current_who(struct schedlog_who *who)
{
	struct task_struct *t;
	__u64 id;

	if (cfg_task_storage) {
		task_who(who, bpf_get_current_task_btf(), NULL);
		return;
	}
	t = (void *)bpf_get_current_task();
	id = bpf_get_current_pid_tgid();
	who->pid = id >> 32;
	who->tid = id;
	if (cfg_pidns_level) {
		who->pid = pidns_number(BPF_CORE_READ(t, group_leader), cfg_pidns_level, (void *)cfg_pidns);
		who->tid = pidns_number(t, cfg_pidns_level, (void *)cfg_pidns);
	}
	bpf_get_current_comm(who->comm, sizeof(who->comm));
}

#endif
