/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of tracepoints as text and JSON, by the formats that the recording carries. */
#ifndef SKEP_CMD_SCRIPT_TRACE_H
#define SKEP_CMD_SCRIPT_TRACE_H

#include "data/data.h"
#include "event/record.h"
#include "sym/sym.h"
#include "util/json.h"

struct script_traces;

/* syms names kernel addresses; both are borrowed. NULL: no memory. */
struct script_traces *script_traces_new(const struct data_reader *reader, struct syms *syms);
void script_traces_free(struct script_traces *t); /* NULL is nothing */

/*
 * The text of a sample by its own print format, else its fields; NULL: the file has no format. Valid until the next call. It is of the
 * file: who prints it escapes it.
 */
const char *script_traces_text(struct script_traces *t, const struct sample *s);

/* A key and a value for each field, into the object that is open. False: there are none. */
bool script_traces_json(struct script_traces *t, const struct sample *s, struct json *json);

/* Each field, none where they are not known. */
void script_traces_each(struct script_traces *t, const struct sample *s, void (*each)(void *arg, const struct record_value *value), void *arg);

#endif
