/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts of tracepoints: one struct a CPU in the map `tallies`. */
#ifndef SKEP_BPF_TRACEPOINT_H
#define SKEP_BPF_TRACEPOINT_H

#include <linux/types.h>

#define TRACEPOINTS_MAX 2048 /* in one run; a kernel has about 1,500 beside those of system calls */

/* What stands for the index in the program's instructions: each copy of it has its own there. */
#define TRACEPOINT_INDEX_MARK 0x51ee7c0de0ddba11ULL

struct tracepoint_tally {
	__u64 hits[TRACEPOINTS_MAX];
};

#endif
