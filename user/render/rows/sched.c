/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One list of columns for text, CSV and JSON. */
#include "render/rows/sched.h"

#include <errno.h>
#include <string.h>

#include "util/json.h"
#include "util/text.h"

enum column_kind {
	COLUMN_TIME,
	COLUMN_NUMBER,
	COLUMN_AT, /* a moment, from the start on; none: 0 */
};

static const struct column {
	const char *head; /* of text */
	const char *name; /* of CSV and JSON */
	enum column_kind kind;
} columns[] = {
	{ "run", "run_ns", COLUMN_TIME },
	{ "wait", "wait_ns", COLUMN_TIME },
	{ "sleep", "sleep_ns", COLUMN_TIME },
	{ "blocked", "blocked_ns", COLUMN_TIME },
	{ "stopped", "stopped_ns", COLUMN_TIME },
	{ "volunt.", "voluntary", COLUMN_NUMBER },
	{ "preempt", "involuntary", COLUMN_NUMBER },
	{ "wakeups", "wakeups", COLUMN_NUMBER },
	{ "migrat.", "migrations", COLUMN_NUMBER },
	{ "waits", "waits", COLUMN_NUMBER },
	{ "mean", "wait_mean_ns", COLUMN_TIME },
	{ "p50", "wait_p50_ns", COLUMN_TIME },
	{ "p99", "wait_p99_ns", COLUMN_TIME },
	{ "max", "wait_max_ns", COLUMN_TIME },
	{ "at", "wait_max_at_ns", COLUMN_AT },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static void column_values(const struct sched_sums *s, const struct sched_view *view, double values[NR_COLUMNS])
{
	struct hist_sums waits = sched_waits(s);
	double mean = s->waits ? (double)s->ns[SCHED_WAITING] / s->waits : 0;
	uint64_t at = s->wait_max_at_ns > view->start_ns ? s->wait_max_at_ns - view->start_ns : 0;
	const double all[] = { s->ns[SCHED_RUNNING], s->ns[SCHED_WAITING], s->ns[SCHED_SLEEPING], s->ns[SCHED_BLOCKED], s->ns[SCHED_STOPPED],
			       s->voluntary, s->involuntary, s->wakeups, s->migrations, s->waits, mean, hist_quantile(&waits, 0.5),
			       hist_quantile(&waits, 0.99), s->wait_max_ns, at };

	_Static_assert(sizeof(all) / sizeof(*all) == NR_COLUMNS, "a value a column");
	memcpy(values, all, sizeof(all));
}

static void line_of(char *buf, size_t size, const uint32_t *slots)
{
	struct hist_sums h = { 0 };

	for (int i = 0; i < BY_SLOTS; i++)
		h.slots[i] = slots[i];
	hist_line_text(buf, size, &h);
}

static void print_text(FILE *out, const struct sched_sample *r, const struct sched_view *view)
{
	const uint32_t *slots[] = { r->sums.wait_slots, r->sums.run_slots, r->sums.off_slots };
	double values[NR_COLUMNS];
	struct hist_cell key;
	char text[4096];

	column_values(&r->sums, view, values);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (columns[i].kind == COLUMN_TIME)
			hist_time_text(text, sizeof(text), values[i]);
		else if (columns[i].kind == COLUMN_NUMBER)
			snprintf(text, sizeof(text), "%.0f", values[i]);
		else if (values[i] > 0)
			snprintf(text, sizeof(text), "%.3fs", values[i] / 1e9);
		else
			snprintf(text, sizeof(text), "-");
		fprintf(out, "%s%7s", i ? " " : "", text);
	}
	for (size_t i = 0; view->hist && i < sizeof(slots) / sizeof(*slots); i++) {
		line_of(text, sizeof(text), slots[i]);
		fprintf(out, "  %-34s", text);
	}
	for (size_t i = 0; hist_cell(&key, &r->key, i, &view->key); i++) {
		text_escape(text, sizeof(text), key.text);
		fprintf(out, "  %-*s", i + 1 < hist_cells(&view->key) ? 15 : 0, text);
	}
	putc('\n', out);
}

static void print_csv(FILE *out, const struct sched_sample *r, const struct sched_view *view)
{
	const char *sep = view->key.separator;
	double values[NR_COLUMNS];
	struct hist_cell key;

	column_values(&r->sums, view, values);
	if (view->key.since_start_ns)
		fprintf(out, "%.9f%s", view->key.since_start_ns / 1e9, sep);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		fprintf(out, "%s%.0f", i ? sep : "", values[i]);
	for (size_t i = 0; hist_cell(&key, &r->key, i, &view->key); i++) {
		fputs(sep, out);
		text_print_csv(out, key.text, sep);
	}
	putc('\n', out);
}

/* Pairs of where a slot begins and how many there were. */
static void print_slots(struct json *j, const char *name, const uint32_t *slots)
{
	json_key(j, name);
	json_array(j);
	for (int i = 0; i < BY_SLOTS; i++) {
		if (!slots[i])
			continue;
		json_object(j);
		json_key_u64(j, "from_ns", i ? 1ull << i : 0);
		json_key_u64(j, "n", slots[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void print_json(FILE *out, const struct sched_sample *r, const struct sched_view *view)
{
	double values[NR_COLUMNS];
	struct hist_cell key;
	struct json j;

	column_values(&r->sums, view, values);
	json_begin(&j, out);
	json_object(&j);
	if (view->key.since_start_ns) {
		json_key(&j, "interval");
		json_double(&j, view->key.since_start_ns / 1e9, 9);
	}
	for (size_t i = 0; hist_cell(&key, &r->key, i, &view->key); i++)
		json_key_text(&j, key.name, key.text);
	if (r->key.is_other) {
		json_key(&j, "other");
		json_bool(&j, true);
	} else if (view->key.by & (BY_PID | BY_TID)) {
		json_key_u64(&j, "start_ns", r->key.start_ns);
	}
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		json_key(&j, columns[i].name);
		json_double(&j, values[i], 0);
	}
	print_slots(&j, "wait_slots", r->sums.wait_slots);
	if (view->hist) {
		print_slots(&j, "run_slots", r->sums.run_slots);
		print_slots(&j, "sleep_slots", r->sums.off_slots);
	}
	json_object_end(&j);
	putc('\n', out);
}

static void print_head(FILE *out, const struct sched_view *view)
{
	static const char *const hists[] = { "waits", "runs", "sleeps" };
	const char *sep = view->key.separator;
	struct hist_cell key;

	if (view->key.since_start_ns && sep)
		fprintf(out, "time%s", sep);
	else if (view->key.since_start_ns)
		fprintf(out, "# %.3f s\n", view->key.since_start_ns / 1e9);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (sep)
			fprintf(out, "%s%s", i ? sep : "", columns[i].name);
		else
			fprintf(out, "%s%7s", i ? " " : "", columns[i].head);
	}
	for (size_t i = 0; view->hist && !sep && i < sizeof(hists) / sizeof(*hists); i++)
		fprintf(out, "  %-34s", hists[i]);
	for (size_t i = 0; hist_cell(&key, NULL, i, &view->key); i++) {
		if (sep)
			fprintf(out, "%s%s", sep, key.name);
		else
			fprintf(out, "  %-*s", i + 1 < hist_cells(&view->key) ? 15 : 0, key.name);
	}
	putc('\n', out);
}

int render_sched(FILE *out, const struct sched_table *t, const struct sched_view *view)
{
	const struct hists_cfg *cfg = &view->key;

	if (!cfg->json && !(cfg->separator && cfg->no_head))
		print_head(out, view);
	for (size_t i = 0; i < t->rows.all.n && (!cfg->top || i < cfg->top); i++)
		(cfg->json ? print_json : cfg->separator ? print_csv : print_text)(out, &t->rows.all.data[i], view);
	if (!cfg->json && !cfg->separator && cfg->top && t->rows.all.n > cfg->top)
		fprintf(out, "(%zu rows more)\n", t->rows.all.n - cfg->top);
	return ferror(out) ? -EIO : 0;
}
