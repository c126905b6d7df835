/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address spaces over time, seen through the names of unnamed objects: "[a]" is /nowhere/a. */
#include "tests/unit/test_sym.h"

#include <malloc.h>

static struct syms *offline(void)
{
	struct syms_cfg cfg = { .offline = true };

	return new_syms(&cfg);
}

static void task(struct syms *syms, enum task_what what, uint32_t pid, uint32_t ppid, uint64_t time_ns)
{
	struct task_event t = { .what = what, .pid = pid, .tid = pid, .ppid = ppid, .ptid = ppid, .time_ns = time_ns };

	t.comm = what == TASK_EXEC || what == TASK_COMM ? "x" : NULL;
	assert_int_equal(syms_task(syms, &t), 0);
}

static void test_overlap(void **state)
{
	struct syms *syms = offline();

	(void)state;
	map_at(syms, PID, 0, 0x10000, 0x10000, 0x1000, "/nowhere/a");
	map_at(syms, PID, 100, 0x14000, 0x4000, 0, "/nowhere/b");
	expect(syms, PID, 200, 0x13fff, "[a]");
	expect(syms, PID, 200, 0x14000, "[b]");
	expect(syms, PID, 200, 0x17fff, "[b]");
	expect(syms, PID, 200, 0x18000, "[a]");
	assert_int_equal(resolve(syms, PID, 200, 0x18000).off, 0x8000 + 0x1000);
	assert_int_equal(resolve(syms, PID, 200, 0x14010).off, 0x10);
	expect(syms, PID, 50, 0x15000, "[a]");
	expect(syms, PID, 200, 0x20000, "[unknown]");
	expect(syms, PID, 200, 0xffff, "[unknown]");
	expect(syms, PID + 1, 200, 0x15000, "[unknown]");
	/* One that covers several whole ones. */
	map_at(syms, PID, 300, 0x8000, 0x20000, 0, "/nowhere/c");
	expect(syms, PID, 400, 0x15000, "[c]");
	expect(syms, PID, 200, 0x15000, "[b]");
	expect(syms, PID, 50, 0x15000, "[a]");
	expect(syms, PID, 200, 0x18000, "[a]");
	syms_free(syms);
}

/* Numbers are given again before anybody runs out of room for them: what ended long ago is forgotten all the same. */
static void test_memory(void **state)
{
	struct syms_cfg cfg = { .offline = true, .exited_max = 500 };
	struct syms *syms = new_syms(&cfg);
	size_t before = 0;

	(void)state;
	map_at(syms, PID, 1, 0x10000, 0x1000, 0, "/nowhere/shell");
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t pid = PID + 1 + i % 3000;
		uint64_t at = 10 + 100 * (uint64_t)i;

		task(syms, TASK_FORK, pid, PID, at);
		task(syms, TASK_EXEC, pid, PID, at + 10);
		map_at(syms, pid, at + 20, 0x10000, 0x1000, 0, i % 2 ? "/nowhere/odd" : "/nowhere/even");
		task(syms, TASK_EXIT, pid, PID, at + 50);
		if (i >= 400) /* one that ended 400 others ago */
			expect(syms, PID + 1 + (i - 400) % 3000, at + 30 - 40000, 0x10010, i % 2 ? "[odd]" : "[even]");
		if (i == 10000)
			before = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks < before + (256 << 10));
	expect(syms, PID, 5, 0x10010, "[shell]");
	syms_free(syms);
}

static void test_exec(void **state)
{
	struct syms *syms = offline();

	(void)state;
	map_at(syms, PID, 0, 0x10000, 0x1000, 0, "/nowhere/shell");
	task(syms, TASK_EXEC, PID, 0, 100);
	map_at(syms, PID, 110, 0x10000, 0x1000, 0, "/nowhere/program");
	expect(syms, PID, 50, 0x10010, "[shell]");
	expect(syms, PID, 120, 0x10010, "[program]");
	task(syms, TASK_EXIT, PID, 0, 200);
	expect(syms, PID, 150, 0x10010, "[program]");
	expect(syms, PID, 0, 0x10010, "[shell]");
	syms_free(syms);
}

static void test_fork(void **state)
{
	struct syms *syms = offline();

	(void)state;
	map_at(syms, PID, 0, 0x10000, 0x1000, 0, "/nowhere/a");
	task(syms, TASK_FORK, PID + 1, PID, 100);
	map_at(syms, PID, 150, 0x20000, 0x1000, 0, "/nowhere/parent");
	map_at(syms, PID + 1, 160, 0x20000, 0x1000, 0, "/nowhere/child");
	task(syms, TASK_FORK, PID + 2, PID + 1, 170);
	expect(syms, PID, 200, 0x20000, "[parent]");
	expect(syms, PID + 1, 200, 0x20000, "[child]");
	expect(syms, PID + 1, 200, 0x10000, "[a]");
	expect(syms, PID + 2, 200, 0x20000, "[child]");
	expect(syms, PID + 2, 200, 0x10000, "[a]");
	/* A thread changes nothing. */
	struct task_event t = { .what = TASK_FORK, .pid = PID, .ppid = PID, .tid = PID + 9, .ptid = PID, .time_ns = 180 };

	assert_int_equal(syms_task(syms, &t), 0);
	expect(syms, PID, 200, 0x20000, "[parent]");
	syms_free(syms);
}

static void test_recycled_pid(void **state)
{
	struct syms *syms = offline();

	(void)state;
	map_at(syms, PID, 0, 0x10000, 0x1000, 0, "/nowhere/old");
	map_at(syms, PID + 1, 0, 0x30000, 0x1000, 0, "/nowhere/other");
	task(syms, TASK_EXIT, PID, 0, 100);
	task(syms, TASK_FORK, PID, PID + 1, 200);
	expect(syms, PID, 50, 0x10000, "[old]");
	expect(syms, PID, 250, 0x10000, "[unknown]");
	expect(syms, PID, 250, 0x30000, "[other]");
	syms_free(syms);
}

static void test_many_processes(void **state)
{
	struct syms *syms = offline();

	(void)state;
	for (uint32_t i = 0; i < 50; i++)
		map_at(syms, PID, 0, 0x10000 + i * 0x1000, 0x1000, 0, i % 2 ? "/nowhere/a" : "/nowhere/b");
	for (uint32_t i = 0; i < 200000; i++) {
		task(syms, TASK_FORK, 100000 + i, PID, 1000 + i);
		if (i % 3)
			task(syms, TASK_EXIT, 100000 + i, PID, 1000 + i);
	}
	expect(syms, 100000 + 199998, 300000, 0x11000, "[a]");
	expect(syms, 100000 + 3, 300000, 0x10000, "[b]");
	syms_free(syms);
}

/* Those that ended long ago are dropped, as others end. */
static void test_exited_age(void **state)
{
	struct syms_cfg cfg = { .offline = true, .exited_max = 100, .exited_ns = 1000 };
	struct syms *syms = new_syms(&cfg);

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		map_at(syms, PID + i, 0, 0x10000, 0x1000, 0, "/nowhere/a");
		task(syms, TASK_EXIT, PID + i, 0, 1000 + i * 300);
	}
	/* 3700 was the last: those of 2700 and later are kept */
	for (uint32_t i = 0; i < 10; i++)
		expect(syms, PID + i, 500, 0x10000, 1000 + i * 300 < 2700 ? "[unknown]" : "[a]");
	syms_free(syms);
}

/* A random history against the slow truth: the last mapping before the time that covers the page. */
static void test_random_history(void **state)
{
	enum { PAGES = 64, EVENTS = 400 };
	static const char *const names[] = { "/nowhere/a", "/nowhere/b", "/nowhere/c", "/nowhere/d" };
	static const char *const shown[] = { "[a]", "[b]", "[c]", "[d]" };
	static int truth[EVENTS + 1][PAGES];
	struct syms *syms = offline();

	(void)state;
	srand(1);
	memset(truth, -1, sizeof(truth));
	for (int i = 1; i <= EVENTS; i++) {
		int at = rand() % PAGES, n = 1 + rand() % 12, name = rand() % 4;

		memcpy(truth[i], truth[i - 1], sizeof(truth[i]));
		n = at + n > PAGES ? PAGES - at : n;
		for (int p = at; p < at + n; p++)
			truth[i][p] = name;
		map_at(syms, PID, (uint64_t)i * 10, 0x100000 + (uint64_t)at * 0x1000, (uint64_t)n * 0x1000, 0,
		       names[name]);
	}
	for (int i = 1; i <= EVENTS; i++)
		for (int p = 0; p < PAGES; p++)
			if (truth[i][p] >= 0)
				expect(syms, PID, (uint64_t)i * 10 + 5, 0x100000 + (uint64_t)p * 0x1000 + 7,
				       shown[truth[i][p]]);
	syms_free(syms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlap),	      cmocka_unit_test(test_exec),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_fork),	      cmocka_unit_test(test_recycled_pid),
		cmocka_unit_test(test_many_processes), cmocka_unit_test(test_exited_age), cmocka_unit_test(test_random_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
