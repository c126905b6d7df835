/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The event grammar: names, modifiers, groups, and what is said of those that are wrong. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "event/event.h"
#include "event/probe.h"
#include "util/near.h"

#define ROOM 16

static struct event events[ROOM];

static int parse(const char *text)
{
	struct err err = { 0 };

	memset(events, 0, sizeof(events));
	return event_parse(text, events, ROOM, &err);
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(parse("cycles,cpu-cycles,r1a8,LLC-load-misses,faults"), 5);
	assert_int_equal(events[0].config, events[1].config);
	assert_int_equal(events[2].type, PERF_TYPE_RAW);
	assert_int_equal(events[2].config, 0x1a8);
	assert_int_equal(events[3].type, PERF_TYPE_HW_CACHE);
	assert_int_equal(events[3].config, PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	assert_string_equal(events[4].name, "faults");
	/* an r with more digits than a number has is a name, and unknown */
	assert_int_equal(parse("r12345678123456781"), -EINVAL);
	assert_int_equal(parse("cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,"
			       "cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock,cpu-clock"),
			 -E2BIG);
}

static void test_modifiers(void **state)
{
	(void)state;
	assert_int_equal(parse("cycles:uk,cycles:kpp,cycles:H,cycles:G,cycles:GH,cycles:IDe,cycles:P"), 7);
	assert_true(!events[0].exclude_user && !events[0].exclude_kernel && events[0].exclude_hv);
	assert_true(events[1].exclude_user && !events[1].exclude_kernel && events[1].precise == 2);
	assert_true(!events[2].guest && !events[2].exclude_host);
	assert_true(events[3].guest && events[3].exclude_host);
	assert_true(events[4].guest && !events[4].exclude_host);
	assert_true(events[5].exclude_idle && events[5].pinned && events[5].exclusive && !events[5].exclude_user);
	assert_true(events[6].precise_max);
	assert_int_equal(parse("cycles:pppp"), -EINVAL);
	assert_int_equal(parse("cycles:"), -EINVAL);
	assert_int_equal(parse("cycles:W"), -EINVAL);
	assert_int_equal(parse("cycles:u:k"), -EINVAL);
	assert_int_equal(parse("cycles:\x01"), -EINVAL);
}

static void test_groups(void **state)
{
	static const char *const wrong[] = { "{", "}", "{}", "{cycles", "cycles}", "{cycles}}", "{cycles}:", "{cycles}u", "{cycles,}",
					     "{,cycles}", "{{cycles}}", "{cycles}{cs}", "{cycles}:q", "{cycles}:u,", "{raw_syscalls:sys_enter,cs}" };

	(void)state;
	assert_int_equal(parse("cs,{cycles,instructions:k}:u,{faults}:W,task-clock"), 5);
	assert_int_equal(events[0].group_pos, 0);
	assert_int_equal(events[1].group_pos, 1);
	assert_int_equal(events[2].group_pos, 2);
	assert_int_equal(events[3].group_pos, 1);
	assert_int_equal(events[4].group_pos, 0);
	assert_string_equal(events[1].name, "cycles:u");
	assert_string_equal(events[2].name, "instructions:ku");
	assert_true(!events[1].exclude_user && events[1].exclude_kernel);
	/* a group's modifiers are added to an event's own */
	assert_true(!events[2].exclude_user && !events[2].exclude_kernel && events[2].exclude_hv);
	assert_true(events[3].weak && !events[1].weak);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(parse(wrong[i]), -EINVAL);
}

static void test_words(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(event_parse("task-clock,cyclse", events, ROOM, &err), -EINVAL);
	assert_string_equal(err.text, "bad event 'cyclse': no such event\n"
				      "      task-clock,cyclse\n"
				      "                 ^");
	assert_non_null(strstr(err.hint, "similar: cycles, "));
	/* A system call is no counter, and nothing like it */
	assert_int_equal(event_parse("openat", events, ROOM, &err), -EINVAL);
	assert_string_equal(err.hint, "for the system call: syscalls:sys_enter_openat");
	assert_int_equal(event_parse("fstat", events, ROOM, &err), -EINVAL);
	assert_string_equal(err.hint, "for the system call: syscalls:sys_enter_newfstat");
	assert_int_equal(event_parse("xyzzy_foo_bar", events, ROOM, &err), -EINVAL);
	assert_string_equal(err.hint, "skep list shows the names");
	assert_int_equal(event_parse("{cycles:uq}", events, ROOM, &err), -EINVAL);
	assert_non_null(strstr(err.text, "unknown modifier 'q'"));
	assert_int_equal(event_parse("cyclse:u", events, ROOM, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no such event"));
	assert_non_null(strstr(err.hint, "similar: cycles, "));
	assert_int_equal(event_parse("cycles,software/config=2", events, ROOM, &err), -EINVAL);
	assert_non_null(strstr(err.text, "bad event 'software/config=2': no slash after"));
	assert_int_equal(event_parse("nosuch/event=1/", events, ROOM, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no such PMU"));
}

static void test_near(void **state)
{
	static const char *const names[] = { "task-clock", "cpu-clock", "cycles", "cycles", "faults" };
	struct near near;

	(void)state;
	near_init(&near, "cpuclock", 8);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		near_offer(&near, names[i], strlen(names[i]));
	assert_int_equal(near.n, 3);
	assert_string_equal(near.names[0], "cpu-clock");
	assert_string_equal(near.names[1], "task-clock");
	assert_string_equal(near.names[2], "cycles");
	/* neighbours that changed places are one edit */
	near_init(&near, "tpo", 3);
	near_offer(&near, "tid", 3);
	assert_false(near_is_close(&near));
	near_offer(&near, "top", 3);
	assert_true(near_is_close(&near));
	assert_string_equal(near.names[0], "top");
}

/* A probe is parsed with its list, and its carets are below that; who takes it frees it. */
static void test_probes(void **state)
{
	struct err err = { 0 };
	struct probe_spec spec;

	(void)state;
	assert_int_equal(parse("cycles,k:f if a > 1,u:./x:g+4"), 3);
	assert_null(events[0].probe);
	assert_string_equal(events[1].name, "k:f if a > 1");
	assert_int_equal(events[1].probe->filter_at, strlen("cycles,k:f if "));
	event_take_probe(&events[2], &spec);
	assert_null(events[2].probe);
	assert_string_equal(spec.name, "g");
	assert_int_equal(spec.offset, 4);
	probe_free(&spec);
	events_free(events, 3);
	assert_null(events[1].probe);
	assert_int_equal(event_parse("k:g if b == 1,k:f if (a > 1", events, ROOM, &err), -EINVAL);
	assert_string_equal(err.text, "bad filter: no closing bracket for this one\n"
				      "      k:g if b == 1,k:f if (a > 1\n"
				      "                           ^");
	assert_null(events[0].probe);
	assert_int_equal(event_parse("k:f(a) if a > 1", events, ROOM, &err), -EINVAL);
	assert_string_equal(err.text, "'k:f if a > 1': arguments work only in a filter here (if ...); skep probe prints them");
	assert_int_equal(event_parse_args("k:f(a,b=c) if a > 1,cycles", events, ROOM, &err), 2);
	assert_string_equal(events[0].name, "k:f if a > 1");
	assert_int_equal(events[0].probe->nr_args, 2);
	events_free(events, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_modifiers), cmocka_unit_test(test_groups),
		cmocka_unit_test(test_words), cmocka_unit_test(test_near), cmocka_unit_test(test_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
