/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files `format` of tracefs: what the record of a tracepoint has at which place (Documentation/trace/events.rst, 4). */
#ifndef SKEP_EVENT_FORMAT_H
#define SKEP_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

#define FORMAT_NAME_MAX 64
#define FORMAT_TYPE_MAX 64

enum format_where {
	FORMAT_PLAIN,
	FORMAT_DATA_LOC, /* 32 bits at the offset: length << 16 | offset of the data in the record */
	FORMAT_REL_LOC,	 /* likewise, with the offset counted from the end of these 32 bits */
};

struct format_field {
	char name[FORMAT_NAME_MAX];
	char type[FORMAT_TYPE_MAX]; /* "unsigned int"; of an array that of its elements; cut when it is longer */
	char array[16];		    /* "[16]", "[]" of a location; empty: none */
	uint32_t offset, size;	    /* in bytes; both fit the record, whose size is 16 bits */
	bool is_signed;
	uint8_t where; /* enum format_where */
};

struct format {
	uint64_t id; /* its number for perf_event_open(2); 0: not known */
	char *print; /* its own print format (event/printfmt.h); NULL: none */
	VEC(struct format_field) fields; /* without the common ones of all tracepoints */
};

/* Foreign bytes: lines that are none of a field's are skipped. 0 or -ENOMEM; the caller frees it in either case. */
int format_parse(const char *text, size_t len, struct format *ret_format);

/* A file below tracefs' events, "header_page". 0 and its text, which the caller frees and which has no NUL; or -errno. */
int tracefs_text(const char *below, char **ret_text, size_t *ret_bytes);

/* That of the format of SUBSYSTEM:NAME. */
int format_text(const char *event, char **ret_text, size_t *ret_bytes);

/* That of SUBSYSTEM:NAME. 0, or -errno of the reading: -ENOENT, -EACCES. */
int format_read(const char *event, struct format *ret_format);

void format_free(struct format *f);

/* What BPF programs on a system call see has its arguments and no more: takes away the fields with data. */
void format_drop_dynamics(struct format *f);

/* NULL: it has none of that name. */
const struct format_field *format_find(const struct format *f, const char *name, size_t len);

/* Bytes of a record up to the data of its locations, and how many fields have such. */
size_t format_record(const struct format *f, int *ret_dynamics);

/* Bytes of one element of an array, or of a location's data; of a plain number its own. 0: not known. */
uint8_t format_element(const struct format_field *f);

/* Turns the numbers of a record of the other byte order, with its data, in place. The common fields of all tracepoints stay. */
void format_swap(const struct format *f, uint8_t *record, size_t bytes);

/* Where the location in a record of so many bytes says that its data is: the length, which may reach beyond the record. */
size_t format_dynamic(const struct format_field *f, const void *record, size_t bytes, size_t *ret_offset);

#endif
