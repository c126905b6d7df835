/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of events that every kernel knows: hardware, cache, software, raw. Numbers are those of uapi/linux/perf_event.h. */
#ifndef SKEP_EVENT_NAMES_H
#define SKEP_EVENT_NAMES_H

#include <stddef.h>

#include "event/event.h"

/* Fills type, config and unit. 0, or -ENOENT when name[len] is none of them. */
int name_event(const char *name, size_t len, struct event *ret_event);

#endif
