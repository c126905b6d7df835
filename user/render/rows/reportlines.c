/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Perf's columns in perf's places, as wide as their texts or as the terminal lets them be. */
#include "render/rows/reportlines.h"

#include <string.h>

#include "render/rows/cells.h"
#include "util/text.h"

#define GAP_WIDTH 2
#define LEVEL_WIDTH 4 /* "[k] " */
#define COLUMN_MIN 8 /* narrower says nothing: then it goes */
#define COLUMN_MAX 40
#define NO_COLUMN REPORT_COLUMNS

static bool is_sum(enum report_column c)
{
	return c >= KEY_MAX;
}

static int level_width(const struct report_lines *l, enum report_column c)
{
	return c == KEY_SYM && l->level ? LEVEL_WIDTH : 0;
}

/* With the sum of callees, what is called overhead without it is the function's own. */
static const char *heading(const struct report *t, enum report_column c)
{
	return c == SUM_SELF && t->layout.with[SUM_CHILDREN] ? "Self" : report_columns[c].heading;
}

/* Width that a key's column needs, at most max; the last column is not padded. */
static int column_width(const struct report *t, enum report_column key, const struct report_cfg *cfg, size_t max)
{
	char raw[CELL_BYTES], shown[CELL_BYTES];
	size_t width = strlen(heading(t, key));

	for (size_t i = 0; i < t->rows.n; i++) {
		size_t n;

		cell_text(raw, sizeof(raw), t, &t->rows.data[i], key, cfg);
		text_escape(shown, sizeof(shown), raw);
		n = text_width(shown);
		if (n > width)
			width = n;
	}
	return width < max ? width : max;
}

static int line_width(const struct report_lines *l, const struct report *t, int main_width)
{
	int n = 0;

	for (uint32_t k = 0; k < t->layout.nr_shown; k++)
		if (!l->hidden[k])
			n += GAP_WIDTH + (k == l->main ? main_width : l->widths[k]) + level_width(l, t->layout.shown[k]);
	return n;
}

/* The widest key that can give something away, or the first one that can go; -1: none. */
static int column_to_give(const struct report_lines *l, const struct report *t, int *ret_first)
{
	int widest = -1;

	*ret_first = -1;
	for (int k = t->layout.nr_shown; k-- > 0;) {
		if (l->hidden[k] || k == (int)l->main || is_sum(t->layout.shown[k]))
			continue;
		*ret_first = k;
		if (l->widths[k] > COLUMN_MIN && (widest < 0 || l->widths[k] >= l->widths[widest]))
			widest = k;
	}
	return widest;
}

/* The last sum, and the first, which rows are ordered by; -1: there is none. */
static int last_sum(const struct report_lines *l, const struct report *t, int *ret_first)
{
	int last = -1;

	*ret_first = -1;
	for (uint32_t k = 0; k < t->layout.nr_shown; k++)
		if (is_sum(t->layout.shown[k]) && !l->hidden[k]) {
			*ret_first = *ret_first < 0 ? (int)k : *ret_first;
			last = (int)k;
		}
	return last;
}

/* Does it show sums that are there only by an option? */
static bool has_asked_sums(const struct report *t)
{
	return t->layout.with[SUM_SAMPLES] || t->layout.with[SUM_PERIOD];
}

/*
 * Gives the main key a third of the line, or a fifth before a sum goes that was asked for: other keys shrink; then sums go, which tell no row from
 * another, but for the one that rows are ordered by; then keys, the first before the last; then that sum.
 */
static void fit(struct report_lines *l, const struct report *t, int columns)
{
	int full = l->main == NO_COLUMN ? 0 : l->widths[l->main], least = columns / 3 < full ? columns / 3 : full, rest;
	int floor = has_asked_sums(t) ? columns / 5 : least;

	while (line_width(l, t, least) > columns) {
		int first, order, sum = last_sum(l, t, &order), widest = column_to_give(l, t, &first);

		if (widest >= 0)
			l->widths[widest]--;
		else if (least > floor)
			least--;
		else if (sum != order)
			l->hidden[sum] = true;
		else if (first >= 0)
			l->hidden[first] = true;
		else if (l->level)
			l->level = false;
		else if (sum >= 0 && l->main != NO_COLUMN)
			l->hidden[sum] = true;
		else
			break;
	}
	rest = columns - line_width(l, t, 0);
	if (l->main != NO_COLUMN && full > rest)
		l->widths[l->main] = rest > 0 ? rest : 0;
}

void report_lines_fit(struct report_lines *l, const struct report *t, const struct report_cfg *cfg)
{
	*l = (struct report_lines){ .level = true, .fixed = cfg->columns || cfg->nr_widths, .main = NO_COLUMN };
	for (uint32_t k = 0; k < t->layout.nr_shown; k++)
		if (!is_sum(t->layout.shown[k]) && (l->main == NO_COLUMN || t->layout.shown[l->main] != KEY_SYM))
			l->main = k;
	for (uint32_t k = 0; k < t->layout.nr_shown; k++) {
		enum report_column c = t->layout.shown[k];
		bool roomy = cfg->columns && k == l->main;

		l->widths[k] = is_sum(c) ? report_columns[c].width * (int)(t->group.nr ? t->group.nr : 1) : column_width(t, c, cfg, roomy ? cfg->columns : COLUMN_MAX);
		if (k < cfg->nr_widths && cfg->widths[k])
			l->widths[k] = (int)cfg->widths[k];
	}
	if (cfg->columns)
		fit(l, t, cfg->columns);
}

/* Columns without blanks: what separates them stands in no text. */
static void print_separated(FILE *out, char *text, const struct report_cfg *cfg, bool is_first)
{
	const char *blank = text + strspn(text, " ");

	for (char *at = text; *cfg->separator && (at = strpbrk(at, cfg->separator)); at++)
		*at = '.';
	fprintf(out, "%s%s", is_first ? "" : cfg->separator, blank);
}

void report_lines_row(FILE *out, const struct report *t, const struct report_row *r, uint64_t whole, const struct report_cfg *cfg,
		      const struct report_lines *l)
{
	char shown[CELL_BYTES];
	int pad = 0;

	for (uint32_t k = 0; k < t->layout.nr_shown; k++) {
		enum report_column c = t->layout.shown[k];
		const char *level = level_width(l, c) ? cell_level(r) : "";
		size_t n;

		if (l->hidden[k])
			continue;
		cell_shown(shown, sizeof(shown), t, r, whole, c, cfg);
		if (cfg->separator) {
			print_separated(out, shown, cfg, !k);
			continue;
		}
		if (is_sum(c)) {
			fprintf(out, "%*s%*s", pad + GAP_WIDTH, "", l->widths[k], shown);
			pad = 0;
			continue;
		}
		n = text_width(shown);
		if (l->fixed && n > (size_t)l->widths[k])
			n = (size_t)l->widths[k];
		fprintf(out, "%*s%s%.*s", pad + GAP_WIDTH, "", level, (int)text_bytes(shown, n), shown);
		pad = (int)n < l->widths[k] ? l->widths[k] - (int)n : 0;
	}
	fputc('\n', out);
}

void report_lines_hidden(FILE *out, const struct report *t, const struct report_cfg *cfg, const struct report_lines *l)
{
	static const char begin[] = "# no room for";
	int used = 0;

	for (uint32_t k = 0; k < t->layout.nr_shown; k++) {
		const char *name = heading(t, t->layout.shown[k]);

		if (!l->hidden[k])
			continue;
		name += strspn(name, " ");
		if (!used)
			used = fprintf(out, "%s", begin);
		else
			used += fprintf(out, ",");
		if (used + 1 + (int)strlen(name) >= cfg->columns)
			used = fprintf(out, "\n#  ") - 1;
		used += fprintf(out, " %s", name);
	}
	if (used)
		fputc('\n', out);
}

void report_lines_title(FILE *out, const struct report *t, const struct report_cfg *cfg, const struct report_lines *l)
{
	const char *gap = "# ";
	int pad = 0;

	for (uint32_t k = 0; k < t->layout.nr_shown; k++) {
		enum report_column c = t->layout.shown[k];
		const char *title = heading(t, c);
		int width = l->widths[k] + level_width(l, c), n = (int)strlen(title);

		if (l->hidden[k])
			continue;
		if (cfg->separator) {
			fprintf(out, "%s%s", k ? cfg->separator : "# ", title + strspn(title, " "));
			continue;
		}
		n = n < width ? n : width;
		fprintf(out, "%*s%s%*s%.*s", pad, "", gap, is_sum(c) ? width - n : 0, "", n, title);
		pad = is_sum(c) ? 0 : width - n;
		gap = "  ";
	}
	fputc('\n', out);
}

void report_lines_rule(FILE *out, const struct report *t, const struct report_lines *l)
{
	const char *gap = "# ";

	for (uint32_t k = 0; k < t->layout.nr_shown; k++)
		for (int i = l->hidden[k] ? 0 : l->widths[k] + level_width(l, t->layout.shown[k]), first = i; i > 0; i--) {
			fprintf(out, "%s.", i == first ? gap : "");
			gap = "  ";
		}
	fputs("\n#\n", out);
}

int report_lines_sums(const struct report *t, const struct report_lines *l)
{
	int n = 0;

	for (uint32_t k = 0; k < t->layout.nr_shown && is_sum(t->layout.shown[k]); k++)
		if (!l->hidden[k])
			n += GAP_WIDTH + l->widths[k];
	return n;
}
