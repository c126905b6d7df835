/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --store, --since, --until, --view: what of skep agent's store a command reads instead of a file. */
#ifndef SKEP_CMD_STORESPAN_H
#define SKEP_CMD_STORESPAN_H

#include "data/store.h"
#include "push/push.h"
#include "util/opt.h"

#define STORE_DEFAULT "/var/lib/skep"

struct store_options {
	const char *path, *since, *until, *view, *label;
	struct store_span span; /* store_options_end() fills it */
	char *words; /* its labels; store_options_free() */
	char shown[PUSH_SHOWN_BYTES]; /* a URL, which is path then: without its password */
};

extern const struct opt store_opts[];
extern const struct opt_rule store_rules[];

/* A moment as in --since, in seconds since 1970; now_s: now. False: it is none. */
bool store_moment(const char *text, uint64_t now_s, uint64_t *ret_s);

/* 0, or -EINVAL with err filled; store_options_free() in any case. */
int store_options_end(struct store_options *o, struct err *err);
void store_options_free(struct store_options *o);

/* The labels of text, which an option has; NULL: none. *ret_words: their bytes, to be freed in any case. 0 or -errno with err filled. */
int store_labels(const char *text, const char *option, char **ret_words, struct store_span *span, struct err *err);

/* The span whose begin and end are s seconds before those of this one. */
struct store_span store_earlier(const struct store_span *span, uint64_t s);

#endif
