/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A bound argument of a probe as tracefs fetches it: "+24(%si):x64" (Documentation/trace/uprobetracer.rst). */
#ifndef SKEP_EVENT_FETCH_H
#define SKEP_EVENT_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#include "event/bind.h"

/*
 * Argument i of a bound probe into buf. type: "u32", "x", "string", what was written after its colon; "": as its own type is, numbers
 * without a sign in hexadecimal, as perf probe has them. is_go: a function that is called as Go's are. 0, or -EINVAL with err filled: the
 * kernel has no word for it.
 */
int fetch_text(const struct bound_probe *probe, int i, const char *type, bool is_go, char *buf, size_t size, struct err *err);

/* Is it a type that tracefs knows, or s, u or x alone? */
bool fetch_is_type(const char *type);

#endif
