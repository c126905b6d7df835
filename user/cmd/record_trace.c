/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/record_trace.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"

/* struct trace_entry, include/linux/trace_events.h */
struct entry {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
};

static void take_text(const char *below, struct data_text *ret)
{
	char *text;
	size_t n;

	if (!tracefs_text(below, &text, &n))
		*ret = (struct data_text){ text, n };
}

static void take_format(struct record_traces *t, const struct probe *p)
{
	const struct site *site = p->sites.all.n == 1 ? &p->sites.all.data[0] : NULL;
	char *text;
	size_t n;

	if (p->spec.kind != PROBE_TRACEPOINT || !site || !site->format || format_text(site->name, &text, &n))
		return;
	t->formats[p->event] = (struct data_format){ site->name, { text, n } };
	t->sites[p->event] = site;
}

int record_traces_load(struct record_traces *t, const struct probe *probes, int nr_probes, int nr_events)
{
	t->nr_events = nr_events;
	t->formats = calloc(nr_events, sizeof(*t->formats));
	t->sites = calloc(nr_events, sizeof(*t->sites));
	t->tracing.formats = t->formats;
	if (!t->formats || !t->sites)
		return -ENOMEM;
	for (int i = 0; i < nr_probes; i++)
		take_format(t, &probes[i]);
	if (!record_traces_any(t))
		return 0;
	take_text("header_page", &t->tracing.header_page);
	take_text("header_event", &t->tracing.header_event);
	return 0;
}

void record_traces_free(struct record_traces *t)
{
	for (int i = 0; t->formats && i < t->nr_events; i++)
		free((char *)t->formats[i].file.text);
	free((char *)t->tracing.header_page.text);
	free((char *)t->tracing.header_event.text);
	free(t->formats);
	free(t->sites);
	free(t->bytes);
}

bool record_traces_any(const struct record_traces *t)
{
	for (int i = 0; i < t->nr_events; i++)
		if (t->formats[i].file.text)
			return true;
	return false;
}

/* Cuts the data of a field to what was copied: text with a NUL, up to which readers read. Returns where it ends. */
static size_t fit_data(const struct format_field *f, uint8_t *record, size_t n, bool *ret_cut)
{
	size_t offset, len = format_dynamic(f, record, n, &offset);
	uint32_t location;

	if (!len || offset > n)
		return 0;
	if (offset + len <= n)
		return offset + len;
	memcpy(&location, record + f->offset, sizeof(location));
	location = (location & 0xffff) | (uint32_t)(n - offset) << 16;
	memcpy(record + f->offset, &location, sizeof(location));
	if (!strcmp(f->type, "char") && n > offset)
		record[n - 1] = '\0';
	*ret_cut = true;
	return n;
}

int record_traces_fix(struct record_traces *t, const struct sample *s, struct sample *ret_sample)
{
	const struct site *site = s->event < t->nr_events ? t->sites[s->event] : NULL;
	const struct sample_value *v = s->nr_values ? s->values : NULL;
	struct entry entry = { .type = site ? (uint16_t)site->tracepoint : 0, .pid = (int32_t)s->tid };
	bool is_cut = false;
	size_t end;
	int unused;

	*ret_sample = *s;
	if (!site || !v || !v->bytes || v->nr_bytes < sizeof(entry))
		return 0;
	if (t->cap < v->nr_bytes) {
		uint8_t *bytes = realloc(t->bytes, v->nr_bytes);

		if (!bytes)
			return -ENOMEM;
		t->bytes = bytes;
		t->cap = v->nr_bytes;
	}
	memcpy(t->bytes, v->bytes, v->nr_bytes);
	memcpy(t->bytes, &entry, sizeof(entry));
	end = format_record(site->format, &unused);
	for (size_t i = 0; i < site->format->fields.n; i++) {
		size_t data_end = fit_data(&site->format->fields.data[i], t->bytes, v->nr_bytes, &is_cut);

		end = data_end > end ? data_end : end;
	}
	t->nr_cut += is_cut;
	t->value = (struct sample_value){ .bytes = t->bytes, .nr_bytes = end < v->nr_bytes ? (uint32_t)end : v->nr_bytes };
	ret_sample->values = &t->value;
	return 0;
}
