/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracepoints summed by a key: each has a clone of one program, with numbers of its own where these marks are. */
#ifndef SKEP_BPF_EVENTSBY_H
#define SKEP_BPF_EVENTSBY_H

#include <linux/types.h>

#define EVENTSBY_MAX 2048 /* tracepoints in one run */

/* Stands for the tracepoint's index. */
#define EVENTSBY_INDEX_MARK 0x51ee7c0de0ddba12ULL

/* Where a field is in the trace record: offset, bytes, enum eventsby_how. */
#define EVENTSBY_WHERE(offset, bytes, how) ((__u64)(how) << 32 | (__u64)(bytes) << 16 | (offset))

enum eventsby_how {
	EVENTSBY_PLAIN = 0, /* bytes: of the number, or of the string with a NUL after it */
	/* The record has a place (offset, in the lower half of 32 bits) of the text at the offset. */
	EVENTSBY_DATA_LOC = 1, /* from the record's start on */
	EVENTSBY_REL_LOC = 2,  /* from the end of these 32 bits on */
};

/* Stands for that of field i, and is the most expensive one: the verifier walks it. */
#define EVENTSBY_FIELD_MARK(i) (0x51ee7c0000000000ULL | EVENTSBY_WHERE(8 + 8 * (i), 64, EVENTSBY_DATA_LOC | EVENTSBY_REL_LOC))

#endif
