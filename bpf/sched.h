/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the scheduler did with tasks, summed: entries of the map `rows`, and records of the iterator over live tasks. */
#ifndef SKEP_BPF_SCHED_H
#define SKEP_BPF_SCHED_H

#include <linux/types.h>

#include "bpf/by.h"
#include "bpf/schedwords.h"

#define SCHED_TASKS_MAX 16384 /* at one time, where a hash has to keep them (before 5.13) */

#define SCHED_ROWS_DEFAULT 16384

struct sched_sums {
	__u64 ns[SCHED_STATES];
	/* Of waits for a CPU that have ended; when the longest one did, by the scheduler's clock */
	__u64 waits, waited_ns, wait_max_ns, wait_max_at_ns;
	__u64 voluntary, involuntary, wakeups, migrations;
	__u32 wait_slots[BY_SLOTS], run_slots[BY_SLOTS], off_slots[BY_SLOTS]; /* off: asleep in any state */
};

/* A live task, as the iterator reports it: what is new since its last report, up to the moment of the request. */
struct sched_task {
	__u64 start, cgroup;
	__u32 pid, tid, uid, unused;
	char comm[BY_COMM_LEN];
	struct sched_sums sums;
};

#endif
