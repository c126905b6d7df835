/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/cgroupnames.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

struct cgroup_record {
	struct perf_event_header header;
	uint64_t id;
	char path[];
};

int cgroup_names_watch(void *arg, const struct data_record *rec)
{
	struct cgroup_names *c = arg;
	uint64_t id;
	char *path;

	if (rec->type != PERF_RECORD_CGROUP || rec->body <= sizeof(struct cgroup_record))
		return 0;
	memcpy(&id, rec->bytes + offsetof(struct cgroup_record, id), sizeof(id));
	if (cgroup_names_find(c, id))
		return 0;
	if (vec_reserve(&c->paths))
		return -ENOMEM;
	path = strndup((const char *)rec->bytes + sizeof(struct cgroup_record), rec->body - sizeof(struct cgroup_record));
	if (!path)
		return -ENOMEM;
	c->paths.data[c->paths.n++] = path;
	return map_add(&c->by_id, hash_u64(id), (uint32_t)c->paths.n - 1);
}

const char *cgroup_names_find(const void *arg, uint64_t id)
{
	const struct cgroup_names *c = arg;
	int64_t i = map_find(&c->by_id, hash_u64(id));

	return i < 0 ? NULL : c->paths.data[i];
}

void cgroup_names_free(struct cgroup_names *c)
{
	for (size_t i = 0; i < c->paths.n; i++)
		free(c->paths.data[i]);
	vec_free(&c->paths);
	map_free(&c->by_id);
}
