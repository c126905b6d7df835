/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PMUs as sysfs describes them: Documentation/ABI/testing/sysfs-bus-event_source-devices{,-format,-events}. */
#ifndef SKEP_EVENT_PMU_H
#define SKEP_EVENT_PMU_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "util/err.h"
#include "util/near.h"

/*
 * text[at..end) is PMU/TERM,TERM=VALUE.../ with nothing after it: terms of the PMU's format, names of its events, and config,
 * config1, config2, name, period. Fills type, config*, unit, scale, pmu and, for name=, name. Returns 0, -ENOENT when no PMU is
 * called so, or -EINVAL with err filled and a caret in text.
 */
int pmu_event(const char *text, size_t at, size_t end, struct event *ret_event, struct err *err);

/* text[at..end) is an event that a PMU knows by this name alone ("mem-loads"), likewise: 0, -ENOENT or -EINVAL. */
int pmu_named_event(const char *text, size_t at, size_t end, struct event *ret_event, struct err *err);

/* The CPUs that count for all (uncore), or that have this PMU at all: calls each() for them. -ENOENT: every CPU has its own. */
int pmu_each_cpu(const char *pmu, int (*each)(void *arg, uint64_t cpu), void *arg);

/* Every event of every PMU: pmu "cpu", event "cache-misses", terms "event=0x64,umask=0x09". Returns 0, or what each() returned. */
int pmu_each_event(int (*each)(void *arg, const char *pmu, const char *event, const char *terms), void *arg);

/* Every PMU and its number. Returns 0, or what each() returned. */
int pmu_each(int (*each)(void *arg, const char *pmu, uint32_t type), void *arg);

/* The kinds of CPUs: calls each() with the PMU of each, "cpu" where all are of one kind and it has none. Returns 0, or what each() returned. */
int pmu_each_core(int (*each)(void *arg, const char *pmu, uint32_t type), void *arg);

/*
 * The terms text[from] to text[to] of an event of no PMU, which is written from text[at] on: period=, freq=, name=. 0, or -EINVAL with err
 * filled.
 */
int event_terms(const char *text, size_t at, size_t from, size_t to, struct event *e, struct err *err);

#endif
