/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a recording says of this machine's processors: model, topology and PMUs, from /proc/cpuinfo and sysfs. */
#ifndef SKEP_UTIL_MACHINE_H
#define SKEP_UTIL_MACHINE_H

#include <stdint.h>

#include "util/vec.h"

#define MACHINE_TEXT_MAX 256

struct machine_text {
	char text[MACHINE_TEXT_MAX];
};

struct machine_texts {
	struct machine_text *data;
	size_t n, cap;
};

struct machine_cpu {
	int core, die, socket; /* -1: not known, as of one that is off-line */
};

struct machine_pmu {
	char name[64];
	uint32_t type; /* of struct perf_event_attr */
};

struct machine {
	char cpu_desc[MACHINE_TEXT_MAX]; /* "AMD EPYC" */
	char cpuid[MACHINE_TEXT_MAX];	 /* "AuthenticAMD,25,1,1" (vendor, family, model, stepping); empty where there is no such */
	struct machine_texts sockets, dies, cores; /* CPUs that share one: "0-3,8" */
	VEC(struct machine_cpu) cpus;	/* of all that the machine may have */
	VEC(struct machine_pmu) pmus;
};

/* 0 or -ENOMEM; what the system does not say is empty. Zeroed before; free in any case. */
int machine_read(struct machine *m, uint32_t nr_cpus);
void machine_free(struct machine *m);

#endif
