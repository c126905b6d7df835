/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel looks up one address at a time where it can, else its list is read. */
#include "cmd/kernel_names.h"

#include <errno.h>
#include <stdio.h>

#include "cmd/live.h"

static void open_names(struct kernel_names *n)
{
	struct syms_cfg cfg = { 0 };
	struct err err = { 0 };

	n->is_open = true;
	if (live_syms(&cfg, &n->ksym, &n->syms, &err))
		n->syms = NULL;
}

int kernel_name(void *names, uint64_t addr, char *buf, size_t size)
{
	struct kernel_names *n = names;
	struct frame f;

	if (!n->is_open)
		open_names(n);
	if (!n->syms || syms_resolve(n->syms, UINT32_MAX, 0, addr, true, false, &f, 1) < 1 || f.kind != FRAME_KERNEL)
		return -ENOENT;
	snprintf(buf, size, "%s+%#llx", f.name, (unsigned long long)f.off);
	return 0;
}

void kernel_names_close(struct kernel_names *n)
{
	syms_free(n->syms);
	ksym_close(n->ksym);
	*n = (struct kernel_names){ 0 };
}
