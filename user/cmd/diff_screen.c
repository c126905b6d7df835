/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has changed, in the browser: the shares of each file, the change before them, and the stacks of the files after it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/browser_pages.h"
#include "cmd/diff.h"
#include "util/text.h"

#define CHANGE_WIDTH 9 /* "+12.34 * " */

struct diff_screen {
	struct diff *d;
	struct browser *browser;
	struct report shown; /* the rows of the table in their order; a row's mark says which it is */
	char head[512];
	bool by_share;
};

bool diff_has_screen(const struct diff_options *o)
{
	const struct view_options *v = &o->view;

	return !o->stdio && !o->json && !v->out && !v->fields && !v->filter && !v->top && (!v->format || !strcmp(v->format, "text")) && browser_has_terminal();
}

static const struct diff_row *diff_of(const struct diff_screen *s, const struct report_row *row)
{
	return &s->d->rows[row->mark];
}

static void mark(void *arg, const struct report_row *row, char *buf, size_t size)
{
	const struct diff_row *r = diff_of(arg, row);

	text_append(buf, size, 0, "%+7.2f %s", (r->after - r->before) * 100, r->q < DIFF_SIGNIFICANT ? "*" : " ");
}

static double share(void *arg, const struct report_row *row)
{
	return diff_of(arg, row)->after;
}

static int first_of(const void *a, const void *b, void *arg)
{
	const struct diff_screen *s = arg;
	const struct diff_row *x = diff_of(s, a), *y = diff_of(s, b);
	double i = s->by_share ? x->after : diff_rank(s->d->o, x), k = s->by_share ? y->after : diff_rank(s->d->o, y);

	return i > k ? -1 : i < k;
}

/* Of a path, escaped. */
static const char *last_name(char *buf, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');

	text_escape(buf, size, slash && slash[1] ? slash + 1 : path);
	return buf;
}

static int show(struct diff_screen *s)
{
	struct browser_page page = { .head = s->head, .table = &s->shown, .profile = &s->d->profile, .cfg = &s->d->cfg, .tree = &s->d->trees[1],
				     .root = fold_root_of(&s->shown.layout), .mark = mark, .share = share, .mark_width = CHANGE_WIDTH, .mark_title = "  Change" };
	const struct diff *d = s->d;
	char event[256], before[256], after[256];
	size_t n;

	qsort_r(s->shown.rows.data, s->shown.rows.n, sizeof(*s->shown.rows.data), first_of, s);
	text_escape(event, sizeof(event), d->event);
	n = text_append(s->head, sizeof(s->head), 0, " skep diff  %s  ", event);
	if (d->nr_paths == 2)
		n = text_append(s->head, sizeof(s->head), n, "%s to %s", last_name(before, sizeof(before), d->paths[0]), last_name(after, sizeof(after), d->paths[1]));
	else
		n = text_append(s->head, sizeof(s->head), n, "%u files to %u", d->nr_before, d->nr_paths - d->nr_before);
	text_append(s->head, sizeof(s->head), n, "  %llu samples, %llu lost  (* not by chance)", (unsigned long long)d->profile.kept,
		    (unsigned long long)profile_lost(&d->profile));
	return browser_show(s->browser, &page);
}

static int key_order(void *arg)
{
	struct diff_screen *s = arg;

	s->by_share = !s->by_share;
	browser_say(s->browser, s->by_share ? "by the share after the change" : "by the change");
	return show(s);
}

static int key_flame(void *arg)
{
	struct diff_screen *s = arg;

	page_flame(s->browser, "skep-diff", &s->d->trees[1], &s->d->profile);
	return 0;
}

static int key_annotate(void *arg)
{
	struct diff_screen *s = arg;

	return page_annotate(s->browser, s->d->paths[s->d->nr_paths - 1], &s->d->o->symbols);
}

static const struct browser_key keys[] = {
	{ 'd', "d Order", "rows by how their shares have changed, or by their shares", key_order },
	{ 'a', "a Annotate", "instructions of the function, with the samples of the last file", key_annotate },
	{ 'f', "f Flame", "writes a flame graph of the stacks after the change to skep-diff-DATE-TIME.html", key_flame },
	{ 0 },
};

/* Rows of either side. */
static int copy_rows(struct diff_screen *s)
{
	const struct report *t = &s->d->table;

	s->shown = *t;
	s->shown.index = NULL;
	memset(&s->shown.rows, 0, sizeof(s->shown.rows));
	for (size_t i = 0; i < t->rows.n; i++) {
		if (vec_reserve(&s->shown.rows))
			return -ENOMEM;
		s->shown.rows.data[s->shown.rows.n] = t->rows.data[i];
		s->shown.rows.data[s->shown.rows.n++].mark = i;
	}
	return 0;
}

int diff_screen(struct diff *d, struct err *err)
{
	struct diff_screen s = { .d = d };
	int ret = copy_rows(&s);

	if (!ret)
		ret = browser_open(keys, &s, &s.browser, err);
	if (!ret) {
		ret = show(&s);
		ret = ret ? ret : page_loop(s.browser, 0);
		browser_close(s.browser);
		ret = ret == -ECANCELED ? 0 : err_set(err, ret, "cannot show the table: %s", strerror(-ret));
	}
	vec_free(&s.shown.rows);
	return ret;
}
