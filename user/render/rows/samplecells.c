/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of samples to perf's words (PERF_MEM_* and PERF_TXN_* of uapi/linux/perf_event.h). */
#include "render/rows/samplecells.h"

#include <linux/perf_event.h>
#include <stdio.h>

#include "util/text.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define KIB 1024ull

/* The names of the bits that are set, in between what separates them. */
static size_t put_bits(char *buf, size_t size, size_t len, uint64_t bits, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bits >> i & 1 && names[i])
			len = text_append(buf, size, len, "%s%s", len ? " or " : "", names[i]);
	return len;
}

static size_t put_hit(char *buf, size_t size, size_t len, bool hit, bool miss)
{
	if (!len)
		len = text_append(buf, size, len, "N/A");
	if (hit)
		len = text_append(buf, size, len, " hit");
	return miss ? text_append(buf, size, len, " miss") : len;
}

static size_t level_text(char *buf, size_t size, union perf_mem_data_src src)
{
	static const char *const levels[] = { "N/A", NULL, NULL, "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
					      "Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached" };
	static const char *const numbers[16] = { [PERF_MEM_LVLNUM_ANY_CACHE] = "Any cache", [PERF_MEM_LVLNUM_LFB] = "LFB/MAB",
						 [PERF_MEM_LVLNUM_RAM] = "RAM", [PERF_MEM_LVLNUM_PMEM] = "PMEM", [PERF_MEM_LVLNUM_NA] = "N/A" };
	static const char *const hops[8] = { NULL, "core, same node", "node, same socket", "socket, same board", "board" };
	uint64_t hit = src.mem_lvl & PERF_MEM_LVL_HIT, miss = src.mem_lvl & PERF_MEM_LVL_MISS;
	char level[128] = "";
	size_t len = 0;

	if (!src.mem_hops)
		len = put_bits(level, sizeof(level), 0, src.mem_lvl, levels, NR(levels));
	if (src.mem_lvl_num && numbers[src.mem_lvl_num])
		len = text_append(level, sizeof(level), len, "%s%s", len ? " or " : "", numbers[src.mem_lvl_num]);
	else if (src.mem_lvl_num)
		len = text_append(level, sizeof(level), len, "%sL%d", len ? " or " : "", (int)src.mem_lvl_num);
	len = text_append(buf, size, 0, "%s", src.mem_remote ? "Remote " : "");
	if (src.mem_hops)
		len = text_append(buf, size, len, "%s ", hops[src.mem_hops] ? hops[src.mem_hops] : "N/A");
	len = text_append(buf, size, len, "%s", level);
	return put_hit(buf, size, len, hit, miss);
}

static size_t tlb_text(char *buf, size_t size, uint64_t tlb)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

	return put_hit(buf, size, put_bits(buf, size, 0, tlb, names, NR(names)), tlb & PERF_MEM_TLB_HIT, tlb & PERF_MEM_TLB_MISS);
}

static size_t snoop_text(char *buf, size_t size, union perf_mem_data_src src)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" }, *const more[] = { "Fwd", "Peer" };
	size_t len = put_bits(buf, size, 0, src.mem_snoop, names, NR(names));

	return put_hit(buf, size, put_bits(buf, size, len, src.mem_snoopx, more, NR(more)), false, false);
}

static size_t blocked_text(char *buf, size_t size, uint64_t blocked)
{
	size_t len = 0;

	if (!blocked || blocked & PERF_MEM_BLK_NA)
		return text_append(buf, size, len, " N/A");
	if (blocked & PERF_MEM_BLK_DATA)
		len = text_append(buf, size, len, " Data");
	return blocked & PERF_MEM_BLK_ADDR ? text_append(buf, size, len, " Addr") : len;
}

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
	union perf_mem_data_src src = { .val = value };

	buf[0] = '\0';
	switch (key) {
	case KEY_MEM:
		return (int)level_text(buf, size, src);
	case KEY_TLB:
		return (int)tlb_text(buf, size, src.mem_dtlb);
	case KEY_SNOOP:
		return (int)snoop_text(buf, size, src);
	case KEY_LOCKED:
		return snprintf(buf, size, "%s", src.mem_lock & PERF_MEM_LOCK_NA ? "N/A" : src.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
	case KEY_BLOCKED:
		return (int)blocked_text(buf, size, src.mem_blk);
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
