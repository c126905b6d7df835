/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pprof's format, gzip of one message (github.com/google/pprof, proto/profile.proto): stacks with their names, each with labels and how
 * often it was seen. Addresses are offsets in the mapped file, which begins at 0 in its mapping: so they are the same in all processes,
 * and pprof finds a function's instructions by them. Those of the kernel are its own.
 */
#ifndef SKEP_PPROF_PPROF_H
#define SKEP_PPROF_PPROF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frame.h"
#include "sample.h"
#include "util/err.h"
#include "util/strpool.h"

#define PPROF_LABELS_MAX 16
#define PPROF_BYTES_MAX (1u << 30)

/* What a stack is of: "comm" is "nginx". */
struct pprof_label {
	const char *key;
	const char *text; /* NULL: it is a number */
	int64_t num;
};

/* What all stacks are of. Texts are borrowed; NULL or 0: not known. */
struct pprof_head {
	const char *event; /* "cpu-clock" */
	const char *unit;  /* of weights: "ns", "cycles", "events" */
	uint64_t time_ns;  /* when it began: CLOCK_REALTIME */
	uint64_t duration_ns;
	uint64_t period; /* of one sample, in units */
	const char *const *comments; /* NULL ends them; or NULL */
};

/* Weights are summed over one event: what `samples` of it add up to. */
struct pprof_writer;

int pprof_writer_new(struct pprof_writer **ret_writer); /* 0 or -ENOMEM */
void pprof_writer_free(struct pprof_writer *w);

/*
 * Adds a stack, n frames with the leaf first. Equal ones with equal labels are one. Names are borrowed: equal texts have one address,
 * for as long as the writer is used (frame.h); labels are copied, at most PPROF_LABELS_MAX. 0 or -ENOMEM.
 */
int pprof_add(struct pprof_writer *w, const struct frame *frames, uint32_t n, const struct pprof_label *labels, size_t nr_labels, uint64_t count,
	      uint64_t weight);

/* How many distinct stacks there are. */
size_t pprof_stacks(const struct pprof_writer *w);

/* The build id of an object, of which the size is returned; 0: not known. */
typedef uint8_t pprof_build_id(void *arg, const char *obj, uint8_t *ret_id);

/* build_id may be NULL. 0 or -errno of a failed write, -ENOMEM. */
int pprof_write(struct pprof_writer *w, const struct pprof_head *head, pprof_build_id *build_id, void *arg, FILE *out);

struct pprof_reader;

#define PPROF_TYPES_MAX 64

/* What the values of a file are. */
struct pprof_type {
	const char *name; /* "cpu" */
	const char *unit; /* "nanoseconds" */
};

/* The head of a file. Texts live as long as the reader. */
struct pprof_meta {
	struct pprof_type types[PPROF_TYPES_MAX];
	uint32_t nr_types;
	int32_t count_type; /* that of "samples" or "count"s; -1: none */
	uint32_t value_type; /* the first one that is not count_type; of a file with one type, that one */
	int64_t time_ns, duration_ns, period;
	const char *const *comments; /* nr_comments */
	size_t nr_comments, nr_samples;
};

/* One sample of a file. */
struct pprof_sample {
	const uint32_t *locations; /* n of them, the leaf first: what pprof_frames() takes */
	size_t n;
	const int64_t *values; /* by type */
	const struct pprof_label *labels;
	size_t nr_labels;
};

/* Is it gzip, or what a message of this format begins with? Of the first n bytes of a file. */
bool pprof_is(const void *bytes, size_t n);

/*
 * Reads n bytes of malloc(), hostile, of a file of which name is for messages; they are the reader's from now on, also on failure. At
 * most PPROF_BYTES_MAX when they are unpacked. 0, or -errno with err filled.
 */
int pprof_open(const char *name, char *bytes, size_t n, struct pprof_reader **ret_reader, struct err *err);
void pprof_close(struct pprof_reader *r); /* NULL is nothing */
const struct pprof_meta *pprof_meta(const struct pprof_reader *r);

/* Calls each for every sample, in the file's order: 0, -EBADMSG, -ENOMEM, or what each returned that is not 0. */
int pprof_each(struct pprof_reader *r, int (*each)(void *arg, const struct pprof_sample *s), void *arg);

/* Is the location in the kernel? */
bool pprof_in_kernel(const struct pprof_reader *r, uint32_t location);

/* The build id of the file that a location is in, as the profile has it, which is its text for skep's own; "": it has none. NULL: no memory. */
const char *pprof_location_build(struct pprof_reader *r, uint32_t location);

/*
 * The frames of a location, at most max, the innermost of what is inlined there first: how many, at least 1. pool: of their names, always
 * the same one. A location without a name has a frame all the same.
 */
int pprof_frames(struct pprof_reader *r, struct strpool *pool, uint32_t location, struct frame *ret_frames, int max);

#endif
