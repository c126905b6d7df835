/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of samples to perf's words (PERF_TXN_* of uapi/linux/perf_event.h). */
#include "render/rows/samplecells.h"

#include <linux/perf_event.h>
#include <stdio.h>

#include "model/datasrc.h"
#include "util/text.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define KIB 1024ull

static size_t transaction_text(char *buf, size_t size, uint64_t t)
{
	static const char *const names[] = { "EL ", "TX ", "SYNC ", "ASYNC ", "RETRY ", "CON ", "CAP-WRITE ", "CAP-READ " };
	size_t len = 0;

	for (size_t i = 0; i < NR(names); i++)
		if (t >> i & 1)
			len = text_append(buf, size, len, "%s", names[i]);
	if (t && !(t & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		len = text_append(buf, size, len, "NEITHER ");
	if (t & PERF_TXN_ABORT_MASK)
		len = text_append(buf, size, len, ":%llx", (unsigned long long)((t & PERF_TXN_ABORT_MASK) >> PERF_TXN_ABORT_SHIFT));
	return len;
}

static size_t page_text(char *buf, size_t size, uint64_t bytes)
{
	static const char units[] = { 'B', 'K', 'M', 'G' };
	size_t unit = 0;

	if (!bytes)
		return text_append(buf, size, 0, "N/A");
	for (; bytes / KIB > 1 && unit + 1 < NR(units); unit++) /* perf says 1024M, too (unit_number__scnprintf()) */
		bytes /= KIB;
	return text_append(buf, size, 0, "%llu%c", (unsigned long long)bytes, units[unit]);
}

int sample_cell(char *buf, size_t size, enum report_column key, uint64_t value, uint64_t count)
{
	buf[0] = '\0';
	switch (key) {
	case KEY_MEM:
		return (int)datasrc_text(DATASRC_LEVEL, value, buf, size);
	case KEY_TLB:
		return (int)datasrc_text(DATASRC_TLB, value, buf, size);
	case KEY_SNOOP:
		return (int)datasrc_text(DATASRC_SNOOP, value, buf, size);
	case KEY_LOCKED:
		return (int)datasrc_text(DATASRC_LOCK, value, buf, size);
	case KEY_BLOCKED:
		return (int)datasrc_text(DATASRC_BLOCKED, value, buf, size);
	case KEY_TRANSACTION:
		return (int)transaction_text(buf, size, value);
	case KEY_CODE_PAGE_SIZE:
	case KEY_DATA_PAGE_SIZE:
		return (int)page_text(buf, size, value);
	case KEY_ADDR:
	case KEY_PHYS_DADDR:
		return snprintf(buf, size, "%#llx", (unsigned long long)value);
	case KEY_WEIGHT:
	case KEY_INS_LAT:
	case KEY_P_STAGE_CYC:
		return snprintf(buf, size, "%llu", (unsigned long long)(value * count));
	default:
		return snprintf(buf, size, "%llu", (unsigned long long)value);
	}
}
