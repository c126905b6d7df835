/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Source lines and inlined functions, by libdw. Slow to ask (microseconds), so callers ask once per
 * address and keep the answer.
 */
#ifndef SKEP_SYM_LINES_H
#define SKEP_SYM_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define LINES_FRAMES_MAX 64

struct dwarffile_limits;
struct lines;

struct line_frame {
	const char *name; /* of an inlined function, mangled where the file has that; NULL for the last one */
	const char *file; /* NULL: not known */
	const char *dir;  /* that a relative path of the last one's file is in; or NULL */
	uint32_t line;
	uint64_t entry; /* lowest address of the inlined code */
};

/* Opens the DWARF of fd (kept by the caller). NULL: there is none, it is too much, or skep was built without libdw. */
struct lines *lines_open(int fd, struct dwarffile_limits *limits);
void lines_free(struct lines *lines);

/*
 * What is at vaddr, innermost first; the last one is the function itself (name NULL) with the line in
 * it. Returns how many: 0 when nothing is known. Strings live until lines_free.
 */
int lines_find(struct lines *lines, uint64_t vaddr, bool inlines, struct line_frame *ret_frames, int max);

#endif
