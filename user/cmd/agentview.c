/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/agentview.h"

#include "util/clock.h"

#define CLOCK_SET_NS (2 * NS_PER_S) /* a clock that is slewed, and not set, differs by less in a minute (500 ppm) */

static uint64_t losses(const struct agent_view *v, const struct profile *ledger, int why)
{
	return v->all.losses[why] + (ledger ? ledger->losses[why] : 0);
}

void agent_mark_set(struct agent_mark *m, const struct agent_view *v, const struct profile *ledger)
{
	m->wall_ns = clock_ns(CLOCK_REALTIME);
	m->begun_ns = now_ns();
	m->boot_ns = clock_ns(CLOCK_BOOTTIME);
	m->folded = v->at.folded;
	m->weight = v->all.weight;
	for (int i = 0; i < LOSS_MAX; i++)
		m->losses[i] = losses(v, ledger, i);
}

void agent_mark_since(const struct agent_mark *m, const struct agent_view *v, const struct profile *ledger, struct profile *ret_profile)
{
	*ret_profile = (struct profile){ .event = v->event->name, .unit = v->event->unit, .kept = v->at.folded - m->folded,
					 .weight = v->all.weight - m->weight, .duration_ns = now_ns() - m->begun_ns };
	for (int i = 0; i < LOSS_MAX; i++)
		ret_profile->losses[i] = losses(v, ledger, i) - m->losses[i];
}

uint64_t agent_mark_now_ns(const struct agent_mark *m)
{
	uint64_t now = clock_ns(CLOCK_REALTIME), then = m->wall_ns + clock_ns(CLOCK_BOOTTIME) - m->boot_ns;

	return now < m->wall_ns || now > then + CLOCK_SET_NS || then > now + CLOCK_SET_NS ? then : now;
}
