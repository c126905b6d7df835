/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Page faults, as perf trace -F writes them. */
#include "calls/decode.h"

const char *call_fault_name(const struct call_event *e)
{
	return e->args[TRACE_FAULT_FLAGS] & TRACE_FAULT_MAJOR ? "majfault" : "minfault";
}

static bool put_path(struct out *o, const struct call_event *e)
{
	for (uint32_t i = 0; i < e->nr_pieces; i++) {
		const struct call_piece *p = &e->pieces[i];

		if (p->is_fault || p->addr != TRACE_MAPPED || p->size < sizeof(struct trace_file))
			continue;
		out_escape(o, (const char *)p->bytes + sizeof(struct trace_file), strnlen((const char *)p->bytes + sizeof(struct trace_file), p->size - sizeof(struct trace_file)), 0);
		return true;
	}
	return false;
}

/* Then x: of code, d: of data, ?: nothing is known to be mapped there; and who touched it, k: the kernel. */
void call_fault_place(struct out *o, const struct call_event *e)
{
	uint64_t flags = e->args[TRACE_FAULT_FLAGS];
	bool is_file = put_path(o, e);

	if (!is_file)
		out_text(o, flags & TRACE_FAULT_HEAP ? "[heap]" : flags & TRACE_FAULT_STACK ? "[stack]" : flags & TRACE_FAULT_PLACED ? "//anon" : "[unknown]");
	out_char(o, '@');
	out_hex(o, e->args[is_file ? TRACE_FAULT_OFFSET : TRACE_FAULT_ADDR]);
	out_text(o, flags & TRACE_FAULT_EXEC ? " (x" : flags & TRACE_FAULT_PLACED ? " (d" : " (?");
	out_text(o, flags & TRACE_FAULT_USER ? ".)" : "k)");
}
