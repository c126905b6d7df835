/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_stacks.h"

#include "cmd/live.h"
#include "sym/names.h"
#include "sym/stack.h"

int trace_stacks_open(struct trace_stacks *s, struct err *err)
{
	struct syms_cfg cfg = { .exited_max = SYMS_STREAM_EXITED, .servers = SERVERS_ASK };

	return live_syms(&cfg, &s->ksym, &s->syms, err);
}

void trace_stacks_free(struct trace_stacks *s)
{
	syms_free(s->syms);
	ksym_close(s->ksym);
	out_free(&s->text);
}

void trace_stacks_note(const struct trace_stacks *s, struct profile *profile)
{
	if (s->syms)
		names_note(s->syms, profile);
}

static void put_name(struct out *o, const char *name)
{
	out_escape(o, name, strlen(name), 0);
}

static void put_place(struct out *o, const struct frame *f)
{
	if (f->kind == FRAME_MARK) {
		put_name(o, f->name);
		return;
	}
	put_name(o, f->obj ? f->obj : "");
	out_char(o, '(');
	if (f->kind != FRAME_UNKNOWN) {
		put_name(o, f->name);
		out_char(o, '+');
		out_text(o, f->off ? "" : "0x");
		out_hex(o, f->off);
	}
	out_text(o, ") [");
	out_hex(o, f->addr);
	out_char(o, ']');
}

const char *const *trace_stacks_of(struct trace_stacks *s, const struct sample *sample, uint32_t max, bool places, struct profile *profile)
{
	uint32_t n = 0;
	size_t at = 0;

	s->frames[0] = NULL;
	if (!sample_leaf(sample))
		return s->frames;
	stack_resolve(s->syms, sample, &s->stack);
	stack_losses(&s->stack, 1, profile->losses);
	s->text.n = 0;
	for (; n < s->stack.n && (!max || n < max); n++) {
		if (places)
			put_place(&s->text, &s->stack.frames[n]);
		else
			put_name(&s->text, s->stack.frames[n].name);
		out_char(&s->text, '\0');
	}
	if (s->text.failed)
		return NULL;
	for (uint32_t i = 0; i < n; i++) { /* the buffer may have moved while it grew */
		s->frames[i] = s->text.text + at;
		at += strlen(s->frames[i]) + 1;
	}
	s->frames[n] = NULL;
	return s->frames;
}

void trace_stacks_where(struct trace_stacks *s, const struct sample *sample, struct out *o)
{
	const struct frame *f = &s->stack.frames[0];

	s->stack.n = 0;
	if (s->syms)
		stack_resolve_leaf(s->syms, sample, &s->stack);
	if (!s->stack.n || f->kind == FRAME_UNKNOWN || f->kind == FRAME_MARK) {
		out_hex(o, sample_leaf(sample));
		return;
	}
	put_name(o, f->name);
	out_char(o, '+');
	out_text(o, f->off ? "" : "0x");
	out_hex(o, f->off);
}
