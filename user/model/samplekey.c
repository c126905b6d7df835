/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/samplekey.h"

#include <linux/perf_event.h>
#include <stddef.h>

/* A struct of PERF_SAMPLE_WEIGHT_STRUCT (union perf_sample_weight) has 32 bits, then 16, then 16. */
static uint64_t weight_part(const struct sample_fields *f, enum report_column key)
{
	bool parts = f->has & PERF_SAMPLE_WEIGHT_STRUCT;

	if (key == KEY_LOCAL_WEIGHT || key == KEY_WEIGHT)
		return parts ? f->weight & UINT32_MAX : f->weight;
	if (!parts)
		return 0;
	return key == KEY_LOCAL_INS_LAT || key == KEY_INS_LAT ? f->weight >> 32 & UINT16_MAX : f->weight >> 48;
}

/* Of a data source what the key shows. */
static uint64_t memory_part(const struct sample_fields *f, enum report_column key)
{
	union perf_mem_data_src from = { .val = f->data_src }, to = { .val = 0 };

	if (!(f->has & PERF_SAMPLE_DATA_SRC) || !f->data_src)
		from = (union perf_mem_data_src){ .mem_op = PERF_MEM_OP_NA, .mem_lvl = PERF_MEM_LVL_NA, .mem_snoop = PERF_MEM_SNOOP_NA,
						  .mem_lock = PERF_MEM_LOCK_NA, .mem_dtlb = PERF_MEM_TLB_NA };
	if (key == KEY_TLB) {
		to.mem_dtlb = from.mem_dtlb;
	} else if (key == KEY_SNOOP) {
		to.mem_snoop = from.mem_snoop;
		to.mem_snoopx = from.mem_snoopx;
	} else if (key == KEY_LOCKED) {
		to.mem_lock = from.mem_lock;
	} else if (key == KEY_BLOCKED) {
		to.mem_blk = from.mem_blk;
	} else {
		to.mem_lvl = from.mem_lvl;
		to.mem_lvl_num = from.mem_lvl_num;
		to.mem_remote = from.mem_remote;
		to.mem_hops = from.mem_hops;
	}
	return to.val;
}

uint64_t sample_key_value(enum report_column key, const struct sample *s)
{
	static const struct sample_fields none;
	const struct sample_fields *f = s->fields ? s->fields : &none;

	switch (key) {
	case KEY_ADDR:
		return s->ip;
	case KEY_CGROUP:
		return s->fields ? f->cgroup : s->cgroup;
	case KEY_PARALLELISM:
		return s->parallelism;
	case KEY_TRANSACTION:
		return f->transaction;
	case KEY_CODE_PAGE_SIZE:
		return f->code_page_bytes;
	case KEY_DATA_PAGE_SIZE:
		return f->data_page_bytes;
	case KEY_PHYS_DADDR:
		return f->phys_addr;
	case KEY_MEM:
	case KEY_TLB:
	case KEY_SNOOP:
	case KEY_LOCKED:
	case KEY_BLOCKED:
		return memory_part(f, key);
	default:
		return weight_part(f, key);
	}
}

static int number_cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int address_cmp(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? -1 : (int64_t)a > (int64_t)b;
}

int sample_key_cmp(enum report_column key, uint64_t a, uint64_t b)
{
	union perf_mem_data_src x = { .val = a }, y = { .val = b };

	if (key == KEY_MEM && x.mem_lvl != y.mem_lvl)
		return number_cmp(x.mem_lvl, y.mem_lvl);
	if (key == KEY_ADDR)
		return address_cmp(a, b);
	return key < KEY_ADDR ? number_cmp(b, a) : number_cmp(a, b);
}

uint64_t sample_cost(const struct sample *s)
{
	uint64_t weight = s->fields ? weight_part(s->fields, KEY_WEIGHT) : 0;

	return weight ? weight : 1;
}
