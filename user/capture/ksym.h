/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The running kernel's symbols, looked up one by one (bpf/ksym.bpf.c). */
#ifndef SKEP_CAPTURE_KSYM_H
#define SKEP_CAPTURE_KSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ksym_asker;

/* 0, or -errno where the kernel or our privileges do not allow it: then there is /proc/kallsyms. */
int ksym_open(struct ksym_asker **ret_asker);
void ksym_close(struct ksym_asker *asker);

/* "name+0x12/0x34 [module]" into buf, whole and with its NUL. 0, or -ENOENT: no symbol, or not enough room. */
int ksym_name(void *asker, uint64_t addr, char *buf, size_t size);

/* Address of a symbol of the kernel itself, 0: not known, or not for us (kernel.kptr_restrict). */
uint64_t ksym_addr(void *asker, const char *name);

/* Is it between a tracepoint and a BPF program on it, or such a program? The names of all supported kernels. */
bool ksym_is_hook(const char *name);

#endif
