/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The index: growth, equal hashes, removal beside a plain array, and its limit. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "util/hash.h"
#include "util/map.h"
#include "util/vec.h"

static void test_empty(void **state)
{
	struct map m = { 0 };

	(void)state;
	assert_int_equal(map_find(&m, 0), -1);
	map_each(i, &m, 1)
		fail();
	map_clear(&m);
	map_free(&m);
	assert_int_equal(m.n, 0);
}

static void test_growth(void **state)
{
	enum { N = 100000 };
	struct map m = { 0 };

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		assert_int_equal(map_add(&m, hash_u64(i * 7), i), 0);
	assert_int_equal(m.n, N);
	assert_true(m.nr_slots >= 2 * N && m.nr_slots <= 4 * N);
	for (uint64_t i = 0; i < N; i++)
		assert_int_equal(map_find(&m, hash_u64(i * 7)), i);
	assert_int_equal(map_find(&m, hash_u64(1)), -1);
	map_clear(&m);
	for (uint64_t i = 0; i < N; i++)
		assert_int_equal(map_find(&m, hash_u64(i * 7)), -1);
	assert_int_equal(map_add(&m, 5, 3), 0);
	assert_int_equal(map_find(&m, 5), 3);
	map_free(&m);
	assert_int_equal(map_find(&m, 5), -1);
}

/* Positions 0 to n - 1, each once; those of other hashes never. */
static void check_each(const struct map *m, uint64_t hash, uint32_t from, uint32_t n, uint32_t by)
{
	bool seen[1000] = { 0 };
	uint32_t nr = 0;

	map_each(i, m, hash) {
		assert_in_range(i, 0, 999);
		assert_int_equal(i % by, from);
		assert_false(seen[i]);
		seen[i] = true;
		nr++;
	}
	assert_int_equal(nr, n);
}

/* The last hashes begin at the last slot, whatever the size: their positions go on at the first. */
static void test_collisions(void **state)
{
	static const uint64_t hashes[] = { UINT64_MAX, UINT64_MAX ^ 1ull << 63, 0 };
	struct map m = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 999; i++) {
		assert_int_equal(map_add(&m, hashes[i % 3], i), 0);
		if (i % 3 == 2)
			for (uint32_t k = 0; k < 3; k++)
				check_each(&m, hashes[k], k, (i + 1) / 3, 3);
	}
	check_each(&m, 1, 0, 0, 1);
	map_free(&m);
}

/* Few different hashes, so that runs are long and what is removed is in the midst of them. */
static void test_removal(void **state)
{
	VEC(uint64_t) keys = { 0 };
	struct map m = { 0 };
	uint64_t random = 1;

	(void)state;
	for (int step = 0; step < 20000; step++) {
		uint64_t key, nr = 0;

		random = hash_u64(random + 1);
		if (random % 9 < (step < 10000 ? 5 : 3) || !keys.n) {
			key = random >> 8 & 63;
			assert_int_equal(vec_reserve(&keys), 0);
			assert_int_equal(map_add(&m, key << 60 | key, keys.n), 0);
			keys.data[keys.n++] = key;
		} else {
			size_t at = (random >> 8) % keys.n;
			uint64_t last = keys.data[keys.n - 1];

			key = keys.data[at];
			map_remove(&m, key << 60 | key, at, last << 60 | last);
			keys.data[at] = last;
			keys.n--;
		}
		assert_int_equal(m.n, keys.n);
		map_each(i, &m, key << 60 | key) {
			assert_in_range(i, 0, keys.n - 1);
			assert_int_equal(keys.data[i], key);
			nr++;
		}
		for (size_t i = 0; i < keys.n; i++)
			nr -= keys.data[i] == key;
		assert_int_equal(nr, 0);
	}
	vec_free(&keys);
	map_free(&m);
}

static void test_limit(void **state)
{
	struct map m = { .nr_slots = 1u << 31, .n = 1u << 30 };

	(void)state;
	assert_int_equal(map_add(&m, 1, 1), -ENOMEM);
	assert_int_equal(m.nr_slots, 1u << 31);
	assert_int_equal(m.n, 1u << 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	cmocka_unit_test(test_growth), cmocka_unit_test(test_collisions),
		cmocka_unit_test(test_removal), cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
