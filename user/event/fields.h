/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of a tracepoint's record, from its format file (Documentation/trace/events.rst). */
#ifndef SKEP_EVENT_FIELDS_H
#define SKEP_EVENT_FIELDS_H

#include <stdint.h>

struct field {
	char type[128], name[64]; /* "char[16]", "prev_comm" */
	uint32_t offset, size;
};

/* One line of a format file. 0, or -ENOENT when it has no field; -EINVAL when it cannot be understood. */
int field_parse(const char *line, struct field *ret_field);

/* The fields behind the common ones. Returns 0, what each() returned, or -errno of the format file of "SUBSYSTEM:NAME". */
int fields_each(const char *tracepoint, int (*each)(void *arg, const struct field *field), void *arg);

#endif
