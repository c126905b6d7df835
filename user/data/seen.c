/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "data/writer.h"
#include "util/hash.h"

#define OBJECTS_MAX 65536u

void seen_add(struct seen_objects *seen, const struct task_event *t)
{
	size_t n = strnlen(t->path, PATH_MAX - 1), id_size = t->build_id_size;
	uint64_t hash = hash_pair(hash_bytes(t->build_id, id_size), hash_bytes(t->path, n));
	struct seen_object *o;

	map_each(i, &seen->index, hash) {
		o = seen->objects.data[i];
		if (o->build_id_size == id_size && !memcmp(o->build_id, t->build_id, id_size) && !strncmp(o->path, t->path, n) && !o->path[n])
			return;
	}
	if (seen->objects.n >= OBJECTS_MAX || vec_reserve(&seen->objects))
		return;
	o = calloc(1, sizeof(*o) + n + 1);
	if (!o || map_add(&seen->index, hash, seen->objects.n)) {
		free(o);
		return;
	}
	o->build_id_size = t->build_id_size;
	o->kernel = t->kernel;
	memcpy(o->build_id, t->build_id, id_size);
	memcpy(o->path, t->path, n);
	seen->objects.data[seen->objects.n++] = o;
}

void seen_free(struct seen_objects *seen)
{
	for (size_t i = 0; i < seen->objects.n; i++)
		free(seen->objects.data[i]);
	vec_free(&seen->objects);
	map_free(&seen->index);
}
