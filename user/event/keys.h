/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT, by: fields of tracepoints in a text of --by, and where they are in the trace records. */
#ifndef SKEP_EVENT_KEYS_H
#define SKEP_EVENT_KEYS_H

#include <stdint.h>

#include "bpf/by.h"
#include "event/columns.h"
#include "event/event.h"
#include "event/format.h"
#include "util/vec.h"

enum field_kind {
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_ADDRESS, /* of a pointer: in hexadecimal */
	FIELD_DEVICE,  /* dev_t of the kernel: "MAJOR:MINOR" */
	FIELD_TEXT,
};

struct keys {
	const char *text; /* of --by, borrowed */
	uint32_t by;	  /* enum by_bit */
	int nr_fields;
	char fields[BY_FIELDS_MAX][FORMAT_NAME_MAX];
	uint16_t places[BY_FIELDS_MAX]; /* in text, for carets */
	uint32_t texts; /* bit i: field i is text; keys_resolve() knows */
};

/* Adds the fields in a text of --by, "args->dev" or "args.dev", to keys, which is borrowed. */
struct columns_other keys_fields(struct keys *keys);

/* Where a field is in the trace record: see EVENTSBY_WHERE in bpf/eventsby.h. */
struct field_place {
	uint16_t offset, bytes;
	uint8_t how;  /* enum eventsby_how */
	uint8_t kind; /* enum field_kind */
};

/* A tracepoint whose records are summed by a key with fields. */
struct traced {
	char name[EVENT_NAME_MAX]; /* SUBSYSTEM:NAME */
	uint64_t id;		   /* 0: not requested, there are no fields */
	bool from_glob;		   /* as struct event has it */
	struct field_place fields[BY_FIELDS_MAX];
};

struct traced_list {
	VEC(struct traced) all;
	int without; /* so many of a glob have not all of the fields */
};

/* What keys_resolve() needs of a tracepoint's format: format_read(), or a test's. */
typedef int (*keys_reader)(const char *event, struct format *ret_format);

/*
 * The tracepoints among the events, and, if there are fields, the system calls by their tracepoints, with the places of all
 * fields; keys->texts. 0, or -errno with err: a field that a tracepoint does not have, or no tracepoint of a glob. The caller
 * frees ret_list in either case.
 */
int keys_resolve(struct keys *keys, const struct event *events, int nr_events, keys_reader read, struct traced_list *ret_list,
		 struct err *err);

/* The place of a field, if it can be a part of a key. NULL: it can; else why not. is_call: of a system call's tracepoint. */
const char *field_place_of(const struct format_field *f, bool is_call, struct field_place *ret_place);

#endif
