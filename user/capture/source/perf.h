/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples by perf's own events and buffers, without BPF: for those who may not load programs. Only what perf_event_open(2) allows them
 * (kernel.perf_event_paranoid): their own tasks, and the kernel's part from 1 down. User stacks are walked here, by tables, out of copies
 * that the kernel makes (x86-64), or in the kernel by frame pointers.
 */
#ifndef SKEP_CAPTURE_SOURCE_PERF_H
#define SKEP_CAPTURE_SOURCE_PERF_H

#include "capture/source/sample.h"
#include "capture/walker.h"

/* Can it stand in for src_sample_new(cfg)? COMMAND, processes and threads, and counters; nothing that needs a filter or a probe. */
bool src_perf_can(const struct sample_cfg *cfg, const struct target *target);

/* Always a stream: cfg->aggregate is not looked at. unwind->guide: NULL for frame pointers. Both outlive it. NULL without memory. */
struct source *src_perf_new(const struct sample_cfg *cfg, const struct unwinder_cfg *unwind);

#endif
