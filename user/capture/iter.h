/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a BPF iterator's program writes (Documentation/bpf/bpf_iterators.rst). */
#ifndef SKEP_CAPTURE_ITER_H
#define SKEP_CAPTURE_ITER_H

#include <bpf/libbpf.h>
#include <stddef.h>

/* Runs it to its end, in whole records of size bytes; each NULL: it writes none. 0, -errno, or what each() returned. */
int iter_read(const struct bpf_program *prog, size_t size, int (*each)(void *arg, const void *record), void *arg);

#endif
