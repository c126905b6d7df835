/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers first, then the key, whose names may be of any length. In the text a histogram is a digit a power of two, 0 for a part of
 * less than a tenth of the fullest: "256ns .1960. 16us". CSV: a line of names, numbers without units. JSON: an object a line,
 * "slots" from the first to the last that is not empty, "slot0_ns" where they begin; "start_ns" tells apart those that had the same
 * pid or tid; "other" is only in the row of keys without room. Of intervals all rows have the time first.
 */
#include "render/rows/hists.h"

#include <errno.h>
#include <pwd.h>
#include <stddef.h>
#include <string.h>

#include "util/json.h"
#include "util/text.h"

/* Columns of the key in the order that they are shown. */
static const struct hist_column {
	uint32_t bit;
	const char *name;
} columns[] = {
	{ BY_COMM, "comm" }, { BY_PID, "pid" },	      { BY_TID, "tid" },	 { BY_CPU, "cpu" },
	{ BY_USER, "user" }, { BY_CGROUP, "cgroup" }, { BY_EVENT, "event" },	 { BY_SYSCALL, "syscall" },
	{ BY_ERRNO, "errno" },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static void key_text(char *buf, size_t size, const struct hist_sample *r, uint32_t bit, const struct hists_cfg *cfg)
{
	struct passwd *pw;
	const char *name;

	if (r->is_other) {
		snprintf(buf, size, "other");
		return;
	}
	switch (bit) {
	case BY_COMM:
		snprintf(buf, size, "%s", r->comm ? r->comm : "");
		break;
	case BY_PID:
		snprintf(buf, size, "%u", r->pid);
		break;
	case BY_TID:
		snprintf(buf, size, "%u", r->tid);
		break;
	case BY_CPU:
		snprintf(buf, size, "%u", r->cpu);
		break;
	case BY_USER:
		pw = getpwuid(r->uid);
		if (pw)
			snprintf(buf, size, "%s", pw->pw_name);
		else
			snprintf(buf, size, "%u", r->uid);
		break;
	case BY_CGROUP:
		name = cfg->cgroup_path(cfg->arg, r->cgroup);
		if (name)
			snprintf(buf, size, "%s", name);
		else
			snprintf(buf, size, "%llu", (unsigned long long)r->cgroup);
		break;
	case BY_EVENT:
		snprintf(buf, size, "%s", r->event ? r->event : "");
		break;
	case BY_SYSCALL:
		snprintf(buf, size, "%s", r->call ? r->call : "");
		break;
	default:
		name = r->error ? strerrorname_np(r->error) : "-";
		if (name)
			snprintf(buf, size, "%s", name);
		else
			snprintf(buf, size, "%u", r->error);
	}
}

bool hist_cell(struct hist_cell *cell, const struct hist_sample *r, size_t i, const struct hists_cfg *cfg)
{
	size_t c = 0;

	for (size_t n = 0; c < NR_COLUMNS; c++)
		if (cfg->by & columns[c].bit && n++ == i)
			break;
	if (c < NR_COLUMNS) {
		snprintf(cell->name, sizeof(cell->name), "%s", columns[c].name);
		if (r)
			key_text(cell->text, sizeof(cell->text), r, columns[c].bit, cfg);
		return true;
	}
	i -= __builtin_popcount(cfg->by);
	if (i >= (size_t)cfg->nr_fields)
		return false;
	snprintf(cell->name, sizeof(cell->name), "%s%s", cfg->is_expr ? "" : "args.", cfg->fields[i]);
	if (r)
		snprintf(cell->text, sizeof(cell->text), "%s", r->is_other ? "other" : r->fields[i] ? r->fields[i] : "");
	return true;
}

size_t hist_cells(const struct hists_cfg *cfg)
{
	return __builtin_popcount(cfg->by) + cfg->nr_fields;
}

void hist_time_text(char *buf, size_t size, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int u = 0;

	while (ns >= 999.5 && u < 3) {
		ns /= 1000;
		u++;
	}
	snprintf(buf, size, "%.*f%s", !u || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2, ns, units[u]);
}

void hist_line_text(char *buf, size_t size, const struct hist_sums *r)
{
	int first = 0, last = HIST_SLOTS - 1;
	char bars[HIST_SLOTS + 1], low[16], high[16];
	uint64_t full = 0;

	while (first < HIST_SLOTS && !r->slots[first])
		first++;
	while (last > first && !r->slots[last])
		last--;
	if (first == HIST_SLOTS) {
		buf[0] = '\0';
		return;
	}
	for (int i = first; i <= last; i++)
		full = r->slots[i] > full ? r->slots[i] : full;
	for (int i = first; i <= last; i++)
		bars[i - first] = r->slots[i] ? "0123456789"[(r->slots[i] * 9 + full / 2) / full] : '.';
	bars[last - first + 1] = '\0';
	hist_time_text(low, sizeof(low), first ? (double)(1ull << first) : 0);
	hist_time_text(high, sizeof(high), (double)(1ull << (last + 1)));
	snprintf(buf, size, "%s %s %s", low, bars, high);
}

static void print_text(FILE *out, const struct hist_sample *r, const struct hists_cfg *cfg)
{
	const struct hist_sums *s = &r->sums;
	char cell[6][96], safe[4096];
	struct hist_cell key;

	fprintf(out, "%12llu", (unsigned long long)s->calls);
	if (cfg->latency) {
		hist_time_text(cell[0], sizeof(cell[0]), s->total_ns);
		hist_time_text(cell[1], sizeof(cell[1]), s->calls ? (double)s->total_ns / s->calls : 0);
		hist_time_text(cell[2], sizeof(cell[2]), hist_quantile(s->slots, s->max_ns, 0.5));
		hist_time_text(cell[3], sizeof(cell[3]), hist_quantile(s->slots, s->max_ns, 0.99));
		hist_time_text(cell[4], sizeof(cell[4]), s->max_ns);
		hist_line_text(cell[5], sizeof(cell[5]), s);
		fprintf(out, " %9llu %8s %8s %8s %8s %8s  %-32s", (unsigned long long)s->errors, cell[0], cell[1], cell[2], cell[3],
			cell[4], cell[5]);
	}
	for (size_t i = 0; hist_cell(&key, r, i, cfg); i++) {
		text_escape(safe, sizeof(safe), key.text);
		fprintf(out, "  %-*s", i + 1 < hist_cells(cfg) ? 16 : 0, safe);
	}
	putc('\n', out);
}

/* Where slot i begins, for a label. */
static void slot_text(char *buf, size_t size, int i, const struct hists_cfg *cfg)
{
	if (cfg->linear && !i)
		snprintf(buf, size, "...");
	else if (cfg->linear)
		snprintf(buf, size, "%lld", (long long)(cfg->low + (i - 1) * (int64_t)cfg->step));
	else if (cfg->values == HIST_NS)
		hist_time_text(buf, size, i ? (double)(1ull << i) : 0);
	else
		snprintf(buf, size, "%llu", i ? 1ull << i : 0);
}

#define BAR_COLUMNS 40

/* A line a slot, from the first to the last that is not empty. */
static void print_bars(FILE *out, const struct hist_sums *s, const struct hists_cfg *cfg)
{
	int first = 0, last = HIST_SLOTS - 1;
	uint64_t full = 0;

	while (first < HIST_SLOTS && !s->slots[first])
		first++;
	while (last > first && !s->slots[last])
		last--;
	for (int i = first; i <= last && i < HIST_SLOTS; i++)
		full = s->slots[i] > full ? s->slots[i] : full;
	for (int i = first; i <= last && i < HIST_SLOTS; i++) {
		char low[32], high[32], bar[BAR_COLUMNS + 1];
		int n = full ? (int)((double)s->slots[i] / full * BAR_COLUMNS + 0.5) : 0;

		slot_text(low, sizeof(low), i, cfg);
		if (i + 1 < HIST_SLOTS && (!cfg->linear || i < (int)cfg->linear))
			slot_text(high, sizeof(high), i + 1, cfg);
		else
			snprintf(high, sizeof(high), "...");
		memset(bar, '#', n);
		bar[n] = '\0';
		fprintf(out, "  [%9s, %9s) %12llu  %s\n", low, high, (unsigned long long)s->slots[i], bar);
	}
}

/* A key and its histogram. */
static void print_drawn(FILE *out, const struct hist_sample *r, const struct hists_cfg *cfg)
{
	const struct hist_sums *s = &r->sums;
	uint64_t n = s->calls - s->errors;
	char mean[32], max[32], safe[4096];
	struct hist_cell key;

	for (size_t i = 0; hist_cell(&key, r, i, cfg); i++) {
		text_escape(safe, sizeof(safe), key.text);
		fprintf(out, "%s%s %s", i ? ", " : "", key.name, safe);
	}
	if (cfg->values == HIST_NS) {
		hist_time_text(mean, sizeof(mean), n ? (double)s->total_ns / n : 0);
		hist_time_text(max, sizeof(max), s->max_ns);
	} else {
		snprintf(mean, sizeof(mean), "%.1f", n ? (double)s->total_ns / n : 0);
		snprintf(max, sizeof(max), "%llu", (unsigned long long)s->max_ns);
	}
	fprintf(out, ": %llu hits", (unsigned long long)s->calls);
	if (n)
		fprintf(out, ", mean %s", mean);
	if (n && (s->max_ns || !s->total_ns))
		fprintf(out, ", max %s", max);
	if (s->errors)
		fprintf(out, ", %llu negative%s", (unsigned long long)s->errors, cfg->linear ? "" : " and not in the histogram");
	putc('\n', out);
	print_bars(out, s, cfg);
}

static void print_csv(FILE *out, const struct hist_sample *r, const struct hists_cfg *cfg)
{
	const struct hist_sums *s = &r->sums;
	const char *sep = cfg->separator;
	struct hist_cell key;

	if (cfg->since_start_ns)
		fprintf(out, "%.9f%s", cfg->since_start_ns / 1e9, sep);
	fprintf(out, "%llu", (unsigned long long)s->calls);
	if (cfg->latency)
		fprintf(out, "%s%llu%s%llu%s%.0f%s%.0f%s%.0f%s%llu", sep, (unsigned long long)s->errors, sep, (unsigned long long)s->total_ns,
			sep, s->calls ? (double)s->total_ns / s->calls : 0, sep, hist_quantile(s->slots, s->max_ns, 0.5), sep, hist_quantile(s->slots, s->max_ns, 0.99), sep,
			(unsigned long long)s->max_ns);
	for (size_t i = 0; hist_cell(&key, r, i, cfg); i++) {
		fputs(sep, out);
		text_print_csv(out, key.text, sep);
	}
	putc('\n', out);
}

static void print_json_times(struct json *j, const struct hist_sums *s)
{
	int first = 0, last = HIST_SLOTS - 1;

	json_key_u64(j, "errors", s->errors);
	json_key_u64(j, "total_ns", s->total_ns);
	json_key(j, "p50_ns");
	json_double(j, hist_quantile(s->slots, s->max_ns, 0.5), 0);
	json_key(j, "p99_ns");
	json_double(j, hist_quantile(s->slots, s->max_ns, 0.99), 0);
	json_key_u64(j, "max_ns", s->max_ns);
	while (first < last && !s->slots[first])
		first++;
	while (last > first && !s->slots[last])
		last--;
	json_key_u64(j, "slot0_ns", first ? 1ull << first : 0);
	json_key(j, "slots");
	json_array(j);
	for (int i = first; i <= last; i++)
		json_u64(j, s->slots[i]);
	json_array_end(j);
}

static void print_json_values(struct json *j, const struct hist_sums *s, const struct hists_cfg *cfg)
{
	const char *unit = cfg->values == HIST_NS ? "_ns" : "";
	char name[32];

	snprintf(name, sizeof(name), "total%s", unit);
	json_key_u64(j, name, s->total_ns);
	snprintf(name, sizeof(name), "max%s", unit);
	json_key_u64(j, name, s->max_ns);
	json_key_u64(j, "negative", s->errors);
	json_key(j, "slots");
	json_array(j);
	for (int i = 0; i < HIST_SLOTS; i++) {
		if (!s->slots[i])
			continue;
		json_object(j);
		json_key(j, "from");
		if (cfg->linear && !i)
			json_text(j, NULL);
		else
			json_i64(j, cfg->linear ? cfg->low + (i - 1) * (int64_t)cfg->step : i ? (int64_t)(1ull << i) : 0);
		json_key_u64(j, "hits", s->slots[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void print_json(FILE *out, const struct hist_sample *r, const struct hists_cfg *cfg)
{
	struct hist_cell key;
	struct json j;

	json_begin(&j, out);
	json_object(&j);
	if (cfg->since_start_ns) {
		json_key(&j, "interval");
		json_double(&j, cfg->since_start_ns / 1e9, 9);
	}
	for (size_t i = 0; hist_cell(&key, r, i, cfg); i++)
		json_key_text(&j, key.name, key.text);
	if (r->is_other) {
		json_key(&j, "other");
		json_bool(&j, true);
	} else if (cfg->by & (BY_PID | BY_TID)) {
		json_key_u64(&j, "start_ns", r->start_ns);
	}
	json_key_u64(&j, cfg->is_hits ? "hits" : "calls", r->sums.calls);
	if (cfg->latency)
		print_json_times(&j, &r->sums);
	if (cfg->values)
		print_json_values(&j, &r->sums, cfg);
	json_object_end(&j);
	putc('\n', out);
}

static void print_csv_head(FILE *out, const struct hists_cfg *cfg)
{
	const char *sep = cfg->separator;
	struct hist_cell key;

	if (cfg->since_start_ns)
		fprintf(out, "time%s", sep);
	fputs(cfg->is_hits ? "hits" : "calls", out);
	if (cfg->latency)
		fprintf(out, "%serrors%stotal_ns%smean_ns%sp50_ns%sp99_ns%smax_ns", sep, sep, sep, sep, sep, sep);
	for (size_t i = 0; hist_cell(&key, NULL, i, cfg); i++)
		fprintf(out, "%s%s", sep, key.name);
	putc('\n', out);
}

static void print_text_head(FILE *out, const struct hists_cfg *cfg)
{
	struct hist_cell key;

	if (cfg->since_start_ns)
		fprintf(out, "# %.3f s\n", cfg->since_start_ns / 1e9);
	fprintf(out, "%12s", cfg->is_hits ? "hits" : "calls");
	if (cfg->latency)
		fprintf(out, " %9s %8s %8s %8s %8s %8s  %-32s", "errors", "total", "mean", "p50", "p99", "max", "");
	for (size_t i = 0; hist_cell(&key, NULL, i, cfg); i++)
		fprintf(out, "  %-*s", i + 1 < hist_cells(cfg) ? 16 : 0, key.name);
	putc('\n', out);
}

int render_hists(FILE *out, const struct hists *h, const struct hists_cfg *cfg)
{
	if (!cfg->json && !cfg->separator && !cfg->values)
		print_text_head(out, cfg);
	else if (!cfg->json && cfg->values && cfg->since_start_ns)
		fprintf(out, "# %.3f s\n", cfg->since_start_ns / 1e9);
	else if (cfg->separator && !cfg->no_head)
		print_csv_head(out, cfg);
	for (size_t i = 0; i < h->rows.n && (!cfg->top || i < cfg->top); i++)
		(cfg->json ? print_json : cfg->separator ? print_csv : cfg->values ? print_drawn : print_text)(out, &h->rows.data[i], cfg);
	if (!cfg->json && !cfg->separator && cfg->top && h->rows.n > cfg->top)
		fprintf(out, "(%zu rows more)\n", h->rows.n - cfg->top);
	return ferror(out) ? -EIO : 0;
}
