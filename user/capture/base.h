/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the sources that load a BPF object share. A source describes itself in a struct base, opens its skeleton, sets its own knobs,
 * loads, and attaches; its ledger and its part of the receipt are added up here. The base owns the skeleton.
 */
#ifndef SKEP_CAPTURE_BASE_H
#define SKEP_CAPTURE_BASE_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/loss.h"
#include "capture/filter.h"
#include "capture/load.h"
#include "capture/source.h"

#define BASE_WATCHED_MAX 6

/* An opened skeleton with the maps and knobs of bpf/lib/filter.bpf.h and loss.bpf.h. */
struct base_object {
	void *skel;
	struct bpf_object_skeleton *skeleton;
	struct filter filter;
	struct bpf_map *counters;
};

#define BASE_OBJECT_OF(opened)                                                                                              \
	{                                                                                                                   \
		.skel = (opened), .skeleton = (opened)->skeleton, .filter = FILTER_OF(opened), .counters = (opened)->maps.counters, \
	}

/* Zeroed but for what the source sets. */
struct base {
	/* Before base_open() */
	const char *what;  /* "the program that counts packets", where the kernel refuses it */
	const char *own;   /* skep's own "calls" are left out, and a note says how many; NULL: they are not */
	bool own_is_apart; /* these are no part of what profile->seen counts */
	bool has_stats;	   /* the kernel is to measure the programs' time */
	/* Before base_load() */
	bool has_idle;	   /* the idle task is not filtered out */
	__u64 *cgroup_ids; /* of bpf/lib/filter_task.bpf.h; NULL: not in this object */
	/* Before base_watch() */
	const struct bpf_program *watched[BASE_WATCHED_MAX]; /* whose misses count; those that are not loaded have none */

	struct base_object object;
	bool is_timed;
	int stats_fd; /* while is_timed */
	uint64_t missed_before;
};

/* Opens the skeleton `name`_bpf into skel, with its statistics where they are wanted. 0, or -errno with err filled. */
#define BASE_OPEN(base, opened, name, err)                                                                                  \
	((opened) = name##_bpf__open_opts(object_opts()),                                                                   \
	 base_open((base), (opened) ? &(const struct base_object)BASE_OBJECT_OF(opened) : NULL, (err)))
int base_open(struct base *base, const struct base_object *object, struct err *err);

/* Sets the filter, loads, and follows the targets' children from here on; nothing is armed. 0, or -errno with err filled. */
int base_load(struct base *base, const struct place *place, struct err *err);

/* Attaches a program that was loaded, by its section; of another, nothing. 0, or -errno with err filled. */
int base_attach(const struct bpf_program *prog, struct bpf_link **ret_link, struct err *err);

/* Misses of the watched programs count from here on. */
void base_watch(struct base *base);
uint64_t base_missed(const struct base *base);

/* One store: all programs begin, or end, at one instant. base_arm() watches, too. */
void base_arm(struct base *base);
void base_disarm(struct base *base);

/* Of what happens only this part is taken from now on, [0, 1], by chance; the rest is lost (LOSS_BUDGET). */
void base_take_part(struct base *base, double part);

/* Sums of the map `counters` over its CPUs; zeroes where it cannot be read. */
void base_counts(const struct base *base, uint64_t ret_sum[COUNT_MAX]);

/*
 * After the source has added what was seen: adds the losses that its programs have counted (base_counts()), a note of skep's own,
 * the programs' time where it was measured, and the memory of all maps but those of the session's unwinder, which adds its own.
 */
void base_profile(const struct base *base, const uint64_t sum[COUNT_MAX], struct profile *profile);

/* Adds hits of tracepoints and probes that the kernel skipped: lost, or, since with a filter they may be of other tasks, a note. */
void base_add_nested(const struct base *base, uint64_t missed, struct profile *profile);

/* Also after a failed open, or none: detaches and frees the skeleton. */
void base_close(struct base *base);

#endif
