/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: samples to rows. A row is one value of the sort keys with what was spent in it (self) and in
 * it and its callees (total). Pure.
 */
#ifndef SKEP_MODEL_REPORT_H
#define SKEP_MODEL_REPORT_H

#include "frame.h"
#include "model/tree.h"
#include "util/err.h"
#include "util/vec.h"

enum report_key { KEY_COMM, KEY_PID, KEY_TID, KEY_CPU, KEY_DSO, KEY_SYM, KEY_EVENT, KEY_MAX };

#define REPORT_KEYS_MAX KEY_MAX

/* Words of --sort, the first also of CSV and JSON; heading of text. */
struct report_key_row {
	const char *name, *alias, *heading;
};
extern const struct report_key_row report_keys[KEY_MAX];

struct report_row {
	const char *comm, *dso, *sym; /* interned or NULL when not a key */
	uint32_t pid, tid, cpu, event;
	uint32_t kind; /* enum frame_kind of sym */
	bool is_kernel; /* sym is of the kernel */
	uint64_t self, total, self_count, total_count;
	struct tree *callers; /* who called, heaviest first; NULL unless wanted, or without self */
	uint64_t mark;	      /* last sample that was added to total: recursion counts once */
};

struct report {
	enum report_key keys[REPORT_KEYS_MAX];
	uint32_t nr_keys;
	bool with[KEY_MAX]; /* the same keys */
	bool want_callers;
	VEC(struct report_row) rows;
	uint32_t *slots;
	uint32_t nr_slots;
	uint64_t samples;
};

/* "comm,dso,sym" to keys, each once. Returns 0, or -EINVAL with err. */
int report_init(struct report *t, const char *sort, bool want_callers, struct err *err);
void report_free(struct report *t);

/* 0 or -ENOMEM. */
int report_add(struct report *t, const struct named *named);

/* Heaviest first: by total when by_total, else by self; ties by name. */
void report_sort(struct report *t, bool by_total);

#endif
