/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Build ids of what gets mapped, read once per file while its process lives. For recordings: the
 * kernel's own build ids are not requested (see capture/sideband.c).
 */
#ifndef SKEP_SYM_BUILDID_H
#define SKEP_SYM_BUILDID_H

#include <stdint.h>

#include "sample.h"

struct build_ids;

int build_ids_new(struct build_ids **ret_ids); /* 0 or -ENOMEM */
void build_ids_free(struct build_ids *ids);

/* Size of the build id of what t (TASK_MMAP) maps, copied to ret_id[BUILD_ID_MAX]; 0: none or not known. */
uint8_t build_id_of(struct build_ids *ids, const struct task_event *t, uint8_t *ret_id);

/* The running kernel's. */
uint8_t build_id_kernel(uint8_t *ret_id);

#endif
