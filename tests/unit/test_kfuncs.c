/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a kernel function cannot be probed. */
#include "tests/unit/test_sym.h"

#include "sym/kfuncs.h"

static void expect_why(const char *kallsyms, const char *blacklist, bool in_btf, const char *name, const char *want)
{
	int list, black = -1, ret;
	char got[256];

	write_file(in_scratch("kallsyms"), kallsyms);
	list = open(in_scratch("kallsyms"), O_RDONLY);
	if (blacklist) {
		write_file(in_scratch("blacklist"), blacklist);
		black = open(in_scratch("blacklist"), O_RDONLY);
	}
	ret = kfuncs_why_read(list, black, in_btf, name, got, sizeof(got));
	close(list);
	if (black >= 0)
		close(black);
	assert_string_equal(got, want ? want : "");
	assert_int_equal(ret, want ? 0 : -ENODATA);
}

static void test_why_not(void **state)
{
	static const char list[] = "ffffffff81000000 T _stext\nffffffff81000010 T __entry_text_start\n"
				   "ffffffff81000020 T entry\nffffffff81000030 T __entry_text_end\n"
				   "ffffffff81000040 t twice\nffffffff81000050 T one\n"
				   "ffffffff81000060 t twice\nffffffff81000070 t __pfx_one\nffffffff81000080 t half.cold\n"
				   "ffffffff81000082 t half.isra.0\nffffffff81000084 t many.isra.0\n"
				   "ffffffff81000085 t many.isra.0\nffffffff81000086 t many.part.0\n"
				   "ffffffff81000087 t many.constprop.0\nffffffff81000088 t many.part.1\n"
				   "ffffffff81000089 t one_more\nffffffff8100008a t one.part.0\nffffffff81000090 D data\n"
				   "ffffffff81001000 T _etext\nffffffff82000000 T in_init\nffffffffc0000000 t in_module\t[ext4]\n"
				   "ffffffffc0001000 t nothing\t[bpf]\n";
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 T one\n0000000000000000 T _etext\n";
	static const char black[] = "nonsense\n0x\n0xffffffff81000050-0xffffffff81000058\tone\n"
				    "0xffffffffc0000000-0xffffffffc0000010\tin_module [ext4]\n"
				    "0xffffffff81000099-0xffffffff8100009a\tone_more";
	static const char forbidden[] = "the kernel forbids probes on it (kprobe blacklist)";
	char tiny[8];
	int fd;

	(void)state;
	expect_why(list, NULL, false, "three", "no such function");
	expect_why(list, NULL, true, "three", "inlined or not built");
	expect_why(list, NULL, false, "data", "no such function");
	expect_why(list, NULL, false, "nothing", "no such function");
	expect_why(list, NULL, false, "*", "no such function");
	expect_why(list, NULL, false, "", "no such function");
	expect_why(list, NULL, false, "one", NULL);
	expect_why(list, NULL, false, "in_module", NULL);
	expect_why(list, NULL, false, "half.isra.0", NULL);
	expect_why(list, NULL, true, "half", "only optimised copies of it are there: half.isra.0");
	expect_why(list, NULL, true, "many",
		   "only optimised copies of it are there: many.isra.0, many.part.0, many.constprop.0, ...");
	expect_why(list, NULL, false, "twice", "2 functions of that name");
	expect_why(list, NULL, false, "entry", "it is in a section that no probe may touch (entry, noinstr)");
	expect_why(list, NULL, false, "in_init", "it is not in the kernel's text (code of its start, which is gone)");
	expect_why(list, black, true, "one", forbidden);
	expect_why(list, black, true, "in_module", forbidden);
	/* Its address is not the one that is forbidden: a namesake's. */
	expect_why(list, black, true, "one_more", NULL);
	expect_why(hidden, "0x0000000000000000-0x0000000000000000\tone\n", true, "one", forbidden);
	expect_why(hidden, "0x0000000000000000-0x0000000000000000\tone_more\n", true, "one", NULL);
	fd = open(in_scratch("kallsyms"), O_RDONLY);
	assert_int_equal(kfuncs_why_read(fd, -1, false, "three", tiny, sizeof(tiny)), 0);
	assert_string_equal(tiny, "no such");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_why_not) };

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
