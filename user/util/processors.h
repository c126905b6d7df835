/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a recording says of this machine's processors: model, topology and PMUs, from /proc/cpuinfo and sysfs. */
#ifndef SKEP_UTIL_PROCESSORS_H
#define SKEP_UTIL_PROCESSORS_H

#include <stdint.h>

#include "util/vec.h"

#define PROCESSOR_TEXT_MAX 256
#define PROCESSORS_DIR "/sys/devices/system/cpu"

struct processor_texts {
	char **data;
	size_t n, cap;
};

struct processor_cpu {
	int core, die, socket; /* -1: not known, as of one that is off-line */
};

struct processor_pmu {
	char name[64];
	uint32_t type; /* of struct perf_event_attr */
};

struct processors {
	const char *dir; /* the CPUs of sysfs; NULL: PROCESSORS_DIR. Set before processors_read() */
	char cpu_desc[PROCESSOR_TEXT_MAX]; /* "AMD EPYC" */
	char cpuid[PROCESSOR_TEXT_MAX];	 /* "AuthenticAMD,25,1,1" (vendor, family, model, stepping); empty where there is no such */
	struct processor_texts sockets, dies, cores; /* CPUs that share one: "0-3,8" */
	VEC(struct processor_cpu) cpus;	/* of all that the machine may have */
	VEC(struct processor_pmu) pmus;
};

/* 0 or -ENOMEM; what the system does not say is empty. All but dir is zero before; free in any case. */
int processors_read(struct processors *p, uint32_t nr_cpus);
void processors_free(struct processors *p);

#endif
