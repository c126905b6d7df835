/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: functions with what was sampled on their instructions, one after the other. One file per format, listed in formats.def. Names
 * and source text are foreign: each format escapes them.
 */
#ifndef SKEP_RENDER_ANNOTATE_H
#define SKEP_RENDER_ANNOTATE_H

#include <stdio.h>

#include "model/annotate.h"
#include "profile.h"
#include "util/json.h"

#define ANNOTATE_FORMATS "text|json|html"

/* How they are shown. */
struct annotate_look {
	bool counts, periods;	/* a column of samples, or of weights, instead of shares */
	bool by_count, global;	/* shares are of samples, not of weights; of all, not of the function */
	bool raw;		/* with the bytes of the instructions */
	bool source, print_line; /* with source lines; with their places */
	bool full_paths, arrows, colours;
	bool summary; /* only the hottest lines */
	uint64_t lines_max; /* of summaries; 0: all */
	/* The text of a source line, not NUL-terminated; NULL: not available. */
	const char *(*source_line)(void *arg, const char *file, uint32_t line, size_t *ret_len);
	void *source_arg;
};

/* A function as it is shown. */
struct annotate_view {
	const char *event, *name, *obj;
	const char *source;	   /* where its code is from; NULL: the file obj */
	const char *missing, *hint; /* why it cannot be shown, and what to do; NULL: it can */
	uint64_t start;
	uint64_t weight, count, all_weight, all_count;
	const struct annotate_code *code;
	const uint8_t *bytes; /* of code, from start on */
};

/* What is being written. */
struct annotate_page {
	FILE *out;
	const struct annotate_look *look;
	struct json json;
	size_t nr_funcs; /* so far */
};

struct annotate_format {
	const char *name;
	void (*begin)(struct annotate_page *page, const struct profile *p);
	void (*func)(struct annotate_page *page, const struct annotate_view *v);
	int (*end)(struct annotate_page *page); /* 0 or -errno */
};

#define FORMAT(name, format) extern const struct annotate_format format;
#include "render/annotate/formats.def"
#undef FORMAT

/* Of that name, or NULL. */
const struct annotate_format *annotate_format(const char *name);

/* The share in percent of what was sampled on an instruction, a line or the function. */
double annotate_share(const struct annotate_look *look, const struct annotate_view *v, uint64_t weight, uint64_t count);

/* "local period": what shares are of. */
const char *annotate_share_kind(const struct annotate_look *look);

/* The last part of a path, unless full paths are wanted; "[...]" stays whole. */
const char *annotate_path(const struct annotate_look *look, const char *path);

/* "hot.c:12", or "hot+0x24" without a source line. */
void annotate_line_name(const struct annotate_look *look, const struct annotate_view *v, const struct annotate_line *l, char *buf, size_t size);

/* A source line with blanks for its tabs, cut to size; "" when it is not available. */
void annotate_source_text(const struct annotate_look *look, const char *file, uint32_t line, char *buf, size_t size);

/* "55 48 89 e5" of an instruction. */
void annotate_raw_text(const struct annotate_view *v, const struct annotate_insn *i, char *buf, size_t size);

#define ANNOTATE_SOURCE_BYTES 1024
#define ANNOTATE_RAW_BYTES 64

#endif
