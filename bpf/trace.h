/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls, one record a call, written when it returns. What a call's arguments point to is read then, too: the kernel has just
 * used those pages. Read before the call is only what it changes, or takes away (execve).
 */
#ifndef SKEP_BPF_TRACE_H
#define SKEP_BPF_TRACE_H

#include <linux/types.h>

#include "bpf/syscalls.h"

#define TRACE_COMM_LEN 16
#define TRACE_ARGS 6
#define TRACE_NO_NR 0xffff /* of a call whose number does not fit */
#define TRACE_STEPS 8		/* memory that is read of a call */
#define TRACE_DATA_MAX 65536	/* of a record: what does not fit is left out */
#define TRACE_PIECE_MAX 32768	/* of a piece */
#define TRACE_PATH_MAX 4096	/* include/uapi/linux/limits.h */
#define TRACE_STRINGS_MAX 32	/* of an argv */
#define TRACE_COUNT_MAX 512	/* of words that are only counted */
#define TRACE_IOVECS_MAX 32
#define TRACE_MESSAGES_MAX 32
#define TRACE_NAME_MAX 128	/* of a socket's address */
#define TRACE_CONTROL_MAX 4096	/* of control messages */
#define TRACE_SIGINFO_BYTES 48	/* struct kernel_siginfo: include/uapi/asm-generic/siginfo.h without its padding */

/* What a step reads. */
enum trace_read {
	TRACE_END, /* no further steps */
	TRACE_TEXT,    /* until its NUL */
	TRACE_BYTES,
	TRACE_STRINGS, /* an array of pointers until NULL, and the texts */
	TRACE_COUNT,   /* words until 0 */
	TRACE_IOVEC,   /* an array of struct iovec, and the bytes that they have */
	TRACE_MESSAGES, /* an array of struct mmsghdr: the bytes, names and control messages of each */
	TRACE_FILE,	/* the file of a descriptor: args[arg], or with LENGTH_RET what the call returned */
	TRACE_FILES,	/* of each in the piece of step `from`: every `unit` bytes of it there is an int */
	TRACE_FILE_BITS, /* of each bit in that piece */
};

/* How many units there are. */
enum trace_length {
	LENGTH_FIXED,	/* one */
	LENGTH_ARG,	/* args[length_at] */
	LENGTH_RET,	/* what the call returned */
	LENGTH_AT_ARG,	/* the __u32 that args[length_at] points to */
	LENGTH_WORD,	/* the word at length_at in the piece of step `from` */
	LENGTH_HALF,	/* the __u32 there */
	LENGTH_BITS,	/* bytes of the words that have a bit for each file descriptor below args[0] */
};

enum trace_when {
	TRACE_AT_ENTRY = 1,
	TRACE_AT_EXIT = 2,
	TRACE_IF_DONE = 4, /* at exit: only if the call did not fail */
	TRACE_STACK_AT_ENTRY = 128, /* of a plan: the call does not return */
	TRACE_FIXED = 32,  /* what `from` read is the same for 32-bit callers: words in it have 64 bits */
	TRACE_AGAIN = 8,   /* at exit of a call that failed, after an attempt on entry */
	TRACE_IS_PATH = 64, /* of a text: calls are selected by it */
	TRACE_AS_DONE = 16, /* of an array of struct iovec, or of messages: the bytes that the call says it has moved */
};

struct trace_step {
	__u8 read, when; /* enum trace_read, bits of enum trace_when */
	__u8 arg;	 /* which has the address; with `from`: where it is in that piece */
	__u8 from;	 /* 0; or it is in the piece that step from - 1 read */
	__u8 length, length_at;
	__u16 unit;	 /* bytes */
	__u32 max;	 /* bytes at most; 0: cfg_text + 2 of texts, cfg_text + 1 of others */
};

#define TRACE_FILES_MAX 32 /* of an array, or of bits */

/*
 * TRACE_END ends the steps. when: of all of them together, so that calls without any at entry are not asked. TRACE_AGAIN: it is an exec.
 * fds: bits of the arguments that are descriptors, and TRACE_OTHER_FDS.
 */
struct trace_plan {
	struct trace_step steps[TRACE_STEPS];
	__u32 when;
	__u32 fds;
};

#define TRACE_OTHER_FDS 64 /* it has others: in memory, or as its result */

#define TRACE_FDS_MAX 1024
#define TRACE_GLOBS_MAX 8
#define TRACE_GLOB_BYTES 256 /* with its NUL */

/* Calls are selected by what they return, */
enum trace_results {
	TRACE_DONE = 1,
	TRACE_FAILED = 2,
	TRACE_ERRNOS = 4, /* with one of these errors only */
	TRACE_UNFINISHED = 8, /* a thread ends in them */
	TRACE_ALL_RESULTS = TRACE_DONE | TRACE_FAILED | TRACE_UNFINISHED,
};

/* and by what they take: only those for which one of these holds. */
enum trace_select {
	TRACE_BY_FD = 1,
	TRACE_BY_PATH = 2,
};

enum trace_kind {
	TRACE_ENTRY,  /* of a call with something to be read on entry */
	TRACE_CALL,   /* has returned */
	TRACE_SIGNAL, /* is about to be delivered; the data is its siginfo */
	TRACE_GONE,   /* the thread ends; ret is its exit code; in_call: in this call */
	TRACE_URING,  /* an operation of io_uring has ended; nr is its opcode; args: enum trace_uring */
	TRACE_PAGE_FAULT, /* args: enum trace_fault; a piece TRACE_MAPPED */
	TRACE_LOST,	  /* args[0]: how many events this CPU found no room for since its last record */
};

enum trace_flag {
	TRACE_IN_CALL = 1,  /* of a signal that will be seen after the call, or of an end */
	TRACE_HAS_ENTRY = 2, /* a TRACE_ENTRY was written */
	TRACE_NO_ENTRY = 4, /* there was no room for it */
	TRACE_URING_SHIFT = 4, /* from here on bits of enum uring_flag */
};

/* Words of a TRACE_URING: members of struct io_uring_sqe. */
enum trace_uring {
	TRACE_URING_USER_DATA,
	TRACE_URING_FD,
	TRACE_URING_ADDR,
	TRACE_URING_LEN, /* and op_flags << 32 */
	TRACE_URING_OFF,
	TRACE_URING_FLAGS, /* and ioprio << 16, flags of the completion << 32 */
};

/* Words of a TRACE_PAGE_FAULT. */
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

/* In uring_op.whose */
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
	TRACE_FAULT = 1, /* it could not be read; without bytes */
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
	__u32 port_id;	/* of netlink */
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
