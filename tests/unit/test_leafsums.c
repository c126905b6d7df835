/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples to sums of leaves: nothing is lost, and only what may be one is one. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sym/leafsums.h"

#define ADDRESSES 5000 /* more than there is room for */

static const uint64_t ip = 0x401000;

static struct sample sample_at(const uint64_t *at, uint32_t tid, uint64_t time_ns)
{
	return (struct sample){ .time_ns = time_ns, .weight = 10, .count = 1, .ip = *at, .pid = 1, .tid = tid, .cpu = tid,
				.chains = { [CHAIN_USER] = { .ips = at, .n = 1 } } };
}

struct got {
	uint64_t nr, count, weight, last_ns;
	uint32_t nr_kernel;
};

static int take(void *arg, const struct sample *s)
{
	struct got *got = arg;

	got->nr++;
	got->count += s->count;
	got->weight += s->weight;
	got->last_ns = s->time_ns;
	got->nr_kernel += s->chains[CHAIN_KERNEL].n;
	return 0;
}

static void adds_up(void **state)
{
	struct leaf_sums *sums = leaf_sums_new();
	struct sample s = sample_at(&ip, 1, 100), kernel = s;
	struct got got = { 0 };

	(void)state;
	assert_int_equal(leaf_sums_add(sums, &s), 0); /* the first has the time of the first */
	for (int i = 0; i < 3; i++) {
		s.time_ns++;
		assert_int_equal(leaf_sums_add(sums, &s), 1);
	}
	kernel.chains[CHAIN_KERNEL] = kernel.chains[CHAIN_USER];
	assert_int_equal(leaf_sums_add(sums, &kernel), 1);
	s.tid = 2;
	assert_int_equal(leaf_sums_add(sums, &s), 1);
	assert_int_equal(leaf_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 3);
	assert_int_equal(got.count, 5);
	assert_int_equal(got.weight, 50);
	assert_int_equal(got.last_ns, 103);
	assert_int_equal(got.nr_kernel, 1);
	assert_int_equal(leaf_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 3);
	leaf_sums_free(sums);
}

/* What says more than where it was. */
static void own_way(void **state)
{
	struct leaf_sums *sums = leaf_sums_new();
	struct sample s = sample_at(&ip, 1, 100), waker = s;

	(void)state;
	leaf_sums_add(sums, &s);
	s.is_tracepoint = true;
	assert_int_equal(leaf_sums_add(sums, &s), 0);
	s.is_tracepoint = false;
	s.off_cpu = OFF_CPU_BLOCKED;
	assert_int_equal(leaf_sums_add(sums, &s), 0);
	s.off_cpu = OFF_CPU_UNKNOWN;
	s.waker = &waker;
	assert_int_equal(leaf_sums_add(sums, &s), 0);
	s.waker = NULL;
	s.event = 1;
	assert_int_equal(leaf_sums_add(sums, &s), 0);
	assert_int_equal(leaf_sums_add(sums, &s), 1);
	s.event = 1000;
	assert_int_equal(leaf_sums_add(sums, &s), 0);
	assert_int_equal(leaf_sums_add(sums, &s), 0);
	s.event = 0;
	s.chains[CHAIN_USER].n = 0;
	assert_int_equal(leaf_sums_add(sums, &s), 0);
	leaf_sums_free(sums);
}

/* A sample of address number i, also where room has to be made for it. */
static int add(struct leaf_sums *sums, uint64_t i, struct got *got, uint64_t *nr_full)
{
	uint64_t at = ip + i;
	struct sample s = sample_at(&at, 1, i);
	int ret = leaf_sums_add(sums, &s);

	if (ret != -ENOSPC)
		return ret;
	++*nr_full;
	assert_int_equal(leaf_sums_take(sums, take, got), 0);
	return leaf_sums_add(sums, &s);
}

static void full(void **state)
{
	struct leaf_sums *sums = leaf_sums_new();
	struct got got = { 0 };
	uint64_t nr_full = 0;

	(void)state;
	for (uint64_t i = 0; i < ADDRESSES; i++)
		for (int k = 0; k < 3; k++)
			assert_int_equal(add(sums, i, &got, &nr_full), i || k);
	assert_int_equal(leaf_sums_take(sums, take, &got), 0);
	assert_true(nr_full > 0);
	assert_int_equal(got.count, 3 * ADDRESSES - 1);
	leaf_sums_free(sums);
}

/* Where hardly two samples are alike, they are left alone for a while. */
static void rests(void **state)
{
	struct leaf_sums *sums = leaf_sums_new();
	struct got got = { 0 };
	uint64_t nr_own = 0, nr_full = 0;

	(void)state;
	for (uint64_t i = 0; i < 20 * ADDRESSES; i++)
		nr_own += !add(sums, i, &got, &nr_full);
	assert_int_equal(leaf_sums_take(sums, take, &got), 0);
	assert_int_equal(got.count + nr_own, 20 * ADDRESSES);
	assert_true(nr_full > 1 && nr_own > 10 * ADDRESSES);
	leaf_sums_free(sums);
}

static int refuse(void *arg, const struct sample *s)
{
	(void)arg;
	(void)s;
	return -EIO;
}

static void fails(void **state)
{
	struct leaf_sums *sums = leaf_sums_new();
	struct sample s = sample_at(&ip, 1, 100);
	struct got got = { 0 };

	(void)state;
	leaf_sums_add(sums, &s);
	leaf_sums_add(sums, &s);
	assert_int_equal(leaf_sums_take(sums, refuse, NULL), -EIO);
	assert_int_equal(leaf_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 0);
	leaf_sums_free(sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(adds_up), cmocka_unit_test(own_way), cmocka_unit_test(full), cmocka_unit_test(rests), cmocka_unit_test(fails) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
