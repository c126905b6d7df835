/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts over rounds and runs, their scaling, and what is derived from them: recorded readings of machines with a PMU. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/counts.h"
#include "model/derived.h"

static struct event events[8];
static int nr_events;

static void parse(const char *text)
{
	struct err err = { 0 };

	nr_events = event_parse(text, events, 8, &err);
	assert_true(nr_events > 0);
}

static void add(struct counts *c, int event, uint64_t value, uint64_t enabled, uint64_t running)
{
	const struct reading r = { .event = event, .cpu = UINT32_MAX, .value = value, .enabled_ns = enabled, .running_ns = running };

	assert_int_equal(counts_add(c, &r), 0);
}

static void test_scale(void **state)
{
	struct count third = { 1000, 300, 100 }, whole = { 1000, 300, 300 }, never = { 0, 300, 0 };

	(void)state;
	assert_true(count_scaled(&third, false) == 3000);
	assert_true(count_scaled(&third, true) == 1000);
	assert_true(count_scaled(&whole, false) == 1000);
	assert_true(count_scaled(&never, false) == 0);
}

static void test_rounds(void **state)
{
	struct counts c;
	struct count d;

	(void)state;
	parse("page-faults");
	assert_int_equal(counts_init(&c, events, nr_events, COUNT_BY_NOTHING), 0);
	add(&c, 0, 10, 100, 100);
	add(&c, 0, 5, 100, 50);
	d = counts_delta(counts_cell(&c, 0, 0));
	assert_int_equal(d.value, 15);
	assert_int_equal(d.running_ns, 150);
	counts_round(&c);
	add(&c, 0, 18, 150, 150);
	add(&c, 0, 7, 150, 100);
	d = counts_delta(counts_cell(&c, 0, 0));
	assert_int_equal(d.value, 10);
	assert_int_equal(d.enabled_ns, 100);
	/* one that went back, since its CPU was away, adds nothing: no wrapped number */
	counts_round(&c);
	add(&c, 0, 3, 20, 20);
	d = counts_delta(counts_cell(&c, 0, 0));
	assert_int_equal(d.value, 0);
	assert_int_equal(d.enabled_ns, 0);
	assert_int_equal(d.running_ns, 0);
	/* near the end of 64 bits */
	counts_round(&c);
	counts_run(&c);
	add(&c, 0, UINT64_MAX - 1, 100, 100);
	counts_round(&c);
	add(&c, 0, UINT64_MAX, 200, 200);
	d = counts_delta(counts_cell(&c, 0, 0));
	assert_int_equal(d.value, 1);
	counts_free(&c);
}

static void test_keys(void **state)
{
	struct counts c;

	(void)state;
	parse("page-faults,context-switches");
	assert_int_equal(counts_init(&c, events, nr_events, COUNT_BY_CPU), 0);
	for (int round = 0; round < 2; round++) {
		counts_round(&c);
		for (uint32_t event = 0; event < 2; event++)
			for (uint32_t cpu = 0; cpu < 40; cpu++) {
				const struct reading r = { .event = event, .cpu = cpu * 3, .value = 100 * round + cpu, .enabled_ns = 1, .running_ns = 1 };

				assert_int_equal(counts_add(&c, &r), 0);
			}
	}
	assert_int_equal(c.keys.n, 40);
	for (size_t k = 0; k < 40; k++) {
		assert_int_equal(c.keys.data[k].cpu, k * 3);
		assert_int_equal(counts_delta(counts_cell(&c, k, 1)).value, 100);
	}
	counts_free(&c);
}

/* Mean and standard error of 2, 4, 4, 4, 5, 5, 7, 9: 5 and sqrt(32 / 7 / 8). A run without a reading adds nothing. */
static void test_runs(void **state)
{
	const uint64_t values[] = { 2, 4, 4, 4, 0, 5, 5, 7, 9 };
	const struct count_cell *cell;
	struct counts c;

	(void)state;
	parse("page-faults");
	assert_int_equal(counts_init(&c, events, nr_events, COUNT_BY_NOTHING), 0);
	for (int i = 0; i < 9; i++) {
		counts_run(&c);
		if (values[i])
			add(&c, 0, values[i], 10, 10);
		counts_end_run(&c, 1, false);
	}
	cell = counts_cell(&c, 0, 0);
	assert_int_equal(cell->spread.n, 8);
	assert_true(fabs(cell->spread.mean - 5) < 1e-9);
	assert_true(fabs(spread_percent(&cell->spread) - 100 * sqrt(32.0 / 7 / 8) / 5) < 1e-9);
	assert_int_equal(cell->runs.running_ns, 80);
	assert_int_equal(c.wall.n, 9);
	counts_free(&c);
}

static void expect(int event, const double *values, double wall_ns, double value, const char *unit)
{
	const struct derive_row row = { events, values, nr_events, wall_ns };
	struct derived d;

	derive(&row, event, &d);
	assert_string_equal(d.unit, unit);
	assert_true(fabs(d.value - value) < 1e-9 * (1 + fabs(value)));
}

static void test_derived(void **state)
{
	/* task-clock 2 s of 1 s, 4 G cycles, 6 G instructions, 1 G branches, 10 M missed, 3,000,000 faults, 1 not counted */
	const double v[] = { 2e9, 4e9, 6e9, 1e9, 1e7, 3e6, -1 };
	const double none[] = { -1, -1, 6e9, -1, 1e7, 3e6, -1 };

	(void)state;
	parse("task-clock,cycles,instructions,branches,branch-misses,page-faults,context-switches");
	expect(0, v, 1e9, 2, "CPUs utilized");
	expect(1, v, 1e9, 2, "GHz");
	expect(2, v, 1e9, 1.5, "insn per cycle");
	expect(3, v, 1e9, 500, "M/sec");
	expect(4, v, 1e9, 1, "of all branches");
	expect(5, v, 1e9, 1.5, "M/sec");
	expect(6, v, 1e9, 0, "");
	for (int e = 0; e < 7; e++)
		expect(e, none, 1e9, 0, "");
	parse("task-clock,L1-dcache-loads,L1-dcache-load-misses,cache-references,cache-misses,dTLB-loads,dTLB-load-misses");
	expect(2, (double[]){ 1e9, 200, 50, 1000, 10, 0, 5 }, 1e9, 25, "of all L1-dcache accesses");
	expect(4, (double[]){ 1e9, 200, 50, 1000, 10, 0, 5 }, 1e9, 1, "of all cache refs");
	/* a base of 0 makes no ratio: the rate is left */
	expect(6, (double[]){ 1e9, 200, 50, 1000, 10, 0, 5 }, 1e9, 5, "/sec");
	/* user cycles are no base for the instructions of all */
	parse("cycles:u,instructions");
	expect(1, (double[]){ 100, 100 }, 1e9, 0, "");
}

static void test_syscall_events(void **state)
{
	static struct event many[4096];
	struct err err = { 0 };
	int n = event_parse("syscalls:*", many, 4096, &err), compat = 0;

	(void)state;
#ifdef __x86_64__
	assert_true(n > 700);
#else
	assert_true(n > 600); /* asm-generic's machines have no old calls */
#endif
	for (int i = 0; i < n; i++) {
		assert_int_equal(many[i].kind, EVENT_SYSCALL);
		assert_true(many[i].from_glob && many[i].config <= 512);
		compat += many[i].abi != 0;
	}
	assert_true(compat > 0 && compat < n);
	assert_int_equal(event_parse("syscalls:sys_enter_fstat,syscalls:sys_enter_newfstat", many, 8, &err), 2);
	assert_int_equal(many[0].config, many[1].config);
	assert_string_equal(many[0].name, "syscalls:sys_enter_fstat");
	assert_int_equal(event_parse("syscalls:sys_enter_read:compat", many, 8, &err), 1);
	assert_int_equal(many[0].abi, 1);
	assert_int_equal(event_parse("raw_syscalls:*,task-clock", many, 8, &err), 3);
	assert_true(many[1].is_exit && !many[0].is_exit && many[2].kind == EVENT_COUNTER);
	assert_int_equal(event_parse("syscalls:sys_enter_nonsense", many, 8, &err), -EINVAL);
	assert_int_equal(event_parse("syscalls:*", many, 100, &err), -E2BIG);
	assert_int_equal(event_parse("syscalls:", many, 100, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale), cmocka_unit_test(test_rounds),  cmocka_unit_test(test_keys),
		cmocka_unit_test(test_runs),  cmocka_unit_test(test_derived), cmocka_unit_test(test_syscall_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
