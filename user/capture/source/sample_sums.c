/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hashes of aggregate mode, taken and emptied while programs write to them; what was delivered, once more. */
#include <errno.h>
#include <string.h>

#include "capture/source/sample_parts.h"
#include "capture/tasks.h"
#include "capture/walker.h"
#include "skel/sample.skel.h"
#include "util/clock.h"

#define INTERVALS_KEPT 8
#define SAMPLE_COUNTS_MIN 1024u

/* Samples that events of a rate have in one interval; 0: not known. */
static double samples_an_interval(const struct sample_cfg *cfg, const struct place *place)
{
	double a_second = 0;

	for (int i = 0; i < cfg->nr_events; i++) {
		if (!cfg->events[i].freq)
			return 0;
		a_second += cfg->events[i].period_or_freq;
	}
	return a_second * place->nr_cpus * (double)cfg->interval_ns / 1e9;
}

/* Reading a hash takes as long as it has buckets: sums that are taken often have room for those of a few intervals, and are emptied. */
uint32_t sample_sums_room(const struct sample_cfg *cfg, const struct place *place)
{
	double wanted = INTERVALS_KEPT * samples_an_interval(cfg, place);
	uint32_t room = SAMPLE_COUNTS_MIN;

	while (room < SAMPLE_COUNTS_DEFAULT && (!wanted || room < wanted))
		room *= 2;
	return room;
}

/* Comm from the kernel is at most 15 bytes, but a wire field is not to be trusted for its NUL. */
static void fill_who(struct sample *s, struct sample_key *key)
{
	key->comm[SAMPLE_COMM_LEN - 1] = '\0';
	s->pid = key->pid;
	s->tid = key->tid;
	s->event = key->event;
	s->cgroup = key->cgroup;
	s->comm = key->comm;
}

static void forget_if_due(struct src_sample *src)
{
	if (src->forgets)
		kept_clear(src->kept);
	src->forgets = false;
}

static int keep(struct src_sample *src, const struct sample *s, const struct sample_key *key)
{
	forget_if_due(src);
	return kept_add(src->kept, s, key);
}

int sample_deliver(struct src_sample *src, struct sample *s, struct sample_key *key, struct sink *sink)
{
	bool has_user = key->has_user;
	int ret;

	fill_who(s, key);
	ret = src->kept && !src->is_again ? keep(src, s, key) : 0;
	if (ret)
		return ret;
	s->is_tracepoint = s->event < EVENTS_MAX && src->is_tracepoint[s->event];
	unwinder_chains(src->unwinder, src->max_frames, has_user, s);
	return sink->sample(sink, s);
}

static int deliver_sum(void *arg, struct sample *s, struct sample_key *key)
{
	struct to_sink *to = arg;

	to->src->delivered += s->count;
	return sample_deliver(to->src, s, key, to->sink);
}

/* What comes meanwhile goes by the ring: nothing is lost. */
static int empty_sums(struct src_sample *src, struct to_sink *to)
{
	int ret;

	src->skel->bss->is_emptying = 1;
	tasks_barrier();
	ret = sums_empty(src->sums, deliver_sum, to);
	src->skel->bss->is_emptying = 0;
	src->emptied_ns = now_ns();
	src->has_spilled = false;
	return ret;
}

static int make_sums(struct src_sample *src)
{
	if (!src->sums)
		src->sums = sums_new(src->skel->maps.stacks, src->skel->maps.counts);
	return src->sums ? 0 : -ENOMEM;
}

/* What the sums have grown by since the last time. Hashes that fill up are emptied: reading them takes as long as they are full. */
int sample_sums_snapshot(struct source *source, struct sink *sink)
{
	struct src_sample *src = (struct src_sample *)source;
	struct to_sink to = { src, sink };
	int ret;

	if (!src->cfg->aggregate)
		return 0;
	ret = make_sums(src);
	if (ret)
		return ret;
	forget_if_due(src);
	return src->has_spilled || sums_are_full(src->sums) ? empty_sums(src, &to) : sums_take(src->sums, deliver_sum, &to);
}

static int deliver_again(void *arg, struct sample *s, struct sample_key *key)
{
	struct to_sink *to = arg;

	return sample_deliver(to->src, s, key, to->sink);
}

int sample_sums_again(struct source *source, struct sink *sink)
{
	struct src_sample *src = (struct src_sample *)source;
	struct to_sink to = { src, sink };
	int ret;

	if (!src->kept)
		return 0;
	src->is_again = true;
	ret = kept_each(src->kept, deliver_again, &to);
	src->is_again = false;
	return ret;
}

void sample_sums_forget(struct source *source, bool later)
{
	struct src_sample *src = (struct src_sample *)source;

	src->forgets = later && src->kept;
	if (src->kept && !later)
		kept_clear(src->kept);
}

int sample_sums_finish(struct source *source, struct sink *sink, struct err *err)
{
	struct src_sample *src = (struct src_sample *)source;
	struct to_sink to = { src, sink };
	int ret = src->cfg->aggregate ? make_sums(src) : 0;

	if (!ret && src->cfg->aggregate)
		ret = sums_take(src->sums, deliver_sum, &to);
	return ret < 0 ? err_set(err, ret, "cannot read the kernel's sums: %s", strerror(-ret)) : 0;
}
