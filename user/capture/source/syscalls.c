/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A reading costs no call to the kernel, and nothing of the programs' time. */
#include "capture/source/syscalls.h"

#include <stdlib.h>

#include "bpf/syscalls.h"
#include "capture/base.h"
#include "capture/features.h"
#include "capture/source/callhooks.h"
#include "capture/source/tallies.h"
#include "event/syscalls.h"
#include "skel/syscalls.skel.h"

struct src_syscalls {
	struct source source; /* first: a pointer to it is one to us */
	const struct event *events;
	int nr_events;
	struct base base;
	struct syscalls_bpf *skel;
	const struct place *place;
	struct tallies tallies; /* of struct syscall_tally */
	struct callhooks hooks;
};

static bool wants(const struct src_syscalls *src, bool exits)
{
	for (int i = 0; i < src->nr_events; i++)
		if (src->events[i].kind == EVENT_SYSCALL && src->events[i].is_exit == exits)
			return true;
	return false;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_syscalls *src = (struct src_syscalls *)source;
	int ret;

	src->place = place;
	ret = BASE_OPEN(&src->base, src->skel, syscalls, err);
	if (ret)
		return ret;
	tallies_size(src->skel->maps.tallies);
	src->hooks = (struct callhooks)CALLHOOKS_OF(src->skel, feature_use(FEATURE_SYSCALL_BTF));
	callhooks_choose(&src->hooks, wants(src, false), wants(src, true), &src->base);
	ret = base_load(&src->base, place, err);
	if (!ret)
		ret = tallies_map(&src->tallies, src->skel->maps.tallies, err);
	return ret ? ret : callhooks_attach(&src->hooks, err);
}

static void start(struct source *source)
{
	struct src_syscalls *src = (struct src_syscalls *)source;

	tallies_start(&src->tallies);
	base_arm(&src->base);
}

static void stop(struct source *source)
{
	struct src_syscalls *src = (struct src_syscalls *)source;

	base_disarm(&src->base);
	tallies_stop(&src->tallies);
}

static uint64_t value_of(const struct syscall_tally *t, const struct event *e)
{
	uint64_t sum = t->unknown[e->is_exit];

	if (e->config < SYSCALL_NR_MAX)
		return t->calls[e->is_exit][e->abi][e->config];
	/* Of every number, or of those that have no name. */
	for (int abi = 0; abi < SYSCALL_ABIS; abi++)
		for (int nr = 0; nr < SYSCALL_NR_MAX; nr++)
			if (e->config == SYSCALL_ANY || !syscall_name(abi, nr))
				sum += t->calls[e->is_exit][abi][nr];
	return sum;
}

static int deliver(struct source *source, struct sink *sink)
{
	struct src_syscalls *src = (struct src_syscalls *)source;
	uint64_t counted_ns = tallies_counted_ns(&src->tallies);
	int ret = 0;

	for (uint32_t i = 0; i < src->place->nr_cpus; i++) {
		struct reading r = { .cpu = src->place->cpus[i], .enabled_ns = counted_ns, .running_ns = counted_ns };
		const struct syscall_tally *t = tallies_of(&src->tallies, r.cpu);

		for (int e = 0; t && e < src->nr_events && !ret; e++) {
			if (src->events[e].kind != EVENT_SYSCALL)
				continue;
			r.event = e;
			r.value = value_of(t, &src->events[e]);
			ret = sink->reading(sink, &r);
		}
	}
	return ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_syscalls *src = (const struct src_syscalls *)source;
	uint64_t sum[COUNT_MAX];

	base_counts(&src->base, sum);
	callhooks_note(base_missed(&src->base), profile);
	base_profile(&src->base, sum, profile);
}

static void close_source(struct source *source)
{
	struct src_syscalls *src = (struct src_syscalls *)source;

	tallies_unmap(&src->tallies);
	base_close(&src->base);
	free(src);
}

struct source *src_syscalls_new(const struct event *events, int nr_events)
{
	struct src_syscalls *src = calloc(1, sizeof(*src));

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
	src->base.what = "the program that counts system calls";
	src->events = events;
	src->nr_events = nr_events;
	return &src->source;
}
