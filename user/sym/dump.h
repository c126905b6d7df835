/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recorded samples with registers and a copy of the stack (perf record --call-graph dwarf): their user chains. */
#ifndef SKEP_SYM_DUMP_H
#define SKEP_SYM_DUMP_H

#include <linux/perf_event.h>

#include "sample.h"
#include "sym/sym.h"

struct dumps;

/* Walks with the tables of what syms knows to be mapped; syms, borrowed, must live as long. NULL: no memory. */
struct dumps *dumps_new(struct syms *syms);
void dumps_free(struct dumps *dumps); /* NULL is nothing */

/* Does a sample have a copy of its user stack that is worth a walk? */
static inline bool dumps_has(const struct sample *s)
{
	const uint64_t fields = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return s->fields && (s->fields->has & fields) == fields;
}

/*
 * Puts the walk in the place of the sample's user chain, unless that is the longer one. The addresses are valid until the next walk. A
 * sample that was not in a process stays as it is.
 */
void dumps_walk(struct dumps *dumps, struct sample *s);

#endif
