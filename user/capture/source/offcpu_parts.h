/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of the user side of time off the CPUs: spans to samples (offcpu.c), and sums that are taken while programs run (offcpu_sums.c). */
#ifndef SKEP_CAPTURE_SOURCE_OFFCPU_PARTS_H
#define SKEP_CAPTURE_SOURCE_OFFCPU_PARTS_H

#include "bpf/offcpu.h"
#include "capture/base.h"
#include "capture/rings.h"
#include "capture/source/offcpu.h"
#include "capture/source/schedtext.h"
#include "capture/stacks.h"
#include "capture/tasks.h"
#include "util/map.h"
#include "util/vec.h"

struct offcpu_bpf;

/* What was taken of a row of the kernel's, and how much of that is forgotten. */
struct known {
	struct offcpu_key key;
	struct offcpu_sums taken, forgotten;
};

struct src_offcpu {
	struct source source; /* first: a pointer to it is one to us */
	const struct offcpu_cfg *cfg;
	struct base base;
	struct offcpu_bpf *skel;
	const struct place *place;
	struct tasks tasks;
	struct rings rings;
	struct stacks stacks;	  /* of sums */
	struct stack_cache cache; /* of a stream, or of sums that are taken while programs run */
	uint64_t full; /* so often there was no room for a stack, when the tables were emptied last */
	struct schedtext text;
	uint32_t max_frames;	  /* a stack with this many was cut */
	uint64_t task_ips[SAMPLE_DEEP_MAX]; /* of who was woken, while those of the waker are found */
	uint64_t delivered;
	uint32_t turn; /* whose tables are read */
	bool is_again; /* what is delivered was counted before */
	bool is_live;  /* sums are taken while the programs run */
	bool forgets;  /* what was delivered, before the next sums are */
	VEC(struct known) known;
	struct map known_by_key;
	struct known other[2]; /* of what the kernel had no room for; by: preempted */
	bool outside; /* somebody without a number in our PID namespace */
};

/* Of a key, as long as no turn ends; NULL: there is none. */
const struct stack_val *offcpu_stack(struct src_offcpu *src, uint64_t key);

/* Each delivers the parts that were requested of one row, or of what had no room in the kernel. 0 or the sink's error. */
int offcpu_row(struct src_offcpu *src, const struct offcpu_key *key, const struct offcpu_sums *sums, struct sink *sink);
int offcpu_other(struct src_offcpu *src, bool preempted, const struct offcpu_sums *sums, struct sink *sink);

/* All sums: of a run that has ended, or what they have grown by. 0, -errno or the sink's error. */
int offcpu_rows(struct src_offcpu *src, struct sink *sink);

/* As of struct source. */
int offcpu_snapshot(struct source *source, struct sink *sink);
int offcpu_again(struct source *source, struct sink *sink);
void offcpu_forget(struct source *source, bool later);

#endif
