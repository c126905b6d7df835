/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/report_screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/browser_pages.h"
#include "util/text.h"

#define LIST_BYTES 4096 /* PATH_MAX */

/* What the user wants beside the command line; "": nothing. */
struct want {
	char sort[256];
	char dso[LIST_BYTES];
	char thread[64]; /* its ID or its name */
	enum report_column thread_key;
};

struct report_screen {
	const struct report_options *r;
	struct replay *replay;
	const struct report_view *views;
	size_t n, at; /* tables, and the one that is shown */
	const struct report_cfg *cfg;
	struct browser *browser;
	struct want want, before;
	bool is_again; /* what is wanted has not been shown */
	bool is_renewed; /* what is shown is read again, by itself */
	char why[256]; /* why it was not; "": it was */
	char head[1024];
};

bool report_has_screen(const struct report_options *r)
{
	bool is_plain = !r->hierarchy && !r->branches && !r->separator && !r->nr_widths && !r->header && !r->with_counts && !r->group;

	return !r->stdio && !r->out && is_plain && !strcmp(report_format(r), "text") && browser_has_terminal();
}

void report_screen_prepare(const struct report_options *r, struct replay *replay)
{
	struct report_layout layout;
	struct err err;

	replay->trees = true;
	if (!report_layout_parse(&layout, &r->request, &err))
		replay->pic->fold.root = fold_root_of(&layout);
}

static size_t append_zoom(struct report_screen *s, size_t n, const char *of)
{
	char text[LIST_BYTES];

	text_escape(text, sizeof(text), of);
	return *of ? text_append(s->head, sizeof(s->head), n, "  [%s]", text) : n;
}

/* How it begins. Returns how long it is. */
static size_t head_of(struct report_screen *s)
{
	char path[256];
	size_t n;

	text_escape(path, sizeof(path), s->r->input);
	n = text_append(s->head, sizeof(s->head), 0, " skep %s  %s", s->r->every_ns ? "top" : "report", path);
	return s->r->every_ns ? text_append(s->head, sizeof(s->head), n, " since %s", s->r->store.since) : n;
}

static int show(struct report_screen *s)
{
	const struct report_view *v = &s->views[s->at];
	struct browser_page page = { .head = s->head, .table = v->table, .profile = v->profile, .cfg = s->cfg,
				     .tree = &s->replay->views.data[s->at]->tree, .root = s->replay->pic->fold.root };
	char event[256];
	size_t n = head_of(s);

	text_escape(event, sizeof(event), v->profile->event);
	n = text_append(s->head, sizeof(s->head), n, "  %s", event);
	if (s->n > 1)
		n = text_append(s->head, sizeof(s->head), n, " (%zu of %zu)", s->at + 1, s->n);
	n = text_append(s->head, sizeof(s->head), n, "  %llu samples, %llu lost", (unsigned long long)v->profile->kept,
			(unsigned long long)profile_lost(&s->replay->total));
	n = append_zoom(s, n, s->want.thread);
	append_zoom(s, n, s->want.dso);
	return browser_show(s->browser, &page);
}

/* Said, too. */
static bool is_empty(struct report_screen *s)
{
	if (!s->n)
		browser_say(s->browser, "there are no samples");
	return !s->n;
}

static int key_event(void *arg)
{
	struct report_screen *s = arg;

	if (is_empty(s))
		return 0;
	s->at = (s->at + 1) % s->n;
	return show(s);
}

static int key_flame(void *arg)
{
	struct report_screen *s = arg;

	if (!is_empty(s))
		page_flame(s->browser, s->r->every_ns ? "skep-top" : "skep-report", &s->replay->views.data[s->at]->tree, s->views[s->at].profile);
	return 0;
}

static int key_annotate(void *arg)
{
	struct report_screen *s = arg;

	return page_annotate(s->browser, s->r->input, &s->r->symbols);
}

/* The file is read again. */
static int go_again(struct report_screen *s, const struct want *want)
{
	if (!s->r->store.span.url && access(s->r->input, R_OK)) { /* what is shown would be gone */
		browser_say(s->browser, "cannot read '%s': %s", s->r->input, strerror(errno));
		return 0;
	}
	s->before = s->want;
	s->want = *want;
	s->is_again = true;
	browser_say(s->browser, "reading %s", s->r->input);
	return -EAGAIN;
}

static int sort_by(void *arg, const char *text)
{
	struct report_screen *s = arg;
	struct report_request q = s->r->request;
	struct report_layout layout;
	struct want want = s->want;
	struct err err = { 0 };

	q.sort = text;
	q.fields = NULL;
	if (!*text || strlen(text) >= sizeof(want.sort) || report_layout_parse(&layout, &q, &err)) {
		browser_say(s->browser, "%s", err.text[0] ? err.text : *text ? "too many keys" : "no key");
		return 0;
	}
	text_append(want.sort, sizeof(want.sort), 0, "%s", text);
	return go_again(s, &want);
}

static int key_sort(void *arg)
{
	struct report_screen *s = arg;

	browser_ask(s->browser, "sum by (skep report -s): ", s->r->request.sort ? s->r->request.sort : REPORT_KEYS, sort_by);
	return 0;
}

/* Into name, which is a list of one for an option. False: said why not. */
static bool one_of_list(struct report_screen *s, char *name, size_t size, const char *text)
{
	/* Names are of the recorded programs: none is to mean something else in the option's list */
	if (!text || !*text || strchr(text, ',') || !strncmp(text, PICK_FILE_WORD, strlen(PICK_FILE_WORD)) || strlen(text) >= size) {
		browser_say(s->browser, "the row has no name to choose by");
		return false;
	}
	text_append(name, size, 0, "%s", text);
	return true;
}

static int key_object(void *arg)
{
	struct report_screen *s = arg;
	const struct report_row *row = browser_row(s->browser);
	struct want want = s->want;

	want.dso[0] = '\0';
	if (s->want.dso[0])
		return go_again(s, &want);
	if (!row || !s->views[s->at].table->layout.with[KEY_DSO]) {
		browser_say(s->browser, "the row is no object's: s sums by dso");
		return 0;
	}
	return one_of_list(s, want.dso, sizeof(want.dso), row->dso) ? go_again(s, &want) : 0;
}

static int key_thread(void *arg)
{
	struct report_screen *s = arg;
	const struct report_row *row = browser_row(s->browser);
	struct want want = s->want;
	const bool *with;
	char id[16];

	if (is_empty(s))
		return 0;
	with = s->views[s->at].table->layout.with;
	want.thread[0] = '\0';
	if (s->want.thread[0])
		return go_again(s, &want);
	want.thread_key = with[KEY_TID] ? KEY_TID : with[KEY_PID] ? KEY_PID : KEY_COMM;
	if (!row || !with[want.thread_key]) {
		browser_say(s->browser, "this row is not one thread: press s, sum by tid, pid or comm");
		return 0;
	}
	snprintf(id, sizeof(id), "%d", (int)(with[KEY_TID] ? row->tid : row->pid));
	return one_of_list(s, want.thread, sizeof(want.thread), want.thread_key == KEY_COMM ? row->comm : id) ? go_again(s, &want) : 0;
}

static const struct browser_key keys[] = {
	{ 's', "s Sort", "other columns to sum by: reads the file again", key_sort },
	{ 't', "t Thread", "only samples of the row's thread, or of all again", key_thread },
	{ 'd', "d Object", "only samples in the row's object, or in all again", key_object },
	{ 'e', "e Event", "the next event, where there are several", key_event },
	{ 'a', "a Annotate", "instructions of the function, with its samples", key_annotate },
	{ 'f', "f Flame", "writes a flame graph of all stacks to skep-report-DATE-TIME.html", key_flame },
	{ 0 },
};

void report_screen_want(const struct report_screen *s, struct report_options *r)
{
	const char **threads = s->want.thread_key == KEY_TID ? &r->pick.tids : s->want.thread_key == KEY_PID ? &r->pick.pids : &r->pick.comms;

	if (s->want.sort[0]) {
		r->request.sort = s->want.sort;
		r->request.fields = NULL;
	}
	if (s->want.thread[0])
		*threads = s->want.thread;
	if (s->want.dso[0])
		r->pick.dsos = s->want.dso;
}

static int wait_for_next(struct report_screen *s)
{
	int ret = page_loop(s->browser, s->r->every_ns);

	s->is_renewed = ret == -ETIME;
	return ret == -ETIME || ret == -EAGAIN ? REPORT_AGAIN : ret == -ECANCELED ? 0 : ret;
}

int report_screen_failed(struct report_screen *s, const struct err *err, int ret)
{
	struct report_cfg cfg = { 0 };
	struct profile none = { .event = "", .unit = "" };
	struct report empty;
	struct err unused;

	if (s->is_again) {
		s->want = s->before;
		s->is_again = false;
		text_append(s->why, sizeof(s->why), 0, "%s", err->text);
		return REPORT_AGAIN;
	}
	if (!s->r->every_ns || report_init(&empty, &s->r->request, &unused))
		return ret;
	s->replay = NULL;
	s->n = 0;
	head_of(s);
	browser_reset(s->browser);
	ret = browser_show(s->browser, &(struct browser_page){ .head = s->head, .table = &empty, .profile = &none, .cfg = &cfg, .nothing = err->text });
	ret = ret ? ret : wait_for_next(s);
	report_free(&empty);
	return ret;
}

static int open_screen(struct report_screen **screen, struct err *err)
{
	struct report_screen *s = calloc(1, sizeof(*s));
	int ret = s ? browser_open(keys, s, &s->browser, err) : err_set(err, -ENOMEM, "out of memory");

	if (ret)
		free(s);
	else
		*screen = s;
	return ret;
}

void report_screen_close(struct report_screen *s)
{
	if (!s)
		return;
	browser_close(s->browser);
	free(s);
}

/* What was shown before is gone. */
static int show_first(struct report_screen *s)
{
	int ret;

	if (s->is_renewed)
		browser_renew(s->browser);
	else
		browser_reset(s->browser);
	s->at = s->at < s->n ? s->at : 0;
	s->is_again = false;
	if (!s->is_renewed)
		browser_say(s->browser, "%s", s->why); /* or nothing, where it said that the file is read */
	ret = show(s);
	s->why[0] = '\0';
	return ret;
}

int report_screen(struct report_screen **screen, const struct report_options *r, struct replay *replay, const struct report_view *views, size_t n,
		  const struct report_cfg *cfg, struct err *err)
{
	int ret = *screen ? 0 : open_screen(screen, err);
	struct report_screen *s = *screen;

	if (ret)
		return ret;
	s->r = r;
	s->replay = replay;
	s->views = views;
	s->n = n;
	s->cfg = cfg;
	ret = show_first(s);
	if (!ret)
		ret = wait_for_next(s);
	return ret >= 0 ? ret : err_set(err, ret, "cannot show the table: %s", strerror(-ret));
}
