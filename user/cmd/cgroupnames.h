/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the control groups of a file, from its records (PERF_RECORD_CGROUP of uapi/linux/perf_event.h). */
#ifndef SKEP_CMD_CGROUPNAMES_H
#define SKEP_CMD_CGROUPNAMES_H

#include "data/data.h"
#include "util/map.h"
#include "util/vec.h"

/* Zeroed it has none. */
struct cgroup_names {
	VEC(char *) paths;
	struct map by_id;
};

/* For data_reader_watch(); arg: struct cgroup_names. The first name of an ID counts. 0 or -ENOMEM. */
int cgroup_names_watch(void *arg, const struct data_record *rec);

/* The path, hostile; NULL: the file does not say. Lives until cgroup_names_free(). arg: struct cgroup_names. */
const char *cgroup_names_find(const void *arg, uint64_t id);
void cgroup_names_free(struct cgroup_names *c);

#endif
