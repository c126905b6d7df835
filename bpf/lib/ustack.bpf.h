/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user stack of a task in a system call or interrupt, as perf_callchain_user() walks it (arch/x86/events/core.c), out of one copy
 * of its innermost part: the kernel's walk reads two words a frame, each on its own. What leads out of that part is the kernel's to walk.
 */
#ifndef SKEP_USTACK_BPF_H
#define SKEP_USTACK_BPF_H

#include "lib/stack.bpf.h"

#define USTACK_WORDS 128 /* from the innermost frame up */
#define USTACK_FRAMES 32 /* beside where it was left */
#define USTACK_CS 0x33	 /* of 64-bit code: __USER_CS, arch/x86/include/asm/segment.h */
#define USTACK_LOWEST 4096 /* nobody has memory below: a frame there ends a walk (vm.mmap_min_addr) */

struct ustack_scratch {
	__u64 values[USTACK_WORDS];
	__u32 at, nr; /* word of the frame, 1 + frames so far */
};

#ifdef __TARGET_ARCH_x86
/* One frame: where the next one is, and where it returns to. Returns 0 after the last, less than 0 where that is not known. */
static __always_inline int ustack_step(struct ustack_scratch *s, __u64 *ips, __u64 from)
{
	volatile __u32 *at = &s->at, *nr = &s->nr;
	__u32 i = *at & (USTACK_WORDS - 1), n = *nr & STACK_MAX_FRAMES;
	__u64 next;

	if (i >= USTACK_WORDS - 1)
		return -1;
	next = s->values[i];
	ips[n] = s->values[i + 1];
	*nr = n + 1;
	if (next < USTACK_LOWEST)
		return 0;
	next -= from;
	if (next >= (USTACK_WORDS - 1) * sizeof(__u64) || next % sizeof(__u64))
		return -1;
	*at = next / sizeof(__u64);
	return 1;
}

/* Fills walk as stack_walk() does, and returns 1; or 0 where the kernel has to. */
static __always_inline int ustack_walk(struct task_struct *t, struct ustack_scratch *s, struct stack_val *walk)
{
	volatile __u32 *at = &s->at, *nr = &s->nr;
	struct pt_regs___kernel *regs;
	__u64 from;
	int more = 1;

	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs) || cfg_max_frames <= USTACK_FRAMES)
		return 0;
	regs = (void *)bpf_task_pt_regs(t);
	from = regs->bp;
	if (regs->cs != USTACK_CS || from < USTACK_LOWEST || bpf_probe_read_user(s->values, sizeof(s->values), (void *)from))
		return 0;
	__builtin_memset(walk->ips, 0, STACK_MIDDLE * sizeof(__u64));
	walk->ips[0] = regs->ip;
	*at = 0;
	*nr = 1;
	for (__u32 i = 0; i < USTACK_FRAMES && more > 0; i++) {
		more = ustack_step(s, walk->ips, from);
		barrier();
	}
	walk->nr = *nr;
	return !more;
}
#else
static __always_inline int ustack_walk(struct task_struct *t, struct ustack_scratch *s, struct stack_val *walk)
{
	return 0;
}
#endif

#endif
