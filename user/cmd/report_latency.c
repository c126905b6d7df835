/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/report_latency.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>

static bool layout_has(const struct report_layout *l, enum report_column c)
{
	bool has = l->with[c];

	for (uint32_t k = 0; k < l->nr_order; k++)
		has |= l->order[k] == c;
	for (uint32_t k = 0; k < l->nr_keys; k++)
		has |= l->keys[k] == c;
	return has;
}

void report_latency_find(struct report_options *r, const struct report_layout *l)
{
	bool acc = layout_has(l, SUM_LATENCY_CHILDREN);

	r->needs_latency = acc || layout_has(l, SUM_LATENCY);
	if (r->request.by_latency)
		snprintf(r->latency_word, sizeof(r->latency_word), "--latency");
	else if (r->needs_latency)
		snprintf(r->latency_word, sizeof(r->latency_word), "column '%s'", report_columns[acc ? SUM_LATENCY_CHILDREN : SUM_LATENCY].name);
	else if (layout_has(l, KEY_PARALLELISM))
		snprintf(r->latency_word, sizeof(r->latency_word), "sort key '%s'", report_columns[KEY_PARALLELISM].name);
	else if (r->pick.parallelism)
		snprintf(r->latency_word, sizeof(r->latency_word), "--parallelism");
}

static bool has_switches(const struct data_reader *reader)
{
	for (int i = 0; i < data_reader_meta(reader)->nr_events; i++)
		if (data_reader_attr(reader, i)->context_switch)
			return true;
	return false;
}

int report_latency_open(struct report_options *r, struct data_reader *reader, struct err *err)
{
	bool has = has_switches(reader);

	if (!has && r->latency_word[0]) {
		err_exit(err, -EINVAL, EXIT_USAGE, "%s: '%s' has no context switches", r->latency_word, r->input);
		err_hint(err, "record with skep record --latency");
		return -EINVAL;
	}
	r->request.latency = has && !r->branches && !r->pick.costs;
	if (r->needs_latency && !r->request.latency)
		return err_exit(err, -EINVAL, EXIT_USAGE, "%s divides the time of samples: it is not available with %s", r->latency_word, r->branches ? "-b" : "--mem-mode");
	if (has)
		data_reader_count_running(reader);
	r->no_children |= r->request.latency && !r->children && !data_reader_meta(reader)->callchain;
	return report_options_end(r, err);
}

int report_latency_end(const struct report_options *r, struct replay *replay, struct err *err)
{
	const struct data_meta *meta = data_reader_meta(replay->file.reader);

	if (!meta->records[PERF_RECORD_SWITCH_CPU_WIDE]) {
		if (meta->lost && (r->latency_word[0] || r->request.latency))
			profile_note(&replay->views.data[0]->profile, "context switches may be among what was lost: parallelism and latency may be wrong");
		return 0;
	}
	if (r->latency_word[0]) {
		err_exit(err, -EINVAL, EXIT_USAGE, "%s: '%s' is of all that CPUs ran, and does not say how many threads that was when it began", r->latency_word, r->input);
		err_hint(err, "record a command: skep record --latency -- COMMAND");
		return -EINVAL;
	}
	for (size_t i = 0; i < replay->views.n; i++) {
		report_layout_no_latency(&replay->views.data[i]->table.layout);
		replay->views.data[i]->table.latency = false;
	}
	return 0;
}
