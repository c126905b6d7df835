/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which fields skep script prints of which events: -F, and what perf prints without it (tools/perf/builtin-script.c). */
#ifndef SKEP_CMD_SCRIPT_FIELDS_H
#define SKEP_CMD_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/data.h"
#include "util/err.h"

enum script_type {
	SCRIPT_TYPE_HARDWARE,
	SCRIPT_TYPE_SOFTWARE,
	SCRIPT_TYPE_TRACEPOINT,
	SCRIPT_TYPE_CACHE,
	SCRIPT_TYPE_RAW,
	SCRIPT_TYPE_BREAKPOINT,
	SCRIPT_TYPE_OTHER,
	SCRIPT_TYPE_MAX
};

struct script_choice {
	uint64_t fields; /* bits of enum script_field */
	uint64_t chosen; /* of these the user named */
	bool is_set;	 /* -F was about this type */
};

struct script_fields {
	struct script_choice types[SCRIPT_TYPE_MAX];
};

void script_fields_init(struct script_fields *f);

/* One -F: "[TYPE:]FIELD,...", "+FIELD,-FIELD". 0, or -EINVAL with err. */
int script_fields_parse(struct script_fields *f, const char *text, struct err *err);

/* Drops what events of the file do not have. 0, or -EINVAL with err for what the user named. chains: call chains will be printed. */
int script_fields_check(struct script_fields *f, const struct data_reader *reader, bool chains, struct err *err);

enum script_type script_type_of(const struct event *e);

#endif
