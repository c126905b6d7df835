/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls, one record a call, written when it returns. What a call's arguments point to is read then, too: the kernel has just
 * used those pages. Read before the call is only what it changes, or takes away (execve).
 */
#ifndef SKEP_BPF_TRACE_H
#define SKEP_BPF_TRACE_H

#include <linux/types.h>

#include "bpf/syscalls.h"
#include "bpf/traceplan.h"

#define TRACE_COMM_LEN 16
#define TRACE_ARGS 6
#define TRACE_NO_NR 0xffff /* of a call whose number does not fit */
#define TRACE_DATA_MAX 65536	/* of a record: what does not fit is left out */
#define TRACE_PIECE_MAX 32768	/* of a piece */
#define TRACE_PATH_MAX 4096	/* include/uapi/linux/limits.h */
#define TRACE_SIGINFO_BYTES 48	/* struct kernel_siginfo: include/uapi/asm-generic/siginfo.h without its padding */

enum trace_kind {
	TRACE_ENTRY,  /* of a call with something to be read on entry */
	TRACE_CALL,   /* has returned */
	TRACE_SIGNAL, /* is about to be delivered; the data is its siginfo; ret 1: it stops the thread */
	TRACE_GONE,   /* the thread ends; ret is its exit code; with TRACE_IN_CALL in this call */
	TRACE_URING,  /* an operation of io_uring has ended; nr is its opcode; args: enum trace_uring */
	TRACE_PAGE_FAULT, /* args: enum trace_fault; a piece TRACE_MAPPED */
	TRACE_LOST,	  /* args[0]: how many events of this CPU found no room since its last TRACE_LOST */
};

enum trace_flag {
	TRACE_IN_CALL = 1,  /* of a signal that will be seen after the call, or of an end */
	TRACE_HAS_ENTRY = 2, /* a TRACE_ENTRY was written */
	TRACE_NO_ENTRY = 4, /* there was no room for it */
};

#define TRACE_URING_SHIFT 4 /* of TRACE_URING: the flags from this bit on are those of enum uring_flag */

/* Words of a TRACE_URING, in args: members of struct io_uring_sqe. */
enum trace_uring {
	TRACE_URING_USER_DATA,
	TRACE_URING_FD,
	TRACE_URING_ADDR,
	TRACE_URING_LEN, /* and op_flags << 32 */
	TRACE_URING_OFF,
	TRACE_URING_FLAGS, /* and ioprio << 16, flags of the completion << 32 */
};

/* Words of a TRACE_PAGE_FAULT, in args. */
enum trace_fault {
	TRACE_FAULT_IP,
	TRACE_FAULT_ADDR,
	TRACE_FAULT_FLAGS,  /* bits of enum trace_fault_flag */
	TRACE_FAULT_OFFSET, /* of the address in the file that is mapped there */
};

enum trace_fault_flag {
	TRACE_FAULT_MAJOR = 1,	/* it had to wait for a disk */
	TRACE_FAULT_USER = 2,	/* else the kernel touched the address */
	TRACE_FAULT_PLACED = 4, /* what is mapped there is known */
	TRACE_FAULT_EXEC = 8,
	TRACE_FAULT_HEAP = 16,
	TRACE_FAULT_STACK = 32,
};

/* Who submitted an operation of io_uring: in uring_op.whose (bpf/uring.h). */
struct trace_whose {
	__u32 pid, tid;
	char comm[TRACE_COMM_LEN];
};

struct trace_rec {
	__u64 time_ns; /* of its end; CLOCK_MONOTONIC */
	__u64 start_ns;
	__s64 ret;
	__u64 args[TRACE_ARGS];
	__u32 pid, tid; /* as skep's user sees them */
	__u32 cpu;
	__u16 nr; /* of a call; of a signal, its number */
	__u8 abi, kind; /* enum syscall_abi, enum trace_kind */
	__u8 flags;
	__u8 unused;
	__u16 nr_pieces;
	__u32 bytes; /* of data */
	char comm[TRACE_COMM_LEN];
	/* then data: pieces, each begins at a multiple of 8 */
};
_Static_assert(sizeof(struct trace_rec) == 112, "trace_rec");

enum trace_piece_flag {
	TRACE_UNREADABLE = 1, /* it could not be read; without bytes */
};

/*
 * Where no process has memory: what execve() has left in the new image, its argv and, where the environment ends, its path. On entry
 * those may be in pages that are not there yet, and are read by the kernel later.
 */
#define TRACE_NEW_PATH 0x8000000000000000ull
#define TRACE_NEW_ARGS 0x8000000000010000ull

/* The stack that the call was made from: addresses, the innermost first, with a mark after the last (bpf/unwind.h). */
#define TRACE_STACK 0x8000000000020000ull

/* The file that is mapped where a page was missing: a struct trace_file and its path. */
#define TRACE_MAPPED 0x8000000000030000ull

/* And files: that of a descriptor, or with AT_FDCWD the working directory. */
#define TRACE_FILE_AT(fd) (0x9000000000000000ull + ((__u64)(__u32)(fd) << 16))

enum trace_file_flag {
	TRACE_FILE_UNNAMED = 1, /* it has no path: the text is the name that its kind of file gives it, such as "[eventpoll]" */
	TRACE_FILE_DELETED = 2,
	TRACE_FILE_CUT = 4,	/* the path is longer: its end */
	TRACE_FILE_LINK = 8,	/* the text is what /proc/PID/fd says */
	TRACE_FILE_PIDFD = 16,	/* it stands for the process `id` */
};

#define TRACE_PROTOCOL_BYTES 32

/* Then a text, which ends with NUL: a path; of a socket its protocol, "TCP", in TRACE_PROTOCOL_BYTES, and path_bytes of its path. */
struct trace_file {
	__u64 inode, peer; /* peer: of the Unix socket at the other end */
	__u32 mode, device; /* device: as struct inode has it */
	__u32 flags;
	__u32 file_system; /* include/uapi/linux/magic.h */
	/* Of a socket */
	__u16 family, protocol;
	__u16 ports[2]; /* here, there */
	__u32 id; /* of netlink: of the port; of a process: its number, as skep's user sees it, 0: it has none there */
	__u32 path_bytes; /* of a Unix socket; one that begins with NUL is abstract */
	__u32 addresses[2][4];
};
_Static_assert(sizeof(struct trace_file) == 80, "trace_file");

struct trace_piece {
	__u64 addr;
	__u32 size; /* of the bytes that follow */
	__u32 flags;
};

#endif
