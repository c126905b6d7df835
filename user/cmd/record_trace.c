/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/record_trace.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/measure.h"
#include "cmd/record_probe.h"
#include "event/format.h"
#include "event/tracepoints.h"

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

static int take_probe(struct record_traces *t, const struct probe *p)
{
	char *text = record_probe_format(p, MEASURE_PROBE_IDS + p->event);

	if (!text)
		return -ENOMEM;
	t->formats[p->event] = (struct data_format){ p->spec.lasting ? p->spec.group : RECORD_PROBE_SYSTEM ":", { text, strlen(text) } };
	t->probes[p->event] = p;
	return 0;
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

/* Readers need it, though no page of that kind is recorded; where tracefs is not mounted: struct buffer_data_page, kernel/trace/ring_buffer.c. */
#define PAGE_HEADER_BYTES 16
#define PAGE_HEADER                                           \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"  \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"  \
	"\tfield: char data;\toffset:16;\tsize:%ld;\tsigned:0;\n"

int record_traces_load(struct record_traces *t, const struct probe *probes, int nr_probes, int nr_events)
{
	char *text;
	size_t n;

	t->nr_events = nr_events;
	t->formats = calloc(nr_events, sizeof(*t->formats));
	t->sites = calloc(nr_events, sizeof(*t->sites));
	t->probes = calloc(nr_events, sizeof(*t->probes));
	t->tracing.formats = t->formats;
	if (!t->formats || !t->sites || !t->probes)
		return -ENOMEM;
	for (int i = 0; i < nr_probes; i++) {
		const struct site *first = probes[i].sites.all.n ? probes[i].sites.all.data : NULL;
		bool has_args = first && (probes[i].spec.lasting_args || (first->bound.nr_args && first->bound.args[0].show != VALUE_RECORD));

		if (!has_args)
			take_format(t, &probes[i]);
		else if (take_probe(t, &probes[i]))
			return -ENOMEM;
	}
	if (!record_traces_any(t))
		return 0;
	if (!tracefs_path() || tracefs_text("header_page", &text, &n)) {
		n = (size_t)asprintf(&text, PAGE_HEADER, sysconf(_SC_PAGESIZE) - PAGE_HEADER_BYTES);
		if (n == (size_t)-1)
			return -ENOMEM;
	}
	t->tracing.header_page = (struct data_text){ text, n };
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
	free(t->probes);
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

/* Room for a record that is changed. 0 or -ENOMEM. */
static int make_room(struct record_traces *t, size_t n)
{
	uint8_t *bytes = t->cap < n ? realloc(t->bytes, n) : t->bytes;

	if (!bytes)
		return -ENOMEM;
	t->bytes = bytes;
	t->cap = t->cap < n ? n : t->cap;
	return 0;
}

static int fix_probe(struct record_traces *t, const struct probe *p, const struct sample *s, struct sample *ret_sample)
{
	size_t size = record_probe_size(p);

	if (make_room(t, size))
		return -ENOMEM;
	memset(t->bytes, 0, size);
	size = record_probe_put(p, MEASURE_PROBE_IDS + s->event, s, t->bytes, &t->gaps);
	t->value = (struct sample_value){ .bytes = t->bytes, .nr_bytes = (uint32_t)size };
	ret_sample->values = &t->value;
	ret_sample->nr_values = 1;
	return 0;
}

void record_traces_profile(const struct record_traces *t, struct profile *p)
{
	if (t->nr_cut)
		profile_note(p, "%llu samples have a field of variable length that was cut: %d bytes are kept for each",
			     (unsigned long long)t->nr_cut, PROBE_TEXT_DEFAULT);
	if (t->gaps.nr_faults)
		profile_note(p, "%llu values could not be read: their numbers are 0, their texts \"(fault)\"", (unsigned long long)t->gaps.nr_faults);
	if (t->gaps.nr_full)
		profile_note(p, "%llu texts have %d bytes, which is what is kept of one: they may be longer", (unsigned long long)t->gaps.nr_full,
			     PROBE_TEXT_DEFAULT - 1);
}

int record_traces_fix(struct record_traces *t, const struct sample *s, struct sample *ret_sample)
{
	const struct probe *probe = s->event < t->nr_events ? t->probes[s->event] : NULL;
	const struct site *site = s->event < t->nr_events ? t->sites[s->event] : NULL;
	const struct sample_value *v = s->nr_values ? s->values : NULL;
	struct entry entry = { .type = site ? (uint16_t)site->tracepoint : 0, .pid = (int32_t)s->tid };
	bool is_cut = false;
	size_t end;
	int unused;

	*ret_sample = *s;
	if (probe)
		return fix_probe(t, probe, s, ret_sample);
	if (!site || !v || !v->bytes || v->nr_bytes < sizeof(entry))
		return 0;
	if (make_room(t, v->nr_bytes))
		return -ENOMEM;
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
