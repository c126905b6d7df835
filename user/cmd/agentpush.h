/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep agent --push: its options, and what is said at the end. */
#ifndef SKEP_CMD_AGENTPUSH_H
#define SKEP_CMD_AGENTPUSH_H

#include "push/push.h"
#include "util/opt.h"

/* Options: agent_push_opts. */
struct agent_push_options {
	struct push_cfg cfg;
	bool schema;
	const char *cluster; /* NULL: none */
};

extern const struct opt agent_push_opts[];
extern const struct opt_rule agent_push_rules[];

/* every_ns: between profiles. *ret_push NULL: none is wanted. store as of push_open(). 0, or -errno with err filled. */
int agent_push_open(struct agent_push_options *o, uint64_t every_ns, const struct store *store, struct push **ret_push, struct err *err);

/* Sends for some seconds what is left, and says what was sent. NULL is nothing. */
void agent_push_end(struct push *p);

#endif
