/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a view needs to say besides its numbers: what was measured, how much of it was kept, and
 * what the measuring cost. Every command hands one to its renderer, so that no format can be
 * silent about losses (design: promises 1 and 2).
 */
#ifndef SKEP_PROFILE_H
#define SKEP_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/loss.h"

/* True for what --strict fails on: all but what is missing of samples that were kept. */
int loss_is_strict(enum loss reason);

/* True for reasons that lose whole samples that were seen. */
int loss_is_whole(enum loss reason);
const char *loss_word(enum loss reason); /* "lost", or "note" where the sample was kept */
const char *loss_name(enum loss reason); /* "ring_full": the JSON key */
const char *loss_text(enum loss reason); /* "no room in the ring buffer" */
enum loss loss_of_text(const char *text); /* LOSS_MAX: of none */

/* A table in the kernel, while it runs: entries or bytes. */
struct table_fill {
	const char *name; /* static */
	uint64_t used, room;
};
#define FILLS_MAX 8

struct receipt {
	uint64_t wall_ns;
	uint64_t own_cpu_ns;  /* user + system time of skep itself */
	uint64_t bpf_ns, bpf_runs; /* 0, 0 when BPF statistics are not available */
	uint64_t bytes_out;
	uint64_t peak_rss_bytes;
	uint64_t map_bytes; /* kernel memory of the BPF maps */
	struct table_fill fills[FILLS_MAX];
	uint32_t nr_fills;
	uint32_t cpus;
	bool is_not_wanted; /* while it runs: that of programs and maps, a file of /proc each, stays 0 */
	bool no_maps;	    /* only that of maps */
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
	bool has_no_files;   /* the recording is a directory, without the data.N files that its samples were in */
	uint64_t seen, kept; /* seen = kept + whole losses */
	uint64_t weight;     /* sum over kept */
	uint64_t duration_ns;
	uint64_t losses[LOSS_MAX];
	char notes[NOTES_MAX][NOTE_BYTES]; /* a line each, e.g. "no hardware cycles here: cpu-clock instead" */
	uint32_t nr_notes;
	uint32_t nr_details; /* so many of the first say how, not what: for -v and for pictures */
	struct receipt receipt;
};

/* Samples that were seen and lost whole: seen - kept. */
uint64_t profile_lost(const struct profile *p);

/* Says how full a table is. The ninth is not said. */
void receipt_fill(struct receipt *r, const char *name, uint64_t used, uint64_t room);

/* Adds a line that every view shows. One that is there already is not added again; nor is a ninth. */
void profile_note(struct profile *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
