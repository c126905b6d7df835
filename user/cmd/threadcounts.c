/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/threadcounts.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "util/hash.h"
#include "util/text.h"

#define NAME_BYTES 512

/* The beginning of PERF_RECORD_READ in uapi/linux/perf_event.h, of a counter that is in no group. */
struct read_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t value;
};

void thread_counts_free(struct thread_counts *t)
{
	vec_free(&t->threads);
	vec_free(&t->events);
	vec_free(&t->values);
	map_free(&t->by_thread);
}

static int64_t find(struct thread_counts *t, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_u64((uint64_t)pid << 32 | tid), *values;
	int64_t at = map_find(&t->by_thread, hash);

	if (at >= 0)
		return at;
	values = vec_take(&t->values, t->events.n);
	if (!values || vec_reserve(&t->threads) || map_add(&t->by_thread, hash, t->threads.n))
		return -ENOMEM;
	memset(values, 0, t->events.n * sizeof(*values));
	t->threads.data[t->threads.n] = (struct counted_thread){ pid, tid };
	return (int64_t)t->threads.n++;
}

static int make_events(struct thread_counts *t, size_t n)
{
	struct counted_event *events;

	if (t->events.n)
		return 0;
	events = vec_take(&t->events, n);
	if (!events)
		return -ENOMEM;
	memset(events, 0, n * sizeof(*events));
	return 0;
}

int thread_counts_watch(struct thread_counts *t, const struct data_reader *reader, const struct data_record *rec)
{
	struct read_record read;
	int64_t at;

	if (rec->type != PERF_RECORD_READ || rec->body < sizeof(read) || data_reader_attr(reader, rec->event)->read_format & PERF_FORMAT_GROUP)
		return 0;
	if (make_events(t, (size_t)data_reader_meta(reader)->nr_events))
		return -ENOMEM;
	memcpy(&read, rec->bytes, sizeof(read));
	at = find(t, read.pid, read.tid);
	if (at < 0)
		return (int)at;
	t->events.data[rec->event].is_there = true;
	t->values.data[(size_t)at * t->events.n + (size_t)rec->event] += read.value;
	return 0;
}

static void widen(int *width, int n)
{
	*width = n > *width ? n : *width;
}

static int width_of(const char *text)
{
	return (int)strlen(text);
}

static uint64_t value_of(const struct thread_counts *t, size_t thread, size_t event)
{
	return t->values.data[thread * t->events.n + event];
}

static const char *shown_name(char *buf, const char *name)
{
	text_escape(buf, NAME_BYTES, name);
	return buf;
}

/* Where the columns of a row begin. */
struct ids {
	int pid_width, tid_width;
};

static void print_ids(FILE *out, const struct counted_thread *thread, const struct ids *ids)
{
	fprintf(out, "  %*d  %*d", ids->pid_width, (int)thread->pid, ids->tid_width, (int)thread->tid);
}

static void print_rows(FILE *out, const struct thread_counts *t, const struct ids *ids, const char *const *names)
{
	char name[NAME_BYTES];

	for (size_t e = 0; e < t->events.n; e++) {
		struct counted_event *event = &t->events.data[e];

		if (!event->is_there)
			continue;
		widen(&event->width, width_of(shown_name(name, names[e])));
		fprintf(out, "  %*s", event->width, name);
	}
	fputc('\n', out);
	for (size_t i = 0; i < t->threads.n; i++) {
		print_ids(out, &t->threads.data[i], ids);
		for (size_t e = 0; e < t->events.n; e++)
			if (t->events.data[e].is_there)
				fprintf(out, "  %*" PRIu64, t->events.data[e].width, value_of(t, i, e));
		fputc('\n', out);
	}
}

static void print_raw(FILE *out, const struct thread_counts *t, const struct ids *ids, const char *const *names)
{
	int name_width = width_of("Name"), raw_width = width_of("Raw"), count_width = width_of("Count");
	char name[NAME_BYTES];

	for (size_t e = 0; e < t->events.n; e++) {
		if (!t->events.data[e].is_there)
			continue;
		widen(&name_width, width_of(shown_name(name, names[e])));
		widen(&raw_width, snprintf(NULL, 0, "%zx", e));
		widen(&count_width, t->events.data[e].width);
	}
	fprintf(out, "  %*s  %*s  %*s\n", name_width, "Name", raw_width, "Raw", count_width, "Count");
	for (size_t i = 0; i < t->threads.n; i++)
		for (size_t e = 0; e < t->events.n; e++) {
			if (!t->events.data[e].is_there)
				continue;
			print_ids(out, &t->threads.data[i], ids);
			fprintf(out, "  %*s  %*zx  %*" PRIu64 "\n", name_width, shown_name(name, names[e]), raw_width, e, count_width, value_of(t, i, e));
		}
}

void thread_counts_print(FILE *out, struct thread_counts *t, const char *const *names, bool raw)
{
	struct ids ids = { width_of("PID"), width_of("TID") };

	for (size_t i = 0; i < t->threads.n; i++) {
		widen(&ids.pid_width, snprintf(NULL, 0, "%d", (int)t->threads.data[i].pid));
		widen(&ids.tid_width, snprintf(NULL, 0, "%d", (int)t->threads.data[i].tid));
		for (size_t e = 0; e < t->events.n; e++)
			widen(&t->events.data[e].width, snprintf(NULL, 0, "%" PRIu64, value_of(t, i, e)));
	}
	fprintf(out, "# %*s  %*s", ids.pid_width, "PID", ids.tid_width, "TID");
	(raw ? print_raw : print_rows)(out, t, &ids, names);
}
