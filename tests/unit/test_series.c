/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Figures by labels, their limit, and the text that Prometheus reads. */
#include "model/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/openmetrics.h"

static const struct series_family count = { "x_calls", "Calls.", { "call", "error" }, SERIES_COUNTER };
static const struct series_family busy = { "x_busy_seconds", "Time.", { "unit" }, SERIES_COUNTER, true };
static const struct series_family level = { "x_level", "Level.", { NULL }, SERIES_GAUGE };
static const struct series_family delay = { "x_delay_seconds", "Delay.", { "unit" }, SERIES_HIST, true };

static char *text_of(const struct series *s)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	openmetrics_write(out, s);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void add(struct series *s, const char *call, const char *error, uint64_t n)
{
	assert_int_equal(series_add(s, &count, (const char *[]){ call, error }, n), 0);
}

static void text(void **state)
{
	const char *odd = "a\"b\\c\nd";
	struct series s;
	char *got;

	(void)state;
	assert_int_equal(series_init(&s, 100), 0);
	add(&s, "read", NULL, 3);
	assert_int_equal(series_add(&s, &busy, &odd, 1500000000), 0);
	add(&s, "read", "EINTR", 1);
	add(&s, "read", "", 4);
	assert_int_equal(series_set(&s, &level, NULL, 9), 0);
	assert_int_equal(series_set(&s, &level, NULL, 7), 0);
	got = text_of(&s);
	assert_string_equal(got, "# TYPE x_calls counter\n# HELP x_calls Calls.\n"
				 "x_calls_total{call=\"read\",error=\"\"} 7\n"
				 "x_calls_total{call=\"read\",error=\"EINTR\"} 1\n"
				 "# TYPE x_busy_seconds counter\n# UNIT x_busy_seconds seconds\n# HELP x_busy_seconds Time.\n"
				 "x_busy_seconds_total{unit=\"a\\\"b\\\\c\\\\x0ad\"} 1.500000000\n"
				 "# TYPE x_level gauge\n# HELP x_level Level.\nx_level 7\n# EOF\n");
	free(got);
	series_free(&s);
}

static void histogram(void **state)
{
	uint64_t slots[HIST_SLOTS] = { [0] = 1, [9] = 2, [10] = 4, [33] = 8, [39] = 16 };
	const char *unit = "u";
	struct series s;
	char *got;

	(void)state;
	assert_int_equal(series_init(&s, 100), 0);
	assert_int_equal(series_add_hist(&s, &delay, &unit, slots, 1), 0);
	assert_int_equal(series_add_hist(&s, &delay, &unit, slots, 2), 0);
	got = text_of(&s);
	assert_non_null(strstr(got, "x_delay_seconds_bucket{unit=\"u\",le=\"0.000001024\"} 6\n"));
	assert_non_null(strstr(got, "x_delay_seconds_bucket{unit=\"u\",le=\"0.000004096\"} 14\n"));
	assert_non_null(strstr(got, "x_delay_seconds_bucket{unit=\"u\",le=\"17.179869184\"} 30\n"));
	assert_non_null(strstr(got, "x_delay_seconds_bucket{unit=\"u\",le=\"+Inf\"} 62\n"));
	assert_non_null(strstr(got, "x_delay_seconds_count{unit=\"u\"} 62\nx_delay_seconds_sum{unit=\"u\"} 0.000000003\n# EOF\n"));
	free(got);
	series_free(&s);
}

static void limit(void **state)
{
	char name[16];
	uint64_t all = 0;
	struct series s;

	(void)state;
	assert_int_equal(series_init(&s, 10), 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "call%d", i);
			add(&s, name, NULL, 1);
		}
	assert_int_equal(s.values.n, 11);
	assert_int_equal(s.beyond, 2 * 990);
	assert_int_equal(series_set(&s, &level, NULL, 1), 0); /* has no labels, and is never "other" */
	assert_int_equal(s.values.n, 12);
	for (size_t i = 0; i < 11; i++)
		all += s.values.data[i].n;
	assert_int_equal(all, 2000);
	assert_string_equal(s.values.data[10].texts[0], SERIES_OTHER);
	series_free(&s);
}

static void idle_ones_make_room(void **state)
{
	struct series s;
	char name[16];

	(void)state;
	assert_int_equal(series_init(&s, 40), 0);
	add(&s, "always", NULL, 1);
	for (int round = 0; round < 100; round++) {
		snprintf(name, sizeof(name), "call%d", round);
		add(&s, name, NULL, 1);
		add(&s, "always", NULL, 1);
		assert_int_equal(series_set(&s, &level, NULL, 1), 0);
		assert_int_equal(series_round(&s, 5), 0);
		assert_true(s.nr_lines <= 40);
	}
	assert_int_equal(s.beyond, 0);
	assert_int_equal(s.values.data[0].n, 101);
	assert_string_equal(s.values.data[0].texts[0], "always");
	series_free(&s);
}

static void histograms_count_by_lines(void **state)
{
	uint64_t slots[HIST_SLOTS] = { 1 };
	struct series s;
	char name[16];

	(void)state;
	assert_int_equal(series_init(&s, 40), 0);
	for (int i = 0; i < 10; i++) {
		const char *unit = name;

		snprintf(name, sizeof(name), "unit%d", i);
		assert_int_equal(series_add_hist(&s, &delay, &unit, slots, 1), 0);
	}
	assert_int_equal(s.values.n, 3); /* 16 lines each, and "other" */
	assert_int_equal(s.values.data[2].slots[0], 8);
	series_free(&s);
}

static void never_back(void **state)
{
	struct series s;
	const char *unit = "u";

	(void)state;
	assert_int_equal(series_init(&s, 10), 0);
	assert_int_equal(series_set(&s, &busy, &unit, 5), 0);
	assert_int_equal(series_set(&s, &busy, &unit, 3), 0);
	assert_int_equal(s.values.data[0].n, 5);
	series_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(histogram),
		cmocka_unit_test(limit),
		cmocka_unit_test(idle_ones_make_room),
		cmocka_unit_test(histograms_count_by_lines),
		cmocka_unit_test(never_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
