/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack as it is walked, and its depth limit. */
#ifndef SKEP_BPF_STACK_H
#define SKEP_BPF_STACK_H

#include <linux/types.h>

/* Default of kernel.perf_event_max_stack, which may be set lower. */
#define STACK_MAX_FRAMES 127

#define STACKS_DEFAULT 8192 /* distinct ones that are kept, about 1 KB of kernel memory each */

/* One walk. `check` is a second, independent hash of the same frames. */
struct stack_val {
	__u64 check;
	__u32 nr;
	__u32 pad;
	__u64 ips[STACK_MAX_FRAMES + 1]; /* one spare: a power of two lets the verifier see the bound */
};
_Static_assert(sizeof(struct stack_val) == 1040, "stack_val");

#endif
