/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The other views of skep top's screen: system calls, network, scheduler, each the table of a command that measures them, and the time off
 * the CPUs, whose samples go where those of events do. What a view needs is attached when it is first shown, and stays: what it counts goes on while another is shown.
 */
#ifndef SKEP_CMD_TOP_TABS_H
#define SKEP_CMD_TOP_TABS_H

#include "capture/rows.h"
#include "capture/session.h"
#include "cmd/browser.h"

enum top_tab { TOP_CPU, TOP_CALLS, TOP_NET, TOP_SCHED, TOP_OFF, TOP_TABS };

struct top_tabs;

#define TOP_CALLS_BY (BY_COMM | BY_SYSCALL) /* enum by_bit: what calls can be summed by */

/* calls_by: some of these; 0: all. off_event: of the samples of time off the CPUs, which have their cgroup if has_cgroup. NULL: no memory. */
struct top_tabs *top_tabs_new(const struct target *target, uint16_t off_event, bool has_cgroup, uint32_t calls_by);
void top_tabs_free(struct top_tabs *tabs); /* after the session; NULL is nothing */

const char *top_tab_name(int tab);

/* Its table is the caller's, who has the samples. It has nothing of what follows but that it is attached. */
bool top_tab_has_samples(int tab);

bool top_tab_is_attached(const struct top_tabs *tabs, int tab);

/* Attaches what the view needs, if it was not yet. 0, or -errno with err filled. */
int top_tab_attach(struct top_tabs *tabs, int tab, struct session *session, uint64_t since_start_ns, struct err *err);

/* A row of one of the sources that were attached. 0 or -ENOMEM. */
int top_tabs_take(struct top_tabs *tabs, const struct row *row);

/* Ends the round of all that are attached. holds: what is shown stays as it is until one that does not. 0 or -ENOMEM. */
int top_tabs_round(struct top_tabs *tabs, uint64_t since_start_ns, bool holds);

/* Begins again with nothing, when the round ends. 0 or -ENOMEM. */
int top_tab_zero(struct top_tabs *tabs, int tab);

/* Rows of the last round, or of all since it was attached, in turn. */
void top_tab_turn(struct top_tabs *tabs, int tab);

/* Another order: a word of the schema. 0, -EINVAL with err filled, or -ENOMEM. */
int top_tab_sort(struct top_tabs *tabs, int tab, const char *word, struct err *err);
const char *top_tab_sorted(const struct top_tabs *tabs, int tab);

/* Fills what the page shows of it, and over what time, "in 1.2 s", cut to size. */
void top_tab_page(struct top_tabs *tabs, int tab, struct browser_page *page, char *head, size_t size);

#endif
