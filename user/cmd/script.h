/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inside skep script: its options, and the run over a file (script_read.c). */
#ifndef SKEP_CMD_SCRIPT_H
#define SKEP_CMD_SCRIPT_H

#include "cmd/honesty.h"
#include "cmd/onoff.h"
#include "cmd/pick.h"
#include "cmd/recording.h"
#include "cmd/script_fields.h"
#include "cmd/script_trace.h"
#include "cmd/symbols.h"
#include "cmd/viewerout.h"
#include "profile.h"
#include "render/events/scriptviews.h"
#include "util/opt.h"

/* Records beside the samples. */
struct script_shown {
	bool tasks, mmaps, switches, namespaces, lost, rounds, bpf, cgroups, text_pokes;
};

enum script_format { SCRIPT_TEXT, SCRIPT_JSON, SCRIPT_CSV, SCRIPT_FOLDED, SCRIPT_VIEWER };

struct script_options {
	struct honesty h;
	struct pick_options pick;
	struct symbol_options symbols;
	const char *input, *out, *format_word, *stop_at;
	enum script_format format;
	struct out_format viewer; /* of SCRIPT_VIEWER */
	struct script_fields fields;
	struct onoff on;
	struct script_shown shown;
	uint64_t max_stack;
	bool fields_set, no_chains, ns, reltime, deltatime, json, dump, long_files, header, header_only, whole_header, per_event;
};

#define SCRIPT_STOPS_MAX 64

struct script {
	struct named_sink sink; /* first: the sink functions find the rest by it */
	struct names names;
	struct recording file;
	struct ksym_asker *ksym;
	struct pick *pick;
	struct script_traces *traces;
	struct profile profile;
	struct script_options *options;
	const struct data_meta *meta;
	struct script_view view;
	size_t data_src_width;
	struct viewer_out viewer; /* of SCRIPT_VIEWER */
	char title[1024];
	uint64_t *fields; /* of each event */
	bool *is_folded;  /* of each event: some of its samples were printed as folded stacks */
	const char *fold_odd[2]; /* events that cannot be added up; NULL: none */
	bool has_chains;  /* call chains are printed */
	uint64_t last_ns, first_ns; /* 0: none yet */
	const char *stops[SCRIPT_STOPS_MAX + 1];
	char *stop_text;
	FILE *out;
	struct textbuf text;
	struct script_dump **dumps; /* of each event its own file, or NULL as long as it has no samples; NULL: all samples go to out */
	struct err dumps_err;	    /* why there is none */
};

struct script *script_new(void); /* NULL: no memory */
void script_free(struct script *s); /* NULL is nothing */

extern const struct opt_group script_groups[];
extern const struct opt_other script_others[];

/* Reads the file and prints it to out; fills the profile. 0 or -errno. */
int script_read(struct script *s, struct script_options *o, FILE *out, struct err *err);

/*
 * script_dumps.c: once the file is open, 0 or -ENOMEM; where the text of an event's sample goes, NULL with dumps_err filled; at the end, 0 or
 * -errno with err filled, adds the bytes written; in any case.
 */
int script_dumps_begin(struct script *s);
struct textbuf *script_dumps_text(struct script *s, int event);
int script_dumps_end(struct script *s, uint64_t *bytes, struct err *err);
void script_dumps_free(struct script *s);

/* All records of a file, as -D prints them. 0, or -errno with err filled. */
int script_dump(const char *input, FILE *out, struct err *err);

/* script_records.c: prints what the options request of a record. arg: struct script. */
int script_watch(void *arg, const struct data_record *rec);
bool script_shows_records(const struct script_options *o);

/* script_stat.c: the counts of a file of skep stat record, a line for each counter and round, as perf script has them. 0, or -errno with err filled. */
int script_stat(struct data_reader *reader, FILE *out, struct profile *p, struct err *err);

#endif
