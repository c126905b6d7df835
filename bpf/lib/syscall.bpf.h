/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which system call of which table: for programs on tp_btf/sys_enter and sys_exit. */
#ifndef SKEP_SYSCALL_BPF_H
#define SKEP_SYSCALL_BPF_H

#include "bpf/syscalls.h"
#include "lib/current.bpf.h"

#define X32_BIT 0x40000000
#define USER_CS 0x33	 /* arch/x86/include/asm/segment.h: 64-bit code */
#define PSR_MODE32_SHIFT 4 /* arch/arm64/include/uapi/asm/ptrace.h */
#define TS_COMPAT 0x0002 /* arch/x86/include/asm/thread_info.h: set for the time of a call through the 32-bit entry */
#define TIF_32BIT 22	 /* arch/arm64/include/asm/thread_info.h */

/* task is current_task(). */
static __always_inline int task_is_compat(struct task_struct *task)
{
#ifdef __TARGET_ARCH_x86
	return (HAS_TASK_BTF ? task->thread_info.status : BPF_CORE_READ(task, thread_info.status)) & TS_COMPAT;
#else
	return (HAS_TASK_BTF ? task->thread_info.flags : BPF_CORE_READ(task, thread_info.flags)) >> TIF_32BIT & 1;
#endif
}

static __always_inline int is_compat(void)
{
	return task_is_compat(current_task());
}

/*
 * By the registers that sys_enter and sys_exit pass, without a helper. x86-64: SYSCALL leaves the return address in rcx and the flags in
 * r11. Of other ways in (int $0x80, FRED) and of registers that ptrace or exec changed the task is asked. A 64-bit program that puts those
 * values there before int $0x80 is taken for a native one.
 */
static __always_inline int regs_are_compat(const struct pt_regs___kernel *regs)
{
#ifdef __TARGET_ARCH_x86
	return (regs->cs != USER_CS || regs->cx != regs->ip || regs->r11 != regs->flags) && is_compat();
#else
	return regs->pstate >> PSR_MODE32_SHIFT & 1;
#endif
}

/* Takes the mark of x32 from the number. */
static __always_inline __u32 syscall_abi_of(int compat, __u64 *nr)
{
	__u32 abi = compat ? SYSCALL_COMPAT : *nr & X32_BIT ? SYSCALL_X32 : SYSCALL_NATIVE;

	*nr &= ~(__u64)X32_BIT;
	return abi;
}

/* It is no argument there: sys_exit(struct pt_regs *regs, long ret). The kernel takes 32 bits of it. -1 after rt_sigreturn. */
static __always_inline __u64 syscall_nr_at_exit(__u64 *ctx)
{
	struct pt_regs___kernel *regs = (void *)ctx[0];

#ifdef __TARGET_ARCH_x86
	return (__s64)(__s32)regs->orig_ax;
#else
	return (__s64)regs->syscallno;
#endif
}

#endif
