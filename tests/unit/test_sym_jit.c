/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names out of dumps of JITs: the search over time against the slow truth, files that grow, and those that are wrong. */
#include "tests/unit/jitdump.h"
#include "tests/unit/test_sym.h"

#include <sys/utsname.h>

#include "profile.h"
#include "sym/jitdump.h"
#include "sym/names.h"

#define NR_CODES 3000
#define SPAN 600 /* bytes that they lie in */
#define DUMP "proc/4242/root/jit-7.dump"

static uint8_t bytes[1u << 20];

static struct jitdump *parse(size_t n)
{
	struct jitdump *d;

	assert_int_equal(jitdump_parse(bytes, n, &d), 0);
	return d;
}

static struct jitdump_state state_of(const struct jitdump *d)
{
	struct jitdump_state state;

	jitdump_state(d, &state);
	return state;
}

static struct {
	uint64_t time_ns, addr, size;
} codes[NR_CODES];

/* The last record that was there, else the first that came later; -1: none. */
static int truth(int n, uint64_t time_ns, uint64_t addr)
{
	int best = -1;

	for (int i = 0; i < n; i++) {
		bool is_past = codes[i].time_ns <= time_ns, was_past = best >= 0 && codes[best].time_ns <= time_ns;

		if (addr - codes[i].addr >= codes[i].size)
			continue;
		if (best < 0 || (is_past ? !was_past || codes[i].time_ns >= codes[best].time_ns : !was_past && codes[i].time_ns < codes[best].time_ns))
			best = i;
	}
	return best;
}

static void compare(const struct jitdump *d, int n)
{
	for (int k = 0; k < 2000; k++) {
		uint64_t addr = 0x1000 + (uint64_t)rand() % (SPAN + 20), time_ns = (uint64_t)rand() % 1100;
		const struct jitdump_code *c = jitdump_find(d, time_ns, addr);
		int want = truth(n, time_ns, addr);

		assert_int_equal(want >= 0, c != NULL);
		if (c)
			assert_int_equal(c->index, want);
	}
}

/* A file that grows: each part is read once, and the answers are right after each. */
static void test_random(void **state)
{
	struct jitdump *d = jitdump_new(0);
	uint64_t left = 64u << 20, was;
	int fd = open(in_scratch("grows"), O_RDWR | O_CREAT, 0600), n = 0;
	size_t size = put_header(bytes, 0), done = 0;
	char name[16];

	(void)state;
	assert_true(fd >= 0 && d);
	srand(3);
	for (int part = 1; n < NR_CODES; part++) {
		for (int i = 0; i < part * 10 && n < NR_CODES; i++, n++) {
			codes[n].time_ns = (uint64_t)rand() % 1000;
			codes[n].addr = 0x1000 + (uint64_t)rand() % SPAN;
			codes[n].size = 1 + (uint64_t)rand() % (n % 40 ? 8 : 200);
			snprintf(name, sizeof(name), "f%d", n);
			size = put_code(bytes, size, codes[n].time_ns, codes[n].addr, codes[n].size, (uint64_t)n, name, 0);
		}
		/* The last record is not whole at first. */
		assert_int_equal(pwrite(fd, bytes + done, size - done - 3, (off_t)done), size - done - 3);
		assert_int_equal(jitdump_read(d, fd, &left), 0);
		assert_true(state_of(d).is_cut);
		assert_int_equal(state_of(d).nr_codes, n - 1);
		assert_int_equal(pwrite(fd, bytes + size - 3, 3, (off_t)size - 3), 3);
		assert_int_equal(jitdump_read(d, fd, &left), 0);
		assert_false(state_of(d).is_cut);
		done = size;
		compare(d, n);
	}
	was = left;
	assert_int_equal(jitdump_read(d, fd, &left), 0);
	assert_int_equal(left, was);
	assert_true(state_of(d).nr_replaced > NR_CODES / 2);
	close(fd);
	jitdump_free(d);
}

/* As many as have one address: found, and in no time. */
static void test_one_address(void **state)
{
	size_t n = put_header(bytes, 0);
	struct jitdump *d;
	int nr = 0;

	(void)state;
	for (; n + 200 < sizeof(bytes); nr++)
		n = put_load(bytes, n, 10 * (uint64_t)nr, 0x1000, 7, "f", 0);
	d = parse(n);
	for (int i = 0; i < nr; i += 100)
		assert_int_equal(jitdump_find(d, 10 * (uint64_t)i + 5, 0x1002)->time_ns, 10 * i);
	assert_int_equal(state_of(d).nr_replaced, nr - 1);
	jitdump_free(d);
}

/* Sizes that are wrong: what is before is kept, what contradicts itself is counted. */
static void test_wrong(void **state)
{
	size_t n = put_load(bytes, put_header(bytes, 0), 100, 0x1000, 1, "first", 1), at = n;
	struct jitdump *d;

	(void)state;
	n = put_head(bytes, n, 0, 15, 100); /* smaller than its head */
	d = parse(put_load(bytes, n, 100, 0x2000, 2, "second", 1));
	assert_true(state_of(d).is_broken && state_of(d).nr_codes == 1);
	jitdump_free(d);
	put_head(bytes, at, 0, UINT32_MAX, 100);
	d = parse(n);
	assert_true(state_of(d).is_cut && !state_of(d).is_broken && state_of(d).nr_codes == 1);
	jitdump_free(d);
	/* Code that is larger than its record, at the end of memory, without an end of its name; a move of what was not loaded. */
	n = put_load(bytes, at, 100, 0x2000, 2, "large", 1);
	put_u64(bytes, at + 16 + 8 + 16, 5);
	n = put_load(bytes, n, 100, UINT64_MAX - 2, 3, "wraps", 1);
	n = put_head(bytes, n, 0, 16 + 40 + 4, 100);
	memset(bytes + n, 'x', 44);
	n = put_move(bytes, n + 44, 100, 0x1000, 0x3000, 4, 99);
	d = parse(put_load(bytes, n, 100, 0x4000, 4, "last", 1));
	assert_int_equal(state_of(d).nr_codes, 2);
	assert_int_equal(state_of(d).nr_bad, 4);
	assert_string_equal(jitdump_find(d, 0, 0x4003)->name, "last");
	jitdump_free(d);
	/* The CPU's own time: the last record wins. */
	n = put_load(bytes, put_load(bytes, put_header(bytes, 1), 900, 0x1000, 1, "old", 1), 100, 0x1000, 2, "new", 1);
	d = parse(n);
	assert_true(state_of(d).has_own_times);
	assert_string_equal(jitdump_find(d, 950, 0x1000)->name, "new");
	jitdump_free(d);
}

static const char *false_proc(void)
{
	char text[128];

	run("rm -rf %s/proc; mkdir -p %s/proc/%u/root", scratch, scratch, PID);
	snprintf(text, sizeof(text), "Name:\tx\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%u\t7\n", getuid(), getuid(), getuid(), getuid(), PID);
	write_file(in_scratch("proc/4242/status"), text);
	return in_scratch("proc");
}

static void write_dump(const char *name, size_t n)
{
	FILE *f = fopen(in_scratch(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static struct jit_stats stats_of(const struct syms *syms)
{
	struct syms_stats stats;

	syms_stats(syms, &stats);
	return stats.jit;
}

/* A process that lives: its dump is read through its root, grows, and keeps its names at its end. A child has them, too. */
static void test_live(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc(), .lines = true };
	struct task_event fork = { .what = TASK_FORK, .pid = 5, .tid = 5, .ppid = PID, .ptid = PID, .time_ns = 500 };
	struct syms *syms;
	struct frame f;
	size_t n = put_header(bytes, 0);

	(void)state;
	if (!syms_have_lines())
		cfg.lines = false;
	syms = new_syms(&cfg);
	n = put_head(bytes, n, 2, 16 + 16 + 16 + 5, 90);
	n = put_line(bytes, put_u64(bytes, put_u64(bytes, n, 0x1000), 1), 0x1000, 7, "a.js");
	n = put_load(bytes, n, 100, 0x1000, 1, "first", 1);
	write_dump(DUMP, n);
	map_at(syms, PID, 0, 0x9000, 0x1000, 0, "/jit-7.dump");
	map_at(syms, PID, 0, 0x1000, 0x1000, 0, "//anon");
	f = resolve(syms, PID, 150, 0x1002);
	assert_string_equal(f.name, "first");
	assert_string_equal(f.obj, "/jit-7.dump");
	assert_int_equal(f.kind, FRAME_JIT);
	assert_int_equal(f.off, 2);
	if (cfg.lines) {
		assert_string_equal(f.file, "a.js");
		assert_int_equal(f.line, 7);
	}
	/* Where no mapping is known. */
	n = put_load(bytes, n, 200, 0x1000, 2, "second", 1);
	n = put_move(bytes, n, 300, 0x1000, 0x200000, 4, 1);
	write_dump(DUMP, n);
	usleep(120000);
	assert_int_equal(syms_pin(syms), 200);
	expect(syms, PID, 199, 0x1000, "first");
	expect(syms, PID, 200, 0x1000, "second");
	expect(syms, PID, 300, 0x200003, "first");
	assert_int_equal(syms_task(syms, &fork), 0);
	expect(syms, 5, 600, 0x1000, "second");
	run("rm -rf %s/proc/%u", scratch, PID);
	syms_pin(syms);
	expect(syms, PID, 300, 0x200003, "first");
	assert_int_equal(stats_of(syms).codes, 3);
	syms_free(syms);
}

/* The notes of a profile that lacks names, one after the other. */
static const char *notes_of(const struct syms *syms)
{
	static char text[4096];
	struct profile p = { .losses = { [LOSS_UNNAMED] = 1 } };

	text[0] = '\0';
	names_note(syms, &p);
	for (uint32_t i = 0; i < p.nr_notes; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n", p.notes[i]);
	return text;
}

static struct syms *of_file(const char *path, bool *other_clock)
{
	static struct recorded recorded;
	struct syms_cfg cfg = { .offline = true, .recorded = &recorded };
	struct utsname u;
	struct syms *syms;

	assert_int_equal(uname(&u), 0);
	recorded = (struct recorded){ .hostname = u.nodename, .os_release = u.release, .arch = u.machine, .other_clock = other_clock };
	syms = new_syms(&cfg);
	map_at(syms, PID, 0, 0x900000, 0x1000, 0, path);
	map_at(syms, PID, 0, 0x1000, 0x10000, 0, "//anon");
	return syms;
}

/* A recording: names by time if the clocks are one, else the last; what is wrong with the file is said. */
static void test_recording(void **state)
{
	const char *path = in_scratch("jit-9.dump");
	size_t n = put_load(bytes, put_load(bytes, put_header(bytes, 0), 100, 0x1000, 1, "first", 1), 200, 0x1000, 2, "second", 1);
	bool other_clock = false;
	struct syms *syms;

	(void)state;
	write_dump("jit-9.dump", n);
	syms = of_file(path, &other_clock);
	assert_true(syms_by_time(syms, PID));
	expect(syms, PID, 150, 0x1000, "first");
	expect(syms, PID, 250, 0x1000, "second");
	assert_string_equal(notes_of(syms), "");
	syms_free(syms);
	other_clock = true;
	syms = of_file(path, &other_clock);
	assert_false(syms_by_time(syms, PID));
	expect(syms, PID, 150, 0x1000, "second");
	assert_non_null(strstr(notes_of(syms), "perf record -k mono"));
	syms_free(syms);
	write_dump("jit-9.dump", n - 1);
	syms = of_file(path, NULL);
	expect(syms, PID, 250, 0x1000, "first");
	assert_non_null(strstr(notes_of(syms), "ends in the middle of a record"));
	syms_free(syms);
	write_dump("jit-9.dump", 39);
	syms = of_file(path, NULL);
	expect(syms, PID, 250, 0x1000, "[anon]");
	assert_non_null(strstr(notes_of(syms), "is no dump of a JIT's code"));
	syms_free(syms);
	assert_int_equal(unlink(path), 0);
	syms = of_file(path, NULL);
	expect(syms, PID, 250, 0x1000, "[anon]");
	assert_non_null(strstr(notes_of(syms), "No such file"));
	syms_free(syms);
}

/* Links, fifos and files of others are not read, and that is said. */
static void test_planted(void **state)
{
	const char *path = in_scratch("jit-9.dump");
	struct syms *syms;

	(void)state;
	write_dump("elsewhere", put_load(bytes, put_header(bytes, 0), 100, 0x1000, 1, "secret", 1));
	assert_int_equal(symlink(in_scratch("elsewhere"), path), 0);
	syms = of_file(path, NULL);
	expect(syms, PID, 250, 0x1000, "[anon]");
	syms_free(syms);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	syms = of_file(path, NULL);
	expect(syms, PID, 250, 0x1000, "[anon]");
	assert_non_null(strstr(notes_of(syms), "no plain file"));
	syms_free(syms);
	unlink(path);
	if (!getuid()) {
		write_dump("jit-9.dump", put_load(bytes, put_header(bytes, 0), 100, 0x1000, 1, "planted", 1));
		assert_int_equal(chown(path, 12345, 12345), 0);
		syms = of_file(path, NULL);
		expect(syms, PID, 250, 0x1000, "[anon]");
		assert_non_null(strstr(notes_of(syms), "no plain file of its process's user"));
		syms_free(syms);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),	  cmocka_unit_test(test_one_address), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_live),	  cmocka_unit_test(test_recording),   cmocka_unit_test(test_planted),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
