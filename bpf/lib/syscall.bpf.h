/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which system call of which table: for programs on tp_btf/sys_enter and sys_exit. */
#ifndef SKEP_SYSCALL_BPF_H
#define SKEP_SYSCALL_BPF_H

#include <bpf/bpf_core_read.h>

#include "bpf/syscalls.h"

#define X32_BIT 0x40000000
#define TS_COMPAT 0x0002 /* arch/x86/include/asm/thread_info.h: set for the time of a call through the 32-bit entry */
#define TIF_32BIT 22	 /* arch/arm64/include/asm/thread_info.h */

/* bpf_get_current_task_btf() came with 5.11: its pointer is read without a helper. */
#define HAS_TASK_BTF bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)

static __always_inline struct task_struct *syscall_task(void)
{
	return HAS_TASK_BTF ? bpf_get_current_task_btf() : (void *)bpf_get_current_task();
}

/* Of syscall_task(). */
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
	return task_is_compat(syscall_task());
}

/* Takes the mark of x32 from the number. */
static __always_inline __u32 syscall_abi_of(struct task_struct *task, __u64 *nr)
{
	__u32 abi = task_is_compat(task) ? SYSCALL_COMPAT : *nr & X32_BIT ? SYSCALL_X32 : SYSCALL_NATIVE;

	*nr &= ~(__u64)X32_BIT;
	return abi;
}

/* It is no argument there: sys_exit(struct pt_regs *regs, long ret). -1 after rt_sigreturn. */
static __always_inline __u64 syscall_nr_at_exit(__u64 *ctx)
{
	struct pt_regs___kernel *regs = (void *)ctx[0];

#ifdef __TARGET_ARCH_x86
	return regs->orig_ax;
#else
	return (__s64)regs->syscallno;
#endif
}

#endif
