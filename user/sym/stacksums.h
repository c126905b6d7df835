/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples of a file, summed before anything is looked up: those of one event, thread and stack have the same names until the next event
 * of their task. In: samples. Out: one for many, with their count, their weight, and the time of the last; without CPU, addr, cgroup,
 * parallelism, values and fields.
 */
#ifndef SKEP_SYM_STACKSUMS_H
#define SKEP_SYM_STACKSUMS_H

#include "sample.h"

struct stack_sums;

/* leaf_only: callers are left out. NULL: no memory. */
struct stack_sums *stack_sums_new(bool leaf_only);
void stack_sums_free(struct stack_sums *sums); /* NULL is nothing */

/*
 * Adds a sample: 1. 0: it is not summed, and has to be passed on, as it has more than its stack, is the first of its event, whose time may
 * be wanted, or comes where few samples are alike. -ENOSPC: there is no room until stack_sums_take().
 */
int stack_sums_add(struct stack_sums *sums, const struct sample *s);

/*
 * Calls each() for all sums, in the order of their first samples, and forgets them: before an event of the kernel. Chains are valid during
 * the call. 0, or what each() returned if that is less than 0.
 */
int stack_sums_take(struct stack_sums *sums, int (*each)(void *arg, const struct sample *s), void *arg);

/* The same of the sums of a process, and of a thread, before an event of them. Room is made by stack_sums_take() only. */
int stack_sums_take_task(struct stack_sums *sums, uint32_t pid, uint32_t tid, int (*each)(void *arg, const struct sample *s), void *arg);

#endif
