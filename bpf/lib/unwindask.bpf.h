/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What user space needs to walk a stack further than the kernel can: registers, and the stack itself. */
#ifndef SKEP_UNWINDASK_BPF_H
#define SKEP_UNWINDASK_BPF_H

#include "lib/emit.bpf.h"

/* From the top: a number of its own, the scratch's, the object's, the CPU's (8192 at most: CONFIG_NR_CPUS). Never 0. */
#define UNWIND_ID_CPU_BITS 13
#define UNWIND_ID_OBJECT_BITS 3
#define UNWIND_ID_SLOT_BITS 2
_Static_assert(UNWIND_SCRATCHES <= 1 << UNWIND_ID_SLOT_BITS, "unwind_id");

static __always_inline __u64 unwind_id(struct unwind_walk *w, __u32 slot)
{
	__u64 id = ++w->nr_asked;

	id = id << UNWIND_ID_SLOT_BITS | (slot & ((1 << UNWIND_ID_SLOT_BITS) - 1));
	id = id << UNWIND_ID_OBJECT_BITS | (cfg_unwind_id & ((1 << UNWIND_ID_OBJECT_BITS) - 1));
	return (id << UNWIND_ID_CPU_BITS | bpf_get_smp_processor_id()) & UNWIND_MARK_ID;
}

/* Copies pages from sp up until one is not there; size is a constant. Returns how many bytes. */
static __always_inline __u32 unwind_copy(char *to, __u64 sp, __u32 size)
{
	__u64 n = UNWIND_USER_PAGE - sp % UNWIND_USER_PAGE; /* of the first page */
	__u32 i;

	/* The compiler must not know it: it would begin below the record. */
	asm volatile("" : "+r"(n));
	if (bpf_probe_read_user(to, n, (void *)sp))
		return 0;
	to += n;
	sp += n;
	for (i = 0; i < size / UNWIND_USER_PAGE - 1; i++)
		if (bpf_probe_read_user(to + i * UNWIND_USER_PAGE, UNWIND_USER_PAGE, (void *)(sp + i * UNWIND_USER_PAGE)))
			break;
	return n + i * UNWIND_USER_PAGE;
}

static __always_inline void unwind_hand_over(struct unwind_walk *w, struct unwind_rest *rest, __u64 id, __u32 below, __u32 bytes)
{
	rest->id = id;
	rest->time_ns = bpf_ktime_get_ns();
	rest->space = w->key;
	rest->regs = w->regs;
	for (__u32 i = 0; i < UNWIND_LEAF_REGS; i++)
		rest->leaf[i] = unwind_leaf(w, i);
	rest->nr = w->stack.nr;
	rest->bytes = bytes;
	rest->pid = w->pid;
	rest->below = below;
	rest->trampoline = w->trampoline;
	__builtin_memcpy(rest->returns, w->return_list, sizeof(rest->returns));
}

/* The frames that are left are below the arguments of main(), if this is the first thread: there may be few bytes. */
#define UNWIND_LEFT_MAX (8u << 20) /* more than a stack has (ulimit -s): it is another thread's */

static __always_inline __u64 unwind_left(__u64 sp)
{
	struct task_struct *t = (void *)bpf_get_current_task();

	return BPF_CORE_READ(t, mm, start_stack) - sp;
}

/* Where there is no room, the stack's mark says so: STOP_NOT_ASKED. */
#define UNWIND_ASK_WITH(size)                                                                        \
	({                                                                                           \
		struct { struct unwind_rest rest; char stack[size]; } *_rest;                        \
		int _is_sent = 0;                                                                    \
                                                                                                     \
		RING_FILL(_rest, bpf_ringbuf_reserve(&unwind_rests, sizeof(*_rest), 0),              \
			  ring_wake(&unwind_rests, _rest->rest.time_ns, RING_WAKE_NOW)) {            \
			unwind_hand_over(w, &_rest->rest, id, below, unwind_copy(_rest->stack, sp, size)); \
			_is_sent = 1;                                                                \
		}                                                                                    \
		_is_sent;                                                                            \
	})

/* Returns the id of the rest; 0: there was no room. */
static __always_inline __u64 unwind_ask(struct unwind_walk *w, __u32 slot)
{
	__u64 id = unwind_id(w, slot), sp = w->regs.sp, left, word;
	__s64 is_none = bpf_probe_read_user(&word, sizeof(word), (void *)(sp - UNWIND_RED_ZONE));
	__u32 below;
	int is_sent;

	/* Its sign as a mask: what follows a branch would be verified twice. */
	asm volatile("%0 s>>= 63" : "+r"(is_none));
	below = UNWIND_RED_ZONE & ~is_none;
	sp -= below;
	unwind_read_returns(w);
	left = unwind_left(sp);

	/* Of a copy's first page only the end is the stack's. */
	if (left <= UNWIND_USER_PAGE - sp % UNWIND_USER_PAGE)
		is_sent = UNWIND_ASK_WITH(UNWIND_REST_TINY);
	else if (left <= UNWIND_REST_SMALL - UNWIND_USER_PAGE)
		is_sent = UNWIND_ASK_WITH(UNWIND_REST_SMALL);
	else if (left <= UNWIND_REST_MIDDLE - UNWIND_USER_PAGE)
		is_sent = UNWIND_ASK_WITH(UNWIND_REST_MIDDLE);
	else if (left <= UNWIND_REST_LARGE - UNWIND_USER_PAGE || left > UNWIND_LEFT_MAX)
		is_sent = UNWIND_ASK_WITH(UNWIND_REST_LARGE);
	else
		is_sent = UNWIND_ASK_WITH(UNWIND_REST_HUGE);
	return is_sent ? id : 0;
}

#endif
