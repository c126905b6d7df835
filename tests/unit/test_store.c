/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of a store's profiles, spans, and what is deleted; moments of --since; units and containers of control groups. */
#include "data/store.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/agentlabels.h"
#include "cmd/storespan.h"

#define T0 1795788180u /* 2026-11-27 14:03:00 UTC */

static char dir[] = "/tmp/test_store.XXXXXX";

static void put(const struct store *s, const char *name, size_t n)
{
	int fd = openat(s->dir, name, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static void test_names(void **state)
{
	struct segment seg;
	struct err err;
	struct store s;

	(void)state;
	assert_int_equal(store_open(&s, dir, true, &err), 0);
	store_name(&s, &seg, T0, T0 + 60, "sched:sched_switch/x");
	assert_string_equal(seg.name, "20261127T140300Z-20261127T140400Z.sched_sched_switch_x.pb.gz");
	put(&s, seg.name, 10);
	/* The clock was set back: a name of its own */
	store_name(&s, &seg, T0, T0 + 60, "sched:sched_switch/x");
	assert_string_equal(seg.name, "20261127T140300Z-20261127T140401Z.sched_sched_switch_x.pb.gz");
	store_close(&s);
}

static void expect(const struct store *s, uint64_t since, uint64_t until, const char *view, size_t n)
{
	const struct store_span span = { since, until, view };
	struct segments all = { 0 };

	assert_int_equal(store_list(s, &span, &all), 0);
	assert_int_equal(all.all.n, n);
	for (size_t i = 1; i < n; i++)
		assert_true(all.all.data[i - 1].start_s <= all.all.data[i].start_s);
	vec_free(&all.all);
}

static void test_spans(void **state)
{
	static const char *const others[] = { "20261127T140300Z-20261127T140400Z.pb.gz", "20261127T140300Z-20261127T140400Z..pb.gz", "x.pb.gz",
					      "20261127T1403Z-20261127T140400Z.a.pb.gz", "20261127T140300Z-20261127T140400Z.a.pb.gz.old",
					      "20261327T140300Z-20261127T140400Z.a.pb.gz" };
	struct segment seg;
	struct err err;
	struct store s;

	(void)state;
	assert_int_equal(store_open(&s, dir, true, &err), 0);
	for (uint64_t i = 0; i < 10; i++) {
		store_name(&s, &seg, T0 + 3600 + 60 * i, T0 + 3660 + 60 * i, "a");
		put(&s, seg.name, 100);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		put(&s, others[i], 1);
	expect(&s, 0, 0, "a", 10);
	expect(&s, T0 + 3600 + 30, 0, "a", 10);
	expect(&s, T0 + 3660, 0, "a", 9);
	expect(&s, T0 + 3660, T0 + 3720, "a", 1);
	expect(&s, T0 + 3660, T0 + 3721, "a", 2);
	expect(&s, 0, 0, "b", 0);
	assert_int_equal(store_trim(&s, 0, T0 + 3600 + 120), 3); /* that of test_names, too */
	expect(&s, 0, 0, "a", 8);
	assert_int_equal(store_trim(&s, 350, 0), 5);
	expect(&s, 0, 0, "a", 3);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(faccessat(s.dir, others[i], F_OK, 0), 0);
	store_close(&s);
}

static void test_opened(void **state)
{
	struct store s, t;
	struct err err;

	(void)state;
	assert_int_equal(store_open(&s, dir, true, &err), 0);
	assert_true(store_open(&t, dir, true, &err) < 0); /* locked */
	assert_non_null(strstr(err.text, "another skep agent"));
	store_close(&t);
	assert_int_equal(store_open(&t, dir, false, &err), 0); /* which readers do not care for */
	store_close(&t);
	store_close(&s);
	assert_true(store_open(&s, "/", false, &err) < 0);
	assert_non_null(strstr(err.text, "no store"));
	store_close(&s);
}

static void test_moments(void **state)
{
	const uint64_t now = T0 + 30;
	uint64_t s, from;

	(void)state;
	assert_true(store_moment("10m", now, &s) && s == now - 600);
	assert_true(store_moment("2h", now, &s) && s == now - 7200);
	assert_true(store_moment("14:01", now, &s) && s == T0 - 120);
	assert_true(store_moment("7d", now, &s) && s == now - 7 * 86400);
	assert_false(store_moment("1795917811", now, &s)); /* seconds since 1970 */
	/* UTC, also as names of profiles have it; a day begins at midnight */
	assert_true(store_moment("2026-11-27T14:03:20Z", now, &s) && s == 1795788200);
	assert_true(store_moment("20261127T140320Z", now, &s) && s == 1795788200);
	assert_true(store_moment("2026-11-27Z", now, &s) && s == 1795737600);
	assert_true(store_moment("2026-11-27", now, &s) && store_moment("2026-11-27 00:00", now, &from) && s == from);
	assert_false(store_moment("2026-11-27T14:03ZZ", now, &s));
	assert_false(store_moment("2026-02-30 10:00", now, &s));
	assert_true(store_moment("2028-02-29 10:00", now, &s));
	assert_true(store_moment("14:01:07", now, &s) && s == T0 - 113);
	assert_true(store_moment("2026-11-26 14:03", now, &s) && s == T0 - 86400);
	assert_true(store_moment("2026-11-26T14:03:01", now, &s) && s == T0 - 86399);
	assert_false(store_moment("25:00", now, &s));
	assert_false(store_moment("14:01x", now, &s));
	assert_false(store_moment("", now, &s));
	assert_false(store_moment("yesterday", now, &s));
}

static void expect_unit(const char *path, const char *unit)
{
	size_t n;
	const char *got = agent_unit(path, &n);

	assert_int_equal(n, strlen(unit));
	assert_memory_equal(got, unit, n);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_groups(void **state)
{
	(void)state;
	expect_unit("/system.slice/nginx.service", "nginx.service");
	expect_unit("/user.slice/user-0.slice/user@0.service/app.slice/nginx.service", "user@0.service");
	expect_unit("/user.slice/user-0.slice/session-3.scope", "session-3.scope");
	expect_unit("/system.slice/docker-" ID ".scope", "docker-" ID ".scope");
	expect_unit("/", "/");
	expect_unit("/made/by/hand", "/made/by/hand");
	expect_unit("/.service", "/.service");
	assert_memory_equal(agent_container("/system.slice/docker-" ID ".scope"), "0123456789ab", 12);
	assert_memory_equal(agent_container("/kubepods/burstable/pod1/" ID), "0123456789ab", 12);
	assert_null(agent_container("/a" ID)); /* one digit more */
	assert_null(agent_container("/system.slice/nginx.service"));
}

static int make_dir(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	char line[64];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", dir);
	return system(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_spans),  cmocka_unit_test(test_opened),
		cmocka_unit_test(test_moments), cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests_name("store", tests, make_dir, drop_dir);
}
