/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file's own words and numbers, as perf prints them. */
#include "cmd/report_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report_tasks.h"
#include "util/text.h"

static void print_line(void *out, const char *text)
{
	fputc('#', out);
	if (text) {
		fputc(' ', out);
		text_print(out, text);
	}
	fputc('\n', out);
}

int report_header(struct data_reader *reader, bool whole, FILE *out, struct err *err)
{
	return data_reader_describe(reader, whole, print_line, out) ? err_set(err, -ENOMEM, "out of memory") : 0;
}

struct counter {
	struct sink sink; /* first: its function finds the rest by it */
	uint64_t *samples; /* by event */
	int nr_events;
};

static int count_sample(struct sink *sink, const struct sample *s)
{
	struct counter *c = (struct counter *)sink;

	if (s->event < c->nr_events)
		c->samples[s->event]++;
	return 0;
}

static void print_stats(const struct data_meta *meta, const struct counter *c, FILE *out)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < RECORD_TYPES; i++)
		total += meta->records[i];
	fprintf(out, "\nAggregated stats:\n%16s events: %10" PRIu64 "\n", "TOTAL", total);
	for (unsigned i = 0; i < RECORD_TYPES; i++) {
		char other[16];

		if (!meta->records[i])
			continue;
		snprintf(other, sizeof(other), "TYPE_%u", i);
		fprintf(out, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", record_name(i) ? record_name(i) : other, meta->records[i],
			100.0 * (double)meta->records[i] / (double)total);
	}
	for (int i = 0; i < meta->nr_events; i++) {
		if (!c->samples[i])
			continue;
		text_print(out, meta->events[i].name);
		fprintf(out, " stats:\n%16s events: %10" PRIu64 "\n", "SAMPLE", c->samples[i]);
	}
}

static int stats(struct data_reader *reader, FILE *out, struct err *err)
{
	const struct data_meta *meta = data_reader_meta(reader);
	struct counter c = { .sink = { .sample = count_sample }, .nr_events = meta->nr_events };
	int ret;

	c.samples = calloc(meta->nr_events, sizeof(*c.samples));
	if (!c.samples)
		return err_set(err, -ENOMEM, "out of memory");
	ret = data_reader_run(reader, &c.sink, err);
	if (!ret || ret == -EBADMSG)
		print_stats(meta, &c, out);
	free(c.samples);
	return ret;
}

int report_file(const char *path, const struct report_file_cfg *cfg, FILE *out, struct err *err)
{
	struct data_reader *reader;
	int ret = data_reader_open(path, &reader, err);

	if (ret)
		return ret;
	if (cfg->header_only)
		ret = report_header(reader, cfg->whole, out, err);
	else if (cfg->stats)
		ret = stats(reader, out, err);
	else
		ret = report_tasks(reader, cfg->mmaps, out, err);
	data_reader_close(reader);
	return ret;
}
