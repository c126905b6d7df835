/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a kernel stack that a program in a hook of the scheduler has walked begins to be the task's, and not the hook's. */
#ifndef SKEP_CAPTURE_SOURCE_SCHEDTEXT_H
#define SKEP_CAPTURE_SOURCE_SCHEDTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/stack.h"
#include "util/vec.h"

struct schedtext_range {
	uint64_t from, to;
};

/* Zeroed before its first use. */
struct schedtext {
	uint64_t from, to;	  /* the kernel's text of the scheduler; 0: not known */
	struct ksym_asker *asker; /* NULL: the kernel cannot look symbols up one by one, and then */
	VEC(struct schedtext_range) hooks; /* are those between a tracepoint and its program */
};

/* Asks the kernel, or reads its list of symbols. wakers: their stacks will be needed, too. */
void schedtext_open(struct schedtext *text, bool wakers);

/* Index of the first frame that is not the hook's, of a task that leaves its CPU, or of its waker. 0 where none is found. */
uint32_t schedtext_begin(const struct schedtext *text, const struct stack_val *stack, bool is_waker);

/* Index of the first frame from `begin` on that is not the scheduler's: what /proc/PID/wchan shows. begin where none is known. */
uint32_t schedtext_caller(const struct schedtext *text, const struct stack_val *stack, uint32_t begin);

void schedtext_close(struct schedtext *text);

#endif
