/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A perf.data file as the source: the file's twin of measure_run(). */
#ifndef SKEP_CMD_REPLAY_H
#define SKEP_CMD_REPLAY_H

#include "capture/ksym.h"
#include "data/data.h"
#include "model/fold.h"

/* The value of --event-index: 0 or -EINVAL, err filled. Whether the file has it is seen by replay_run. */
int replay_event_index(const char *text, int *ret_index, struct err *err);

/* fold->only_event may be one of these: the event of skep record --off-cpu; that and the clock which was sampled beside it. */
#define REPLAY_OFFCPU (-2)
#define REPLAY_WALL (-3)

/*
 * Reads path into the fold (its syms are made here, for the recorded kernel, with cfg's choices) and
 * fills the profile. The reader stays open for its strings: data_reader_close() it after the view. *ret_asker, which is NULL
 * before, is what kernel names come from: ksym_close() it then, too, also after an error.
 */
int replay_run(const char *path, struct syms_cfg *cfg, struct fold *fold, struct data_reader **ret_reader, struct ksym_asker **ret_asker,
	       struct err *err);

#endif
