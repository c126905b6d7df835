/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --store, --since, --until, --view: what of skep agent's store a command reads instead of a file. */
#ifndef SKEP_CMD_STORESPAN_H
#define SKEP_CMD_STORESPAN_H

#include "data/store.h"
#include "util/opt.h"

#define STORE_DEFAULT "/var/lib/skep"

struct store_options {
	const char *path, *since, *until, *view;
	struct store_span span; /* store_options_end() fills it */
};

extern const struct opt store_opts[];
extern const struct opt_rule store_rules[];

/* A moment as in --since, in seconds since 1970; now_s: now. False: it is none. */
bool store_moment(const char *text, uint64_t now_s, uint64_t *ret_s);

/* 0, or -EINVAL with err filled. */
int store_options_end(struct store_options *o, struct err *err);

#endif
