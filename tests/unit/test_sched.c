/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of tasks: added by key, taken apart by rounds, sorted, printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/sched.h"
#include "render/rows/sched.h"

static struct sched_sample task(const char *comm, uint32_t tid, uint64_t run_ns, uint64_t wait_ns)
{
	struct sched_sample s = { .key = { .comm = comm, .tid = tid } };

	s.sums.ns[SCHED_RUNNING] = run_ns;
	s.sums.ns[SCHED_WAITING] = wait_ns;
	s.sums.waits = 1;
	s.sums.wait_max_ns = wait_ns;
	s.sums.wait_max_at_ns = 1000 + wait_ns;
	s.sums.wait_slots[wait_ns ? 63 - __builtin_clzll(wait_ns) : 0] = 1;
	return s;
}

static void add(struct sched_table *t, struct sched_sample s)
{
	assert_int_equal(sched_table_add(t, &s), 0);
}

static struct sched_sample total(struct sched_sample s)
{
	s.is_total = true;
	return s;
}

static void test_rounds(void **state)
{
	struct sched_sample again = total(task("c", 0, 115, 12));
	struct sched_table t;
	char name[] = "a";

	(void)state;
	assert_int_equal(sched_table_init(&t), 0);
	add(&t, task(name, 0, 10, 4));
	name[0] = 'b'; /* names are the table's own */
	add(&t, task(name, 0, 20, 2));
	add(&t, task("a", 0, 5, 8));
	add(&t, total(task("c", 0, 10, 4)));
	add(&t, total(task("c", 0, 0, 1))); /* of another CPU */
	assert_int_equal(sched_table_round(&t, SCHED_BY_WAIT), 0);
	assert_int_equal(t.rows.all.n, 3);
	assert_string_equal(t.rows.all.data[0].key.comm, "a");
	assert_int_equal(t.rows.all.data[0].sums.ns[SCHED_RUNNING], 15);
	assert_int_equal(t.rows.all.data[0].sums.waits, 2);
	assert_int_equal(t.rows.all.data[0].sums.wait_max_ns, 8);
	assert_int_equal(t.rows.all.data[0].sums.wait_max_at_ns, 1008);
	assert_string_equal(t.rows.all.data[1].key.comm, "c");
	assert_int_equal(t.rows.all.data[1].sums.ns[SCHED_WAITING], 5);
	/* Of totals what was told already is not told again; a maximum that is no new one is right to its slot */
	again.sums.waits = 4;
	again.sums.wait_max_ns = 4;
	again.sums.wait_slots[3] = 0;
	again.sums.wait_slots[0] = 1;
	again.sums.wait_slots[1] = 2;
	again.sums.wait_slots[2] = 1;
	add(&t, again);
	add(&t, task("b", 0, 3, 0));
	assert_int_equal(sched_table_round(&t, SCHED_BY_RUN), 0);
	assert_int_equal(t.rows.all.n, 2);
	assert_string_equal(t.rows.all.data[0].key.comm, "c");
	assert_int_equal(t.rows.all.data[0].sums.ns[SCHED_RUNNING], 105);
	assert_int_equal(t.rows.all.data[0].sums.waits, 2);
	assert_int_equal(t.rows.all.data[0].sums.wait_max_ns, 3);
	assert_int_equal(t.rows.all.data[0].sums.wait_max_at_ns, 0);
	assert_int_equal(t.rows.all.data[1].sums.ns[SCHED_RUNNING], 3);
	sched_table_free(&t);
}

static void test_order(void **state)
{
	static const enum sched_sort sorts[] = { SCHED_BY_WAIT, SCHED_BY_MAX, SCHED_BY_RUN, SCHED_BY_OFF, SCHED_BY_SWITCHES, SCHED_BY_MIGRATIONS };
	struct sched_table t;

	(void)state;
	assert_int_equal(sched_table_init(&t), 0);
	for (size_t round = 0; round < sizeof(sorts) / sizeof(*sorts); round++) {
		for (uint32_t tid = 1; tid < 200; tid++) {
			struct sched_sample s = task("x", tid, 0, 0);
			bool most = tid == 100 + round;

			s.sums.ns[SCHED_WAITING] = tid + 1000 * (most && !round);
			s.sums.wait_max_ns = tid + 1000 * (most && round == 1);
			s.sums.ns[SCHED_RUNNING] = tid + 1000 * (most && round == 2);
			s.sums.ns[SCHED_BLOCKED] = tid + 1000 * (most && round == 3);
			s.sums.involuntary = tid + 1000 * (most && round == 4);
			s.sums.migrations = tid + 1000 * (most && round == 5);
			s.key.is_other = tid == 199;
			add(&t, s);
		}
		assert_int_equal(sched_table_round(&t, sorts[round]), 0);
		assert_int_equal(t.rows.all.n, 199);
		assert_int_equal(t.rows.all.data[0].key.tid, 100 + round);
		assert_true(t.rows.all.data[198].key.is_other);
	}
	sched_table_free(&t);
}

static void test_csv(void **state)
{
	const struct sched_view view = { .start_ns = 1000, .key = { .by = BY_COMM, .separator = "," } };
	struct sched_table t;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(sched_table_init(&t), 0);
	add(&t, task("a,b\n", 0, 10, 4));
	assert_int_equal(sched_table_round(&t, SCHED_BY_WAIT), 0);
	assert_int_equal(render_sched(f, &t, &view), 0);
	fclose(f);
	assert_string_equal(strchr(text, '\n') + 1, "10,4,0,0,0,0,0,0,0,1,4,4,4,4,4,\"a,b\\x0a\"\n");
	free(text);
	sched_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rounds), cmocka_unit_test(test_order), cmocka_unit_test(test_csv) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
