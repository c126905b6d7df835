/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of the scheduler: numbers and words of each, and their views against tests/golden/timehist.* and schedmap.* */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "model/schedlog.h"
#include "model/shortnames.h"
#include "render/events/chrome.h"
#include "render/events/schedmap.h"
#include "render/events/timehist.h"

#define START_NS 5000000000ull
#define US 1000ull
#define HOSTILE "n\033\"\xff,;\\"

static const struct frame frames[] = {
	{ .name = "bpf_prog_1_sched_switch", .kind = FRAME_KERNEL }, { .name = "__schedule", .kind = FRAME_KERNEL },
	{ .name = "schedule", .kind = FRAME_KERNEL },		     { .name = "do_nanosleep", .kind = FRAME_KERNEL },
	{ .name = "schedule", .kind = FRAME_USER },		     { .name = "f(a, \"b\")", .kind = FRAME_USER },
};
#define NR_FRAMES (sizeof(frames) / sizeof(*frames))

struct told {
	struct sample at;
	struct sched_event sched;
};

static const struct sample *whole(struct told *told)
{
	told->at.sched = &told->sched;
	return &told->at;
}

/* A switch away from tid, whose wait and run are known: off, able to run, on, until. us from the start on; 0: not known. */
static struct told switch_of(uint32_t tid, const char *comm, uint32_t cpu, uint64_t off_us, uint64_t ready_us, uint64_t on_us, uint64_t us)
{
	struct told e = {
		.at = { .time_ns = START_NS + us * US, .pid = tid > 100 ? 100 : tid, .tid = tid, .comm = comm, .cpu = cpu },
		.sched = { .kind = SCHEDLOG_SWITCH, .flags = SCHEDLOG_TASK, .state = 1, .off_state = 1,
		.off_ns = off_us ? START_NS + off_us * US : 0, .ready_ns = ready_us ? START_NS + ready_us * US : 0,
		.on_ns = on_us ? START_NS + on_us * US : 0, .delay_ns = SCHEDLOG_UNKNOWN, .run_ns = SCHEDLOG_UNKNOWN,
		.other_cpu = cpu, .other = { 0, 0, "swapper/0" } },
	};

	if (on_us)
		e.sched.run_ns = (us - on_us) * US;
	if (on_us && ready_us)
		e.sched.delay_ns = (on_us - ready_us) * US;
	return e;
}

static struct told with_other(struct told e, uint32_t tid, const char *comm, bool is_told)
{
	e.sched.other = (struct thread_name){ .pid = tid, .tid = tid };
	snprintf(e.sched.other.comm, sizeof(e.sched.other.comm), "%s", comm);
	e.sched.flags |= is_told ? SCHEDLOG_OTHER : 0;
	return e;
}

static struct told woken_by(struct told e, uint32_t tid, const char *comm)
{
	e.sched.waker_kind = SCHEDLOG_BY_TASK;
	e.sched.waker = (struct thread_name){ .pid = tid, .tid = tid };
	snprintf(e.sched.waker.comm, sizeof(e.sched.waker.comm), "%s", comm);
	return e;
}

static struct told of_state(struct told e, uint16_t state, uint16_t off_state, uint8_t flags)
{
	e.sched.state = state;
	e.sched.off_state = off_state;
	e.sched.flags |= flags;
	return e;
}

static struct told of_kind(struct told e, uint8_t kind, uint32_t other_cpu, uint8_t now)
{
	e.sched.kind = kind;
	e.sched.other_cpu = other_cpu;
	e.sched.now = now;
	return e;
}

/* What every view shows: a story of three tasks on two CPUs. */
static size_t story(struct told *e)
{
	size_t n = 0;
	struct told timer = switch_of(7, "ping", 0, 100, 250, 300, 400);

	e[n++] = with_other(of_state(switch_of(7, "ping", 0, 0, 0, 0, 100), 1, 0, 0), 101, HOSTILE, true);
	e[n++] = with_other(woken_by(switch_of(101, HOSTILE, 0, 20, 90, 100, 300), 7, "ping"), 7, "ping", true);
	timer.sched.waker_kind = SCHEDLOG_BY_INTERRUPT;
	e[n++] = with_other(of_state(timer, 0, 1, SCHEDLOG_PREEMPTED), 101, HOSTILE, true);
	e[n++] = of_kind(woken_by(switch_of(7, "ping", 0, 0, 0, 0, 410), 101, HOSTILE), SCHEDLOG_MIGRATE, 1, 0);
	e[n] = of_kind(woken_by(switch_of(8, "other", 1, 0, 0, 0, 415), 101, HOSTILE), SCHEDLOG_WAKE, SCHEDLOG_NO_CPU, 0);
	e[n++].sched.waker_kind = SCHEDLOG_BY_SOFTIRQ;
	/* Its record has run, and no begin: how it was put on was not told */
	e[n] = with_other(of_state(switch_of(8, "other", 1, 150, 0, 0, 420), 2, 0, 0), 7, "ping", true);
	e[n].sched.run_ns = 70 * US;
	e[n++].sched.delay_ns = 200 * US;
	e[n++] = with_other(of_state(switch_of(101, HOSTILE, 0, 300, 350, 400, 500), 0x80, 2, 0), 44, "stranger", false);
	e[n++] = of_state(switch_of(7, "ping", 1, 400, 400, 420, 1234567), 0x402, 0, 0);
	e[n++] = of_kind(of_state(switch_of(8, "other", 1, 420, 0, 0, 2000000), 0, 2, 0), SCHEDLOG_LEFT, 1, SCHED_BLOCKED);
	e[n++] = of_kind(of_state(switch_of(9, "spins", 0, 500, 500, 510, 2000000), 0, 0, 0), SCHEDLOG_LEFT, 0, SCHED_RUNNING);
	e[n++] = of_kind(of_state(switch_of(10, "waits", 0, 600, 700, 0, 2000000), 0, 1, 0), SCHEDLOG_LEFT, 0, SCHED_WAITING);
	return n;
}

static void test_times(void **state)
{
	struct told e = switch_of(1, "a", 0, 10, 15, 18, 30);
	struct sched_times t = schedlog_times(&e.sched);

	(void)state;
	assert_true(t.wait.is_known && t.delay.is_known && t.run.is_known);
	assert_int_equal(t.wait.ns, 8 * US);
	assert_int_equal(t.delay.ns, 3 * US);
	assert_int_equal(t.run.ns, 12 * US);
	e = switch_of(1, "a", 0, 0, 0, 0, 30);
	t = schedlog_times(&e.sched);
	assert_false(t.wait.is_known || t.delay.is_known || t.run.is_known);
	/* Clocks of two CPUs that differ: no negative wait */
	e = switch_of(1, "a", 0, 19, 15, 18, 30);
	assert_int_equal(schedlog_times(&e.sched).wait.ns, 0);
}

static void test_letters(void **state)
{
	static const struct {
		uint16_t state;
		char letter;
		enum sched_state what;
	} rows[] = { { 0, 'R', SCHED_WAITING },	     { 1, 'S', SCHED_SLEEPING },     { 2, 'D', SCHED_BLOCKED },	 { 0x402, 'I', SCHED_SLEEPING },
		     { 0x102, 'D', SCHED_BLOCKED },  { 0x2001, 'S', SCHED_SLEEPING }, { 4, 'T', SCHED_STOPPED },	 { 8, 't', SCHED_STOPPED },
		     { 0x40, 'P', SCHED_STOPPED },   { 0x80, 'X', SCHED_STOPPED },   { 0x8000, 'D', SCHED_BLOCKED } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(sched_letter(rows[i].state), rows[i].letter);
		assert_int_equal(sched_state_of(rows[i].state), rows[i].what);
	}
}

static void test_stack(void **state)
{
	(void)state;
	assert_int_equal(schedlog_stack_begin(frames, NR_FRAMES), 3); /* a user function of that name stays */
	assert_int_equal(schedlog_stack_begin(frames, 1), 0);
	assert_int_equal(schedlog_stack_begin(frames, 0), 0);
}

static void timehist(const char *name, const struct rows_format *format, uint64_t hide)
{
	struct rows_view view = { .hide = hide, .separator = "," };
	struct schedlog_row *row = calloc(1, sizeof(*row));
	struct told e[16];
	size_t n = story(e), size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(row);
	rows_choose(&view, format, &schedlog_schema, NULL, 0);
	format->head(out, &schedlog_schema, &view);
	for (size_t i = 0; i < n; i++) {
		if (e[i].sched.kind == SCHEDLOG_LEFT)
			continue;
		schedlog_row(whole(&e[i]), frames + 3, i % 2 && !(hide >> LOG_STACK & 1) ? NR_FRAMES - 3 : 0, START_NS, row);
		format->row(out, &row->row, &view);
	}
	assert_int_equal(fclose(out), 0);
	golden(name, text);
	free(text);
	free(row);
}

static void test_lines(void **state)
{
	(void)state;
	timehist("timehist.txt", &timehist_text, 1ull << LOG_NEXT_COMM | 1ull << LOG_STACK);
	timehist("timehist.stacks.txt", &timehist_text, 0);
	timehist("timehist.csv", rows_format("csv"), 0);
	timehist("timehist.json", rows_format("json"), 0);
}

static void test_chrome(void **state)
{
	struct profile p = { .title = "skep sched timehist", .seen = 11, .kept = 9, .duration_ns = 2000000000 };
	struct chrome c = { .start_ns = START_NS };
	struct told e[16];
	size_t n = story(e), size;
	char *text;

	(void)state;
	p.losses[LOSS_RING_FULL] = 2;
	c.out = open_memstream(&text, &size);
	assert_int_equal(chrome_begin(&c), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(chrome_event(&c, whole(&e[i]), frames + 3, i == 1 ? NR_FRAMES - 3 : 0), 0);
	assert_int_equal(chrome_end(&c, &p), 0);
	assert_int_equal(fclose(c.out), 0);
	golden("timehist.chrome.json", text);
	chrome_free(&c);
	free(text);
}

/* Threads come and go: the table holds those that live, and finds each of them. */
static void test_chrome_threads(void **state)
{
	struct chrome c = { .start_ns = START_NS };
	size_t size;
	char *text;

	(void)state;
	c.out = open_memstream(&text, &size);
	for (uint32_t i = 1; i <= 20000; i++) {
		struct told e = of_state(switch_of(i, "t", 0, 0, 0, i, i + 1), i % 100 ? 0x80 : 1, 1, 0);

		assert_int_equal(chrome_event(&c, whole(&e), NULL, 0), 0);
	}
	assert_int_equal(c.threads.n, 200);
	assert_true(c.threads.cap <= 1024 && c.by_tid.nr_slots <= 1024);
	for (uint32_t i = 100; i <= 20000; i += 100) {
		struct told e = of_state(switch_of(i, "t", 0, i + 1, i + 2, 30000, 30001), 0x80, 1, 0);

		assert_int_equal(chrome_event(&c, whole(&e), NULL, 0), 0);
	}
	assert_int_equal(c.threads.n, 0);
	fclose(c.out);
	chrome_free(&c);
	free(text);
}

/* Of all tasks those that slept all the time have no track, but for the first thread of a process that has others. */
static void test_chrome_left(void **state)
{
	struct chrome c = { .start_ns = START_NS, .all = true };
	struct told thread = switch_of(101, "t", 0, 10, 20, 30, 40);
	struct told first = of_kind(switch_of(100, "first", 0, 0, 0, 0, 50), SCHEDLOG_LEFT, 0, SCHED_SLEEPING);
	struct told other = of_kind(switch_of(50, "asleep", 0, 0, 0, 0, 50), SCHEDLOG_LEFT, 0, SCHED_SLEEPING);
	size_t size;
	char *text;

	(void)state;
	c.out = open_memstream(&text, &size);
	assert_int_equal(chrome_event(&c, whole(&other), NULL, 0), 0);
	assert_int_equal(chrome_event(&c, whole(&thread), NULL, 0), 0);
	assert_int_equal(chrome_event(&c, whole(&other), NULL, 0), 0);
	assert_int_equal(chrome_event(&c, whole(&first), NULL, 0), 0);
	fclose(c.out);
	assert_null(strstr(text, "asleep"));
	assert_non_null(strstr(text, "\"name\":\"process_name\",\"args\":{\"name\":\"first\"}"));
	chrome_free(&c);
	free(text);
}

static void test_map(void **state)
{
	struct schedmap_cell cells[] = { { .cpu = 0, .name = SHORTNAMES_MAX }, { .cpu = 1, .name = SHORTNAMES_MAX } };
	struct schedmap *m = calloc(1, sizeof(*m));
	struct told e[16];
	size_t n = story(e), size;
	char *text;

	(void)state;
	assert_non_null(m);
	*m = (struct schedmap){ .start_ns = START_NS, .cells = cells, .nr_cells = 2, .nr_shown = 2 };
	m->out = open_memstream(&text, &size);
	assert_int_equal(schedmap_begin(m), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(schedmap_event(m, whole(&e[i])), 0);
	assert_int_equal(fclose(m->out), 0);
	golden("schedmap.txt", text);
	free(text);
	free(m);
	assert_int_equal(schedmap_room(0), UINT32_MAX);
	assert_int_equal(schedmap_room(20), 1);
	assert_int_equal(schedmap_room(100), 14);
}

static void test_shortnames(void **state)
{
	struct shortnames *s = calloc(1, sizeof(*s));
	char text[3];
	bool is_new;

	(void)state;
	assert_non_null(s);
	assert_int_equal(shortname_of(s, 5, "a", &is_new), 0);
	assert_true(is_new);
	assert_int_equal(shortname_of(s, 5, "a", &is_new), 0);
	assert_false(is_new);
	assert_int_equal(shortname_of(s, 5, "b", &is_new), 0); /* it is called otherwise now */
	assert_true(is_new);
	shortname_text(0, text);
	assert_string_equal(text, "A0");
	shortname_text(53, text);
	assert_string_equal(text, "B1");
	shortname_end(s, 5);
	shortname_end(s, 6);
	assert_int_equal(shortname_of(s, 5, "b", &is_new), 1);
	/* All given: the oldest that no CPU holds is the next one's, and its thread gets another */
	s->all[1].is_held = true;
	for (uint32_t i = 2; i < SHORTNAMES_MAX; i++)
		assert_int_equal(shortname_of(s, 1000 + i, "x", &is_new), i);
	assert_int_equal(shortname_of(s, 999999, "y", &is_new), 0);
	assert_int_equal(shortname_of(s, 999998, "y", &is_new), 2);
	assert_int_equal(shortname_of(s, 1002, "x", &is_new), 3);
	assert_true(is_new);
	assert_int_equal(shortname_of(s, 5, "b", &is_new), 1);
	assert_false(is_new);
	free(s);
}

static void test_full_disk(void **state)
{
	struct told e = switch_of(1, "a", 0, 10, 15, 18, 30);
	struct chrome c = { 0 };
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	c.out = full;
	assert_int_equal(chrome_event(&c, whole(&e), NULL, 0), -EIO);
	chrome_free(&c);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),	      cmocka_unit_test(test_letters), cmocka_unit_test(test_stack),
		cmocka_unit_test(test_lines),	      cmocka_unit_test(test_chrome),  cmocka_unit_test(test_chrome_threads),
		cmocka_unit_test(test_chrome_left),
		cmocka_unit_test(test_map),	      cmocka_unit_test(test_shortnames), cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
