/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes: one program in C, whose stub expr_body() user space puts the code of a probe's expressions into
 * (user/capture/gen.c), and the shapes that both sides share.
 */
#ifndef SKEP_BPF_PROBE_H
#define SKEP_BPF_PROBE_H

#include <linux/types.h>

#include "bpf/by.h"
#include "bpf/stack.h"
#include "bpf/syscalls.h"

#define PROBE_COMM_LEN 16
#define PROBE_REGS_MAX 9   /* integer registers that arguments are in: 6 of x86-64's ABI, 8 of arm64's, 9 of Go's */
#define PROBE_DATA_MAX 4096 /* of all values of one event, in bytes */
#define PROBE_RETURNS_MAX 64  /* of user functions that a task has not returned from: kernel/events/uprobes.c MAX_URETPROBE_DEPTH */
#define PROBE_CALLS_MAX 16384 /* calls that have not returned yet */

/* Numbers of a clone: in each program's own instructions. */
#define PROBE_INDEX_MARK 0x51ee7c0de0ddba21ULL /* of the site; PROBE_INDEX_COOKIE: the attachment has it */
#define PROBE_SIZE_MARK 0x51ee7c0000000030ULL  /* bytes of a record: the smallest, which the verifier takes for the model */
#define PROBE_WANT_MARK 0x51ee7c0de0ddb00fULL  /* enum probe_want */
#define PROBE_CALLS_MARK 0x51ee7c0de0ddca11ULL /* a row of call_sites; PROBE_NO_CALLS: it is on a place of its own */
#define PROBE_NO_CALLS 0xffffffffULL
#define PROBE_CALL_ROWS 16
#define PROBE_INDEX_COOKIE 0xffffffffULL
#define PROBE_BODY_MARK 0x51ee7c0de0ddb0d1ULL  /* in expr_body(): which of all functions it is */

enum probe_want {
	PROBE_WANT_FILTER = 1 << 0, /* call expr_run() first */
	PROBE_WANT_CALL = 1 << 1,   /* a return, with the arguments of its call */
	PROBE_WANT_DEPTH = 1 << 2,
	PROBE_WANT_USER = 1 << 3, /* of a user function: its stack is the process's */
};

/* What expr_body() is to do. */
enum probe_ask {
	PROBE_ASK_FILTER, /* 1: pass, 0: drop, PROBE_FAULT: could not be read */
	PROBE_ASK_VALUES, /* written to their places; which faulted is in the info */
};
#define PROBE_FAULT 2

/* What the C side has computed. */
struct probe_info {
	__u64 pid, tid; /* as skep's user sees them */
	__u64 time_ns, latency_ns, depth;
	__u64 faults; /* bit i: value i could not be read */
};

/* A call, as it was entered; kept until it returns. */
struct probe_call {
	__u64 time_ns, sp;
	__u64 regs[PROBE_REGS_MAX];
};

struct probe_call_key {
	__u64 id;    /* bpf_get_current_pid_tgid() */
	__u64 sp;    /* where its return address is */
	__u64 index; /* of the site */
};

/*
 * System calls whose tracepoints one program on raw_syscalls serves, which has the same record: to detach from each waits for an RCU
 * grace period, a minute for all of them. Of each native number its site and 1; 0: not wanted.
 */
struct probe_call_sites {
	__u32 site[SYSCALL_NR_MAX];
};

/* Where a key is built; after it the value of the histogram. */
#define PROBE_SCRATCHES 4 /* a CPU: probes of user functions may be preempted by others there */
struct probe_scratch {
	__u64 users;
	__u64 key[BY_FIELDS_KEY_MAX / 8];
	__u64 value;
	struct by_sum empty; /* stays zero: the stack has no room for one beside what expressions need */
};
#define PROBE_VALUE_AT BY_FIELDS_KEY_MAX /* from the key's start on */

/* A record of the ring: this, then the values. */
struct probe_rec {
	__u64 time_ns;
	__u64 faults;
	__u32 pid, tid;
	__u32 index; /* of the site */
	__u32 cpu;
	char comm[PROBE_COMM_LEN];
	__u64 data[];
};
_Static_assert(sizeof(struct probe_rec) == 48, "probe_rec");

#endif
