/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The arguments of any system call, whatever its process has in memory: the bytes are the table, the number, the result, six arguments,
 * and pieces of memory, of which some are where arguments point to. Whatever comes out has no byte that is not plain ASCII.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PIECES 8
#define PIECE_BYTES 192

struct head {
	uint8_t abi, kind, names, flags;
	uint16_t nr, text;
	int64_t ret;
	uint64_t args[6];
	struct {
		uint64_t addr;
		uint8_t arg, size, flags, unused[5];
	} pieces[PIECES];
};

static void check(struct out *o)
{
	const char *text = out_end(o);

	for (size_t i = 0; i < o->n; i++)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~')
			abort();
	o->n = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct call_piece pieces[PIECES];
	static struct trace_plan plan;
	struct call_event e = { .pieces = pieces };
	struct call_style style;
	struct out o = { 0 };
	struct head h;
	size_t at = sizeof(h);
	char name[32];

	if (size < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	e.abi = h.abi % SYSCALL_ABIS;
	e.kind = h.kind % 5;
	e.nr = h.nr % (SYSCALL_NR_MAX + 8);
	e.ret = h.ret;
	e.in_call = h.flags & 1;
	memcpy(e.args, h.args, sizeof(e.args));
	e.siginfo = data + sizeof(h);
	style = (struct call_style){ .text = h.text, .hex = h.flags >> 1 & 3, .names = h.names % 3, .is_whole = h.flags & 8,
				      .files = (h.flags >> 4) % 3 };
	if (size < sizeof(h) + CALL_SIGINFO_BYTES && e.kind == CALL_SIGNAL)
		return 0;
	for (int i = 0; i < PIECES && at < size; i++) {
		size_t n = h.pieces[i].size % (PIECE_BYTES + 1);
		uint8_t *copy;

		if (n > size - at)
			n = size - at;
		/* Of a size of its own: what reads behind it is caught. */
		copy = malloc(n ? n : 1);
		if (!copy)
			break;
		memcpy(copy, data + at, n);
		if (h.pieces[i].arg < 6)
			h.pieces[i].addr = h.pieces[i].flags & 4 ? TRACE_FILE_AT(e.args[h.pieces[i].arg]) : e.args[h.pieces[i].arg];
		pieces[e.nr_pieces++] = (struct call_piece){ .addr = h.pieces[i].addr, .bytes = copy, .size = n, .is_fault = h.pieces[i].flags & 1, .is_entry = h.pieces[i].flags & 2 };
		at += n;
	}
	call_plan(e.abi == SYSCALL_COMPAT ? SYSCALL_COMPAT : SYSCALL_NATIVE, e.nr, &style, &plan);
	call_name(e.abi, e.nr, name);
	if (e.kind == CALL_SIGNAL) {
		e.nr = h.nr;
		call_signal(&o, &e, &style);
	} else if (e.kind == CALL_URING) {
		e.no_args = h.flags & 16;
		e.no_result = h.flags & 32;
		out_text(&o, call_uring_name(e.nr, name));
		call_uring_args(&o, &e, &style);
		call_result(&o, &e, &style);
	} else {
		call_args(&o, &e, &style);
		check(&o);
		call_args_from(&o, &e, &style, call_args_begun(&o, &e, &style));
		check(&o);
		call_result(&o, &e, &style);
		check(&o);
		call_end(&o, &e);
	}
	check(&o);
	out_free(&o);
	for (uint32_t i = 0; i < e.nr_pieces; i++)
		free((void *)pieces[i].bytes);
	return 0;
}
