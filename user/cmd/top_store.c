/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/top_store.h"

#include "cmd/report_options.h"
#include "util/clock.h"

#define REFRESH_NS (10 * NS_PER_S) /* a profile is written once a minute */
#define SINCE "5m"

int top_store(const struct top_options *o, char **operands, struct err *err)
{
	struct report_options r = {
		.h = o->h,
		.request = o->request,
		.limits = { .max = o->entries },
		.store = o->store,
		.with_chains = o->callers,
		.no_children = true,
		.json = o->json,
		.stdio = !o->is_screen,
		.every_ns = o->refresh_ns ? o->refresh_ns : REFRESH_NS,
		.rounds = o->refreshes,
		.start_ns = now_ns(),
	};

	if (!r.store.since)
		r.store.since = SINCE;
	return report_show(&r, operands, err);
}
