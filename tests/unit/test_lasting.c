/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of kprobe_events and uprobe_events, which anybody who may write there has made; and what a bound argument is to the kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/bind.h"
#include "event/fetch.h"
#include "event/lasting.h"

static int parse(const char *line, bool is_user, struct lasting *p)
{
	return lasting_parse(line, strlen(line), is_user, p);
}

static void test_lines(void **state)
{
	struct lasting p;

	(void)state;
	assert_int_equal(parse("p:probe_t/foo /tmp/t:0x00000000000011b0 i=%di:s32 name=+4(%si):string", true, &p), 0);
	assert_string_equal(p.group, "probe_t");
	assert_string_equal(p.name, "foo");
	assert_string_equal(p.place, "/tmp/t");
	assert_int_equal(p.offset, 0x11b0);
	assert_int_equal(p.nr_args, 2);
	assert_string_equal(p.args[1].name, "name");
	assert_string_equal(p.args[1].fetch, "+4(%si):string");
	assert_false(p.is_return);
	lasting_free(&p);
	assert_int_equal(parse("r:g/n /a:b/t:0x10(0x20)", true, &p), 0);
	assert_true(p.is_return);
	assert_string_equal(p.place, "/a:b/t");
	assert_int_equal(p.semaphore, 0x20);
	lasting_free(&p);
	assert_int_equal(parse("r16:kprobes/x ext4:ext4_sync_file+4 ret=$retval", false, &p), 0);
	assert_true(p.is_return);
	assert_string_equal(p.place, "ext4:ext4_sync_file");
	assert_int_equal(p.offset, 4);
	lasting_free(&p);
	assert_int_equal(parse("p:g/n 0xffffffff81000000", false, &p), 0);
	assert_string_equal(p.place, "");
	assert_int_equal(p.offset, 0xffffffff81000000);
	lasting_free(&p);
}

static void test_foreign_lines(void **state)
{
	static const char *const user[] = { "", "p", "p:", "p:g/", "p:/n /t:0x1", "p:g/n", "p:g/n /t", "p:g/n t:0x1", "p:g/n /t:1x", "p:g/n /t:0x1(", "p:g/n /t:0x1(0x2",
					    "e:g/n /t:0x1", "p:g/n /t:0x1 =x", "p:g/n /t:0x1 x", "p:g/n /t:0xfffffffffffffffff", "p:g/n \x1b[31m:0x1" };
	static const char *const kernel[] = { "p:g/n +4", "p:g/n f+", "p:g/n f+x", "p:g/n 12x", "p:g/n %return" };
	char name[LASTING_NAME_MAX + 16];
	struct lasting p;
	size_t n;
	char *line;

	(void)state;
	for (size_t i = 0; i < sizeof(user) / sizeof(user[0]); i++)
		if (parse(user[i], true, &p) != -EINVAL)
			fail_msg("taken: %s", user[i]);
	for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
		if (parse(kernel[i], false, &p) != -EINVAL)
			fail_msg("taken: %s", kernel[i]);
	memset(name, 'n', LASTING_NAME_MAX);
	strcpy(name + LASTING_NAME_MAX, " f");
	assert_true(asprintf(&line, "p:g/%s", name) > 0);
	assert_int_equal(parse(line, false, &p), -EINVAL);
	free(line);
	/* More arguments than the kernel takes: those are left out */
	line = calloc(1, 4096);
	n = sprintf(line, "p:g/n f");
	for (int i = 0; i < LASTING_ARGS_MAX + 10; i++)
		n += sprintf(line + n, " a%d=%%di", i);
	assert_int_equal(parse(line, false, &p), 0);
	assert_int_equal(p.nr_args, LASTING_ARGS_MAX);
	lasting_free(&p);
	free(line);
}

static void test_types(void **state)
{
	static const char *const good[] = { "u8", "s64", "x", "u", "s", "x32", "string", "ustring", "char", "symbol", "b3@0/32", "x8[16]", "string[2]" };
	static const char *const bad[] = { "", "q", "u9", "u88", "xx", "b3", "b3@0", "x8[", "x8[1", "x8[1]x", "strings", "b3@0/32x" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(fetch_is_type(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(fetch_is_type(bad[i]));
}

/* What the probe of tracefs fetches, bound as a value, is written as it was. */
static void test_there_and_back(void **state)
{
	static const struct {
		const char *fetch, *back; /* back NULL: refused */
	} words[] = {
#ifdef __x86_64__
		{ "%di:s32", "%di:s32" }, { "%di", "%di:x64" }, { "+24(%si):x64", "+24(%si):x64" }, { "-8(+16(%sp)):u8", "-8(+16(%sp)):x8" },
		{ "+4(%si):string", "+4(%si):string" }, { "+0(%si):b3@2/8", "+0(%si):b3@2/8" }, { "\\5:u64", "\\5:x64" },
		{ "$stack2:x64", "+16(%sp):x64" }, { "+u8(%ax):s16", "+8(%ax):s16" },
#endif
		{ "%nosuch", NULL }, { "@jiffies", NULL }, { "+0(%di", NULL }, { "+(%di)", NULL }, { "$retval", NULL }, { "%di:x8[4]", NULL },
		{ "%di:", NULL }, { "%di)", NULL }, { "+0(%di):b9@0/8", NULL }, { "$arg99", NULL }, { "+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%di)))))))))))))))))", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct lasting l = { .nr_args = 1, .args = { { "v", words[i].fetch } } };
		struct probe_spec spec = { .kind = PROBE_USER, .exprs.text = "", .lasting_args = true };
		struct bind_env env = { .kind = PROBE_USER, .what = "n", .lasting = &l, .nr_regs = 6 };
		struct bound_probe bound;
		struct err err = { 0 };
		char text[128] = "";
		int ret = bind_probe(&spec, &env, &bound, &err);

		if (!ret)
			ret = fetch_text(&bound, 0, "", false, text, sizeof(text), &err);
		if (words[i].back ? ret || strcmp(text, words[i].back) != 0 : !ret || !err.text[0])
			fail_msg("%s: %d '%s' %s", words[i].fetch, ret, text, err.text);
		bind_free(&bound);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_foreign_lines),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_there_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
