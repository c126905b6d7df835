/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's part of the receipt. */
#ifndef SKEP_CAPTURE_COST_H
#define SKEP_CAPTURE_COST_H

#include <stdbool.h>

#include "bpf/loss.h"
#include "model/profile.h"

struct bpf_object;
struct bpf_map;

/*
 * Adds the time of all programs (timed: the kernel was asked to measure it) and the memory of all maps but those of the session's
 * unwinder, which tells that itself.
 */
void cost_of_object(struct bpf_object *obj, bool timed, struct receipt *r);

/* Adds the time of one program, where the kernel was asked to measure it. */
void cost_of_prog(int fd, struct receipt *r);

/* Adds up the map `counters` of an object (bpf/lib/loss.bpf.h), enum counter, over its CPUs; zeroes where it cannot be read. */
void cost_of_losses(const struct bpf_map *counters, uint64_t ret_sum[COUNT_MAX]);

/* Our own CPU time and peak memory up to now. */
void cost_of_self(struct receipt *r);

/* Kernel memory of a map in bytes, 0 if not known. */
uint64_t cost_of_map(int fd);

/*
 * How often the kernel skipped a program: a raw tracepoint's when the same program was running on that CPU already (counted from
 * 6.1 on: 05b24ff9b2cf, "bpf: Prevent bpf program recursion for raw tracepoint probes"), a perf tracepoint's when any program of
 * that kind, or of a kprobe, was (from 6.7 on: dd8657894c11, "bpf: Count missed stats in trace_call_bpf"). 0 where the kernel
 * does not tell.
 */
uint64_t cost_of_misses(int prog_fd);

/* Such hits of tracepoints, of one run: lost, or, since with a filter they may be of tasks that it would leave out, a note. */
void cost_add_misses(uint64_t missed, bool is_filtered, struct profile *profile);

#endif
