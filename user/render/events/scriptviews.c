/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/events/scriptviews.h"

#include "render/ledger.h"
#include "sample.h"
#include "util/hash.h"
#include "util/text.h"

#define NS_PER_US 1000.0

static void put_name(struct textbuf *b, const char *name)
{
	char buf[TEXT_FRAME_BYTES];

	text_frame(buf, name);
	textbuf_text(b, buf);
}

void script_folded(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	const struct stack *st = line->named->stack;

	put_name(b, line->named->comm);
	for (uint32_t i = script_frames(st, view); i-- > 0;) {
		textbuf_char(b, ';');
		put_name(b, st->frames[i].name);
	}
	textbuf_char(b, ' ');
	textbuf_u64(b, line->named->at->weight ? line->named->at->weight : 1, 0);
	textbuf_char(b, '\n');
}

void script_chrome_begin(struct script_chrome *c, FILE *out)
{
	json_begin(&c->json, out);
	json_object(&c->json);
	json_key_text(&c->json, "displayTimeUnit", "ns");
	json_key(&c->json, "traceEvents");
	json_array(&c->json);
}

static void open_event(struct json *j, const char *ph, const char *name, const struct sample *s)
{
	json_line(j);
	json_object(j);
	json_key_text(j, "ph", ph);
	json_key_text(j, "name", name);
	json_key(j, "pid"); /* of a task that has ended -1, as perf has it */
	json_i64(j, (int32_t)s->pid);
	json_key(j, "tid");
	json_i64(j, (int32_t)s->tid);
}

static void name_thread(struct script_chrome *c, const struct sample *s, const char *comm)
{
	uint64_t hash = hash_u64((uint64_t)s->pid << 32 | s->tid) ^ hash_bytes(comm, strlen(comm));

	if (map_find(&c->named, hash) >= 0 || map_add(&c->named, hash, 0))
		return;
	open_event(&c->json, "M", "thread_name", s);
	json_key(&c->json, "args");
	json_object(&c->json);
	json_key_text(&c->json, "name", comm);
	json_object_end(&c->json);
	json_object_end(&c->json);
}

static void put_stack(struct json *j, const struct stack *st, uint32_t n)
{
	json_key(j, "stack");
	json_array(j);
	for (uint32_t i = 0; i < n; i++)
		json_text(j, st->frames[i].name);
	json_array_end(j);
}

void script_chrome(struct script_chrome *c, const struct script_line *line, const struct script_view *view, const struct script_args *args)
{
	const struct sample *s = line->named->at;
	struct json *j = &c->json;

	if (!c->start_ns)
		c->start_ns = s->time_ns;
	name_thread(c, s, line->named->comm);
	open_event(j, "i", line->event, s);
	json_key_text(j, "s", "t"); /* a moment of its thread */
	json_key(j, "ts");
	json_double(j, (double)(s->time_ns > c->start_ns ? s->time_ns - c->start_ns : 0) / NS_PER_US, 3);
	json_key(j, "args");
	json_object(j);
	if (s->cpu != UINT32_MAX)
		json_key_u64(j, "cpu", s->cpu);
	json_key_u64(j, "period", s->weight);
	if (line->trace) {
		json_key_text(j, "trace", line->trace);
		json_key(j, "fields");
		json_object(j);
		args->json(args->arg, s, j);
		json_object_end(j);
	}
	put_stack(j, line->named->stack, script_frames(line->named->stack, view));
	json_object_end(j);
	json_object_end(j);
}

void script_chrome_end(struct script_chrome *c, const struct profile *p)
{
	json_array_end(&c->json);
	json_key(&c->json, "otherData");
	json_object(&c->json);
	profile_json(&c->json, p);
	json_object_end(&c->json);
	json_object_end(&c->json);
	fputc('\n', c->json.out);
}

void script_chrome_free(struct script_chrome *c)
{
	map_free(&c->named);
}
