/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows are sorted by one key after the other: those of one value are a group, whose sums are a line. */
#include "render/rows/hierarchy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/rows/cells.h"

#define INDENT 3 /* of a level */
#define GAP 2

struct group {
	const struct report_row **rows;
	size_t n;
	struct report_row sum; /* the keys of its first row */
};

struct print {
	FILE *out;
	const struct report *t;
	const struct report_cfg *cfg;
	uint64_t whole;
	uint32_t depth; /* which key */
};

static int by_key(const void *a, const void *b, void *arg)
{
	const struct print *p = arg;

	return report_key_cmp(p->t, *(const struct report_row *const *)a, *(const struct report_row *const *)b, p->t->layout.keys[p->depth]);
}

static int heavier(const void *a, const void *b, void *arg)
{
	const struct group *x = a, *y = b;
	const struct print *p = arg;
	int ret = 0;

	for (uint32_t i = 0; i < p->t->layout.nr_order && !ret; i++)
		if (p->t->layout.order[i] >= KEY_MAX)
			ret = report_key_cmp(p->t, &x->sum, &y->sum, p->t->layout.order[i]);
	if (ret)
		return ret;
	return x->rows < y->rows ? -1 : x->rows > y->rows; /* which are in the order of the key */
}

static void add(struct group *g, const struct report_row *r)
{
	g->sum.self += r->self;
	g->sum.self_sys += r->self_sys;
	g->sum.self_count += r->self_count;
	g->sum.latency += r->latency;
	g->n++;
}

/* Of rows in the order of the key. Returns how many. */
static size_t make_groups(struct print *p, const struct report_row **rows, size_t n, struct group *groups)
{
	size_t nr = 0;

	for (size_t i = 0; i < n; i++) {
		if (!nr || by_key(&rows[i - 1], &rows[i], p)) {
			groups[nr] = (struct group){ .rows = &rows[i], .sum = *rows[i] };
			groups[nr].sum.self = groups[nr].sum.self_sys = groups[nr].sum.self_count = groups[nr].sum.latency = 0;
			nr++;
		}
		add(&groups[nr - 1], rows[i]);
	}
	return nr;
}

static bool is_shown(const struct print *p, const struct group *g)
{
	return percent_of(g->sum.self, p->whole) >= p->cfg->percent_limit;
}

/* The columns of sums, all as wide as their titles. Returns their width. */
static int print_sums(const struct print *p, const struct report_row *sum)
{
	const struct report_layout *l = &p->t->layout;
	char text[CELL_BYTES];
	int width = 0;

	for (uint32_t i = 0; i < l->nr_shown; i++) {
		if (l->shown[i] < KEY_MAX)
			continue;
		cell_shown(text, sizeof(text), p->t, sum, p->whole, l->shown[i], p->cfg);
		width += fprintf(p->out, "%*s%*s", GAP, "", report_columns[l->shown[i]].width, text);
	}
	return width;
}

static int print_group(const struct print *p, const struct group *g)
{
	enum report_column key = p->t->layout.keys[p->depth];
	int inner = INDENT * ((int)p->t->layout.nr_keys - 1), width;
	char text[CELL_BYTES];

	fprintf(p->out, "%*s", INDENT * (int)p->depth, "");
	width = print_sums(p, &g->sum);
	cell_shown(text, sizeof(text), p->t, &g->sum, p->whole, key, p->cfg);
	fprintf(p->out, "%*s%s%s\n", inner + GAP, "", key == KEY_SYM ? cell_level(&g->sum) : "", text + strspn(text, " "));
	return width;
}

static int print_level(struct print *p, const struct report_row **rows, size_t n, size_t *ret_shown);

/* What is below a line: its chains, or the next key. */
static int print_below(struct print *p, const struct group *g, int width)
{
	size_t shown;
	int ret;

	if (p->depth + 1 == p->t->layout.nr_keys) {
		return g->rows[0]->chains ? render_chains(p->out, g->rows[0]->chains, p->whole, g->sum.self, &p->cfg->chains) : 0;
	}
	p->depth++;
	ret = print_level(p, g->rows, g->n, &shown);
	p->depth--;
	if (!ret && !shown)
		fprintf(p->out, "%*sno entry >= %.2f%%\n", INDENT * (int)(p->t->layout.nr_keys + p->depth) + width + GAP, "", p->cfg->percent_limit);
	return ret;
}

/* As deep as there are keys. */
static int print_level(struct print *p, const struct report_row **rows, size_t n, size_t *ret_shown)
{
	struct group *groups = malloc(n * sizeof(*groups));
	size_t nr;
	int ret = groups ? 0 : -ENOMEM;

	*ret_shown = 0;
	if (ret)
		return ret;
	qsort_r(rows, n, sizeof(*rows), by_key, p);
	nr = make_groups(p, rows, n, groups);
	qsort_r(groups, nr, sizeof(*groups), heavier, p);
	for (size_t i = 0; i < nr && !ret && is_shown(p, &groups[i]); i++) {
		++*ret_shown;
		ret = print_below(p, &groups[i], print_group(p, &groups[i]));
	}
	free(groups);
	return ret;
}

static void print_titles(const struct print *p)
{
	const struct report_layout *l = &p->t->layout;

	fprintf(p->out, "# %*s", INDENT * ((int)l->nr_keys - 1), "");
	for (uint32_t i = 0, first = 1; i < l->nr_shown; i++) {
		const struct report_column_row *c = &report_columns[l->shown[i]];

		if (l->shown[i] >= KEY_MAX)
			fprintf(p->out, "%*s%*s", first ? 0 : GAP, "", c->width, c->heading), first = 0;
	}
	for (uint32_t i = 0; i < l->nr_keys; i++)
		fprintf(p->out, "%s%s", i ? " / " : "  ", report_columns[l->keys[i]].heading);
	fputs("\n#\n", p->out);
}

int render_hierarchy(FILE *out, const struct report *t, uint64_t whole, const struct report_cfg *cfg)
{
	struct print p = { .out = out, .t = t, .cfg = cfg, .whole = whole };
	const struct report_row **rows = malloc((t->rows.n + 1) * sizeof(*rows));
	size_t shown;
	int ret;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < t->rows.n; i++)
		rows[i] = &t->rows.data[i];
	print_titles(&p);
	ret = t->rows.n && t->layout.nr_keys ? print_level(&p, rows, t->rows.n, &shown) : 0;
	free(rows);
	return ret;
}
