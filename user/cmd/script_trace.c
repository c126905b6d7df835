/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/script_trace.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "data/format.h"
#include "event/format.h"
#include "event/printfmt.h"
#include "event/record.h"
#include "frame.h"

#define TEXT_BYTES 4096

/* Of one event. */
struct script_trace {
	bool is_known, is_call;
	struct format format;
	struct printfmt *print; /* NULL: it has none, or one that is not understood */
};

struct script_traces {
	struct syms *syms;
	uint8_t *swapped; /* room for a record in our byte order; NULL: the file has that */
	struct script_trace *events;
	int nr_events;
	uint64_t time_ns; /* of the sample that is printed */
	char text[TEXT_BYTES];
};

static void load(struct script_trace *t, const struct data_reader *reader, int event)
{
	const char *name = data_reader_meta(reader)->events[event].name;
	size_t bytes;
	const char *text = data_reader_format(reader, event, &bytes);

	t->is_call = !strncmp(name, "syscalls:sys_enter_", strlen("syscalls:sys_enter_"));
	t->is_known = text && !format_parse(text, bytes, &t->format);
	if (t->is_known && t->format.print && printfmt_parse(t->format.print, &t->format, &t->print))
		t->print = NULL;
}

struct script_traces *script_traces_new(const struct data_reader *reader, struct syms *syms)
{
	bool is_swapped = data_reader_meta(reader)->is_swapped;
	struct script_traces *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->syms = syms;
	t->nr_events = data_reader_meta(reader)->nr_events;
	t->events = calloc(t->nr_events, sizeof(*t->events));
	t->swapped = is_swapped ? malloc(RECORD_MAX_BYTES) : NULL;
	if (!t->events || (is_swapped && !t->swapped)) {
		free(t->swapped);
		free(t->events);
		free(t);
		return NULL;
	}
	for (int i = 0; i < t->nr_events; i++)
		load(&t->events[i], reader, i);
	return t;
}

void script_traces_free(struct script_traces *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->nr_events; i++) {
		printfmt_free(t->events[i].print);
		format_free(&t->events[i].format);
	}
	free(t->swapped);
	free(t->events);
	free(t);
}

static const char *kernel_symbol(void *arg, uint64_t addr, char *buf, size_t size)
{
	struct script_traces *t = arg;
	struct frame f;

	if (syms_resolve(t->syms, UINT32_MAX, t->time_ns, addr, true, false, &f, 1) != 1 || f.kind == FRAME_UNKNOWN)
		return NULL;
	snprintf(buf, size, "%s+0x%" PRIx64, f.name, f.off);
	return buf;
}

/* NULL: nothing of it can be read. */
static struct script_trace *trace_of(struct script_traces *t, const struct sample *s, struct record *ret_record)
{
	struct script_trace *trace = s->event < t->nr_events ? &t->events[s->event] : NULL;

	if (!trace || !trace->is_known || !s->fields || !(s->fields->has & PERF_SAMPLE_RAW))
		return NULL;
	*ret_record = (struct record){ &trace->format, s->fields->raw, s->fields->raw_bytes, trace->is_call };
	if (t->swapped && s->fields->raw_bytes <= RECORD_MAX_BYTES) {
		memcpy(t->swapped, s->fields->raw, s->fields->raw_bytes);
		format_swap(&trace->format, t->swapped, s->fields->raw_bytes);
		ret_record->bytes = t->swapped;
	}
	return trace;
}

const char *script_traces_text(struct script_traces *t, const struct sample *s)
{
	struct printfmt_names names = { kernel_symbol, t };
	struct record record;
	struct script_trace *trace = trace_of(t, s, &record);
	size_t n;

	if (!trace)
		return NULL;
	t->time_ns = s->time_ns;
	if (trace->print)
		n = printfmt_text(trace->print, record.bytes, record.nr_bytes, &names, t->text, sizeof(t->text));
	else
		n = record_text(&record, t->text, sizeof(t->text));
	while (n && t->text[n - 1] == '\n')
		t->text[--n] = '\0';
	return t->text;
}

bool script_traces_json(struct script_traces *t, const struct sample *s, struct json *json)
{
	struct record record;

	if (!trace_of(t, s, &record))
		return false;
	record_json(&record, json);
	return true;
}

void script_traces_each(struct script_traces *t, const struct sample *s, void (*each)(void *arg, const struct record_value *value), void *arg)
{
	struct record record;

	if (trace_of(t, s, &record))
		record_each(&record, each, arg);
}
