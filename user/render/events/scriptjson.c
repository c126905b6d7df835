/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples for programs: JSON, an object a line, and CSV. */
#include <inttypes.h>
#include <linux/perf_event.h>

#include "model/datasrc.h"
#include "render/events/script.h"
#include "sample.h"
#include "util/text.h"

#define STACK_BYTES (64u << 10)

static void put_hex(struct json *json, const char *key, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, n);
	json_key_text(json, key, text);
}

static void put_frame(struct json *json, const struct frame *f)
{
	json_object(json);
	put_hex(json, "ip", f->addr);
	json_key_text(json, "sym", f->kind == FRAME_UNKNOWN ? NULL : f->name);
	if (f->kind != FRAME_UNKNOWN)
		json_key_u64(json, "off", f->off);
	json_key_text(json, "dso", f->obj && f->obj[0] ? f->obj : NULL);
	put_hex(json, "dso_off", f->pos);
	if (f->kind == FRAME_INLINED) {
		json_key(json, "inlined");
		json_bool(json, true);
	}
	if (f->file) {
		json_key_text(json, "file", f->file);
		json_key_u64(json, "line", f->line);
	}
	json_object_end(json);
}

static void put_number(struct json *json, const char *key, uint32_t n)
{
	json_key(json, key);
	if (n == UINT32_MAX)
		json_i64(json, -1);
	else
		json_u64(json, n);
}

static void put_data_src(struct json *json, uint64_t data_src)
{
	static const char *const keys[DATASRC_PARTS] = { "op", "level", "snoop", "tlb", "lock", "blocked" };
	char text[DATASRC_TEXT_MAX];

	put_hex(json, "data_src", data_src);
	json_key(json, "memory");
	json_object(json);
	for (int i = 0; i < DATASRC_PARTS; i++) {
		datasrc_text((enum datasrc_part)i, data_src, text, sizeof(text));
		json_key_text(json, keys[i], text[0] == ' ' ? text + 1 : text);
	}
	json_object_end(json);
}

static void put_fields(struct json *json, const struct sample_fields *f)
{
	if (f->has & PERF_SAMPLE_ADDR)
		put_hex(json, "addr", f->addr);
	if (f->has & PERF_SAMPLE_WEIGHT)
		json_key_u64(json, "weight", f->weight);
	if (f->has & PERF_SAMPLE_WEIGHT_STRUCT)
		json_key_u64(json, "weight", f->weight & UINT32_MAX);
	if (f->has & PERF_SAMPLE_DATA_SRC)
		put_data_src(json, f->data_src);
	if (f->has & PERF_SAMPLE_PHYS_ADDR)
		put_hex(json, "phys_addr", f->phys_addr);
	if (f->has & PERF_SAMPLE_CGROUP)
		json_key_u64(json, "cgroup", f->cgroup);
	if (f->has & PERF_SAMPLE_DATA_PAGE_SIZE)
		json_key_u64(json, "data_page_size", f->data_page_bytes);
	if (f->has & PERF_SAMPLE_CODE_PAGE_SIZE)
		json_key_u64(json, "code_page_size", f->code_page_bytes);
}

void script_json(FILE *out, const struct script_line *line, const struct script_view *view, const struct script_args *args)
{
	const struct sample *s = line->named->at;
	const struct stack *st = line->named->stack;
	uint32_t n = script_frames(st, view);
	struct json json;

	json_begin(&json, out);
	json_object(&json);
	json_key_u64(&json, "time_ns", s->time_ns);
	json_key_text(&json, "event", line->event);
	json_key_text(&json, "comm", line->named->comm);
	put_number(&json, "pid", s->pid);
	put_number(&json, "tid", s->tid);
	if (s->cpu != UINT32_MAX)
		put_number(&json, "cpu", s->cpu);
	json_key_u64(&json, "period", s->weight);
	if (s->fields)
		put_fields(&json, s->fields);
	if (line->trace) {
		json_key_text(&json, "trace", line->trace);
		json_key(&json, "args");
		json_object(&json);
		if (args)
			args->json(args->arg, s, &json);
		json_object_end(&json);
	}
	json_key(&json, "stack");
	json_array(&json);
	for (uint32_t i = 0; i < n; i++)
		put_frame(&json, &st->frames[i]);
	json_array_end(&json);
	json_object_end(&json);
	fputc('\n', out);
}

void script_csv_head(FILE *out, const char *sep)
{
	static const char *const names[] = { "time", "comm", "pid", "tid", "cpu", "event", "period", "ip", "sym", "dso", "trace", "stack" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(out, "%s%s", i ? sep : "", names[i]);
	fputc('\n', out);
}

static void put_stack(FILE *out, const struct stack *st, uint32_t n, const char *sep)
{
	static char text[STACK_BYTES];
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = n; i-- > 0;)
		len = text_append(text, sizeof(text), len, "%s%s", len ? ";" : "", st->frames[i].name);
	text_print_csv(out, text, sep);
}

void script_csv(FILE *out, const struct script_line *line, const struct script_view *view, const char *sep)
{
	const struct sample *s = line->named->at;
	const struct stack *st = line->named->stack;
	const struct frame *leaf = st->n ? &st->frames[0] : NULL;

	fprintf(out, "%" PRIu64 ".%09" PRIu64 "%s", s->time_ns / 1000000000, s->time_ns % 1000000000, sep);
	text_print_csv(out, line->named->comm, sep);
	fprintf(out, "%s%d%s%d%s", sep, (int)s->pid, sep, (int)s->tid, sep);
	if (s->cpu != UINT32_MAX)
		fprintf(out, "%u", s->cpu);
	fputs(sep, out);
	text_print_csv(out, line->event, sep);
	fprintf(out, "%s%" PRIu64 "%s0x%" PRIx64 "%s", sep, s->weight, sep, s->ip, sep);
	text_print_csv(out, leaf && leaf->kind != FRAME_UNKNOWN ? leaf->name : "", sep);
	fputs(sep, out);
	text_print_csv(out, leaf && leaf->obj ? leaf->obj : "", sep);
	fputs(sep, out);
	text_print_csv(out, line->trace ? line->trace : "", sep);
	fputs(sep, out);
	put_stack(out, st, script_frames(st, view), sep);
	fputc('\n', out);
}
