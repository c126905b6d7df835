/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples to sums of stacks: nothing is lost, and only what may be one is one. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sym/stacksums.h"

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
	struct stack_sums *sums = stack_sums_new(true);
	struct sample s = sample_at(&ip, 1, 100), kernel = s;
	struct got got = { 0 };

	(void)state;
	assert_int_equal(stack_sums_add(sums, &s), 0); /* the first has the time of the first */
	for (int i = 0; i < 3; i++) {
		s.time_ns++;
		assert_int_equal(stack_sums_add(sums, &s), 1);
	}
	kernel.chains[CHAIN_KERNEL] = kernel.chains[CHAIN_USER];
	assert_int_equal(stack_sums_add(sums, &kernel), 1);
	s.tid = 2;
	assert_int_equal(stack_sums_add(sums, &s), 1);
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 3);
	assert_int_equal(got.count, 5);
	assert_int_equal(got.weight, 50);
	assert_int_equal(got.last_ns, 103);
	assert_int_equal(got.nr_kernel, 1);
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 3);
	stack_sums_free(sums);
}

/* What says more than where it was. */
static void own_way(bool leaf_only)
{
	static const struct sample_fields copied = { .has = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER };
	struct stack_sums *sums = stack_sums_new(leaf_only);
	struct sample s = sample_at(&ip, 1, 100), waker = s;

	stack_sums_add(sums, &s);
	s.is_tracepoint = true;
	assert_int_equal(stack_sums_add(sums, &s), !leaf_only);
	s.is_tracepoint = false;
	s.comm = "named";
	assert_int_equal(stack_sums_add(sums, &s), 0);
	s.comm = NULL;
	s.count = 0;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	s.count = 1;
	s.fields = &copied;
	assert_int_equal(stack_sums_add(sums, &s), leaf_only);
	s.fields = NULL;
	s.off_cpu = OFF_CPU_BLOCKED;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	s.off_cpu = OFF_CPU_UNKNOWN;
	s.waker = &waker;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	s.waker = NULL;
	s.event = 1;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	assert_int_equal(stack_sums_add(sums, &s), 1);
	s.event = 1000;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	assert_int_equal(stack_sums_add(sums, &s), 0);
	s.event = 0;
	s.chains[CHAIN_USER].n = 0;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	stack_sums_free(sums);
}

static void own_way_of_leaves(void **state)
{
	(void)state;
	own_way(true);
}

static void own_way_of_stacks(void **state)
{
	(void)state;
	own_way(false);
}

/* The instruction of a sample may not be that of its stack, as that of precise events is not. */
static void instruction(void **state)
{
	struct stack_sums *sums = stack_sums_new(true);
	struct sample s = sample_at(&ip, 1, 100);
	struct got got = { 0 };

	(void)state;
	stack_sums_add(sums, &s);
	assert_int_equal(stack_sums_add(sums, &s), 1);
	s.ip++;
	assert_int_equal(stack_sums_add(sums, &s), 1);
	s.ip = 0;
	assert_int_equal(stack_sums_add(sums, &s), 1); /* that of the stack */
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 2);
	assert_int_equal(got.count, 3);
	stack_sums_free(sums);
}

struct stacks {
	struct sample got[16];
	uint64_t ips[16][4];
	uint32_t nr;
};

static int copy(void *arg, const struct sample *s)
{
	struct stacks *stacks = arg;
	uint64_t *ips = stacks->ips[stacks->nr];

	stacks->got[stacks->nr++] = *s;
	for (int i = 0; i < CHAIN_KINDS; i++)
		for (uint32_t k = 0; k < s->chains[i].n; k++)
			*ips++ = s->chains[i].ips[k];
	return 0;
}

/* With callers, all of a stack tells it from others, also why it ends and what of it is the kernel's. */
static void whole_stacks(void **state)
{
	static const uint64_t ips[] = { 1, 2, 3, 4 }, others[] = { 1, 2, 3, 5 };
	struct stack_sums *sums = stack_sums_new(false);
	struct sample s = { .weight = 10, .count = 1, .ip = 1, .pid = 1, .tid = 1, .chains = { { .ips = ips, .n = 2 }, { .ips = ips + 2, .n = 2 } } };
	struct stacks stacks = { .nr = 0 };
	struct sample samples[] = { s, s, s, s, s, s, s, s, s, s }, *last = samples + sizeof(samples) / sizeof(samples[0]) - 1;

	(void)state;
	samples[1].chains[CHAIN_USER].ips = others + 2;
	samples[2].chains[CHAIN_USER].stop = STOP_DEPTH;
	samples[3].chains[CHAIN_USER].is_calls = true;
	samples[4].chains[CHAIN_KERNEL].n = 1;
	samples[4].chains[CHAIN_USER] = (struct chain){ .ips = ips + 1, .n = 3 };
	samples[5].is_tracepoint = true;
	samples[6].pid = 2;
	samples[7].tid = 2;
	samples[8].ip = 2;
	last->event = 1;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	assert_int_equal(stack_sums_add(sums, last), 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 10; i++)
			assert_int_equal(stack_sums_add(sums, &samples[i]), 1);
	assert_int_equal(stack_sums_take(sums, copy, &stacks), 0);
	assert_int_equal(stacks.nr, 10);
	for (int i = 0; i < 10; i++) {
		const struct sample *got = &stacks.got[i], *from = &samples[i];

		assert_int_equal(got->count, 2);
		assert_int_equal(got->weight, 20);
		assert_int_equal(got->is_tracepoint, from->is_tracepoint);
		assert_int_equal(got->ip, from->ip);
		assert_int_equal(got->pid, from->pid);
		assert_int_equal(got->tid, from->tid);
		assert_int_equal(got->event, from->event);
		assert_int_equal(got->cpu, UINT32_MAX);
		for (int k = 0; k < CHAIN_KINDS; k++) {
			assert_int_equal(got->chains[k].n, from->chains[k].n);
			assert_int_equal(got->chains[k].stop, from->chains[k].stop);
			assert_int_equal(got->chains[k].is_calls, from->chains[k].is_calls);
		}
		assert_memory_equal(stacks.ips[i], i == 1 ? others : ips, sizeof(ips));
	}
	stack_sums_free(sums);
}

/* Room for addresses ends before that for sums. */
static void deep(void **state)
{
	enum { DEPTH = 500, STACKS = 100 };
	struct stack_sums *sums = stack_sums_new(false);
	struct got got = { 0 };
	uint64_t ips[DEPTH + 100] = { 0 };
	struct sample s = sample_at(ips, 1, 1);
	int nr_full = 0;

	(void)state;
	stack_sums_add(sums, &s);
	for (int i = 0; i < STACKS; i++) {
		ips[0] = i + 1;
		s.chains[CHAIN_USER].n = DEPTH;
		if (stack_sums_add(sums, &s) != -ENOSPC)
			continue;
		nr_full++;
		assert_int_equal(stack_sums_take(sums, take, &got), 0);
		assert_int_equal(stack_sums_add(sums, &s), 1);
	}
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_int_equal(got.count, STACKS);
	assert_true(nr_full > 0);
	s.chains[CHAIN_USER].n = DEPTH + 100;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	s.chains[CHAIN_USER].n = s.chains[CHAIN_KERNEL].n = DEPTH / 2 + 50;
	s.chains[CHAIN_KERNEL].ips = ips;
	assert_int_equal(stack_sums_add(sums, &s), 0);
	stack_sums_free(sums);
}

/* A sample of address number i, also where room has to be made for it. */
static int add(struct stack_sums *sums, uint64_t i, struct got *got, uint64_t *nr_full)
{
	uint64_t at = ip + i;
	struct sample s = sample_at(&at, 1, i);
	int ret = stack_sums_add(sums, &s);

	if (ret != -ENOSPC)
		return ret;
	++*nr_full;
	assert_int_equal(stack_sums_take(sums, take, got), 0);
	return stack_sums_add(sums, &s);
}

static void full(void **state)
{
	struct stack_sums *sums = stack_sums_new(true);
	struct got got = { 0 };
	uint64_t nr_full = 0;

	(void)state;
	for (uint64_t i = 0; i < ADDRESSES; i++)
		for (int k = 0; k < 3; k++)
			assert_int_equal(add(sums, i, &got, &nr_full), i || k);
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_true(nr_full > 0);
	assert_int_equal(got.count, 3 * ADDRESSES - 1);
	stack_sums_free(sums);
}

/* Where hardly two samples are alike, they are left alone for a while. */
static void rests(void **state)
{
	struct stack_sums *sums = stack_sums_new(true);
	struct got got = { 0 };
	uint64_t nr_own = 0, nr_full = 0;

	(void)state;
	for (uint64_t i = 0; i < 20 * ADDRESSES; i++)
		nr_own += !add(sums, i, &got, &nr_full);
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_int_equal(got.count + nr_own, 20 * ADDRESSES);
	assert_true(nr_full > 1 && nr_own > 10 * ADDRESSES);
	stack_sums_free(sums);
}

static int refuse(void *arg, const struct sample *s)
{
	(void)arg;
	(void)s;
	return -EIO;
}

/* Sums of a task alone, also of a thread whose process has another number; they go on afterwards. */
static void of_tasks(void **state)
{
	struct stack_sums *sums = stack_sums_new(true);
	struct sample s = sample_at(&ip, 1, 100);
	struct got got = { 0 };

	(void)state;
	stack_sums_add(sums, &s);
	for (uint32_t i = 0; i < 3; i++) {
		s.pid = i + 1;
		s.tid = 10 * (i + 1);
		assert_int_equal(stack_sums_add(sums, &s), 1);
	}
	assert_int_equal(stack_sums_take_task(sums, 4, 40, take, &got), 0);
	assert_int_equal(got.nr, 0);
	assert_int_equal(stack_sums_take_task(sums, 1025, 1025, take, &got), 0); /* its bit is that of 1 */
	assert_int_equal(got.nr, 0);
	assert_int_equal(stack_sums_take_task(sums, 1, 11, take, &got), 0);
	assert_int_equal(got.nr, 1);
	assert_int_equal(stack_sums_take_task(sums, 5, 20, take, &got), 0);
	assert_int_equal(got.nr, 2);
	assert_int_equal(stack_sums_take_task(sums, 1, 10, take, &got), 0);
	assert_int_equal(got.nr, 2);
	s.pid = 1;
	s.tid = 10;
	s.time_ns = 101;
	assert_int_equal(stack_sums_add(sums, &s), 1);
	assert_int_equal(stack_sums_take_task(sums, 1, 10, take, &got), 0);
	assert_int_equal(got.nr, 3);
	assert_int_equal(got.count, 3);
	assert_int_equal(got.last_ns, 101);
	assert_int_equal(stack_sums_take_task(sums, 1, 10, refuse, NULL), 0);
	assert_int_equal(stack_sums_take_task(sums, 3, 30, refuse, NULL), -EIO);
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 3);
	stack_sums_free(sums);
}

static void fails(void **state)
{
	struct stack_sums *sums = stack_sums_new(true);
	struct sample s = sample_at(&ip, 1, 100);
	struct got got = { 0 };

	(void)state;
	stack_sums_add(sums, &s);
	stack_sums_add(sums, &s);
	assert_int_equal(stack_sums_take(sums, refuse, NULL), -EIO);
	assert_int_equal(stack_sums_take(sums, take, &got), 0);
	assert_int_equal(got.nr, 0);
	stack_sums_free(sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up), cmocka_unit_test(own_way_of_leaves), cmocka_unit_test(own_way_of_stacks), cmocka_unit_test(instruction),
		cmocka_unit_test(whole_stacks), cmocka_unit_test(deep), cmocka_unit_test(full), cmocka_unit_test(rests),
		cmocka_unit_test(of_tasks), cmocka_unit_test(fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
