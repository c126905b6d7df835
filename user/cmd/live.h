/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A live run whose stacks go into a fold: what the commands share that show stacks as they are sampled. */
#ifndef SKEP_CMD_LIVE_H
#define SKEP_CMD_LIVE_H

#include "capture/ksym.h"
#include "cmd/measure.h"
#include "model/fold.h"

/* Lets the running kernel look up kernel addresses. The asker must outlive the look-ups. */
void live_kernel_names(struct syms_cfg *cfg, struct ksym_asker *asker);

/*
 * Names of the kernel come from BPF where available (*ret_asker, to be closed after the last look-up; NULL: none), else from
 * /proc/kallsyms. *ret_status: COMMAND's. 0 or -errno.
 */
int live_run(struct measure *m, struct sample_cfg *cfg, struct syms_cfg *syms_cfg, struct fold *fold, struct ksym_asker **ret_asker,
	     int *ret_status, struct err *err);

#endif
