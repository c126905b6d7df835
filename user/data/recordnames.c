/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types of records by perf's names. */
#include <stddef.h>
#include <stdio.h>

#include "data/data.h"
#include "data/format.h"

static const char *const names[RECORD_TYPES] = {
	[PERF_RECORD_MMAP] = "MMAP", [PERF_RECORD_LOST] = "LOST", [PERF_RECORD_COMM] = "COMM", [PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE", [PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE", [PERF_RECORD_FORK] = "FORK", [PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE", [PERF_RECORD_MMAP2] = "MMAP2", [PERF_RECORD_AUX] = "AUX", [PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES", [PERF_RECORD_SWITCH] = "SWITCH", [PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES", [PERF_RECORD_KSYMBOL] = "KSYMBOL", [PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP", [RECORD_TEXT_POKE] = "TEXT_POKE", [21] = "AUX_OUTPUT_HW_ID", [RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[RECORD_HEADER_ATTR] = "ATTR", [65] = "EVENT_TYPE", [RECORD_HEADER_TRACING_DATA] = "TRACING_DATA", [RECORD_HEADER_BUILD_ID] = "BUILD_ID",
	[RECORD_FINISHED_ROUND] = "FINISHED_ROUND", [69] = "ID_INDEX", [RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO", [RECORD_AUXTRACE] = "AUXTRACE",
	[72] = "AUXTRACE_ERROR", [73] = "THREAD_MAP", [74] = "CPU_MAP", [75] = "STAT_CONFIG", [76] = "STAT", [77] = "STAT_ROUND",
	[RECORD_EVENT_UPDATE] = "EVENT_UPDATE", [79] = "TIME_CONV", [RECORD_HEADER_FEATURE] = "FEATURE", [RECORD_COMPRESSED] = "COMPRESSED",
	[82] = "FINISHED_INIT", [RECORD_COMPRESSED2] = "COMPRESSED2",
};

const char *aux_name(uint32_t type)
{
	static const char *const kinds[] = { NULL, "intel_pt", "intel_bts", "cs_etm", "arm_spe", "s390_cpumsf", "hisi_ptt" };

	return type < sizeof(kinds) / sizeof(kinds[0]) ? kinds[type] : NULL;
}

const char *data_place_text(const struct data_place *p, char *buf)
{
	const char *name = record_name(p->type);

	snprintf(buf, PLACE_TEXT_BYTES, "offset 0x%llx: %s (%u)", (unsigned long long)p->at, name ? name : "UNKNOWN", p->type);
	return buf;
}

const char *record_name(unsigned type)
{
	return type < RECORD_TYPES ? names[type] : NULL;
}
