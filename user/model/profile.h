/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a view needs to say besides its numbers: what was measured, how much of it was kept, and
 * what the measuring cost. Every command hands one to its renderer, so that no format can be
 * silent about losses (design: promises 1 and 2).
 */
#ifndef SKEP_MODEL_PROFILE_H
#define SKEP_MODEL_PROFILE_H

#include <stdint.h>

/* Reasons for which an event or a part of it is missing. Names in profile.c, in this order. */
enum loss {
	LOSS_RING_FULL,	   /* no room in a ring buffer, or it was held by another CPU: sample gone */
	LOSS_INTERNAL,	   /* a look-up that cannot fail did: sample gone */
	LOSS_SIDEBAND,	   /* mmap/comm/fork records the kernel dropped: later names may be missing */
	LOSS_FILE,	   /* records lost before they reached the file that was read */
	LOSS_FILE_CUT,	   /* the file ends in the middle */
	LOSS_FILE_DAMAGED, /* records of it that cannot be read */
	LOSS_THROTTLED,	   /* the kernel throttled the sampling interrupt */
	LOSS_TARGETS_FULL, /* children not followed: the kernel's table of targets was full */
	LOSS_NESTED,	   /* a hit inside the handling of a tracepoint: not counted */
	LOSS_READ_FAULT,   /* a hit whose filter needs memory that could not be read */
	LOSS_CALLS_FULL,   /* a return without the arguments of its call: no room to keep that */
	LOSS_TOO_DEEP,	   /* a return of a user function among so many that the kernel does not probe it */
	LOSS_NOT_PROBED,   /* functions that a glob stands for and that cannot be probed */
	LOSS_KEYS_FULL,	   /* of more keys than the table has room for: summed without one */
	LOSS_STACKS_FULL,  /* stacks that the kernel's table had no room for (sample kept) */
	LOSS_CUT_DEPTH,	   /* stacks cut at the depth limit (sample kept) */
	LOSS_CUT_UNREADABLE, /* user stacks that could not be read (sample kept) */
	LOSS_CUT_NO_ROOT,  /* user stacks without a caller in the frame-pointer chain (sample kept) */
	LOSS_CUT_BEFORE,   /* user stacks of tasks that were off their CPUs before the start (sample kept) */
	LOSS_CUT_NO_STACK, /* one for each STOP_* of sample.h (sample kept) */
	LOSS_CUT_NO_CODE,
	LOSS_CUT_NO_RULE,
	LOSS_CUT_BAD_RULE,
	LOSS_CUT_ASTRAY,
	LOSS_CUT_COMPAT,
	LOSS_CUT_NOT_ASKED,
	LOSS_UNNAMED,	   /* user frames without a symbol (sample kept) */
	LOSS_UNNAMED_KERNEL,
	LOSS_MAX
};

/* True for what --strict fails on: all but what is missing of samples that were kept. */
int loss_is_strict(enum loss reason);

/* True for reasons that lose whole samples that were seen. */
int loss_is_whole(enum loss reason);
const char *loss_name(enum loss reason); /* "ring_full": the JSON key */
const char *loss_text(enum loss reason); /* "no room in the ring buffer" */

struct receipt {
	uint64_t wall_ns;
	uint64_t own_cpu_ns;  /* user + system time of skep itself */
	uint64_t bpf_ns, bpf_runs; /* 0, 0 when BPF statistics are not available */
	uint64_t bytes_out;
	uint64_t peak_rss_bytes;
	uint64_t map_bytes; /* kernel memory of the BPF maps */
	uint32_t cpus;
};

#define NOTES_MAX 8
#define NOTE_BYTES 256

struct profile {
	const char *title;   /* "skep flame -a -- sleep 10" */
	const char *event;   /* "cpu-clock" */
	const char *unit;    /* of weights: "ns", "cycles", "events" */
	int is_time;	     /* weights are time that was measured, in ns: what is shown, not how many samples it is of */
	const char *other_event; /* of the file, which has samples of it though none of event; or NULL */
	int other_index;     /* its number */
	uint64_t seen, kept; /* seen = kept + whole losses */
	uint64_t weight;     /* sum over kept */
	uint64_t duration_ns;
	uint64_t losses[LOSS_MAX];
	char notes[NOTES_MAX][NOTE_BYTES]; /* a line each, e.g. "no hardware cycles here: cpu-clock instead" */
	uint32_t nr_notes;
	uint32_t nr_details; /* so many of the first say how, not what: for -v and for pictures */
	struct receipt receipt;
};

/* Adds a line that every view shows. One that is there already is not added again; nor is a ninth. */
void profile_note(struct profile *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
