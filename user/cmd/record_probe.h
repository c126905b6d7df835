/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The values of a probe in a recording: in come those of a sample, out go a record and its format, as the kernel has them for perf's own
 * probes (kernel/trace/trace_probe.c, trace_uprobe.c): the common fields, the address, then each argument.
 */
#ifndef SKEP_CMD_RECORD_PROBE_H
#define SKEP_CMD_RECORD_PROBE_H

#include "capture/source/probe.h"

#define RECORD_PROBE_SYSTEM "probe" /* before the name of each */

/* The text of the format of a probe with arguments, which has that number. malloc(); NULL without memory. */
char *record_probe_format(const struct probe *probe, uint16_t id);

/* Bytes of its longest record. */
size_t record_probe_size(const struct probe *probe);

/* Values that records do not have as they were. */
struct record_probe_gaps {
	uint64_t nr_faults; /* could not be read */
	uint64_t nr_full;   /* texts that fill what is kept of one: they may be longer */
};

/* Writes the raw record of a sample into to, which is zeroed and has record_probe_size() bytes. Returns its length. gaps are added to. */
size_t record_probe_put(const struct probe *probe, uint16_t id, const struct sample *s, uint8_t *to, struct record_probe_gaps *gaps);

#endif
