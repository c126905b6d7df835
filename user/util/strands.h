/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many streams of bytes that grow in turn and are read one after the other: in blocks of a file without a name, so that memory does not
 * grow with them. The file is in $TMPDIR, else in /tmp, and is made when the first block is full. A zeroed one is empty.
 */
#ifndef SKEP_UTIL_STRANDS_H
#define SKEP_UTIL_STRANDS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/vec.h"

#define STRANDS_BLOCK 4096u

struct strand {
	VEC(uint32_t) blocks; /* by their numbers in the file */
	VEC(char) tail;	      /* what follows them, less than a block */
};

struct strands {
	VEC(struct strand) all;
	int fd; /* of the file, where there are blocks */
	uint32_t nr_blocks;
};

/* A new one: its number, or -ENOMEM. */
int64_t strands_add(struct strands *s);

/* Appends n bytes. 0, -ENOMEM, or -errno of the file with err filled. */
int strands_put(struct strands *s, uint32_t strand, const void *bytes, size_t n, struct err *err);
void strands_free(struct strands *s);

/* Reads a strand from its begin; all but `of` and `strand` zeroed at first. Nothing may be appended meanwhile. */
struct strand_reader {
	const struct strands *of;
	uint32_t strand;
	uint32_t next; /* the block after the one at hand */
	size_t at, n;  /* in block */
	int failed;    /* -errno of the file: what follows is not there */
	char block[STRANDS_BLOCK];
};

/* n bytes: 1; 0 where it ends before them, or cannot be read. */
int strand_read(struct strand_reader *r, void *ret_bytes, size_t n);

#endif
