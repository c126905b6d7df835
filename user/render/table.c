/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables in three formats. The text form has perf's columns in perf's order. */
#include "render/table.h"

#include <errno.h>
#include <string.h>

#include "render/flame.h"
#include "util/json.h"
#include "util/text.h"

#define CELL_BYTES 8192
#define CHAIN_DEPTH_MAX 64
#define CHAIN_PERCENT_MIN 0.5 /* of all: perf's default for -g */

static const char *const key_titles[KEY_MAX] = { [KEY_COMM] = "Command", [KEY_PID] = "Pid",  [KEY_TID] = "Tid",
						 [KEY_CPU] = "CPU",	 [KEY_DSO] = "Shared Object",
						 [KEY_SYM] = "Symbol",	 [KEY_EVENT] = "Event" };
static const char *const key_names[KEY_MAX] = { [KEY_COMM] = "comm", [KEY_PID] = "pid", [KEY_TID] = "tid", [KEY_CPU] = "cpu",
						[KEY_DSO] = "dso",   [KEY_SYM] = "sym", [KEY_EVENT] = "event" };

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

/* Raw text of a cell. */
static void cell_text(char *buf, size_t size, const struct table_row *r, enum table_key key, const struct table_cfg *cfg)
{
	switch (key) {
	case KEY_COMM:
		snprintf(buf, size, "%s", r->comm ? r->comm : "");
		break;
	case KEY_PID:
		snprintf(buf, size, "%u", r->pid);
		break;
	case KEY_TID:
		snprintf(buf, size, "%u", r->tid);
		break;
	case KEY_CPU:
		snprintf(buf, size, r->cpu == UINT32_MAX ? "-" : "%03u", r->cpu);
		break;
	case KEY_DSO:
		snprintf(buf, size, "%s", r->dso && r->dso[0] ? short_object(r->dso) : "[unknown]");
		break;
	case KEY_SYM:
		snprintf(buf, size, "%s", r->sym ? r->sym : "[unknown]");
		break;
	case KEY_EVENT:
		if (cfg->event_names)
			snprintf(buf, size, "%s", cfg->event_names[r->event]);
		else
			snprintf(buf, size, "%u", r->event);
		break;
	case KEY_MAX:
		buf[0] = '\0';
	}
}

static const char *level(const struct table_row *r)
{
	return r->kind == FRAME_KERNEL ? "[k] " : "[.] ";
}

/* Width that a key's column needs, bounded; the last column is not padded. */
static int column_width(const struct table *t, enum table_key key, size_t rows, const struct table_cfg *cfg)
{
	char raw[CELL_BYTES], shown[CELL_BYTES];
	size_t width = strlen(key_titles[key]);

	for (size_t i = 0; i < rows; i++) {
		size_t n;

		cell_text(raw, sizeof(raw), &t->rows.data[i], key, cfg);
		n = text_escape(shown, sizeof(shown), raw);
		if (n > width)
			width = n;
	}
	return width < 40 ? width : 40;
}

static size_t rows_shown(const struct table *t, const struct profile *p, const struct table_cfg *cfg)
{
	size_t n = 0;

	for (; n < t->rows.n; n++) {
		const struct table_row *r = &t->rows.data[n];

		if (cfg->rows_max && n >= cfg->rows_max)
			break;
		if (percent(cfg->children ? r->total : r->self, p->weight) < cfg->percent_limit ||
		    (!cfg->children && !r->self))
			break;
	}
	return n;
}

/* One level of the call chain below a row: the callers, heaviest first. */
static void print_chains(FILE *out, const struct table_row *r, const struct profile *p)
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

static void print_row(FILE *out, const struct table *t, const struct table_row *r, const struct profile *p,
		      const struct table_cfg *cfg, const int *widths)
{
	char raw[CELL_BYTES], line[4 * CELL_BYTES];
	size_t n = 0;

	if (cfg->children)
		n = snprintf(line, sizeof(line), "%8.2f%%", percent(r->total, p->weight));
	n += snprintf(line + n, sizeof(line) - n, "%8.2f%%", percent(r->self, p->weight));
	for (uint32_t k = 0; k < t->nr_keys; k++) {
		size_t start;

		n += snprintf(line + n, sizeof(line) - n, "  %s", t->keys[k] == KEY_SYM ? level(r) : "");
		cell_text(raw, sizeof(raw) / 2, r, t->keys[k], cfg);
		start = n;
		n += text_escape(line + n, sizeof(line) - n, raw);
		if (n >= sizeof(line))
			n = sizeof(line) - 1;
		if (k + 1 < t->nr_keys)
			while ((int)(n - start) < widths[k] && n < sizeof(line) - 1)
				line[n++] = ' ';
		line[n] = '\0';
	}
	if (cfg->columns && n > (size_t)cfg->columns) {
		n = cfg->columns;
		while (n && ((unsigned char)line[n] & 0xc0) == 0x80)
			n--;
	}
	fprintf(out, "%.*s\n", (int)n, line);
}

int render_table_text(FILE *out, const struct table *t, const struct profile *p, const struct table_cfg *cfg)
{
	size_t rows = rows_shown(t, p, cfg);
	int widths[TABLE_KEYS_MAX];

	fprintf(out, "# Samples: %llu of event '%s'\n# Event count (approx.): %llu\n#\n#", (unsigned long long)p->kept,
		p->event, (unsigned long long)p->weight);
	if (cfg->children)
		fprintf(out, "Children     Self");
	else
		fprintf(out, "Overhead");
	for (uint32_t k = 0; k < t->nr_keys; k++) {
		widths[k] = column_width(t, t->keys[k], rows, cfg);
		fprintf(out, "  %-*s", k + 1 < t->nr_keys ? widths[k] : 0, key_titles[t->keys[k]]);
	}
	fprintf(out, "\n#\n");
	for (size_t i = 0; i < rows; i++) {
		print_row(out, t, &t->rows.data[i], p, cfg, widths);
		if (cfg->callers && t->rows.data[i].callers)
			print_chains(out, &t->rows.data[i], p);
	}
	if (rows < t->rows.n && !cfg->rows_max && cfg->percent_limit > 0)
		fprintf(out, "# %zu rows below %g%% are not shown (--percent-limit 0 shows all)\n", t->rows.n - rows,
			cfg->percent_limit);
	return ferror(out) ? -EIO : 0;
}

/* RFC 4180: quotes doubled; control bytes escaped, since a CSV is read in terminals too. */
static void csv_cell(FILE *out, const char *raw)
{
	char shown[CELL_BYTES];

	text_escape(shown, sizeof(shown), raw);
	fputc('"', out);
	for (const char *c = shown; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

int render_table_csv(FILE *out, const struct table *t, const struct profile *p, const struct table_cfg *cfg)
{
	char raw[CELL_BYTES];
	size_t rows = rows_shown(t, p, cfg);

	fprintf(out, "self_pct,total_pct,self,total,samples");
	for (uint32_t k = 0; k < t->nr_keys; k++)
		fprintf(out, ",%s", key_names[t->keys[k]]);
	fputc('\n', out);
	for (size_t i = 0; i < rows; i++) {
		const struct table_row *r = &t->rows.data[i];

		fprintf(out, "%.4f,%.4f,%llu,%llu,%llu", percent(r->self, p->weight), percent(r->total, p->weight),
			(unsigned long long)r->self, (unsigned long long)r->total, (unsigned long long)r->self_count);
		for (uint32_t k = 0; k < t->nr_keys; k++) {
			fputc(',', out);
			cell_text(raw, sizeof(raw), r, t->keys[k], cfg);
			csv_cell(out, raw);
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
		json_key_text(j, "dso", nodes[i].obj);
		json_key_u64(j, "total", nodes[i].total);
		json_object_end(j);
	}
	json_array_end(j);
}

int render_table_json(FILE *out, const struct table *t, const struct profile *p, const struct table_cfg *cfg)
{
	size_t rows = rows_shown(t, p, cfg);
	char raw[CELL_BYTES];
	struct json j;

	json_begin(&j, out);
	json_object(&j);
	json_key_u64(&j, "skep", 1);
	profile_json(&j, p);
	json_key(&j, "rows");
	json_array(&j);
	for (size_t i = 0; i < rows; i++) {
		const struct table_row *r = &t->rows.data[i];

		json_line(&j);
		json_object(&j);
		json_key(&j, "self_pct");
		json_double(&j, percent(r->self, p->weight), 4);
		json_key(&j, "total_pct");
		json_double(&j, percent(r->total, p->weight), 4);
		json_key_u64(&j, "self", r->self);
		json_key_u64(&j, "total", r->total);
		json_key_u64(&j, "samples", r->self_count);
		for (uint32_t k = 0; k < t->nr_keys; k++) {
			enum table_key key = t->keys[k];

			if (key == KEY_PID || key == KEY_TID || key == KEY_CPU) {
				json_key_u64(&j, key_names[key], key == KEY_PID ? r->pid : key == KEY_TID ? r->tid : r->cpu);
			} else if (key == KEY_DSO) {
				json_key_text(&j, "dso", r->dso);
			} else {
				cell_text(raw, sizeof(raw), r, key, cfg);
				json_key_text(&j, key_names[key], raw);
			}
		}
		if (cfg->callers && r->callers)
			json_callers(&j, r->callers);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	fputc('\n', out);
	return json_end(&j);
}
