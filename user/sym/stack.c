/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses to frames, leaf first: kernel part, user part, marker. */
#include "sym/stack.h"

#include <string.h>

#define INLINE_MAX 32 /* frames that one address may stand for */

#define CUT(text) "[truncated: " text "]"

#define CUT_ROW(name, loss, text) { loss, CUT(text) },
static const struct {
	enum loss loss;
	const char *text;
} cuts[STOP_MAX] = { STACK_STOPS(CUT_ROW) };

/* From address number `from` on. False when there were more than are kept. */
static bool add_frames(struct syms *syms, const struct sample *s, const struct chain *c, uint32_t from, bool kernel, struct stack *st)
{
	uint32_t n = !kernel && !from && !c->is_calls && c->n <= STACK_FRAMES_MAX - st->n ?
			     syms_resolve_stack(syms, s->pid, s->time_ns, c->ips, c->n, &st->frames[st->n]) : 0;

	if (n) {
		st->n += n;
		return true;
	}
	for (uint32_t i = from; i < c->n; i++) {
		int room = STACK_FRAMES_MAX - st->n;

		if (room > INLINE_MAX)
			room = INLINE_MAX;
		if (room <= 0)
			return false;
		/* Where each stack was left the address is exact: an interrupt or fault hits an instruction, and the
		 * one after a syscall instruction belongs to the same function. */
		st->n += syms_resolve(syms, s->pid, s->time_ns, c->ips[i], kernel, i > 0 && !c->is_calls, &st->frames[st->n], room);
	}
	return true;
}

/*
 * A precise event happened at s->ip, and its chain begins where the CPU was interrupted, a little later: in the same function, in one that
 * it called, or in its caller. Adds the frame of the event where the chain does not have it, and returns how many addresses of the chain
 * it stands for.
 */
static uint32_t add_leaf(struct syms *syms, const struct sample *s, const struct chain *c, bool kernel, struct stack *st)
{
	struct frame at[INLINE_MAX];
	const struct frame *leaf;

	if (!s->ip || !c->n || s->ip == c->ips[0])
		return 0;
	st->n = syms_resolve(syms, s->pid, s->time_ns, s->ip, kernel, false, st->frames, INLINE_MAX);
	leaf = &st->frames[st->n - 1];
	for (uint32_t i = 0; i < c->n && i < 2; i++) {
		int k = syms_resolve(syms, s->pid, s->time_ns, c->ips[i], kernel, i > 0 && !c->is_calls, at, INLINE_MAX) - 1;

		if (at[k].name == leaf->name && at[k].obj == leaf->obj)
			return 1;
	}
	return 0;
}

/*
 * Nothing calls the function that a thread begins in: what a frame-pointer walk "finds" beyond it is what the
 * registers held when the kernel made the thread. Roots call roots (_start calls __libc_start_main), and one that has
 * called nothing may be clone() on the side of the caller.
 */
static void drop_above_root(struct stack *st, uint32_t user_from)
{
	for (uint32_t i = user_from + 2; i < st->n; i++)
		if (st->frames[i - 1].is_root && !st->frames[i].is_root)
			st->n = i;
}

/* What was taken for a return address, and is none. The leaf's address is what the CPU would run. */
static void drop_no_code(struct stack *st, uint32_t user_from)
{
	if (st->n > user_from + 1 && st->frames[st->n - 1].kind == FRAME_UNKNOWN)
		st->n--;
}

/* Does a kernel function only carry a tracepoint's hit to whoever traces it? By the names of 5.10 to 7.2, as they begin. */
static bool is_plumbing(const char *name)
{
	static const char *const begins[] = {
		"bpf_prog_", "bpf_trampoline_", "__bpf_prog_enter", "bpf_trace_run", "__bpf_trace_", "trace_call_bpf", /* BPF */
		"__traceiter_", "perf_trace_", "perf_syscall_", "trace_event_raw_event_",			       /* tracepoints */
		"syscall_trace_enter", "trace_syscall_", "syscall_exit_work", "syscall_slow_exit_work", /* their way there */
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* What was hit is the first frame that is no plumbing. A stack of nothing else stays as it is. */
static void drop_plumbing(struct stack *st)
{
	uint32_t n = 0;

	while (n < st->n && st->frames[n].kind == FRAME_KERNEL && is_plumbing(st->frames[n].name))
		n++;
	if (n == st->n)
		return;
	st->n -= n;
	memmove(&st->frames[0], &st->frames[n], st->n * sizeof(st->frames[0]));
}

static void count_unnamed(struct stack *st, uint32_t user_from)
{
	for (uint32_t i = 0; i < st->n; i++)
		if (st->frames[i].kind == FRAME_UNKNOWN)
			++*(i < user_from ? &st->unnamed_kernel : &st->unnamed_user);
}

void stack_resolve(struct syms *syms, const struct sample *s, struct stack *st)
{
	const struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];
	uint32_t user_from, from, cut = user->stop < STOP_MAX ? user->stop : STOP_UNREADABLE;
	const char *text = NULL;
	bool whole, rooted, in_kernel = kernel->n;

	st->n = st->unnamed_kernel = st->unnamed_user = 0;
	from = add_leaf(syms, s, in_kernel ? kernel : user, in_kernel, st);
	whole = add_frames(syms, s, kernel, in_kernel ? from : 0, true, st);
	if (s->is_tracepoint)
		drop_plumbing(st);
	user_from = in_kernel ? st->n : 0;
	whole = add_frames(syms, s, user, in_kernel ? 0 : from, false, st) && whole;
	drop_above_root(st, user_from);
	if (cut == STOP_NO_CODE)
		drop_no_code(st, user_from);
	count_unnamed(st, user_from);
	rooted = cut == STOP_WHOLE || (st->n > user_from && st->frames[st->n - 1].is_root);
	/* What the walker's limit cut off above a root was not of this stack. */
	if ((rooted && whole) || user->stop == STOP_LEAF) {
		cut = STOP_ROOT;
	} else if (!whole) {
		cut = STOP_DEPTH;
		text = CUT(STACK_TEXT(STACK_FRAMES_MAX) " frames");
	} else if (!cut && st->n > user_from) {
		cut = STOP_NO_ROOT;
	}
	if (!cut && kernel->stop == STOP_DEPTH && user->stop != STOP_LEAF)
		cut = STOP_DEPTH;
	st->cut = cut;
	st->cut_loss = cuts[cut].loss;
	if (!cut)
		return;
	st->frames[st->n++] = (struct frame){ .name = syms_intern(syms, text ? text : cuts[cut].text),
					      .obj = syms_intern(syms, ""), .kind = FRAME_MARK };
}

void stack_resolve_leaf(struct syms *syms, const struct sample *s, struct stack *st)
{
	bool in_kernel = s->chains[CHAIN_KERNEL].n;

	/* A tracepoint's stack may begin with the functions that delivered its hit; a stack without addresses has a marker as its leaf. */
	if (s->is_tracepoint || !sample_leaf(s)) {
		stack_resolve(syms, s, st);
		return;
	}
	st->n = syms_resolve(syms, s->pid, s->time_ns, s->ip ? s->ip : sample_leaf(s), in_kernel, false, st->frames, INLINE_MAX);
	st->unnamed_kernel = in_kernel && st->frames[0].kind == FRAME_UNKNOWN;
	st->unnamed_user = !in_kernel && st->frames[0].kind == FRAME_UNKNOWN;
	st->cut = STOP_ROOT;
	st->cut_loss = LOSS_MAX;
}

void stack_resolve_plain(struct syms *syms, const struct sample *s, bool leaf_only, struct stack *st)
{
	const struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];
	uint32_t user_from;

	st->n = st->unnamed_kernel = st->unnamed_user = 0;
	st->cut = STOP_ROOT;
	st->cut_loss = LOSS_MAX;
	if (leaf_only) {
		st->n = s->ip ? syms_resolve(syms, s->pid, s->time_ns, s->ip, kernel->n, false, st->frames, INLINE_MAX) : 0;
		count_unnamed(st, kernel->n ? st->n : 0);
		return;
	}
	add_frames(syms, s, kernel, 0, true, st);
	user_from = st->n;
	add_frames(syms, s, user, 0, false, st);
	count_unnamed(st, user_from);
}

void stack_mark(struct syms *syms, const char *mark, struct stack *st)
{
	memmove(&st->frames[1], &st->frames[0], st->n++ * sizeof(st->frames[0]));
	st->frames[0] = (struct frame){ .name = syms_intern(syms, mark), .obj = syms_intern(syms, ""), .kind = FRAME_MARK };
}
