/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "data/summed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pprof/pprof.h"
#include "profile.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/glob.h"

#define MAGIC_BYTES 4
#define HINT_BYTES (1u << 20)
#define CLOCK_EVENT "cpu-clock"

bool summed_is(const struct data_reader *r)
{
	char magic[MAGIC_BYTES];
	ssize_t n = r->regular ? pread(r->in.fd, magic, sizeof(magic), 0) : 0;

	return n > 0 && pprof_is(magic, (size_t)n);
}

/* pprof's word for what the clock samples. */
static const char *event_name_of(const struct pprof_type *t)
{
	return !strcmp(t->name, "cpu") && !strcmp(t->unit, "nanoseconds") ? CLOCK_EVENT : t->name;
}

static int add_event(struct data_reader *r, uint32_t type)
{
	const struct pprof_type *t = &pprof_meta(r->summed)->types[type];
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_MAX,
					.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };
	struct event e = { .unit = !strcmp(t->unit, "nanoseconds") ? "ns" : !strcmp(t->unit, "bytes") ? "bytes" : "events", .type = PERF_TYPE_MAX };

	snprintf(e.name, sizeof(e.name), "%s", event_name_of(t));
	if (!strcmp(e.name, CLOCK_EVENT)) {
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

/* Which values of the file at hand are of the events of the first one. */
static void match_events(struct data_reader *r)
{
	const struct pprof_meta *m = pprof_meta(r->summed);
	bool has_any = false;

	for (size_t i = 0; i < r->events.n; i++) {
		r->summed_types.data[i] = UINT32_MAX;
		for (uint32_t k = 0; k < m->nr_types; k++)
			if (!strcmp(event_name_of(&m->types[k]), r->events.data[i].name))
				r->summed_types.data[i] = k;
		has_any |= r->summed_types.data[i] != UINT32_MAX;
	}
	if (has_any || !m->nr_types)
		return;
	r->meta.nr_others++;
	r->meta.other = strpool_add(r->strings, event_name_of(&m->types[m->nr_types - 1]));
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
	return ret;
}

/* What one file says of itself. */
static void describe(struct data_reader *r)
{
	const struct pprof_meta *m = pprof_meta(r->summed);

	r->meta.duration_ns = m->duration_ns > 0 ? (uint64_t)m->duration_ns : 0;
	r->meta.has_wall = m->time_ns != 0;
	r->meta.wall_ns = m->time_ns;
	r->meta.argv = m->comments;
	r->meta.argc = m->nr_comments ? 1 : 0;
}

#define NOTE "note: " /* begins the comments that are notes of the run */

/*
 * "lost: 12  why" and the lowered rate, as skep's own writer has them; a server's sums also say of how many profiles ("note: 12  sampled at").
 * What kept samples lack is seen in their stacks.
 */
static void take_losses(struct data_reader *r)
{
	const struct pprof_meta *m = pprof_meta(r->summed);

	for (size_t i = 0; i < m->nr_comments; i++) {
		char *end;
		const char *colon = strstr(m->comments[i], ": ");
		unsigned long long n = colon ? strtoull(colon + 2, &end, 10) : 0;
		bool is_rate = !strncmp(m->comments[i], NOTE STORE_RATE, strlen(NOTE STORE_RATE));
		const char *text = is_rate ? m->comments[i] + strlen(NOTE) : n && !strncmp(end, "  ", 2) ? end + 2 : "";
		enum loss why = loss_of_text(text);

		if (why < LOSS_MAX && loss_is_strict(why))
			r->meta.said_lost[why] += n;
		if (strncmp(text, STORE_RATE, strlen(STORE_RATE)) != 0)
			continue;
		if (!r->meta.lowered || strtod(text + strlen(STORE_RATE), NULL) < strtod(r->meta.lowered + strlen(STORE_RATE), NULL))
			r->meta.lowered = strpool_add(r->strings, text);
		r->meta.nr_lowered += is_rate ? 1 : n;
	}
}

static int read_file(struct data_reader *r, int fd, const char *name, struct err *err)
{
	char *bytes;
	size_t n;
	int ret = file_read_fd(fd, HINT_BYTES, PPROF_BYTES_MAX, &bytes, &n);

	pprof_close(r->summed);
	r->summed = NULL;
	return ret ? err_set(err, ret, "cannot read '%s': %s", name, strerror(-ret)) : pprof_open(name, bytes, n, &r->summed, err);
}

static int begin(struct data_reader *r, int ret, struct err *err)
{
	if (!ret && add_events(r))
		ret = reader_fail(r, err, -ENOMEM, strerror(ENOMEM));
	if (!ret)
		describe(r);
	return ret;
}

int summed_open(struct data_reader *r, struct err *err)
{
	return begin(r, read_file(r, r->in.fd, r->in.name, err), err);
}

int summed_open_bytes(struct data_reader *r, char *bytes, size_t n, struct err *err)
{
	return begin(r, pprof_open(r->in.name, bytes, n, &r->summed, err), err);
}

/* One of a store, which others may delete meanwhile: -ENOENT. */
static int open_segment(struct data_reader *r, const struct segment *seg, struct err *err)
{
	int fd = openat(r->store.dir, seg->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;

	if (fd < 0)
		return err_set(err, -errno, "cannot read '%s': %s", seg->name, strerror(errno));
	ret = read_file(r, fd, seg->name, err);
	close(fd);
	return ret;
}

/* NULL: there is none. */
static const char *first_view(const struct data_reader *r)
{
	const char *first = NULL;

	for (size_t i = 0; i < r->segments.all.n; i++) {
		const char *view = r->segments.all.data[i].view;

		if (!strcmp(view, STORE_VIEW_FIRST))
			return view;
		first = !first || strcmp(view, first) < 0 ? view : first;
	}
	return first;
}

static void keep_view(struct data_reader *r, const char *view)
{
	const char *first = view ? view : first_view(r);
	char kept[STORE_VIEW_BYTES]; /* first may be overwritten */
	size_t n = 0;

	snprintf(kept, sizeof(kept), "%s", first ? first : "");
	for (size_t i = 0; i < r->segments.all.n; i++)
		if (!strcmp(kept, r->segments.all.data[i].view))
			r->segments.all.data[n++] = r->segments.all.data[i];
	r->segments.all.n = n;
}

/* True if other events have profiles of that time; err names them. */
static bool no_view(const struct data_reader *r, const char *view, struct err *err)
{
	char there[256] = "";
	size_t n = 0;

	for (size_t i = 0; i < r->segments.all.n; i++) {
		const char *other = r->segments.all.data[i].view;
		bool is_known = false;

		if (!strcmp(other, view))
			return false;
		for (size_t k = 0; k < i && !is_known; k++)
			is_known = !strcmp(other, r->segments.all.data[k].view);
		if (!is_known && n < sizeof(there))
			n += (size_t)snprintf(there + n, sizeof(there) - n, "%s%s", n ? ", " : "", other);
	}
	if (n)
		err_set(err, -ENODATA, "the store '%s' has nothing of '%s' of that time, but of %s", r->store.path, view, there);
	return n;
}

/* A segment that cannot be read is left out, and said. */
static void skip_segment(struct data_reader *r, size_t i)
{
	if (!r->meta.skipped++)
		r->meta.first_skipped.file = strpool_add(r->strings, r->segments.all.data[i].name);
}

int summed_open_store(struct data_reader *r, const struct store_span *span, struct err *err)
{
	struct store_span any = *span;
	char view[STORE_VIEW_BYTES];
	size_t first = 0;
	int ret;

	any.view = NULL; /* others are named where the one has nothing */
	if (span->view)
		store_view(view, span->view);
	ret = store_list(&r->store, &any, &r->segments);

	r->span = span;
	if (ret)
		return reader_fail(r, err, ret, strerror(-ret));
	if (span->view && no_view(r, view, err))
		return -ENODATA;
	keep_view(r, span->view ? view : NULL);
	for (; first < r->segments.all.n && open_segment(r, &r->segments.all.data[first], err); first++)
		skip_segment(r, first);
	r->first_segment = first;
	if (first == r->segments.all.n)
		return first ? -EBADMSG : err_set(err, -ENODATA, "the store '%s' has nothing of that time", r->store.path);
	*err = (struct err){ 0 };
	if (add_events(r))
		return reader_fail(r, err, -ENOMEM, strerror(ENOMEM));
	r->meta.has_wall = true;
	r->meta.wall_ns = (int64_t)(r->segments.all.data[0].start_s * NS_PER_S);
	for (size_t i = first; i < r->segments.all.n; i++)
		r->meta.duration_ns += segment_seconds(&r->segments.all.data[i]) * NS_PER_S;
	return 0;
}

size_t data_reader_shared(const struct data_reader *r, const struct store_span *other)
{
	size_t n = 0;

	for (size_t i = r->first_segment; i < r->segments.all.n; i++)
		n += segment_is_in(&r->segments.all.data[i], other);
	return n;
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

/* The texts of the labels that are wanted, each in its place. 0 or -ENOMEM. */
static int take_texts(struct data_reader *r, const struct pprof_sample *p, const char *texts[LABEL_MAX])
{
	for (size_t k = 0; k < p->nr_labels && r->with_labels; k++) {
		const struct pprof_label *l = &p->labels[k];

		for (int i = 0; i < LABEL_MAX; i++)
			if (r->with_labels >> i & 1 && l->text && !strcmp(l->key, sample_label_name((enum sample_label)i)) &&
			    !(texts[i] = strpool_add(r->label_texts, l->text)))
				return -ENOMEM;
	}
	return 0;
}

static void take_labels(struct data_reader *r, const struct pprof_sample *p, struct sample *s, char *comm)
{
	const char *name = NULL;

	s->pid = s->tid = UINT32_MAX;
	for (size_t i = 0; i < p->nr_labels; i++) {
		const struct pprof_label *l = &p->labels[i];

		if (!strcmp(l->key, "comm") && l->text)
			name = l->text;
		else if (!strcmp(l->key, "pid") && !l->text)
			s->pid = (uint32_t)l->num;
		else if (!strcmp(l->key, "tid") && !l->text)
			s->tid = (uint32_t)l->num;
	}
	r->meta.without_pid += s->pid == UINT32_MAX;
	r->meta.without_tid += s->tid == UINT32_MAX;
	s->tid = s->tid == UINT32_MAX ? s->pid : s->tid;
	snprintf(comm, COMM_LEN, "%.15s", name && *name ? name : "[unknown]");
	s->comm = comm;
}

static bool has_label(const struct pprof_sample *p, const struct store_label *wanted)
{
	for (size_t i = 0; i < p->nr_labels; i++) {
		const struct pprof_label *l = &p->labels[i];
		char number[sizeof("-9223372036854775808")];
		const char *text = l->text ? l->text : number;

		if (strcmp(l->key, wanted->key) != 0)
			continue;
		if (!l->text)
			snprintf(number, sizeof(number), "%" PRId64, l->num);
		if (glob_match(wanted->pattern, text, strlen(text)))
			return true;
	}
	return false;
}

/* As store_label says. */
static bool is_picked(const struct data_reader *r, const struct pprof_sample *p)
{
	const struct store_label *labels = r->span ? r->span->labels : NULL;
	size_t n = r->span ? r->span->nr_labels : 0;

	for (size_t i = 0; i < n; i++) {
		bool holds = labels[i].is_not && !has_label(p, &labels[i]);

		for (size_t k = 0; k < n && !holds && !labels[i].is_not; k++)
			holds = !labels[k].is_not && !strcmp(labels[k].key, labels[i].key) && has_label(p, &labels[k]);
		if (!holds)
			return false;
	}
	return true;
}

static int deliver(void *arg, const struct pprof_sample *p)
{
	struct data_reader *r = arg;
	const int32_t count_type = pprof_meta(r->summed)->count_type;
	const char *texts[LABEL_MAX] = { NULL };
	int ret;

	if (!is_picked(r, p)) {
		r->meta.left_out++;
		return 0;
	}
	ret = take_texts(r, p, texts);
	for (size_t i = 0; i < r->summed_types.n && !ret; i++) {
		uint32_t type = r->summed_types.data[i];
		int64_t weight = type == UINT32_MAX ? 0 : p->values[type], count = count_type < 0 ? 1 : p->values[count_type];
		struct sample s = { .event = (uint16_t)i, .cpu = UINT32_MAX, .weight = (uint64_t)weight,
				    .count = (uint64_t)count, .labels = texts };
		char comm[COMM_LEN];

		if (weight < 0 || count < 0)
			return -ERANGE;
		if (!weight)
			continue;
		take_chains(r, p, &s);
		take_labels(r, p, &s, comm);
		ret = r->sink->sample(r->sink, &s);
	}
	return ret;
}

static int run_file(struct data_reader *r, struct err *err)
{
	int ret = pprof_each(r->summed, deliver, r);

	take_losses(r);
	if (ret == -ERANGE)
		return reader_fail(r, err, ret, "it has negative values, as the difference of two profiles has");
	if (ret == -EBADMSG)
		return reader_fail(r, err, ret, "a sample is damaged");
	return ret;
}

int summed_run(struct data_reader *r, struct err *err)
{
	int ret = 0;

	if (r->store.dir < 0)
		return run_file(r, err);
	for (size_t i = r->first_segment; i < r->segments.all.n && !ret; i++) {
		ret = i == r->first_segment ? 0 : open_segment(r, &r->segments.all.data[i], err);
		if (!ret) {
			match_events(r);
			ret = run_file(r, err);
		} else if (ret != -ENOMEM) {
			ret = -EBADMSG;
		}
		if (ret == -EBADMSG || ret == -ERANGE) {
			skip_segment(r, i);
			r->meta.duration_ns -= segment_seconds(&r->segments.all.data[i]) * NS_PER_S;
			*err = (struct err){ 0 };
			ret = 0;
		}
	}
	return ret;
}
