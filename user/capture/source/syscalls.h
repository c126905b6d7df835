/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls counted by bpf/syscalls.bpf.c: all of them for the cost of one. */
#ifndef SKEP_CAPTURE_SOURCE_SYSCALLS_H
#define SKEP_CAPTURE_SOURCE_SYSCALLS_H

#include "capture/source.h"
#include "event/event.h"

/* Delivers a reading a CPU for each of the events that is EVENT_SYSCALL. They outlive it. NULL without memory. */
struct source *src_syscalls_new(const struct event *events, int nr_events);

#endif
