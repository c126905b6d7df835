/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The one filter, as both sides see it: which tests are on, and the table of target tasks. */
#ifndef SKEP_BPF_TARGET_H
#define SKEP_BPF_TARGET_H

#include <linux/types.h>

/* Bits of cfg_filter. All that are set must pass. */
enum filter_bit {
	FILTER_PIDS = 1 << 0,	 /* process in `targets`, children followed */
	FILTER_TIDS = 1 << 1,	 /* thread in `targets` */
	FILTER_CGROUPS = 1 << 2, /* in the subtree of one of `cgroups` */
	FILTER_UIDS = 1 << 3,
	FILTER_COMMS = 1 << 4,
	FILTER_IDLE = 1 << 5,	 /* drop the idle task */
};

#define FILTER_LIST_MAX 16 /* cgroups, uids, comms in one run */
#define TARGETS_MAX 16384  /* tasks in `targets` at one time */

/* Key of `targets`: a process or a thread. */
#define TARGET_PID(pid) ((__u64)(pid))
#define TARGET_TID(tid) ((__u64)(tid) | 1ULL << 32)

/* The low bits of a value of `targets`. The others are the process's birth, 0 where it is not known: numbers are reused. */
enum target_state {
	TARGET_ACTIVE = 1,
	TARGET_AT_EXEC = 2, /* COMMAND before its exec: becomes active there */
	TARGET_STATE = 3,
};
#define TARGET_BIRTH_SHIFT 2

#endif
