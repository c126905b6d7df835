/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which machine is a recording from? Names of the running kernel, of its vDSO and of files found by their paths are right only if it
 * was made here. Build ids decide where there are any; else the recording's description of its machine, else the address of its
 * kernel's text.
 */
#ifndef SKEP_SYM_ORIGIN_H
#define SKEP_SYM_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "sample.h"
#include "sym/sym.h"

struct origin {
	bool other_kernel;  /* not the running one */
	bool other_machine; /* what has a path there need not be what has it here */
	bool is_open;	    /* the recording does not describe its kernel: both of the above until its kernel's map is that of the running one */
	bool has_id;	    /* other_kernel is by build id: final */
};

/* By what is known before the first event. */
void origin_begin(struct origin *o, const struct syms_cfg *cfg);

/* A map of the recorded kernel's text, or its build id alone. text, etext: of the running one; 0: not known. */
void origin_kernel_map(struct origin *o, const struct task_event *t, uint64_t text, uint64_t etext);

#endif
