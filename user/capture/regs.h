/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where registers are in struct pt_regs (uapi/asm/ptrace.h), in bytes. */
#ifndef SKEP_CAPTURE_REGS_H
#define SKEP_CAPTURE_REGS_H

#include <stdint.h>

#ifdef __x86_64__
#define REGS_SP 152
#define REGS_RET 80
#define REGS_NR_ARGS 6
/* rdi rsi rdx rcx r8 r9: System V psABI; a system call's fourth is another, but that is no function */
static const uint16_t regs_args[] = { 112, 104, 96, 88, 72, 64 };
/* rax rbx rcx rdi rsi r8 r9 r10 r11: Go's ABIInternal, src/cmd/compile/abi-internal.md */
static const uint16_t regs_go_args[] = { 80, 40, 88, 112, 104, 72, 64, 56, 48 };
/* rax rdx rcx rbx rsi rdi rbp rsp r8... rip: DWARF numbers of the psABI */
static const uint16_t regs_dwarf[] = { 80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0, 128 };
#elif defined(__aarch64__)
#define REGS_SP 248
#define REGS_RET 0
#define REGS_NR_ARGS 8
static const uint16_t regs_args[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
static const uint16_t regs_go_args[] = { 0, 8, 16, 24, 32, 40, 48, 56, 64 };
static const uint16_t regs_dwarf[] = { 0,   8,	 16,  24,  32,	40,  48,  56,  64,  72,	 80,  88,  96,	104, 112, 120,
				       128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248 };
#else
#error "no table of registers for this architecture"
#endif

#define REGS_NR_DWARF (sizeof(regs_dwarf) / sizeof(*regs_dwarf))
#define REGS_NR_GO_ARGS (sizeof(regs_go_args) / sizeof(*regs_go_args))

#endif
