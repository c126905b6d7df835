/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of probes, whose sites were found: from the session to the last line. */
#ifndef SKEP_CMD_PROBE_RUN_H
#define SKEP_CMD_PROBE_RUN_H

#include "capture/byrows.h"
#include "capture/source/probe.h"
#include "cmd/measure.h"
#include "cmd/run.h"
#include "target.h"

struct probe_options {
	struct target target;
	struct view_options view; /* no --sort */
	uint64_t max_events, ring_kb, text_bytes, rows_max;
	const char *hist, *linear;
	bool count, latency, stacks;
	struct walk_options walks;
};

/* --by, --hist and --latency: what each hit is summed by, and the expressions among that. */
struct probe_keys {
	struct probe_sums sums;
	struct exprs by, hist; /* of their own texts */
	struct site_extra extras[BY_FIELDS_MAX + 1];
	int nr_extras;
	char names[BY_FIELDS_MAX][BIND_NAME_MAX];
	bool is_duration; /* the values are ns */
};

/* 0 or -errno with err filled. The caller frees it in either case; o is borrowed. */
int probe_keys_parse(const struct probe_options *o, struct probe_keys *ret_keys, struct err *err);
void probe_keys_free(struct probe_keys *keys);

/* What is summed beside the hits. */
enum byrows_values probe_keys_values(const struct probe_keys *keys);

struct probe_run_cfg {
	const struct probe_options *o;
	const struct honesty *h;
	struct probe *probes;
	int nr_probes;
	struct probe_keys *keys; /* NULL: each hit, or their number */
};

/* -V: prints the parameters of each site. 0 or -errno. */
int probe_vars(struct probe *probes, int nr_probes, struct err *err);

/* *ret_status: the exit code of the run. 0 or -errno. */
int probe_run(const struct probe_run_cfg *cfg, int *ret_status, struct err *err);

#endif
