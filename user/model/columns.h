/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: the columns of a report. In: the words of --sort and --fields, as perf takes them. Out: what rows are summed by, what is printed,
 * and in which order rows stand. A new key is a line of report_columns, a place in model/report.c that fills it and one in
 * render/rows/cells.c that prints it. Pure.
 */
#ifndef SKEP_MODEL_COLUMNS_H
#define SKEP_MODEL_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "sample.h"
#include "util/err.h"

/* Keys first, then sums. */
enum report_column {
	KEY_COMM, KEY_PID, KEY_TID, KEY_CPU, KEY_DSO, KEY_SYM, KEY_EVENT, KEY_SRCLINE, KEY_SRCFILE, KEY_PARENT, KEY_TIME, KEY_TRACE, KEY_SOCKET,
	/* Of a branch */
	KEY_DSO_FROM, KEY_DSO_TO, KEY_SYM_FROM, KEY_SYM_TO, KEY_SRCLINE_FROM, KEY_SRCLINE_TO, KEY_MISPREDICT, KEY_IN_TX, KEY_ABORT, KEY_CYCLES,
	KEY_BRANCH_FIRST = KEY_DSO_FROM, KEY_BRANCH_LAST = KEY_CYCLES,
	/* Numbers of a sample (model/samplekey.h) */
	KEY_LOCAL_WEIGHT, KEY_WEIGHT, KEY_LOCAL_INS_LAT, KEY_INS_LAT, KEY_LOCAL_P_STAGE_CYC, KEY_P_STAGE_CYC, KEY_TRANSACTION, KEY_ADDR,
	KEY_CODE_PAGE_SIZE, KEY_DATA_PAGE_SIZE, KEY_PHYS_DADDR, KEY_MEM, KEY_TLB, KEY_SNOOP, KEY_LOCKED, KEY_BLOCKED, KEY_CGROUP, KEY_PARALLELISM,
	KEY_SAMPLE_FIRST = KEY_LOCAL_WEIGHT, KEY_SAMPLE_LAST = KEY_PARALLELISM,
	KEY_SYM_SIZE, KEY_DSO_SIZE, KEY_CGROUP_ID,
	/* Labels of a store, as enum sample_label */
#define KEY_OF_LABEL(name, key) KEY_##name,
	SAMPLE_LABELS(KEY_OF_LABEL)
#undef KEY_OF_LABEL
	KEY_LABEL_FIRST = KEY_HOST, KEY_LABEL_LAST = KEY_LABEL_FIRST + LABEL_MAX - 1,
	/* Of what a sample touched, and by what code */
	KEY_SYM_DADDR, KEY_DSO_DADDR, KEY_SYM_IADDR, KEY_CACHE_LINE, KEY_MAX,
	SUM_NOW = KEY_MAX, SUM_CHILDREN, SUM_SELF, SUM_SYS, SUM_US, SUM_GUEST_SYS, SUM_GUEST_US, SUM_SAMPLES, SUM_PERIOD,
	SUM_LATENCY_CHILDREN, SUM_LATENCY, REPORT_COLUMNS
};

struct report_column_row {
	const char *name, *alias; /* words of --sort and --fields, the first also of CSV and JSON */
	const char *heading;	  /* of text */
	uint8_t width;		  /* of a sum's column; 0: a key, as wide as its texts */
	uint8_t slots;		  /* of a key: how many numbers it adds to a row */
	uint64_t needs;		  /* PERF_SAMPLE_*: a sample must have one of them; 0: nothing */
	const char *how;	  /* with it: what that is, and what records it */
};
extern const struct report_column_row report_columns[REPORT_COLUMNS];

#define REPORT_SLOTS_MAX 64 /* of all keys */

/* Slots of an address key: address, symbol name (0: none), offset in it, level letter | ADDRESS_IS_DATA; of a line its owner. */
enum address_slot { ADDRESS_AT, ADDRESS_NAME, ADDRESS_OFF, ADDRESS_LEVEL, ADDRESS_SLOTS, ADDRESS_OWNER = ADDRESS_SLOTS };
#define ADDRESS_IS_DATA 0x100u

static inline bool address_key_is(enum report_column c)
{
	return c == KEY_SYM_DADDR || c == KEY_SYM_IADDR || c == KEY_CACHE_LINE;
}

static inline bool label_key_is(enum report_column c)
{
	return c >= KEY_LABEL_FIRST && c <= KEY_LABEL_LAST;
}

#define LABEL_KEYS (((1ull << LABEL_MAX) - 1) << KEY_LABEL_FIRST) /* bits of all */

/* What is wanted. */
struct report_request {
	const char *sort, *fields; /* NULL: not given */
	bool children;		   /* sums of callees, too */
	bool latency, by_latency;  /* samples have their parallelism: sums of latency, and rows by them first */
	bool now;		   /* rows have what was added since the last refresh, and are ordered by it first */
	bool utilization, counts, period; /* columns for modes of the CPU, numbers of samples, weights */
	uint64_t quantum_ns;	   /* of KEY_TIME; 0: 100 ms */
	const int *sockets;	   /* of each CPU, for KEY_SOCKET; borrowed */
	uint32_t nr_sockets;
	bool long_files;	   /* source files of one name are others where their paths are */
	bool short_objects;	   /* objects are one where report_object() of their paths is */
	bool with_parent;	   /* the parent is a key, too */
	bool hidden[KEY_MAX];	   /* these are no columns, unless nothing else is */
	/* Call chains of each row: */
	bool chains;
	bool from_root;	   /* outermost frame first */
	bool of_callers;   /* of rows that are only met as callers, too */
};

struct report_layout {
	enum report_column keys[KEY_MAX];
	uint32_t nr_keys;
	bool with[REPORT_COLUMNS]; /* the same keys, and the sums that are shown */
	enum report_column shown[REPORT_COLUMNS];
	uint32_t nr_shown;
	enum report_column order[REPORT_COLUMNS];
	uint32_t nr_order;
	bool sorted[REPORT_COLUMNS]; /* --sort names it */
};

#define REPORT_KEYS "comm,dso,sym"
#define REPORT_BRANCH_KEYS "comm,dso_from,symbol_from,symbol_to,cycles"
#define REPORT_MEMORY_KEYS "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked"

#define KEY_BIT(key) (1ull << (key))

/* The first key that is none of these (bits), KEY_MAX: all are. */
enum report_column report_layout_other(const struct report_layout *l, uint64_t keys);

/* The labels that are keys: 1 << enum sample_label of each. */
uint32_t report_layout_labels(const struct report_layout *l);

/* Is a key a source file or a line of one? */
bool report_layout_has_lines(const struct report_layout *l);

/* Takes the sums of latency away again: what was read says that they cannot be known. */
void report_layout_no_latency(struct report_layout *l);

/* 0, or -EINVAL with err filled. */
int report_layout_parse(struct report_layout *l, const struct report_request *q, struct err *err);

#endif
