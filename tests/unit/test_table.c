/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of a schema: summed by key, taken apart by rounds, sorted, asked for by words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/columns.h"
#include "event/rowfilter.h"
#include "model/table.h"
#include "render/rows/rowlines.h"
#include "render/rows/rows.h"

enum { NAME, ID, BORN, CALLS, TIME, MAX, AT, MEAN, P99, SLOTS, WHY, MIN, N };

static const struct column columns[N] = {
	[NAME] = { "name", "name", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[ID] = { "id", "id", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
	[BORN] = { "born_ns", "born", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_JSON },
	[CALLS] = { "calls", "calls", "calls", VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7 },
	[TIME] = { "time_ns", "time", "time", VALUE_DURATION, ROLE_SUM, IN_ALL, .width = 7 },
	[MAX] = { "max_ns", "max", "max", VALUE_DURATION, ROLE_MAX, IN_ALL, 7, .of = SLOTS },
	[AT] = { "max_at_ns", "at", NULL, VALUE_MOMENT, ROLE_AT, IN_ALL, 7, .of = MAX, .spare = 1 },
	[MEAN] = { "mean_ns", "mean", "mean", VALUE_DURATION, ROLE_MEAN, IN_ALL, 7, .of = TIME, .per = CALLS },
	[P99] = { "p99_ns", "p99", NULL, VALUE_DURATION, ROLE_QUANTILE, IN_ALL, 7, .of = SLOTS, .part = 0.99 },
	[SLOTS] = { "slots", "slots", NULL, VALUE_HIST, ROLE_HIST, IN_TEXT | IN_JSON, 20, .of = MAX },
	[MIN] = { "min_ns", NULL, NULL, VALUE_DURATION, ROLE_MIN, .of = SLOTS },
	[WHY] = { "why", NULL, NULL, VALUE_REASONS, ROLE_REASONS, .in = IN_TEXT | IN_JSON },
};
static const struct schema schema = { columns, N, .count = CALLS, .sort = TIME };
#define BY_NAME (1ull << NAME)
#define BY_ID (1ull << ID)

struct call {
	const char *name;
	uint64_t id, calls, time, max, min, at, slots[HIST_SLOTS];
	struct reason why[REASONS_MAX];
	bool is_total, is_other;
};

static struct call call(const char *name, uint64_t id, uint64_t calls, uint64_t each)
{
	struct call c = { .name = name, .id = id, .calls = calls, .time = calls * each, .max = each, .min = calls ? each : UINT64_MAX, .at = 1000 + each };

	c.slots[each ? 63 - __builtin_clzll(each) : 0] = calls;
	return c;
}

static struct call total(struct call c)
{
	c.is_total = true;
	return c;
}

static void add(struct table *t, struct call c)
{
	const struct value values[N] = { [NAME].text = c.name, [ID].num = c.id, [CALLS].num = c.calls, [TIME].num = c.time, [MAX].num = c.max,
					 [MIN].num = c.min, [AT].num = c.at, [SLOTS].slots = c.slots, [WHY].reasons = c.why };
	const struct row row = { .schema = &schema, .values = values, .is_total = c.is_total, .label = c.is_other ? "(other)" : NULL,
				 .rank = c.is_other };

	assert_int_equal(table_add(t, &row), 0);
}

static uint64_t number(const struct table *t, size_t row, size_t column)
{
	assert_true(row < t->sorted.n);
	return (uint64_t)row_number(&t->sorted.data[row], column, 1);
}

static void expect_name(const struct table *t, size_t row, const char *name)
{
	assert_true(row < t->sorted.n);
	assert_string_equal(t->sorted.data[row].values[NAME].text, name);
}

static void test_rounds(void **state)
{
	struct call again = total(call("c", 0, 4, 4));
	struct table t;
	char name[] = "a";

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_NAME), 0);
	add(&t, call(name, 7, 1, 4));
	name[0] = 'b'; /* names are the table's own */
	add(&t, call(name, 7, 1, 2));
	add(&t, call("a", 8, 1, 8)); /* id is not in the key */
	add(&t, total(call("c", 0, 1, 4)));
	add(&t, total(call("c", 0, 1, 1))); /* of another CPU */
	assert_int_equal(table_round(&t, TIME), 0);
	assert_int_equal(t.sorted.n, 3);
	expect_name(&t, 0, "a");
	assert_int_equal(number(&t, 0, CALLS), 2);
	assert_int_equal(number(&t, 0, MAX), 8);
	assert_int_equal(number(&t, 0, AT), 1008);
	assert_int_equal(number(&t, 0, MIN), 4);
	assert_int_equal(number(&t, 0, MEAN), 6);
	expect_name(&t, 1, "c");
	assert_int_equal(number(&t, 1, TIME), 5);
	assert_int_equal(number(&t, 1, MIN), 1);
	assert_int_equal(number(&t, 2, MIN), 2);
	/* Of totals what was reported is not again; a maximum, or minimum, that is no new one is right to its slot, its time is not known */
	again.time = 10;
	memset(again.slots, 0, sizeof(again.slots));
	again.slots[0] = 1;
	again.slots[1] = 2;
	again.slots[2] = 1;
	again.min = 1;
	add(&t, again);
	add(&t, call("b", 0, 0, 0)); /* nothing was called: no row */
	assert_int_equal(table_round(&t, TIME), 0);
	assert_int_equal(t.sorted.n, 1);
	assert_int_equal(number(&t, 0, CALLS), 2);
	assert_int_equal(number(&t, 0, TIME), 5);
	assert_int_equal(number(&t, 0, MAX), 3);
	assert_int_equal(number(&t, 0, MIN), 2);
	assert_int_equal(number(&t, 0, AT), 0);
	assert_int_equal(number(&t, 0, P99), 3);
	/* A key that is not delivered is forgotten: what comes later is new */
	assert_int_equal(table_round(&t, TIME), 0);
	assert_int_equal(t.sorted.n, 0);
	add(&t, again);
	assert_int_equal(table_round(&t, TIME), 0);
	assert_int_equal(number(&t, 0, CALLS), 4);
	table_free(&t);
}

/* What counts for nothing yet is in the next row that counts: rounds add up to the whole. */
static void test_late(void **state)
{
	struct call c = total(call("a", 0, 1, 10));
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_NAME), 0);
	add(&t, c);
	assert_int_equal(table_round(&t, TIME), 0);
	c.time = 15;
	add(&t, c);
	assert_int_equal(table_round(&t, TIME), 0);
	assert_int_equal(t.sorted.n, 0);
	c.time = 30;
	c.calls = 2;
	add(&t, c);
	assert_int_equal(table_round(&t, TIME), 0);
	assert_int_equal(number(&t, 0, CALLS), 1);
	assert_int_equal(number(&t, 0, TIME), 20);
	table_free(&t);
}

static void test_order(void **state)
{
	static const int sorts[] = { CALLS, TIME, MAX, MEAN };
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_NAME | BY_ID), 0);
	for (size_t round = 0; round < sizeof(sorts) / sizeof(*sorts); round++) {
		for (uint64_t id = 1; id < 200; id++) {
			struct call c = call("x", id, 10, id);
			bool most = id == 100 + round;

			c.calls += 1000 * (most && !round);
			c.time += 100000 * (most && (round == 1 || round == 3));
			c.max += 1000 * (most && round == 2);
			c.is_other = id == 199;
			add(&t, c);
		}
		assert_int_equal(table_round(&t, sorts[round]), 0);
		assert_int_equal(t.sorted.n, 199);
		assert_int_equal(number(&t, 0, ID), 100 + round);
		assert_string_equal(t.sorted.data[198].label, "(other)");
	}
	table_free(&t);
}

static void test_many(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_ID), 0);
	for (uint64_t round = 1; round <= 3; round++) {
		for (uint64_t i = 0; i < 200000; i++)
			add(&t, i % 2 ? call("x", i % 1000, 1, 1) : total(call("x", i % 1000, round, 1)));
		assert_int_equal(table_round(&t, CALLS), 0);
		assert_int_equal(t.sorted.n, 1000);
		assert_int_equal(number(&t, 0, CALLS), 200);
		assert_int_equal(number(&t, 999, CALLS), 200);
	}
	table_free(&t);
}

static void test_reasons(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	const struct reason *why;
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_NAME), 0);
	for (size_t i = 0; i < 10; i++) {
		struct call c = call("x", 0, 1, 1);

		c.why[0] = (struct reason){ names[i % 5], 1 };
		add(&t, c);
	}
	assert_int_equal(table_round(&t, CALLS), 0);
	why = t.sorted.data[0].values[WHY].reasons;
	assert_string_equal(why[0].name, "a");
	assert_int_equal(why[2].n, 2);
	assert_string_equal(why[3].name, "...");
	assert_int_equal(why[3].n, 4);
	table_free(&t);
}

static void test_words(void **state)
{
	struct err err = {};
	uint64_t keys;
	int column;

	(void)state;
	assert_int_equal(columns_by("id,name", &schema, NULL, &keys, &err), 0);
	assert_int_equal(keys, BY_NAME | BY_ID);
	assert_int_equal(columns_by("id,nmae", &schema, NULL, &keys, &err), -EINVAL);
	assert_non_null(strstr(err.text, "bad key 'nmae' in --by"));
	assert_non_null(strstr(err.hint, "similar: name; keys are name, id"));
	assert_int_equal(columns_by("", &schema, NULL, &keys, &err), -EINVAL);
	assert_int_equal(columns_by("id,", &schema, NULL, &keys, &err), -EINVAL);
	assert_int_equal(columns_by("calls", &schema, NULL, &keys, &err), -EINVAL);
	assert_int_equal(columns_by("born_ns", &schema, NULL, &keys, &err), -EINVAL);
	assert_int_equal(columns_sort(NULL, &schema, &column, &err), 0);
	assert_int_equal(column, TIME);
	assert_int_equal(columns_sort("mean", &schema, &column, &err), 0);
	assert_int_equal(column, MEAN);
	assert_int_equal(columns_sort("name", &schema, &column, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "orders are calls, time, max, mean"));
}

static void test_csv(void **state)
{
	struct rows_view view = { .keys = BY_NAME, .separator = "," };
	struct table t;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_NAME), 0);
	add(&t, call("a,b\n", 0, 1, 4));
	add(&t, (struct call){ .name = "exact", .calls = (1ull << 53) + 1 });
	assert_int_equal(table_round(&t, TIME), 0);
	rows_choose(&view, rows_format("csv"), &schema, NULL, 0);
	assert_int_equal(rows_render(f, rows_format("csv"), &t, &view), 0);
	fclose(f);
	assert_string_equal(text, "calls,time_ns,max_ns,max_at_ns,mean_ns,p99_ns,name\n1,4,4,1004,4,4,\"a,b\\x0a\"\n9007199254740993,0,0,,0,,exact\n");
	free(text);
	table_free(&t);
}

#define ALL ((1ull << N) - 1)

static void test_fields(void **state)
{
	struct err err = { 0 };
	uint8_t fields[ROW_COLUMNS_MAX];
	size_t n;

	(void)state;
	assert_int_equal(columns_fields("time,name,time_ns,max_at,calls", &schema, ALL, fields, &n, &err), 0);
	assert_int_equal(n, 4);
	assert_memory_equal(fields, ((uint8_t[]){ TIME, NAME, AT, CALLS }), 4);
	assert_int_equal(columns_fields("name,tmie", &schema, ALL, fields, &n, &err), -EINVAL);
	assert_int_equal(err.exit, EXIT_USAGE);
	assert_string_equal(err.text, "bad column 'tmie' in --fields\n      name,tmie\n           ^");
	assert_non_null(strstr(err.hint, "similar: time; columns are name, id"));
	assert_int_equal(columns_fields("", &schema, ALL, fields, &n, &err), -EINVAL);
	assert_int_equal(columns_fields("name,", &schema, ALL, fields, &n, &err), -EINVAL);
	assert_int_equal(columns_fields("_ns", &schema, ALL, fields, &n, &err), -EINVAL);
	assert_int_equal(columns_fields("max_n", &schema, ALL, fields, &n, &err), -EINVAL);
	assert_int_equal(columns_fields("slots", &schema, ALL & ~(1ull << SLOTS), fields, &n, &err), -EINVAL);
}

static size_t user_text(const void *arg, const struct row *row, size_t column, char *buf, size_t size)
{
	(void)arg;
	return snprintf(buf, size, "%s", row->values[column].num ? "nobody" : "root");
}

enum { F_COMM, F_USER, F_WAIT, F_CALLS, F_MEAN, F_AT, F_FLAG, F_STACK, F_WHY, F_N };

static const struct column filtered[F_N] = {
	[F_COMM] = { "comm", NULL, NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
	[F_USER] = { "user", NULL, NULL, VALUE_USER, ROLE_KEY, .in = IN_ALL },
	[F_WAIT] = { "wait_ns", NULL, NULL, VALUE_DURATION, ROLE_SUM, .in = IN_ALL },
	[F_CALLS] = { "calls", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = IN_ALL },
	[F_MEAN] = { "mean_ns", NULL, NULL, VALUE_DURATION, ROLE_MEAN, IN_ALL, .of = F_WAIT, .per = F_CALLS },
	[F_AT] = { "time", NULL, NULL, VALUE_SECONDS, ROLE_TIME, .in = IN_ALL },
	[F_FLAG] = { "shared", NULL, NULL, VALUE_FLAG, ROLE_INFO, .in = IN_ALL },
	[F_STACK] = { "stack", NULL, NULL, VALUE_STACK, ROLE_INFO, .in = IN_ALL },
	[F_WHY] = { "why", NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_ALL },
};
static const struct schema filter_schema = { filtered, F_N, -1 };

static bool holds(const char *text, const struct value *values, uint64_t none)
{
	const struct row row = { .schema = &filter_schema, .values = values, .none = none };
	struct rowfilter f = { .text = user_text };
	struct err err = { 0 };
	bool holds;

	assert_int_equal(rowfilter_parse(&f, text, &filter_schema, (1ull << F_N) - 1, &err), 0);
	holds = rowfilter_holds(&f, &row, 1);
	rowfilter_free(&f);
	return holds;
}

static void test_filter(void **state)
{
	const struct value v[F_N] = { [F_COMM].text = "make", [F_USER].num = 1000, [F_WAIT].num = 12000000, [F_CALLS].num = 4,
				      [F_AT].num = (uint64_t)-5000000, [F_FLAG].num = 1, [F_WHY].text = "a \"b\"" };
	static const char *const yes[] = {
		"wait > 10ms && comm == \"make\"", "wait_ns == 12ms", "wait in 1ms..12ms", "mean == 3ms", "comm ~ \"m*\"", "comm !~ \"c*\"", "\"make\" == comm",
		"comm != why", "user == 1000", "user == \"nobody\"", "user ~ \"no*\"", "time < 0", "time == -5ms", "shared", "!(calls == 5)", "calls * 2 + 1 == 9",
		"wait / calls == mean", "calls % 3 == 1", "calls - 5 < 0", "0 || calls", "calls = 4", "calls < 1K", "calls / 0 > 1 || 1",
	};
	static const char *const no[] = {
		"wait > 12ms", "comm == \"Make\"", "comm != \"make\"", "!shared", "calls / 0 == 0", "calls % 0 == 0", "calls / 0", "user == 0", "user == \"root\"",
		"0 && calls", "calls && 0", "wait in 13ms..20ms",
	};
	static const char *const unknown[] = { "wait > 0", "wait <= 0", "wait == 0", "wait != 0", "mean > wait", "comm == \"make\"", "comm != \"make\"",
					       "comm !~ \"x\"", "user == \"nobody\"", "-wait < 1", "wait", "wait + 1 > 0" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!holds(yes[i], v, 0))
			fail_msg("%s is false", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (holds(no[i], v, 0))
			fail_msg("%s is true", no[i]);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		if (holds(unknown[i], v, 1 << F_COMM | 1 << F_USER | 1 << F_WAIT))
			fail_msg("%s is true, and nothing is known", unknown[i]);
	assert_true(holds("!(wait > 0)", v, 1 << F_WAIT));
}

static void test_bad_filter(void **state)
{
	static const struct {
		const char *text, *says;
		size_t caret;
	} bad[] = {
		{ "wiat > 1", "no column 'wiat'", 0 },
		{ "calls > 1 && stack", "no column 'stack'", 13 },
		{ "comm > 3", "texts can only be compared", 5 },
		{ "comm == 3", "a text and a number", 5 },
		{ "calls == \"x\"", "a text and a number", 6 },
		{ "calls ~ \"x\"", "expected a column that is text", 6 },
		{ "comm ~ why", "expected a column that is text", 5 },
		{ "comm", "a text alone", 0 },
		{ "!comm", "expected a number", 0 },
		{ "calls & 1", "columns have no bits", 6 },
		{ "~calls", "expected a number", 0 },
		{ "calls > 1 wait", "expected an operator", 10 },
		{ "calls >", "something is missing", 7 },
		{ "comm.x == 1", "expected columns, numbers and texts", 5 },
		{ "(u32)calls", "expected columns, numbers and texts", 1 },
		{ "calls > 3ks", "unknown unit", 9 },
		{ "", "something is missing", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct rowfilter f = { 0 };
		struct err err = { 0 };
		const char *caret;

		assert_int_equal(rowfilter_parse(&f, bad[i].text, &filter_schema, (1ull << F_N) - 1, &err), -EINVAL);
		assert_int_equal(err.exit, EXIT_USAGE);
		if (strncmp(err.text, "bad --filter: ", 14) || !strstr(err.text, bad[i].says))
			fail_msg("%s: %s", bad[i].text, err.text);
		caret = strrchr(err.text, '\n');
		assert_non_null(caret);
		if (strcspn(caret, "^") != 1 + 6 + bad[i].caret)
			fail_msg("%s: %s", bad[i].text, err.text);
		rowfilter_free(&f);
	}
}

/* Rounds of another table, added up; another order of the same. */
static void test_sum(void **state)
{
	struct table rounds, sum;

	(void)state;
	assert_int_equal(table_init(&rounds, &schema, BY_NAME), 0);
	assert_int_equal(table_init(&sum, &schema, BY_NAME), 0);
	sum.is_sum = true;
	for (uint64_t i = 1; i <= 3; i++) {
		char name[] = "a";

		add(&rounds, total(call(name, 0, i, 4)));
		add(&rounds, call("b", 0, 1, i));
		name[0] = 'x';
		assert_int_equal(table_round(&rounds, TIME), 0);
		for (size_t k = 0; k < rounds.sorted.n; k++)
			assert_int_equal(table_add(&sum, &rounds.sorted.data[k]), 0);
		assert_int_equal(table_round(&sum, TIME), 0);
	}
	assert_int_equal(sum.sorted.n, 2);
	expect_name(&sum, 0, "a");
	assert_int_equal(number(&sum, 0, CALLS), 3);
	assert_int_equal(number(&sum, 0, TIME), 12);
	assert_int_equal(number(&sum, 1, CALLS), 3);
	assert_int_equal(number(&sum, 1, TIME), 6);
	assert_int_equal(number(&sum, 1, MAX), 3);
	assert_int_equal(number(&sum, 1, MIN), 1);
	add(&sum, call("b", 0, 1, 0));
	assert_int_equal(table_round(&sum, CALLS), 0);
	expect_name(&sum, 0, "b");
	assert_int_equal(table_round(&sum, TIME), 0);
	expect_name(&sum, 0, "a");
	assert_int_equal(number(&sum, 1, CALLS), 4);
	table_free(&rounds);
	table_free(&sum);
}

static void expect_lines(const struct table *t, const struct rows_view *view, int columns, uint64_t left_out, const char *want)
{
	struct rows_view sized = *view;
	uint64_t gone = 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	sized.columns = columns;
	sized.sort = TIME;
	sized.left_out = &gone;
	assert_int_equal(rows_render(out, rows_format("text"), t, &sized), 0);
	fclose(out);
	assert_string_equal(text, want);
	assert_int_equal(gone, left_out);
	free(text);
}

/* Keys first, by character; what there is no room for goes by its worth, what rows are ordered by last, long keys are cut. */
static void test_lines(void **state)
{
	const struct rows_view view = { .keys = BY_NAME };
	struct call why = call("\xc3\xa4\033", 0, 1, 8), other = call(NULL, 0, 1, 1);
	struct table t;

	(void)state;
	other.is_other = true;
	why.why[0] = (struct reason){ "SOCKET_RCVBUFF", 3 };
	assert_int_equal(table_init(&t, &schema, BY_NAME), 0);
	add(&t, call("a-name-that-is-long", 0, 2, 40));
	add(&t, why);
	add(&t, other);
	assert_int_equal(table_round(&t, TIME), 0);
	expect_lines(&t, &view, 0, 0,
		     "name                 calls  time   max  at  mean   p99  slots\n"
		     "a-name-that-is-long      2  80ns  40ns  0s  40ns  40ns  32ns 9 64ns\n"
		     "\xc3\xa4\\x1b                    1   8ns   8ns  0s   8ns   8ns  8ns 9 16ns  SOCKET_RCVBUFF:3\n"
		     "(other)                  1   1ns   1ns  0s   1ns   1ns  0ns 9 2ns\n");
	expect_lines(&t, &view, 60, 1 << SLOTS,
		     "name                 calls  time   max  at  mean   p99\n"
		     "a-name-that-is-long      2  80ns  40ns  0s  40ns  40ns\n"
		     "\xc3\xa4\\x1b                    1   8ns   8ns  0s   8ns   8ns\n"
		     "             SOCKET_RCVBUFF:3\n"
		     "(other)                  1   1ns   1ns  0s   1ns   1ns\n");
	expect_lines(&t, &view, 30, 1 << SLOTS | 1 << AT | 1 << P99 | 1 << MEAN,
		     "name        calls  time   max\n"
		     "a-name-tha      2  80ns  40ns\n"
		     "\xc3\xa4\\x1b           1   8ns   8ns\n"
		     "             SOCKET_RCVBUFF:3\n"
		     "(other)         1   1ns   1ns\n");
	expect_lines(&t, &view, 16, 1 << SLOTS | 1 << AT | 1 << P99 | 1 << MEAN | 1 << MAX | 1 << CALLS,
		     "name      time\na-name-t  80ns\n\xc3\xa4\\x1b      8ns\n             SOCKET_RCVBUFF:3\n(other)    1ns\n");
	table_free(&t);
}

/* What rows are ordered by is left out after all keys but the first. */
static void test_many_keys(void **state)
{
	const struct rows_view view = { .keys = BY_NAME | BY_ID, .sort = TIME };
	struct row_lines l;
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_NAME | BY_ID), 0);
	add(&t, call("name", 1234567, 2, 40));
	assert_int_equal(table_round(&t, TIME), 0);
	row_lines_fit(&l, &t, 1, &view, 12);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.shown[0], NAME);
	assert_int_equal(l.shown[1], TIME);
	table_free(&t);
}

/* Without a terminal, a key that is very long does not pad those of all other rows. */
static void test_long_key(void **state)
{
	const struct rows_view view = { .keys = BY_NAME, .hide = 1 << AT | 1 << MEAN | 1 << P99 | 1 << SLOTS };
	struct table t;

	(void)state;
	assert_int_equal(table_init(&t, &schema, BY_NAME), 0);
	add(&t, call("0123456789012345678901234567890123456789-and-more", 0, 2, 40));
	add(&t, call("short", 0, 1, 8));
	assert_int_equal(table_round(&t, TIME), 0);
	expect_lines(&t, &view, 0, 0,
		     "name                                      calls  time   max\n"
		     "0123456789012345678901234567890123456789-and-more      2  80ns  40ns\n"
		     "short                                         1   8ns   8ns\n");
	table_free(&t);
}

/* Rows that come one by one have the widths of their schema: what has no room is not among the columns. */
static void test_lines_of_stream(void **state)
{
	uint64_t gone = 0;
	struct rows_view view = { .keys = BY_NAME, .columns = 40, .sort = TIME, .left_out = &gone };

	(void)state;
	rows_choose(&view, rows_format("text"), &schema, NULL, 0);
	row_lines_fit_stream(&view, &schema);
	assert_true(gone & 1 << SLOTS && gone & 1 << AT && !(gone & 1 << NAME) && !(gone & 1 << TIME));
	assert_int_equal(view.nr_shown, 4);
	assert_int_equal(view.shown[0], CALLS);
	assert_int_equal(view.shown[1], TIME);
	assert_int_equal(view.shown[2], NAME);
	assert_int_equal(view.shown[3], WHY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sum), cmocka_unit_test(test_lines), cmocka_unit_test(test_long_key), cmocka_unit_test(test_many_keys), cmocka_unit_test(test_lines_of_stream), cmocka_unit_test(test_rounds),	cmocka_unit_test(test_late),  cmocka_unit_test(test_order), cmocka_unit_test(test_many),
		cmocka_unit_test(test_reasons), cmocka_unit_test(test_words), cmocka_unit_test(test_csv),
		cmocka_unit_test(test_fields), cmocka_unit_test(test_filter), cmocka_unit_test(test_bad_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
