/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's tracepoints by the names that tracefs has for them. */
#ifndef SKEP_EVENT_TRACEPOINTS_H
#define SKEP_EVENT_TRACEPOINTS_H

#include <stddef.h>

#include "event/event.h"
#include "util/err.h"

/* Where tracefs is, or NULL: static. */
const char *tracefs_path(void);

/* err for -ENOTDIR (not mounted) and -EACCES (only for root) at what[len], with the way out. Returns ret. */
int tracefs_refused(int ret, const char *what, size_t len, struct err *err);

/*
 * text[len], "SUBSYSTEM:NAME" with globs in either, to events. The kernel attaches by NAME alone: only tracefs shows that it is
 * one of SUBSYSTEM. Returns how many, -ENOENT when nothing matches, -ENOTDIR when tracefs is not mounted, -EACCES
 * when it may not be read, -E2BIG.
 */
int tracepoint_events(const char *text, size_t len, struct event *ret_events, int max);

/*
 * Every tracepoint, "SUBSYSTEM:NAME", in the order of names. Returns 0, what each() returned, -ENOTDIR, -EACCES as above, or
 * -ENOMEM.
 */
int tracepoint_each(int (*each)(void *arg, const char *name), void *arg);

/*
 * "SUBSYSTEM:NAME" of a tracepoint or of a system call's, by the name that the kernel has for it. False: it has none (a counter, or
 * a call of another ABI).
 */
bool tracepoint_name(const struct event *e, char *buf, size_t size);

#endif
