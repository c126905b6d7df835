/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the machine count an event? Found by opening it, for ourselves and not running. */
#ifndef SKEP_CAPTURE_PRESENT_H
#define SKEP_CAPTURE_PRESENT_H

#include <stddef.h>

#include "event/event.h"

/* 0, or -errno with the reason in why: "not on this machine: no PMU", "needs root: kernel.perf_event_paranoid is 3". */
int event_present(const struct event *e, char *why, size_t size);

#endif
