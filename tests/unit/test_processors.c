/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of CPUs as sysfs has them, also those of a large machine, and what a recording then says of them. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/data.h"
#include "util/processors.h"

#define CPUS 2u
#define TOO_LONG (70u << 10)
#define HUGE_KB (256l << 10)

static char dir[] = "/tmp/test_processors.XXXXXX";

static void put(uint32_t cpu, const char *file, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu%u/topology/%s", dir, cpu, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	assert_int_equal(fclose(f), 0);
}

/* "0,2,4" and so on: each of n CPUs that have another hardware thread beside them. */
static char *every_second(uint32_t n)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "%s%u", i ? "," : "", 2 * i);
	fclose(f);
	return text;
}

static void find_line(void *arg, const char *text)
{
	const char **want = arg;

	if (*want && text && !strcmp(text, *want))
		*want = NULL;
}

static void test_long_list(void **state)
{
	struct processors p = { .dir = dir };
	struct event event = { .name = "cpu-clock", .unit = "ns", .type = PERF_TYPE_SOFTWARE, .freq = true, .period_or_freq = 99 };
	struct data_meta meta = { .events = &event, .nr_events = 1, .processors = &p, .nr_cpus_avail = CPUS, .nr_cpus_online = CPUS };
	char *list = every_second(2048), *line, path[64];
	const char *want;
	struct data_writer *w;
	struct data_reader *r;
	struct err err = { 0 };

	(void)state;
	assert_true(strlen(list) > 8192);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		put(cpu, "core_siblings_list", list);
		put(cpu, "thread_siblings_list", cpu ? "1" : "0");
		put(cpu, "physical_package_id", "3");
	}
	assert_int_equal(processors_read(&p, CPUS), 0);
	assert_int_equal(p.sockets.n, 1);
	assert_string_equal(p.sockets.data[0], list);
	assert_int_equal(p.cores.n, 2);
	assert_int_equal(p.dies.n, 0);
	assert_int_equal(p.cpus.data[1].socket, 3);
	assert_int_equal(p.cpus.data[1].core, -1);

	snprintf(path, sizeof(path), "%s/long.data", dir);
	assert_int_equal(data_writer_open(path, &meta, &w, &err), 0);
	assert_true(data_writer_close(w, &err) >= 0);
	assert_int_equal(data_reader_open(path, &r, &err), 0);
	assert_true(asprintf(&line, "sibling sockets : %s", list) > 0);
	want = line;
	assert_int_equal(data_reader_describe(r, true, find_line, &want), 0);
	assert_null(want);
	data_reader_close(r);
	processors_free(&p);
	free(line);
	free(list);
}

/* Left out: a part of a list would be another list. */
static void test_too_long(void **state)
{
	struct processors p = { .dir = dir };
	char *list = malloc(TOO_LONG + 1);

	(void)state;
	assert_non_null(list);
	memset(list, '1', TOO_LONG);
	list[TOO_LONG] = '\0';
	put(0, "core_siblings_list", list);
	put(1, "core_siblings_list", "0-1");
	assert_int_equal(processors_read(&p, CPUS), 0);
	assert_int_equal(p.sockets.n, 1);
	assert_string_equal(p.sockets.data[0], "0-1");
	processors_free(&p);
	free(list);
}

/* No more of a file is read than a list may have. */
static void test_huge(void **state)
{
	struct processors p = { .dir = dir };
	struct rusage before, after;
	char path[128];

	(void)state;
	put(0, "die_cpus_list", "0");
	put(1, "die_cpus_list", "0-1");
	snprintf(path, sizeof(path), "%s/cpu0/topology/die_cpus_list", dir);
	assert_int_equal(truncate(path, 0), 0); /* no end of a line */
	assert_int_equal(truncate(path, HUGE_KB * 1024), 0);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(processors_read(&p, CPUS), 0);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < HUGE_KB / 4);
	assert_int_equal(p.dies.n, 1);
	assert_string_equal(p.dies.data[0], "0-1");
	processors_free(&p);
}

static int group_setup(void **state)
{
	char path[64];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		snprintf(path, sizeof(path), "%s/cpu%u", dir, cpu);
		mkdir(path, 0700);
		strcat(path, "/topology");
		mkdir(path, 0700);
	}
	return 0;
}

static int group_teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_list),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_huge),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
