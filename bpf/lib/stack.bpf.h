/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks of the current task by frame pointer (kernel: its own unwinder), and their hashes. */
#ifndef SKEP_STACK_BPF_H
#define SKEP_STACK_BPF_H

#include "bpf/stack.h"

const volatile __u32 cfg_max_frames = STACK_MAX_FRAMES;

/* Add and multiply, and FNV-1a by words: two 64-bit walks over the same words that have no arithmetic in common. */
#define STACK_SEED_KEY 0xcbf29ce484222325ULL
#define STACK_MUL_KEY 0x9fb21c651e98df25ULL
#define STACK_SEED_CHECK 0x9e3779b97f4a7c15ULL
#define STACK_MUL_CHECK 0xff51afd7ed558ccdULL

/*
 * Writes up to cfg_max_frames addresses and returns how many. flags: BPF_F_USER_STACK or 0. Why the walk ended is
 * for user space to see by the number: a branch here would double what the verifier has to walk.
 */
static __always_inline __u32 stack_walk(void *ctx, __u64 *ips, __u64 flags)
{
	__u32 frames = cfg_max_frames <= STACK_MAX_FRAMES ? cfg_max_frames : STACK_MAX_FRAMES;
	long bytes = bpf_get_stack(ctx, ips, frames * sizeof(__u64), flags);

	return bytes > 0 ? (__u64)bytes / sizeof(__u64) : 0;
}

/*
 * Does a task of these flags run code of its process? A thread that the kernel makes for one (io_uring's, vhost's) has its memory, and
 * for registers of user space a copy of its maker's without ip and sp. Before io_thread (5.12) and user_worker (6.4) came into
 * kernel_clone_args the bits were others: PF_VCPU, and PF_USED_ASYNC, which all tasks inherited.
 */
static __always_inline int stack_has_user(__u32 flags)
{
	__u32 none = PF_KTHREAD;

	if (bpf_core_field_exists(struct kernel_clone_args, io_thread))
		none |= PF_IO_WORKER;
	if (bpf_core_field_exists(struct kernel_clone_args, user_worker))
		none |= PF_USER_WORKER;
	return !(flags & none);
}

/*
 * Three fixed lengths instead of a loop that ends at nr: the verifier keeps and compares a state for each way out of
 * a loop, and two loops multiply (100,000 instructions, 50 ms to load). bpf_get_stack() zeroes what it does not
 * fill, so the surplus is zeroes and the hash still a function of the frames alone. Eight frames a round, because the verifier checks the
 * address of each round anew.
 */
#define STACK_SHORT 15
#define STACK_MIDDLE 47
#define STACK_ROUND 8
_Static_assert((STACK_MIDDLE - STACK_SHORT) % STACK_ROUND == 0 && (STACK_MAX_FRAMES - STACK_MIDDLE) % STACK_ROUND == 0, "whole rounds");

#define STACK_HASH(ips, n)                                          \
	_Pragma("unroll") for (__u32 k = 0; k < (n); k++) {         \
		key = (key + (ips)[k]) * STACK_MUL_KEY;             \
		check = (check ^ (ips)[k]) * STACK_MUL_CHECK;       \
	}
#define STACK_HASH_ROUNDS(from, to)                                 \
	for (__u32 i = (from); i < (to); i += STACK_ROUND)          \
		STACK_HASH(s->ips + i, STACK_ROUND)

/* The key of a walk; fills s->check. */
static __always_inline __u64 stack_hash(struct stack_val *s)
{
	__u64 key = STACK_SEED_KEY + s->nr, check = STACK_SEED_CHECK; /* a frame may be 0 */

	STACK_HASH(s->ips, STACK_SHORT)
	if (s->nr > STACK_SHORT) {
		STACK_HASH_ROUNDS(STACK_SHORT, STACK_MIDDLE)
		if (s->nr > STACK_MIDDLE)
			STACK_HASH_ROUNDS(STACK_MIDDLE, STACK_MAX_FRAMES)
	}
	s->check = check;
	return (key ^ key >> 32) | 1; /* 0 means: no frames */
}

#endif
