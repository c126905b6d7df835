/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interned strings over an open-addressed table of pointers into large blocks. */
#include "util/strpool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define BLOCK_BYTES (64u << 10)
#define FIRST_SLOTS 1024u

struct block {
	struct block *next;
	size_t used, size;
	char bytes[];
};

struct slot {
	uint64_t hash;
	const char *text;
};

struct strpool {
	struct block *blocks;
	struct slot *slots;
	size_t nr_slots, used;
};

struct strpool *strpool_new(void)
{
	struct strpool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->nr_slots = FIRST_SLOTS;
	pool->slots = calloc(pool->nr_slots, sizeof(*pool->slots));
	if (!pool->slots) {
		free(pool);
		return NULL;
	}
	return pool;
}

void strpool_free(struct strpool *pool)
{
	if (!pool)
		return;
	while (pool->blocks) {
		struct block *next = pool->blocks->next;

		free(pool->blocks);
		pool->blocks = next;
	}
	free(pool->slots);
	free(pool);
}

static char *take(struct strpool *pool, size_t n)
{
	struct block *b = pool->blocks;
	size_t size;
	char *p;

	if (!b || b->size - b->used < n) {
		size = n > BLOCK_BYTES ? n : BLOCK_BYTES;
		b = malloc(sizeof(*b) + size);
		if (!b)
			return NULL;
		b->next = pool->blocks;
		b->used = 0;
		b->size = size;
		pool->blocks = b;
	}
	p = b->bytes + b->used;
	b->used += n;
	return p;
}

static bool rehash(struct strpool *pool)
{
	size_t want = pool->nr_slots * 2;
	struct slot *slots = calloc(want, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < pool->nr_slots; i++) {
		size_t at = pool->slots[i].hash & (want - 1);

		if (!pool->slots[i].text)
			continue;
		while (slots[at].text)
			at = (at + 1) & (want - 1);
		slots[at] = pool->slots[i];
	}
	free(pool->slots);
	pool->slots = slots;
	pool->nr_slots = want;
	return true;
}

const char *strpool_addn(struct strpool *pool, const char *text, size_t n)
{
	uint64_t hash = hash_bytes(text, n);
	size_t at;
	char *p;

	if (pool->used * 4 >= pool->nr_slots * 3 && !rehash(pool))
		return NULL;
	at = hash & (pool->nr_slots - 1);
	for (; pool->slots[at].text; at = (at + 1) & (pool->nr_slots - 1))
		if (pool->slots[at].hash == hash && !strncmp(pool->slots[at].text, text, n) &&
		    !pool->slots[at].text[n])
			return pool->slots[at].text;
	p = take(pool, n + 1);
	if (!p)
		return NULL;
	memcpy(p, text, n);
	p[n] = '\0';
	pool->slots[at] = (struct slot){ hash, p };
	pool->used++;
	return p;
}

const char *strpool_add(struct strpool *pool, const char *text)
{
	return strpool_addn(pool, text, strlen(text));
}
