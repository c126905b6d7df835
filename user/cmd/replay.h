/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A perf.data file as the source: the file's twin of measure_run(). */
#ifndef SKEP_CMD_REPLAY_H
#define SKEP_CMD_REPLAY_H

#include "cmd/branches.h"
#include "cmd/live.h"
#include "cmd/pick.h"
#include "cmd/pickstack.h"
#include "cmd/places.h"
#include "cmd/recording.h"

/* The value of --event-index: 0 or -EINVAL, err filled. Whether the file has it is seen by replay_run. */
int replay_event_index(const char *text, int *ret_index, struct err *err);

/* replay.event may be one of these: each; the event of skep record --off-cpu; that and the clock which was sampled beside it. */
#define REPLAY_EACH (-1)
#define REPLAY_OFFCPU (-2)
#define REPLAY_WALL (-3)

/* What is seen of one event, or of several that count the same. */
struct replay_view {
	struct fold_view at; /* its pointers are to the three below */
	struct profile profile;
	struct tree tree;
	struct report table;
	struct slices slices;
	int event, nr_events; /* the first of them */
	char name[256];	      /* of the profile's event, where there are several */
};

struct replay {
	/* Set by the command. */
	struct picture *pic;
	const char *path;
	const struct report_request *request; /* of a table for each view; NULL: none */
	struct report *table; /* instead of these: one of several files, which the command owns; NULL: none */
	struct tree *tree;    /* likewise, instead of a tree for each view */
	int (*opened)(void *arg, struct data_reader *reader, struct err *err); /* what the command has to know of the file; NULL: nothing */
	void *opened_arg;
	bool branches, named_only; /* branches instead of samples; only between functions that have names. opened() may set them */
	int (*watch)(void *arg, const struct data_record *record); /* of data_reader_watch(); NULL: none */
	void *watch_arg;
	struct pick *pick; /* which samples are shown; NULL: all */
	struct pickstack *pickstack; /* what of their stacks is shown; NULL: all */
	struct places *places; /* what samples get beside names; NULL: nothing */
	bool with_data;	  /* likewise: names of variables, and mappings of data */
	bool with_lines;  /* of the command: lines of source files are wanted */
	bool trees;	  /* a tree for each view */
	bool slices;	  /* and what it adds up, by time, thread and CPU */
	bool leaves;	  /* callers are not shown: no note where the file has none */
	bool add_up;	  /* events that count the same in different places (user and kernel, kinds of cores) share a view */
	bool group;	  /* all events share a table, each with columns of its own */
	uint32_t group_first; /* rows are ordered by number group_first of them first */
	int event;	  /* its number in the file, or REPLAY_... */
	/* Filled by replay_run. */
	VEC(struct replay_view *) views; /* those that have samples, in the file's order; else one without */
	struct profile total;	/* of all views: losses, notes, numbers of samples */
	struct recording file; /* whose strings the views have */
	/* Own. */
	struct branches *by_branch; /* NULL unless branches */
	char title[1024];
	int *view_of;		  /* by event: the first one that shares its view; -1: left out */
	uint16_t *group_place;	  /* by event: its place in the group */
	uint32_t nr_group;
	struct replay_view **slots; /* by that event */
	int nr_events, other_event; /* the last that was left out and has samples, or -1 */
};

/*
 * Reads path into views (its syms are made here, for the recorded kernel, with cfg's choices). 0 or -errno; replay_close() in
 * any case.
 */
int replay_run(struct replay *r, struct syms_cfg *cfg, struct err *err);

/* Are the rows the same if samples of one event, thread and stack are summed before they have names? For names.may_sum, in opened(). */
bool replay_may_sum(const struct replay *r);
void replay_close(struct replay *r);

/* replay_views.c: of its periods. */
const char *replay_unit_of(const struct event *e);

/* Do both count the same, and never the same piece of it? */
bool replay_adds_up(const struct event *a, const struct event *b);
/* Has it no samples in any case? */
bool replay_is_dummy(const struct event *e);
/* Which events there are views of, by r->event; the fold uses them from now on. 0 or -errno, err filled. */
int replay_views_choose(struct replay *r, struct err *err);
/* Views in order, with names and numbers; at least one. 0 or -ENOMEM. */
int replay_views_end(struct replay *r);
void replay_views_free(struct replay *r);

#endif
