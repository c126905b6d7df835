/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A tracepoint's own print format, "print fmt" of its format file: C's arguments of a printk(), as the kernel's macros left them
 * (include/trace/stages/stage3_trace_output.h; formats: Documentation/core-api/printk-formats.rst). Kernel text, taken as foreign
 * bytes: what is not understood is refused, and nothing outside of the record is read.
 */
#ifndef SKEP_EVENT_PRINTFMT_H
#define SKEP_EVENT_PRINTFMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/format.h"

struct printfmt;

struct printfmt_names {
	/* The name of a kernel address into buf, or NULL. */
	const char *(*symbol)(void *arg, uint64_t addr, char *buf, size_t size);
	void *arg;
};

/*
 * text: after "print fmt: ". The fields of `format` are borrowed for as long as the result is used. 0, -EINVAL for what is not
 * understood, or -ENOMEM.
 */
int printfmt_parse(const char *text, const struct format *format, struct printfmt **ret_print);
void printfmt_free(struct printfmt *print);

/* The text of a record of so many bytes, cut where it does not fit, with NUL. Returns its length. Bytes are as they are: escape them. */
size_t printfmt_text(const struct printfmt *print, const void *record, size_t bytes, const struct printfmt_names *names, char *buf,
		     size_t size);

#endif
