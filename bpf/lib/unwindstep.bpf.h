/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One step of a walk: from a frame and its rule to its caller. The same source runs in the kernel (lib/unwind.bpf.h) and in user space
 * (user/sym/unwind.c); who includes it has defined before
 *	static int unwind_word(struct unwind_walk *w, __u64 addr, __u64 *ret)
 * which reads a word of the stack: 0, or less where it is not there.
 */
#ifndef SKEP_UNWINDSTEP_BPF_H
#define SKEP_UNWINDSTEP_BPF_H

#include "bpf/unwind.h"
