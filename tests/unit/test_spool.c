/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records that arrive out of order, while others are delivered: each comes once, whole, in its turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/spool.h"

#define RECORDS 60000u
#define DISORDER 50 /* how far a record is from its turn at most */

struct item {
	uint64_t time_ns, number;
	char rest[];
};

static uint32_t seed = 7;

static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void take(struct spool *s, uint64_t time_ns, uint64_t number)
{
	size_t n = sizeof(struct item) + next_random(300);
	struct item *to = spool_take(s, time_ns, n);

	assert_non_null(to);
	assert_int_equal((uintptr_t)to % 8, 0);
	to->time_ns = time_ns;
	to->number = number;
	memset(to->rest, (char)number, n - sizeof(*to));
}

static void test_order(void **state)
{
	struct spool s = { .max_bytes = 64 << 20 };
	static uint8_t seen[RECORDS];
	uint64_t taken = 0, dropped = 0, last_ns = 0;
	const struct item *item;
	size_t n;

	(void)state;
	while (dropped < RECORDS) {
		uint32_t batch = next_random(3000);

		for (uint32_t i = 0; i < batch && taken < RECORDS; i++, taken++)
			take(&s, 1000 + taken * 2 + next_random(DISORDER), taken);
		spool_sort(&s);
		assert_false(spool_is_full(&s));
		/* What comes later is not older than this. */
		for (uint32_t left = next_random(2500); left; left--) {
			item = spool_first(&s, taken < RECORDS ? 999 + taken * 2 : UINT64_MAX, &n);
			if (!item)
				break;
			assert_true(item->time_ns >= last_ns);
			last_ns = item->time_ns;
			assert_int_equal(seen[item->number]++, 0);
			for (size_t at = sizeof(*item); at < n; at++)
				assert_int_equal(((const char *)item)[at], (char)item->number);
			spool_drop(&s);
			dropped++;
		}
	}
	assert_null(spool_first(&s, UINT64_MAX, &n));
	spool_free(&s);
}

static void test_same_time(void **state)
{
	struct spool s = { .max_bytes = 64 << 20 };
	const struct item *item;
	size_t n;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		take(&s, i % 2 ? 5 : 6, i);
	spool_sort(&s);
	for (uint64_t i = 0; i < 1000; i++) {
		item = spool_first(&s, 6, &n);
		assert_non_null(item);
		assert_int_equal(item->number, i < 500 ? 2 * i + 1 : 2 * (i - 500));
		spool_drop(&s);
	}
	spool_free(&s);
}

/* It is full at its size, and not when that was dropped; what is left when it is freed is freed. */
static void test_full(void **state)
{
	struct spool s = { .max_bytes = 8 << 20 };
	uint64_t taken = 0;
	size_t n;

	(void)state;
	while (!spool_is_full(&s))
		take(&s, taken, taken), taken++;
	assert_in_range(taken, (4 << 20) / 350, (8 << 20) / 16);
	assert_null(spool_first(&s, UINT64_MAX, &n)); /* not sorted yet */
	spool_sort(&s);
	for (uint64_t i = 0; i < taken / 2; i++) {
		assert_non_null(spool_first(&s, UINT64_MAX, &n));
		spool_drop(&s);
	}
	assert_false(spool_is_full(&s));
	spool_free(&s);
	assert_null(spool_take(&s, 1, 2 << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_same_time),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
