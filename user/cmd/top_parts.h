/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of the screen of skep top: rows, heads and keys (top_screen.c), what a key writes or shows as a text (top_pages.c). */
#ifndef SKEP_CMD_TOP_PARTS_H
#define SKEP_CMD_TOP_PARTS_H

#include <string.h>

#include "cmd/browser.h"
#include "cmd/top.h"
#include "cmd/top_tabs.h"

struct top_screen {
	struct browser *browser;
	struct top_tabs *tabs;
	int tab;   /* that is shown */
	int event; /* of samples */
	bool is_paused, is_over, has_quit;
	int failed; /* -errno of a key */
	uint64_t since_start_ns, lost, marked_ns;
	uint64_t losses[LOSS_MAX]; /* with lost: of all events, since the start */
	char head[512];
	char sort[256];
	struct report_cfg cfg;
};

static inline struct top_view *view_of(const struct top *top)
{
	return &top->views[top->screen->tab == TOP_OFF ? top->nr_events : top->screen->event];
}

static inline bool has_samples(const struct top *top)
{
	return top_tab_has_samples(top->screen->tab);
}

/* True, and said: the key needs the run. */
static inline bool refuses_after_end(const struct top *top)
{
	if (top->session)
		return false;
	browser_say(top->screen->browser, "the run has ended");
	return true;
}

/* True, and said: the key is of samples alone. */
static inline bool refuses_without_samples(const struct top *top)
{
	if (has_samples(top))
		return false;
	browser_say(top->screen->browser, "this key needs samples: press 1 or 5");
	return true;
}

/* Keys. 0 or -ENOMEM. */
int top_key_flame(void *arg);
int top_key_annotate(void *arg);

#endif
