/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What differs between machines before a walk's first step: where registers of user space are, and what else they mean. */
#ifndef SKEP_UNWINDREGS_BPF_H
#define SKEP_UNWINDREGS_BPF_H

#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>
#include <bpf/bpf_core_read.h>

#include "bpf/unwind.h"

#ifdef __TARGET_ARCH_x86
#define UNWIND_CS 0x33 /* of 64-bit code: __USER_CS, arch/x86/include/asm/segment.h; Xen's, 0xe033, too */
#define UNWIND_CS_MASK 0xff
#define UNWIND_THREAD_SIZE 16384 /* arch/x86/include/asm/page_64_types.h, without KASAN */
#define UNWIND_PT_BYTES sizeof(struct pt_regs)
#define UNWIND_AT_RETURN sizeof(__u64) /* a function's sp at its entry is so much below its caller's */

enum unwind_pt { /* words of struct pt_regs */
	PT_R15, PT_R14, PT_R13, PT_R12, PT_BP, PT_BX, PT_R11, PT_R10, PT_R9, PT_R8, PT_AX, PT_CX, PT_DX, PT_SI, PT_DI,
	PT_ORIG_AX, PT_IP, PT_CS, PT_FLAGS, PT_SP, PT_SS, PT_WORDS
};
_Static_assert(PT_WORDS * sizeof(__u64) == sizeof(struct pt_regs), "pt_regs");
#define PT_MASK 31

/* Where DWARF's registers are in there. */
static const __u32 unwind_dwarf[UNWIND_LEAF_REGS] = {
	PT_AX, PT_DX, PT_CX, PT_BX, PT_SI, PT_DI, PT_BP, PT_SP, PT_R8, PT_R9, PT_R10, PT_R11, PT_R12, PT_R13, PT_R14, PT_R15, PT_IP,
};

static __always_inline int unwind_in_user(const struct bpf_perf_event_data *ctx)
{
	return (ctx->regs.cs & 3) == 3;
}

static __always_inline int unwind_is_compat(const __u64 *pt)
{
	return (pt[PT_CS] & UNWIND_CS_MASK) != UNWIND_CS;
}

/*
 * 0: in a system call, after its instruction. cx is where it returns to (SYSCALL, Intel SDM volume 2), unless a signal's
 * handler or another program comes first, whose first instruction ip is. With FRED cx is the program's own, and ip is taken for exact.
 */
static __always_inline int unwind_is_exact(const __u64 *pt, const void *regs)
{
	return pt[PT_ORIG_AX] == -1ull || pt[PT_CX] != pt[PT_IP];
}

static __always_inline void unwind_set_machine(struct unwind_regs *r)
{
}
#else
#define UNWIND_THREAD_SIZE 16384 /* arch/arm64/include/asm/memory.h, with pages of 4 or 16 KiB and without KASAN */
#define UNWIND_PT_BYTES bpf_core_type_size(struct pt_regs___kernel)
#define UNWIND_AT_RETURN 0
#define UNWIND_TASK_SIZE (1ull << 48) /* of most kernels (CONFIG_ARM64_VA_BITS) */

enum unwind_pt { /* words of struct user_pt_regs, with which the kernel's pt_regs begins: x0 to x30 first */
	PT_BP = 29, PT_BX = 30, PT_SP, PT_IP, PT_STATE, PT_WORDS
};
_Static_assert(PT_WORDS * sizeof(__u64) == sizeof(struct user_pt_regs), "user_pt_regs");
#define PT_MASK 63

static const __u32 unwind_dwarf[UNWIND_LEAF_REGS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static __always_inline int unwind_in_user(const struct bpf_perf_event_data *ctx)
{
	return !(ctx->regs.pstate & PSR_MODE_MASK); /* PSR_MODE_EL0t */
}

static __always_inline int unwind_is_compat(const __u64 *pt)
{
	return !!(pt[PT_STATE] & PSR_MODE32_BIT);
}

static __always_inline int unwind_is_exact(const __u64 *pt, const void *regs)
{
	const struct pt_regs___kernel *r = regs;

	return !bpf_core_field_exists(r->syscallno) || BPF_CORE_READ(r, syscallno) < 0;
}

/* Signatures are between the bits of addresses and bit 55, which distinguishes user space from the kernel (ptrauth_user_pac_mask()). */
static __always_inline void unwind_set_machine(struct unwind_regs *r)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	__u64 size = BPF_CORE_READ(t, mm, task_size);

	r->address_bits = __builtin_popcountll((size ?: UNWIND_TASK_SIZE) - 1);
}
#endif

#endif
