/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/report_screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/annotate.h"
#include "cmd/browser_pages.h"
#include "ui/screen.h"
#include "util/text.h"

struct report_screen {
	const struct report_options *r;
	struct replay *replay;
	const struct report_view *views;
	size_t n, at; /* tables, and the one that is shown */
	const struct report_cfg *cfg;
	struct browser *browser;
	char head[512];
};

bool report_has_screen(const struct report_options *r)
{
	bool is_plain = !r->hierarchy && !r->branches && !r->separator && !r->nr_widths && !r->header && !r->with_counts && !r->group;

	return !r->stdio && !r->out && is_plain && !strcmp(report_format(r), "text") && screen_is_there();
}

void report_screen_prepare(const struct report_options *r, struct replay *replay)
{
	struct report_layout layout;
	struct err err;

	replay->trees = true;
	if (!report_layout_parse(&layout, &r->request, &err))
		replay->pic->fold.root = fold_root_of(&layout);
}

static int show(struct report_screen *s)
{
	const struct report_view *v = &s->views[s->at];
	struct browser_page page = { .head = s->head, .table = v->table, .profile = v->profile, .cfg = s->cfg,
				     .tree = &s->replay->views.data[s->at]->tree, .root = s->replay->pic->fold.root };
	char event[256], path[256];
	size_t n;

	text_escape(event, sizeof(event), v->profile->event);
	text_escape(path, sizeof(path), s->r->input);
	n = text_append(s->head, sizeof(s->head), 0, " skep report  %s  %s", path, event);
	if (s->n > 1)
		n = text_append(s->head, sizeof(s->head), n, " (%zu of %zu)", s->at + 1, s->n);
	text_append(s->head, sizeof(s->head), n, "  %llu samples, %llu lost", (unsigned long long)v->profile->kept,
		    (unsigned long long)profile_lost(&s->replay->total));
	return browser_show(s->browser, &page);
}

static int key_event(void *arg)
{
	struct report_screen *s = arg;

	s->at = (s->at + 1) % s->n;
	return show(s);
}

static int key_flame(void *arg)
{
	struct report_screen *s = arg;

	page_flame(s->browser, "skep-report", &s->replay->views.data[s->at]->tree, s->views[s->at].profile);
	return 0;
}

static int key_annotate(void *arg)
{
	struct report_screen *s = arg;
	const struct report_row *row = browser_row(s->browser);
	struct err err = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int ret;

	if (!row || !row->sym) {
		browser_say(s->browser, "the row is no function's");
		return 0;
	}
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	ret = annotate_function(s->r->input, row->sym, &s->r->symbols, out, &err);
	fclose(out);
	return page_annotation(s->browser, row->sym, text, ret, &err);
}

static const struct browser_key keys[] = {
	{ 'e', "e Event", "the next event, where there are several", key_event },
	{ 'a', "a Annotate", "instructions of the function, with its samples", key_annotate },
	{ 'f', "f Flame", "writes a flame graph of all stacks to skep-report-DATE-TIME.html", key_flame },
	{ 0 },
};

int report_screen(const struct report_options *r, struct replay *replay, const struct report_view *views, size_t n, const struct report_cfg *cfg,
		  struct err *err)
{
	struct report_screen s = { .r = r, .replay = replay, .views = views, .n = n, .cfg = cfg };
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int ret = browser_open(keys, &s, &s.browser, err);

	if (ret)
		return ret;
	ret = show(&s);
	while (!ret) {
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			ret = -errno;
		else
			ret = browser_input(s.browser);
	}
	browser_close(s.browser);
	return ret == -ECANCELED ? 0 : err_set(err, ret, "cannot show the table: %s", strerror(-ret));
}
