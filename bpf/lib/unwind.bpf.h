/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks of the current task's user stack by unwinding tables. In come registers of user space; out go return addresses as stack_walk()
 * has them, and a mark after the last (bpf/unwind.h) where that is not the outermost. Functions that are not static are verified
 * once, however often they are called, and take plain numbers only (5.10): each looks its scratch up itself.
 */
#ifndef SKEP_UNWIND_BPF_H
#define SKEP_UNWIND_BPF_H

#include "lib/unwindregs.bpf.h"
#include "lib/stack.bpf.h"
#include "lib/unwindmaps.bpf.h"

const volatile __u32 cfg_unwind = 1; /* 0: nothing of this is reached, its maps need not be there; 2: what is deeper goes to user space */
const volatile __u32 cfg_unwind_id = 0; /* below 8: of the objects that share `unwind_rests`, each has another one */

#define UNWIND_SCRATCHES 4 /* a CPU, for walks that interrupt each other */

#define UNWIND_WINDOW 1024
#define UNWIND_USER_PAGE 4096

struct unwind_walk;
static int unwind_word(struct unwind_walk *w, __u64 addr, __u64 *ret);
static __u64 unwind_leaf(struct unwind_walk *w, __u32 reg);

#include "lib/unwindfind.bpf.h"

struct unwind_walk {
	struct unwind_regs regs; /* of the frame that was found last */
	struct unwind_rule rule;
	struct unwind_place place;
	__u64 from, have; /* window[0]'s address; how many of its bytes begin a word */
	__u64 pt[PT_MASK + 1];
	__u64 nr_asked;
	__u64 trampoline;
	struct unwind_return return_list[UNWIND_RETURNS_SENT];
	__u64 returns; /* where a walk is in the list of lib/unwindprobe.bpf.h; 0: before it */
	__u32 pid; /* as skep's user knows it */
	__u32 slot; /* this one's in unwind_scratch */
	struct unwind_space_key key;
	char window[UNWIND_WINDOW + sizeof(__u64)];
	struct stack_val stack;
	__u64 spare[STACK_MAX_FRAMES]; /* zeroed together with the end of the stack */
};

/* Whoever walks has a number below UNWIND_SCRATCHES that no other walk on its CPU has at that time. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, UNWIND_SCRATCHES);
	__type(key, __u32);
	__type(value, struct unwind_walk);
} unwind_scratch SEC(".maps");

static __always_inline __u64 unwind_leaf(struct unwind_walk *w, __u32 reg)
{
	return reg < UNWIND_LEAF_REGS ? w->pt[unwind_dwarf[reg] & PT_MASK] : 0;
}

/*
 * The walk of a number; NULL: there is none. The functions below that are not static take the number instead of a pointer: the verifier walks
 * each of them once, not once a call. Before 6.8 it does so also where nothing calls them, and without an unwinder the map does not exist.
 */
static __always_inline struct unwind_walk *unwind_own(__u32 slot)
{
	return cfg_unwind ? bpf_map_lookup_elem(&unwind_scratch, &slot) : NULL;
}

/* Has the window begin at addr. A read ends before the page does: the next one may not be there. */
__noinline int unwind_slide(__u32 slot, __u64 addr)
{
	__u64 n = UNWIND_USER_PAGE - addr % UNWIND_USER_PAGE;
	struct unwind_walk *w = unwind_own(slot);

	if (!w)
		return -1;
	if (n > UNWIND_WINDOW)
		n = UNWIND_WINDOW;
	if (n < sizeof(__u64))
		n = sizeof(__u64);
	w->have = 0;
	if (bpf_probe_read_user(w->window, n, (void *)addr))
		return -1;
	w->from = addr;
	w->have = n - sizeof(__u64) + 1;
	return 0;
}

static __always_inline int unwind_word(struct unwind_walk *w, __u64 addr, __u64 *ret)
{
	__u64 off = addr - w->from;

	if (off >= w->have) {
		if (unwind_slide(w->slot, addr))
			return -1;
		off = 0;
	}
	*ret = *(__u64 *)(w->window + (off & (UNWIND_WINDOW - 1)));
	return 0;
}

#include "lib/unwindprobe.bpf.h"
#include "lib/unwindask.bpf.h"

static __always_inline __u32 unwind_max(void)
{
	__u32 max = cfg_max_frames <= STACK_MAX_FRAMES ? cfg_max_frames : STACK_MAX_FRAMES;

	return cfg_unwind > 1 && max ? max - 1 : max; /* and the mark of the request for the rest */
}

/* The address that was found last, where a probe is in its way. Returns whether it was put right. */
__noinline int unwind_mend(__u32 slot)
{
	struct unwind_walk *w = unwind_own(slot);

	return w && (w->stack.nr > 1 ? unwind_unhook(w) : unwind_in_line(w));
}

/* One frame more, or what is known of the last put right. Returns enum unwind_end, or enum stack_stop. */
__noinline int unwind_frame(__u32 slot)
{
	struct unwind_walk *w = unwind_own(slot);
	int end;

	if (!w)
		return STOP_WHOLE;
	if (w->stack.nr >= unwind_max())
		return cfg_unwind > 1 ? UNWIND_ASK : STOP_DEPTH;
	end = unwind_find(&w->place, unwind_pc(&w->regs), &w->rule);
	if ((end == UNWIND_ASK || end == STOP_NO_CODE) && unwind_mend(slot))
		return UNWIND_MORE;
	if (!end)
		end = unwind_step(w, &w->regs, &w->rule);
	if (end)
		return end;
	w->stack.ips[w->stack.nr & STACK_MAX_FRAMES] = w->regs.ip;
	w->stack.nr++;
	return UNWIND_MORE;
}

#define UNWIND_ROUND 8

/* The next few. */
__noinline int unwind_frames(__u32 slot)
{
	int end = UNWIND_MORE;

	for (__u32 i = 0; !end && i < UNWIND_ROUND; i++)
		end = unwind_frame(slot);
	return end;
}

/* Asks user space if it has to be; marks the end, if it is none of the stack's; zeroes what stack_hash() reads after it. */
__noinline int unwind_finish(__u32 slot, int end)
{
	struct unwind_walk *w = unwind_own(slot);
	__u64 id = 0, *to;
	__u32 nr;

	if (!w)
		return 0;
	if (end == UNWIND_ASK) {
		id = w->pid ? unwind_ask(w, slot) : 0; /* of a process outside skep's PID namespace nobody there knows more */
		if (!id)
			end = STOP_NOT_ASKED;
	}
	nr = w->stack.nr & STACK_MAX_FRAMES;
	if (end != STOP_WHOLE && (nr < unwind_max() || cfg_unwind > 1)) {
		w->stack.ips[nr] = UNWIND_MARK | (__u64)(end & UNWIND_MARK_CODE) << UNWIND_MARK_SHIFT | id;
		w->stack.nr = ++nr;
	}
	nr &= STACK_MAX_FRAMES;
	to = (__u64 *)((void *)w + offsetof(struct unwind_walk, stack.ips)) + nr;
	if (nr <= STACK_SHORT)
		__builtin_memset(to, 0, STACK_SHORT * sizeof(*to));
	else if (nr <= STACK_MIDDLE)
		__builtin_memset(to, 0, (STACK_MIDDLE - STACK_SHORT) * sizeof(*to));
	else
		__builtin_memset(to, 0, (STACK_MAX_FRAMES - STACK_MIDDLE) * sizeof(*to));
	return 0;
}

/*
 * Whose space it is, and where its registers are when it is in the kernel. bpf_task_pt_regs() came with 5.15. For what is read through a
 * pointer of BTF the verifier looks through all types of the kernel (6.3, a millisecond at each start): that is not for a read or two.
 */
static __always_inline const void *unwind_task(struct unwind_space_key *key)
{
	struct task_struct *t = (void *)bpf_get_current_task();

	key->tgid = bpf_get_current_pid_tgid() >> 32;
	key->start_ns = BPF_CORE_READ(t, group_leader, start_time);
	key->exec_id = BPF_CORE_READ(t, self_exec_id);
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return BPF_CORE_READ(t, stack) + UNWIND_THREAD_SIZE - UNWIND_PT_BYTES;
}

/* On its way out, or from one program to the next: the registers are of a stack that is not there any more. */
static __always_inline int unwind_is_gone(void)
{
	struct task_struct *t = (void *)bpf_get_current_task();

	return !BPF_CORE_READ(t, mm) || BPF_CORE_READ_BITFIELD_PROBED(t, in_execve);
}

/*
 * regs: of user space; NULL: the current task's. pid: the process, in the numbers of skep's user. has_user 0: the walk is empty, as that of a
 * task between two programs is. Returns NULL where there is no scratch.
 */
static __always_inline struct stack_val *unwind_walk_regs(const void *regs, __u32 slot, int has_user, __u32 pid)
{
	struct unwind_walk *w = bpf_map_lookup_elem(&unwind_scratch, &slot);
	struct unwind_space *space;
	const void *own;
	int end = STOP_DEPTH;

	if (!w)
		return NULL;
	w->stack.nr = 0;
	if (!has_user)
		return &w->stack;
	w->pid = pid;
	w->slot = slot;
	own = unwind_task(&w->key);
	if (bpf_probe_read_kernel(w->pt, PT_WORDS * sizeof(__u64), regs ?: own))
		return &w->stack;
	space = bpf_map_lookup_elem(&unwind_spaces, &w->key);
	w->place.is_known = !!space;
	if (space)
		w->place.space = *space;
	w->place.map.start = w->place.map.end = 0;
	w->have = 0;
	w->returns = 0;
	w->regs.ip = w->stack.ips[0] = w->pt[PT_IP];
	w->regs.sp = w->pt[PT_SP];
	w->regs.bp = w->pt[PT_BP];
	w->regs.bx = w->pt[PT_BX];
	w->regs.lost = 0;
	w->regs.is_exact = unwind_is_exact(w->pt, regs ?: own);
	unwind_set_machine(&w->regs);
	w->stack.nr = 1;
	if (unwind_is_compat(w->pt)) {
		end = STOP_COMPAT;
	} else {
		end = regs ? UNWIND_MORE : unwind_settle(w);
		for (__u32 i = 0; !end && i < STACK_MAX_FRAMES + UNWIND_RETURNS; i += UNWIND_ROUND)
			end = unwind_frames(slot);
	}
	if (end != STOP_WHOLE && w->stack.nr == 1 && unwind_is_gone()) {
		w->stack.nr = 0;
		return &w->stack;
	}
	unwind_finish(slot, end);
	return &w->stack;
}

/* Verified once, not once for each way that leads to it. */
__noinline int unwind_current(__u32 slot, __u32 pid)
{
	if (cfg_unwind)
		unwind_walk_regs(NULL, slot, 1, pid);
	return 0;
}

/* The current task's, if it has one (stack_has_user()), from any program that runs in its context. */
static __always_inline struct stack_val *unwind_walk_task(__u32 slot, int has_user, __u32 pid)
{
	struct unwind_walk *w = bpf_map_lookup_elem(&unwind_scratch, &slot);

	if (!w)
		return NULL;
	w->stack.nr = 0;
	if (has_user)
		unwind_current(slot, pid);
	return &w->stack;
}

/* The same for a perf_event program, which may have interrupted user space: no system call then, all registers are its own. */
static __always_inline struct stack_val *unwind_walk_event(struct bpf_perf_event_data *ctx, __u32 slot, int has_user, __u32 pid)
{
	struct bpf_perf_event_data_kern *kctx = (void *)ctx;
	void *regs = NULL;

	if (unwind_in_user(ctx) && bpf_core_read(&regs, sizeof(regs), &kctx->regs))
		regs = NULL;
	return unwind_walk_regs(regs, slot, has_user, pid);
}

/* The same for the program of a probe. on_user: of a user function's, whose context is the registers at its place. */
static __always_inline struct stack_val *unwind_walk_probe(void *ctx, int on_user, __u32 slot, int has_user, __u32 pid)
{
	return unwind_walk_regs(on_user ? ctx : NULL, slot, has_user, pid);
}

#endif
