/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the commands that sample share: options, a session run into a sink, ledger and receipt. */
#ifndef SKEP_CMD_MEASURE_H
#define SKEP_CMD_MEASURE_H

#include "capture/control.h"
#include "capture/session.h"
#include "capture/source/offcpu.h"
#include "capture/source/probe.h"
#include "capture/source/sample.h"
#include "capture/walker.h"
#include "cmd/callgraph.h"
#include "cmd/honesty.h"
#include "profile.h"
#include "sym/sym.h"
#include "target.h"

#define MEASURE_TEXTS_MAX 64
/* A probe with arguments is, in a recording, a tracepoint with this number and that of its event: the kernel's, of 16 bits, end far below. */
#define MEASURE_PROBE_IDS 0xf000u

/* Options of sampling: measure_opts. */
struct measure {
	struct target target;
	const char *event_text; /* NULL: not given */
	const char *event_texts[MEASURE_TEXTS_MAX]; /* of each -e */
	size_t nr_event_texts;
	char *filters[MEASURE_TEXTS_MAX]; /* of these, those that --filter made; owned */
	size_t nr_filters;
	char *event_list; /* these in one; event_text then */
	uint64_t freq, period, duration_ns, delay_ns, ring_kb, stacks_max;
	uint64_t freq_default; /* of counters where nothing else is given; 0: 999. The command's */
	bool idle, no_kernel, no_user, all_user, all_kernel;
	double budget; /* the part of all CPUs' time that the run may take; 0: any */
	uint64_t budget_after_ns; /* as of struct session_cfg, with the next */
	double budget_least_rate;
	bool budget_bpf; /* with that of its BPF programs, for which the kernel's statistics are switched on */
	struct walk_options walks;
	struct event events[EVENTS_MAX];
	int nr_events;
	struct probe *probes; /* those of the events that are no counters */
	int nr_probes;
	/* Set by the command. */
	struct offcpu_cfg *offcpu; /* measure time off the CPUs, too; its samples are of the last event. NULL: no */
	bool no_samples;	   /* only that */
	bool has_cgroup;   /* samples have their cgroup */
	bool has_addr;	   /* samples have the address that their event is about */
	bool has_switches, has_namespaces; /* of threads are recorded, too */
	bool keeps_self;   /* skep's own samples, too */
	bool has_triggers; /* events at any rate are sampled beside those of a rate */
	bool records;	   /* samples of tracepoints have their records as a value, where that is possible */
	bool (*input)(void *arg); /* called when something was typed: true ends the run. NULL: not wanted */
	void *input_arg;
	struct control *control; /* commands to the run; NULL: none */
	bool starts_off;	 /* with the command to do so */
	uint64_t interval_ns;	 /* sums are delivered so often; 0: at the end */
	bool interval_by_clock;	 /* at multiples of it since 1970 */
	struct session **ret_session; /* as of struct session_cfg */
	int (*opened)(void *arg, struct err *err); /* called when that is open, before it runs: 0, or -errno with err filled. NULL: not wanted */
	void *opened_arg;
	struct session_turns turns; /* when sampling pauses and goes on */
	struct unwind_guide *guide; /* of CALL_GRAPH_EH; it lives as long as the run */
	struct unwinder_cfg plain; /* of a run without BPF */
	const char *output;	   /* where the sink writes, for messages; NULL: not to a file */
	const char *title;	   /* what is measured; NULL: the name of the first event */
};

extern const struct opt measure_opts[];
extern const struct opt_rule measure_rules[];

/* For a rule of a command that also shows what was measured before: options of what is measured, and how. */
#define MEASURE_WORDS "all-cpus|pid|tid|cpu|uid|cgroup|comm|as|freq|count|budget|filter|all-user|all-kernel|duration|idle|max-stack|ring-size|max-stacks|call-graph|unwind-memory"

/* Frees what the two below took, but for the target of measure_events(). */
void measure_free(struct measure *m);
void measure_free_probes(struct measure *m);

/* -m, in KiB; 0: not given. 0, or -EINVAL with err filled. */
int measure_check_ring(uint64_t ring_kb, struct err *err);

/* As one more -e; borrowed. 0 or -errno. */
int measure_add_event(struct measure *m, const char *text, struct err *err);

/* Parses events, adds that of m->offcpu, and checks targets; operands are COMMAND. 0 or -errno. */
int measure_check(struct measure *m, char **operands, struct err *err);

/* Its events, parsed, to what is to be sampled: rates, numbers of tracepoints. 0 or -errno. */
int measure_events(struct measure *m, struct err *err);

/*
 * Opens the session, reports the existing tasks to the sink, runs, fills the profile. cfg carries
 * what the command chose; the rest is set here. before (may be NULL) is called
 * once the events are final and before the sink sees anything. *ret_status: COMMAND's.
 */
int measure_run(struct measure *m, struct sample_cfg *cfg, struct sink *sink, int (*before)(struct sink *sink, struct err *err),
		struct profile *p, int *ret_status, struct err *err);

/*
 * Reports to the sink the mappings of targets that existed before, and their threads' names. Notes in the profile name those that cannot
 * be read. 0, -errno, or what the sink returned.
 */
int measure_scan(const struct target *t, bool names, struct sink *sink, struct profile *p, struct err *err);

/* The same of all processes that may be read, with their threads' names, at a moment within the run. 0, -errno, or what the sink returned. */
int measure_scan_again(struct sink *sink);

#endif
