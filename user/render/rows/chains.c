/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A tree of chains, sorted, to lines. A run is what perf prints as one block: a frame and those after it, as long as each has one
 * follower and no chain ends in it. In: a tree whose names are hostile.
 */
#include "render/rows/chains.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/text.h"

#define MARGIN 12
#define DEPTH_MAX 60 /* forks below each other: a bit each in the mask of lines */
#define FLAT_MARGIN 11
#define FLAT_FRAME_MARGIN 16

struct print {
	FILE *out;
	const struct tree *tree;
	const struct chains_cfg *cfg;
	uint64_t whole, min_weight; /* what 100 % is; of graphs: the least that is shown */
	int margin;
	bool any; /* something was printed */
};

static const struct tree_node *node_at(const struct print *p, uint32_t i)
{
	return &p->tree->nodes.data[i];
}

/* The last frame of the run that begins in i. */
static uint32_t run_end(const struct print *p, uint32_t i)
{
	for (;;) {
		const struct tree_node *n = node_at(p, i);

		if (n->self_count || n->first_child == TREE_NONE || node_at(p, n->first_child)->next_sibling != TREE_NONE)
			return i;
		i = n->first_child;
	}
}

static uint64_t least(const struct print *p, uint32_t parent)
{
	const struct tree_node *n = node_at(p, parent);

	if (p->cfg->mode != CHAINS_FRACTAL)
		return p->min_weight;
	return (uint64_t)ceil((double)(n->total - n->self) * p->cfg->min_percent / 100);
}

/* From i on the first child of parent that is heavy enough: children are sorted. */
static uint32_t shown(const struct print *p, uint32_t parent, uint32_t i)
{
	return i != TREE_NONE && node_at(p, i)->total >= least(p, parent) ? i : TREE_NONE;
}

static void print_name(const struct print *p, const struct tree_node *n)
{
	text_print(p->out, n->name);
	if (n->kind == FRAME_INLINED)
		fputs(" (inlined)", p->out);
}

static void print_value(const struct print *p, uint64_t weight, uint64_t count, uint64_t whole)
{
	if (p->cfg->value == CHAINS_PERIOD)
		fprintf(p->out, "%llu", (unsigned long long)weight);
	else if (p->cfg->value == CHAINS_COUNT)
		fprintf(p->out, "%llu", (unsigned long long)count);
	else
		fprintf(p->out, "%.2f%%", whole ? 100.0 * (double)weight / (double)whole : 0);
}

/* Lines that lead on to forks below, of which bit i is that of depth i. */
static void print_lines(struct print *p, int depth, uint64_t mask)
{
	fprintf(p->out, "%*s", MARGIN + p->margin, "");
	for (int i = 0; i < depth; i++)
		fputs(mask >> i & 1 ? "|          " : "           ", p->out);
	p->any = true;
}

/* The begin of a line of a block, up to its share or its name. */
static void print_branch(struct print *p, int depth, uint64_t mask)
{
	print_lines(p, depth - 1, mask);
	fputc(mask >> (depth - 1) & 1 ? '|' : ' ', p->out);
}

static void print_run(struct print *p, uint32_t first, uint32_t last, int depth, uint64_t mask, uint64_t whole)
{
	const struct tree_node *n = node_at(p, first);

	for (uint32_t i = first;; i = node_at(p, i)->first_child) {
		print_branch(p, depth, mask);
		if (i == first) {
			fputs("--", p->out);
			print_value(p, n->total, n->total_count, whole);
			fputs("--", p->out);
		} else {
			fputs("          ", p->out);
		}
		print_name(p, node_at(p, i));
		fputc('\n', p->out);
		if (i == last)
			return;
	}
}

/* What a fractal fork leaves out. */
static void print_rest(struct print *p, int depth, uint64_t mask, uint64_t weight, uint64_t count, uint64_t whole)
{
	print_branch(p, depth, mask & ~(1ull << (depth - 1)));
	fputs("--", p->out);
	print_value(p, weight, count, whole);
	fputs("--[...]\n", p->out);
}

static void print_fork(struct print *p, uint32_t parent, uint64_t whole, int depth, uint64_t mask);

/* The fork that a run ends in, or a mark that it is too deep. */
static void print_below(struct print *p, uint32_t last, uint64_t whole, int depth, uint64_t mask)
{
	if (depth < DEPTH_MAX) {
		print_fork(p, last, whole, depth + 1, mask | 1ull << depth);
	} else if (shown(p, last, node_at(p, last)->first_child) != TREE_NONE) {
		print_branch(p, depth, mask);
		fprintf(p->out, "          [forks below the %dth are not shown]\n", DEPTH_MAX);
	}
}

/* The branches of a fork, and theirs: the depth is limited. */
static void print_fork(struct print *p, uint32_t parent, uint64_t whole, int depth, uint64_t mask)
{
	const struct tree_node *fork = node_at(p, parent);
	uint64_t rest = whole, rest_count = fork->total_count - fork->self_count, below = mask, n = 0;
	bool fractal = p->cfg->mode == CHAINS_FRACTAL;

	for (uint32_t i = shown(p, parent, fork->first_child), next; i != TREE_NONE; i = next) {
		const struct tree_node *node = node_at(p, i);
		uint32_t last = run_end(p, i);

		rest -= node->total < rest ? node->total : rest;
		rest_count -= node->total_count < rest_count ? node->total_count : rest_count;
		next = shown(p, parent, node->next_sibling);
		if (next == TREE_NONE && (!fractal || !rest))
			below &= ~(1ull << (depth - 1));
		print_lines(p, depth, mask);
		fputc('\n', p->out);
		print_run(p, i, last, depth, below, whole);
		print_below(p, last, fractal ? node_at(p, last)->total - node_at(p, last)->self : whole, depth, below);
		if (++n == p->cfg->limit)
			break;
	}
	if (fractal && rest && rest != whole && rest_count)
		print_rest(p, depth, below, rest, rest_count, whole);
}

/* A single run that has the whole row needs no share. Returns its last frame: the fork that follows. */
static uint32_t print_trunk(struct print *p, uint32_t first)
{
	uint32_t last = run_end(p, first);
	bool begun = false;
	uint64_t n = 0;

	for (uint32_t i = first;; i = node_at(p, i)->first_child) {
		if (i != first || !p->cfg->skip_first) {
			fprintf(p->out, begun ? "%*s" : "%*s|\n%*s---", MARGIN + p->margin, "", MARGIN + p->margin, "");
			p->margin += begun ? 0 : 3;
			begun = p->any = true;
			print_name(p, node_at(p, i));
			fputc('\n', p->out);
			if (++n == p->cfg->limit)
				return last;
		}
		if (i == last)
			return last;
	}
}

static void print_graph(struct print *p, uint64_t row)
{
	uint32_t first = shown(p, 0, node_at(p, 0)->first_child), fork = 0;
	bool alone = first != TREE_NONE && shown(p, 0, node_at(p, first)->next_sibling) == TREE_NONE;

	if (alone && node_at(p, first)->total == row)
		fork = print_trunk(p, first);
	print_fork(p, fork, p->cfg->mode == CHAINS_FRACTAL ? row : p->whole, 1, 1);
	if (p->any)
		fputc('\n', p->out);
}

static int heavier(const void *a, const void *b, void *arg)
{
	const struct tree_node *nodes = arg, *x = &nodes[*(const uint32_t *)a], *y = &nodes[*(const uint32_t *)b];

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The frames from the root of the tree to i. */
static uint32_t path_to(const struct print *p, uint32_t i, uint32_t *path)
{
	uint32_t n = 0;

	for (; i && n <= STACK_FRAMES_MAX + 2; i = node_at(p, i)->parent)
		path[n++] = i;
	return n;
}

static void print_chain(struct print *p, uint32_t i, uint32_t *path)
{
	const struct tree_node *node = node_at(p, i);
	const char *separator = p->cfg->separator ? p->cfg->separator : ";";
	uint32_t n = path_to(p, i, path);

	if (p->cfg->mode == CHAINS_FOLDED) {
		print_value(p, node->self, node->self_count, p->whole);
		for (uint32_t k = n; k-- > 0;) {
			fputs(k + 1 == n ? " " : separator, p->out);
			print_name(p, node_at(p, path[k]));
		}
		fputc('\n', p->out);
		return;
	}
	fprintf(p->out, "%*s", FLAT_MARGIN, "");
	print_value(p, node->total, node->total_count, p->whole);
	fputc('\n', p->out);
	for (uint32_t k = n; k-- > 0;) {
		fprintf(p->out, "%*s", FLAT_FRAME_MARGIN, "");
		print_name(p, node_at(p, path[k]));
		fputc('\n', p->out);
	}
	fputc('\n', p->out);
}

/* Each chain by itself, heaviest first. 0 or -ENOMEM. */
static int print_list(struct print *p)
{
	uint32_t *ends = malloc((p->tree->nodes.n + STACK_FRAMES_MAX + 3) * sizeof(*ends)), *path = ends + p->tree->nodes.n;
	size_t n = 0;

	if (!ends)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->tree->nodes.n; i++)
		if (node_at(p, i)->self && node_at(p, i)->self >= p->min_weight)
			ends[n++] = i;
	qsort_r(ends, n, sizeof(*ends), heavier, p->tree->nodes.data);
	for (size_t i = 0; i < n && (!p->cfg->limit || i < p->cfg->limit); i++)
		print_chain(p, ends[i], path);
	free(ends);
	return 0;
}

int render_chains(FILE *out, const struct tree *tree, uint64_t whole, uint64_t row, const struct chains_cfg *cfg)
{
	struct print p = { .out = out, .tree = tree, .cfg = cfg, .whole = whole };

	p.min_weight = (uint64_t)((double)whole * cfg->min_percent / 100);
	if (cfg->mode == CHAINS_GRAPH || cfg->mode == CHAINS_FRACTAL)
		print_graph(&p, row);
	else if (cfg->mode != CHAINS_NONE)
		return print_list(&p);
	return 0;
}
