/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that stay: what tracefs has in kprobe_events and uprobe_events (Documentation/trace/kprobetrace.rst, uprobetracer.rst). Each is a
 * tracepoint to all tools, GROUP:NAME, until it is deleted. In come its lines, which anybody may have written; out go lines to it.
 */
#ifndef SKEP_EVENT_LASTING_H
#define SKEP_EVENT_LASTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/err.h"
#include "util/vec.h"

#define LASTING_NAME_MAX 64 /* of a group or a name, with its NUL: MAX_EVENT_NAME_LEN, include/linux/trace_events.h */
#define LASTING_ARGS_MAX 128 /* MAX_TRACE_ARGS, kernel/trace/trace_probe.h */
#define LASTING_LINE_MAX 4096 /* MAX_ARGSTR_LEN and more: bytes that the kernel takes in one write */

struct lasting_arg {
	const char *name, *fetch; /* "size", "%dx:u64"; in the text of its probe */
	char type[8];		  /* "s32", where fetch has none: that of its field; empty: x64 */
};

struct lasting {
	char *text; /* malloc(): its words are the strings below */
	const char *group, *name;
	const char *place; /* a file's path; a symbol of the kernel ("MODULE:SYMBOL"), or "" for an address */
	uint64_t offset;   /* in the file, after the symbol; or the address */
	uint64_t semaphore; /* of a file; 0: none */
	bool is_user, is_return;
	struct lasting_arg args[LASTING_ARGS_MAX];
	int nr_args;
};

struct lastings {
	VEC(struct lasting) all; /* of the kernel first, in the order of the files */
};

/* A line of those files, of len bytes. 0, -EINVAL: it is none of a function's probe, or -ENOMEM. The caller frees it when it is 0. */
int lasting_parse(const char *line, size_t len, bool is_user, struct lasting *ret_probe);
void lasting_free(struct lasting *probe);

/* All that are there. 0, -ENOTDIR: no tracefs, -EACCES, -EOPNOTSUPP: the kernel has neither file, or -ENOMEM. The caller frees them if it is 0. */
int lastings_read(struct lastings *ret_probes);
void lastings_free(struct lastings *probes);

/* Can an event of this kernel have several places (5.5 on)? */
bool lasting_has_many(void);

/* err for what lastings_read() returned. Returns ret. */
int lastings_refused(int ret, struct err *err);

/* Those of that name, GROUP:NAME, and the types that the kernel chose: one for each place, at least one. 0, -ENOENT, or as lastings_read(); the caller frees them if it is 0. */
int lastings_find(const char *name, struct lastings *ret_probes);

/* Gives the kernel a line, "p:probe/f f" or "-:probe/f". 0 or -errno with err filled. */
int lasting_write(bool is_user, const char *line, struct err *err);

#endif
