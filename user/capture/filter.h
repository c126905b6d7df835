/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user side of bpf/lib/filter.bpf.h, which every skeleton that includes it has in the same words. */
#ifndef SKEP_CAPTURE_FILTER_H
#define SKEP_CAPTURE_FILTER_H

#include <bpf/libbpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include "capture/source.h"

#define FILTER_PROGS 3

/* Where a skeleton has it. */
struct filter {
	__u32 *filter, *self_pid, *follow, *nr_cgroups, *nr_uids, *nr_comms, *uids;
	__u64 (*comms)[2];
	__u32 *run_target; /* the last of -p, or COMMAND */
	volatile __u32 *run_armed, *run_leave_out;
	struct bpf_map *targets, *cgroups;
	struct bpf_program *progs[FILTER_PROGS];
	struct bpf_link **links[FILTER_PROGS];
};

#define FILTER_OF(skel)                                                                                                     \
	{                                                                                                                   \
		.filter = &(skel)->rodata->cfg_filter, .self_pid = &(skel)->rodata->cfg_self_pid,                         \
		.follow = &(skel)->rodata->cfg_follow,                                                                      \
		.nr_cgroups = &(skel)->rodata->cfg_nr_cgroups, .nr_uids = &(skel)->rodata->cfg_nr_uids,                     \
		.nr_comms = &(skel)->rodata->cfg_nr_comms, .uids = (skel)->rodata->cfg_uids, .comms = (skel)->rodata->cfg_comms,\
		.targets = (skel)->maps.targets, .cgroups = (skel)->maps.cgroups, .run_target = &(skel)->bss->run_target,   \
		.run_armed = &(skel)->bss->run_armed, .run_leave_out = &(skel)->bss->run_leave_out,                         \
		.progs = { (skel)->progs.filter_fork, (skel)->progs.filter_exec, (skel)->progs.filter_free },               \
		.links = { &(skel)->links.filter_fork, &(skel)->links.filter_exec, &(skel)->links.filter_free },            \
	}

/* Before load. idle: the idle task is not filtered out. */
void filter_set(const struct filter *f, const struct target *t, bool idle);

/* Before load, after filter_set(): leaves skep's own process out, unless its number or its name is a target. */
void filter_leave_self(const struct filter *f, const struct place *place);

/* Before load: the ids of the target's cgroups, for bpf/lib/filter_task.bpf.h. 0, or -errno with err filled. */
int filter_cgroup_ids(const struct target *t, __u64 *ids, struct err *err);

/* After load: fills the tables and follows the targets' children from here on. 0 or -errno. */
int filter_start(const struct filter *f, const struct place *place, struct err *err);

/* Is a target process still there, COMMAND or a child of a target? Not one that has ended and waits for its parent to ask. */
bool filter_has_targets(const struct filter *f, const struct place *place);

#endif
