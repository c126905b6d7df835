/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one loop of the commands that measure (run_sink), and of those among them that show rows: output, rounds of -I, table or stream,
 * ledger and receipt. A command chooses the schema, the sources and what to note.
 */
#ifndef SKEP_CMD_RUN_H
#define SKEP_CMD_RUN_H

#include "capture/session.h"
#include "cmd/honesty.h"
#include "cmd/stat_out.h"
#include "event/rowfilter.h"
#include "model/table.h"
#include "render/rows/rows.h"
#include "util/opt.h"

/*
 * What a command adds to a session: at_start when all is attached and nothing is armed, at_end after the last sample, with the profile
 * filled. Each 0, -errno, or a positive number, which run_sink() returns; NULL: nothing.
 */
struct run_hooks {
	int (*at_start)(void *arg, struct err *err);
	int (*at_end)(void *arg, const struct session *session);
};

/*
 * Opens a session, runs it into the sink, adds to the profile, closes. The sources of cfg are closed in any case; one that is NULL is
 * out of memory. 0, or -errno. *ret_status: COMMAND's.
 */
int run_sink(struct sink *sink, const struct session_cfg *cfg, const struct run_hooks *hooks, void *arg, struct profile *profile,
	     int *ret_status, struct err *err);

/* Options of views. */
struct view_options {
	const char *by, *sort, *format, *fields, *filter, *out;
	uint64_t duration_ns, interval_ms, top;
	double budget; /* a part of all CPUs' time; 0: none */
};

/*
 * view_opts: of tables. format_opts: of commands whose formats are those of rows, and no more. output_opts: of every command that
 * measures until it is stopped. --by and --sort are each command's own: their words are those of its schema.
 */
extern const struct opt view_opts[], format_opts[], output_opts[];

/* Of commands that take what happens, not samples at a rate: --budget. */
extern const struct opt budget_opts[];

/* The value of --budget: a part of 1. 0, or -EINVAL with err filled. */
int run_budget(const char *text, double *ret_part, struct err *err);

/* What is shown, and where. */
struct run_cfg {
	const struct schema *schema; /* NULL: the command writes its rows itself; the run ends the output as the format does */
	uint64_t keys; /* bits of its columns */
	int sort;      /* a column */
	const char *format, *separator; /* NULL: "text", "," */
	const char *fields, *filter;    /* texts of the options; NULL: none */
	const struct rows_format *text; /* instead of the text of all schemas; or NULL */
	const char *out;     /* NULL: standard error; "-": standard output */
	const char *nothing; /* a note where no row is shown; NULL: none */
	uint64_t top, duration_ns, interval_ns;
	double budget; /* as of struct session_cfg */
	bool append, draws;
	bool is_live;	/* a reader may follow the output while it grows */
	bool is_stream; /* each row as it comes, and no table */
	uint64_t hide;	/* bits of columns that are not shown */
};

/* The value of -I; 0: not given. 0, or -ERANGE with err filled. */
int run_interval(uint64_t ms, uint64_t *ret_ns, struct err *err);

/* From the options; checks the words of --by and --sort. by: the keys without --by. 0, or -EINVAL or -ERANGE with err filled. */
int run_view(const struct view_options *o, const struct schema *schema, const char *by, struct run_cfg *ret_cfg, struct err *err);

struct run {
	struct sink sink; /* first: a pointer to it is one to the run. A command may set members, but not `row` and `interval` of a table */
	const struct run_cfg *cfg;
	const struct run_hooks *hooks;
	struct table table;
	struct rows_view view;
	const struct rows_format *format;
	struct stat_out out;
	struct rowfilter filter;
	size_t nr_rows;	   /* shown so far */
	size_t nr_left_out; /* by the filter */
	uint64_t round_ns; /* when the last round ended, since the start */
	bool is_drawn;	   /* on a terminal, each interval in the place of the one before */
	uint64_t narrow; /* bits of columns that the terminal has no room for */
	struct profile profile;
};

/* Reads fields and filter, makes the table and opens the output. cfg is borrowed. 0 or -errno; run_close() in either case. */
int run_open(struct run *run, const struct run_cfg *cfg, struct err *err);

/* run_sink() with the table or stream of the run, which is the hooks' arg. at_start comes before the first row, at_end before the last round. */
int run_session(struct run *run, struct session_cfg *cfg, const struct run_hooks *hooks, int *ret_status, struct err *err);

/* A file in the place of a session: read() delivers to the run's sink and fills its profile. 0, -errno, or what read() returned. */
int run_file(struct run *run, int (*read)(void *arg, struct run *run, struct err *err), void *arg, struct err *err);

/* Notes which columns of the rows' schema the terminal had no room for: bits. */
void run_note_narrow(struct run *run, const struct schema *schema, uint64_t left_out);

/* Ends the output. ret: how the run ended. Returns ret, or -errno of a failed write. */
int run_close(struct run *run, int ret, struct err *err);

/* Prints ledger and receipt. Returns the exit code: COMMAND's status, or -ENODATA. */
int run_end(const struct run *run, const struct honesty *h, int status, struct err *err);

#endif
