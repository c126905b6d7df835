/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums by a key that the user chose, and their histograms: entries of the map `rows`. */
#ifndef SKEP_BPF_BY_H
#define SKEP_BPF_BY_H

#include <linux/types.h>

/* Parts of the key. */
enum by_bit {
	BY_SYSCALL = 1 << 0,
	BY_COMM = 1 << 1,
	BY_PID = 1 << 2,
	BY_TID = 1 << 3,
	BY_CPU = 1 << 4,
	BY_USER = 1 << 5,
	BY_CGROUP = 1 << 6,
	BY_ERRNO = 1 << 7,
	BY_EVENT = 1 << 8,
};

#define BY_ROWS_DEFAULT 10240
#define BY_SLOTS 40 /* slot i: durations of 2^i to 2^(i+1) - 1 ns, the first from 0 on, the last (9 minutes) and longer */
#define BY_COMM_LEN 16
#define BY_FIELDS_MAX 4 /* of tracepoints, in a key */
#define BY_TEXT_MAX 64	/* of a field that is text, with its NUL */

/*
 * Where the parts of a key are, in bytes. Only the requested ones are in it, without gaps between them: every byte is hashed
 * at every event.
 */
struct by_places {
	__u16 cgroup; /* 8 bytes */
	__u16 start;  /* 8 bytes: when the process, or with tid the thread, began; with pid or tid, since numbers are reused */
	__u16 comm;   /* BY_COMM_LEN */
	__u16 fields[BY_FIELDS_MAX]; /* 8 bytes, or BY_TEXT_MAX for text */
	__u16 what; /* and the others, 4 bytes: the system call (enum syscall_abi << 16 | number), or the event's index */
	__u16 pid, tid, cpu, user;
	__u16 error; /* errno, 0 for success */
};

#define BY_KEY_MAX (2 * 8 + BY_COMM_LEN + 6 * 4)
#define BY_FIELDS_KEY_MAX (BY_KEY_MAX + BY_FIELDS_MAX * BY_TEXT_MAX)

_Static_assert(BY_KEY_MAX % 8 == 0, "programs make keys in arrays of __u64");

/* One a CPU: no CPU writes what another writes. */
struct by_sum {
	__u64 calls, errors, total_ns, max_ns;
	__u64 not_min_ns; /* ~ of the shortest; 0: none yet */
	__u32 slots[BY_SLOTS];
};

#endif
