/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BPF objects are loaded here: relocated by the few types of the kernel that they look at, which takes 2 ms instead of 15. */
#ifndef SKEP_CAPTURE_LOAD_H
#define SKEP_CAPTURE_LOAD_H

#include <stdint.h>

struct bpf_object_open_opts;
struct bpf_object_skeleton;
struct btf_types;

/* The kernel's types, read once and kept; NULL where they cannot be. */
const struct btf_types *object_kernel_types(void);

/* What a skeleton is opened with (X_bpf__open_opts); of the process, and never closed. */
const struct bpf_object_open_opts *object_opts(void);

/*
 * Flags of a hash that a program on a perf event uses: where the kernel can, it takes memory for the entries that it has, not for all that it may
 * have.
 */
uint32_t object_hash_flags(void);

/* Loads what was opened with them (skel->skeleton), one at a time: they share a file. 0 or -errno. */
int object_load(struct bpf_object_skeleton *skeleton);

#endif
