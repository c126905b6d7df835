/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks of stacks in user space, by the steps that the kernel's walker takes (bpf/lib/unwindstep.bpf.h): over a copy, a core file. */
#ifndef SKEP_UNWIND_WALK_H
#define SKEP_UNWIND_WALK_H

#include <stdint.h>

#include "bpf/unwind.h"

/* Where a walk takes its facts from. */
struct unwind_facts {
	void *arg;
	/* The rule for the code at ip: 0, or the enum stack_stop, or UNWIND_ASK, that says why there is none. */
	int (*rule)(void *arg, uint64_t ip, struct unwind_rule *ret_rule);
	/* A word of the stack: 0, or less where it is not there; 1: it was popped off, so that its register has its value. */
	int (*word)(void *arg, uint64_t addr, uint64_t *ret_word);
};

/* Of code that keeps frame pointers: the rule of all its frames. */
extern const struct unwind_rule unwind_rule_fp;

/*
 * Walks from regs outwards: writes at most max addresses, that of the caller of regs->ip first. leaf: all registers of that frame by
 * DWARF's numbers, or NULL. Returns how many, and why it ended. regs are then of the last frame.
 */
uint32_t unwind_frames(const struct unwind_facts *facts, struct unwind_regs *regs, const uint64_t *leaf, uint64_t *ret_ips, uint32_t max,
		       uint32_t *ret_end);

#endif
