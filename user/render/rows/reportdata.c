/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report for programs: CSV and JSON. Both have all sums, whatever columns are chosen; of these they have the keys. */
#include <errno.h>
#include <string.h>

#include "render/rows/cells.h"
#include "render/tree/flame.h"
#include "util/json.h"
#include "util/text.h"

static bool number_of(const struct report *t, const struct report_row *r, enum report_column key, int64_t *ret)
{
	if (key != KEY_PARALLELISM)
		return cell_number(r, key, ret);
	*ret = (int64_t)*report_slots(t, r, key);
	return true;
}

int render_report_csv(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	char raw[CELL_BYTES];
	uint64_t whole = report_whole(t, p);

	if (!cfg->is_next) {
		fprintf(out, "self_pct,total_pct,self,total,samples%s", t->latency ? ",latency_pct,latency_total_pct" : "");
		for (uint32_t k = 0; k < t->layout.nr_keys; k++)
			fprintf(out, ",%s", report_columns[t->layout.keys[k]].name);
		fputs(cfg->with_event ? ",event\n" : "\n", out);
	}
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct report_row *r = &t->rows.data[i];

		fprintf(out, "%.4f,%.4f,%llu,%llu,%llu", percent_of(r->self, whole), percent_of(r->total, whole),
			(unsigned long long)r->self, (unsigned long long)r->total, (unsigned long long)r->self_count);
		if (t->latency)
			fprintf(out, ",%.4f,%.4f", percent_of(r->latency, t->whole_latency), percent_of(r->latency_total, t->whole_latency));
		for (uint32_t k = 0; k < t->layout.nr_keys; k++) {
			int64_t n;

			fputc(',', out);
			cell_plain(raw, sizeof(raw), t, r, t->layout.keys[k], cfg);
			if (number_of(t, r, t->layout.keys[k], &n))
				fprintf(out, "%lld", (long long)n);
			else
				text_print_csv(out, raw, NULL);
		}
		if (cfg->with_event) {
			fputc(',', out);
			text_print_csv(out, p->event, NULL);
		}
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}

/* The list begins after the row's own symbol. */
static void json_callers(struct json *j, const struct tree *tree, bool with_own)
{
	const struct tree_node *nodes = tree->nodes.data;
	uint32_t depth = 0, own = with_own ? 0 : 1;

	/* Flat, in preorder with a depth: nesting would let a hostile stack choose the reader's recursion. */
	json_key(j, "callers");
	json_array(j);
	for (uint32_t i = preorder_next(tree, 0, &depth); i != TREE_NONE; i = preorder_next(tree, i, &depth)) {
		if (depth <= own)
			continue;
		json_object(j);
		json_key_u64(j, "depth", depth - own);
		json_key_text(j, "sym", nodes[i].name);
		json_key_text(j, "kind", kind_name(nodes[i].kind));
		json_key_text(j, "dso", nodes[i].obj);
		json_key_u64(j, "total", nodes[i].total);
		json_object_end(j);
	}
	json_array_end(j);
}

/* The members of a row in the object that is open. */
static void json_row(struct json *j, const struct report *t, const struct report_row *r, uint64_t whole, const struct report_cfg *cfg)
{
	bool with_own = !t->layout.with[KEY_SYM];
	char raw[CELL_BYTES];

	if (t->layout.with[SUM_NOW]) {
		json_key(j, "now_pct");
		json_double(j, percent_of(r->now, t->whole_now), 4);
		json_key_u64(j, "now", r->now);
	}
	json_key(j, "self_pct");
	json_double(j, percent_of(r->self, whole), 4);
	json_key(j, "total_pct");
	json_double(j, percent_of(r->total, whole), 4);
	json_key_u64(j, "self", r->self);
	json_key_u64(j, "total", r->total);
	json_key_u64(j, "samples", r->self_count);
	if (t->latency) {
		json_key(j, "latency_pct");
		json_double(j, percent_of(r->latency, t->whole_latency), 4);
		json_key(j, "latency_total_pct");
		json_double(j, percent_of(r->latency_total, t->whole_latency), 4);
	}
	for (uint32_t k = 0; k < t->layout.nr_keys; k++) {
		enum report_column key = t->layout.keys[k];
		int64_t n;

		cell_plain(raw, sizeof(raw), t, r, key, cfg);
		json_key(j, report_columns[key].name);
		if (number_of(t, r, key, &n))
			json_i64(j, n);
		else
			json_text(j, key == KEY_CPU ? NULL : key == KEY_DSO ? r->dso : raw);
		if (key == KEY_SYM)
			json_key_text(j, "kind", kind_name(r->kind));
	}
	if (r->chains && (with_own || r->chains->nodes.data[r->chains->nodes.data[0].first_child].first_child != TREE_NONE))
		json_callers(j, r->chains, with_own);
}

/* The keys of a table in the object that is open. */
static void json_table(struct json *j, const struct report_view *v, const struct report_cfg *cfg)
{
	uint64_t whole = report_whole(v->table, v->profile);

	profile_json(j, v->profile);
	json_key(j, "rows");
	json_array(j);
	for (size_t i = 0; i < v->table->rows.n; i++) {
		json_line(j);
		json_object(j);
		json_row(j, v->table, &v->table->rows.data[i], whole, cfg);
		json_object_end(j);
	}
	json_array_end(j);
}

int render_reports_json(FILE *out, const struct report_view *views, size_t n, const struct report_cfg *cfg)
{
	struct json j;

	json_begin(&j, out);
	json_object(&j);
	json_key_u64(&j, "skep", 1);
	json_table(&j, &views[0], cfg);
	if (n > 1) {
		json_line(&j);
		json_key(&j, "other_events");
		json_array(&j);
	}
	for (size_t i = 1; i < n; i++) {
		json_object(&j);
		json_table(&j, &views[i], cfg);
		json_object_end(&j);
	}
	if (n > 1)
		json_array_end(&j);
	json_object_end(&j);
	fputc('\n', out);
	return json_end(&j);
}

int render_report_lines(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	uint64_t whole = report_whole(t, p);
	int ret = 0;

	for (size_t i = 0; i < t->rows.n && !ret; i++) {
		struct json j;

		if (!t->rows.data[i].now)
			continue;
		json_begin(&j, out);
		json_object(&j);
		json_key_u64(&j, "time_ns", cfg->since_start_ns);
		if (cfg->with_event)
			json_key_text(&j, "event", p->event);
		json_row(&j, t, &t->rows.data[i], whole, cfg);
		json_object_end(&j);
		fputc('\n', out);
		ret = json_end(&j);
	}
	return ret;
}

int render_report_json(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	const struct report_view view = { t, p };

	return render_reports_json(out, &view, 1, cfg);
}
