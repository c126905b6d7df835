/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: samples, in the order in which they come, to a file of another program that draws them: a timeline, or a profile for each thread. In:
 * samples with names. Out: bytes. Memory grows with the number of distinct stacks and threads, not of samples.
 */
#ifndef SKEP_RENDER_VIEWERS_VIEWER_H
#define SKEP_RENDER_VIEWERS_VIEWER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frame.h"
#include "profile.h"
#include "util/err.h"
#include "util/json.h"

struct viewer_event {
	const char *name; /* "cpu-clock" */
	const char *unit; /* of weights: "ns", "cycles", "events" */
	bool is_tracepoint;
};

/* What a file is of. All that it points to lives until viewer_free(). */
struct viewer_cfg {
	const struct viewer_event *events; /* by the number of samples' events */
	uint32_t nr_events;
	bool is_sum; /* a sample stands for all with its stack, and has no time */
	bool has_wall;
	int64_t wall_ns; /* with has_wall: time since 1970 at time 0 */
	uint8_t (*build_id)(void *arg, const char *obj, uint8_t *ret_id); /* of an object, of which the size is returned; 0: not known */
	void *build_id_arg;
};

/* A field of a tracepoint's record. Valid during the call. */
struct viewer_field {
	const char *name;
	const char *text; /* any bytes; NULL: it is a number */
	uint64_t num;
	bool is_signed;
};
typedef void viewer_field_fn(void *arg, const struct viewer_field *field);

/* What a tracepoint's record says. */
struct viewer_trace {
	const char *text;
	void (*each)(void *arg, const struct sample *s, viewer_field_fn *field, void *to);
	bool (*json)(void *arg, const struct sample *s, struct json *json); /* a key and a value for each field */
	void *arg;
};

struct viewer;

struct viewer_format {
	const char *name;   /* the word of --format */
	const char *ending; /* of the file's name, which .gz may follow */
	const char *other;  /* another ending; or NULL */
	bool needs_time;    /* sums cannot be shown */
	struct viewer *(*open)(FILE *out, const struct viewer_cfg *cfg); /* NULL: no memory */
};

/* What a format does. Each returns 0, or -errno with err filled where strerror() is not enough. */
struct viewer {
	int (*sample)(struct viewer *v, const struct named *named, uint32_t nr_frames, const struct viewer_trace *trace);
	int (*end)(struct viewer *v, const struct profile *p);
	void (*free)(struct viewer *v);
	struct err err;
};

#define VIEWER_FORMATS "speedscope|firefox|chrome|perfetto"
#define VIEWER_ENDINGS ".speedscope.json, .firefox.json, .chrome.json, .trace.json, .perfetto-trace, .pftrace"

/* NULL: there is none of that name; "gecko" is firefox. */
const struct viewer_format *viewer_format(const char *name);
/* By the ending of a file's name. *ret_gz: it is to be packed by gzip. NULL: it ends in none of these. */
const struct viewer_format *viewer_format_of(const char *path, bool *ret_gz);

/* Is it the event of a thread that leaves its CPU to another? Modifiers may follow its name. */
bool viewer_is_switch(const char *event);

/* A sample, of which nr_frames of the innermost frames are shown; trace NULL: it has no fields. */
static inline int viewer_sample(struct viewer *v, const struct named *named, uint32_t nr_frames, const struct viewer_trace *trace)
{
	return v->sample(v, named, nr_frames, trace);
}

/* Once, after the last: p's ledger goes into the file. */
static inline int viewer_end(struct viewer *v, const struct profile *p)
{
	return v->end(v, p);
}

static inline void viewer_free(struct viewer *v) /* NULL is nothing */
{
	if (v)
		v->free(v);
}

#endif
