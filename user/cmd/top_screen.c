/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep top on a terminal: its keys, and what stands beside the rows. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/browser_pages.h"
#include "cmd/top_parts.h"
#include "cmd/top_tabs.h"
#include "ui/screen.h"
#include "util/interrupt.h"
#include "util/text.h"

#define MINUTE_NS 60000000000ull
#define CHANGE_WIDTH 9
#define WIDE 120 /* columns of a terminal with room for a history of 30 */
#define NARROW 80 /* of 10 */

/* The history of a row: columns, and refreshes that each stands for. */
struct history {
	uint32_t columns, per;
};

/* The last minute, or as many refreshes of it as are kept. */
static struct history history_of(const struct top *top)
{
	uint64_t rounds = MINUTE_NS / top->o->m.interval_ns;
	int columns = screen_columns() - (view_of(top)->seen->by_change ? CHANGE_WIDTH : 0);
	uint32_t width = columns >= WIDE ? 30 : columns >= NARROW ? 10 : 0;

	rounds = !rounds ? 1 : rounds < LIVE_ROUNDS ? rounds : LIVE_ROUNDS;
	if (!width || rounds <= width)
		return (struct history){ width ? (uint32_t)rounds : 0, 1 };
	return (struct history){ width, (uint32_t)rounds / width };
}

/* The tallest block is the row's own largest share of them. */
static void add_history(const struct live_table *t, const struct report_row *row, struct history h, char *buf, size_t size)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const letters[] = { " ", ".", ":", "-", "=", "+", "*", "#", "@" };
	const char *const *marks = screen_has_utf8() ? blocks : letters;
	uint16_t shares[LIVE_ROUNDS], top = 1;

	live_table_history(t, row, h.per, h.columns, shares);
	for (uint32_t i = 0; i < h.columns; i++)
		top = shares[i] > top ? shares[i] : top;
	for (uint32_t i = 0; i < h.columns && size > sizeof("█"); i++) {
		const char *block = marks[(shares[i] * 8 + top - 1) / top];
		size_t n = strlen(block);

		memcpy(buf, block, n + 1);
		buf += n;
		size -= n;
	}
}

static void mark(void *arg, const struct report_row *row, char *buf, size_t size)
{
	const struct top *top = arg;
	const struct live_table *t = view_of(top)->seen;
	size_t n = 0;

	buf[0] = '\0';
	if (t->by_change)
		n = text_append(buf, size, n, "%+8.2f ", 100 * live_table_change(t, row));
	add_history(t, row, history_of(top), buf + n, size - n);
}

static const char *sort_keys(const struct top *top)
{
	return top->o->request.sort ? top->o->request.sort : REPORT_KEYS;
}

/* of_tab: over what time the rows of a view without samples are. */
static void make_head(struct top *top, const char *of_tab)
{
	struct top_screen *s = top->screen;
	const struct top_view *v = view_of(top);
	char name[256];
	size_t n;

	text_escape(name, sizeof(name), v->profile.event);
	if (!s->since_start_ns && !s->is_over && !s->is_paused) { /* what the event is may not be known yet */
		text_append(s->head, sizeof(s->head), 0, " skep top  the first refresh is after %.1f s", (double)top->o->m.interval_ns / 1e9);
		return;
	}
	n = text_append(s->head, sizeof(s->head), 0, " skep top  %s", s->tab ? top_tab_name(s->tab) : name);
	if (top->nr_events > 1 && !s->tab)
		n = text_append(s->head, sizeof(s->head), n, " (%d of %d)", s->event + 1, top->nr_events);
	n = text_append(s->head, sizeof(s->head), n, "  %.1f s  ", (double)s->since_start_ns / 1e9);
	if (has_samples(top))
		n = text_append(s->head, sizeof(s->head), n, "%llu %s", (unsigned long long)v->shown_n, s->tab ? "spans" : "samples");
	else
		n = text_append(s->head, sizeof(s->head), n, "%s", of_tab);
	if (s->lost)
		n = text_append(s->head, sizeof(s->head), n, ", %llu lost", (unsigned long long)s->lost);
	if (v->seen->by_change && has_samples(top))
		n = text_append(s->head, sizeof(s->head), n, "  change since %.1f s", (double)s->marked_ns / 1e9);
	if (s->is_paused)
		n = text_append(s->head, sizeof(s->head), n, "  [paused]");
	if (s->is_over)
		n = text_append(s->head, sizeof(s->head), n, "  [ended]");
	text_append(s->head, sizeof(s->head), n, "  by %s", has_samples(top) ? sort_keys(top) : top_tab_sorted(s->tabs, s->tab));
}

static int show(struct top *top)
{
	struct top_screen *s = top->screen;
	struct top_view *v = view_of(top);
	struct browser_page page = { .head = s->head, .table = &v->seen->shown, .profile = &v->shown, .cfg = &s->cfg, .tree = v->seen_tree,
				     .root = top->pic->fold.root, .mark = mark, .own_only = true, .max_rows = top->o->entries, .is_held = s->is_paused,
				     .nothing = s->tab == TOP_OFF ? "no wait has ended yet" : "no samples yet" };
	int width = (int)history_of(top).columns;
	char of_tab[64] = "";

	s->cfg = (struct report_cfg){ .event_names = top_event_names(top), .cgroup_name = top_cgroup_name };
	page.mark_width = width + (v->seen->by_change ? CHANGE_WIDTH : 0);
	page.mark_title = v->seen->by_change ? "  Change" : "";
	if (!has_samples(top))
		top_tab_page(s->tabs, s->tab, &page, of_tab, sizeof(of_tab));
	make_head(top, of_tab);
	return browser_show(s->browser, &page);
}

bool top_screen_holds(const struct top *top)
{
	return top->screen && top->screen->is_paused && top->session;
}

int top_screen_show(struct top *top, uint64_t since_start_ns, const struct profile *ledger)
{
	struct top_screen *s = top->screen;
	bool holds = top_screen_holds(top);
	int ret = top_tabs_round(s->tabs, since_start_ns, holds);

	if (ret || holds)
		return ret;
	s->since_start_ns = since_start_ns;
	s->lost = profile_lost(ledger);
	memcpy(s->losses, ledger->losses, sizeof(s->losses));
	return show(top);
}

int top_screen_opened(void *arg, struct err *err)
{
	struct top *top = arg;
	struct top_screen *s = top->screen;
	int ret = top->o->calls_first ? top_tab_attach(s->tabs, TOP_CALLS, top->session, 0, err) : 0;

	if (!ret && top->o->calls_first)
		s->tab = TOP_CALLS;
	return ret;
}

int top_screen_row(struct top *top, const struct row *row)
{
	return top_tabs_take(top->screen->tabs, row);
}

static int show_tab(struct top *top, int tab)
{
	struct top_screen *s = top->screen;
	struct err err = { 0 };
	int ret = 0;

	if (tab == s->tab)
		return 0;
	if (tab == TOP_OFF && top->nr_views == top->nr_events)
		ret = err_set(&err, -ENOSPC, "%s can be shown beside at most %d events (-e)", top_tab_name(tab), EVENTS_MAX - 1);
	else if (top->session)
		ret = top_tab_attach(s->tabs, tab, top->session, session_duration_ns(top->session), &err);
	else if (tab && !top_tab_is_attached(s->tabs, tab))
		ret = err_set(&err, -ESRCH, "the run has ended; %s was not measured", top_tab_name(tab));
	if (ret) {
		browser_say(s->browser, "%s", err.text);
		return ret == -ENOMEM ? ret : 0;
	}
	browser_reset(s->browser);
	s->tab = tab;
	return show(top);
}

static int key_cpu(void *arg)
{
	return show_tab(arg, TOP_CPU);
}

static int key_calls(void *arg)
{
	return show_tab(arg, TOP_CALLS);
}

static int key_net(void *arg)
{
	return show_tab(arg, TOP_NET);
}

static int key_sched(void *arg)
{
	return show_tab(arg, TOP_SCHED);
}

static int key_off(void *arg)
{
	return show_tab(arg, TOP_OFF);
}

static int key_next_tab(void *arg)
{
	struct top *top = arg;

	return show_tab(top, (top->screen->tab + 1) % TOP_TABS);
}

static int key_now(void *arg)
{
	struct top *top = arg;

	if (has_samples(top)) {
		browser_say(top->screen->browser, "column Now is the last refresh, column Overhead all since the start");
		return 0;
	}
	top_tab_turn(top->screen->tabs, top->screen->tab);
	return show(top);
}

static int sort_tab(void *arg, const char *text)
{
	struct top *top = arg;
	struct err err = { 0 };
	int ret = top_tab_sort(top->screen->tabs, top->screen->tab, text, &err);

	if (!ret)
		return show(top);
	browser_say(top->screen->browser, "%s", err.text);
	return ret == -ENOMEM ? ret : 0;
}

/* The tables as they are become what is shown. */
static int round_all(struct top *top)
{
	int ret = 0;

	for (int i = 0; i < top->nr_views && !ret; i++) {
		ret = top_see(&top->views[i]);
		if (!ret && top->o->zero)
			ret = top_begin_again(&top->views[i]);
	}
	return ret ? ret : show(top);
}

/* Tables with other keys, of what was counted so far. */
static int sum_again(struct top *top, const char *sort)
{
	struct top_screen *s = top->screen;
	const char *before = top->o->request.sort;
	struct report_layout layout;
	struct err err = { 0 };
	int ret;

	top->o->request.sort = sort;
	ret = report_layout_parse(&layout, &top->o->request, &err);
	if (!ret)
		ret = top_check_keys(&layout, top->o->m.has_cgroup, &err);
	if (ret) {
		top->o->request.sort = before;
		browser_say(s->browser, "%s", err.text);
		return 0;
	}
	if (sort != s->sort) {
		snprintf(s->sort, sizeof(s->sort), "%s", sort);
		top->o->request.sort = s->sort;
	}
	browser_reset(s->browser);
	s->is_paused = false; /* other rows are another picture */
	ret = top_make_tables(top, &err);
	if (!ret)
		ret = session_again(top->session, &top->pic->names.sink);
	return ret ? ret : round_all(top);
}

static int sort_by(void *arg, const char *text)
{
	struct top *top = arg;

	return refuses_after_end(top) ? 0 : sum_again(top, text);
}

static int key_sort(void *arg)
{
	struct top *top = arg;
	struct top_screen *s = top->screen;

	if (!has_samples(top)) {
		browser_ask(s->browser, "order by: ", top_tab_sorted(s->tabs, s->tab), sort_tab);
		return 0;
	}
	if (refuses_after_end(top))
		return 0;
	browser_ask(s->browser, "sum by (comm, pid, tid, dso, sym, cgroup, event): ", sort_keys(top), sort_by);
	return 0;
}

/* Functions, threads, processes, cgroups, in turn. */
static int key_threads(void *arg)
{
	static const char *const keys[] = { REPORT_KEYS, "tid", "pid", "cgroup" };
	struct top *top = arg;
	size_t n = sizeof(keys) / sizeof(keys[0]) - !top->o->m.has_cgroup, next = 0;

	if (refuses_after_end(top) || refuses_without_samples(top))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(sort_keys(top), keys[i]))
			next = (i + 1) % n;
	return sum_again(top, keys[next]);
}

static int zero_samples(struct top *top)
{
	struct err err;
	int ret;

	session_forget(top->session, false);
	top_take_losses(top); /* of what is in the tables no more */
	top->from_ns = session_duration_ns(top->session);
	browser_reset(top->screen->browser);
	ret = top_make_tables(top, &err);
	return ret ? ret : round_all(top);
}

static int zero_tab(struct top *top)
{
	int ret = top_tab_zero(top->screen->tabs, top->screen->tab);

	return ret ? ret : show(top);
}

static int key_zero(void *arg)
{
	struct top *top = arg;
	struct top_screen *s = top->screen;
	int ret;

	if (refuses_after_end(top))
		return 0;
	ret = has_samples(top) ? zero_samples(top) : zero_tab(top);
	browser_say(s->browser, has_samples(top) ? "begun again" : "begins again with the next refresh");
	return ret;
}

static int key_pause(void *arg)
{
	struct top *top = arg;

	if (refuses_after_end(top))
		return 0;
	top->screen->is_paused = !top->screen->is_paused;
	browser_say(top->screen->browser, top->screen->is_paused ? "paused: what happens is still counted" : "goes on with the next refresh");
	return show(top);
}

/* True, and said: of -z. */
static bool refuses_baseline(struct top *top)
{
	if (top->o->zero)
		browser_say(top->screen->browser, "-z begins again with each refresh: there is no baseline");
	return top->o->zero;
}

static int key_baseline(void *arg)
{
	struct top *top = arg;

	if (refuses_after_end(top) || refuses_without_samples(top) || refuses_baseline(top))
		return 0;
	for (int i = 0; i < top->nr_views; i++)
		live_table_mark(top->views[i].seen);
	top->screen->marked_ns = top->screen->since_start_ns;
	browser_say(top->screen->browser, "baseline taken: d shows what changes from here on");
	return 0;
}

static int key_change(void *arg)
{
	struct top *top = arg;
	bool by_change = !view_of(top)->seen->by_change;

	if (refuses_without_samples(top) || refuses_baseline(top))
		return 0;
	if (!view_of(top)->seen->has_mark) {
		browser_say(top->screen->browser, "b takes a baseline first");
		return 0;
	}
	for (int i = 0; i < top->nr_views; i++) {
		top->views[i].seen->by_change = by_change;
		live_table_order(top->views[i].seen);
	}
	browser_say(top->screen->browser, by_change ? "share since the baseline less share before it" : "shares");
	return show(top);
}

static int key_event(void *arg)
{
	struct top *top = arg;

	if (top->screen->tab != TOP_CPU) {
		browser_say(top->screen->browser, "events belong to view 1: press 1");
		return 0;
	}
	top->screen->event = (top->screen->event + 1) % top->nr_events;
	return show(top);
}

static int key_resized(void *arg)
{
	return show(arg);
}

static const struct browser_key keys[] = {
	{ '1', "1-5 Views", "samples: where the time goes, or what -e chose", key_cpu },
	{ '2', NULL, "system calls of each command: how many, how many failed, how long they took", key_calls },
	{ '3', NULL, "packets and bytes of each process", key_net },
	{ '4', NULL, "what the scheduler did with each process: how long it waited for a CPU", key_sched },
	{ '5', NULL, "where threads wait: the time of waits that have ended", key_off },
	{ SCREEN_TAB, NULL, "the next of these", key_next_tab },
	{ 'n', NULL, "of 2 to 4: what is new since the last refresh, or all since the view was first shown", key_now },
	{ 's', "s Sort", "of samples: other columns to sum by, of what was counted so far; else: another order", key_sort },
	{ 't', "t Threads", "functions, threads, processes, cgroups (as root), in turn", key_threads },
	{ 'a', "a Annotate", "instructions of the function, with its samples", top_key_annotate },
	{ 'f', "f Flame", "writes a flame graph of what is shown, of all stacks, to skep-top-DATE-TIME.html", top_key_flame },
	{ 'b', "b Baseline", "takes the shares so far as a baseline", key_baseline },
	{ 'd', "d Diff", "rows by how their shares have changed since the baseline, or as before", key_change },
	{ 'p', "p Pause", "holds the picture, or goes on; samples are counted all the while", key_pause },
	{ 'z', "z Zero", "begins again with nothing", key_zero },
	{ 'e', NULL, "the next event, where there are several", key_event },
	{ SCREEN_RESIZED, NULL, NULL, key_resized },
	{ 0 },
};

int top_screen_open(struct top *top, struct err *err)
{
	struct top_screen *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->tabs = top_tabs_new(&top->o->m.target, (uint16_t)top->nr_events, top->o->m.has_cgroup, top->o->calls_by);
	ret = s->tabs ? browser_open(keys, top, &s->browser, err) : -ENOMEM;
	if (ret) {
		top_tabs_free(s->tabs);
		free(s);
		return ret;
	}
	top->screen = s;
	for (int i = 0; i < top->nr_views; i++)
		top_look(&top->views[i]);
	return show(top);
}

void top_screen_close(struct top *top)
{
	if (!top->screen)
		return;
	browser_close(top->screen->browser);
	top_tabs_free(top->screen->tabs);
	free(top->screen);
	top->screen = NULL;
}

bool top_screen_input(void *arg)
{
	struct top *top = arg;
	int ret = browser_input(top->screen->browser);

	top->screen->has_quit |= ret == -ECANCELED;
	if (ret && ret != -ECANCELED)
		top->screen->failed = ret;
	return ret;
}

int top_screen_stay(struct top *top)
{
	struct top_screen *s = top->screen;
	struct pollfd p[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = interrupts_fd(), .events = POLLIN } };
	int ret = s->failed;

	s->is_over = true;
	s->is_paused = false;
	if (!ret && !s->has_quit && !interrupts_count())
		ret = show(top);
	while (!ret && !s->has_quit && !interrupts_count()) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return -errno;
		top_screen_input(top);
		ret = s->failed;
	}
	return ret;
}
