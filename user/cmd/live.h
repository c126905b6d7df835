/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the commands share that show stacks: a source's samples get names and are folded. */
#ifndef SKEP_CMD_LIVE_H
#define SKEP_CMD_LIVE_H

#include "capture/ksym.h"
#include "cmd/measure.h"
#include "model/fold.h"
#include "sym/names.h"

/* The second half of the pipeline. The source's sink is names.sink. */
struct picture {
	struct names names;
	struct fold fold;
	struct ksym_asker *ksym; /* what names of the running kernel come from; NULL: a list of them all, or nothing */
};

/* pool: as of names_init(). NULL: no memory. */
struct picture *picture_new(struct strpool *pool);
void picture_free(struct picture *pic); /* NULL is nothing */

/* Lets the running kernel look up kernel addresses. The asker must outlive the look-ups. */
void live_kernel_names(struct syms_cfg *cfg, struct ksym_asker *asker);

/*
 * Names for a live run, those of the kernel from BPF where available (*ret_asker, which must outlive the look-ups; else NULL), else from
 * /proc/kallsyms, which is read beside. 0, or -errno with err filled.
 */
int live_syms(struct syms_cfg *cfg, struct ksym_asker **ret_asker, struct syms **ret_syms, struct err *err);

/* A live run into pic. *ret_status: COMMAND's. 0 or -errno. */
int live_run(struct measure *m, struct sample_cfg *cfg, struct syms_cfg *syms_cfg, struct picture *pic, int *ret_status, struct err *err);

#endif
