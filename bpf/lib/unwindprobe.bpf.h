/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses that are a probe's and not the program's (kernel/events/uprobes.c). In the place of a return address that a probe waits for the
 * kernel puts its trampoline; what was there is in a list of the task's, innermost call first, with the place that it was in. It steps over
 * the instruction that a probe has replaced in a copy of it. Both are in one page of the process ("xol": execute out of line). And on x86,
 * from 6.18 on, a probe at a long nop is a call of a trampoline in another page.
 */
#ifndef SKEP_UNWINDPROBE_BPF_H
#define SKEP_UNWINDPROBE_BPF_H

#define UNWIND_RETURNS 64 /* MAX_URETPROBE_DEPTH, kernel/events/uprobes.c */
#define UNWIND_RETURNS_STEP 8 /* probes of one function, or calls that longjmp() has left */

#define UNWIND_BREAKPOINT 0xcc /* int3; also what some linkers put between functions */
#define UNWIND_CALL_BYTES 5 /* call rel32, which the kernel emulates */
#define UNWIND_COPY_BYTES 16 /* MAX_UINSN_BYTES, arch/x86/include/asm/uprobes.h; less elsewhere */
/*
 * The trampoline keeps rax, rcx and r11 on the stack around its system call, which takes the call off the list, puts the address in rax's place
 * and returns to byte 13: pop %r11; pop %rcx; ret (arch/x86/kernel/uprobes.c, 6.11, ff474a78cef5 "uprobe: Add uretprobe syscall to speed up
 * return probe"). Before, it was one int3.
 */
#define UNWIND_TRAMPOLINE_BYTES (UNWIND_AT_RETURN ? 24 : 0)
#define UNWIND_CALL_RET 17
enum { UNWIND_DWARF_AX = 0, UNWIND_DWARF_CX = 2, UNWIND_DWARF_R11 = 11 }; /* x86-64's numbers */

/* The address of that page, with which the trampoline of returns begins; 0: there is none. */
static __always_inline __u64 unwind_xol(void)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct xol_area *area;

	if (!bpf_core_field_exists(t->utask))
		return 0;
	area = BPF_CORE_READ(t, mm, uprobes_state.xol_area);
	return area ? BPF_CORE_READ(area, vaddr) : 0;
}

/* Puts right the address that was found last, of a caller. Returns 0 where it is none of those. */
static __always_inline int unwind_unhook(struct unwind_walk *w)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct return_instance *r = (void *)w->returns;
	__u64 xol = unwind_xol();

	if (!xol || xol != w->regs.ip)
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

/*
 * 1: the kernel is in the trampoline's system call, between uprobe_handle_trampoline() and its end (SYSCALL_DEFINE0(uretprobe),
 * arch/x86/kernel/uprobes.c). ip is the caller's already, sp is UNWIND_TRAMPOLINE_BYTES below its own, and r11, rcx and rax are on the stack as
 * they are in the registers; ip may be in rax's place already: a compiler chooses the order of the stores.
 */
static __always_inline int unwind_is_returning(struct unwind_walk *w)
{
	__u64 r11 = 0, cx = 0, ax = 0, xol;

	if (unwind_word(w, w->regs.sp, &r11) || r11 != unwind_leaf(w, UNWIND_DWARF_R11) ||
	    unwind_word(w, w->regs.sp + sizeof(__u64), &cx) || cx != unwind_leaf(w, UNWIND_DWARF_CX) ||
	    unwind_word(w, w->regs.sp + 2 * sizeof(__u64), &ax) || (ax != unwind_leaf(w, UNWIND_DWARF_AX) && ax != w->regs.ip))
		return 0;
	xol = unwind_xol();
	return xol && w->regs.ip - xol >= UNWIND_USER_PAGE;
}

/*
 * What the kernel has done of an instruction in whose place a breakpoint is. At first the address is the one after the breakpoint, and nothing is
 * done: the return address is where it was before. Then it is the instruction's. Then all is done, and the address is the next one's; of a
 * call, which goes elsewhere, for as long as its return address is written (branch_emulate_op(), arch/x86/kernel/uprobes.c). Puts registers
 * right for the walk, or returns UNWIND_ASK: user space has to.
 */
static __noinline int unwind_settle(struct unwind_walk *w)
{
	__u64 cfa = 0, ra = 0;
	__u8 code[UNWIND_CALL_BYTES + 1] = {}; /* the last one is the address's */
	int end;

	if (!UNWIND_AT_RETURN || !w->regs.is_exact)
		return UNWIND_MORE;
	if (unwind_is_returning(w)) {
		w->regs.sp += UNWIND_TRAMPOLINE_BYTES;
		w->regs.is_exact = 0;
		return UNWIND_MORE;
	}
	if (bpf_probe_read_user(code, sizeof(code), (void *)(w->regs.ip - UNWIND_CALL_BYTES)))
		return UNWIND_MORE;
	if (code[0] == UNWIND_BREAKPOINT && !unwind_word(w, w->regs.sp, &ra) && ra == w->regs.ip)
		w->regs.sp += sizeof(__u64);
	if (code[UNWIND_CALL_BYTES - 1] != UNWIND_BREAKPOINT || code[UNWIND_CALL_BYTES] == UNWIND_BREAKPOINT)
		return UNWIND_MORE;
	end = unwind_find(&w->place, w->regs.ip - 1, &w->rule);
	if (!end) {
		if (unwind_cfa(w, &w->regs, &w->rule, &cfa) || w->rule.ra != UNWIND_AT_CFA || unwind_word(w, cfa + w->rule.ra_off, &ra))
			return UNWIND_MORE;
		end = unwind_find(&w->place, ra - 1, &w->rule);
		if (!end)
			w->regs.ip--;
	}
	if (end != UNWIND_ASK)
		return UNWIND_MORE;
	w->regs.lost |= UNWIND_UNSETTLED;
	return end;
}

/* Where who is at that byte of a return's trampoline is going. -1: not known. Calls that longjmp() has left may be first in the list. */
static __always_inline int unwind_from_return(struct unwind_walk *w, __u64 byte, __u64 *ret_sp, __u64 *ret_ip)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct return_instance *r = BPF_CORE_READ(t, utask, return_instances);
	__u64 sp;

	for (__u32 i = 0; byte <= 13 && i < UNWIND_RETURNS_STEP && r; i++) {
		*ret_sp = BPF_CORE_READ(r, stack) + UNWIND_AT_RETURN;
		if (*ret_sp - w->regs.sp <= UNWIND_TRAMPOLINE_BYTES) {
			w->returns = (__u64)r;
			*ret_ip = BPF_CORE_READ(r, orig_ret_vaddr);
			return 0;
		}
		r = BPF_CORE_READ(r, next);
	}
	sp = w->regs.sp + (byte == 13 ? 16 : byte == 15 ? 8 : 0); /* not before the loop, or it is verified three times */
	/* rax's place has rax as long as the system call is not through */
	if (!UNWIND_AT_RETURN || byte < 13 || byte > 16 || unwind_word(w, sp, ret_ip) || *ret_ip == unwind_leaf(w, 0))
		return -1;
	*ret_sp = sp + sizeof(__u64);
	return 0;
}

/*
 * The same of a call's: push %rcx; push %r11; push %rax; mov $__NR_uprobe, %rax; syscall; pop %rax; pop %r11; pop %rcx; ret, which takes as much
 * more off the stack as it says (arch/x86/kernel/uprobes.c, 6.18, 56101b69c919 "uprobes/x86: Add uprobe syscall to speed up uprobe"; the nop was
 * of 5 bytes first, and is of 10 since there is room for a leaf's red zone).
 */
static __always_inline int unwind_from_call(struct unwind_walk *w, __u64 *ret_sp, __u64 *ret_ip)
{
	__u64 byte = w->regs.ip - w->place.map.start, pushed;
	__u8 ret[3] = {};

	if (w->place.map.nr_pages >> UNWIND_KIND_SHIFT != UNWIND_MAP_PROBE || byte > UNWIND_CALL_RET ||
	    bpf_probe_read_user(ret, sizeof(ret), (void *)(w->place.map.start + UNWIND_CALL_RET)))
		return -1;
	pushed = byte < 1 ? 0 : byte < 3 ? 8 : byte < 4 ? 16 : byte < 14 ? 24 : byte < 16 ? 16 : byte < 17 ? 8 : 0;
	*ret_sp = w->regs.sp + pushed + sizeof(__u64);
	if (ret[0] == 0xc2)
		*ret_sp += ret[1] | ret[2] << 8;
	else if (ret[0] != 0xc3)
		return -1;
	return unwind_word(w, w->regs.sp + pushed, ret_ip);
}

/*
 * Puts right the address that a walk begins with: that of a copy, or in a trampoline, which stays and whose caller is found. Returns 0 where
 * it is neither.
 */
static __always_inline int unwind_in_line(struct unwind_walk *w)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	__u64 xol = unwind_xol(), byte = xol ? w->regs.ip - xol : UNWIND_USER_PAGE, at, ip = 0, sp = 0;

	if (!bpf_core_field_exists(t->utask))
		return 0;
	at = w->regs.ip - BPF_CORE_READ(t, utask, xol_vaddr);
	if (byte < UNWIND_USER_PAGE && at < UNWIND_COPY_BYTES) {
		w->regs.ip = w->stack.ips[0] = BPF_CORE_READ(t, utask, vaddr) + at;
		return 1;
	}
	if (byte < UNWIND_USER_PAGE ? unwind_from_return(w, byte, &sp, &ip) : !UNWIND_AT_RETURN || unwind_from_call(w, &sp, &ip))
		return 0;
	w->regs.ip = w->stack.ips[1] = ip;
	w->regs.sp = sp;
	w->regs.is_exact = 0;
	w->stack.nr = 2;
	return 1;
}

/* What user space has to put right itself, in a stack that it walks: the next few. Where they are not, as on arm64, nothing. */
static __always_inline void unwind_read_returns(struct unwind_walk *w)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct return_instance *r = NULL;

	w->trampoline = UNWIND_AT_RETURN ? unwind_xol() : 0;
	if (UNWIND_AT_RETURN && bpf_core_field_exists(t->utask))
		r = w->returns ? (void *)w->returns : BPF_CORE_READ(t, utask, return_instances);
	for (__u32 i = 0; i < UNWIND_RETURNS_SENT; i++) {
		w->return_list[i].at = r ? BPF_CORE_READ(r, stack) : 0;
		w->return_list[i].ip = r ? BPF_CORE_READ(r, orig_ret_vaddr) : 0;
		r = r ? BPF_CORE_READ(r, next) : NULL;
	}
}

#endif
