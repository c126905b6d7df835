/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables in three formats. The text form has perf's columns in perf's order. */
#include "render/rows/report.h"

#include <errno.h>
#include <string.h>

#include "render/tree/flame.h"
#include "util/json.h"
#include "util/text.h"

#define CELL_BYTES 8192
#define CHAIN_DEPTH_MAX 64
#define CHAIN_PERCENT_MIN 0.5 /* of all: perf's default for -g */
#define PERCENT_WIDTH 9
#define COUNT_WIDTH 12
#define GAP_WIDTH 2
#define LEVEL_WIDTH 4 /* "[k] " */
#define COLUMN_MIN 8 /* narrower says nothing: then it goes */
#define COLUMN_MAX 40

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* The last part of a path, as perf shows objects; "[...]" and "//anon" stay whole. */
static const char *short_object(const char *path)
{
	const char *slash = strrchr(path, '/');

	return path[0] == '/' && path[1] != '/' && slash ? slash + 1 : path;
}

/* False: the key is a text, or a CPU that is not known. */
static bool key_number(const struct report_row *r, enum report_key key, int64_t *ret)
{
	*ret = key == KEY_PID ? (int)r->pid : key == KEY_TID ? (int)r->tid : (int64_t)r->cpu; /* -1: none */
	return key == KEY_PID || key == KEY_TID || (key == KEY_CPU && r->cpu != UINT32_MAX);
}

/* Raw text of a cell. */
static void cell_text(char *buf, size_t size, const struct report_row *r, enum report_key key, const struct report_cfg *cfg)
{
	const char *text = "-"; /* of a CPU */
	int64_t n;

	if (key_number(r, key, &n)) {
		snprintf(buf, size, "%0*lld", key == KEY_CPU ? 3 : 1, (long long)n);
		return;
	}
	if (key == KEY_EVENT && !cfg->event_names) {
		snprintf(buf, size, "%u", r->event);
		return;
	}
	if (key == KEY_COMM)
		text = r->comm ? r->comm : "";
	else if (key == KEY_DSO)
		text = r->dso && r->dso[0] ? short_object(r->dso) : "[unknown]";
	else if (key == KEY_SYM)
		text = r->sym ? r->sym : "[unknown]";
	else if (key == KEY_EVENT)
		text = cfg->event_names[r->event];
	snprintf(buf, size, "%s", text);
}

static const char *level(const struct report_row *r)
{
	return r->is_kernel ? "[k] " : "[.] ";
}

/* Width that a key's column needs, at most max; the last column is not padded. */
static int column_width(const struct report *t, enum report_key key, size_t rows, const struct report_cfg *cfg, size_t max)
{
	char raw[CELL_BYTES], shown[CELL_BYTES];
	size_t width = strlen(report_keys[key].heading);

	for (size_t i = 0; i < rows; i++) {
		size_t n;

		cell_text(raw, sizeof(raw), &t->rows.data[i], key, cfg);
		n = text_escape(shown, sizeof(shown), raw);
		if (n > width)
			width = n;
	}
	return width < max ? width : max;
}

static size_t rows_shown(const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	size_t n = 0;

	for (; n < t->rows.n; n++) {
		const struct report_row *r = &t->rows.data[n];

		if (cfg->rows_max && n >= cfg->rows_max)
			break;
		if (percent(cfg->children ? r->total : r->self, p->weight) < cfg->percent_limit ||
		    (!cfg->children && !r->self))
			break;
	}
	return n;
}

/* One level of the call chain below a row: the callers, heaviest first. */
static void print_chains(FILE *out, const struct report_row *r, const struct profile *p)
{
	const struct tree_node *nodes = r->callers->nodes.data;
	uint32_t depth = 0;

	for (uint32_t i = preorder_next(r->callers, 0, &depth); i != TREE_NONE;) {
		bool deep = depth > CHAIN_DEPTH_MAX || percent(nodes[i].total, p->weight) < CHAIN_PERCENT_MIN;

		if (!deep) {
			/* A single caller continues the line above; a fork of the way shows its shares. */
			bool fork = nodes[nodes[i].parent].first_child != i || nodes[i].next_sibling != TREE_NONE;

			fprintf(out, "%*s", 12 + 2 * (int)(depth > 30 ? 30 : depth), "");
			if (fork)
				fprintf(out, "--%.2f%%-- ", percent(nodes[i].total, p->weight));
			text_print(out, nodes[i].name);
			fputc('\n', out);
			i = preorder_next(r->callers, i, &depth);
			continue;
		}
		/* Skip what is below. */
		while (i && nodes[i].next_sibling == TREE_NONE) {
			i = nodes[i].parent;
			depth--;
		}
		i = i ? nodes[i].next_sibling : TREE_NONE;
	}
	fputc('\n', out);
}

/* What a line has room for. */
struct layout {
	bool children, level; /* the column for callees; the mark before a symbol */
	bool counts;
	bool hidden[REPORT_KEYS_MAX];
	int widths[REPORT_KEYS_MAX];
	uint32_t main; /* the key that stays: the symbol, or the last one */
};

static int line_width(const struct layout *l, const struct report *t, int main_width)
{
	int n = PERCENT_WIDTH * (l->children ? 2 : 1) + (l->counts ? COUNT_WIDTH : 0);

	for (uint32_t k = 0; k < t->nr_keys; k++)
		if (!l->hidden[k])
			n += GAP_WIDTH + (k == l->main ? main_width : l->widths[k]) +
			     (t->keys[k] == KEY_SYM && l->level ? LEVEL_WIDTH : 0);
	return n;
}

/* The widest column that can give something away, or the first one that can go; -1: none. */
static int column_to_give(const struct layout *l, const struct report *t, int *ret_first)
{
	int widest = -1;

	*ret_first = -1;
	for (int k = t->nr_keys; k-- > 0;) {
		if (l->hidden[k] || k == (int)l->main)
			continue;
		*ret_first = k;
		if (l->widths[k] > COLUMN_MIN && (widest < 0 || l->widths[k] >= l->widths[widest]))
			widest = k;
	}
	return widest;
}

/* Gives the main key a third of the line: other columns shrink, then go, the first before the last. */
static void layout_fit(struct layout *l, const struct report *t, int columns)
{
	int least = columns / 3 < l->widths[l->main] ? columns / 3 : l->widths[l->main], rest;

	while (line_width(l, t, least) > columns) {
		int first, widest = column_to_give(l, t, &first);

		if (widest >= 0)
			l->widths[widest]--;
		else if (first >= 0)
			l->hidden[first] = true;
		else if (l->children)
			l->children = false;
		else if (l->level)
			l->level = false;
		else
			break;
	}
	rest = columns - line_width(l, t, 0);
	if (l->widths[l->main] > rest)
		l->widths[l->main] = rest > 0 ? rest : 0;
}

static void layout_make(struct layout *l, const struct report *t, size_t rows, const struct report_cfg *cfg)
{
	*l = (struct layout){ .children = cfg->children, .level = true, .counts = cfg->counts, .main = t->nr_keys - 1 };
	for (uint32_t k = 0; k < t->nr_keys; k++)
		if (t->keys[k] == KEY_SYM)
			l->main = k;
	for (uint32_t k = 0; k < t->nr_keys; k++) {
		bool roomy = cfg->columns && k == l->main;

		l->widths[k] = column_width(t, t->keys[k], rows, cfg, roomy ? cfg->columns : COLUMN_MAX);
	}
	if (cfg->columns)
		layout_fit(l, t, cfg->columns);
}

/* Where a text is cut to max bytes: not inside a character. */
static size_t cut_at(const char *text, size_t n, size_t max)
{
	if (n <= max)
		return n;
	while (max && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

static void print_row(FILE *out, const struct report *t, const struct report_row *r, const struct profile *p,
		      const struct report_cfg *cfg, const struct layout *l)
{
	bool by_total = cfg->children && !l->children; /* room for one share: the one that the rows are ordered by */
	char raw[CELL_BYTES], shown[CELL_BYTES];
	int pad = 0;

	if (l->children)
		fprintf(out, "%*.2f%%", PERCENT_WIDTH - 1, percent(r->total, p->weight));
	fprintf(out, "%*.2f%%", PERCENT_WIDTH - 1, percent(by_total ? r->total : r->self, p->weight));
	if (l->counts)
		fprintf(out, "%*llu", COUNT_WIDTH, (unsigned long long)(cfg->children ? r->total_count : r->self_count));
	for (uint32_t k = 0; k < t->nr_keys; k++) {
		size_t n;

		if (l->hidden[k])
			continue;
		cell_text(raw, sizeof(raw), r, t->keys[k], cfg);
		text_escape(shown, sizeof(shown), raw);
		n = strlen(shown);
		if (cfg->columns)
			n = cut_at(shown, n, l->widths[k]);
		fprintf(out, "%*s%s%.*s", pad + GAP_WIDTH, "", t->keys[k] == KEY_SYM && l->level ? level(r) : "", (int)n,
			shown);
		pad = (int)n < l->widths[k] ? l->widths[k] - (int)n : 0;
	}
	fputc('\n', out);
}

static void print_titles(FILE *out, const struct report *t, const struct report_cfg *cfg, const struct layout *l)
{
	int pad = 0;

	fputs(l->children ? "#Children     Self" : cfg->children ? "#Children" : "#Overhead", out);
	if (l->counts)
		fprintf(out, "%*s", COUNT_WIDTH, "Samples");
	for (uint32_t k = 0; k < t->nr_keys; k++) {
		const char *title = report_keys[t->keys[k]].heading;
		int width = l->widths[k] + (t->keys[k] == KEY_SYM && l->level ? LEVEL_WIDTH : 0);
		int n = (int)strlen(title) < width ? (int)strlen(title) : width;

		if (l->hidden[k])
			continue;
		fprintf(out, "%*s%.*s", pad + GAP_WIDTH, "", n, title);
		pad = width - n;
	}
	fputs("\n#\n", out);
}

int render_report_text(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	size_t rows = rows_shown(t, p, cfg);
	struct layout l;

	layout_make(&l, t, rows, cfg);
	fprintf(out, "%s# Samples: %llu of event '", cfg->is_next ? "\n" : "", (unsigned long long)p->kept);
	text_print(out, p->event);
	fprintf(out, "'\n# Event count (approx.): %llu\n", (unsigned long long)p->weight);
	for (uint32_t i = 0; i < p->nr_notes; i++) {
		fputs("# Note: ", out);
		text_print(out, p->notes[i]);
		fputc('\n', out);
	}
	fputs("#\n", out);
	print_titles(out, t, cfg, &l);
	for (size_t i = 0; i < rows; i++) {
		print_row(out, t, &t->rows.data[i], p, cfg, &l);
		if (cfg->callers && t->rows.data[i].callers)
			print_chains(out, &t->rows.data[i], p);
	}
	if (rows < t->rows.n && !cfg->rows_max && cfg->percent_limit > 0)
		fprintf(out, "# %zu rows below %g%% are not shown (--percent-limit 0 shows all)\n", t->rows.n - rows,
			cfg->percent_limit);
	return ferror(out) ? -EIO : 0;
}

int render_report_csv(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	char raw[CELL_BYTES];
	size_t rows = rows_shown(t, p, cfg);

	if (!cfg->is_next) {
		fprintf(out, "self_pct,total_pct,self,total,samples");
		for (uint32_t k = 0; k < t->nr_keys; k++)
			fprintf(out, ",%s", report_keys[t->keys[k]].name);
		fputs(cfg->with_event ? ",event\n" : "\n", out);
	}
	for (size_t i = 0; i < rows; i++) {
		const struct report_row *r = &t->rows.data[i];

		fprintf(out, "%.4f,%.4f,%llu,%llu,%llu", percent(r->self, p->weight), percent(r->total, p->weight),
			(unsigned long long)r->self, (unsigned long long)r->total, (unsigned long long)r->self_count);
		for (uint32_t k = 0; k < t->nr_keys; k++) {
			int64_t n;

			fputc(',', out);
			cell_text(raw, sizeof(raw), r, t->keys[k], cfg);
			if (key_number(r, t->keys[k], &n))
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

static void json_callers(struct json *j, const struct tree *tree)
{
	const struct tree_node *nodes = tree->nodes.data;
	uint32_t depth = 0;

	/* Flat, in preorder with a depth: nesting would let a hostile stack choose the reader's recursion. */
	json_key(j, "callers");
	json_array(j);
	for (uint32_t i = preorder_next(tree, 0, &depth); i != TREE_NONE; i = preorder_next(tree, i, &depth)) {
		json_object(j);
		json_key_u64(j, "depth", depth);
		json_key_text(j, "sym", nodes[i].name);
		json_key_text(j, "kind", kind_name(nodes[i].kind));
		json_key_text(j, "dso", nodes[i].obj);
		json_key_u64(j, "total", nodes[i].total);
		json_object_end(j);
	}
	json_array_end(j);
}

static void json_row(struct json *j, const struct report *t, const struct report_row *r, const struct profile *p, const struct report_cfg *cfg)
{
	char raw[CELL_BYTES];

	json_line(j);
	json_object(j);
	json_key(j, "self_pct");
	json_double(j, percent(r->self, p->weight), 4);
	json_key(j, "total_pct");
	json_double(j, percent(r->total, p->weight), 4);
	json_key_u64(j, "self", r->self);
	json_key_u64(j, "total", r->total);
	json_key_u64(j, "samples", r->self_count);
	for (uint32_t k = 0; k < t->nr_keys; k++) {
		enum report_key key = t->keys[k];
		int64_t n;

		cell_text(raw, sizeof(raw), r, key, cfg);
		json_key(j, report_keys[key].name);
		if (key_number(r, key, &n))
			json_i64(j, n);
		else
			json_text(j, key == KEY_CPU ? NULL : key == KEY_DSO ? r->dso : raw);
		if (key == KEY_SYM)
			json_key_text(j, "kind", kind_name(r->kind));
	}
	if (cfg->callers && r->callers)
		json_callers(j, r->callers);
	json_object_end(j);
}

/* The keys of a table in the object that is open. */
static void json_table(struct json *j, const struct report_view *v, const struct report_cfg *cfg)
{
	size_t rows = rows_shown(v->table, v->profile, cfg);

	profile_json(j, v->profile);
	json_key(j, "rows");
	json_array(j);
	for (size_t i = 0; i < rows; i++)
		json_row(j, v->table, &v->table->rows.data[i], v->profile, cfg);
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

int render_report_json(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg)
{
	const struct report_view view = { t, p };

	return render_reports_json(out, &view, 1, cfg);
}
