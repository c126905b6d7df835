/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Perf map text, the layout of overlapping lines, and the files behind it. */
#include "tests/unit/test_sym.h"

#include <time.h>

#include "sym/perfmap.h"

static struct perfmap_limits limits = PERFMAP_LIMITS;

/* Longer than a miss must wait to look at the file again. */
static void wait_look(void)
{
	usleep(30000);
}

static struct perfmap *from_text(const char *text)
{
	struct perfmap *map = perfmap_new("/nonexistent", PID, true, &limits);

	assert_non_null(map);
	assert_int_equal(perfmap_text(map, text, strlen(text)), 0);
	return map;
}

static void expect_name(struct perfmap *map, uint64_t addr, const char *name, uint64_t start)
{
	uint64_t got;
	size_t n;
	const char *s = perfmap_find(map, addr, &got, &n);

	if (!name) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_int_equal(n, strlen(name));
	assert_memory_equal(s, name, n);
	assert_int_equal(got, start);
}

static void test_lines(void **state)
{
	struct perfmap *map = from_text("1000 100 plain\n"
					"0x00007f0000002000 0x0000000000000110 java.lang.Object::<init>\n"
					"3000 10 a name with  blanks\n"
					"nonsense\n\n4000 zz bad\n5000 0 empty\n6000 10\n7000 10 \n"
					"ffffffffffffff00 200 wraps\n10000000000000000 10 large\n"
					"8000 8 last");

	(void)state;
	expect_name(map, 0x1000, "plain", 0x1000);
	expect_name(map, 0x10ff, "plain", 0x1000);
	expect_name(map, 0x1100, NULL, 0);
	expect_name(map, 0x7f000000210f, "java.lang.Object::<init>", 0x7f0000002000);
	expect_name(map, 0x3000, "a name with  blanks", 0x3000);
	expect_name(map, 0x4000, NULL, 0);
	expect_name(map, 0x5000, NULL, 0);
	expect_name(map, 0x6000, NULL, 0);
	expect_name(map, 0x7000, NULL, 0);
	expect_name(map, 0xffffffffffffff10, NULL, 0);
	expect_name(map, 0x8007, "last", 0x8000);
	perfmap_free(map);
}

static void test_cut_line(void **state)
{
	struct perfmap *map = from_text("1000 100 one\n2000 100 tw");

	(void)state;
	expect_name(map, 0x2000, "tw", 0x2000);
	assert_int_equal(perfmap_text(map, "2000 100 two\n", 13), 0);
	expect_name(map, 0x2000, "two", 0x2000);
	expect_name(map, 0x1000, "one", 0x1000);
	perfmap_free(map);
}

static void test_last_wins(void **state)
{
	struct perfmap *map = from_text("1000 100 a\n1080 100 b\n10c0 10 c\n1000 100 d\n");

	(void)state;
	expect_name(map, 0x1000, "d", 0x1000);
	expect_name(map, 0x10c0, "d", 0x1000);
	expect_name(map, 0x10ff, "d", 0x1000);
	expect_name(map, 0x1100, "b", 0x1080);
	perfmap_free(map);
}

/* Many lines over few pages against the slow truth, before and after the layout. */
static void test_random(void **state)
{
	enum { BYTES = 2000 };
	static int truth[BYTES];
	struct perfmap *map = from_text("");
	char line[64], want[16];
	static uint64_t starts[20000];

	(void)state;
	srand(2);
	memset(truth, -1, sizeof(truth));
	for (int i = 0; i < 20000; i++) {
		int at = rand() % BYTES, n = 1 + rand() % (i % 50 ? 20 : 300);

		n = at + n > BYTES ? BYTES - at : n;
		for (int b = at; b < at + n; b++)
			truth[b] = i;
		starts[i] = 0x10000 + (uint64_t)at;
		snprintf(line, sizeof(line), "%x %x f%d\n", 0x10000 + at, n, i);
		assert_int_equal(perfmap_text(map, line, strlen(line)), 0);
		if (i % 997 && i != 19999)
			continue;
		for (int b = 0; b < BYTES; b++) {
			snprintf(want, sizeof(want), "f%d", truth[b]);
			expect_name(map, 0x10000 + (uint64_t)b, truth[b] < 0 ? NULL : want,
				    truth[b] < 0 ? 0 : starts[truth[b]]);
		}
	}
	perfmap_free(map);
}

static void test_huge_name(void **state)
{
	char *text = malloc(3u << 20);
	struct perfmap *map;
	uint64_t start;
	size_t n;

	(void)state;
	strcpy(text, "1000 10 ");
	memset(text + 8, 'x', (3u << 20) - 9);
	text[(3u << 20) - 1] = '\0';
	map = from_text(text);
	assert_non_null(perfmap_find(map, 0x1000, &start, &n));
	assert_in_range(n, 1, 4096);
	perfmap_free(map);
	free(text);
}

/* A false /proc: pid PID, which calls itself 7 in its namespace, with its own /tmp. */
static const char *false_proc(const char *map_text)
{
	char text[128];

	run("rm -rf %s/proc; mkdir -p %s/proc/%u/root/tmp", scratch, scratch, PID);
	snprintf(text, sizeof(text), "Name:\tx\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%u\t7\n", getuid(), getuid(), getuid(),
		 getuid(), PID);
	write_file(in_scratch("proc/4242/status"), text);
	if (map_text)
		write_file(in_scratch("proc/4242/root/tmp/perf-7.map"), map_text);
	return in_scratch("proc");
}

static void test_file(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc("1000 100 first\n") };
	struct syms *syms = new_syms(&cfg);
	struct frame f;
	FILE *file;

	(void)state;
	map_at(syms, PID, 0, 0x1000, 0x10000, 0, "//anon");
	f = resolve(syms, PID, 0, 0x1010);
	assert_string_equal(f.name, "first");
	assert_string_equal(f.obj, "/tmp/perf-7.map");
	assert_int_equal(f.kind, FRAME_JIT);
	assert_int_equal(f.off, 0x10);
	f = resolve(syms, PID, 0, 0x2000);
	assert_string_equal(f.name, "[anon]");
	assert_string_equal(f.obj, "//anon");
	/* It grows. */
	file = fopen(in_scratch("proc/4242/root/tmp/perf-7.map"), "a");
	fputs("2000 100 second\n1000 20 again\n", file);
	fclose(file);
	wait_look();
	expect(syms, PID, 0, 0x2000, "second");
	expect(syms, PID, 0, 0x1010, "again");
	expect(syms, PID, 0, 0x1020, "first");
	/* It is replaced by a shorter one. */
	write_file(in_scratch("proc/4242/root/tmp/perf-7.map"), "3000 10 third\n");
	wait_look();
	expect(syms, PID, 0, 0x3000, "third");
	expect(syms, PID, 0, 0x1020, "[anon]");
	/* The process ends: what was read stays. */
	syms_pin(syms);
	run("rm -rf %s/proc/%u", scratch, PID);
	syms_pin(syms);
	expect(syms, PID, 0, 0x3000, "third");
	syms_free(syms);
}

/* Links, foreign owners and fifos are not read. */
static void test_planted(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(NULL) };
	struct syms *syms = new_syms(&cfg);
	const char *path = in_scratch("proc/4242/root/tmp/perf-7.map");
	struct syms_stats stats;

	(void)state;
	map_at(syms, PID, 0, 0x1000, 0x10000, 0, "[anon:jit]");
	syms_stats(syms, &stats);
	assert_null(stats.perfmap_foreign);
	write_file(in_scratch("elsewhere"), "1000 100 secret\n");
	assert_int_equal(symlink(in_scratch("elsewhere"), path), 0);
	expect(syms, PID, 0, 0x1010, "[anon:jit]");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	wait_look();
	expect(syms, PID, 0, 0x1010, "[anon:jit]");
	unlink(path);
	if (!getuid()) {
		write_file(path, "1000 100 planted\n");
		assert_int_equal(chown(path, 12345, 12345), 0);
		wait_look();
		expect(syms, PID, 0, 0x1010, "[anon:jit]");
	}
	syms_stats(syms, &stats);
	assert_string_equal(stats.perfmap_foreign, "/tmp/perf-7.map");
	syms_free(syms);
}

static struct perfmap *from_file(struct perfmap_limits *l)
{
	struct perfmap *map;

	*l = (struct perfmap_limits)PERFMAP_LIMITS;
	map = perfmap_new(in_scratch("proc"), PID, false, l);
	assert_non_null(map);
	return map;
}

/* size bytes of lines with long names, from addr on: 0x10 apart. Returns how many. */
static int append_lines(const char *path, uint64_t addr, size_t size)
{
	char line[4096];
	FILE *file = fopen(path, "a");
	int n = 0;

	assert_non_null(file);
	for (size_t done = 0; done < size; n++) {
		int at = snprintf(line, sizeof(line), "%llx 10 f", (unsigned long long)addr + 0x10 * (unsigned int)n);

		memset(line + at, 'x', sizeof(line) - 2 - (size_t)at);
		strcpy(line + sizeof(line) - 2, "\n");
		assert_true(fputs(line, file) >= 0);
		done += sizeof(line) - 1;
	}
	assert_int_equal(fclose(file), 0);
	return n;
}

static bool has_name(struct perfmap *map, uint64_t addr)
{
	uint64_t start;
	size_t n;

	return perfmap_find(map, addr, &start, &n);
}

/* What was appended is read once. */
static void test_grows(void **state)
{
	const char *path = in_scratch("proc/4242/root/tmp/perf-7.map");
	struct perfmap_limits l;
	struct perfmap *map;

	(void)state;
	false_proc("10 10 first\n");
	map = from_file(&l);
	assert_true(perfmap_is_due(map));
	perfmap_refresh(map);
	assert_false(perfmap_is_due(map));
	for (int i = 1; i <= 20; i++) {
		append_lines(path, 0x10000u * (unsigned int)i, 8192);
		perfmap_refresh(map);
		perfmap_refresh(map);
		assert_true(has_name(map, 0x10000u * (unsigned int)i));
		assert_int_equal(l.nr_reads, i + 1);
		assert_int_equal(l.rewritten_bytes, 0);
	}
	expect_name(map, 0x10, "first", 0x10);
	assert_true(l.bytes_left < PERFMAP_ALL_BYTES - 160000);
	perfmap_free(map);
	assert_int_equal(l.bytes_left, PERFMAP_ALL_BYTES);
}

/* Larger than we read: what is in the first part has names, the memory is bounded, and the statistics tell. */
static void test_too_large(void **state)
{
	const char *path = in_scratch("proc/4242/root/tmp/perf-7.map");
	struct syms_cfg cfg = { .proc_root = false_proc("10 10 first\n") };
	struct syms_stats stats;
	struct perfmap_limits l;
	struct perfmap *map;
	struct syms *syms;
	int n = append_lines(path, 0x10000, PERFMAP_FILE_BYTES + (1u << 20));

	(void)state;
	map = from_file(&l);
	perfmap_refresh(map);
	assert_int_equal(l.nr_cut, 1);
	assert_true(has_name(map, 0x10000));
	assert_false(has_name(map, 0x10000 + 0x10 * ((uint64_t)n - 1)));
	append_lines(path, 0x10, 8192);
	perfmap_refresh(map);
	assert_int_equal(l.nr_reads, 1);
	assert_int_equal(l.nr_cut, 1);
	perfmap_free(map);
	syms = new_syms(&cfg);
	map_at(syms, PID, 0, 0x1000, 0x1000000, 0, "//anon");
	resolve(syms, PID, 0, 0x10000);
	syms_stats(syms, &stats);
	assert_int_equal(stats.perfmaps_cut, 1);
	syms_free(syms);
}

/* A hundred processes with large maps: no more than the common limit. */
static void test_many_large(void **state)
{
	struct perfmap_limits l = PERFMAP_LIMITS;
	struct perfmap *maps[20];

	(void)state;
	l.bytes_left = 1u << 20;
	false_proc("");
	append_lines(in_scratch("proc/4242/root/tmp/perf-7.map"), 0x10000, 256u << 10);
	for (int i = 0; i < 20; i++) {
		maps[i] = perfmap_new(in_scratch("proc"), PID, false, &l);
		perfmap_refresh(maps[i]);
	}
	assert_int_equal(l.bytes_left, 0);
	assert_in_range(l.nr_cut, 16, 17);
	for (int i = 0; i < 20; i++)
		perfmap_free(maps[i]);
	assert_int_equal(l.bytes_left, 1u << 20);
}

static void rewrite(const char *path, int i)
{
	struct timespec times[2] = { { .tv_sec = i }, { .tv_sec = i } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* A process that rewrites its map of 1 MiB all the time, while we miss all the time. */
static void test_misses(void **state)
{
	const char *path = in_scratch("proc/4242/root/tmp/perf-7.map");
	uint64_t from, ms, before;
	struct perfmap_limits l;
	struct perfmap *map;

	(void)state;
	false_proc("10 10 first\n");
	append_lines(path, 0x10000, 1u << 20);
	map = from_file(&l);
	from = now_ms();
	for (int i = 0; i < 100000; i++) {
		if (i % 100 == 0)
			rewrite(path, i);
		assert_false(has_name(map, 0x900000));
	}
	ms = now_ms() - from;
	assert_in_range(l.nr_reads, 1, 2 + ms / 10);
	/* Whoever asks without waiting gets the first, then five in each second. */
	for (int i = 0; i < 1000; i++) {
		rewrite(path, i);
		perfmap_refresh(map);
	}
	ms = now_ms() - from;
	assert_in_range(l.nr_reads, 5, 1 + 5 * (ms / 1000 + 2));
	/* Nothing changes any more: no read at all. */
	l.rewritten_bytes = 0;
	perfmap_refresh(map);
	before = l.nr_reads;
	for (int i = 0; i < 100000; i++)
		assert_false(has_name(map, 0x900000));
	assert_int_equal(l.nr_reads, before);
	perfmap_free(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	  cmocka_unit_test(test_cut_line), cmocka_unit_test(test_last_wins),
		cmocka_unit_test(test_random),	  cmocka_unit_test(test_huge_name), cmocka_unit_test(test_file),
		cmocka_unit_test(test_planted),	  cmocka_unit_test(test_grows),	   cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_many_large), cmocka_unit_test(test_misses),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
