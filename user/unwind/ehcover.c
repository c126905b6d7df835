/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which entry describes which code. Files of real compilers are sorted and have no overlaps, so that there is little to do. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/ehtable.h"
#include "util/vec.h"

#define PIECES_MAX 16u /* of an entry */

static int compare_piece(const void *pa, const void *pb)
{
	const struct eh_piece *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* The first of them are sorted: mostly all but the stubs, which are found last. */
static int sort(struct eh_pieces *p)
{
	struct eh_piece *tail;
	size_t head = 1, n;

	while (head < p->n && compare_piece(&p->data[head - 1], &p->data[head]) < 0)
		head++;
	n = p->n - head;
	if (!n)
		return 0;
	qsort(p->data + head, n, sizeof(*p->data), compare_piece);
	tail = malloc(n * sizeof(*tail));
	if (!tail)
		return -ENOMEM;
	memcpy(tail, p->data + head, n * sizeof(*tail));
	/* Merged from the end, where there is room. */
	for (size_t to = p->n; n; to--) {
		if (head && compare_piece(&p->data[head - 1], &tail[n - 1]) > 0)
			p->data[to - 1] = p->data[--head];
		else
			p->data[to - 1] = tail[--n];
	}
	free(tail);
	return 0;
}

static bool is_disjoint(const struct eh_pieces *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->data[i].from < p->data[i - 1].to)
			return false;
	return true;
}

/* Pieces that have begun, the one of the earliest entry on top. */
struct heap {
	struct eh_piece *data;
	size_t n;
};

static void heap_swap(struct heap *h, size_t a, size_t b)
{
	struct eh_piece p = h->data[a];

	h->data[a] = h->data[b];
	h->data[b] = p;
}

static void heap_push(struct heap *h, const struct eh_piece *p)
{
	size_t i = h->n++;

	h->data[i] = *p;
	for (; i && h->data[i].entry < h->data[(i - 1) / 2].entry; i = (i - 1) / 2)
		heap_swap(h, i, (i - 1) / 2);
}

static void heap_pop(struct heap *h)
{
	size_t i = 0, least;

	h->data[0] = h->data[--h->n];
	for (;; i = least) {
		least = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < h->n; child++)
			if (h->data[child].entry < h->data[least].entry)
				least = child;
		if (least == i)
			return;
		heap_swap(h, i, least);
	}
}

static int add_piece(struct eh_entries *entries, struct eh_pieces *out, uint64_t from, uint64_t to, uint32_t entry)
{
	struct eh_piece *last = out->n ? &out->data[out->n - 1] : NULL;

	if (last && last->entry == entry && last->to == from) {
		last->to = to;
		return 0;
	}
	if (entries->data[entry].nr_pieces++ >= PIECES_MAX)
		return 0;
	last = vec_take(out, 1);
	if (!last)
		return -ENOMEM;
	*last = (struct eh_piece){ from, to, entry };
	return 0;
}

/* Goes over all places where a piece begins or ends. */
static int sweep(struct eh_entries *entries, const struct eh_pieces *in, struct heap *heap, struct eh_pieces *out)
{
	uint64_t at = 0;
	size_t i = 0;
	int ret = 0;

	while (!ret && (i < in->n || heap->n)) {
		uint64_t next;

		if (!heap->n && in->data[i].from > at)
			at = in->data[i].from;
		while (i < in->n && in->data[i].from <= at)
			heap_push(heap, &in->data[i++]);
		while (heap->n && heap->data[0].to <= at)
			heap_pop(heap);
		if (!heap->n)
			continue;
		next = heap->data[0].to;
		if (i < in->n && in->data[i].from < next)
			next = in->data[i].from;
		ret = add_piece(entries, out, at, next, heap->data[0].entry);
		at = next;
	}
	return ret;
}

static int make_disjoint(struct eh_entries *entries, struct eh_pieces *pieces)
{
	struct heap heap = { .data = malloc(pieces->n * sizeof(*heap.data)) };
	struct eh_pieces out = { 0 };
	int ret = heap.data ? sweep(entries, pieces, &heap, &out) : -ENOMEM;

	free(heap.data);
	free(pieces->data);
	*pieces = out;
	return ret;
}

int eh_cover(struct eh_entries *entries, struct eh_pieces *pieces)
{
	*pieces = (struct eh_pieces){ 0 };
	if (!entries->n)
		return 0;
	if (!vec_take(pieces, entries->n))
		return -ENOMEM;
	for (size_t i = 0; i < entries->n; i++)
		pieces->data[i] = (struct eh_piece){ entries->data[i].fde.start, entries->data[i].fde.end, (uint32_t)i };
	if (sort(pieces))
		return -ENOMEM;
	return is_disjoint(pieces) ? 0 : make_disjoint(entries, pieces);
}
