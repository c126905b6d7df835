/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of skep stat. */
#ifndef SKEP_CMD_STAT_OPTIONS_H
#define SKEP_CMD_STAT_OPTIONS_H

#include "cmd/callgraph.h"
#include "cmd/honesty.h"
#include "model/derived.h"
#include "target.h"
#include "util/opt.h"

#define STAT_TEXTS_MAX 64

struct stat_options {
	struct target target;
	const char *event_texts[STAT_TEXTS_MAX]; /* of each -e */
	size_t nr_event_texts;
	char *probes[STAT_TEXTS_MAX]; /* those of them that --filter made: owned, one for each -e, or NULL */
	const struct metric *metrics[STAT_TEXTS_MAX]; /* of -M */
	size_t nr_metrics;
	const char *separator, *out;
	const char *record; /* the perf.data file of skep stat record; NULL: none */
	const char *input;  /* of skep stat report */
	const char *by, *fields;
	const char *pre, *post; /* commands of a shell around each run */
	uint64_t details, runs, interval_ms, timeout_ms, duration_ns, delay_ns, top, rows_max;
	uint64_t intervals_max, log_fd; /* 0: not given */
	struct honesty h;
	struct walk_options walks;
	int cache_level; /* 0: the last */
	bool latency, stack, json, no_scale, no_inherit, per_cpu, per_socket, per_die, per_cluster, per_cache, per_core, per_node, per_thread, append;
	bool null, sync, all_user, all_kernel, clear, summary, no_csv_summary, no_big_num, table, metric_only;
};

extern const struct opt_group stat_groups[], stat_record_groups[], stat_report_groups[];
extern const struct opt_other stat_others[];

/* Of the terminal that the table is printed on; 0: it is none. */
int stat_columns(const struct stat_options *o);

#endif
