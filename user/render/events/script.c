/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of samples: who, when, what, where. */
#include "render/events/script.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "sample.h"
#include "util/clock.h"

#define COMM_WIDTH 16
#define ID_WIDTH 5
#define TIME_WIDTH 12
#define NS_SECONDS_WIDTH 5
#define PERIOD_WIDTH 10
#define ADDR_WIDTH 16
#define MISC_WIDTH 6

/* -1 where there is none: of the kernel's own records. */
static void put_id(struct textbuf *b, uint32_t id, size_t width)
{
	if (id == UINT32_MAX)
		textbuf_printf(b, "%*d", (int)width, -1);
	else
		textbuf_u64(b, id, width);
}

/* The same at the left of its column. */
static void put_id_left(struct textbuf *b, uint32_t id, size_t width)
{
	char text[TEXTBUF_NUMBER_MAX];
	int n = snprintf(text, sizeof(text), "%-*d", (int)width, (int)id);

	textbuf_put(b, text, (size_t)n);
}

static bool has(uint16_t misc, unsigned bits)
{
	return (misc & bits) == bits;
}

/* Letters as perf has them: of a mode, each whose bits are all there; then what a bit means in records of that type. */
static void put_misc(struct textbuf *b, const struct script_start *s)
{
	char text[MISC_WIDTH + 1];
	size_t n = 0;

	if (has(s->misc, PERF_RECORD_MISC_KERNEL))
		text[n++] = 'K';
	if (has(s->misc, PERF_RECORD_MISC_USER))
		text[n++] = 'U';
	if (has(s->misc, PERF_RECORD_MISC_HYPERVISOR))
		text[n++] = 'H';
	if (has(s->misc, PERF_RECORD_MISC_GUEST_KERNEL))
		text[n++] = 'G';
	if (has(s->misc, PERF_RECORD_MISC_GUEST_USER))
		text[n++] = 'g';
	if ((s->type == PERF_RECORD_MMAP || s->type == PERF_RECORD_MMAP2) && s->misc & PERF_RECORD_MISC_MMAP_DATA)
		text[n++] = 'M';
	if (s->type == PERF_RECORD_COMM && s->misc & PERF_RECORD_MISC_COMM_EXEC)
		text[n++] = 'E';
	if ((s->type == PERF_RECORD_SWITCH || s->type == PERF_RECORD_SWITCH_CPU_WIDE) && s->misc & PERF_RECORD_MISC_SWITCH_OUT) {
		text[n++] = 'S';
		if (s->misc & SCRIPT_MISC_PREEMPT && n < MISC_WIDTH)
			text[n++] = 'p';
	}
	textbuf_put(b, text, n);
	textbuf_pad(b, MISC_WIDTH - n);
}

static void put_time(struct textbuf *b, uint64_t ns, bool all_digits)
{
	uint64_t seconds = ns / NS_PER_S, usec = ns % NS_PER_S / 1000;

	if (all_digits) {
		textbuf_u64(b, seconds, NS_SECONDS_WIDTH);
		textbuf_char(b, '.');
		textbuf_zeros(b, ns % NS_PER_S, 9);
	} else {
		textbuf_u64(b, seconds, TIME_WIDTH - 7);
		textbuf_char(b, '.');
		textbuf_zeros(b, usec, 6);
	}
	textbuf_put(b, ": ", 2);
}

/* The time of day on the recorded machine's clock, in the zone of this one. */
static void put_tod(struct textbuf *b, uint64_t time_ns, const struct script_view *view)
{
	int64_t wall;
	bool is_known = view->has_wall && !__builtin_add_overflow(view->wall_ns, (int64_t)time_ns, &wall) && wall >= 0;
	time_t seconds = is_known ? wall / (int64_t)NS_PER_S : 0;
	char text[64];
	struct tm tm;

	if (!is_known || !localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		textbuf_put(b, "N/A", 3);
	else
		textbuf_printf(b, "%s.%06lld", text, (long long)(wall % (int64_t)NS_PER_S / 1000));
	textbuf_char(b, ' ');
}

static void put_comm(struct textbuf *b, const struct script_start *s)
{
	const char *comm = s->comm ? s->comm : ":-1";
	size_t len = strlen(comm);

	if (!s->has_chain && len < COMM_WIDTH)
		textbuf_pad(b, COMM_WIDTH - len);
	textbuf_foreign(b, comm);
	textbuf_char(b, ' ');
}

void script_start(struct textbuf *b, const struct script_start *s, uint64_t fields, const struct script_view *view)
{
	if (fields & SCRIPT_BIT(COMM))
		put_comm(b, s);
	if (fields & SCRIPT_BIT(PID)) {
		put_id(b, s->pid, ID_WIDTH);
		textbuf_char(b, fields & SCRIPT_BIT(TID) ? '/' : ' ');
	}
	if (fields & SCRIPT_BIT(TID)) {
		if (fields & SCRIPT_BIT(PID))
			put_id_left(b, s->tid, ID_WIDTH);
		else
			put_id(b, s->tid, ID_WIDTH);
		textbuf_char(b, ' ');
	}
	if (fields & SCRIPT_BIT(CPU)) {
		textbuf_char(b, '[');
		if (s->cpu == UINT32_MAX)
			textbuf_put(b, "-01", 3);
		else
			textbuf_zeros(b, s->cpu, 3);
		textbuf_put(b, "] ", 2);
	}
	if (fields & SCRIPT_BIT(MISC))
		put_misc(b, s);
	if (fields & SCRIPT_BIT(TOD))
		put_tod(b, s->time_ns, view);
	if (fields & SCRIPT_BIT(TIME))
		put_time(b, s->shown_ns, view->ns);
}

static void put_name(struct textbuf *b, const struct frame *f, uint64_t fields)
{
	if (f->kind == FRAME_UNKNOWN) {
		textbuf_put(b, "[unknown]", 9);
		return;
	}
	textbuf_foreign(b, f->name);
	if (fields & SCRIPT_BIT(SYMOFF)) {
		textbuf_put(b, "+0x", 3);
		textbuf_hex(b, f->off, 0);
	}
}

static void put_object(struct textbuf *b, const struct frame *f, uint64_t fields)
{
	textbuf_put(b, " (", 2);
	textbuf_foreign(b, f->obj && f->obj[0] ? f->obj : "[unknown]");
	if (fields & SCRIPT_BIT(DSOFF)) {
		textbuf_put(b, "+0x", 3);
		textbuf_hex(b, f->pos, 0);
	}
	textbuf_char(b, ')');
}

void script_symbol(struct textbuf *b, const struct frame *f, uint64_t fields)
{
	if (fields & SCRIPT_BIT(SYM)) {
		textbuf_char(b, ' ');
		put_name(b, f, fields);
	}
	if (fields & SCRIPT_BIT(DSO) && f->kind != FRAME_INLINED)
		put_object(b, f, fields);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void put_line(struct textbuf *b, const struct frame *f, bool long_files)
{
	if (!f->file && !(f->obj && f->obj[0] && strcmp(f->obj, "[unknown]"))) /* nothing is mapped there */
		return;
	textbuf_put(b, "\n  ", 3);
	if (f->file) {
		textbuf_foreign(b, long_files ? f->file : last_part(f->file));
		textbuf_char(b, ':');
		textbuf_u64(b, f->line, 0);
		return;
	}
	textbuf_foreign(b, last_part(f->obj));
	textbuf_char(b, '[');
	textbuf_hex(b, f->pos, 0);
	textbuf_char(b, ']');
}

static bool is_stop(const struct script_view *view, const struct frame *f)
{
	for (const char *const *at = view->stop_at; at && *at; at++)
		if (f->kind != FRAME_UNKNOWN && !strcmp(*at, f->name))
			return true;
	return false;
}

static void put_frame(struct textbuf *b, const struct frame *f, uint64_t fields)
{
	textbuf_char(b, '\t');
	textbuf_hex(b, f->pos, ADDR_WIDTH);
	script_symbol(b, f, fields);
}

uint32_t script_frames(const struct stack *st, const struct script_view *view)
{
	uint32_t i = 0;

	for (uint32_t nr = 0; i < st->n && (!view->max_stack || nr < view->max_stack); i++, nr++) {
		while (!view->inlined && st->frames[i].kind == FRAME_INLINED && i + 1 < st->n)
			i++;
		if (is_stop(view, &st->frames[i]))
			return i + 1;
	}
	return i;
}

/* Each frame by itself: with limits, source lines, inlined functions. */
static void put_frames(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	const struct stack *st = line->named->stack;
	uint64_t fields = line->fields;
	uint32_t n = script_frames(st, view);

	for (uint32_t i = 0, users = 0; i < n; i++) {
		const struct frame *f = &st->frames[i], *at = f;
		struct frame before;

		while (!view->inlined && f->kind == FRAME_INLINED && i + 1 < n)
			f = &st->frames[++i];
		if (!f->is_kernel && users++ && line->is_walked && f->pos) {
			before = *f;
			before.pos--;
			before.off -= !!before.off;
			f = &before;
		}
		put_frame(b, f, fields);
		if (fields & SCRIPT_BIT(SRCLINE))
			put_line(b, at, view->long_files);
		if (f->kind == FRAME_INLINED && fields & SCRIPT_BIT(SYM))
			textbuf_put(b, " (inlined)", 10);
		textbuf_char(b, '\n');
	}
}

static bool is_plain_chain(const struct script_line *line, const struct script_view *view)
{
	const struct stack *st = line->named->stack;

	if (!view->chains || view->max_stack || view->stop_at || line->is_walked || line->fields & SCRIPT_BIT(SRCLINE) || st->n > SCRIPT_CHAIN_FRAMES)
		return false;
	for (uint32_t i = 0; i < st->n; i++)
		if (st->frames[i].kind == FRAME_INLINED)
			return false;
	return true;
}

static bool is_same(const struct frame *a, const struct frame *b)
{
	return a->addr == b->addr && a->name == b->name && a->obj == b->obj && a->off == b->off && a->pos == b->pos && a->kind == b->kind;
}

/* How many of the outermost frames stand in c, too. */
static uint32_t same_frames(const struct script_chain *c, const struct stack *st, uint64_t fields)
{
	uint32_t max = c->fields != fields ? 0 : c->n < st->n ? c->n : st->n, same = 0;

	while (same < max && is_same(&c->frames[c->n - 1 - same], &st->frames[st->n - 1 - same]))
		same++;
	return same;
}

/* Puts the new frames before those that stay. from: where the text of the chain begins in b, at most SCRIPT_CHAIN_BYTES of it. */
static void keep_chain(struct script_chain *c, const struct stack *st, uint32_t same, const struct textbuf *b, size_t from, uint64_t fields)
{
	uint32_t bytes[SCRIPT_CHAIN_FRAMES];
	size_t n = b->n - from;

	memcpy(bytes, c->bytes + c->n - same, same * sizeof(*bytes));
	memcpy(c->bytes + st->n - same, bytes, same * sizeof(*bytes));
	memcpy(c->frames, st->frames, st->n * sizeof(*c->frames));
	memcpy(c->text, b->data + from, n);
	c->text_bytes = (uint32_t)n;
	c->n = st->n;
	c->fields = fields;
}

static void put_plain_chain(struct textbuf *b, const struct script_line *line, struct script_chain *c)
{
	const struct stack *st = line->named->stack;
	uint32_t same = same_frames(c, st, line->fields), begins[SCRIPT_CHAIN_FRAMES];
	uint64_t flushes;
	size_t from;

	if (TEXTBUF_BYTES - b->n < SCRIPT_CHAIN_BYTES + 1)
		textbuf_flush(b);
	from = b->n;
	flushes = b->nr_flushes;
	for (uint32_t i = 0; i < st->n - same; i++) {
		begins[i] = (uint32_t)b->n;
		put_frame(b, &st->frames[i], line->fields);
		textbuf_char(b, '\n');
	}
	if (same)
		textbuf_put(b, c->text + c->text_bytes - c->bytes[c->n - same], c->bytes[c->n - same]);
	if (b->nr_flushes != flushes || b->n - from > SCRIPT_CHAIN_BYTES) { /* its begin is gone, or it is too long */
		c->n = 0;
		return;
	}
	keep_chain(c, st, same, b, from, line->fields);
	for (uint32_t i = 0; i < st->n - same; i++)
		c->bytes[i] = (uint32_t)b->n - begins[i];
}

static void put_chain(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	textbuf_char(b, '\n');
	if (is_plain_chain(line, view))
		put_plain_chain(b, line, &view->chains[line->named->at->pid % SCRIPT_CHAINS]);
	else
		put_frames(b, line, view);
}

static void put_place(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	static const struct frame nowhere = { .kind = FRAME_UNKNOWN };
	const struct stack *st = line->named->stack;
	const struct frame *at = st->n ? &st->frames[0] : &nowhere, *leaf = at;

	while (leaf->kind == FRAME_INLINED && leaf + 1 < st->frames + st->n)
		leaf++;
	textbuf_char(b, ' ');
	textbuf_hex(b, line->named->at->ip, ADDR_WIDTH);
	script_symbol(b, leaf, line->fields);
	if (line->fields & SCRIPT_BIT(SRCLINE))
		put_line(b, at, view->long_files);
}

void script_text(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	const struct sample *s = line->named->at;
	const struct script_start start = {
		.comm = line->named->comm, .pid = s->pid, .tid = s->tid, .cpu = s->cpu, .type = PERF_RECORD_SAMPLE,
		.misc = s->fields ? s->fields->misc : 0, .shown_ns = line->shown_ns, .time_ns = s->time_ns,
		.has_chain = line->has_chain && line->fields & SCRIPT_BIT(IP),
	};

	script_start(b, &start, line->fields, view);
	if (line->fields & SCRIPT_BIT(PERIOD)) {
		textbuf_u64(b, s->weight, PERIOD_WIDTH);
		textbuf_char(b, ' ');
	}
	if (line->fields & SCRIPT_BIT(EVENT)) {
		size_t len = strlen(line->event);

		if (len < (size_t)view->event_width)
			textbuf_pad(b, (size_t)view->event_width - len);
		textbuf_foreign(b, line->event);
		textbuf_put(b, ": ", 2);
	}
	if (line->fields & SCRIPT_BIT(TRACE) && line->trace)
		textbuf_foreign(b, line->trace);
	script_before(b, line, view);
	if (line->fields & SCRIPT_BIT(IP))
		(start.has_chain ? put_chain(b, line, view) : put_place(b, line, view));
	script_after(b, line, view);
	textbuf_char(b, '\n');
}
