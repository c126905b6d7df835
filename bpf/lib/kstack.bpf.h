/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel stacks of tasks that leave their CPU at the same place again and again: a walk takes 200 ns a frame, and mostly finds what
 * it found before. What is remembered of a walk is where on the stack its return addresses are: from the hook up, and, since system
 * calls begin at a random depth (5.13, 39218ff4c625 "stack: Optionally randomize kernel stack offset each syscall"), the outermost one
 * from the stack's end. When all of them are in their places it is the same walk: an unwinder goes from one to the next by their values.
 */
#ifndef SKEP_KSTACK_BPF_H
#define SKEP_KSTACK_BPF_H

#include "lib/stacks.bpf.h"

#define KSTACK_ALIGN 0x4000ULL /* a stack's size; of a larger one (KASAN) this is a part, and its walks are not remembered */
#define KSTACK_WORDS 128       /* looked at, from the hook's arguments up */
#define KSTACK_TOP_WORDS 64    /* looked at, at the stack's end */
#define KSTACK_FRAMES 32       /* of a walk that is remembered, without the outermost */
#define KSTACK_HOOK_FRAMES 2   /* below its arguments: the program, and the kernel's function that runs it */
#define KSTACK_NO_WORD 255     /* always 0 */
#define KSTACK_NOWHERE (~0ULL) /* no return address */

/* A walk that is remembered. Unused frames are 0 at KSTACK_NO_WORD, which they match. */
struct kstack_place {
	__u64 key, check; /* in `stacks`; 0: none */
	__u64 top_ip, top_bytes; /* the outermost, so far from the end */
	__u64 ips[KSTACK_FRAMES];
	__u8 words[KSTACK_FRAMES];
};

struct kstack_scratch {
	__u64 args; /* where they are, as a number: the verifier does not calculate with a context */
	__u64 values[KSTACK_NO_WORD + 1]; /* of the stack's words */
	__u64 top[KSTACK_TOP_WORDS];
	__u64 ips[2 * KSTACK_FRAMES];
	__u8 up[2 * KSTACK_FRAMES], down[2 * KSTACK_FRAMES]; /* words where they were found */
	__u32 cursor; /* in them */
	__u32 nr, differ, pad;
};

static __always_inline __u64 kstack_end(const struct kstack_scratch *s)
{
	return (s->args | (KSTACK_ALIGN - 1)) + 1;
}

/* Reads the stack. Returns 0 where that cannot be. */
static __always_inline int kstack_look(void *ctx, struct kstack_scratch *s)
{
	__u64 bytes;

	s->args = (__u64)ctx;
	barrier();
	bytes = kstack_end(s) - s->args;
	if (bytes >= KSTACK_WORDS * sizeof(__u64))
		return !bpf_probe_read_kernel(s->values, KSTACK_WORDS * sizeof(__u64), (void *)s->args);
	__builtin_memset(s->values, 0, KSTACK_WORDS * sizeof(__u64));
	return !bpf_probe_read_kernel(s->values, bytes & (KSTACK_WORDS * sizeof(__u64) - 1), (void *)s->args);
}

/* Is the stack that was looked at the one which is remembered there? */
static __always_inline int kstack_same(const struct kstack_place *p, const struct kstack_scratch *s)
{
	__u64 differ = 0, top;

	if (!p->key || s->values[p->words[0]] != p->ips[0])
		return 0;
	for (__u32 i = 0; i < KSTACK_FRAMES; i++)
		differ |= s->values[p->words[i]] ^ p->ips[i];
	return !differ && !bpf_probe_read_kernel(&top, sizeof(top), (void *)(kstack_end(s) - p->top_bytes)) && top == p->top_ip;
}

/* 1 for 0, else 0; without a branch, which the verifier would walk both ways of. */
static __always_inline __u32 kstack_is_zero(__u64 x)
{
	x |= -x;
	barrier_var(x); /* or the compiler sees what it is */
	return 1 - (__u32)(x >> 63);
}

/* One step of a search: the frame that is looked for is at word w, or not. Never beyond the frame after the last one. */
#define KSTACK_SEARCH(words, step)                                                \
	do {                                                                      \
		__u32 i = *cursor & (2 * KSTACK_FRAMES - 1);                      \
                                                                                  \
		s->words[i] = w;                                                  \
		*cursor = i + (step) * kstack_is_zero(s->values[w] ^ s->ips[i]); \
	} while (0)

/* The outermost frame: the one word at the end that is it. */
static __always_inline int kstack_learn_top(struct kstack_place *p, struct kstack_scratch *s, __u64 ip)
{
	__u32 at = 0, found = 0;

	if (bpf_probe_read_kernel(s->top, sizeof(s->top), (void *)(kstack_end(s) - sizeof(s->top))))
		return 0;
	for (__u32 w = 0; w < KSTACK_TOP_WORDS; w++) {
		__u32 is_it = kstack_is_zero(s->top[w] ^ ip);

		at += w * is_it;
		found += is_it;
	}
	p->top_ip = ip;
	p->top_bytes = (KSTACK_TOP_WORDS - at) * sizeof(__u64);
	return found == 1;
}

/*
 * Remembers a walk. Its return addresses are searched in their order from below and from above: only where both find the same words
 * there is one way to read the stack. What differs by way is in memory, of which the verifier knows nothing.
 */
static __always_inline void kstack_learn(struct kstack_place *p, struct kstack_scratch *s, const struct stack_val *walk, __u64 key)
{
	volatile __u32 *nr = &s->nr, *cursor = &s->cursor;

	p->key = 0;
	*nr = walk->nr - KSTACK_HOOK_FRAMES - 1;
	if (walk->nr <= KSTACK_HOOK_FRAMES + 1 || *nr >= KSTACK_FRAMES)
		return;
	if (!kstack_learn_top(p, s, walk->ips[(walk->nr - 1) & STACK_MAX_FRAMES]))
		return;
	/* A frame on either side that is nowhere ends a search */
	s->ips[0] = s->ips[1 + KSTACK_FRAMES] = KSTACK_NOWHERE;
	for (__u32 i = 0; i < KSTACK_FRAMES; i++)
		s->ips[1 + i] = i < *nr ? walk->ips[KSTACK_HOOK_FRAMES + i] : KSTACK_NOWHERE;
	*cursor = 1;
	for (__u32 w = 0; w < KSTACK_WORDS; w++)
		KSTACK_SEARCH(up, 1);
	if (*cursor != 1 + *nr)
		return;
	*cursor = *nr;
	for (__u32 w = KSTACK_WORDS; w--;)
		KSTACK_SEARCH(down, -1);
	if (*cursor)
		return;
	s->differ = 0;
	for (__u32 i = 0; i < KSTACK_FRAMES; i++) {
		p->words[i] = KSTACK_NO_WORD;
		p->ips[i] = 0;
		if (i < *nr) {
			p->words[i] = s->up[1 + i];
			p->ips[i] = s->ips[1 + i];
			s->differ |= s->up[1 + i] ^ s->down[1 + i];
		}
		barrier();
	}
	p->check = walk->check;
	p->key = s->differ ? 0 : key;
}

#endif
