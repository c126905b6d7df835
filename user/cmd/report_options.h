/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of skep report: its tables, and what of it needs a look at the whole. */
#ifndef SKEP_CMD_REPORT_OPTIONS_H
#define SKEP_CMD_REPORT_OPTIONS_H

#include "cmd/cgroupnames.h"
#include "cmd/honesty.h"
#include "cmd/pick.h"
#include "cmd/pickstack.h"
#include "cmd/places.h"
#include "cmd/report_file.h"
#include "cmd/storespan.h"
#include "cmd/symbols.h"
#include "cmd/threadcounts.h"
#include "model/report.h"
#include "render/rows/report.h"
#include "util/opt.h"

#define REPORT_WIDTHS_MAX 32

enum report_order { REPORT_ORDER_DEFAULT, REPORT_ORDER_CALLER, REPORT_ORDER_CALLEE };

struct report_options {
	struct honesty h;
	struct pick_options pick;
	struct onoff onoff;
	struct pickstack_options stack;
	const char *input, *out, *format, *event_index;
	char latency_word[64]; /* what of the command line needs context switches; "": nothing */
	bool needs_latency;    /* and sums of latency */
	bool no_children, children, json, stdio;
	struct report_request request; /* complete after report_options_end() */
	struct report_limits limits;
	double percent_limit;
	bool branches, no_branches; /* -b; the first is also set by the file */
	bool group, no_group; /* events side by side */
	uint64_t group_first;
	const char *percentage, *separator;
	bool long_times;
	bool with_chains, inverted, without_chains; /* -g, -G, --no-call-graph */
	enum report_order order;
	struct chains_cfg chains;
	bool chain_min_given;
	uint64_t widths[REPORT_WIDTHS_MAX];
	uint32_t nr_widths;
	bool default_keys;	/* those of --mem-mode: without data addresses in the file these are 0, and no error */
	struct places *places;	/* what the keys need beside names; NULL: nothing */
	struct cgroup_names cgroups; /* filled by the run */
	struct thread_counts counts; /* of -T: filled by the run */
	bool with_counts;
	const struct data_reader *reader; /* of the run */
	const char *pretty;
	struct symbol_options symbols;
	struct store_options store;
	bool header, hierarchy;
	struct report_file_cfg file;
	/* Of skep top --store. */
	uint64_t every_ns; /* read again after that time, and JSON has an object a row; 0: once */
	uint64_t rounds;   /* how many times it is read; 0: until the user ends it */
	bool is_empty; /* own: the store has nothing of that time, or nothing that was selected */
	uint64_t start_ns; /* times of rows are since then */
};

extern const struct opt_group report_groups[];
extern const struct opt_other report_others[];

/*
 * Shows what r and the operands ask for, in report.c: once, or again and again, where a store that has nothing of that time is an error only
 * the first time. 0, or -errno with err filled.
 */
int report_show(struct report_options *r, char **operands, struct err *err);

/* "text", "csv" or "json". */
const char *report_format(const struct report_options *r);

/* After the parse: what options mean together. 0, or -EINVAL with err filled. */
int report_options_end(struct report_options *r, struct err *err);

#endif
