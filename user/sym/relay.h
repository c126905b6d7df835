/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sink between NAMES and whoever shows what it delivers: it changes, adds or holds back named samples, and passes the rest on. */
#ifndef SKEP_SYM_RELAY_H
#define SKEP_SYM_RELAY_H

#include "sym/names.h"

/* First in who is one: the sink's functions find the rest by it. */
struct relay {
	struct named_sink sink; /* its owner sets sample, and wants where it is choosy */
	struct named_sink *to;	/* borrowed */
};

/* Puts it before names->to. lost, and wants where its owner has none, are those of who comes after. */
void relay_insert(struct relay *r, struct names *names);

/* Does who comes after want it? */
bool relay_wants(const struct relay *r, const struct sample *s);

/* Returns 0 or -errno, which fails the run. */
int relay_pass(const struct relay *r, const struct named *named);

#endif
