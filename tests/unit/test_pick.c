/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which samples of a file are shown: the words of the options, and who passes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/pick.h"
#include "cmd/picktime.h"
#include "sample.h"

#define S 1000000000ull

static int passed;

static int take(struct named_sink *sink, const struct named *n)
{
	(void)sink;
	(void)n;
	passed++;
	return 0;
}

static struct named_sink end = { .sample = take };
static struct err err;

/* Does a sample pass? */
static bool passes(const struct pick_options *o, const struct sample *s, const char *comm, const char *sym, const char *obj, struct pick_out *ret_out)
{
	static struct stack st;
	struct named n = { .at = s, .comm = comm, .stack = &st };
	struct names names = { .to = &end };
	struct pick *p;

	st = (struct stack){ .n = 1 };
	st.frames[0] = (struct frame){ .name = sym ? sym : "[unknown]", .obj = obj, .kind = sym ? FRAME_USER : FRAME_UNKNOWN };
	assert_int_equal(pick_new(o, &p, &err), 0);
	assert_non_null(p);
	assert_int_equal(pick_begin(p, 100 * S, 110 * S, &err), 0);
	pick_insert(p, &names);
	passed = 0;
	if (names.to->wants(names.to, s))
		assert_int_equal(names.to->sample(names.to, &n), 0);
	assert_int_equal(pick_out_all(p), passed ? 0 : 1);
	*ret_out = pick_out(p, s->event);
	pick_free(p);
	return passed;
}

static const struct sample sample = { .time_ns = 105 * S, .weight = 7, .count = 1, .pid = 10, .tid = 11, .cpu = 2, .event = 3 };

/* counts: what is left out belongs to all samples, of which percentages may be. */
static void row(struct pick_options o, bool want, bool counts)
{
	struct pick_out out;

	assert_int_equal(passes(&o, &sample, "prog", "work", "/usr/lib/libx.so", &out), want);
	assert_int_equal(out.weight, counts ? 7 : 0);
	assert_int_equal(out.count, counts ? 1 : 0);
}

#define ROW(want, counts, ...) row((struct pick_options){ __VA_ARGS__ }, want, counts)

static void test_samples(void **state)
{
	(void)state;
	ROW(true, false, .comms = "a,prog");
	ROW(false, true, .comms = "a,pro,progs");
	ROW(true, false, .pids = "9,10");
	ROW(false, true, .pids = "11");
	ROW(true, false, .tids = "11");
	ROW(false, true, .tids = "10");
	ROW(true, false, .dsos = "libx.so");
	ROW(true, false, .dsos = "x,/usr/lib/libx.so");
	ROW(false, true, .dsos = "lib/libx.so");
	ROW(true, false, .symbols = "work");
	ROW(false, true, .symbols = "wor");
	ROW(true, false, .cpus = "0-2");
	ROW(false, false, .cpus = "3,4");
	ROW(true, false, .time = "105,105");
	ROW(false, false, .time = "106,");
	ROW(true, false, .comms = "prog", .pids = "10", .dsos = "libx.so", .symbols = "work", .cpus = "2", .time = "50%-60%");
	ROW(false, true, .comms = "prog", .symbols = "other");
	ROW(true, false, .named_only = true);
}

static void test_without_names(void **state)
{
	struct sample s = sample;
	struct pick_out out;
	struct pick *p;

	(void)state;
	assert_false(passes(&(struct pick_options){ .named_only = true }, &s, "prog", NULL, "", &out));
	assert_int_equal(out.count, 0);
	assert_false(passes(&(struct pick_options){ .symbols = "[unknown]" }, &s, "prog", NULL, "", &out));
	assert_false(passes(&(struct pick_options){ .dsos = "libx.so" }, &s, "prog", NULL, "", &out));
	s.cpu = UINT32_MAX;
	assert_false(passes(&(struct pick_options){ .cpus = "0-65535" }, &s, "prog", NULL, "", &out));
	assert_int_equal(pick_new(&(struct pick_options){ 0 }, &p, &err), 0);
	assert_null(p);
	assert_int_equal(pick_out_all(NULL), 0);
}

static void test_files(void **state)
{
	char path[] = "/tmp/skep-pick-XXXXXX", word[64];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "other\nprog\n", 11), 11);
	close(fd);
	snprintf(word, sizeof(word), "x,file://%s", path);
	ROW(true, false, .comms = word);
	ROW(false, true, .dsos = word);
	unlink(path);
	assert_int_equal(pick_new(&(struct pick_options){ .comms = word }, &(struct pick *){ NULL }, &err), -ENOENT);
	assert_non_null(strstr(err.text, "of '--comms': No such file"));
}

static void refused(struct pick_options o, const char *text)
{
	struct pick *p;

	err = (struct err){ 0 };
	assert_true(pick_new(&o, &p, &err) < 0);
	assert_null(p);
	assert_int_equal(err.exit, EXIT_USAGE);
	assert_non_null(strstr(err.text, text));
}

#define REFUSED(text, ...) refused((struct pick_options){ __VA_ARGS__ }, text)

static void test_refused(void **state)
{
	(void)state;
	REFUSED("bad value ',' of '--comms'", .comms = ",");
	REFUSED("bad value '1,a' of '--pid'", .pids = "1,a");
	REFUSED("bad value '-1' of '--tid'", .tids = "-1");
	REFUSED("bad value '65536' of '--cpu': out of range", .cpus = "65536");
	for (const char *const *t = (const char *const[]){ "", " ", "5", ",", "2,1", "a,b", "1,2,3", "1.5x,", "-1,2", "99999999999999999999,", "10%-5%", "10%/0",
							   "10%/11", "101%", "%", "10%/", "10%-", "10%-20%x", "5,10%", "0%", "1,2 3", NULL }; *t; t++) {
		REFUSED("'--time'", .time = *t);
		assert_non_null(strstr(err.text, *t));
	}
}

static bool at(const char *text, uint64_t ns)
{
	struct picktime t = { 0 };
	bool has;

	assert_int_equal(picktime_parse(&t, text, &err), 0);
	assert_int_equal(picktime_begin(&t, 100 * S, 110 * S, &err), 0);
	has = picktime_has(&t, ns);
	picktime_free(&t);
	return has;
}

static void test_times(void **state)
{
	struct picktime t = { 0 };

	(void)state;
	assert_true(at("1.000000001,2", S + 1));
	assert_false(at("1.000000001,2", S));
	assert_true(at("1,2", 2 * S));
	assert_false(at("1,2", 2 * S + 1));
	assert_true(at(",2", 0));
	assert_true(at("2,", UINT64_MAX));
	assert_true(at("2,0", UINT64_MAX)); /* as in perf */
	assert_false(at("2,0", S));
	assert_true(at("1,2 4,5", 4 * S));
	assert_false(at("1,2 4,5", 3 * S));
	assert_true(at("10%", 100 * S));
	assert_true(at("10%", 101 * S));
	assert_false(at("10%", 101 * S + 1));
	assert_true(at("10%/2", 102 * S));
	assert_false(at("10%/2", 100 * S));
	assert_true(at("0%-10%,30%-40%", 104 * S));
	assert_false(at("0%-10%,30%-40%", 101 * S)); /* the border of two parts that may touch */
	assert_false(at("0%-10%, 30%-40%", 102 * S));
	assert_true(at("90%-100%", 110 * S));
	assert_int_equal(picktime_parse(&t, "10%", &err), 0);
	assert_int_equal(picktime_begin(&t, 0, 1, &err), 0); /* a part that ends at 0 has an end */
	assert_false(picktime_has(&t, 5));
	t.spans.n = 0;
	assert_int_equal(picktime_parse(&t, "10%", &err), 0);
	assert_int_equal(picktime_begin(&t, 0, 0, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "--timestamp-boundary"));
	picktime_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples), cmocka_unit_test(test_without_names), cmocka_unit_test(test_files),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
