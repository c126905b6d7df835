/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/spool.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (1u << 20)
#define FREE_MAX 16

struct spool_chunk {
	struct spool_chunk *next; /* that is free */
	uint32_t used, live; /* bytes; records that were not dropped */
	_Alignas(16) char bytes[CHUNK_BYTES];
};

struct spool_head {
	struct spool_chunk *chunk;
	uint32_t size, order; /* of the record that follows: its bytes; how many were taken before it */
};

static void drop_chunk(struct spool *s, struct spool_chunk *c)
{
	s->bytes -= CHUNK_BYTES;
	if (s->nr_free == FREE_MAX) {
		free(c);
		return;
	}
	c->next = s->free;
	s->free = c;
	s->nr_free++;
}

static bool begin_chunk(struct spool *s)
{
	struct spool_chunk *c = s->free;

	if (c) {
		s->free = c->next;
		s->nr_free--;
	} else {
		c = malloc(sizeof(*c));
		if (!c)
			return false;
	}
	c->used = c->live = 0;
	s->chunk = c;
	s->bytes += CHUNK_BYTES;
	return true;
}

void *spool_take(struct spool *s, uint64_t time_ns, size_t n)
{
	size_t whole = sizeof(struct spool_head) + ((n + 7) & ~7ul);
	struct spool_head *h;

	if (whole > CHUNK_BYTES || vec_reserve(&s->places) || ((!s->chunk || CHUNK_BYTES - s->chunk->used < whole) && !begin_chunk(s)))
		return NULL;
	h = (void *)(s->chunk->bytes + s->chunk->used);
	*h = (struct spool_head){ s->chunk, n, s->taken++ };
	s->chunk->used += whole;
	s->chunk->live++;
	s->places.data[s->places.n++] = (struct spool_place){ time_ns, h };
	return h + 1;
}

bool spool_is_full(const struct spool *s)
{
	return s->bytes + s->places.n * sizeof(*s->places.data) >= s->max_bytes;
}

static int by_time(const void *a, const void *b)
{
	const struct spool_place *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (int32_t)(x->record->order - y->record->order);
}

/* What was taken before is sorted, and only its end may be newer than the oldest of what is new. */
void spool_sort(struct spool *s)
{
	const struct spool_place *p = s->places.data;
	size_t from = s->sorted;
	uint64_t oldest = UINT64_MAX, newest = from > s->first ? p[from - 1].time_ns : 0;
	bool is_sorted = true;

	for (size_t i = from; i < s->places.n; i++) {
		is_sorted &= p[i].time_ns >= newest;
		newest = p[i].time_ns > newest ? p[i].time_ns : newest;
		oldest = p[i].time_ns < oldest ? p[i].time_ns : oldest;
	}
	s->sorted = s->places.n;
	if (is_sorted)
		return;
	while (from > s->first && p[from - 1].time_ns > oldest)
		from--;
	qsort(s->places.data + from, s->places.n - from, sizeof(*p), by_time);
}

const void *spool_first(const struct spool *s, uint64_t until_ns, size_t *ret_n)
{
	const struct spool_place *p = s->places.data + s->first;

	if (s->first == s->sorted || p->time_ns > until_ns)
		return NULL;
	*ret_n = p->record->size;
	return p->record + 1;
}

void spool_drop(struct spool *s)
{
	struct spool_chunk *c = s->places.data[s->first++].record->chunk;

	c->live--;
	if (!c->live && c == s->chunk)
		c->used = 0;
	else if (!c->live)
		drop_chunk(s, c);
	if (s->first == s->places.n) {
		s->first = s->sorted = s->places.n = 0;
	} else if (s->first > s->places.n / 2 && s->first >= CHUNK_BYTES / sizeof(*s->places.data)) {
		s->places.n -= s->first;
		s->sorted -= s->first;
		memmove(s->places.data, s->places.data + s->first, s->places.n * sizeof(*s->places.data));
		s->first = 0;
	}
}

static void free_chunks(struct spool_chunk *c)
{
	while (c) {
		struct spool_chunk *next = c->next;

		free(c);
		c = next;
	}
}

void spool_free(struct spool *s)
{
	while (s->first < s->places.n) {
		s->sorted = s->places.n;
		spool_drop(s);
	}
	free(s->chunk);
	free_chunks(s->free);
	vec_free(&s->places);
	*s = (struct spool){ .max_bytes = s->max_bytes };
}
