/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of io_uring: pending ones are in the map `uring_ops`. What the kernel's tracepoints pass differs by kernel
 * (include/trace/events/io_uring.h): user space finds out which of the ways below it is and sets the programs' knobs.
 */
#ifndef SKEP_BPF_URING_H
#define SKEP_BPF_URING_H

#include <linux/types.h>

#include "bpf/by.h"

/* Arguments of io_uring_submit_sqe, since 6.4 io_uring_submit_req. */
enum uring_submit {
	URING_SUBMIT_REQ,  /* the request; 6.0 */
	URING_SUBMIT_BOTH, /* ring, request; 5.14 */
	URING_SUBMIT_RING, /* ring, operation, user_data */
};

/* Those of io_uring_complete. */
enum uring_complete {
	URING_COMPLETE_CQE,   /* ring, request, the completion; 6.15 */
	URING_COMPLETE_REQ,   /* ring, request, user_data, result, flags; 5.18 */
	URING_COMPLETE_FLAGS, /* ring, user_data, result, flags; 5.13 */
	URING_COMPLETE_RING,  /* ring, user_data, result */
};

/*
 * Where submission and completion both pass the request: its address, and 0. Else the ring and user_data. An operation with many results has
 * an entry of each kind.
 */
struct uring_key {
	__u64 object, user_data;
};

/* Those of io_uring_req_failed, which is used only where submission and completion both pass the request. */
enum uring_refuse {
	URING_REFUSE_REQ,  /* entry, request, error; 6.0 */
	URING_REFUSE_RING, /* entry, ring, request, error; 5.18 */
};

#define URING_OPS_MAX 65536
#define URING_OPCODE_UNKNOWN 0xff

/* The part of struct io_uring_sqe (include/uapi/linux/io_uring.h) that all operations have. */
struct uring_sqe {
	__u8 opcode, flags;
	__u16 ioprio;
	__s32 fd;
	__u64 off, addr;
	__u32 len, op_flags;
	__u64 user_data;
};
_Static_assert(sizeof(struct uring_sqe) == 40, "uring_sqe");

struct uring_op {
	__u64 start_ns;
	struct uring_sqe sqe; /* opcode and user_data are the kernel's */
	__u8 has_sqe;	/* the other members are known, too */
	__u8 is_second; /* another entry is of the same operation */
	__u8 is_mixed;	/* another one of the same ring and user_data was pending: which began when is not known */
	__u8 unused;
	__u32 others;	/* how many more of the same ring and user_data are pending */
	__u64 whose[BY_KEY_MAX / 8]; /* who submitted it, in the words of the program that has this map */
};

enum uring_flag {
	URING_NO_START = 1, /* it is not known when it was submitted */
	URING_NO_SQE = 2,   /* beside its opcode and user_data nothing is known */
	URING_NO_END = 4,   /* it has ended without a completion, or not at all: there is no result */
};

#endif
