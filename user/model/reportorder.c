/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The order of rows, and what a row has in a column. */
#include <stdlib.h>
#include <string.h>

#include "model/report.h"
#include "model/samplekey.h"

const char *report_object(const char *path)
{
	const char *slash = strrchr(path, '/');

	return path[0] == '/' && path[1] != '/' && slash[1] ? slash + 1 : path;
}

static int name_cmp(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int number_cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int address_slots_cmp(const uint64_t *a, const uint64_t *b, int nr)
{
	int ret = address_cmp(a[ADDRESS_AT], b[ADDRESS_AT]);

	if (!ret)
		ret = name_cmp((const char *)(uintptr_t)a[ADDRESS_NAME], (const char *)(uintptr_t)b[ADDRESS_NAME]);
	for (int i = ADDRESS_OFF; i < nr && !ret; i++)
		ret = number_cmp(a[i], b[i]);
	return ret;
}

static int slots_cmp(const struct report *t, const struct report_row *x, const struct report_row *y, enum report_column c)
{
	const uint64_t *a = report_slots(t, x, c), *b = report_slots(t, y, c);
	bool is_line = c == KEY_SRCLINE || c == KEY_SRCLINE_FROM || c == KEY_SRCLINE_TO;
	int ret;

	if (sample_key_is(c))
		return sample_key_cmp(c, *a, *b);
	if (c == KEY_SYM_SIZE || c == KEY_DSO_SIZE) /* what is not known comes first */
		return number_cmp(*a + 1, *b + 1);
	if (c == KEY_CGROUP_ID && *a == *b)
		return number_cmp(a[1], b[1]);
	if (c == KEY_TIME || c == KEY_SOCKET || c == KEY_CGROUP_ID)
		return number_cmp(*a, *b);
	if (c >= KEY_MISPREDICT && c <= KEY_CYCLES) /* as perf: the greatest first */
		return number_cmp(*b, *a);
	if (address_key_is(c))
		return address_slots_cmp(a, b, report_columns[c].slots);
	if (c == KEY_DSO_DADDR) /* as perf: no mapping first, then backwards */
		return !*a || !*b ? number_cmp(!*b, !*a) : name_cmp(report_object((const char *)(uintptr_t)*b), report_object((const char *)(uintptr_t)*a));
	ret = name_cmp((const char *)(uintptr_t)*a, (const char *)(uintptr_t)*b);
	if (!ret && is_line)
		ret = name_cmp((const char *)(uintptr_t)a[2], (const char *)(uintptr_t)b[2]);
	return !ret && is_line ? number_cmp(a[1], b[1]) : ret;
}

uint64_t report_sum(const struct report_row *r, enum report_column c)
{
	switch (c) {
	case SUM_NOW:
		return r->now;
	case SUM_CHILDREN:
		return r->total;
	case SUM_SYS:
		return r->self_sys;
	case SUM_US:
		return r->self - r->self_sys;
	case SUM_SAMPLES:
		return r->self_count;
	case SUM_LATENCY_CHILDREN:
		return r->latency_total;
	case SUM_LATENCY:
		return r->latency;
	case SUM_GUEST_SYS:
	case SUM_GUEST_US: /* samples of guests are not delivered */
		return 0;
	default:
		return r->self;
	}
}

uint64_t report_group_sum(const struct report *t, const struct report_row *r, enum report_column c, uint32_t i)
{
	const struct report_sums *s = &t->group.sums.data[r->sums + i];

	return report_sum(&(struct report_row){ .total = s->total, .self = s->self, .self_count = s->self_count, .self_sys = s->self_sys,
						 .latency_total = s->latency_total, .latency = s->latency }, c);
}

static int sums_cmp(const struct report *t, const struct report_row *x, const struct report_row *y, enum report_column c)
{
	const struct report_group *g = &t->group;
	bool is_acc = c == SUM_CHILDREN || c == SUM_LATENCY_CHILDREN;
	uint32_t first = is_acc ? 0 : g->first_by, nr = is_acc ? 1 : g->nr; /* perf's __hpp__sort_acc() */
	int ret;

	if (!g->nr)
		return number_cmp(report_sum(y, c), report_sum(x, c));
	ret = number_cmp(report_group_sum(t, y, c, first), report_group_sum(t, x, c, first));
	/* Not by event 0, as perf's __hpp__group_sort_idx(): it was the first to compare, or --group-sort-idx says that it does not count. */
	for (uint32_t i = 1; i < nr && !ret; i++)
		ret = number_cmp(report_group_sum(t, y, c, i), report_group_sum(t, x, c, i));
	return ret;
}

/* Sums from the greatest on, too. */
int report_key_cmp(const struct report *t, const struct report_row *x, const struct report_row *y, enum report_column c)
{
	switch (c) {
	case KEY_COMM:
		return name_cmp(x->comm, y->comm);
	case KEY_DSO:
		return name_cmp(x->dso ? report_object(x->dso) : NULL, y->dso ? report_object(y->dso) : NULL);
	case KEY_SYM:
		return name_cmp(x->sym, y->sym);
	case KEY_PID:
		return number_cmp(x->pid, y->pid);
	case KEY_TID:
		return number_cmp(x->tid, y->tid);
	case KEY_CPU:
		return number_cmp(x->cpu, y->cpu);
	case KEY_EVENT:
		return number_cmp(x->event, y->event);
	default:
		return c < KEY_MAX ? slots_cmp(t, x, y, c) : sums_cmp(t, x, y, c);
	}
}

static int row_cmp(const void *a, const void *b, void *arg)
{
	const struct report *t = arg;
	const struct report_layout *l = &t->layout;
	int ret = 0;

	for (uint32_t i = 0; i < l->nr_order && !ret; i++)
		ret = report_key_cmp(t, a, b, l->order[i]);
	for (uint32_t i = 0; i < l->nr_keys && !ret; i++)
		ret = report_key_cmp(t, a, b, l->keys[i]);
	return ret;
}

void report_sort(struct report *t)
{
	if (t->rows.n)
		qsort_r(t->rows.data, t->rows.n, sizeof(*t->rows.data), row_cmp, t);
	/* The index no longer fits the rows: nothing may be added after this. */
	free(t->index);
	t->index = NULL;
	t->nr_index = 0;
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.data[i].chains)
			tree_end(t->rows.data[i].chains, 0);
}
