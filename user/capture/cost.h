/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's part of the receipt. */
#ifndef SKEP_CAPTURE_COST_H
#define SKEP_CAPTURE_COST_H

#include <stdint.h>

#include "profile.h"

/* Adds the time of one program, where the kernel measured it. */
void cost_of_prog(int fd, struct receipt *r);

/* Our own CPU time and peak memory up to now, without the CPU time that cost_before() names: what this process used before it started again. */
void cost_of_self(struct receipt *r);
void cost_before(uint64_t before_ns);

/* And how long it took since start_ns (CLOCK_MONOTONIC), on how many CPUs: of a run that only reads. */
void cost_since(uint64_t start_ns, struct receipt *r);

/* Adds the kernel memory of a map, where it is known. */
void cost_of_map(int fd, struct receipt *r);

/*
 * How often the kernel skipped a program: a raw tracepoint's when the same program was running on that CPU already (counted from
 * 6.1 on: 05b24ff9b2cf, "bpf: Prevent bpf program recursion for raw tracepoint probes"), a perf tracepoint's when any program of
 * that kind, or of a kprobe, was (from 6.7 on: dd8657894c11, "bpf: Count missed stats in trace_call_bpf"). 0 where the kernel
 * does not tell.
 */
uint64_t cost_of_misses(int prog_fd);

#endif
