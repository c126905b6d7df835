/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep trace -ff: the lines of each thread in a file of its own. */
#ifndef SKEP_CMD_TRACE_FILES_H
#define SKEP_CMD_TRACE_FILES_H

#include "cmd/stat_out.h"
#include "render/rows/rows.h"
#include "util/map.h"
#include "util/vec.h"

#define TRACE_FILES_OPEN 64 /* at a time: threads come by thousands */

struct thread_file {
	uint32_t tid;
	uint64_t last_ns; /* of its last line */
};

struct trace_open_file {
	struct stat_out out;
	char *path; /* NULL: the place is free */
	uint32_t tid;
	uint64_t used; /* when: the number of the line */
};

struct trace_files {
	const char *path; /* TID is added to it */
	bool append;
	VEC(struct thread_file) all;
	struct map by_tid;
	struct trace_open_file open[TRACE_FILES_OPEN];
	uint64_t lines;
	struct err err; /* of a call that has failed */
};

/* -o FILE. Fails where no file can be made beside FILE. 0, or -errno with err filled. path is borrowed. */
int trace_files_open(struct trace_files *f, const char *path, bool append, struct err *err);

/* Prints a row of callrow_schema, with struct call_lines in view->arg, into the file of its thread. 0, or -errno with f->err filled. */
int trace_files_row(struct trace_files *f, const struct row *row, const struct rows_view *view);

/* Everything so far is for readers to see. 0, or -errno with f->err filled. */
int trace_files_flush(struct trace_files *f);

/* ret: how the run ended. Returns ret, or -errno with err filled. Also after a failure, or zeroed. */
int trace_files_close(struct trace_files *f, int ret, struct err *err);

#endif
