/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The key of a row. Places are constants to the verifier, which so knows each store into a key on the stack. */
#ifndef SKEP_BY_BPF_H
#define SKEP_BY_BPF_H

#include "bpf/by.h"
#include "lib/comm.bpf.h"

/* All parts: the most expensive. */
const volatile __u32 cfg_by = ~0u; /* enum by_bit */
const volatile struct by_places cfg_at = {
	.cgroup = 0,
	.start = 8,
	.comm = 16,
	.fields = { BY_KEY_MAX, BY_KEY_MAX + BY_TEXT_MAX, BY_KEY_MAX + 2 * BY_TEXT_MAX, BY_KEY_MAX + 3 * BY_TEXT_MAX },
	.what = 32,
	.pid = 36,
	.tid = 40,
	.cpu = 44,
	.user = 48,
	.error = 52,
};

/* ns since boot */
static __always_inline __u64 by_start(struct task_struct *task)
{
	if (HAS_TASK_BTF)
		return cfg_by & BY_TID ? task->start_boottime : task->group_leader->start_boottime;
	return cfg_by & BY_TID ? BPF_CORE_READ(task, start_boottime) : BPF_CORE_READ(task, group_leader, start_boottime);
}

/* The slot of a histogram: log2, 0 for 0 and 1. */
static __always_inline __u32 by_slot(__u64 n)
{
	__u32 slot = 0;

	if (n >> 32) {
		n >>= 32;
		slot += 32;
	}
	if (n >> 16) {
		n >>= 16;
		slot += 16;
	}
	if (n >> 8) {
		n >>= 8;
		slot += 8;
	}
	if (n >> 4) {
		n >>= 4;
		slot += 4;
	}
	if (n >> 2) {
		n >>= 2;
		slot += 2;
	}
	slot += n >> 1;
	return slot < BY_SLOTS ? slot : BY_SLOTS - 1;
}

/*
 * All of it but the fields. current: the caller has it; NULL: helpers are called for the parts that need it. id is
 * bpf_get_current_pid_tgid().
 */
static __always_inline void by_key_fill(void *key, struct task_struct *current, __u64 id, __u32 what, __u32 error)
{
	if (cfg_by & BY_CGROUP)
		*(__u64 *)(key + cfg_at.cgroup) = bpf_get_current_cgroup_id();
	if (cfg_by & (BY_PID | BY_TID))
		*(__u64 *)(key + cfg_at.start) = by_start(current ? current : current_task());
	if (cfg_by & BY_COMM)
		current ? comm_of(key + cfg_at.comm, current) : comm_of_current(key + cfg_at.comm);
	if (cfg_by & (BY_SYSCALL | BY_EVENT))
		*(__u32 *)(key + cfg_at.what) = what;
	if (cfg_by & BY_PID)
		*(__u32 *)(key + cfg_at.pid) = id >> 32;
	if (cfg_by & BY_TID)
		*(__u32 *)(key + cfg_at.tid) = id;
	if (cfg_by & BY_CPU)
		*(__u32 *)(key + cfg_at.cpu) = bpf_get_smp_processor_id();
	if (cfg_by & BY_USER)
		*(__u32 *)(key + cfg_at.user) = bpf_get_current_uid_gid();
	if (cfg_by & BY_ERRNO)
		*(__u32 *)(key + cfg_at.error) = error;
}

#endif
