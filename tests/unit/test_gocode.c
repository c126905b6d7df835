/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rules of Go's code, in a program as the compiler makes it, and stripped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/gopclntab.h"
#include "elf/symtab.h"
#include "unwind/ehframe.h"
#include "unwind/walk.h"

#define PROGRAM "build/work/shares_go"
#define STRIPPED "build/test_gocode.stripped"
#define HIDDEN "build/test_gocode.hidden"
#define TABLE "build/test_gocode.table"

struct program {
	struct elf_file elf;
	struct unwind_rules rules;
	struct unwind_table table;
	struct symtab tab;
};

static void program_read(const char *path, struct program *p)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	memset(p, 0, sizeof(*p));
	assert_true(fd >= 0);
	assert_int_equal(elf_open_fd(fd, &p->elf), 0);
	assert_int_equal(unwind_rules_init(&p->rules), 0);
	assert_int_equal(unwind_table_read(&p->elf, NULL, &p->rules, &p->table), 0);
	assert_int_equal(gopclntab_add(&p->elf, &p->tab), 0);
}

static void program_free(struct program *p)
{
	symtab_free(&p->tab);
	unwind_table_free(&p->table);
	unwind_rules_free(&p->rules);
	close(p->elf.fd);
	elf_close(&p->elf);
}

static const struct unwind_rule *rule_at(const struct program *p, uint64_t vaddr)
{
	return &p->rules.data[unwind_table_find(&p->table, vaddr)];
}

/* Of this name, whatever comes behind "__". */
static const struct symtab_raw *func(const struct program *p, const char *name)
{
	size_t n = strlen(name);

	for (uint32_t i = 0; i < p->tab.nr_raw; i++) {
		const char *has = p->tab.names + p->tab.raw[i].name;

		if (!strncmp(has, name, n) && (!has[n] || !strncmp(has + n, "__", 2)))
			return &p->tab.raw[i];
	}
	fail_msg("no %s", name);
	return NULL;
}

/* Only the last bytes of calls are those of an outermost frame. */
static void check_switch(const struct program *p, const char *name)
{
	const struct symtab_raw *f = func(p, name);
	uint32_t nr = 0;

	for (uint64_t at = f->addr; at < f->addr + f->size; at++) {
		bool is_outermost = rule_at(p, at)->ra == UNWIND_SAME && rule_at(p, at)->cfa == UNWIND_CFA_SP;

		assert_false(is_outermost && at == f->addr);
		assert_false(is_outermost && !memcmp(rule_at(p, at - 1), rule_at(p, at), sizeof(struct unwind_rule)));
		nr += is_outermost;
	}
	assert_in_range(nr, 1, 8);
}

/*
 * Depths as .debug_frame has them, in a program that hides its Go. What it says nothing about are frame pointers, and code between
 * functions; p, which has both, is to be as stripped is.
 */
static void check_depths(const struct program *hidden, const struct program *p, const struct program *stripped)
{
	uint32_t same = 0, other = 0;

	for (uint32_t i = 0; i < p->tab.nr_raw; i++) {
		const struct symtab_raw *f = &p->tab.raw[i];

		if (i + 1 < p->tab.nr_raw) /* padding, or a function that is no Go's */
			assert_int_not_equal(rule_at(p, f->addr + f->size)->cfa, UNWIND_CFA_NONE);
		for (uint64_t at = f->addr; at < f->addr + f->size; at++) {
			const struct unwind_rule *want = rule_at(hidden, at), *got = rule_at(p, at);

			assert_memory_equal(got, rule_at(stripped, at), sizeof(*got));
			/* The outermost ones it has no mark of, before Go 1.20 */
			if (want->cfa != UNWIND_CFA_SP || got->ra != UNWIND_AT_CFA || got->cfa != UNWIND_CFA_SP)
				continue;
			if (got->cfa_off == want->cfa_off && want->ra == UNWIND_AT_CFA)
				same++;
			else if (!other++)
				print_error("%s+%u\n", p->tab.names + f->name, (unsigned)(at - f->addr));
		}
	}
	print_message("%u bytes as .debug_frame says, %u not\n", same, other);
	assert_true(same > 100000);
	assert_int_equal(other, 0);
}

static void check(const char *path, struct program *p)
{
	const struct symtab_raw *back;

	program_read(path, p);
	back = func(p, "runtime.sigreturn");
	assert_int_equal(rule_at(p, back->addr)->ra, UNWIND_AT_SP | UNWIND_SIGNAL);
	assert_int_equal(rule_at(p, back->addr - 1)->ra, UNWIND_AT_SP | UNWIND_SIGNAL);
	check_switch(p, "runtime.mcall");
	check_switch(p, "runtime.morestack");
	assert_int_equal(rule_at(p, func(p, "main.hot")->addr)->cfa, UNWIND_CFA_SP);
}

/* In so many of a hundred bytes a function keeps its caller's frame pointer: from its prologue on; at its begin it has not yet. */
static void check_saved(const struct program *p, const char *name, uint64_t percent)
{
	const struct symtab_raw *f = func(p, name);
	uint64_t nr = 0;

	assert_int_equal(rule_at(p, f->addr)->saved, UNWIND_SAME);
	for (uint64_t at = f->addr; at < f->addr + f->size; at++)
		nr += rule_at(p, at)->saved == UNWIND_AT_CFA && rule_at(p, at)->bp_off == -16;
	assert_true(nr * 100 > f->size * percent);
}

static void test_runtime(void **state)
{
	struct program p, stripped, hidden;

	(void)state;
	if (access(PROGRAM, R_OK))
		skip();
	check(PROGRAM, &p);
	assert_int_equal(system("strip -o " STRIPPED " " PROGRAM), 0);
	check(STRIPPED, &stripped);
	assert_int_equal(system("objcopy --rename-section .gopclntab=.hidden " PROGRAM " " HIDDEN), 0);
	program_read(HIDDEN, &hidden);
	check_depths(&hidden, &p, &stripped);
	assert_int_equal(rule_at(&stripped, func(&stripped, "runtime.goexit")->addr)->ra, UNWIND_SAME);
	check_saved(&p, "main.main", 80);
	check_saved(&p, "runtime.gcStart.func1", 20); /* a frame of one word; shorter than its padding */
	program_free(&p);
	program_free(&stripped);
	program_free(&hidden);
	unlink(STRIPPED);
	unlink(HIDDEN);
}

/* Without .debug_frame: what the table says, and of what has no depths nothing. */
static void test_table(void **state)
{
	const struct unwind_rule *rule;
	const struct symtab_raw *f;
	struct program p;

	(void)state;
	assert_int_equal(system("gcc -nostdlib -static -no-pie -Wl,-e0 tests/fuzz/go.s -o " TABLE), 0);
	program_read(TABLE, &p);
	check_switch(&p, "runtime.mcall");
	/* In C, called at whatever depth: by the frame pointer, and like a signal's frame */
	f = func(&p, "time.now");
	rule = rule_at(&p, f->addr + 6);
	assert_int_equal(rule->cfa, UNWIND_CFA_BP);
	assert_int_equal(rule->ra, UNWIND_AT_CFA | UNWIND_SIGNAL);
	assert_int_equal(rule_at(&p, f->addr + 1)->cfa_off, 16);
	f = func(&p, "getaddrinfo");
	assert_memory_equal(rule_at(&p, f->addr + 20), &unwind_rule_fp, sizeof(unwind_rule_fp));
	/* Marked as outermost, and it is not */
	f = func(&p, "runtime.sigtramp");
	assert_int_equal(rule_at(&p, f->addr)->ra, UNWIND_AT_CFA);
	assert_int_equal(rule_at(&p, f->addr)->cfa_off, 8);
	assert_int_equal(rule_at(&p, f->addr + 1)->cfa_off, 16);
	f = func(&p, "runtime.sigreturn");
	assert_int_equal(rule_at(&p, f->addr - 1)->ra, UNWIND_AT_SP | UNWIND_SIGNAL);
	program_free(&p);
	unlink(TABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_runtime), cmocka_unit_test(test_table) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
