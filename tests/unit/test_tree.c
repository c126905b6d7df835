/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The call tree against totals added up by hand and against random stacks counted the slow way. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "profile.h"
#include "model/tree.h"

#define DEEP 200000u
#define RANDOM_STACKS 5000
#define RANDOM_DEPTH 24
#define BENCH_STACKS 200000
#define BENCH_DEPTH 32
#define BENCH_KINDS 8192

static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };

static struct frame frame_of(const char *name)
{
	return (struct frame){ .name = name, .obj = "obj" };
}

static uint32_t child_named(const struct tree *tree, uint32_t parent, const char *name)
{
	for (uint32_t i = tree->nodes.data[parent].first_child; i != TREE_NONE; i = tree->nodes.data[i].next_sibling)
		if (!strcmp(tree->nodes.data[i].name, name))
			return i;
	fail_msg("no child %s", name);
	return TREE_NONE;
}

static void totals_add_up(void **state)
{
	struct frame ab[] = { frame_of(names[0]), frame_of(names[1]) };
	struct frame ac[] = { frame_of(names[0]), frame_of(names[2]) };
	struct tree tree;
	uint32_t a, b;

	(void)state;
	assert_int_equal(tree_init(&tree), 0);
	assert_int_equal(tree_depth(&tree), 0);
	assert_int_equal(tree_add(&tree, ab, 2, 70, 7), 0);
	assert_int_equal(tree_add(&tree, ac, 2, 20, 2), 0);
	assert_int_equal(tree_add(&tree, ab, 1, 10, 1), 0);
	assert_int_equal(tree_add(&tree, NULL, 0, 5, 1), 0);
	tree_end(&tree, 0);
	assert_int_equal(tree.nodes.n, 4);
	assert_string_equal(tree.nodes.data[0].name, "all");
	assert_int_equal(tree.nodes.data[0].total, 105);
	assert_int_equal(tree.nodes.data[0].total_count, 11);
	assert_int_equal(tree.nodes.data[0].self, 5);
	a = child_named(&tree, 0, "a");
	assert_int_equal(tree.nodes.data[a].total, 100);
	assert_int_equal(tree.nodes.data[a].self, 10);
	assert_int_equal(tree.nodes.data[a].self_count, 1);
	b = child_named(&tree, a, "b");
	assert_int_equal(tree.nodes.data[b].total_count, 7);
	assert_int_equal(tree.nodes.data[b].parent, a);
	assert_int_equal(tree_depth(&tree), 2);
	tree_free(&tree);
}

/* Object and kind are part of a frame's identity; line and address are not. */
static void identity(void **state)
{
	struct frame f[] = {
		{ .name = names[0], .obj = names[1] },
		{ .name = names[0], .obj = names[2] },
		{ .name = names[0], .obj = names[1], .kind = FRAME_INLINED },
		{ .name = names[0], .obj = names[1], .line = 7, .addr = 9 },
		{ .name = names[0] },
	};
	struct tree tree;

	(void)state;
	assert_int_equal(tree_init(&tree), 0);
	for (size_t i = 0; i < sizeof(f) / sizeof(*f); i++)
		assert_int_equal(tree_add(&tree, &f[i], 1, 1, 1), 0);
	assert_int_equal(tree.nodes.n, 1 + 4);
	tree_free(&tree);
}

static void heaviest_line(void **state)
{
	struct frame f = { .name = names[0], .file = "x.c", .line = 1 };
	struct tree tree;

	(void)state;
	assert_int_equal(tree_init(&tree), 0);
	assert_int_equal(tree_add(&tree, &f, 1, 10, 1), 0);
	f.line = 2;
	for (int i = 0; i < 5; i++)
		assert_int_equal(tree_add(&tree, &f, 1, 9, 1), 0);
	f.line = 3;
	assert_int_equal(tree_add(&tree, &f, 1, 20, 1), 0);
	f.file = NULL;
	f.line = 0;
	assert_int_equal(tree_add(&tree, &f, 1, 1000, 1), 0);
	assert_string_equal(tree.nodes.data[1].file, "x.c");
	assert_int_equal(tree.nodes.data[1].line, 2);
	tree_free(&tree);
}

static void order(void **state)
{
	static const struct {
		int name, weight;
	} in[] = { { 3, 5 }, { 1, 9 }, { 4, 5 }, { 0, 1 }, { 2, 30 }, { 6, 5 }, { 5, 2 } };
	static const char by_weight[] = "cbdegfa", by_name[] = "abcdefg";
	struct tree tree;

	(void)state;
	assert_int_equal(tree_init(&tree), 0);
	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++) {
		struct frame f = frame_of(names[in[i].name]);

		assert_int_equal(tree_add(&tree, &f, 1, in[i].weight, 1), 0);
	}
	for (int named = 0; named < 2; named++) {
		const char *want = named ? by_name : by_weight;
		uint32_t at;

		tree_end(&tree, named);
		at = tree.nodes.data[0].first_child;
		for (; *want; want++, at = tree.nodes.data[at].next_sibling)
			assert_int_equal(tree.nodes.data[at].name[0], *want);
		assert_int_equal(at, TREE_NONE);
	}
	tree_free(&tree);
}

static void no_recursion_when_deep(void **state)
{
	struct frame *f = malloc(DEEP * sizeof(*f));
	struct tree tree;

	(void)state;
	assert_non_null(f);
	for (uint32_t i = 0; i < DEEP; i++)
		f[i] = frame_of(names[i % 8]);
	assert_int_equal(tree_init(&tree), 0);
	assert_int_equal(tree_add(&tree, f, DEEP, 1, 1), 0);
	tree_end(&tree, 0);
	assert_int_equal(tree_depth(&tree), DEEP);
	tree_free(&tree);
	free(f);
}

static uint32_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> 33;
}

/* Every node's total is its self and its children's totals, and each stack is found again with its weight. */
static void random_stacks(void **state)
{
	struct frame f[RANDOM_DEPTH];
	uint64_t x = 88172645463325252ULL, sum = 0, selfs = 0;
	struct tree tree;

	(void)state;
	assert_int_equal(tree_init(&tree), 0);
	for (int i = 0; i < RANDOM_STACKS; i++) {
		uint32_t n = next_random(&x) % RANDOM_DEPTH, weight = next_random(&x) % 100, at = 0;
		uint64_t before = 0;

		for (uint32_t k = 0; k < n; k++)
			f[k] = frame_of(names[next_random(&x) % 8]);
		for (uint32_t k = 0; k <= n && at != TREE_NONE; k++) {
			uint32_t c = k < n ? tree.nodes.data[at].first_child : at;

			while (k < n && c != TREE_NONE && tree.nodes.data[c].name != f[k].name)
				c = tree.nodes.data[c].next_sibling;
			at = c;
		}
		before = at == TREE_NONE ? 0 : tree.nodes.data[at].self;
		assert_int_equal(tree_add(&tree, f, n, weight, 1), 0);
		at = 0;
		for (uint32_t k = 0; k < n; k++)
			at = child_named(&tree, at, f[k].name);
		assert_int_equal(tree.nodes.data[at].self, before + weight);
		sum += weight;
	}
	for (int by_name = 0; by_name < 2; by_name++) {
		tree_end(&tree, by_name);
		selfs = 0;
		for (uint32_t i = 0; i < tree.nodes.n; i++) {
			const struct tree_node *node = &tree.nodes.data[i];
			uint64_t total = node->self, count = node->self_count;

			for (uint32_t c = node->first_child; c != TREE_NONE; c = tree.nodes.data[c].next_sibling) {
				assert_int_equal(tree.nodes.data[c].parent, i);
				total += tree.nodes.data[c].total;
				count += tree.nodes.data[c].total_count;
			}
			assert_int_equal(total, node->total);
			assert_int_equal(count, node->total_count);
			selfs += node->self;
		}
		assert_int_equal(selfs, sum);
		assert_int_equal(tree.nodes.data[0].total_count, RANDOM_STACKS);
	}
	tree_free(&tree);
}

/* A figure to print, not a test of the machine. */
static void cost(void **state)
{
	static struct frame stacks[BENCH_KINDS][BENCH_DEPTH];
	struct timespec from, to;
	uint64_t x = 1234567, ns;
	struct tree tree;

	(void)state;
	for (int i = 0; i < BENCH_KINDS; i++)
		for (int k = 0; k < BENCH_DEPTH; k++)
			stacks[i][k] = frame_of(names[next_random(&x) % (k < 12 ? 1 : 3)]);
	assert_int_equal(tree_init(&tree), 0);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < BENCH_STACKS; i++)
		assert_false(tree_add(&tree, stacks[(i * 7919) % BENCH_KINDS], BENCH_DEPTH, 1, 1));
	clock_gettime(CLOCK_MONOTONIC, &to);
	ns = (to.tv_sec - from.tv_sec) * 1000000000ULL + to.tv_nsec - from.tv_nsec;
	print_message("tree_add: %.1f ns a frame, %zu nodes\n", (double)ns / BENCH_STACKS / BENCH_DEPTH, tree.nodes.n);
	tree_free(&tree);
}

static void every_loss_has_words(void **state)
{
	(void)state;
	for (int i = 0; i < LOSS_MAX; i++) {
		assert_string_not_equal(loss_name(i), "unknown");
		assert_string_not_equal(loss_text(i), "unknown reason");
		for (int k = 0; k < i; k++)
			assert_string_not_equal(loss_name(i), loss_name(k));
	}
	assert_string_equal(loss_name(LOSS_MAX), "unknown");
	assert_true(loss_is_whole(LOSS_RING_FULL) && loss_is_whole(LOSS_INTERNAL) && loss_is_whole(LOSS_FILE));
	assert_false(loss_is_whole(LOSS_CUT_DEPTH) || loss_is_whole(LOSS_UNNAMED) || loss_is_whole(LOSS_MAX));
}

static void notes(void **state)
{
	static struct profile p;
	char longest[2 * NOTE_BYTES];

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	profile_note(&p, "%s", longest);
	profile_note(&p, "%s", longest);
	assert_int_equal(p.nr_notes, 1);
	assert_int_equal(strlen(p.notes[0]), NOTE_BYTES - 1);
	for (int i = 0; i < 2 * NOTES_MAX; i++)
		profile_note(&p, "note %d", i / 2);
	assert_int_equal(p.nr_notes, NOTES_MAX);
	assert_string_equal(p.notes[NOTES_MAX - 1], "note 6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_add_up),   cmocka_unit_test(identity),
		cmocka_unit_test(heaviest_line),   cmocka_unit_test(order),
		cmocka_unit_test(no_recursion_when_deep), cmocka_unit_test(random_stacks),
		cmocka_unit_test(cost),		   cmocka_unit_test(every_loss_has_words),
		cmocka_unit_test(notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
