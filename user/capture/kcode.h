/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The running kernel's own code, read by BPF (bpf/ksym.bpf.c): for kernels without /proc/kcore. */
#ifndef SKEP_CAPTURE_KCODE_H
#define SKEP_CAPTURE_KCODE_H

#include <stddef.h>
#include <stdint.h>

struct kcode;

/* NULL: no memory. The program is loaded on first use. */
struct kcode *kcode_new(void);
void kcode_free(struct kcode *k);

/* n bytes of kernel memory at addr into buf. 0, or -errno where the kernel, its lockdown or our privileges do not allow it. */
int kcode_read(void *kcode, uint64_t addr, void *buf, size_t n);

#endif
