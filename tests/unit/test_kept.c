/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is kept of samples: each is in one sum, with its own stacks, however many there are. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "capture/source/kept.h"

#define MANY 70000 /* more than are kept apart */
#define DEEP 127
#define DEEP_MANY 40000 /* whose frames have no room */

struct got {
	uint64_t nr, count, weight, frames, other;
};

static int take(void *arg, struct sample *s, struct sample_key *key)
{
	struct got *got = arg;

	got->nr++;
	got->count += s->count;
	got->weight += s->weight;
	got->frames += s->chains[CHAIN_USER].n + s->chains[CHAIN_KERNEL].n;
	if (!strcmp(key->comm, "[other]"))
		got->other += s->count;
	for (uint32_t i = 0; i < s->chains[CHAIN_USER].n; i++)
		assert_int_equal(s->chains[CHAIN_USER].ips[i], key->tid + i);
	return 0;
}

static void add(struct kept *kept, uint32_t tid, uint16_t event, uint64_t *ips)
{
	struct sample s = { .count = 2, .weight = 10, .chains = { [CHAIN_USER] = { .ips = ips, .n = 3 } } };
	struct sample_key key = { .pid = 1, .tid = tid, .event = event, .comm = "work" };

	memset(key.comm + sizeof("work"), (int)tid, sizeof(key.comm) - sizeof("work")); /* what the kernel left there */
	for (uint32_t i = 0; i < 3; i++)
		ips[i] = tid + i;
	assert_int_equal(kept_add(kept, &s, &key), 0);
}

static void adds_up(void **state)
{
	struct kept *kept = kept_new();
	struct got got = { 0 };
	uint64_t ips[3];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t tid = 1; tid <= 100; tid++)
			add(kept, tid, 0, ips);
	assert_int_equal(kept_each(kept, take, &got), 0);
	assert_int_equal(got.nr, 100);
	assert_int_equal(got.count, 400);
	assert_int_equal(got.weight, 2000);
	assert_int_equal(got.frames, 300);
	kept_clear(kept);
	got = (struct got){ 0 };
	assert_int_equal(kept_each(kept, take, &got), 0);
	assert_int_equal(got.nr, 0);
	add(kept, 7, 0, ips);
	assert_int_equal(kept_each(kept, take, &got), 0);
	assert_int_equal(got.count, 2);
	kept_free(kept);
}

static void has_an_end(void **state)
{
	struct kept *kept = kept_new();
	struct got got = { 0 };
	uint64_t ips[3];

	(void)state;
	for (uint32_t tid = 1; tid <= MANY; tid++)
		add(kept, tid, tid % 2, ips);
	add(kept, 1, 1, ips); /* of the first there is a sum */
	assert_int_equal(kept_each(kept, take, &got), 0);
	assert_int_equal(got.count, 2 * (MANY + 1));
	assert_int_equal(got.nr, 65536 + 2);
	assert_int_equal(got.other, 2 * (MANY - 65536));
	kept_free(kept);
}

/* More frames than there is room for: sums that are there go on. */
static void frames_have_an_end(void **state)
{
	struct kept *kept = kept_new();
	struct sample_key key = { .pid = 1, .comm = "deep" };
	uint64_t ips[DEEP] = { 0 };
	struct sample s = { .count = 1, .chains = { [CHAIN_KERNEL] = { .ips = ips, .n = DEEP } } };
	struct got got = { 0 };

	(void)state;
	for (uint64_t i = 0; i < DEEP_MANY; i++) {
		ips[0] = i;
		assert_int_equal(kept_add(kept, &s, &key), 0);
	}
	ips[0] = 0;
	assert_int_equal(kept_add(kept, &s, &key), 0);
	assert_int_equal(kept_each(kept, take, &got), 0);
	assert_int_equal(got.count, DEEP_MANY + 1);
	assert_true(got.nr > 32000 && got.nr < DEEP_MANY);
	assert_int_equal(got.other, got.count - got.nr); /* each of the others has one, the first one two, and [other] is one sum */
	kept_free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up),
		cmocka_unit_test(has_an_end),
		cmocka_unit_test(frames_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
