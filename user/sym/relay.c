/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/relay.h"

static bool ask(struct named_sink *sink, const struct sample *s)
{
	return relay_wants((struct relay *)sink, s);
}

static int pass_lost(struct named_sink *sink, uint64_t n)
{
	struct named_sink *to = ((struct relay *)sink)->to;

	return to->lost ? to->lost(to, n) : 0;
}

void relay_insert(struct relay *r, struct names *names)
{
	if (!r->sink.wants)
		r->sink.wants = ask;
	r->sink.lost = pass_lost;
	r->to = names->to;
	names->to = &r->sink;
}

bool relay_wants(const struct relay *r, const struct sample *s)
{
	return !r->to->wants || r->to->wants(r->to, s);
}

int relay_pass(const struct relay *r, const struct named *named)
{
	return r->to->sample(r->to, named);
}
