/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bytes to records. Bytes are read into chunks; records are used in place, and a chunk lives until
 * the last queued record in it was delivered. Only a record cut by the end of a chunk is moved.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "data/reader.h"

#define FREE_CHUNKS_MAX 8

struct chunk *chunk_get(struct chunk_pool *pool)
{
	struct chunk *c = pool->free;

	if (c) {
		pool->free = c->next;
		pool->nr_free--;
	} else {
		c = malloc(sizeof(*c) + pool->cap);
		if (!c)
			return NULL;
		c->cap = pool->cap;
		c->pool = pool;
	}
	c->refs = 1;
	c->used = 0;
	pool->nr_live++;
	return c;
}

void chunk_put(struct chunk *c)
{
	struct chunk_pool *pool = c->pool;

	if (--c->refs)
		return;
	pool->nr_live--;
	if (pool->nr_free >= FREE_CHUNKS_MAX) {
		free(c);
		return;
	}
	c->next = pool->free;
	pool->free = c;
	pool->nr_free++;
}

void chunk_pool_free(struct chunk_pool *pool)
{
	while (pool->free) {
		struct chunk *next = pool->free->next;

		free(pool->free);
		pool->free = next;
	}
	pool->nr_free = 0;
}

int stream_peek(struct stream *s, const uint8_t **ret_record)
{
	size_t left = stream_left(s), size;
	uint8_t *p;

	if (s->skip) {
		size_t n = left < s->skip ? left : (size_t)s->skip;
		uint8_t *copy = s->keep && n ? vec_take(&s->kept, n) : NULL;

		if (copy)
			memcpy(copy, s->chunk->bytes + s->at, n);
		s->keep = s->keep && (copy || !n);
		s->at += n;
		s->skip -= n;
		left -= n;
	}
	if (left < sizeof(struct perf_event_header))
		return 0;
	p = s->chunk->bytes + s->at;
	size = s->is_swapped && !s->is_native ? swap_size(p) : get_u16(p + offsetof(struct perf_event_header, size));
	if (size < sizeof(struct perf_event_header))
		return -EBADMSG;
	if (size > left)
		return 0;
	if (s->is_swapped && !s->is_native) {
		swap_record(p);
		s->is_native = true;
	}
	*ret_record = p;
	return 1;
}

void stream_take(struct stream *s, size_t record_bytes)
{
	s->at += record_bytes;
	s->is_native = false;
}

int stream_room(struct stream *s, uint8_t **ret_p, size_t *ret_n)
{
	struct chunk *c = s->chunk, *fresh;
	size_t left = stream_left(s);

	/* What is left is a part of a record, so it moves at most once per chunk. */
	if (!c || c->cap - c->used < RECORD_MAX_BYTES) {
		if (c && c->refs == 1) {
			memmove(c->bytes, c->bytes + s->at, left);
			c->used = left;
		} else {
			fresh = chunk_get(s->pool);
			if (!fresh)
				return -ENOMEM;
			if (left)
				memcpy(fresh->bytes, c->bytes + s->at, left);
			fresh->used = left;
			if (c)
				chunk_put(c);
			s->chunk = c = fresh;
		}
		s->at = 0;
	}
	*ret_p = c->bytes + c->used;
	*ret_n = c->cap - c->used;
	return 0;
}

void stream_restart(struct stream *s)
{
	if (s->chunk)
		chunk_put(s->chunk);
	s->chunk = NULL;
	s->at = 0;
}

void stream_free(struct stream *s)
{
	if (s->chunk)
		chunk_put(s->chunk);
	s->chunk = NULL;
	vec_free(&s->kept);
}
