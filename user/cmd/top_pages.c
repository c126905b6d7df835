/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flame graphs and annotated code of what the screen shows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/annotation.h"
#include "cmd/browser_pages.h"
#include "cmd/top_parts.h"

int top_key_flame(void *arg)
{
	struct top *top = arg;
	struct top_view *v = view_of(top);
	struct profile p = top->o->zero ? v->shown : v->profile;

	if (refuses_without_samples(top))
		return 0;
	p.kept = top->o->zero ? v->shown_n : v->at.folded - v->zeroed;
	p.seen = p.kept + top->screen->lost;
	for (int why = 0; why < LOSS_MAX; why++)
		p.losses[why] += top->screen->losses[why];
	p.title = command_line();
	p.duration_ns = top->screen->since_start_ns > top->from_ns ? top->screen->since_start_ns - top->from_ns : 0;
	page_flame(top->screen->browser, "skep-top", v->seen_tree, &p);
	return 0;
}

/* All samples once more, for what they hit in one function; nothing else sees them. */
static int nowhere(void *arg, uint32_t event, struct fold_view **ret_view)
{
	struct fold_view *views = arg;

	*ret_view = event < EVENTS_MAX ? &views[event] : NULL;
	return 0;
}

static int annotate(struct top *top, struct annotation *a, FILE *out, struct err *err)
{
	struct fold *fold = &top->pic->fold;
	int (*choose)(void *arg, uint32_t event, struct fold_view **ret_view) = fold->choose;
	void *choose_arg = fold->choose_arg;
	struct annotation_series series = { .event = view_of(top)->profile.event };
	struct profile scratch = { 0 };
	struct fold_view views[EVENTS_MAX];
	int ret = annotation_begin(a, top->pic, err);

	for (int i = 0; i < EVENTS_MAX; i++)
		views[i] = (struct fold_view){ .profile = &scratch };
	series.at = &views[view_of(top) - top->views];
	fold->choose = nowhere;
	fold->choose_arg = views;
	if (!ret)
		ret = session_again(top->session, &top->pic->names.sink);
	if (!ret)
		ret = annotation_print(a, annotate_format("text"), &series, 1, &scratch, out, err);
	fold->choose = choose;
	fold->choose_arg = choose_arg;
	fold->also = NULL;
	return ret;
}

int top_key_annotate(void *arg)
{
	struct top *top = arg;
	const struct report_row *row;
	struct annotation *a;
	char *text = NULL;
	struct err err = { 0 };
	size_t size = 0;
	FILE *out;
	int ret;

	if (refuses_after_end(top) || refuses_without_samples(top))
		return 0;
	row = page_function(top->screen->browser);
	if (!row)
		return 0;
	a = calloc(1, sizeof(*a));
	out = a ? open_memstream(&text, &size) : NULL;
	if (!out) {
		free(a);
		return -ENOMEM;
	}
	a->function = row->sym;
	a->look.source = true;
	ret = annotate(top, a, out, &err);
	annotation_free(a);
	free(a);
	fclose(out);
	return page_annotation(top->screen->browser, row->sym, text, ret, &err);
}
