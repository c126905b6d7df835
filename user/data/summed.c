/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "data/summed.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pprof/pprof.h"
#include "util/file.h"

#define MAGIC_BYTES 4

bool summed_is(const struct data_reader *r)
{
	char magic[MAGIC_BYTES];
	ssize_t n = r->regular ? pread(r->in.fd, magic, sizeof(magic), 0) : 0;

	return n > 0 && pprof_is(magic, (size_t)n);
}

static int add_event(struct data_reader *r, uint32_t type)
{
	const struct pprof_type *t = &pprof_meta(r->summed)->types[type];
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_MAX,
					.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };
	struct event e = { .unit = !strcmp(t->unit, "nanoseconds") ? "ns" : !strcmp(t->unit, "bytes") ? "bytes" : "events", .type = PERF_TYPE_MAX };

	snprintf(e.name, sizeof(e.name), "%s", t->name);
	/* pprof's word for what the clock samples */
	if (!strcmp(e.name, "cpu") && !strcmp(e.unit, "ns")) {
		snprintf(e.name, sizeof(e.name), "cpu-clock");
		e.type = attr.type = PERF_TYPE_SOFTWARE;
		e.config = attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	if (vec_reserve(&r->events) || vec_reserve(&r->attrs) || vec_reserve(&r->summed_types))
		return -ENOMEM;
	r->events.data[r->events.n++] = e;
	r->attrs.data[r->attrs.n++] = attr;
	r->summed_types.data[r->summed_types.n++] = type;
	return 0;
}

/* How often is no event of its own, where there is something else. */
static int add_events(struct data_reader *r)
{
	const struct pprof_meta *m = pprof_meta(r->summed);
	int ret = 0;

	for (uint32_t i = 0; i < m->nr_types && !ret; i++)
		if (m->nr_types == 1 || (int32_t)i != m->count_type)
			ret = add_event(r, i);
	r->meta.events = r->events.data;
	r->meta.nr_events = (int)r->events.n;
	r->meta.callchain = true;
	r->meta.duration_ns = m->duration_ns > 0 ? (uint64_t)m->duration_ns : 0;
	r->meta.has_wall = m->time_ns != 0;
	r->meta.wall_ns = m->time_ns;
	r->meta.argv = m->comments;
	r->meta.argc = m->nr_comments ? 1 : 0;
	r->meta.notes = m->nr_comments ? m->comments + 1 : NULL;
	r->meta.nr_notes = m->nr_comments ? m->nr_comments - 1 : 0;
	return ret;
}

int summed_open(struct data_reader *r, struct err *err)
{
	char *bytes;
	size_t n;
	int ret = file_read_fd(r->in.fd, r->in.bytes + 1, PPROF_BYTES_MAX, &bytes, &n);

	if (ret)
		return reader_fail(r, err, ret, strerror(-ret));
	ret = pprof_open(r->in.name, bytes, n, &r->summed, err);
	if (!ret && add_events(r))
		ret = reader_fail(r, err, -ENOMEM, strerror(ENOMEM));
	return ret;
}

/* The part of a stack that is the kernel's is a chain of its own; its leaf comes first. */
static void take_chains(struct data_reader *r, const struct pprof_sample *p, struct sample *s)
{
	struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];
	const uint32_t max = sizeof(r->kips) / sizeof(r->kips[0]);
	size_t i = 0;

	kernel->ips = r->kips;
	user->ips = r->uips;
	for (; i < p->n && kernel->n < max && pprof_in_kernel(r->summed, p->locations[i]); i++)
		r->kips[kernel->n++] = p->locations[i] + 1ULL;
	for (; i < p->n && user->n < max; i++)
		r->uips[user->n++] = p->locations[i] + 1ULL;
	kernel->is_calls = user->is_calls = true;
	kernel->stop = user->stop = STOP_WHOLE;
	s->ip = p->n ? p->locations[0] + 1ULL : 0;
}

static void take_labels(const struct pprof_sample *p, struct sample *s, char *comm)
{
	const char *name = NULL;

	for (size_t i = 0; i < p->nr_labels; i++) {
		const struct pprof_label *l = &p->labels[i];

		if (!strcmp(l->key, "comm") && l->text)
			name = l->text;
		else if (!strcmp(l->key, "pid") && !l->text)
			s->pid = (uint32_t)l->num;
		else if (!strcmp(l->key, "tid") && !l->text)
			s->tid = (uint32_t)l->num;
	}
	s->tid = s->tid == UINT32_MAX ? s->pid : s->tid;
	snprintf(comm, COMM_LEN, "%.15s", name && *name ? name : "[unknown]");
	s->comm = comm;
}

static int deliver(void *arg, const struct pprof_sample *p)
{
	struct data_reader *r = arg;
	const int32_t count_type = pprof_meta(r->summed)->count_type;
	int ret = 0;

	for (size_t i = 0; i < r->summed_types.n && !ret; i++) {
		int64_t weight = p->values[r->summed_types.data[i]], count = count_type < 0 ? 1 : p->values[count_type];
		struct sample s = { .event = (uint16_t)i, .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX, .weight = (uint64_t)weight,
				    .count = (uint64_t)count };
		char comm[COMM_LEN];

		if (weight < 0 || count < 0)
			return -ERANGE;
		if (!weight)
			continue;
		take_chains(r, p, &s);
		take_labels(p, &s, comm);
		ret = r->sink->sample(r->sink, &s);
	}
	return ret;
}

int summed_run(struct data_reader *r, struct err *err)
{
	int ret = pprof_each(r->summed, deliver, r);

	if (ret == -ERANGE)
		return reader_fail(r, err, ret, "it has negative values, as the difference of two profiles has");
	if (ret == -EBADMSG)
		return reader_fail(r, err, ret, "a sample is damaged");
	return ret;
}
