/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/branches.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "sym/relay.h"

#define INLINE_MAX 32 /* frames that one address may stand for */

struct branches {
	struct relay relay; /* first */
	struct names *names;
	bool named_only;
	uint64_t samples, empty;
	struct stack stack;
};

/* The function, as its symbol has it, with the line of the innermost one that was inlined there. */
static struct frame place(struct branches *b, const struct sample *s, uint64_t addr)
{
	struct frame at[INLINE_MAX];
	int n = syms_resolve(b->names->syms, s->pid, s->time_ns, addr, addr >> 63, false, at, INLINE_MAX);
	struct frame f = at[n - 1];

	f.file = at[0].file;
	f.line = at[0].line;
	return f;
}

static int pass(struct branches *b, const struct named *from, const struct perf_branch_entry *e)
{
	struct branch branch = {
		.from = place(b, from->at, e->from), .to = place(b, from->at, e->to), .mispredicted = e->mispred, .predicted = e->predicted,
		.in_tx = e->in_tx, .abort = e->abort, .cycles = e->cycles,
	};
	struct sample s = *from->at;
	struct named n = *from;
	bool is_unnamed = branch.to.kind == FRAME_UNKNOWN;

	if (b->named_only && (is_unnamed || branch.from.kind == FRAME_UNKNOWN))
		return 0;
	s.weight = s.count = 1;
	s.ip = e->to;
	n.at = &s;
	n.branch = &branch;
	n.stack = &b->stack;
	b->stack.frames[0] = branch.to;
	b->stack.n = 1;
	b->stack.unnamed_kernel = is_unnamed && branch.to.is_kernel;
	b->stack.unnamed_user = is_unnamed && !branch.to.is_kernel;
	return relay_pass(&b->relay, &n);
}

static int branches_sample(struct named_sink *sink, const struct named *from)
{
	struct branches *b = (struct branches *)sink;
	const struct sample_fields *f = from->at->fields;
	uint64_t nr = f && f->has & PERF_SAMPLE_BRANCH_STACK ? f->nr_branches : 0;
	int ret = 0;

	b->samples++;
	b->empty += !nr;
	for (uint64_t i = 0; i < nr && !ret; i++) {
		struct perf_branch_entry e;

		memcpy(&e, f->branches + i * sizeof(e), sizeof(e));
		ret = pass(b, from, &e);
	}
	return ret;
}

struct branches *branches_insert(struct names *names, bool named_only)
{
	struct branches *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->relay.sink = (struct named_sink){ .sample = branches_sample };
	b->names = names;
	b->named_only = named_only;
	b->stack.cut = STOP_ROOT;
	b->stack.cut_loss = LOSS_MAX;
	relay_insert(&b->relay, names);
	names->leaf_only = true;
	names->may_sum = false;
	names->may_hold = false; /* what waits has no record any more */
	return b;
}

void branches_free(struct branches *b)
{
	free(b);
}

void branches_counts(const struct branches *b, uint64_t *ret_samples, uint64_t *ret_empty)
{
	*ret_samples = b->samples;
	*ret_empty = b->empty;
}
