/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: hits of probes as they arrive, a line each: text, or JSON (an object per line). */
#ifndef SKEP_RENDER_EVENTS_HIT_H
#define SKEP_RENDER_EVENTS_HIT_H

#include <stdbool.h>
#include <stdio.h>

#include "sample.h"
#include "util/json.h"

/* How a value is shown: the same words as event/bind.h's enum show. */
enum hit_show {
	HIT_UNSIGNED,
	HIT_SIGNED,
	HIT_HEX,
	HIT_BOOL,
	HIT_CHAR,
	HIT_ENUM,
	HIT_TEXT,
	HIT_SYMBOL,
	HIT_IPV4,
	HIT_NS,
	HIT_DEVICE,
	HIT_RECORD, /* a tracepoint's fields */
};

struct hit_value {
	const char *name;
	enum hit_show show;
};

/* What was hit. */
struct hit_site {
	const char *title; /* "kr:vfs_read" */
	const char *name;  /* "vfs_read" */
	bool is_return;
	const struct hit_value *values; /* one for each of a sample's */
};

struct hit_cfg {
	bool json;
	uint64_t start_ns; /* of the run: times are from there on */
	/* The name of a number of an enum, or of an address; NULL: none. */
	const char *(*name)(void *arg, uint32_t site, uint32_t value, const struct sample *s, char *buf, size_t size);
	/* HIT_RECORD: as text, which is NUL-terminated; and as the members of the object that is open. */
	size_t (*record_text)(void *arg, uint32_t site, const struct sample_value *v, char *buf, size_t size);
	void (*record_json)(void *arg, uint32_t site, const struct sample_value *v, struct json *json);
	void *arg;
};

/* The names of the columns; nothing for JSON. */
void render_hit_head(FILE *out, const struct hit_cfg *cfg);

/* 0 or -EIO. */
int render_hit(FILE *out, const struct sample *s, const struct hit_site *site, const struct hit_cfg *cfg);

/* One value as text, as both show it: "12", "-1", "0x7f", "10.0.0.1", "1.25us". size: 32 or more. */
void hit_value_text(char *buf, size_t size, const struct sample_value *v, enum hit_show show);

#endif
