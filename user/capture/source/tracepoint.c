/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each tracepoint gets a clone of the program with its own index in it. */
#include "capture/source/tracepoint.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf/tracepoint.h"
#include "capture/clone.h"
#include "capture/cost.h"
#include "capture/filter.h"
#include "capture/load.h"
#include "capture/refusal.h"
#include "capture/source/tallies.h"
#include "skel/tracepoint.skel.h"
#include "util/vec.h"

struct src_tracepoint {
	struct source source; /* first: a pointer to it is one to us */
	const struct event *events;
	enum counter_state *states;
	int nr_events;
	struct tracepoint_bpf *skel;
	const struct place *place;
	const __u32 *filter; /* 0: everything is counted */
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
	a.prog_fd = clone_load(src->skel->progs.count_hit, &index, 1, "the program that counts tracepoints", err);
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
	struct filter filter;
	int ret;

	src->place = place;
	src->skel = tracepoint_bpf__open_opts(object_opts());
	if (!src->skel)
		return err_exit(err, -errno, EXIT_CANNOT, "cannot open the BPF object: %s", strerror(errno));
	tallies_size(src->skel->maps.tallies);
	filter = (struct filter)FILTER_OF(src->skel);
	filter_set(&filter, place->target, true);
	src->filter = &src->skel->rodata->cfg_filter;
	ret = object_load(src->skel->skeleton);
	if (ret)
		return kernel_load_refused(ret, "the program that counts tracepoints", err);
	ret = tallies_map(&src->tallies, src->skel->maps.tallies, err);
	if (!ret)
		ret = filter_start(&filter, place, err);
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
	__atomic_store_n(&src->skel->bss->run_armed, 1, __ATOMIC_RELEASE);
}

static void stop(struct source *source)
{
	struct src_tracepoint *src = (struct src_tracepoint *)source;

	__atomic_store_n(&src->skel->bss->run_armed, 0, __ATOMIC_RELEASE);
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

	cost_add_misses(clones_missed(&src->clones) - src->missed_before, *src->filter, profile);
	cost_of_object(src->skel->obj, false, &profile->receipt);
}

static void close_source(struct source *source)
{
	struct src_tracepoint *src = (struct src_tracepoint *)source;

	clones_free(&src->clones);
	tallies_unmap(&src->tallies);
	tracepoint_bpf__destroy(src->skel);
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
	src->events = events;
	src->nr_events = nr_events;
	src->states = states;
	return &src->source;
}
