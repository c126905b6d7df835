/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a sampled load or store met: union perf_mem_data_src (include/uapi/linux/perf_event.h) in the words of perf
 * (tools/perf/util/mem-events.c of Linux 6.1).
 */
#ifndef SKEP_MODEL_DATASRC_H
#define SKEP_MODEL_DATASRC_H

#include <stddef.h>
#include <stdint.h>

enum datasrc_part {
	DATASRC_OP,
	DATASRC_LEVEL,
	DATASRC_SNOOP,
	DATASRC_TLB,
	DATASRC_LOCK,
	DATASRC_BLOCKED,
	DATASRC_PARTS,
};

#define DATASRC_TEXT_MAX 256 /* of the longest part, and of perf's whole line */

/* "L1 or L1 hit", cut to size with its NUL. Returns its length. */
size_t datasrc_text(enum datasrc_part part, uint64_t data_src, char *buf, size_t size);

/* All parts: "|OP LOAD|LVL L1 or L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A". */
size_t datasrc_line(uint64_t data_src, char *buf, size_t size);

#endif
