/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A marker waits in its thread's strand, with its data as JSON: the table is written by columns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/viewers/firefox.h"
#include "sample.h"
#include "util/hash.h"

#define STATES_TYPE "sched"
#define PREEMPTED_MASK 0xffu /* of prev_state: none of these is set while a task can go on (TASK_REPORT, include/linux/sched.h) */
#define OF_STATE (1u << 31)

enum marker_phase { PHASE_INSTANT, PHASE_INTERVAL };

struct marker {
	uint64_t start_ns, end_ns;
	uint32_t what; /* an event; OF_STATE and an enum marker_state */
	uint32_t bytes; /* of data, which follows */
};

static const char *const states[] = {
#define STATE_NAME(name, text) text,
	MARKER_STATES(STATE_NAME)
#undef STATE_NAME
};

static int put_marker(struct firefox_markers *m, uint32_t lane, const struct marker *marker, const char *data, struct err *err)
{
	struct lanes *set = m->set;
	struct lane *s = &set->all.data[set->all.data[lane].of_thread];
	int ret;

	if (s->markers == STRANDS_NONE) {
		int64_t strand = strands_add(&set->strands);

		if (strand < 0)
			return -ENOMEM;
		s->markers = (uint32_t)strand;
	}
	ret = strands_put(&set->strands, s->markers, marker, sizeof(*marker), err);
	if (!ret)
		ret = strands_put(&set->strands, s->markers, data, marker->bytes, err);
	s->nr_markers += !ret;
	return ret;
}

static int put_state(struct firefox_markers *m, uint32_t lane, enum marker_state state, uint64_t from_ns, uint64_t to_ns, struct err *err)
{
	static const char data[] = "{\"type\":\"" STATES_TYPE "\"}";
	const struct marker marker = { .start_ns = from_ns, .end_ns = to_ns, .what = OF_STATE | state, .bytes = sizeof(data) - 1 };

	m->has_states = true;
	return to_ns > from_ns ? put_marker(m, lane, &marker, data, err) : 0;
}

static struct firefox_task *task_of(struct firefox_markers *m, uint32_t tid)
{
	int64_t found = map_find(&m->by_tid, hash_u64(tid));

	if (found < 0) {
		if (vec_reserve(&m->tasks) || map_add(&m->by_tid, hash_u64(tid), m->tasks.n))
			return NULL;
		found = (int64_t)m->tasks.n++;
		m->tasks.data[found] = (struct firefox_task){ .tid = tid, .lane = -1 };
	}
	return &m->tasks.data[found];
}

struct switch_fields {
	uint64_t prev_state, next_pid;
	bool has_state, has_next;
};

static void see_switch(void *arg, const struct viewer_field *field)
{
	struct switch_fields *f = arg;

	if (field->text)
		return;
	if (!strcmp(field->name, "prev_state")) {
		f->prev_state = field->num;
		f->has_state = true;
	} else if (!strcmp(field->name, "next_pid")) {
		f->next_pid = field->num;
		f->has_next = true;
	}
}

/* The sample's thread leaves its CPU, and another takes it. Idle tasks are left out: each CPU has one, all with the number 0. */
static int take_switch(struct firefox_markers *m, uint32_t lane, const struct sample *s, const struct viewer_trace *trace, struct err *err)
{
	struct switch_fields f = { 0 };
	struct firefox_task *t;
	int ret = 0;

	trace->each(trace->arg, s, see_switch, &f);
	if (!f.has_state || !f.has_next)
		return 0;
	if (s->tid) {
		t = task_of(m, s->tid);
		if (!t)
			return -ENOMEM;
		if (t->off_ns && t->on_ns)
			ret = put_state(m, lane, t->off, t->off_ns, t->on_ns, err);
		if (!ret && t->on_ns)
			ret = put_state(m, lane, MARKER_RUNNING, t->on_ns, s->time_ns, err);
		*t = (struct firefox_task){ .tid = s->tid, .off_ns = s->time_ns, .off = f.prev_state & PREEMPTED_MASK ? MARKER_BLOCKED : MARKER_PREEMPTED,
					    .lane = lane };
	}
	if (!ret && f.next_pid) {
		t = task_of(m, (uint32_t)f.next_pid);
		if (!t)
			return -ENOMEM;
		t->on_ns = s->time_ns;
	}
	return ret;
}

/* What a marker's data has beside the fields. */
static bool is_taken(const char *key)
{
	static const char *const taken[] = { "type", "text", "cause", "stack", "startTime", "endTime", "category" };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(taken[i], key))
			return true;
	return false;
}

struct fields_to {
	struct firefox_fields *known;
	struct json *json;
	size_t n;
	int ret;
};

static void put_field(void *arg, const struct viewer_field *field)
{
	struct fields_to *to = arg;
	struct firefox_field new = { .is_number = !field->text };

	snprintf(new.name, sizeof(new.name), "%.*s%s", (int)sizeof(new.name) - 2, field->name, is_taken(field->name) ? "_" : "");
	if (to->n == to->known->all.n && !vec_reserve(&to->known->all))
		to->known->all.data[to->known->all.n++] = new;
	to->n++;
	json_key(to->json, new.name);
	if (field->text)
		json_text(to->json, field->text);
	else if (field->is_signed)
		json_i64(to->json, (int64_t)field->num);
	else
		json_u64(to->json, field->num);
}

static void put_cause(const struct firefox_markers *m, const struct sample *s, uint32_t node, struct json *j)
{
	json_key(j, "cause");
	json_object(j);
	json_key_u64(j, "tid", s->tid);
	json_key(j, "time");
	json_fraction(j, s->time_ns > m->set->first_ns ? s->time_ns - m->set->first_ns : 0, NS_PER_MS, MS_DECIMALS);
	json_key_u64(j, "stack", node);
	json_object_end(j);
}

/* The data of a marker, into m->text. */
static int make_data(struct firefox_markers *m, const struct named *named, uint32_t node, const struct viewer_trace *trace)
{
	const struct sample *s = named->at;
	struct json j;
	struct fields_to to = { .known = &m->fields[s->event], .json = &j };

	if (!m->stream && !(m->stream = open_memstream(&m->text, &m->text_bytes)))
		return -ENOMEM;
	rewind(m->stream);
	json_begin(&j, m->stream);
	json_object(&j);
	json_key_text(&j, "type", m->set->cfg->events[s->event].name);
	json_key_text(&j, "text", trace->text);
	trace->each(trace->arg, s, put_field, &to);
	if (node != STACK_NONE)
		put_cause(m, s, node, &j);
	json_object_end(&j);
	return fflush(m->stream) ? -ENOMEM : json_end(&j);
}

int firefox_markers_add(struct firefox_markers *m, uint32_t lane, const struct named *named, const struct viewer_trace *trace, struct err *err)
{
	const struct sample *s = named->at;
	struct marker marker = { .start_ns = s->time_ns, .end_ns = s->time_ns, .what = s->event };
	int ret;

	if (!m->fields && !(m->fields = calloc(m->set->cfg->nr_events, sizeof(*m->fields))))
		return -ENOMEM;
	ret = make_data(m, named, m->set->node, trace);
	if (ret)
		return ret;
	marker.bytes = (uint32_t)m->text_bytes;
	ret = put_marker(m, lane, &marker, m->text, err);
	if (!ret && viewer_is_switch(m->set->cfg->events[s->event].name))
		ret = take_switch(m, lane, s, trace, err);
	return ret;
}

int firefox_markers_end(struct firefox_markers *m, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < m->tasks.n && !ret; i++) {
		const struct firefox_task *t = &m->tasks.data[i];
		uint64_t last_ns = m->set->last_ns;

		if (t->lane < 0)
			continue;
		if (t->off_ns)
			ret = put_state(m, (uint32_t)t->lane, t->off, t->off_ns, t->on_ns ? t->on_ns : last_ns, err);
		if (!ret && t->on_ns)
			ret = put_state(m, (uint32_t)t->lane, MARKER_RUNNING, t->on_ns, last_ns, err);
	}
	return ret;
}

enum marker_column { COLUMN_DATA, COLUMN_NAME, COLUMN_START, COLUMN_END, COLUMN_PHASE, COLUMN_CATEGORY, COLUMN_MAX };

static void put_time(const struct lanes *set, uint64_t ns, struct json *j)
{
	json_fraction(j, ns > set->first_ns ? ns - set->first_ns : 0, NS_PER_MS, MS_DECIMALS);
}

static int put_cell(const struct firefox_markers *m, enum marker_column column, const struct marker *marker, struct firefox_strings *strings, struct json *j)
{
	bool is_state = marker->what & OF_STATE;
	int64_t name;

	switch (column) {
	case COLUMN_NAME:
		name = firefox_string(strings, is_state ? states[marker->what & ~OF_STATE] : m->set->cfg->events[marker->what].name);
		if (name < 0)
			return (int)name;
		json_u64(j, (uint64_t)name);
		break;
	case COLUMN_START:
		put_time(m->set, marker->start_ns, j);
		break;
	case COLUMN_END:
		if (is_state)
			put_time(m->set, marker->end_ns, j);
		else
			json_text(j, NULL);
		break;
	case COLUMN_PHASE:
		json_u64(j, is_state ? PHASE_INTERVAL : PHASE_INSTANT);
		break;
	default:
		json_u64(j, is_state ? CATEGORY_SCHED : CATEGORY_EVENT);
	}
	return 0;
}

static int put_column(const struct firefox_markers *m, const struct lane *s, enum marker_column column, struct firefox_strings *strings, struct json *j)
{
	struct strand_reader r = lanes_read(m->set, s->markers);
	struct marker marker;
	char buf[1024];
	int ret = 0;

	while (!ret && strand_read(&r, &marker, sizeof(marker))) {
		if (column == COLUMN_DATA)
			json_raw(j);
		else
			ret = put_cell(m, column, &marker, strings, j);
		for (uint32_t left = marker.bytes, part; left; left -= part) {
			part = left < sizeof(buf) ? left : (uint32_t)sizeof(buf);
			if (!strand_read(&r, buf, part))
				return r.failed ? r.failed : -EIO;
			if (column == COLUMN_DATA)
				fwrite_unlocked(buf, 1, part, j->out);
		}
	}
	return ret ? ret : r.failed;
}

int firefox_markers_put(const struct firefox_markers *m, const struct lane *s, struct firefox_strings *strings, struct json *j)
{
	static const char *const keys[] = { "data", "name", "startTime", "endTime", "phase", "category" };
	int ret = 0;

	json_key(j, "markers");
	json_object(j);
	for (int i = 0; i < COLUMN_MAX && !ret; i++) {
		json_key(j, keys[i]);
		json_array(j);
		ret = s && s->nr_markers ? put_column(m, s, (enum marker_column)i, strings, j) : 0;
		json_array_end(j);
	}
	json_key_u64(j, "length", s ? s->nr_markers : 0);
	json_object_end(j);
	return ret;
}

static void put_schema(const char *type, const char *label, const struct firefox_fields *fields, struct json *j)
{
	json_line(j);
	json_object(j);
	json_key_text(j, "name", type);
	if (label)
		json_key_text(j, "tableLabel", label);
	json_key(j, "display");
	json_array(j);
	json_text(j, "marker-chart");
	json_text(j, "marker-table");
	json_text(j, "timeline-overview");
	json_array_end(j);
	json_key(j, "fields");
	json_array(j);
	if (label) {
		json_object(j);
		json_key_text(j, "key", "text");
		json_key_text(j, "format", "string");
		json_object_end(j);
	}
	for (size_t i = 0; fields && i < fields->all.n; i++) {
		json_object(j);
		json_key_text(j, "key", fields->all.data[i].name);
		json_key_text(j, "format", fields->all.data[i].is_number ? "integer" : "string");
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void firefox_schema_put(const struct firefox_markers *m, struct json *j)
{
	const struct viewer_cfg *cfg = m->set->cfg;

	json_key(j, "markerSchema");
	json_array(j);
	for (uint32_t i = 0; m->fields && i < cfg->nr_events; i++)
		if (cfg->events[i].is_tracepoint)
			put_schema(cfg->events[i].name, "{marker.data.text}", &m->fields[i], j);
	if (m->has_states)
		put_schema(STATES_TYPE, NULL, NULL, j);
	json_array_end(j);
}

void firefox_markers_free(struct firefox_markers *m)
{
	for (uint32_t i = 0; m->fields && i < m->set->cfg->nr_events; i++)
		vec_free(&m->fields[i].all);
	free(m->fields);
	vec_free(&m->tasks);
	map_free(&m->by_tid);
	if (m->stream)
		fclose(m->stream);
	free(m->text);
}
