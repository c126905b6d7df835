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
#include "unwind/cfi.h"
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

static void check_compared(const char *pattern, const struct object *o)
{
	print_message("%s: %" PRIu64 " bytes as .eh_frame says, %" PRIu64 " not known, %" PRIu64 " not, from 0x%" PRIx64 " on\n", pattern,
		      o->same, o->unknown, o->other, o->first_other);
	assert_true(o->same > 500); /* little of what has frame pointers */
	/* What is stripped has functions that only data points to, and whose callers' ends look like calls */
	assert_true(o->other * 100 < o->same);
	assert_true(o->unknown * 25 < o->same);
}

static void check_depths(const char *pattern)
{
	struct object o;

	if (!object_read(pattern, &o))
		skip();
	assert_int_equal(bare_each(&o.elf, NULL, 0, compare, &o), 0);
	check_compared(pattern, &o);
	object_free(&o);
}

static void test_depths(void **state)
{
	(void)state;
	check_depths("/proc/self/exe");
	check_depths("/usr/bin/bash");
	check_depths("/lib*/x86_64-linux-gnu/libc.so.6");
}

static int compare_order(const void *a, const void *b)
{
	const struct bare_described *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Every other function: 64 of them in a row, so that there are callers on both sides. malloc'ed. */
static struct bare_described *describe(const struct elf_file *elf, size_t *ret_n)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".eh_frame");
	struct bare_described *all = NULL;
	size_t n = 0, nr = 0;
	struct cfi cfi;
	struct cfi_fde fde;
	char *bytes;

	assert_non_null(sec);
	assert_int_equal(elf_read_sec(elf, sec, &bytes), 0);
	cfi_init(&cfi, &cfi_x86_64, bytes, sec->size, sec->addr);
	while (cfi_next(&cfi, &fde) > 0) {
		all = realloc(all, (n + 1) * sizeof(*all));
		assert_non_null(all);
		all[n++] = (struct bare_described){ fde.start, fde.end };
	}
	qsort(all, n, sizeof(*all), compare_order);
	for (size_t i = 0; i < n; i++)
		if (i / 64 % 2)
			all[nr++] = all[i];
	cfi_free(&cfi);
	free(bytes);
	*ret_n = nr;
	return all;
}

struct half {
	struct object *o;
	struct bare_described *described;
	size_t n;
};

static int compare_half(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	struct half *h = arg;

	for (size_t i = 0; i < h->n; i++)
		assert_true(start >= h->described[i].to || end <= h->described[i].from);
	return compare(h->o, start, end, rule);
}

static int refuse(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	(void)arg;
	(void)start;
	(void)end;
	(void)rule;
	return -EEXIST;
}

/* Any number of descriptions of the same code, in and beyond .text, take no longer than one. */
static void test_described(void **state)
{
	static struct bare_described described[200000];
	const size_t n = sizeof(described) / sizeof(*described);
	const struct elf_sec *sec;
	struct object o;

	(void)state;
	if (!object_read("/usr/bin/bash", &o))
		skip();
	sec = elf_sec_by_name(&o.elf, ".text");
	assert_non_null(sec);
	for (size_t i = 0; i < n; i++)
		described[i] = (struct bare_described){ sec->addr, sec->addr + sec->size };
	assert_int_equal(bare_each(&o.elf, described, n, refuse, NULL), 0);
	described[0].from = 0;
	described[n - 1].to = UINT64_MAX;
	assert_int_equal(bare_each(&o.elf, described, n, refuse, NULL), 0);
	described[0].to = 1;
	described[1] = (struct bare_described){ sec->addr, sec->addr + 1 };
	described[2] = (struct bare_described){ sec->addr + sec->size, UINT64_MAX };
	assert_int_equal(bare_each(&o.elf, described, 3, refuse, NULL), -EEXIST);
	object_free(&o);
}

/* Nothing is said of what is described, and the rest is as right as without. */
static void check_half(const char *pattern)
{
	struct object o;
	struct half h = { .o = &o };

	if (!object_read(pattern, &o))
		skip();
	h.described = describe(&o.elf, &h.n);
	assert_int_equal(bare_each(&o.elf, h.described, h.n, compare_half, &h), 0);
	assert_true(h.n > 50);
	check_compared(pattern, &o);
	free(h.described);
	object_free(&o);
}

static void test_half(void **state)
{
	(void)state;
	check_half("/usr/bin/bash");
	check_half("/proc/self/exe");
	check_half("/lib*/x86_64-linux-gnu/libc.so.6");
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
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_described),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
