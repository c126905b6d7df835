/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Depths of stacks as they are told from instructions, beside those that .eh_frame says of the same code; and lengths of
 * instructions, beside libcapstone's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unwind/bare.h"
#include "unwind/ehframe.h"
#include "unwind/insn86.h"
#include "unwind/insns.h"

struct object {
	struct elf_file elf;
	struct unwind_rules rules;
	struct unwind_table table;
	uint64_t same, other, unknown; /* bytes of code */
	uint64_t first_other;
	uint64_t insns, wrong;
};

static bool object_read(const char *pattern, struct object *ret_object)
{
	struct object o = { 0 };
	glob_t g;
	int fd = glob(pattern, 0, NULL, &g) ? -1 : open(g.gl_pathv[0], O_RDONLY | O_CLOEXEC);

	globfree(&g);
	if (fd < 0)
		return false;
	assert_int_equal(elf_open_fd(fd, &o.elf), 0);
	if (o.elf.machine != EM_X86_64) {
		elf_close(&o.elf);
		close(fd);
		return false;
	}
	assert_int_equal(unwind_rules_init(&o.rules), 0);
	assert_int_equal(unwind_table_read(&o.elf, NULL, &o.rules, &o.table), 0);
	*ret_object = o;
	return true;
}

static void object_free(struct object *o)
{
	unwind_table_free(&o->table);
	unwind_rules_free(&o->rules);
	close(o->elf.fd);
	elf_close(&o->elf);
}

/* Of rules that can be told from both. */
static int compare(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	struct object *o = arg;

	for (uint64_t at = start; at < end; at++) {
		const struct unwind_rule *want = &o->rules.data[unwind_table_find(&o->table, at)];

		if (want->cfa != UNWIND_CFA_SP || rule->cfa == UNWIND_CFA_SP_DEREF || want->ra != UNWIND_AT_CFA)
			continue;
		if (rule->cfa != UNWIND_CFA_SP) {
			o->unknown++;
		} else if (rule->cfa_off == want->cfa_off) {
			o->same++;
		} else {
			o->other++;
			if (!o->first_other)
				o->first_other = at;
		}
	}
	return 0;
}

static void check_depths(const char *pattern)
{
	struct object o;

	if (!object_read(pattern, &o))
		skip();
	assert_int_equal(bare_each(&o.elf, compare, &o), 0);
	print_message("%s: %" PRIu64 " bytes as .eh_frame says, %" PRIu64 " not known, %" PRIu64 " not, from 0x%" PRIx64 " on\n", pattern,
		      o.same, o.unknown, o.other, o.first_other);
	object_free(&o);
	assert_true(o.same > 500); /* little of what has frame pointers */
	/* What is stripped has functions that only data points to, and whose callers' ends look like calls */
	assert_true(o.other * 50 < o.same);
	assert_true(o.unknown * 25 < o.same);
}

static void test_depths(void **state)
{
	(void)state;
	check_depths("/proc/self/exe");
	check_depths("/usr/bin/bash");
	check_depths("/lib*/x86_64-linux-gnu/libc.so.6");
}

static int compare_length(void *arg, uint64_t addr, const struct insn *i)
{
	struct object *o = arg;
	struct insn86 in;
	uint64_t off;
	char *bytes;

	if (!elf_vaddr_to_off(&o->elf, addr, &off) || elf_read(&o->elf, off, i->bytes, &bytes))
		return -EIO;
	o->insns++;
	if (insn86_read((const uint8_t *)bytes, i->bytes, &in) != i->bytes && !o->wrong++)
		print_error("0x%" PRIx64 ": not %u bytes\n", addr, i->bytes);
	free(bytes);
	return 0;
}

/* All functions of this program that libcapstone understands. */
static void test_lengths(void **state)
{
	const struct elf_sec *sec;
	struct elf_sym sym;
	struct object o;
	char *bytes;

	(void)state;
	if (!object_read("/proc/self/exe", &o))
		skip();
	sec = elf_sec_by_type(&o.elf, SHT_SYMTAB);
	assert_int_equal(elf_read_sec(&o.elf, sec, &bytes), 0);
	for (size_t i = 0; i < sec->size / elf_sym_size(&o.elf); i++) {
		elf_sym_at(&o.elf, bytes, i, &sym);
		if (sym.type == STT_FUNC && sym.size && insns_each(&o.elf, sym.value, sym.size, compare_length, &o) == -ENOTSUP)
			skip();
	}
	print_message("%" PRIu64 " instructions\n", o.insns);
	assert_int_equal(o.wrong, 0);
	assert_true(o.insns > 1000);
	free(bytes);
	object_free(&o);
}

/* What is cut, or none, has no length. */
static void test_cut(void **state)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0xa4, 0x24, 0x80, 0xff, 0xff, 0xff }, none[] = { 0x06, 0x06 };
	struct insn86 in;

	(void)state;
	assert_int_equal(insn86_read(lea, sizeof(lea), &in), sizeof(lea));
	assert_int_equal(in.kind, INSN86_ADD_SP);
	assert_int_equal(in.value, -128);
	for (size_t n = 0; n < sizeof(lea); n++)
		assert_int_equal(insn86_read(lea, n, &in), 0);
	assert_int_equal(insn86_read(none, sizeof(none), &in), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depths),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
