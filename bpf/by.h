/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums by a key that the user chose, and their histograms: entries of the map `rows`. */
#ifndef SKEP_BPF_BY_H
#define SKEP_BPF_BY_H

#include <linux/types.h>

/* Parts of the key; those that were not asked for are 0 in it. */
enum by_bit {
	BY_SYSCALL = 1 << 0,
	BY_COMM = 1 << 1,
	BY_PID = 1 << 2,
	BY_TID = 1 << 3,
	BY_CPU = 1 << 4,
	BY_USER = 1 << 5,
	BY_CGROUP = 1 << 6,
	BY_ERRNO = 1 << 7,
};

#define BY_ROWS_DEFAULT 10240
#define BY_SLOTS 40 /* slot i: durations of 2^i to 2^(i+1) - 1 ns, the first from 0 on, the last (9 minutes) and longer */

/* No padding: it is hashed. */
struct by_key {
	__u64 cgroup;
	__u32 call; /* enum syscall_abi << 16 | number */
	__u32 pid, tid, cpu, uid;
	__u32 error; /* errno, 0 for success */
	char comm[16];
};
_Static_assert(sizeof(struct by_key) == 48, "no padding in a hash key");

/* One a CPU: no CPU writes what another writes. */
struct by_sum {
	__u64 calls, errors, total_ns, max_ns;
	__u32 slots[BY_SLOTS];
};

#endif
