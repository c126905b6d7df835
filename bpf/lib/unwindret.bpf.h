/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Return addresses in whose place the kernel has put its trampoline: of calls whose return a probe waits for. What was there is in a list
 * of the task's, innermost call first, with the place that it was in.
 */
#ifndef SKEP_UNWINDRET_BPF_H
#define SKEP_UNWINDRET_BPF_H

#define UNWIND_RETURNS 64 /* MAX_URETPROBE_DEPTH, kernel/events/uprobes.c */
#define UNWIND_RETURNS_STEP 8 /* probes of one function, or calls that longjmp() has left */

/* Puts right the address that was found last. Returns 0 where it is none of those. */
static __noinline int unwind_unhook(struct unwind_walk *w)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct return_instance *r = (void *)w->returns;
	struct xol_area *area;

	if (!bpf_core_field_exists(t->utask))
		return 0;
	area = BPF_CORE_READ(t, mm, uprobes_state.xol_area);
	if (!area || w->stack.nr < 2 || BPF_CORE_READ(area, vaddr) != w->regs.ip)
		return 0;
	if (!r)
		r = BPF_CORE_READ(t, utask, return_instances);
	for (__u32 i = 0; i < UNWIND_RETURNS_STEP && r; i++) {
		w->returns = (__u64)r;
		if (BPF_CORE_READ(r, stack) == w->regs.sp - UNWIND_AT_RETURN) {
			w->regs.ip = BPF_CORE_READ(r, orig_ret_vaddr);
			w->stack.ips[(w->stack.nr - 1) & STACK_MAX_FRAMES] = w->regs.ip;
			return 1;
		}
		r = BPF_CORE_READ(r, next);
	}
	return 0;
}

/* What user space has to put right itself, in a stack that it walks: the next few. Where they are not, as on arm64, nothing. */
static __always_inline void unwind_tell_returns(struct unwind_walk *w)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct return_instance *r = NULL;
	struct xol_area *area;

	w->trampoline = 0;
	if (UNWIND_AT_RETURN && bpf_core_field_exists(t->utask)) {
		area = BPF_CORE_READ(t, mm, uprobes_state.xol_area);
		if (area)
			w->trampoline = BPF_CORE_READ(area, vaddr);
		r = w->returns ? (void *)w->returns : BPF_CORE_READ(t, utask, return_instances);
	}
	for (__u32 i = 0; i < UNWIND_RETURNS_TOLD; i++) {
		w->told[i].at = r ? BPF_CORE_READ(r, stack) : 0;
		w->told[i].ip = r ? BPF_CORE_READ(r, orig_ret_vaddr) : 0;
		r = r ? BPF_CORE_READ(r, next) : NULL;
	}
}

#endif
