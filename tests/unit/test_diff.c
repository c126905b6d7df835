/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has changed between runs: shares, and how likely it is by chance. The numbers are computed another way, by exact fractions and by integrals. */
#include "model/diff.h"
#include "model/treepair.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

#define RUNS_MAX 8

static void expect_near(double got, double want)
{
	if (fabs(got - want) > fabs(want) * 1e-6)
		fail_msg("got %.12g, want %.12g", got, want);
}

static void test_fisher(void **state)
{
	(void)state;
	expect_near(diff_fisher(3, 10, 9, 12), 0.08355730956350152);
	expect_near(diff_fisher(0, 1000, 7, 1000), 0.01546126619960746);
	expect_near(diff_fisher(40, 500, 60, 520), 0.05884291103366735);
	expect_near(diff_fisher(1, 10, 11, 14), 0.0027594561852200836);
	expect_near(diff_fisher(0, 10, 0, 10), 1);
	expect_near(diff_fisher(10, 10, 10, 10), 1);
	expect_near(diff_fisher(0, 0, 5, 10), 1);
}

static void test_proportions(void **state)
{
	(void)state;
	expect_near(diff_proportions(70, 1000, 100, 1000), 0.016155032073740413);
	expect_near(diff_proportions(100, 1000, 70, 1000), 0.016155032073740413);
	expect_near(diff_proportions(0, 0, 70, 1000), 1);
	expect_near(diff_proportions(1000, 1000, 500, 500), 1);
	/* Where both tests may be used, they say about the same */
	assert_true(fabs(log(diff_proportions(40, 500, 60, 520) / diff_fisher(40, 500, 60, 520))) < 0.3);
}

static void test_welch(void **state)
{
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0, 17.9 };
	static const double b[] = { 19.8, 20.4, 19.6, 17.8, 18.5, 18.9, 18.3, 18.9, 19.5, 22.0 };
	static const double before[] = { .30, .31, .29 }, after[] = { .40, .42, .41 }, far[] = { .1, .2 }, near[] = { .15, .16 }, same[] = { 1, 1 };

	(void)state;
	expect_near(diff_welch(a, 6, b, 10), 0.36772011840903407);
	expect_near(diff_welch(before, 3, after, 3), 0.0001756353825639323);
	expect_near(diff_welch(far, 2, near, 2), 0.9366194409542818);
	expect_near(diff_welch(same, 2, same, 2), 1);
	expect_near(diff_welch(same, 2, far, 2), diff_welch(far, 2, same, 2));
	assert_true(diff_welch(same, 2, before, 3) < 0.001);
}

struct runs {
	struct report table;
	uint16_t place[RUNS_MAX];
};

static void begin(struct runs *r, uint32_t n)
{
	static const struct report_request request = { .sort = "sym" };
	struct err err;

	assert_int_equal(report_init(&r->table, &request, &err), 0);
	for (uint16_t i = 0; i < RUNS_MAX; i++)
		r->place[i] = i;
	assert_int_equal(report_group(&r->table, n, r->place, 0), 0);
}

/* n samples that weigh so much in a function, of run number `run`. */
static void add_heavy(struct runs *r, uint16_t run, const char *function, uint64_t n, uint64_t weight)
{
	struct sample s = { .weight = n * weight, .count = n, .event = run };
	static struct stack st = { .n = 1 };
	struct named named = { .at = &s, .comm = "c", .stack = &st };

	st.frames[0] = (struct frame){ .name = function, .obj = "" };
	assert_int_equal(report_add(&r->table, &named), 0);
}

/* Of one ns. */
static void add(struct runs *r, uint16_t run, const char *function, uint64_t n)
{
	add_heavy(r, run, function, n, 1);
}

/* A row with more samples than the whole of the smaller side. */
static void test_small_side(void **state)
{
	static const char hot[] = "hot", grown[] = "grown";
	struct diff_row rows[2];
	struct runs r;

	(void)state;
	begin(&r, 2);
	add(&r, 0, hot, 6064);
	add(&r, 0, grown, 50);
	add(&r, 1, hot, 34);
	add(&r, 1, grown, 13);
	assert_int_equal(diff_make(&r.table, 1, NULL, rows), 0);
	assert_false(rows[1].few);
	expect_near(rows[1].p, diff_fisher(50, 6114, 13, 47));
	assert_true(rows[1].q < 1e-9);
	report_free(&r.table);
}

/* A budget that lowered the rate: nine samples of a second tell less than 484 of a hundredth, and shares are those of weights. */
static void test_uneven(void **state)
{
	static const char hot[] = "hot", cold[] = "cold";
	struct diff_row rows[2];
	struct runs r;

	(void)state;
	begin(&r, 2);
	add(&r, 0, hot, 1000);
	add(&r, 0, cold, 1000);
	for (int i = 0; i < 2; i++) {
		add_heavy(&r, 1, i ? cold : hot, 50, 1);
		add_heavy(&r, 1, i ? cold : hot, i ? 1 : 9, 100);
	}
	assert_int_equal(diff_make(&r.table, 1, NULL, rows), 0);
	/* 1,100 squared by 100 + 10 * 10,000 */
	expect_near(diff_even(1100, 100100), 1100.0 * 1100 / 100100);
	assert_int_equal(rows[0].before_even, 1000);
	assert_int_equal(rows[0].after_even + rows[1].after_even, 12);
	expect_near(rows[0].after, 950.0 / 1100);
	expect_near(rows[0].p, diff_proportions(1000, 2000, rows[0].after_even, 12));
	assert_int_equal(rows[0].after_count, 59);
	report_free(&r.table);
}

static void test_rows(void **state)
{
	static const char hot[] = "hot", cold[] = "cold", fresh[] = "fresh";
	struct diff_row rows[3];
	struct runs r;

	(void)state;
	begin(&r, 2);
	add(&r, 0, hot, 700);
	add(&r, 0, cold, 300);
	add(&r, 1, hot, 1200);
	add(&r, 1, cold, 740);
	add(&r, 1, fresh, 60);
	assert_int_equal(diff_make(&r.table, 1, NULL, rows), 0);
	expect_near(rows[0].before, 0.7);
	expect_near(rows[0].after, 0.6);
	expect_near(diff_ratio(&rows[0]), 6.0 / 7);
	expect_near(rows[0].p, diff_proportions(700, 1000, 1200, 2000));
	expect_near(rows[1].after, 0.37);
	assert_int_equal(rows[1].before_count, 300);
	assert_int_equal(rows[1].after_count, 740);
	expect_near(rows[2].p, diff_fisher(0, 1000, 60, 2000));
	expect_near(diff_ratio(&rows[2]), 0);
	/* The least likely of three as it would be one of three, the likeliest as it is; none more than a likelier one */
	expect_near(rows[0].q, fmin(rows[0].p * 1.5, rows[1].q));
	expect_near(rows[1].q, rows[1].p);
	expect_near(rows[2].q, fmin(rows[2].p * 3, rows[0].q));
	report_free(&r.table);
}

/* Ten times as many samples that differ between runs anyhow say no more than the runs do. */
static void test_several_runs(void **state)
{
	static const char hot[] = "hot", cold[] = "cold";
	static const uint64_t parts[] = { 700, 740, 660, 720, 690, 750 };
	struct diff_row rows[2];
	struct runs r;

	(void)state;
	begin(&r, 6);
	for (uint16_t run = 0; run < 6; run++) {
		add(&r, run, hot, parts[run] * 10);
		add(&r, run, cold, (1000 - parts[run]) * 10);
	}
	assert_int_equal(diff_make(&r.table, 3, NULL, rows), 0);
	expect_near(rows[0].before, 0.7);
	expect_near(rows[0].after, 0.72);
	expect_near(rows[0].before_weight, 7000);
	assert_int_equal(rows[0].before_count, 21000);
	assert_true(rows[0].p > 0.4 && rows[0].p < 0.7);
	assert_true(diff_proportions(21000, 30000, 21600, 30000) < 0.001);
	expect_near(rows[0].p, diff_welch((double[]){ .7, .74, .66 }, 3, (double[]){ .72, .69, .75 }, 3));
	/* One run before and several after are taken as counts */
	assert_int_equal(diff_make(&r.table, 1, NULL, rows), 0);
	expect_near(rows[0].p, diff_proportions(7000, 10000, 35600, 50000));
	report_free(&r.table);
}

/* Runs that are alike say nothing of how runs differ: one sample in each is no change. */
static void test_alike(void **state)
{
	static const char hot[] = "hot", rare[] = "rare";
	struct diff_row rows[2];
	struct runs r;

	(void)state;
	begin(&r, 4);
	for (uint16_t run = 0; run < 4; run++) {
		add(&r, run, hot, run < 2 ? 1000 : 999);
		if (run >= 2)
			add(&r, run, rare, 1);
	}
	assert_int_equal(diff_make(&r.table, 2, NULL, rows), 0);
	expect_near(rows[1].p, diff_fisher(0, 2000, 2, 2000));
	assert_true(rows[1].p > 0.4);
	report_free(&r.table);
}

static void test_nothing(void **state)
{
	struct runs r;

	(void)state;
	begin(&r, 2);
	assert_int_equal(diff_make(&r.table, 1, NULL, NULL), 0);
	report_free(&r.table);
}

/* main -> FUNCTION of an object, in one tree */
static void add_stack(struct tree *tree, struct strpool *pool, const char *obj, const char *function, uint16_t kind, uint64_t weight)
{
	const char *in = strpool_add(pool, obj);
	struct frame frames[] = { { .name = strpool_add(pool, "main"), .obj = in, .kind = FRAME_USER }, { .name = strpool_add(pool, function), .obj = in, .kind = kind } };

	assert_int_equal(tree_add(tree, frames, 2, weight, 1), 0);
}

static void test_trees(void **state)
{
	struct strpool *pool = strpool_new();
	struct tree before, after;
	struct treepair pair;
	uint32_t seen = 0;

	(void)state;
	assert_non_null(pool);
	assert_int_equal(tree_init(&before), 0);
	assert_int_equal(tree_init(&after), 0);
	add_stack(&before, pool, "/old/prog", "same", FRAME_INLINED, 30);
	add_stack(&before, pool, "/old/prog", "gone", FRAME_USER, 10);
	add_stack(&after, pool, "/new/prog", "same", FRAME_USER, 20);
	add_stack(&after, pool, "/new/prog", "came", FRAME_USER, 5);
	assert_int_equal(treepair_join(&pair, &before, &after, pool), 0);
	assert_int_equal(pair.tree.nodes.n, 5);
	assert_int_equal(pair.before.n, 5);
	for (size_t i = 0; i < pair.tree.nodes.n; i++) {
		const struct tree_node *n = &pair.tree.nodes.data[i];
		const struct tree_before *b = &pair.before.data[i];

		if (!strcmp(n->name, "same"))
			seen += n->self == 20 && b->self == 30 && b->self_count == 1;
		else if (!strcmp(n->name, "gone"))
			seen += !n->total && b->self == 10;
		else if (!strcmp(n->name, "came"))
			seen += n->self == 5 && !b->total;
		else
			seen += n->total == 25 && b->total == 40 && b->total_count == 2; /* all, main */
	}
	assert_int_equal(seen, 5);
	treepair_free(&pair);
	tree_free(&before);
	tree_free(&after);
	strpool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_fisher), cmocka_unit_test(test_proportions), cmocka_unit_test(test_welch),
		cmocka_unit_test(test_rows), cmocka_unit_test(test_small_side), cmocka_unit_test(test_uneven),   cmocka_unit_test(test_several_runs), cmocka_unit_test(test_alike), cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
