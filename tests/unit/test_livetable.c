/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table that goes on: what came between two refreshes, and the order of the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/livetable.h"
#include "sample.h"

#define BUSY "busy"
#define LATE "late"
#define NEW "new"
#define FAR 70 /* more refreshes than are kept */

static uint64_t whole;

static void hit(struct live_table *t, const char *comm, uint64_t weight)
{
	static struct stack st = { .n = 1, .frames = { { .name = "f", .obj = "o" } } };
	struct sample s = { .pid = 1, .tid = 1, .weight = weight, .count = 1 };
	struct named named = { .at = &s, .comm = comm, .stack = &st };

	assert_int_equal(report_add(&t->table, &named), 0);
	whole += weight;
}

static void make(struct live_table *t)
{
	struct err err;

	whole = 0;
	assert_int_equal(live_table_init(t, &(struct report_request){ .sort = "comm" }, &err), 0);
}

/* Row i is comm's, with `now` since the last refresh and `self` in all. */
static void expect(const struct live_table *t, size_t i, const char *comm, uint64_t now, uint64_t self)
{
	assert_string_equal(t->shown.rows.data[i].comm, comm);
	assert_int_equal(t->shown.rows.data[i].now, now);
	assert_int_equal(t->shown.rows.data[i].self, self);
}

static uint16_t share(const struct live_table *t, size_t i, uint32_t ago)
{
	uint16_t shares[LIVE_ROUNDS];

	live_table_history(t, &t->shown.rows.data[i], 1, LIVE_ROUNDS, shares);
	return shares[LIVE_ROUNDS - 1 - ago];
}

static void grows(void **state)
{
	struct live_table t;

	(void)state;
	make(&t);
	assert_int_equal(live_table_round(&t, whole), 0);
	assert_int_equal(t.shown.rows.n, 0);
	hit(&t, BUSY, 30);
	hit(&t, BUSY, 60);
	hit(&t, LATE, 10);
	assert_int_equal(live_table_round(&t, whole), 0);
	assert_int_equal(t.shown.rows.n, 2);
	assert_int_equal(t.shown.whole_now, 100);
	expect(&t, 0, BUSY, 90, 90);
	expect(&t, 1, LATE, 10, 10);
	/* The order is that of what came now */
	hit(&t, LATE, 20);
	hit(&t, BUSY, 5);
	assert_int_equal(live_table_round(&t, whole), 0);
	assert_int_equal(t.shown.whole_now, 25);
	expect(&t, 0, LATE, 20, 30);
	expect(&t, 1, BUSY, 5, 95);
	/* and of the totals where nothing came */
	assert_int_equal(live_table_round(&t, whole), 0);
	assert_int_equal(t.shown.whole_now, 0);
	expect(&t, 0, BUSY, 0, 95);
	expect(&t, 1, LATE, 0, 30);
	live_table_free(&t);
}

/* Two refreshes: BUSY has 3/4 of the first and nothing of the second, which is all LATE's. */
static void make_two_rounds(struct live_table *t)
{
	make(t);
	hit(t, BUSY, 30);
	hit(t, LATE, 10);
	assert_int_equal(live_table_round(t, whole), 0);
	hit(t, LATE, 10);
	assert_int_equal(live_table_round(t, whole), 0);
}

static void history(void **state)
{
	struct live_table t;

	(void)state;
	make_two_rounds(&t);
	expect(&t, 0, LATE, 10, 20);
	assert_int_equal(share(&t, 0, 0), LIVE_SHARE_ONE);
	assert_int_equal(share(&t, 0, 1), LIVE_SHARE_ONE / 4);
	assert_int_equal(share(&t, 1, 0), 0);
	assert_int_equal(share(&t, 1, 1), LIVE_SHARE_ONE * 3 / 4);
	assert_int_equal(share(&t, 1, 2), 0); /* before the start */
	for (int i = 0; i < FAR; i++)
		assert_int_equal(live_table_round(&t, whole), 0);
	for (uint32_t ago = 0; ago < LIVE_ROUNDS; ago++)
		assert_int_equal(share(&t, 0, ago), 0);
	live_table_free(&t);
}

/* Of two refreshes each: the last one is of one refresh until there is another. */
static void history_of_spans(void **state)
{
	struct live_table t;
	uint16_t shares[3];

	(void)state;
	make_two_rounds(&t);
	live_table_history(&t, &t.shown.rows.data[0], 2, 3, shares);
	assert_int_equal(shares[0], 0); /* before the start */
	assert_int_equal(shares[1], 0);
	assert_int_equal(shares[2], LIVE_SHARE_ONE * 5 / 8);
	hit(&t, LATE, 10);
	assert_int_equal(live_table_round(&t, whole), 0);
	live_table_history(&t, &t.shown.rows.data[0], 2, 3, shares);
	assert_int_equal(shares[1], LIVE_SHARE_ONE * 5 / 8);
	assert_int_equal(shares[2], LIVE_SHARE_ONE);
	hit(&t, BUSY, 10);
	hit(&t, LATE, 30);
	assert_int_equal(live_table_round(&t, whole), 0);
	live_table_history(&t, &t.shown.rows.data[0], 2, 3, shares);
	assert_int_equal(shares[1], LIVE_SHARE_ONE * 5 / 8);
	assert_int_equal(shares[2], LIVE_SHARE_ONE * 7 / 8);
	live_table_free(&t);
}

/* Since the mark BUSY has a quarter, where it had nine tenths. */
static void changes(void **state)
{
	struct live_table t;

	(void)state;
	make(&t);
	hit(&t, BUSY, 90);
	hit(&t, LATE, 10);
	assert_int_equal(live_table_round(&t, whole), 0);
	assert_true(live_table_change(&t, &t.shown.rows.data[0]) == 0);
	live_table_mark(&t);
	hit(&t, BUSY, 10);
	hit(&t, LATE, 20);
	hit(&t, NEW, 10);
	t.by_change = true;
	assert_int_equal(live_table_round(&t, whole), 0);
	expect(&t, 0, BUSY, 10, 100);
	assert_float_equal(live_table_change(&t, &t.shown.rows.data[0]), 0.25 - 0.9, 1e-9);
	expect(&t, 1, LATE, 20, 30);
	assert_float_equal(live_table_change(&t, &t.shown.rows.data[1]), 0.5 - 0.1, 1e-9);
	expect(&t, 2, NEW, 10, 10);
	assert_float_equal(live_table_change(&t, &t.shown.rows.data[2]), 0.25, 1e-9);
	live_table_free(&t);
}

static void zero(void **state)
{
	struct live_table t, was = { 0 };

	(void)state;
	make(&t);
	hit(&t, BUSY, 30);
	assert_int_equal(live_table_round(&t, whole), 0);
	assert_int_equal(live_table_zero(&t, &was), 0);
	expect(&was, 0, BUSY, 30, 30);
	assert_int_equal(share(&was, 0, 0), LIVE_SHARE_ONE);
	live_table_free(&was);
	assert_int_equal(t.shown.rows.n, 0);
	whole = 0;
	hit(&t, LATE, 7);
	assert_int_equal(live_table_round(&t, whole), 0);
	assert_int_equal(t.shown.rows.n, 1);
	expect(&t, 0, LATE, 7, 7);
	live_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(history),
		cmocka_unit_test(history_of_spans),
		cmocka_unit_test(changes),
		cmocka_unit_test(zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
