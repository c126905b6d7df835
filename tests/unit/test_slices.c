/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Slices: where time goes, what gets coarser when there are many, and that nothing is lost on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/slices.h"

#define MS 1000000u
#define SECOND 1000000000u

static int begin(void **state)
{
	struct slices *s = malloc(sizeof(*s));

	assert_non_null(s);
	slices_init(s);
	s->has_time = true;
	*state = s;
	return 0;
}

static int end(void **state)
{
	slices_free(*state);
	free(*state);
	return 0;
}

static void add(struct slices *s, uint64_t time_ns, uint32_t tid, uint32_t cpu, uint32_t node, uint64_t weight)
{
	const struct sample sample = { .time_ns = time_ns, .pid = tid / 10, .tid = tid, .cpu = cpu, .weight = weight, .count = 1 };

	assert_int_equal(slices_add(s, &sample, "comm", node), 0);
}

static uint64_t weight_in(const struct slices *s, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->all.n; i++) {
		uint64_t at = s->start_ns + s->all.data[i].bin * s->bin_ns;

		if (at >= from_ns && at < to_ns)
			sum += s->all.data[i].weight;
	}
	return sum;
}

static uint64_t count_in(const struct slices *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->all.n; i++)
		sum += s->all.data[i].count;
	return sum;
}

static void sums_what_is_alike(void **state)
{
	struct slices *s = *state;

	add(s, SECOND, 10, 0, 7, 3);
	add(s, SECOND + 1, 10, 0, 7, 4);
	add(s, SECOND, 10, 1, 7, 5);
	add(s, SECOND, 11, 0, 7, 6);
	add(s, SECOND, 10, 0, 8, 7);
	assert_int_equal(s->all.n, 4);
	assert_int_equal(s->all.data[0].weight, 7);
	assert_int_equal(s->all.data[0].count, 2);
	assert_int_equal(s->tasks.n, 2);
}

static void bins_grow_with_time(void **state)
{
	struct slices *s = *state;

	for (uint64_t i = 0; i < 10000; i++)
		add(s, SECOND + i * MS, 10, 0, 1, 1);
	assert_true(s->nr_bins <= SLICE_BINS_MAX && s->nr_bins > SLICE_BINS_MAX / 2);
	assert_int_equal(weight_in(s, 0, UINT64_MAX), 10000);
	assert_int_equal(s->last_ns, SECOND + 9999u * (uint64_t)MS);
	/* half of it in the first half, but for a bin */
	assert_in_range(weight_in(s, SECOND, 6u * (uint64_t)SECOND), 5000, 5000 + s->bin_ns / MS);
}

static void earlier_samples_shift(void **state)
{
	struct slices *s = *state;

	add(s, 10u * (uint64_t)SECOND, 10, 0, 1, 1);
	add(s, 9u * (uint64_t)SECOND, 10, 0, 1, 2);
	add(s, 1, 10, 0, 1, 4); /* before the first bin by less than a bin: the bins begin at zero */
	assert_true(s->nr_bins <= SLICE_BINS_MAX);
	assert_int_equal(s->all.n, 3);
	assert_int_equal(weight_in(s, 0, SECOND), 4);
	assert_int_equal(weight_in(s, 0, UINT64_MAX), 7);
}

static void off_cpu_time_is_spread(void **state)
{
	struct slices *s = *state;

	s->spans_event = 0;
	add(s, 10u * (uint64_t)SECOND, 10, 0, 1, 8u * (uint64_t)SECOND); /* from 2 s to 10 s */
	assert_int_equal(weight_in(s, 0, UINT64_MAX), 8u * (uint64_t)SECOND);
	assert_int_equal(count_in(s), 1);
	assert_in_range(weight_in(s, 0, 6u * (uint64_t)SECOND), 4u * (uint64_t)SECOND - s->bin_ns, 4u * (uint64_t)SECOND + s->bin_ns);
	/* longer than there was time */
	add(s, 10u * (uint64_t)SECOND, 10, 0, 2, 100u * (uint64_t)SECOND);
	assert_int_equal(weight_in(s, 0, UINT64_MAX), 108u * (uint64_t)SECOND);
}

/* Every step that makes room: wider bins, no CPUs, no threads; then what has no place is counted. */
static void bounded(void **state)
{
	struct slices *s = *state;
	uint64_t weight = 0;

	s->max = 1000;
	for (uint32_t i = 0; i < 200000; i++) {
		add(s, SECOND + i * (uint64_t)MS, i % 100, i % 4, i % 3000, 1);
		weight++;
		assert_true(s->all.n <= s->max);
	}
	assert_true(s->no_cpus && s->no_threads);
	assert_true(s->left_out > 0 && s->left_out < weight);
	assert_int_equal(weight_in(s, 0, UINT64_MAX) + s->left_out, weight);
	for (size_t i = 0; i < s->all.n; i++) {
		assert_int_equal(s->all.data[i].cpu, SLICE_NO_CPU);
		assert_int_equal(s->tasks.data[s->all.data[i].task].tid, 0);
	}
}

static void cpus_go_before_threads(void **state)
{
	struct slices *s = *state;

	s->max = 100;
	for (uint32_t i = 0; i < 400; i++)
		add(s, SECOND, i % 20, i / 20, 1, 1);
	assert_true(s->no_cpus && !s->no_threads);
	assert_int_equal(s->all.n, 20);
	assert_int_equal(s->left_out, 0);
	assert_int_equal(weight_in(s, 0, UINT64_MAX), 400);
}

static void without_time(void **state)
{
	struct slices *s = *state;

	s->has_time = false;
	add(s, 5u * (uint64_t)SECOND, 10, UINT32_MAX, 1, 1);
	add(s, 1, 10, UINT32_MAX, 1, 1);
	assert_int_equal(s->nr_bins, 1);
	assert_int_equal(s->all.n, 1);
	assert_int_equal(s->all.data[0].cpu, SLICE_NO_CPU);
}

/* A file may say anything. */
static void any_number(void **state)
{
	static const uint64_t times[] = { 0, UINT64_MAX, 1, UINT64_MAX / 2, 0, UINT64_MAX - 1, SECOND };
	struct slices *s = *state;

	s->spans_event = 0;
	s->max = 64;
	for (size_t round = 0; round < 50; round++)
		for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
			for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++)
				add(s, times[i], (uint32_t)times[k], (uint32_t)i, (uint32_t)round, times[k] / 3);
	assert_true(s->nr_bins <= SLICE_BINS_MAX && s->all.n <= s->max);
	for (size_t i = 0; i < s->all.n; i++)
		assert_true(s->all.data[i].bin < s->nr_bins && s->all.data[i].task < s->tasks.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_what_is_alike, begin, end),
		cmocka_unit_test_setup_teardown(bins_grow_with_time, begin, end),
		cmocka_unit_test_setup_teardown(earlier_samples_shift, begin, end),
		cmocka_unit_test_setup_teardown(off_cpu_time_is_spread, begin, end),
		cmocka_unit_test_setup_teardown(bounded, begin, end),
		cmocka_unit_test_setup_teardown(cpus_go_before_threads, begin, end),
		cmocka_unit_test_setup_teardown(without_time, begin, end),
		cmocka_unit_test_setup_teardown(any_number, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
