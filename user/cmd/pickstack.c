/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks are copied before they are cut. */
#include "cmd/pickstack.h"

#include <errno.h>
#include <regex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "sym/relay.h"

#define PARENT "^sys_|^do_page_fault" /* perf's */

const struct opt pickstack_opts[] = {
	{ 0, "max-stack", "N", OPT_U64, offsetof(struct pickstack_options, frames_max), "only N frames of each stack" },
	{ 0, "ignore-callees", "REGEX", OPT_TEXT, offsetof(struct pickstack_options, ignore_callees),
	  "what functions of these names call is theirs" },
	{ 'p', "parent", "REGEX", OPT_TEXT, offsetof(struct pickstack_options, parent),
	  "one more key: the function of such a name in the stack" },
	{ 'x', "exclude-other", NULL, OPT_FLAG, offsetof(struct pickstack_options, parents_only), "only samples that have one" },
	{ 0 },
};

struct pickstack {
	struct relay relay; /* first */
	const struct pickstack_options *o;
	regex_t parent, callees;
	bool with_parent, with_callees;
	struct pick_counts out;
	struct stack stack;
};

static bool is_match(const regex_t *regex, const struct frame *f)
{
	return f->kind != FRAME_UNKNOWN && f->kind != FRAME_MARK && !regexec(regex, f->name, 0, NULL, 0);
}

/* The outermost match is the leaf. */
static void drop_callees(struct pickstack *p, struct stack *st)
{
	for (uint32_t i = st->n; i-- > 1;)
		if (is_match(&p->callees, &st->frames[i])) {
			st->n -= i;
			memmove(st->frames, &st->frames[i], st->n * sizeof(st->frames[0]));
			return;
		}
}

static void drop_deep(const struct pickstack *p, struct stack *st)
{
	uint32_t max = (uint32_t)p->o->frames_max;

	if (!p->o->frames_max || p->o->frames_max >= st->n)
		return;
	if (p->o->from_root) {
		memmove(&st->frames[1], &st->frames[st->n - max], max * sizeof(st->frames[0]));
		max++;
	}
	st->n = max;
}

/* Of the frames those that it has: there is room for thousands. */
static void copy_stack(struct stack *to, const struct stack *from)
{
	memcpy(to->frames, from->frames, from->n * sizeof(to->frames[0]));
	memcpy(&to->n, &from->n, sizeof(*to) - offsetof(struct stack, n));
}

static const char *find_parent(const struct pickstack *p, const struct stack *st)
{
	for (uint32_t k = 0; k < st->n; k++) {
		const struct frame *f = &st->frames[p->o->from_root ? st->n - 1 - k : k];

		if (is_match(&p->parent, f))
			return f->name;
	}
	return NULL;
}

static int pickstack_sample(struct named_sink *sink, const struct named *from)
{
	struct pickstack *p = (struct pickstack *)sink;
	struct named n = *from;

	n.stack = &p->stack;
	copy_stack(&p->stack, from->stack);
	if (p->with_callees)
		drop_callees(p, &p->stack);
	drop_deep(p, &p->stack);
	n.parent = p->with_parent ? find_parent(p, &p->stack) : NULL;
	if (p->o->parents_only && p->o->parent && !n.parent)
		return pick_count(&p->out, n.at);
	return relay_pass(&p->relay, &n);
}

static int compile(regex_t *regex, bool *ret_with, const char *text, const char *option, struct err *err)
{
	char why[128];
	int ret = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);

	*ret_with = !ret;
	if (!ret)
		return 0;
	regerror(ret, regex, why, sizeof(why));
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '%s': %s", text, option, why);
}

int pickstack_new(const struct pickstack_options *o, struct pickstack **ret_p, struct err *err)
{
	struct pickstack *p;
	int ret = 0;

	*ret_p = NULL;
	if (!o->parent && !o->want_parent && !o->ignore_callees && !o->frames_max)
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	p->o = o;
	p->relay.sink = (struct named_sink){ .sample = pickstack_sample };
	if (o->parent || o->want_parent)
		ret = compile(&p->parent, &p->with_parent, o->parent ? o->parent : PARENT, "--parent", err);
	if (!ret && o->ignore_callees)
		ret = compile(&p->callees, &p->with_callees, o->ignore_callees, "--ignore-callees", err);
	if (ret)
		pickstack_free(p);
	else
		*ret_p = p;
	return ret;
}

void pickstack_free(struct pickstack *p)
{
	if (!p)
		return;
	if (p->with_parent)
		regfree(&p->parent);
	if (p->with_callees)
		regfree(&p->callees);
	vec_free(&p->out.by_event);
	free(p);
}

void pickstack_insert(struct pickstack *p, struct names *names)
{
	relay_insert(&p->relay, names);
}

struct pick_out pickstack_out(const struct pickstack *p, uint32_t event)
{
	return p ? pick_counted(&p->out, event) : (struct pick_out){ 0 };
}
