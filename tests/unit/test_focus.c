/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Callers and callees of a function, by hand and against random stacks that are counted the slow way; and the lines of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/calllines.h"

#define RANDOM_STACKS 3000
#define RANDOM_DEPTH 12
#define NR_NAMES 6

static const char *const names[NR_NAMES] = { "a", "b", "c", "d", "e", "f" };
static const char foot_one[] = "one", foot_two[] = "two", object[] = "obj", none[] = "";

static struct frame frame_of(const char *name)
{
	return (struct frame){ .name = name, .obj = object };
}

static struct frame foot_of(const char *name)
{
	return (struct frame){ .name = name, .obj = none, .kind = FRAME_MARK };
}

static bool is_named(const void *arg, const struct tree_node *node)
{
	return node->name == arg;
}

static bool is_one(const void *arg, const char *name)
{
	(void)arg;
	return !strcmp(name, foot_one);
}

static void add(struct tree *t, const char *foot, const char *path, uint64_t weight)
{
	struct frame frames[32];
	uint32_t n = 0;

	if (foot)
		frames[n++] = foot_of(foot);
	for (; *path; path++)
		frames[n++] = frame_of(names[*path - 'a']);
	assert_int_equal(tree_add(t, frames, n, weight, 1), 0);
}

static uint64_t total_of(const struct tree *t, const char *path)
{
	uint32_t at = 0;

	for (; *path; path++) {
		uint32_t i = t->nodes.data[at].first_child;

		while (i != TREE_NONE && t->nodes.data[i].name != names[*path - 'a'])
			i = t->nodes.data[i].next_sibling;
		if (i == TREE_NONE)
			return 0;
		at = i;
	}
	return t->nodes.data[at].total;
}

static void make_tree(struct tree *t)
{
	assert_int_equal(tree_init(t), 0);
	add(t, foot_one, "abc", 10);
	add(t, foot_one, "abcd", 20);
	add(t, foot_one, "dc", 5);
	add(t, foot_one, "ab", 100);
	add(t, foot_two, "abcb", 40);
	add(t, foot_two, "acbc", 7); /* c calls itself by b */
	tree_end(t, 0);
}

static void both_ways(void **state)
{
	struct focus_match m = { NULL, is_named, names[2] };
	struct focus f;
	struct tree t;

	(void)state;
	make_tree(&t);
	assert_int_equal(focus_make(&t, true, &m, &f), 0);
	assert_int_equal(f.total, 82);
	assert_int_equal(f.total_count, 5);
	assert_int_equal(f.self, 22); /* with the 7 of the inner c, which is what the stack ends with */
	assert_int_equal(total_of(&f.callers, "b"), 70);
	assert_int_equal(total_of(&f.callers, "ba"), 70);
	assert_int_equal(total_of(&f.callers, "d"), 5);
	assert_int_equal(total_of(&f.callers, "a"), 7);
	assert_int_equal(total_of(&f.callees, "d"), 20);
	assert_int_equal(total_of(&f.callees, "b"), 47);
	assert_int_equal(total_of(&f.callees, "bc"), 7);
	assert_int_equal(f.callers.nodes.data[0].total, 82);
	assert_int_equal(f.callees.nodes.data[0].total, 82);
	focus_free(&f);
	/* of one thread */
	m.is_root = is_one;
	assert_int_equal(focus_make(&t, true, &m, &f), 0);
	assert_int_equal(f.total, 35);
	assert_int_equal(total_of(&f.callers, "b"), 30);
	focus_free(&f);
	/* the thread itself */
	m.is_node = NULL;
	assert_int_equal(focus_make(&t, true, &m, &f), 0);
	assert_int_equal(f.total, 135);
	assert_int_equal(f.callers.nodes.n, 1);
	assert_int_equal(total_of(&f.callees, "ab"), 130);
	focus_free(&f);
	tree_free(&t);
}

static void nothing_there(void **state)
{
	struct focus_match m = { NULL, is_named, "nobody" };
	struct call_lines lines = { 0 };
	struct focus f;
	struct tree t;

	(void)state;
	assert_int_equal(tree_init(&t), 0);
	tree_end(&t, 0);
	assert_int_equal(focus_make(&t, true, &m, &f), 0);
	assert_int_equal(f.total, 0);
	assert_int_equal(call_lines_make(&lines, &f, false), 0);
	assert_int_equal(lines.lines.n, 3);
	call_lines_free(&lines);
	focus_free(&f);
	tree_free(&t);
}

static void random_stacks(void **state)
{
	uint64_t total = 0, self = 0, called_by[NR_NAMES] = { 0 }, calls[NR_NAMES] = { 0 };
	struct focus_match m = { NULL, is_named, names[0] };
	struct focus f;
	struct tree t;

	(void)state;
	assert_int_equal(tree_init(&t), 0);
	srand(1);
	for (int i = 0; i < RANDOM_STACKS; i++) {
		char path[RANDOM_DEPTH + 1] = "";
		int n = rand() % RANDOM_DEPTH;
		uint64_t weight = (uint64_t)rand() % 100 + 1;
		const char *first;

		for (int k = 0; k < n; k++)
			path[k] = (char)('a' + rand() % NR_NAMES);
		add(&t, NULL, path, weight);
		first = strchr(path, 'a');
		if (!first)
			continue;
		total += weight;
		if (path[n - 1] == 'a')
			self += weight;
		if (first[1])
			calls[first[1] - 'a'] += weight;
		if (first > path)
			called_by[first[-1] - 'a'] += weight;
	}
	tree_end(&t, 0);
	assert_int_equal(focus_make(&t, false, &m, &f), 0);
	assert_int_equal(f.total, total);
	assert_int_equal(f.self, self);
	for (int i = 0; i < NR_NAMES; i++) {
		char path[] = { (char)('a' + i), '\0' };

		assert_int_equal(total_of(&f.callers, path), called_by[i]);
		assert_int_equal(total_of(&f.callees, path), calls[i]);
	}
	focus_free(&f);
	tree_free(&t);
}

/* "kind depth name open", of each line */
static void expect_lines(const struct call_lines *c, const char *const *want)
{
	size_t i = 0;

	for (; want[i]; i++) {
		const struct call_line *l = &c->lines.data[i];
		char text[64];

		assert_true(i < c->lines.n);
		snprintf(text, sizeof(text), "%d%d%s%s", l->kind, l->depth, l->node ? l->node->name : "", !l->has_more ? "" : l->is_open ? "-" : "+");
		assert_string_equal(text, want[i]);
	}
	assert_int_equal(c->lines.n, i);
}

/* b has more than a tenth, both as a caller and as a callee: it is open until it is closed by hand, and stays so in the next focus. */
static void lines_open_and_close(void **state)
{
	static const char *const first[] = { "00", "10", "20b-", "21a", "20a", "20d", "30", "40b-", "41c", "41d", "40d", NULL };
	static const char *const closed[] = { "00", "10", "20b+", "20a", "20d", "30", "40b+", "40d", NULL };
	static const char *const callers[] = { "20b+", "20a", "20d", NULL };
	struct focus_match m = { NULL, is_named, names[2] };
	struct call_lines lines = { 0 };
	struct focus f;
	struct tree t;

	(void)state;
	make_tree(&t);
	add(&t, foot_two, "abcbd", 1); /* so that c is not alone below b */
	tree_end(&t, 0);
	assert_int_equal(focus_make(&t, true, &m, &f), 0);
	assert_int_equal(call_lines_make(&lines, &f, false), 0);
	expect_lines(&lines, first);
	assert_int_equal(call_lines_turn(&lines, lines.lines.data[2].path, false), 0);
	assert_int_equal(call_lines_turn(&lines, lines.lines.data[7].path, false), 0);
	focus_free(&f);
	assert_int_equal(focus_make(&t, true, &m, &f), 0);
	assert_int_equal(call_lines_make(&lines, &f, false), 0);
	expect_lines(&lines, closed);
	assert_int_equal(call_lines_make(&lines, &f, true), 0);
	expect_lines(&lines, callers);
	call_lines_free(&lines);
	focus_free(&f);
	tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(random_stacks),
		cmocka_unit_test(lines_open_and_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
