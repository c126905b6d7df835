/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each tracepoint gets a clone of the program with its own index in it. */
#include "capture/source/tracepoint.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/tracepoint.h"
#include "capture/base.h"
#include "capture/clone.h"
#include "capture/source/tallies.h"
#include "skel/tracepoint.skel.h"
#include "util/vec.h"

struct src_tracepoint {
	struct source source; /* first: a pointer to it is one to us */
	const struct event *events;
	enum counter_state *states;
	int nr_events;
	struct base base;
	struct tracepoint_bpf *skel;
	const struct place *place;
	struct clones clones; /* its index is that of the tally */
	struct tallies tallies;	       /* of struct tracepoint_tally */
	uint64_t missed_before; /* start */
};

/* Returns 0, or -errno of the load or of the link. */
static int attach(struct src_tracepoint *src, int event, struct err *err)
{
	const struct clone_mark index = { TRACEPOINT_INDEX_MARK, src->clones.all.n };
	struct clone a = { .of = event };
	int ret = 0;

	if (vec_reserve(&src->clones.all))
		return -ENOMEM;
	a.prog_fd = clone_load(src->skel->progs.count_hit, &index, 1, src->base.what, err);
	if (a.prog_fd < 0)
		return a.prog_fd;
	a.link_fd = bpf_raw_tracepoint_open(strchr(src->events[event].name, ':') + 1, a.prog_fd);
	if (a.link_fd < 0) {
		ret = -errno;
		close(a.prog_fd);
		/* Names of tracefs that are no tracepoint, or of a module that is not there. */
		if (ret != -ENOENT)
			return err_exit(err, ret, EXIT_CANNOT, "cannot attach to '%s': %s", src->events[event].name, strerror(-ret));
		src->states[event] = COUNTER_NOT_SUPPORTED;
		return 0;
	}
	src->clones.all.data[src->clones.all.n++] = a;
	return 0;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_tracepoint *src = (struct src_tracepoint *)source;
	int ret;

	src->place = place;
	ret = BASE_OPEN(&src->base, src->skel, tracepoint, err);
	if (ret)
		return ret;
	tallies_size(src->skel->maps.tallies);
	ret = base_load(&src->base, place, err);
	if (!ret)
		ret = tallies_map(&src->tallies, src->skel->maps.tallies, err);
	for (int e = 0; e < src->nr_events && !ret; e++) {
		if (src->events[e].kind != EVENT_TRACEPOINT)
			continue;
		if (src->clones.all.n == TRACEPOINTS_MAX)
			return err_exit(err, -E2BIG, EXIT_USAGE, "too many tracepoints in one run: at most %d", TRACEPOINTS_MAX);
		src->states[e] = COUNTER_OPEN;
		ret = attach(src, e, err);
	}
	return ret;
}

static void start(struct source *source)
{
	struct src_tracepoint *src = (struct src_tracepoint *)source;

	src->missed_before = clones_missed(&src->clones);
	tallies_start(&src->tallies);
	base_arm(&src->base);
}

static void stop(struct source *source)
{
	struct src_tracepoint *src = (struct src_tracepoint *)source;

	base_disarm(&src->base);
	tallies_stop(&src->tallies);
}

static int deliver(struct source *source, struct sink *sink)
{
	struct src_tracepoint *src = (struct src_tracepoint *)source;
	uint64_t counted_ns = tallies_counted_ns(&src->tallies);
	int ret = 0;

	for (uint32_t i = 0; i < src->place->nr_cpus; i++) {
		struct reading r = { .cpu = src->place->cpus[i], .enabled_ns = counted_ns, .running_ns = counted_ns };
		const struct tracepoint_tally *t = tallies_of(&src->tallies, r.cpu);

		for (size_t k = 0; t && k < src->clones.all.n && !ret; k++) {
			r.event = src->clones.all.data[k].of;
			r.value = t->hits[k];
			ret = sink->reading(sink, &r);
		}
	}
	return ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_tracepoint *src = (const struct src_tracepoint *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	base_add_nested(&src->base, clones_missed(&src->clones) - src->missed_before, profile);
	base_profile(&src->base, sum, profile);
}

static void close_source(struct source *source)
{
	struct src_tracepoint *src = (struct src_tracepoint *)source;

	clones_free(&src->clones);
	tallies_unmap(&src->tallies);
	base_close(&src->base);
	free(src);
}

struct source *src_tracepoint_new(const struct event *events, int nr_events, enum counter_state *states)
{
	struct src_tracepoint *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.open = open_source,
		.start = start,
		.stop = stop,
		.snapshot = deliver,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = "the program that counts tracepoints", .has_idle = true };
	src->events = events;
	src->nr_events = nr_events;
	src->states = states;
	return &src->source;
}
