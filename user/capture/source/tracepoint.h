/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracepoints counted by bpf/tracepoint.bpf.c: a link each. */
#ifndef SKEP_CAPTURE_SOURCE_TRACEPOINT_H
#define SKEP_CAPTURE_SOURCE_TRACEPOINT_H

#include "capture/source.h"
#include "capture/source/count.h"
#include "event/event.h"

/*
 * Delivers a reading a CPU for each of the events that is EVENT_TRACEPOINT. One that the kernel does not let us attach to gets
 * COUNTER_NOT_SUPPORTED in states. Events and states outlive it. NULL without memory.
 */
struct source *src_tracepoint_new(const struct event *events, int nr_events, enum counter_state *states);

#endif
