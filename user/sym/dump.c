/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In comes a recorded sample with the registers of its thread and the begin of its stack, hostile; out goes its user chain, walked by
 * the tables that a live run has for the kernel's walker (guide.c). Facts: the numbers of registers are those of perf_regs.h of the
 * recorded architecture (uapi/asm).
 */
#include "sym/dump.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "frame.h"
#include "sym/syms.h"
#include "sym/tablestore.h"

#define DUMP_FRAMES_MAX (STACK_FRAMES_MAX + 1) /* one more than are kept: who cuts them says so */

/* An architecture's numbers of registers. */
struct machine {
	const char *name; /* as uname() has it */
	uint8_t ip, sp, bp, bx;
	uint8_t returns_to; /* where a system call puts the address that it returns to; NO_REG: nowhere */
	uint8_t address_bits; /* of struct unwind_regs */
	uint8_t leaf[UNWIND_LEAF_REGS]; /* by DWARF's numbers */
};
#define NO_REG 0xff

static const struct machine machines[] = {
	{ "x86_64", .ip = 8, .sp = 7, .bp = 6, .bx = 1, .returns_to = 2,
	  .leaf = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 } },
	/* The link register is followed as bx. Addresses have 48 bits, unless a program wants more of its kernel. */
	{ "aarch64", .ip = 32, .sp = 31, .bp = 29, .bx = 30, .returns_to = NO_REG, .address_bits = 48,
	  .leaf = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } },
};

struct dumps {
	struct unwind_guide *guide;
	struct unwind_store *store;
	const struct machine *machine; /* of the recording; NULL: none of ours */
	uint64_t ips[DUMP_FRAMES_MAX];
};

static const struct machine *machine_of(const struct recorded *recorded)
{
	const char *name = recorded ? recorded->arch : NULL;
	struct utsname u;

	if (!name && !uname(&u))
		name = u.machine;
	for (size_t i = 0; name && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(machines[i].name, name))
			return &machines[i];
	return NULL;
}

struct dumps *dumps_new(struct syms *syms)
{
	struct dumps *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->guide = syms_guide(syms);
	d->store = tablestore_new();
	d->machine = machine_of(syms->cfg.recorded);
	if (d->guide && d->store)
		return d;
	dumps_free(d);
	return NULL;
}

void dumps_free(struct dumps *dumps)
{
	if (!dumps)
		return;
	tablestore_free(dumps->store);
	free(dumps);
}

/* False: it was not recorded. */
static bool reg(const struct sample_regs *regs, uint32_t nr, __u64 *ret)
{
	if (nr > 63 || !(regs->mask >> nr & 1) || !regs->words)
		return false;
	memcpy(ret, regs->words + 8 * (size_t)__builtin_popcountll(regs->mask & ((1ull << nr) - 1)), sizeof(*ret));
	return true;
}

/* The instruction after a system call may be another function's. */
static bool is_in_call(const struct machine *m, const struct sample *s, const struct sample_regs *regs, uint64_t ip)
{
	__u64 to;

	return s->chains[CHAIN_KERNEL].n && reg(regs, m->returns_to, &to) && to == ip;
}

static bool take_regs(const struct machine *m, const struct sample *s, struct unwind_rest *rest)
{
	const struct sample_regs *from = &s->fields->user_regs;
	struct unwind_regs *r = &rest->regs;

	if (!reg(from, m->ip, &r->ip) || !reg(from, m->sp, &r->sp))
		return false;
	if (!reg(from, m->bp, &r->bp))
		r->lost |= UNWIND_LOST_BP;
	if (!reg(from, m->bx, &r->bx))
		r->lost |= UNWIND_LOST_BX;
	for (int i = 0; i < UNWIND_LEAF_REGS; i++)
		if (!reg(from, m->leaf[i], &rest->leaf[i]))
			r->lost |= UNWIND_LOST_LEAF;
	r->is_exact = !is_in_call(m, s, from, r->ip);
	r->address_bits = m->address_bits;
	return true;
}

/* The walk of a 64-bit thread: how many addresses, the leaf's first, and why it ended. */
static uint32_t walk(struct dumps *d, const struct sample *s, uint32_t *ret_end)
{
	const struct sample_fields *f = s->fields;
	struct unwind_rest rest = { .time_ns = s->time_ns, .pid = s->pid, .bytes = (uint32_t)f->stack_bytes };
	uint32_t n;

	*ret_end = STOP_NO_REGS;
	if (!d->machine || !take_regs(d->machine, s, &rest))
		return 0;
	d->ips[0] = rest.regs.ip;
	n = 1 + d->guide->walk(d->guide, d->store, &rest, f->stack, d->ips + 1, DUMP_FRAMES_MAX - 1, ret_end);
	if (*ret_end == STOP_NO_STACK && f->stack_bytes && f->stack_bytes == f->stack_room_bytes)
		*ret_end = STOP_COPY_END;
	return n;
}

void dumps_walk(struct dumps *d, struct sample *s)
{
	const struct sample_regs *regs = &s->fields->user_regs;
	struct chain *user = &s->chains[CHAIN_USER];
	uint32_t n = 0, end = STOP_COMPAT;

	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE || (!user->n && !s->chains[CHAIN_KERNEL].n)) {
		user->stop = user->stop == STOP_LEAF ? STOP_ROOT : user->stop;
		return;
	}
	if (regs->abi == PERF_SAMPLE_REGS_ABI_64)
		n = walk(d, s, &end);
	if (n < user->n && user->n > 1)
		return;
	user->stop = (uint8_t)(end < STOP_MAX ? end : STOP_UNREADABLE);
	if (!n)
		return;
	user->ips = d->ips;
	user->is_calls = false;
	user->n = n;
}
