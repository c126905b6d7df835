/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows are few thousand: they are kept as they come and sorted once. */
#include "model/hists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hists_init(struct hists *h)
{
	*h = (struct hists){ .pool = strpool_new() };
	return h->pool ? 0 : -ENOMEM;
}

void hists_free(struct hists *h)
{
	strpool_free(h->pool);
	vec_free(&h->rows);
}

int hists_add(struct hists *h, const struct hist_sample *row)
{
	struct hist_sample copy = *row;

	copy.call = row->call ? strpool_add(h->pool, row->call) : NULL;
	copy.comm = row->comm ? strpool_add(h->pool, row->comm) : NULL;
	if ((row->call && !copy.call) || (row->comm && !copy.comm) || vec_reserve(&h->rows))
		return -ENOMEM;
	h->rows.data[h->rows.n++] = copy;
	return 0;
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : 0;
}

static int compare(const struct hist_sample *a, const struct hist_sample *b)
{
	int order = by_text(a->comm, b->comm);

	order = order ? order : by_text(a->call, b->call);
	order = order ? order : by_number(a->pid, b->pid);
	order = order ? order : by_number(a->tid, b->tid);
	order = order ? order : by_number(a->cpu, b->cpu);
	order = order ? order : by_number(a->uid, b->uid);
	order = order ? order : by_number(a->error, b->error);
	return order ? order : by_number(a->cgroup, b->cgroup);
}

static int most_calls(const void *x, const void *y)
{
	const struct hist_sample *a = x, *b = y;

	if (a->is_other != b->is_other)
		return a->is_other ? 1 : -1;
	return a->calls != b->calls ? by_number(b->calls, a->calls) : compare(a, b);
}

static int most_time(const void *x, const void *y)
{
	const struct hist_sample *a = x, *b = y;

	if (a->is_other != b->is_other || a->total_ns == b->total_ns)
		return most_calls(x, y);
	return by_number(b->total_ns, a->total_ns);
}

void hists_sort(struct hists *h, bool by_time)
{
	if (h->rows.n)
		qsort(h->rows.data, h->rows.n, sizeof(*h->rows.data), by_time ? most_time : most_calls);
}

double hist_quantile(const struct hist_sample *row, double part)
{
	uint64_t all = 0, below = 0;
	double rank, at;

	for (int i = 0; i < HIST_SLOTS; i++)
		all += row->slots[i];
	if (!all)
		return 0;
	rank = part * all;
	for (int i = 0; i < HIST_SLOTS; i++) {
		double low = i ? (double)(1ull << i) : 0, high = i + 1 < HIST_SLOTS ? (double)(1ull << (i + 1)) : row->max_ns;

		if (!row->slots[i] || below + row->slots[i] < rank) {
			below += row->slots[i];
			continue;
		}
		high = high > row->max_ns ? row->max_ns : high; /* nothing took longer than the longest */
		at = low + (high - low) * (rank - below) / row->slots[i];
		return at > row->max_ns ? row->max_ns : at;
	}
	return row->max_ns;
}
