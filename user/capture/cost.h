/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's part of the receipt. */
#ifndef SKEP_CAPTURE_COST_H
#define SKEP_CAPTURE_COST_H

#include <stdbool.h>

#include "model/profile.h"

struct bpf_object;

/* Adds the time of all programs (timed: the kernel was asked to measure it) and the memory of all maps. */
void cost_of_object(struct bpf_object *obj, bool timed, struct receipt *r);

/* Kernel memory of a map in bytes, 0 if not known. */
uint64_t cost_of_map(int fd);

/* How often the kernel skipped a program because it was running on that CPU already; 0 before 5.12, which does not tell. */
uint64_t cost_of_misses(int prog_fd);

#endif
