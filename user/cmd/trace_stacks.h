/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The stacks of calls as texts. */
#ifndef SKEP_CMD_TRACE_STACKS_H
#define SKEP_CMD_TRACE_STACKS_H

#include "calls/out.h"
#include "capture/ksym.h"
#include "frame.h"
#include "profile.h"
#include "sym/sym.h"

/* Zeroed before its first use. */
struct trace_stacks {
	struct syms *syms; /* NULL: there are no stacks */
	struct ksym_asker *ksym;
	struct stack stack;
	struct out text;
	const char *frames[STACK_FRAMES_MAX + 3];
};

/* 0, or -errno with err filled. */
int trace_stacks_open(struct trace_stacks *s, struct err *err);
void trace_stacks_free(struct trace_stacks *s);

/* At the end: what there is to say of the names. */
void trace_stacks_note(const struct trace_stacks *s, struct profile *profile);

/*
 * Those of a sample, leaf first, NULL after the last: names, or with `places` what strace writes, "/lib/libc.so.6(read+0xd) [0x7f...]". NULL
 * without memory. Valid until the next call.
 */
const char *const *trace_stacks_of(struct trace_stacks *s, const struct sample *sample, uint32_t max, bool places, struct profile *profile);

/* Where a sample happened: "main+0x1f", or its address. */
void trace_stacks_where(struct trace_stacks *s, const struct sample *sample, struct out *o);

#endif
