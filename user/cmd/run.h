/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one loop of the commands that show rows: output, session, rounds of -I, table or stream, ledger and receipt. A command chooses
 * the schema, the sources and what to note.
 */
#ifndef SKEP_CMD_RUN_H
#define SKEP_CMD_RUN_H

#include "capture/session.h"
#include "cmd/measure.h"
#include "cmd/stat_out.h"
#include "model/table.h"
#include "render/rows/rows.h"
#include "util/opt.h"

/* Options of every view of rows. */
struct view_options {
	const char *by, *sort, *format, *out;
	uint64_t duration_ns, interval_ms, top;
};

/* All but --by and --sort, whose words are the schema's. */
extern const struct opt view_opts[];

struct run {
	struct sink sink; /* first: a pointer to it is one to the run. Members that the command does not set are set by run_open() */
	const struct view_options *o;
	const struct honesty *h;
	struct table table;
	struct rows_view view;
	const struct rows_format *format;
	int sort;
	struct stat_out out;
	size_t nr_rows;	   /* shown so far */
	uint64_t round_ns; /* when the last round ended, since the start */
	bool is_drawn;	   /* on a terminal, each interval in the place of the one before */
	struct profile profile;
};

/*
 * Checks the words of --by and --sort against the schema and the interval's bounds, and makes the table. by: what stands for no
 * --by. o and h are borrowed. 0 or -errno; run_close() in either case.
 */
int run_open(struct run *run, const struct schema *schema, const char *by, const struct view_options *o, const struct honesty *h,
	     struct err *err);

/*
 * Runs the session of cfg, whose sources are closed in either case. at_end (may be NULL) is called once it has ended, before the last
 * round. 0, or -errno. *ret_status: COMMAND's.
 */
int run_session(struct run *run, struct session_cfg *cfg, int (*at_end)(struct run *run), int *ret_status, struct err *err);

/* Ends the output, prints ledger and receipt. ret: how the run ended. Returns the exit code: COMMAND's status, or -errno. */
int run_close(struct run *run, int ret, int status, struct err *err);

#endif
