/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts of a file, in perf script's columns: kept until their round ends, which has the time, and printed event by event. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/script.h"
#include "data/stat.h"
#include "util/text.h"
#include "util/vec.h"

struct held_count {
	struct stat_count count;
	int event;
};

struct stat_lines {
	struct sink sink; /* takes no samples: such a file has none */
	struct data_reader *reader;
	const struct data_meta *meta;
	FILE *out;
	VEC(struct held_count) round;
	VEC(int64_t) threads;
	uint64_t nr;
	uint64_t nr_unknown; /* counts of no event of the file */
};

static int keep_threads(struct stat_lines *l, const struct stat_record *rec)
{
	char comm[COMM_LEN + 1];

	for (size_t i = 0; i < rec->nr_threads; i++) {
		if (vec_reserve(&l->threads))
			return -ENOMEM;
		l->threads.data[l->threads.n++] = stat_thread(rec, i, comm);
	}
	return 0;
}

static int keep_count(struct stat_lines *l, const struct stat_count *count)
{
	int event = data_reader_event(l->reader, count->id);

	if (event < 0) {
		l->nr_unknown++;
		return 0;
	}
	if (vec_reserve(&l->round))
		return -ENOMEM;
	l->round.data[l->round.n++] = (struct held_count){ *count, event };
	return 0;
}

static void print_count(struct stat_lines *l, const struct held_count *c, uint64_t time_ns)
{
	int64_t thread = c->count.thread < l->threads.n ? l->threads.data[c->count.thread] : -1;

	fprintf(l->out, "%3d %8" PRId64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " ", (int)c->count.cpu, thread, c->count.value,
		c->count.enabled_ns, c->count.running_ns, time_ns);
	text_print(l->out, l->meta->events[c->event].name);
	putc('\n', l->out);
	l->nr++;
}

static int print_round(struct stat_lines *l, uint64_t time_ns)
{
	if (!l->nr)
		fprintf(l->out, "%3s %8s %15s %15s %15s %15s %s\n", "CPU", "THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT");
	for (int e = 0; e < l->meta->nr_events; e++)
		for (size_t i = 0; i < l->round.n; i++)
			if (l->round.data[i].event == e)
				print_count(l, &l->round.data[i], time_ns);
	l->round.n = 0;
	return ferror(l->out) ? -EIO : 0;
}

static int take_record(void *arg, const struct data_record *record)
{
	struct stat_lines *l = arg;
	struct stat_record rec;
	int ret = stat_record_parse(l->meta, record, &rec);

	if (ret || rec.kind == STAT_NOTHING || rec.kind == STAT_CONFIG)
		return ret;
	return rec.kind == STAT_THREADS ? keep_threads(l, &rec) : rec.kind == STAT_COUNT ? keep_count(l, &rec.count) : print_round(l, rec.time_ns);
}

int script_stat(struct data_reader *reader, FILE *out, struct profile *p, struct err *err)
{
	struct stat_lines l = { .reader = reader, .meta = data_reader_meta(reader), .out = out };
	int ret;

	data_reader_watch(reader, take_record, &l);
	ret = data_reader_run(reader, &l.sink, err);
	if (ret == -EBADMSG && !err->text[0])
		err_set(err, ret, "damaged record of counts, or of the other byte order");
	p->kept = l.nr;
	p->losses[LOSS_FILE_DAMAGED] += l.nr_unknown;
	vec_free(&l.round);
	vec_free(&l.threads);
	return ret;
}
