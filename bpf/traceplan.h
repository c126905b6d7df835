/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which system calls are shown, and what is read of each: user space writes it, before the load, for the programs of bpf/trace.bpf.c. */
#ifndef SKEP_BPF_TRACEPLAN_H
#define SKEP_BPF_TRACEPLAN_H

#include <linux/types.h>

#define TRACE_STEPS 16		/* memory that is read of a call; a power of two */
#define TRACE_STRINGS_MAX 32	/* of an argv */
#define TRACE_COUNT_MAX 512	/* of words that are only counted */
#define TRACE_IOVECS_MAX 32
#define TRACE_MESSAGES_MAX 32
#define TRACE_NAME_MAX 128	/* of a socket's address */
#define TRACE_CONTROL_MAX 4096	/* of control messages */
#define TRACE_FILES_MAX 32	/* of an array of descriptors */
#define TRACE_FILE_WORDS_MAX 4	/* of bits of descriptors, 64 each */

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
	TRACE_FILE_SHOWN, /* the same, but calls are not selected by it: it is only shown, and may be another number */
	TRACE_FILES,	/* of each in the piece of step `from`: every `unit` bytes of it there is an int, the first at `arg` */
	TRACE_FILES_SHOWN, /* the same, only shown */
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

/* When a step reads, and how: bits. */
enum trace_when {
	TRACE_AT_ENTRY = 1,
	TRACE_AT_EXIT = 2,
	TRACE_IF_DONE = 4,  /* at exit: only if the call did not fail */
	TRACE_AGAIN = 8,    /* at exit of a call that failed, after an attempt on entry */
	TRACE_AS_DONE = 16, /* of an array of struct iovec, or of messages: the bytes that the call says it has moved */
	TRACE_FIXED = 32,   /* what `from` read is the same for 32-bit callers: words in it have 64 bits */
	TRACE_IS_PATH = 64, /* of a text: calls are selected by it */
	TRACE_STACK_AT_ENTRY = 128, /* of a plan: the call does not return */
};

struct trace_step {
	__u8 read, when; /* enum trace_read, bits of enum trace_when */
	__u8 arg;	 /* which has the address; with `from`: where it is in that piece */
	__u8 from;	 /* 0; or it is in the piece that step from - 1 read */
	__u8 length, length_at; /* length: enum trace_length */
	__u16 unit;	 /* bytes */
	__u32 max;	 /* bytes at most; 0: cfg_text + 2 of texts, cfg_text + 1 of others */
};

struct trace_plan {
	struct trace_step steps[TRACE_STEPS]; /* up to TRACE_END */
	__u32 when; /* of all steps together: one look says that there is nothing to be read on entry. TRACE_AGAIN: it is an exec */
	__u32 fds; /* bits of the arguments that are descriptors, and TRACE_OTHER_FDS */
};

#define TRACE_OTHER_FDS 64 /* it has others: in memory, or as its result */

#define TRACE_FDS_MAX 1024 /* those from it on cannot be selected */
#define TRACE_GLOBS_MAX 8 /* patterns of paths */
#define TRACE_GLOB_BYTES 256 /* with its NUL */

/* Which results are shown: bits. */
enum trace_results {
	TRACE_DONE = 1,
	TRACE_FAILED = 2,
	TRACE_ERRNOS = 4, /* with one of these errors only */
	TRACE_UNFINISHED = 8, /* a thread ends in them */
	TRACE_ALL_RESULTS = TRACE_DONE | TRACE_FAILED | TRACE_UNFINISHED,
};

/* Calls with one of these are shown only: bits; 0: all. */
enum trace_select {
	TRACE_BY_FD = 1,   /* a selected descriptor */
	TRACE_BY_PATH = 2, /* a path, or the file of a descriptor, that matches a glob */
};

#endif
