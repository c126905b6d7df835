/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A segment as rows of ClickHouse, URLs of servers, and what is shown of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pprof/pprof.h"
#include "push/batch.h"
#include "push/clickhouse.h"
#include "push/push.h"
#include "push/weburl.h"

#define HOST "a'b"

static const struct batch_from from = { HOST, "0123" };

static uint8_t build_id(void *arg, const char *obj, uint8_t *ret_id)
{
	(void)arg;
	if (strcmp(obj, "/bin/x") != 0)
		return 0;
	memcpy(ret_id, "\x12\xab", 2);
	return 2;
}

/* Two stacks, one of them seen at two addresses of one function, with labels that tell them apart, or do not. */
static char *profile(size_t *ret_n)
{
	static const char x[] = "/bin/x", main_name[] = "main", leaf[] = "leaf\n", k[] = "[kernel.kallsyms]", call[] = "do_call";
	const struct frame user[] = { { .name = leaf, .obj = x, .addr = 16, .pos = 16 }, { .name = main_name, .obj = x, .addr = 32, .pos = 32 } };
	const struct frame other[] = { { .name = leaf, .obj = x, .addr = 20, .pos = 20 }, { .name = main_name, .obj = x, .addr = 32, .pos = 32 } };
	const struct frame kernel[] = { { .name = call, .obj = k, .addr = 1, .kind = FRAME_KERNEL, .is_kernel = true }, user[1] };
	const struct pprof_label a[] = { { .key = "comm", .text = "x" }, { .key = "unit", .text = "x.service" }, { .key = "colour", .text = "red" } };
	const struct pprof_head head = { .event = "cpu-clock", .unit = "ns", .comments = (const char *const[]){ "skep agent", "lost: 3  why", NULL } };
	struct pprof_writer *w;
	char *bytes;
	FILE *out = open_memstream(&bytes, ret_n);

	assert_non_null(out);
	assert_int_equal(pprof_writer_new(&w), 0);
	assert_int_equal(pprof_add(w, user, 2, a, 3, 1, 10), 0);
	assert_int_equal(pprof_add(w, other, 2, a, 2, 2, 20), 0);
	assert_int_equal(pprof_add(w, kernel, 2, a, 2, 4, 40), 0);
	assert_int_equal(pprof_add(w, kernel, 2, a, 1, 8, 80), 0);
	assert_int_equal(pprof_write(w, &head, build_id, NULL, out), 0);
	assert_int_equal(fclose(out), 0);
	pprof_writer_free(w);
	return bytes;
}

static bool knows_nothing(void *arg, const unsigned char *hash)
{
	(void)hash;
	++*(int *)arg;
	return false;
}

static bool knows_all(void *arg, const unsigned char *hash)
{
	(void)arg;
	(void)hash;
	return true;
}

static void expect(struct rows_in *in, const char *text)
{
	size_t n;
	const char *at = rows_take_text(in, &n);

	assert_int_equal(n, strlen(text));
	assert_memory_equal(at, text, n);
}

static uint32_t take_u32(struct rows_in *in)
{
	uint32_t n = 0;
	const char *p = rows_take(in, sizeof(n));

	assert_non_null(p);
	memcpy(&n, p, sizeof(n));
	return n;
}

static void rows(void **state)
{
	const struct segment seg = { .name = "x", .view = "cpu-clock", .start_s = 1000, .end_s = 1060 };
	struct err err = { 0 };
	struct batch b, again;
	struct rows_in in;
	int asked = 0;
	uint64_t count = 0, value = 0;
	size_t n;
	char *bytes = profile(&n);

	(void)state;
	assert_int_equal(batch_make(&b, &seg, bytes, n, &from, knows_nothing, &asked, &err), 0);
	assert_int_equal(asked, 2); /* stacks that differ by addresses alone are one */
	assert_int_equal(b.stacks.nr_rows, 2);
	assert_int_equal(b.samples.nr_rows, 3); /* a label that is no column tells none apart */
	assert_int_equal(b.hashes.n, 2 * BATCH_HASH_BYTES);
	assert_string_equal(b.service, "x.service");
	in = (struct rows_in){ b.samples.bytes.data, b.samples.bytes.data + b.samples.bytes.n };
	for (int i = 0; i < 3; i++) {
		assert_int_equal(take_u32(&in), 1000);
		assert_int_equal(take_u32(&in), 60);
		expect(&in, HOST);
		expect(&in, "0123");
		expect(&in, i < 2 ? "x.service" : "");
		expect(&in, "cpu-clock");
		expect(&in, "nanoseconds");
		expect(&in, "x");
		for (int k = 0; k < 6; k++) /* cgroup, container, its name and image, exe, build */
			expect(&in, "");
		assert_non_null(rows_take(&in, BATCH_HASH_BYTES));
		count += rows_take_u64(&in);
		value += rows_take_u64(&in);
	}
	assert_true(in.p == in.end && !in.is_bad);
	assert_int_equal(count, 15);
	assert_int_equal(value, 150);
	in = (struct rows_in){ b.stacks.bytes.data + BATCH_HASH_BYTES, b.stacks.bytes.data + b.stacks.bytes.n };
	assert_int_equal(rows_take_size(&in), 2);
	expect(&in, "leaf\n");
	expect(&in, "main");
	assert_int_equal(rows_take_size(&in), 2);
	expect(&in, "/bin/x");
	expect(&in, "/bin/x");
	assert_int_equal(rows_take_size(&in), 2);
	expect(&in, "12ab");
	expect(&in, "12ab");
	/* What is known is not sent again; the rest is the same, byte for byte */
	bytes = profile(&n);
	assert_int_equal(batch_make(&again, &seg, bytes, n, &from, knows_all, NULL, &err), 0);
	assert_int_equal(again.stacks.nr_rows, 0);
	assert_int_equal(again.samples.bytes.n, b.samples.bytes.n);
	assert_memory_equal(again.samples.bytes.data, b.samples.bytes.data, b.samples.bytes.n);
	batch_free(&again);
	batch_free(&b);
	/* No profile */
	assert_true(batch_make(&b, &seg, strdup("nothing"), 7, &from, knows_all, NULL, &err) < 0);
	assert_non_null(strstr(err.text, "no profile"));
	batch_free(&b);
}

static void damaged(void **state)
{
	const struct segment seg = { .name = "x", .view = "v" };
	size_t n;

	(void)state;
	free(profile(&n));
	for (size_t cut = 0; cut < n; cut++) {
		struct err err = { 0 };
		struct batch b;
		char *bytes = profile(&n);

		assert_true(batch_make(&b, &seg, bytes, cut, &from, knows_all, NULL, &err) < 0);
		batch_free(&b);
	}
}

/* What is beyond the end, and sizes that no memory has. */
static void reading(void **state)
{
	static const char huge[] = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f" "abc", endless[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	struct rows_in in = { huge, huge + sizeof(huge) - 1 };
	size_t n;

	(void)state;
	assert_string_equal(rows_take_text(&in, &n), "");
	assert_true(in.is_bad && !n);
	in = (struct rows_in){ endless, endless + sizeof(endless) - 1 };
	rows_take_size(&in);
	assert_true(in.is_bad);
	in = (struct rows_in){ huge, huge + 3 };
	assert_int_equal(rows_take_u64(&in), 0);
	assert_true(in.is_bad);
}

static void urls(void **state)
{
	static const char *const good[] = { "clickhouse://h", "clickhouse://h:1/d", "clickhouse+https://u:p@h/d_1", "clickhouse://[::1]:8123/x", "pyroscope+http://h",
					    "pyroscope+https://u@h:1/p/", "otlp+http://h" };
	static const char *const bad[] = { "", "http://h", "clickhouse:/h", "pyroscope+ftp://h", "otlp://h", "pyroscope://h" };
	struct weburl *u;
	struct err err = { 0 };
	char shown[PUSH_SHOWN_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(push_check(good[i], &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(push_check(bad[i], &err) < 0);
	assert_int_equal(client_library(&err), 0);
	assert_int_equal(weburl_new("x+https://u:p:q@h:1/a/b//", "x+", "secret", "", NULL, &u, &err), 0);
	assert_string_equal(u->base, "https://h:1/a/b");
	assert_string_equal(u->user, "u");
	assert_string_equal(u->password, "p:q");
	weburl_free(u);
	assert_int_equal(weburl_new("x+http://u@h", "x+", "secret", "", NULL, &u, &err), 0);
	assert_string_equal(u->password, "secret");
	weburl_free(u);
	assert_int_equal(weburl_new("x+http://h@/", "x+", NULL, "", NULL, &u, &err), -EINVAL);
	push_shown("clickhouse://u:p@w@h/d", shown, sizeof(shown));
	assert_string_equal(shown, "clickhouse://u@h/d");
	push_shown("clickhouse://u:p/w@h/d", shown, sizeof(shown));
	assert_string_equal(shown, "clickhouse://u@h/d");
	push_shown("clickhouse://u@h:1/d", shown, sizeof(shown));
	assert_string_equal(shown, "clickhouse://u@h:1/d");
	push_shown("clickhouse://h:1/d", shown, sizeof(shown));
	assert_string_equal(shown, "clickhouse://h:1/d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(damaged),
		cmocka_unit_test(reading),
		cmocka_unit_test(urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
