/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter for a task that is not the current one: the helpers that the other filter uses know only the current one. */
#ifndef SKEP_FILTER_TASK_BPF_H
#define SKEP_FILTER_TASK_BPF_H

#include "lib/comm.bpf.h"
#include "lib/filter.bpf.h"

#define CGROUP_DEPTH_MAX 16 /* of a task's cgroup below the requested one */

const volatile __u64 cfg_cgroup_ids[FILTER_LIST_MAX] = {};

static __always_inline int filter_task_cgroup(struct task_struct *t)
{
	struct cgroup *cgroup = BPF_CORE_READ(t, cgroups, dfl_cgrp);
	struct cgroup_subsys_state *css = &cgroup->self;

	for (int depth = 0; depth < CGROUP_DEPTH_MAX && css; depth++) {
		__u64 id = BPF_CORE_READ(css, cgroup, kn, id);

		for (__u32 i = 0; i < FILTER_LIST_MAX; i++)
			if (i < cfg_nr_cgroups && cfg_cgroup_ids[i] == id)
				return 1;
		css = BPF_CORE_READ(css, parent);
	}
	return 0;
}

static __always_inline int filter_task_lists(struct task_struct *t)
{
	__u32 uid = BPF_CORE_READ(t, cred, uid.val), hit = 0;
	__u64 comm[2];

	if (cfg_filter & FILTER_UIDS) {
		for (__u32 i = 0; i < FILTER_LIST_MAX && !hit; i++)
			hit = i < cfg_nr_uids && cfg_uids[i] == uid;
		if (!hit)
			return 0;
	}
	if (cfg_filter & FILTER_COMMS) {
		comm_read(comm, t);
		hit = 0;
		for (__u32 i = 0; i < FILTER_LIST_MAX && !hit; i++)
			hit = i < cfg_nr_comms && cfg_comms[i][0] == comm[0] && cfg_comms[i][1] == comm[1];
		if (!hit)
			return 0;
	}
	return !(cfg_filter & FILTER_CGROUPS) || filter_task_cgroup(t);
}

/* Is t a target, whether the run has started or not? */
static __always_inline int filter_task(struct task_struct *t)
{
	if (filter_is_self(BPF_CORE_READ(t, tgid)))
		return 0;
	if (cfg_filter & (FILTER_PIDS | FILTER_TIDS)) {
		int hit = 0;

		if (cfg_filter & FILTER_PIDS)
			hit = filter_target(TARGET_PID(BPF_CORE_READ(t, tgid)));
		if (!hit && (cfg_filter & FILTER_TIDS))
			hit = filter_target(TARGET_TID(BPF_CORE_READ(t, pid)));
		if (!hit)
			return 0;
	}
	return filter_task_lists(t);
}

#endif
