/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The events of a perf.data file: in come attributes and ids, hostile; out go struct event, the
 * places of the fields in each event's records, and the way from a record to its event.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include "data/reader.h"

#define WORD 8
#define FIRST_FIELD ((int)sizeof(struct perf_event_header))

static void layout_fill(struct layout *l, const struct perf_event_attr *a)
{
	uint64_t t = a->sample_type;
	int at = FIRST_FIELD;

	*l = (struct layout){
		.sample_type = t,
		.read_format = a->read_format,
		.period = a->freq || !a->sample_period ? 1 : a->sample_period,
		.max_stack = a->sample_max_stack,
		.inherited = a->inherit && t & PERF_SAMPLE_TID,
		.branch_type = a->branch_sample_type,
		.user_mask = a->sample_regs_user,
		.intr_mask = a->sample_regs_intr,
		.no_user_chain = a->exclude_callchain_user,
		.sample_time = -1, .sample_id = -1,
		.tail_tid = -1, .tail_time = -1, .tail_cpu = -1, .tail_id = -1,
	};
	/* Both orders are in uapi/linux/perf_event.h, at PERF_RECORD_SAMPLE and struct sample_id. */
	if (t & PERF_SAMPLE_IDENTIFIER) {
		l->sample_id = at;
		at += WORD;
	}
	at += t & PERF_SAMPLE_IP ? WORD : 0;
	at += t & PERF_SAMPLE_TID ? WORD : 0;
	if (t & PERF_SAMPLE_TIME) {
		l->sample_time = at;
		at += WORD;
	}
	at += t & PERF_SAMPLE_ADDR ? WORD : 0;
	if (l->sample_id < 0 && t & PERF_SAMPLE_ID)
		l->sample_id = at;
	if (!a->sample_id_all)
		return;
	at = t & PERF_SAMPLE_TID ? WORD : 0;
	l->tail_tid = t & PERF_SAMPLE_TID ? WORD / 2 : -1; /* after the pid */
	if (t & PERF_SAMPLE_TIME) {
		l->tail_time = at;
		at += WORD;
	}
	if (t & PERF_SAMPLE_ID) {
		l->tail_id = at;
		at += WORD;
	}
	at += t & PERF_SAMPLE_STREAM_ID ? WORD : 0;
	if (t & PERF_SAMPLE_CPU) {
		l->tail_cpu = at;
		at += WORD;
	}
	if (t & PERF_SAMPLE_IDENTIFIER) {
		l->tail_id = at;
		at += WORD;
	}
	l->trailer = at;
}

static void event_fill(struct event *e, const struct perf_event_attr *a)
{
	*e = (struct event){
		.unit = "events",
		.type = a->type,
		.config = a->config,
		.config1 = a->config1,
		.config2 = a->config2,
		.freq = a->freq,
		.period_or_freq = a->sample_period,
		.exclude_user = a->exclude_user,
		.exclude_kernel = a->exclude_kernel,
		.exclude_hv = a->exclude_hv,
		.exclude_idle = a->exclude_idle,
		.precise = a->precise_ip,
	};
	event_name(e, a);
	if (a->type == PERF_TYPE_HARDWARE && (uint32_t)a->config == PERF_COUNT_HW_CPU_CYCLES) /* above is the PMU */
		e->unit = "cycles";
	if (a->type == PERF_TYPE_SOFTWARE && a->config <= PERF_COUNT_SW_TASK_CLOCK)
		e->unit = "ns";
}

int attr_add(struct data_reader *r, const uint8_t *attr, size_t size)
{
	struct perf_event_attr a = { 0 };
	int ret;

	if (size < PERF_ATTR_SIZE_VER0)
		return -EBADMSG;
	if (r->layouts.n >= ATTRS_MAX)
		return -E2BIG;
	/* Newer attributes are longer; what we do not know does not move what we use. */
	memcpy(&a, attr, size < sizeof(a) ? size : sizeof(a));
	ret = vec_reserve(&r->layouts);
	if (ret == 0)
		ret = vec_reserve(&r->events);
	if (ret == 0)
		ret = vec_reserve(&r->attrs);
	if (ret < 0)
		return ret;
	layout_fill(&r->layouts.data[r->layouts.n++], &a);
	r->attrs.data[r->attrs.n++] = a;
	event_fill(&r->events.data[r->events.n++], &a);
	r->meta.events = r->events.data;
	r->meta.nr_events = (int)r->events.n;
	r->has_build_ids |= a.build_id;
	r->meta.other_clock |= a.sample_type & PERF_SAMPLE_TIME && (!a.use_clockid || a.clockid != CLOCK_MONOTONIC);
	if (a.sample_type & PERF_SAMPLE_CALLCHAIN)
		r->meta.callchain = true;
	return 0;
}

int attr_add_ids(struct data_reader *r, size_t attr, const uint8_t *ids, size_t n)
{
	int ret;

	if (n)
		r->layouts.data[attr].first_id = get_u64(ids);
	for (size_t i = 0; i < n; i++) {
		if (r->ids.n >= IDS_MAX)
			return -E2BIG;
		ret = vec_reserve(&r->ids);
		if (ret < 0)
			return ret;
		r->ids.data[r->ids.n++] = (struct id_entry){ get_u64(ids + i * WORD), (uint32_t)attr };
	}
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct id_entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->attr < y->attr ? -1 : x->attr > y->attr;
}

int attrs_settle(struct data_reader *r)
{
	const struct layout *first = r->layouts.data;
	bool same_type = true, same_id = true;

	if (!r->layouts.n)
		return -EBADMSG;
	if (r->ids.n)
		qsort(r->ids.data, r->ids.n, sizeof(*r->ids.data), compare_ids);
	for (size_t i = 1; i < r->layouts.n; i++) {
		const struct layout *l = &r->layouts.data[i];

		same_type &= l->sample_type == first->sample_type && l->trailer == first->trailer;
		/* From the end of the record: trailers of different events may differ in length. */
		same_id &= l->sample_id == first->sample_id &&
			   l->trailer - l->tail_id == first->trailer - first->tail_id;
	}
	same_id &= first->sample_id >= 0;
	if (!same_type && !same_id)
		return -EBADMSG;
	r->one_layout = r->layouts.n == 1 || !same_id;
	return 0;
}

int id_event(struct data_reader *r, uint64_t id)
{
	size_t lo = 0, hi = r->ids.n;

	if (r->last_id.id == id && id)
		return (int)r->last_id.attr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->ids.data[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == r->ids.n || r->ids.data[lo].id != id)
		return -1;
	r->last_id = r->ids.data[lo];
	return (int)r->last_id.attr;
}

int record_attr(struct data_reader *r, const uint8_t *record, size_t size, bool is_sample)
{
	const struct layout *l = r->layouts.data;
	size_t at;
	int attr;

	if (r->one_layout)
		return 0;
	if (is_sample) {
		at = (size_t)l->sample_id;
		return at + WORD > size ? -1 : id_event(r, get_u64(record + at));
	}
	/* perf makes up records of what was so before; they have the id 0 or none. */
	if (l->tail_id < 0 || size < sizeof(struct perf_event_header) + (size_t)(l->trailer - l->tail_id))
		return 0;
	attr = id_event(r, get_u64(record + size - (size_t)(l->trailer - l->tail_id)));
	return attr < 0 ? 0 : attr;
}

/* The event that an update is of, before the first data record too: the ids are not sorted then, and perf updates an event by its first. */
static size_t updated_event(struct data_reader *r, uint64_t id, size_t fallback)
{
	size_t at = fallback;

	if (r->started) {
		int found = id_event(r, id);

		at = found < 0 ? fallback : (size_t)found;
	}
	for (size_t i = 0; i < r->layouts.n && !r->started; i++)
		if (r->layouts.data[i].first_id == id && id) {
			at = i;
			break;
		}
	return at;
}

void event_set_name(struct data_reader *r, uint64_t id, size_t fallback, const char *name, size_t n)
{
	size_t at = updated_event(r, id, fallback);

	if (at >= r->events.n || !n || !name[0])
		return;
	snprintf(r->events.data[at].name, sizeof(r->events.data[at].name), "%.*s", (int)n, name);
}

void event_set_unit(struct data_reader *r, uint64_t id, const char *unit, size_t n)
{
	size_t at = updated_event(r, id, SIZE_MAX);

	if (at < r->events.n && !event_is_clock(&r->events.data[at])) /* whose unit is known */
		snprintf(r->events.data[at].pmu_unit, sizeof(r->events.data[at].pmu_unit), "%.*s", (int)n, unit);
}

void event_set_scale(struct data_reader *r, uint64_t id, double scale)
{
	size_t at = updated_event(r, id, SIZE_MAX);

	if (at < r->events.n && !event_is_clock(&r->events.data[at]) && isfinite(scale))
		r->events.data[at].scale = scale;
}
