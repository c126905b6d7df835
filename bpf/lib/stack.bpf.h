/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks of the current task by frame pointer (kernel: its own unwinder), and their hashes. */
#ifndef SKEP_STACK_BPF_H
#define SKEP_STACK_BPF_H

#include "bpf/stack.h"

#define STACK_BYTES (STACK_MAX_FRAMES * sizeof(__u64))

/* FNV-like and add-multiply-shift: two independent 64-bit walks over the same words. */
#define STACK_SEED_KEY 0xcbf29ce484222325ULL
#define STACK_MUL_KEY 0x9fb21c651e98df25ULL
#define STACK_SEED_CHECK 0x9e3779b97f4a7c15ULL
#define STACK_MUL_CHECK 0xff51afd7ed558ccdULL

/* Writes up to STACK_MAX_FRAMES addresses, returns how many and sets *stop. flags: BPF_F_USER_STACK or 0. */
static __always_inline __u32 stack_walk(void *ctx, __u64 *ips, __u64 flags, __u8 *stop)
{
	long bytes = bpf_get_stack(ctx, ips, STACK_BYTES, flags);

	if (bytes <= 0) {
		*stop = flags & BPF_F_USER_STACK ? STOP_UNREADABLE : STOP_ROOT;
		return 0;
	}
	*stop = bytes == STACK_BYTES ? STOP_DEPTH : STOP_ROOT;
	return (__u64)bytes / sizeof(__u64);
}

/*
 * In steps of eight, since each test of the loop's end is a state that the verifier keeps and compares: frame by frame
 * it took 22,000 instructions and 16 ms to verify. bpf_get_stack() zeroes what it does not fill, so the last step
 * hashes zeroes.
 */
#define STACK_HASH_STEP 8

static __always_inline __u64 stack_hash(struct stack_val *s)
{
	__u64 key = STACK_SEED_KEY, check = STACK_SEED_CHECK;

	for (__u32 i = 0; i < STACK_MAX_FRAMES + 1; i += STACK_HASH_STEP) {
		if (i >= s->nr)
			break;
#pragma unroll
		for (__u32 k = 0; k < STACK_HASH_STEP; k++) {
			key = (key ^ s->ips[i + k]) * STACK_MUL_KEY;
			key ^= key >> 32;
			check = (check + s->ips[i + k]) * STACK_MUL_CHECK;
			check ^= check >> 29;
		}
	}
	s->check = check;
	return key | 1; /* 0 means: no frames */
}

#endif
