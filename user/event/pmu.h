/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What sysfs says of the PMUs (placeholder: the other branch has the real one). */
#ifndef SKEP_EVENT_PMU_H
#define SKEP_EVENT_PMU_H

#include <stdint.h>

/* Every event of every PMU that sysfs names: pmu "cpu", event "cache-misses", terms "event=0x64,umask=0x09". Returns 0, or what each() returned. */
int pmu_each_event(int (*each)(void *arg, const char *pmu, const char *event, const char *terms), void *arg);

/* Every PMU and its number. */
int pmu_each(int (*each)(void *arg, const char *pmu, uint32_t type), void *arg);

#endif
