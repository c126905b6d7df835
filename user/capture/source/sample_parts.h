/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of the sampler's user side: events and records (sample.c), and what the kernel has summed (sample_sums.c). */
#ifndef SKEP_CAPTURE_SOURCE_SAMPLE_PARTS_H
#define SKEP_CAPTURE_SOURCE_SAMPLE_PARTS_H

#include "bpf/sample.h"
#include "capture/base.h"
#include "capture/rings.h"
#include "capture/source/kept.h"
#include "capture/source/probe_parts.h"
#include "capture/source/sample.h"
#include "capture/source/sums.h"
#include "util/vec.h"

struct sample_bpf;

/* One event on one CPU. The link, once there is one, closes the descriptor. */
struct attached {
	int fd;
	uint32_t event;
	struct bpf_link *link;
	__u64 id; /* in event_ids, where there is more than one event */
};

struct src_sample {
	struct source source; /* first: a pointer to it is one to us */
	const struct sample_cfg *cfg;
	struct base base;
	struct sample_bpf *skel;
	struct rings rings; /* records wait there for the side band */
	struct sideband *sideband; /* of the session */
	struct unwinder *unwinder; /* of the session; NULL: by frame pointers */
	bool is_tracepoint[EVENTS_MAX];
	char note[2 * EVENT_NAME_MAX + 128];
	uint32_t max_frames; /* a stack with this many was cut */
	VEC(struct attached) attached;
	const uint32_t *cpus; /* nr_cpus of them; borrowed */
	uint32_t nr_cpus;
	double rate; /* of what was asked for */
	struct probe_set set; /* tracepoints and probes */
	/* Of each event, by the first of its places, which are alike: where its values go; site NULL: its samples have none. */
	struct {
		const struct site *site;
		struct placed placed;
	} values[EVENTS_MAX];
	uint32_t skipped_cpus;
	struct sums *sums; /* what was taken of the hashes; of the first time on */
	struct kept *kept; /* what was delivered; NULL: it is not wanted again */
	uint64_t emptied_ns; /* when the hashes were emptied; CLOCK_MONOTONIC; 0: never */
	bool has_spilled; /* samples since then that they had no room for */
	uint64_t delivered; /* samples that reached the sink */
	uint64_t missed, missed_before; /* hits of tracepoints and probes; when it was armed last */
	bool is_paused;
	bool is_again; /* what is delivered was kept */
	bool forgets;  /* what is kept, when something new is delivered */
};

struct to_sink {
	struct src_sample *src;
	struct sink *sink;
};

/* Different sums that the kernel is to have room for. */
uint32_t sample_sums_room(const struct sample_cfg *cfg, const struct place *place);

/* The way of every sample out of the kernel: from its key and frames to the sink. 0 or -errno. */
int sample_deliver(struct src_sample *src, struct sample *s, struct sample_key *key, struct sink *sink);

/* Of struct source. */
int sample_sums_snapshot(struct source *source, struct sink *sink);
int sample_sums_again(struct source *source, struct sink *sink);
void sample_sums_forget(struct source *source, bool later);
int sample_sums_finish(struct source *source, struct sink *sink, struct err *err);

#endif
