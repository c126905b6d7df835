/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An index over an array that the owner keeps (usually a VEC): from a 64-bit hash (util/hash.h) to positions in the array. The map
 * keeps the hashes, so it grows without the owner's keys. A zeroed map is empty. A slot takes 16 bytes, a position 2 to 4 slots.
 */
#ifndef SKEP_UTIL_MAP_H
#define SKEP_UTIL_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t hash;
	uint32_t next; /* the position + 1; 0: empty */
};

struct map {
	struct map_slot *slots; /* open addressing */
	uint32_t nr_slots, n;	/* a power of two, or 0; how many positions */
};

/* The next position that was added with this hash, or -1. *step is 0 for the first. */
static inline int64_t map_next(const struct map *map, uint64_t hash, int64_t *step)
{
	const struct map_slot *s;

	if (!map->nr_slots)
		return -1;
	while ((s = &map->slots[(hash + *step) & (map->nr_slots - 1)])->next) {
		++*step;
		if (s->hash == hash)
			return s->next - 1;
	}
	return -1;
}

/* Runs the body for each position i with this hash, in no order. Different keys may have one hash: the body compares them. */
#define map_each(i, map, hash) for (int64_t i, step_of_##i = 0; (i = map_next(map, hash, &step_of_##i)) >= 0;)

/* A position with this hash, or -1. Where the hash is the key: hash_u64() gives no two numbers one hash. */
static inline int64_t map_find(const struct map *map, uint64_t hash)
{
	int64_t step = 0;

	return map_next(map, hash, &step);
}

/* 0, or -ENOMEM with the map unchanged. position: less than 2^30; what the map has already is added again. */
int map_add(struct map *map, uint64_t hash, size_t position);

/*
 * Removes a position of a map that has each position from 0 to n - 1 once. The last position, whose hash is last_hash, gets the number
 * of the removed one: the owner moves the element.
 */
void map_remove(struct map *map, uint64_t hash, size_t position, uint64_t last_hash);

/* Forgets all positions and keeps the memory. */
void map_clear(struct map *map);
void map_free(struct map *map);

#endif
