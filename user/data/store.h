/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A store: a directory of profiles in pprof's format, one file for each span of time and view,
 *
 *	20261127T140300Z-20261127T140400Z.cpu-clock.pb.gz
 *
 * in UTC, so that a span is found by names. The file skep-store has the version and a random number, and is locked by who writes. Names of files are hostile.
 */
#ifndef SKEP_DATA_STORE_H
#define SKEP_DATA_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/vec.h"

#define STORE_MARK "skep-store"
#define STORE_VERSION 1
#define STORE_VIEW_FIRST "cpu-clock" /* what is read of a store when nothing is asked for; else what comes first by name */
#define STORE_RATE "sampled at" /* begins the note of a profile whose rate --budget lowered */
#define STORE_ID_BYTES 17
#define STORE_VIEW_BYTES 64
#define STORE_NAME_BYTES (2 * sizeof("20261127T140300Z") + STORE_VIEW_BYTES + sizeof(".pb.gz"))

struct store {
	int dir, mark; /* descriptors; -1: closed */
	const char *path; /* borrowed */
	char id[STORE_ID_BYTES]; /* 16 hexadecimal digits that tell it from all others; "": it has none */
};

/* A file of it. */
struct segment {
	char name[STORE_NAME_BYTES];
	char view[STORE_VIEW_BYTES];
	uint64_t start_s, end_s; /* seconds since 1970 */
	uint64_t bytes;
};

/* How long it is; at most UINT32_MAX. Its times are of a name, and hostile: 0 if it ends before it begins. */
static inline uint32_t segment_seconds(const struct segment *seg)
{
	uint64_t n = seg->end_s > seg->start_s ? seg->end_s - seg->start_s : 0;

	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* What labels of a sample have to be: for each key that of one of its patterns, and of none with is_not; what has no such label is not excluded by these. */
struct store_label {
	const char *key;
	const char *pattern;
	bool is_not;
};

#define STORE_LABELS_MAX 16

/* What is wanted of a store: what overlaps it. Seconds since 1970. */
struct store_span {
	uint64_t since_s, until_s; /* until 0: no end */
	const char *view; /* NULL: the first one there is */
	struct store_label labels[STORE_LABELS_MAX];
	size_t nr_labels;
	const char *url; /* of a server instead of a directory, with its password; borrowed; NULL: none */
};

/* Does it overlap the span's time? */
bool segment_is_in(const struct segment *seg, const struct store_span *span);

struct segments {
	VEC(struct segment) all; /* by start */
};

/*
 * A writer has it for itself, and makes one where there is none. 0, or -errno with err filled: -EBUSY another has it; -ENOENT there is none;
 * -EPROTONOSUPPORT it is of another version. store_close() in any case.
 */
int store_open(struct store *s, const char *path, bool is_writer, struct err *err);
void store_close(struct store *s);

/* Is the directory at its path still the one that is open? If not, it was removed or replaced, and the lock does not protect it. */
bool store_is_there(const struct store *s);

/* The segments in a span; of another's files in the directory nothing. 0 or -errno. The caller frees all. */
int store_list(const struct store *s, const struct store_span *span, struct segments *ret_all);

/* What the store calls a view: the event's name, of which only letters, digits and -_. are kept, and what fits. */
void store_view(char ret_view[STORE_VIEW_BYTES], const char *event);

/* A name that no file has. */
void store_name(const struct store *s, struct segment *seg, uint64_t start_s, uint64_t end_s, const char *event);

/* Deletes the oldest segments until the rest has at most max_bytes and begins at since_s or later; 0: no limit. Returns how many, or -errno. */
int store_trim(const struct store *s, uint64_t max_bytes, uint64_t since_s);

#endif
