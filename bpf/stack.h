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

/*
 * Why a walk ended before the root: STOP_<name>, the loss that it is, its words in the place of the frames that are missing. perf.data
 * files of skep have these numbers: a new row is the last.
 */
#define STACK_STOPS(X) \
	X(ROOT, LOSS_MAX, "")	    /* walked to the end, as far as the walker knows */ \
	X(DEPTH, LOSS_CUT_DEPTH, STACK_TEXT(STACK_MAX_FRAMES) " frames") /* callers are missing */ \
	X(UNREADABLE, LOSS_CUT_UNREADABLE, "stack unreadable") /* the walker got no frame at all: memory gone or not present */ \
	X(NO_ROOT, LOSS_CUT_NO_ROOT, "no frame pointer") /* the outermost frame is no known root: the frame-pointer chain broke */ \
	X(LEAF, LOSS_MAX, "")	    /* only where it happened was wanted: nothing is missing */ \
	X(BEFORE, LOSS_CUT_BEFORE, "asleep before the start") /* of a task off its CPU: cannot be walked from outside */ \
	X(NO_ROOM, LOSS_STACKS_FULL, "no room for the stack") /* the kernel's table of stacks was full: none of its frames was kept */ \
	/* By tables (bpf/unwind.h), which know more */ \
	X(WHOLE, LOSS_MAX, "")	    /* the outermost frame: its return address is undefined, or 0 */ \
	X(NO_STACK, LOSS_CUT_NO_STACK, "stack not in memory") /* or not in core */ \
	X(NO_CODE, LOSS_CUT_NO_CODE, "not in executable memory") /* a return address outside of it */ \
	X(NO_RULE, LOSS_CUT_NO_RULE, "no unwinding information") /* and no frame pointer either */ \
	X(BAD_RULE, LOSS_CUT_BAD_RULE, "unwinding rule not understood") /* or a register that is lost */ \
	X(ASTRAY, LOSS_CUT_ASTRAY, "frames out of order") /* the caller's frame would not be further out */ \
	X(COMPAT, LOSS_CUT_COMPAT, "32-bit code") \
	X(NOT_ASKED, LOSS_CUT_NOT_ASKED, "unwinding table late") /* no table yet, and no room to ask for it */ \
	X(LIMIT, LOSS_CUT_DEPTH, "--max-stack frames") /* there are more frames than that */ \
	/* Of recordings that were not walked by the kernel */ \
	X(COPY_END, LOSS_CUT_COPY_END, "stack copy ended") /* perf record --call-graph dwarf copies 8192 bytes */ \
	X(BRANCHES, LOSS_CUT_BRANCHES, "branch records ended") /* --call-graph lbr: as many as the CPU keeps */ \
	X(DEFERRED, LOSS_CUT_DEFERRED, "user chain never came") /* it was to be in a record of its own */ \
	X(NO_REGS, LOSS_CUT_NO_REGS, "no registers to walk from") /* or of a machine whose stacks skep does not walk */

#define STACK_TEXT_(n) #n
#define STACK_TEXT(n) STACK_TEXT_(n)

#define STOP_NUMBER(name, loss, text) STOP_##name,
enum stack_stop { STACK_STOPS(STOP_NUMBER) STOP_MAX };
_Static_assert(STOP_WHOLE == 7 && STOP_LIMIT == 15, "the numbers in files");

#endif
