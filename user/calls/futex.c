/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Futexes: include/uapi/linux/futex.h */
#include <linux/futex.h>

#include "calls/decode.h"

static void put_number(struct decode *d, uint64_t n)
{
	out_text(d->o, ", ");
	out_decimal(d->o, (uint32_t)n);
}

static void put_place(struct decode *d, uint64_t addr)
{
	out_text(d->o, ", ");
	put_addr(d, addr);
}

static void put_timeout(struct decode *d)
{
	out_text(d->o, ", ");
	print_timespec(d, 3);
}

static void put_bits(struct decode *d, uint32_t bits)
{
	out_text(d->o, ", ");
	put_one(d, &names_futex_bitsets, bits);
}

/* What FUTEX_WAKE_OP does to the second word, and when it wakes those who wait there: FUTEX_OP() */
static void put_operation(struct decode *d, uint32_t op)
{
	uint32_t what = op >> 28 & 7, compare = op >> 24 & 0xf;

	out_text(d->o, op >> 28 & FUTEX_OP_OPARG_SHIFT ? ", FUTEX_OP_OPARG_SHIFT<<28|" : ", ");
	put_one(d, &names_futex_operations, what);
	out_text(d->o, names_find(&names_futex_operations, what) ? "<<28|" : "<<28 /* FUTEX_OP_??? */|");
	out_hex(d->o, op >> 12 & 0xfff);
	out_text(d->o, "<<12|");
	put_one(d, &names_futex_comparisons, compare);
	out_text(d->o, names_find(&names_futex_comparisons, compare) ? "<<24|" : "<<24 /* FUTEX_OP_CMP_??? */|");
	out_hex(d->o, op & 0xfff);
}

/* All of its arguments but the first: how many there are is the command's. */
void print_futex(struct decode *d, unsigned i)
{
	const uint64_t *a = d->e->args;
	uint32_t command = a[i] & 0x7f;

	put_one(d, &names_futex_commands, (uint32_t)a[i]);
	if (command == FUTEX_UNLOCK_PI || command == FUTEX_TRYLOCK_PI)
		return;
	if (command == FUTEX_LOCK_PI || command == 13) { /* FUTEX_LOCK_PI2 */
		put_timeout(d);
		return;
	}
	put_number(d, a[2]);
	switch (command) {
	case FUTEX_WAKE: case FUTEX_FD:
		break;
	case FUTEX_WAIT:
		put_timeout(d);
		break;
	case FUTEX_WAIT_BITSET:
		put_timeout(d);
		put_bits(d, a[5]);
		break;
	case FUTEX_WAKE_BITSET:
		put_bits(d, a[5]);
		break;
	case FUTEX_WAIT_REQUEUE_PI:
		put_timeout(d);
		put_place(d, a[4]);
		break;
	case FUTEX_REQUEUE:
		put_number(d, a[3]);
		put_place(d, a[4]);
		break;
	case FUTEX_CMP_REQUEUE: case FUTEX_CMP_REQUEUE_PI:
		put_number(d, a[3]);
		put_place(d, a[4]);
		put_number(d, a[5]);
		break;
	case FUTEX_WAKE_OP:
		put_number(d, a[3]);
		put_place(d, a[4]);
		put_operation(d, a[5]);
		break;
	default:
		put_place(d, a[3]);
		put_place(d, a[4]);
		out_text(d->o, ", ");
		out_hex(d->o, (uint32_t)a[5]);
	}
}

static void put_waiter(struct decode *d, uint64_t addr)
{
	struct {
		uint64_t value, addr;
		uint32_t flags, unused;
	} w = { 0 };

	memory_get(d, addr, &w, sizeof(w));
	out_text(d->o, "{val=");
	out_hex(d->o, w.value);
	out_text(d->o, ", uaddr=");
	put_addr(d, w.addr);
	out_text(d->o, ", flags=");
	put_flags(d, &names_futex_waiter_flags, w.flags);
	if (w.unused)
		out_form(d->o, ", __reserved=%#x", w.unused);
	out_char(d->o, '}');
}

#define WAITERS_MAX 128 /* FUTEX_WAITV_MAX */

/* futex_waitv(): struct futex_waitv (include/uapi/linux/futex.h), as many as the next argument says */
void print_futex_waiters(struct decode *d, unsigned i)
{
	struct call_style style = *d->style;
	struct decode few = *d;

	if (style.is_whole || style.text > WAITERS_MAX)
		style.text = WAITERS_MAX;
	style.is_whole = false;
	few.style = &style;
	put_array(&few, d->e->args[i], (uint32_t)d->e->args[i + 1], 24, put_waiter, false);
}

/* futex_requeue(): two of them */
void print_futex_pair(struct decode *d, unsigned i)
{
	put_array(d, d->e->args[i], 2, 24, put_waiter, false);
}
