/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of skep top: the run (top.c), and the screen that shows it (top_screen.c). */
#ifndef SKEP_CMD_TOP_H
#define SKEP_CMD_TOP_H

#include "cmd/live.h"
#include "cmd/measure.h"
#include "cmd/storespan.h"
#include "model/livetable.h"

struct top_options {
	struct measure m;
	struct honesty h;
	struct store_options store;
	struct report_request request;
	uint64_t refresh_ns, refreshes, entries;
	const char *format, *by;
	uint32_t calls_by; /* own: what system calls are summed by, enum by_bit; 0: the default */
	bool calls_first;  /* own: the screen begins with them */
	bool zero, json, stdio, tui;
	bool callers;	/* -g */
	bool is_screen; /* own */
};

/* One event's. */
struct top_view {
	struct fold_view at; /* its table is that of live, its tree is `tree` or NULL */
	struct live_table live;
	struct tree tree;
	struct profile profile;
	uint64_t folded; /* at the last refresh */
	uint64_t zeroed; /* samples that a zero has taken out of the tables */
	/* What is shown. Without -z: live and at.tree. With -z: copies of the last interval, because live begins anew. */
	struct live_table *seen;
	struct tree *seen_tree;
	struct live_table last;
	struct tree last_tree;
	/* What the screen shows: as they were at the last refresh that was not held. */
	struct profile shown;
	uint64_t shown_n;
};

struct top_screen;

struct top {
	struct top_options *o;
	struct picture *pic;
	struct session *session; /* NULL: it has not begun, or is over */
	struct top_view *views; /* one an event; of a screen one more, of the time off the CPUs */
	int nr_views, nr_events;
	uint64_t refreshes, shown_ns; /* how many, and when the last was: since the start */
	uint64_t from_ns; /* what is shown is of the time from then on */
	struct profile total;
	struct top_screen *screen; /* NULL: there are tables, one after the other */
};

/* Checks that the kernel sums by these keys. has_cgroup: it knows cgroups. 0, -EINVAL or -EPERM with err filled. */
int top_check_keys(const struct report_layout *l, bool has_cgroup, struct err *err);

/* Tables and trees from what top->o requests; they are empty. Frees those that were there. 0 or -errno. */
int top_make_tables(struct top *top, struct err *err);

/* What is shown is the tables as they were at their last refresh. */
void top_look(struct top_view *v);

/* A refresh: the tables as they are become what is shown. 0 or -ENOMEM. */
int top_see(struct top_view *v);

/* Of -z, after that: what is shown stays, beside tables that begin again with nothing. 0 or -ENOMEM. */
int top_begin_again(struct top_view *v);

/* What stacks of the views lack goes to the ledger of the run. */
void top_take_losses(struct top *top);

/* The names of the events, by number. */
const char *const *top_event_names(const struct top *top);

/* For report_cfg.cgroup_name: the path of a cgroup of this machine, or NULL. arg: none. */
const char *top_cgroup_name(const void *unused, uint64_t id);

/* 0, or -errno with err filled. */
int top_screen_open(struct top *top, struct err *err);
void top_screen_close(struct top *top);

/* Is the picture to stay as it is? What happens is counted all the same. */
bool top_screen_holds(const struct top *top);

/* When the session is open: the view that it begins with. As of struct measure. */
int top_screen_opened(void *top, struct err *err);

/* Shows the tables as they are, unless the picture is held. 0 or -errno. */
int top_screen_show(struct top *top, uint64_t since_start_ns, const struct profile *ledger);

/* A row of the views without samples. 0 or -ENOMEM. */
int top_screen_row(struct top *top, const struct row *row);

/* Keys, as of struct measure. */
bool top_screen_input(void *arg);

/* After the run, whatever has ended it: shows what there is until the user leaves. 0 or -errno. */
int top_screen_stay(struct top *top);

#endif
