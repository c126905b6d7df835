/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts of system calls: one struct a CPU in the map `tallies`, which only its CPU writes, but in more than one task at a time. */
#ifndef SKEP_BPF_SYSCALLS_H
#define SKEP_BPF_SYSCALLS_H

#include <linux/types.h>

#define SYSCALL_NR_MAX 512 /* numbers of a table; x86-64 has 470 (Linux 7.2), arm64 the same from 424 on */

#define SYSCALL_ERRNO_MAX 4095 /* a result from -4095 to -1 is a negative errno: include/linux/err.h, MAX_ERRNO */

/* The tables that a task can call through. */
enum syscall_abi {
	SYSCALL_NATIVE,
	SYSCALL_COMPAT, /* 32-bit: i386, arm */
	SYSCALL_X32,	/* x86-64's numbers with bit 30 */
	SYSCALL_ABIS
};

#define SYSCALL_URING SYSCALL_ABIS /* where sums have a table: io_uring's operations, by opcode */

struct syscall_tally {
	/*
	 * The task that the filter checked last, by an address that is its own while it lives; and the number of changes of `targets` and of
	 * forks then, with the result in bit 0: a loop of calls checks once. Two words: no two programs are in here at a time on a CPU.
	 */
	__u64 task, checked;
	/* [0] on entry, [1] on return */
	__u64 unknown[2]; /* numbers beyond the tables */
	__u64 calls[2][SYSCALL_ABIS][SYSCALL_NR_MAX];
};

#endif
