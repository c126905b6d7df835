/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Linear probing; at least half of the slots are empty. */
#include "util/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 64u
#define SLOTS_MAX (1u << 31)

static struct map_slot *slot_of(const struct map *map, uint64_t hash, uint32_t next)
{
	while (map->slots[hash & (map->nr_slots - 1)].next != next)
		hash++;
	return &map->slots[hash & (map->nr_slots - 1)];
}

static int grow(struct map *map)
{
	struct map more = { .nr_slots = map->nr_slots ? map->nr_slots * 2 : SLOTS_FIRST, .n = map->n };

	if (map->nr_slots == SLOTS_MAX)
		return -ENOMEM;
	more.slots = calloc(more.nr_slots, sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < map->nr_slots; i++)
		if (map->slots[i].next)
			*slot_of(&more, map->slots[i].hash, 0) = map->slots[i];
	free(map->slots);
	*map = more;
	return 0;
}

int map_add(struct map *map, uint64_t hash, size_t position)
{
	if (map->n >= map->nr_slots / 2 && grow(map))
		return -ENOMEM;
	*slot_of(map, hash, 0) = (struct map_slot){ hash, (uint32_t)position + 1 };
	map->n++;
	return 0;
}

/* What was put after the removed one because that slot was taken moves up. */
void map_remove(struct map *map, uint64_t hash, size_t position, uint64_t last_hash)
{
	struct map_slot *hole = slot_of(map, hash, (uint32_t)position + 1), *last = slot_of(map, last_hash, map->n);
	uint32_t mask = map->nr_slots - 1, at = hole - map->slots;

	last->next = (uint32_t)position + 1;
	map->n--;
	for (uint32_t i = (at + 1) & mask; map->slots[i].next; i = (i + 1) & mask) {
		if (((i - map->slots[i].hash) & mask) < ((i - at) & mask))
			continue;
		map->slots[at] = map->slots[i];
		at = i;
	}
	map->slots[at].next = 0;
}

void map_clear(struct map *map)
{
	if (map->n)
		memset(map->slots, 0, map->nr_slots * sizeof(*map->slots));
	map->n = 0;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}
