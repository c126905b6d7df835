/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the writer of Firefox Profiler's processed format, version 60 (github.com/firefox-devtools/profiler, src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md at that version): the first that has its tables once for all threads. The profiler reads every older
 * version.
 */
#ifndef SKEP_RENDER_VIEWERS_FIREFOX_H
#define SKEP_RENDER_VIEWERS_FIREFOX_H

#include "render/viewers/lanes.h"
#include "util/json.h"

#define FIREFOX_VERSION 60
#define FIREFOX_GECKO_VERSION 31

#define NS_PER_MS 1000000u
#define MS_DECIMALS 6

enum firefox_category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT, CATEGORY_EVENT, CATEGORY_SCHED, CATEGORY_MAX };

/* Texts by numbers, borrowed. */
struct firefox_strings {
	VEC(const char *) all;
	struct map by_text;
};

struct firefox_func {
	uint32_t name, source; /* of strings, of sources: UINT32_MAX: none */
	uint32_t lib;	       /* UINT32_MAX: none */
};

/* The tables that all threads share, made of the stack table at the end. */
struct firefox_tables {
	struct firefox_strings strings;
	VEC(struct firefox_func) funcs;
	VEC(uint32_t) func_of; /* of each frame of the stack table */
	VEC(const char *) libs, sources;
	struct map by_func, by_lib, by_source;
};

/* 0 or -ENOMEM. */
int firefox_tables_make(struct firefox_tables *t, const struct stacktable *stacks);
void firefox_tables_put(const struct firefox_tables *t, const struct stacktable *stacks, struct json *j);
void firefox_libs_put(const struct firefox_tables *t, const struct viewer_cfg *cfg, struct json *j);
void firefox_tables_free(struct firefox_tables *t);

/* The number of a text; or -ENOMEM. */
int64_t firefox_string(struct firefox_strings *s, const char *text);

#define MARKER_STATES(X) X(RUNNING, "running") X(BLOCKED, "blocked") X(PREEMPTED, "preempted")
#define MARKER_STATE(name, text) MARKER_##name,
enum marker_state { MARKER_STATES(MARKER_STATE) MARKER_STATE_MAX };

/* When a thread left its CPU, and came to one. */
struct firefox_task {
	uint32_t tid;
	uint64_t off_ns, on_ns; /* 0: not known */
	enum marker_state off;	/* what it was since then */
	int64_t lane;		/* of its thread; -1: not known yet */
};

/* The fields of an event's record: a member of its markers, and its kind. */
struct firefox_field {
	char name[64];
	bool is_number;
};
struct firefox_fields {
	VEC(struct firefox_field) all;
};

/* Markers: what tracepoints say, and of sched:sched_switch what threads did. */
struct firefox_markers {
	struct lanes *set;
	VEC(struct firefox_task) tasks;
	struct map by_tid;
	struct firefox_fields *fields; /* by event */
	bool has_states;
	FILE *stream; /* to text: the data of one marker, while it is made */
	char *text;
	size_t text_bytes;
};

/* A tracepoint's sample, of the lane of that number. 0, or -errno with err filled where it is of the file. */
int firefox_markers_add(struct firefox_markers *m, uint32_t lane, const struct named *named, const struct viewer_trace *trace, struct err *err);

/* After the last: what threads still do. Returns as firefox_markers_add() does. */
int firefox_markers_end(struct firefox_markers *m, struct err *err);

/* The table of a thread's markers, which are with its first lane; NULL: of none. 0 or -errno. */
int firefox_markers_put(const struct firefox_markers *m, const struct lane *s, struct firefox_strings *strings, struct json *j);
void firefox_schema_put(const struct firefox_markers *m, struct json *j);
void firefox_markers_free(struct firefox_markers *m);

#endif
