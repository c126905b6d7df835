/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of source files, at the paths that debug information has, or where --prefix moves them. Files and paths are foreign: only plain
 * files are read, up to a size, and kept.
 */
#ifndef SKEP_SYM_SOURCE_H
#define SKEP_SYM_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

struct source_file {
	const char *path; /* interned: as debug information has it */
	char *text;	  /* NULL: not available */
	VEC(size_t) lines; /* where each begins; the last one: the end */
};

struct sources {
	/* Set by the owner; borrowed. */
	const char *prefix; /* before the paths; NULL: nothing */
	uint64_t strip;	    /* so many first names of a path are dropped before that */
	/* Own. */
	VEC(struct source_file) files;
	uint64_t bytes;
};

void sources_free(struct sources *s);

/* The line, from 1, of a file (interned), without its end; not NUL-terminated. NULL: not available. */
const char *sources_line(struct sources *s, const char *path, uint32_t line, size_t *ret_len);

#endif
