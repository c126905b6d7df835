/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/datasrc.h"

#include <linux/perf_event.h>

#include "util/text.h"

#define COUNT(words) (sizeof(words) / sizeof((words)[0]))
#define OR " or "

struct words {
	char *buf;
	size_t size, n;
};

static void add(struct words *w, const char *text)
{
	w->n = text_append(w->buf, w->size, w->n, "%s", text);
}

/* The word of each bit that is set, from the lowest one on. */
static void add_bits(struct words *w, uint64_t bits, const char *const *names, size_t nr, int *nr_added)
{
	for (size_t i = 0; i < nr; i++) {
		if (!(bits >> i & 1))
			continue;
		if ((*nr_added)++)
			add(w, OR);
		add(w, names[i]);
	}
}

static void add_outcome(struct words *w, uint64_t bits, uint64_t hit, uint64_t miss)
{
	if (bits & hit)
		add(w, " hit");
	if (bits & miss)
		add(w, " miss");
}

static void put_op(struct words *w, union perf_mem_data_src d)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (d.mem_op >> i & 1) {
			add(w, names[i]);
			return;
		}
	add(w, "No");
}

static void put_level(struct words *w, union perf_mem_data_src d)
{
	static const char *const levels[] = { "N/A", "HIT", "MISS", "L1", "LFB/MAB", "L2", "L3", "Local RAM", "Remote RAM (1 hop)",
					      "Remote RAM (2 hops)", "Remote Cache (1 hop)", "Remote Cache (2 hops)", "I/O", "Uncached" };
	static const char *const numbers[16] = { [0x1] = "L1", [0x2] = "L2", [0x3] = "L3", [0x4] = "L4", [0x5] = "L5", [0x6] = "L6", [0x7] = "L7",
						 [0x8] = "L8", [0x9] = "CXL", [0xa] = "I/O", [0xb] = "Any cache", [0xc] = "LFB/MAB",
						 [0xd] = "RAM", [0xe] = "PMEM", [0xf] = "N/A" };
	static const char *const hops[8] = { NULL, "core, same node", "node, same socket", "socket, same board", "board" };
	int nr = 0;

	if (d.mem_remote)
		add(w, "Remote ");
	if (d.mem_hops) {
		add(w, hops[d.mem_hops] ? hops[d.mem_hops] : "N/A");
		add(w, " ");
	}
	add_bits(w, d.mem_hops ? 0 : d.mem_lvl & ~(uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS), levels, COUNT(levels), &nr);
	if (d.mem_lvl_num) {
		if (nr++)
			add(w, OR);
		add(w, numbers[d.mem_lvl_num]);
	}
	if (!w->n)
		add(w, "N/A");
	add_outcome(w, d.mem_lvl, PERF_MEM_LVL_HIT, PERF_MEM_LVL_MISS);
}

static void put_snoop(struct words *w, union perf_mem_data_src d)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" }, *const more[] = { "Fwd", "Peer" };
	int nr = 0;

	add_bits(w, d.mem_snoop, names, COUNT(names), &nr);
	add_bits(w, d.mem_snoopx, more, COUNT(more), &nr);
	if (!nr)
		add(w, "N/A");
}

static void put_tlb(struct words *w, union perf_mem_data_src d)
{
	static const char *const names[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
	int nr = 0;

	add_bits(w, d.mem_dtlb & ~(uint64_t)(PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS), names, COUNT(names), &nr);
	if (!nr)
		add(w, "N/A");
	add_outcome(w, d.mem_dtlb, PERF_MEM_TLB_HIT, PERF_MEM_TLB_MISS);
}

static void put_lock(struct words *w, union perf_mem_data_src d)
{
	add(w, d.mem_lock & PERF_MEM_LOCK_NA ? "N/A" : d.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

static void put_blocked(struct words *w, union perf_mem_data_src d)
{
	if (d.mem_blk & PERF_MEM_BLK_NA || !d.mem_blk) {
		add(w, " N/A");
		return;
	}
	if (d.mem_blk & PERF_MEM_BLK_DATA)
		add(w, " Data");
	if (d.mem_blk & PERF_MEM_BLK_ADDR)
		add(w, " Addr");
}

size_t datasrc_text(enum datasrc_part part, uint64_t data_src, char *buf, size_t size)
{
	static void (*const put[DATASRC_PARTS])(struct words *, union perf_mem_data_src) = {
		[DATASRC_OP] = put_op,	 [DATASRC_LEVEL] = put_level, [DATASRC_SNOOP] = put_snoop,
		[DATASRC_TLB] = put_tlb, [DATASRC_LOCK] = put_lock,   [DATASRC_BLOCKED] = put_blocked,
	};
	struct words w = { buf, size, 0 };

	buf[0] = '\0';
	put[part](&w, (union perf_mem_data_src){ .val = data_src });
	return w.n;
}

size_t datasrc_line(uint64_t data_src, char *buf, size_t size)
{
	static const char *const heads[DATASRC_PARTS] = { "|OP ", "|LVL ", "|SNP ", "|TLB ", "|LCK ", "|BLK " };
	char text[DATASRC_TEXT_MAX];
	size_t n = 0;

	buf[0] = '\0';
	for (int i = 0; i < DATASRC_PARTS; i++) {
		datasrc_text((enum datasrc_part)i, data_src, text, sizeof(text));
		n = text_append(buf, size, n, "%s%s", heads[i], text);
	}
	return n;
}
