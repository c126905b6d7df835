/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time order. Records come as a few ascending runs (one per ring buffer), so a merge sort of the runs
 * that are there costs one pass per doubling of their number, and nothing when all is in order.
 */
#include <errno.h>
#include <string.h>

#include "data/reader.h"

static bool before(const struct queued *a, const struct queued *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->class < b->class;
}

int queue_push(struct queue *q, const struct queued *e)
{
	int ret = vec_reserve(&q->entries);

	if (ret < 0)
		return ret;
	q->entries.data[q->entries.n++] = *e;
	return 0;
}

static int find_runs(struct queue *q)
{
	int ret;

	q->runs.n = 0;
	for (size_t i = 0; i < q->entries.n; i++) {
		if (i && !before(&q->entries.data[i], &q->entries.data[i - 1]))
			continue;
		ret = vec_reserve(&q->runs);
		if (ret < 0)
			return ret;
		q->runs.data[q->runs.n++] = i;
	}
	return 0;
}

/* Merges from[a..b) and from[b..c) into to[a..c); equals keep their order. */
static void merge(struct queued *to, const struct queued *from, size_t a, size_t b, size_t c)
{
	size_t i = a, j = b, k = a;

	while (i < b && j < c) {
		if (before(&from[j], &from[i]))
			to[k++] = from[j++];
		else
			to[k++] = from[i++];
	}
	memcpy(to + k, from + i, (b - i) * sizeof(*to));
	memcpy(to + k + (b - i), from + j, (c - j) * sizeof(*to));
}

int queue_sort(struct queue *q)
{
	struct queued *from, *to;
	size_t n = q->entries.n, nr, *runs;
	int ret = find_runs(q);

	if (ret < 0 || q->runs.n < 2)
		return ret;
	if (q->spare_cap < q->entries.cap) {
		to = realloc(q->spare, q->entries.cap * sizeof(*to));
		if (!to)
			return -ENOMEM;
		q->spare = to;
		q->spare_cap = q->entries.cap;
	}
	from = q->entries.data;
	to = q->spare;
	runs = q->runs.data;
	for (nr = q->runs.n; nr > 1; nr = (nr + 1) / 2) {
		struct queued *swap = from;

		for (size_t i = 0; i < nr; i += 2) {
			size_t b = i + 1 < nr ? runs[i + 1] : n;
			size_t c = i + 2 < nr ? runs[i + 2] : n;

			merge(to, from, runs[i], b, c);
			runs[i / 2] = runs[i];
		}
		from = to;
		to = swap;
	}
	if (from != q->entries.data) {
		size_t cap = q->spare_cap;

		q->spare = q->entries.data;
		q->spare_cap = q->entries.cap;
		q->entries.data = from;
		q->entries.cap = cap;
	}
	return 0;
}

void queue_drop(struct queue *q, size_t n)
{
	q->entries.n -= n;
	if (n && q->entries.n)
		memmove(q->entries.data, q->entries.data + n, q->entries.n * sizeof(*q->entries.data));
}

void queue_free(struct queue *q)
{
	for (size_t i = 0; i < q->entries.n; i++)
		chunk_put(q->entries.data[i].chunk);
	vec_free(&q->entries);
	vec_free(&q->runs);
	free(q->spare);
	q->spare = NULL;
	q->spare_cap = 0;
}
