/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of kernel addresses, which most runs never ask for: read at the first question. */
#ifndef SKEP_CMD_KERNEL_NAMES_H
#define SKEP_CMD_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/ksym.h"
#include "sym/sym.h"

/* Zeroed before its first use. */
struct kernel_names {
	struct ksym_asker *ksym;
	struct syms *syms;
	bool is_open;
};

/* "tcp_v4_rcv+0x50", into buf. 0, or -ENOENT: not known. names: a struct kernel_names. */
int kernel_name(void *names, uint64_t addr, char *buf, size_t size);

void kernel_names_close(struct kernel_names *names);

#endif
