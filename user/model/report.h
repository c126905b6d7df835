/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: samples to rows. A row is one value of the sort keys with what was spent in it (self) and in
 * it and its callees (total). Pure.
 */
#ifndef SKEP_MODEL_REPORT_H
#define SKEP_MODEL_REPORT_H

#include "frame.h"
#include "model/columns.h"
#include "model/tree.h"
#include "util/vec.h"

struct report_row {
	uint32_t hash;
	uint16_t kind; /* enum frame_kind of sym */
	bool is_kernel; /* sym is of the kernel */
	const char *comm, *dso, *sym; /* interned or NULL when not a key; dso as report_request has it */
	uint32_t pid, tid, cpu, event;
	uint64_t mark; /* last sample that was added to total: recursion counts once */
	uint64_t total, total_count, self, self_count;
	uint64_t now; /* of self what came since the last refresh; begins again with each of model/livetable.h */
	uint64_t self_sys; /* of self in the kernel */
	uint64_t latency_total, latency; /* sample_latency() of total and self */
	uint32_t sums; /* of a group: index in report.group.sums */
	uint32_t slots; /* of its other keys: index in report.slots */
	const char *task; /* name of the thread of its last sample, which was at task_ns; with KEY_PID or KEY_TID */
	uint64_t task_ns;
	struct tree *chains; /* heaviest first; NULL unless wanted and there */
};

/* What a row has of one event of a group. */
struct report_sums {
	uint64_t total, self, self_count, self_sys, latency_total, latency;
};

/* Events that share a table, each with a value in every sum's column. */
struct report_group {
	uint32_t nr; /* 0: none, rows have no sums of their own for it */
	uint32_t first_by; /* by which of them rows are ordered first */
	const uint16_t *place; /* by sample.event: which of them it is; borrowed */
	uint64_t *wholes, *latencies; /* what percentages of each are of; owned */
	double *squares; /* of each the sum of its samples' squared weights, as far as samples that come as one weigh the same; owned */
	VEC(struct report_sums) sums; /* nr for each row */
};

struct strpool;

struct report {
	struct report_layout layout;
	bool with_task; /* KEY_PID or KEY_TID is a key */
	bool children, latency, chains, from_root, of_callers; /* as requested */
	uint64_t quantum_ns;
	const int *sockets; /* as requested; borrowed */
	uint32_t nr_sockets;
	VEC(struct report_row) rows;
	VEC(uint64_t) slots; /* values of keys that rows have no field for, nr_slots for each row that has any */
	uint32_t nr_slots, slot_of[KEY_MAX];
	uint64_t now[REPORT_SLOTS_MAX]; /* those of the row that is looked up */
	uint32_t *index;
	uint32_t nr_index;
	uint64_t samples;
	uint64_t whole, whole_count; /* what percentages are of, and of how many samples; 0: of those that were added */
	uint64_t whole_now; /* what percentages of `now` are of */
	uint64_t whole_latency; /* the same of latencies: those that were added, and what the caller adds */
	size_t nr_cut;	/* rows that report_cut() left out for being too small */
	size_t nr_beyond; /* and rows that it left out because there were enough before them */
	struct report_group group;
	struct strpool *files; /* names of source files without their paths; NULL: not needed */
	struct strpool *objects; /* report_object() of objects' paths, which rows have until report_free(); NULL: rows have the paths */
	struct frame *chain; /* of the sample that is added, outermost first, with from_root */
};

/* Returns 0, -ENOMEM, or -EINVAL with err. */
int report_init(struct report *t, const struct report_request *q, struct err *err);
void report_free(struct report *t);

/*
 * Has the table sum nr events apart, which place has by sample.event and which is borrowed; rows are ordered by number first_by of them,
 * then by the others. Before the first sample. 0 or -ENOMEM.
 */
int report_group(struct report *t, uint32_t nr, const uint16_t *place, uint32_t first_by);

/* 0 or -ENOMEM. */
int report_add(struct report *t, const struct named *named);

/* A row's value of a key that has slots. */
static inline const uint64_t *report_slots(const struct report *t, const struct report_row *r, enum report_column key)
{
	return &t->slots.data[r->slots + t->slot_of[key]];
}

/* Is it a key of branches? */
static inline bool branch_key_is(enum report_column key)
{
	return key >= KEY_BRANCH_FIRST && key <= KEY_BRANCH_LAST;
}

/* Slots of KEY_MISPREDICT */
enum { BRANCH_NOT_SAID, BRANCH_PREDICTED, BRANCH_MISPREDICTED };

/* The last part of a path, as perf shows objects; "[...]" and "//anon" stay whole. */
const char *report_object(const char *path);

/* By a key, from the least on. */
int report_key_cmp(const struct report *t, const struct report_row *x, const struct report_row *y, enum report_column key);

/* What a row has in the column of a sum. */
uint64_t report_sum(const struct report_row *r, enum report_column c);

/* The same of event i of a group. */
uint64_t report_group_sum(const struct report *t, const struct report_row *r, enum report_column c, uint32_t i);

/* In the order of the layout; ties by name. Nothing may be added after it. */
void report_sort(struct report *t);

/*
 * Keeps rows of at least `percent` whose symbol contains `symbol` (NULL: any), and of these the first `max` (0: all); without
 * the sum of callees only those with weight of their own.
 */
struct report_limits {
	double percent;
	uint64_t whole, max;
	const char *symbol;
	bool self_only;
};
void report_cut(struct report *t, const struct report_limits *limits);

#endif
