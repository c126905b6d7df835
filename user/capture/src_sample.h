/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sampler: bpf/sample.bpf.c on one perf event per CPU and event. */
#ifndef SKEP_CAPTURE_SRC_SAMPLE_H
#define SKEP_CAPTURE_SRC_SAMPLE_H

#include "capture/pidns.h"
#include "capture/session.h"
#include "capture/sideband.h"

struct src_sample;

/* Loads and attaches on cpus[n]. `note` gets why something was picked. pid_at_exec: COMMAND waiting for its exec, or 0. */
int src_sample_open(const struct session_cfg *cfg, const uint32_t *cpus, uint32_t n, uint32_t pid_at_exec,
		    const struct pidns *pidns, const struct sideband *sideband, struct src_sample **ret_src, char *note, size_t note_size, struct err *err);
void src_sample_start(struct src_sample *src);

/* Behind this no program is running any more. */
void src_sample_stop(struct src_sample *src);
int src_sample_poll_fd(const struct src_sample *src);

/* Copies what waits in the rings; src_sample_flush then delivers it: the side band goes in between. */
int src_sample_collect(struct src_sample *src);
int src_sample_flush(struct src_sample *src, struct sink *sink);

/* Delivers what the kernel summed. Once, after the last flush. */
int src_sample_finish(struct src_sample *src, struct sink *sink, struct err *err);
void src_sample_profile(const struct src_sample *src, struct profile *profile);
void src_sample_close(struct src_sample *src);

#endif
