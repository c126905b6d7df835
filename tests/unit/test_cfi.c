/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Call frame information: each instruction, each form of expression, each layout of entries, and all of it cut and broken. */
#include "tests/unit/test_cfi.h"

#include <errno.h>

#define ROWS_MAX 64

struct row {
	uint64_t vaddr;
	struct unwind_rule rule;
};

struct rows {
	struct row data[ROWS_MAX];
	size_t n;
	int ret;
};

/* Parts of rules: BP and BX, the return address at CFA - 8. */
#define RULE(...) ((struct unwind_rule){ .ra = UNWIND_AT_CFA, .ra_off = -8, __VA_ARGS__ })
#define SP_8 RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 8)
#define BX(how) ((how) << UNWIND_BX_SHIFT)

static struct out out;

static int add_row(void *arg, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct rows *rows = arg;

	assert_true(!rows->n || vaddr > rows->data[rows->n - 1].vaddr);
	if (rows->n < ROWS_MAX)
		rows->data[rows->n++] = (struct row){ vaddr, *rule };
	return 0;
}

/* All FDEs of a section in memory of exactly its size, between from and to. Returns how many; broken entries are counted. */
static int read_all(const struct cfi_machine *machine, const uint8_t *bytes, size_t n, bool is_debug_frame, uint64_t from,
		    uint64_t to, struct rows *rows, int *ret_bad)
{
	uint8_t *copy = malloc(n + !n);
	struct cfi_fde fde;
	struct cfi cfi;
	int ret, fdes = 0;

	memcpy(copy, bytes, n);
	cfi_init(&cfi, machine, copy, n, SECTION_AT);
	cfi.is_debug_frame = is_debug_frame;
	*rows = (struct rows){ 0 };
	*ret_bad = 0;
	while ((ret = cfi_next(&cfi, &fde))) {
		if (ret < 0) {
			++*ret_bad;
			continue;
		}
		fdes++;
		rows->n = 0;
		rows->ret = cfi_run(&cfi, &fde, from > fde.start ? from : fde.start, to < fde.end ? to : fde.end, add_row, rows);
	}
	cfi_free(&cfi);
	free(copy);
	return fdes;
}

static struct rows run_between(const char *letters, struct text cie, struct text program, uint64_t from, uint64_t to)
{
	struct rows rows;
	size_t at;
	int bad;

	out.n = 0;
	at = put_cie(&out, letters, cie);
	put_fde(&out, at, START, SIZE, program);
	assert_int_equal(read_all(&cfi_x86_64, out.bytes, out.n, false, from, to, &rows, &bad), 1);
	assert_int_equal(bad, 0);
	return rows;
}

static struct rows run(struct text program)
{
	return run_between("zR", ENTRY_X86, program, 0, UINT64_MAX);
}

static void expect_row(const struct rows *rows, size_t i, uint64_t off, struct unwind_rule rule)
{
	assert_true(i < rows->n);
	assert_int_equal(rows->data[i].vaddr, START + off);
	assert_memory_equal(&rows->data[i].rule, &rule, sizeof(rule));
}

/* The one rule that a program without advances says. */
static void expect_rule(struct text program, struct unwind_rule rule)
{
	struct rows rows = run(program);

	assert_int_equal(rows.ret, 0);
	assert_int_equal(rows.n, 1);
	expect_row(&rows, 0, 0, rule);
}

static void expect_broken(struct text program)
{
	struct rows rows = run(program);

	assert_int_equal(rows.ret, -EBADMSG);
	expect_row(&rows, rows.n - 1, 0, (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN });
}

static void test_no_instruction(void **state)
{
	(void)state;
	expect_rule(TEXT(""), SP_8);
	expect_rule(TEXT("\x00\x00\x00"), SP_8);
}

static void test_advance(void **state)
{
	static const struct {
		struct text program;
		uint64_t off;
	} ways[] = {
		{ { "\x45\x0e\x10", 3 }, 5 },
		{ { "\x02\xff\x0e\x10", 4 }, 0xff },
		{ { "\x03\x34\x02\x0e\x10", 5 }, 0x234 },
		{ { "\x04\x45\x03\x00\x00\x0e\x10", 7 }, 0x345 },
		{ { "\x1d\x56\x04\x00\x00\x00\x00\x00\x00\x0e\x10", 11 }, 0x456 },
		{ { "\x41\x41\x00\x2e\x05\x2d\x0e\x10", 8 }, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct rows rows = run(ways[i].program);

		assert_int_equal(rows.ret, 0);
		assert_int_equal(rows.n, 2);
		expect_row(&rows, 0, 0, SP_8);
		expect_row(&rows, 1, ways[i].off, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16));
	}
}

static void test_set_loc(void **state)
{
	struct rows rows;
	size_t cie;
	char program[7] = "\x01";
	uint32_t to;
	int bad;

	(void)state;
	out.n = 0;
	cie = put_cie(&out, "zR", ENTRY_X86);
	/* The operand is relative to where it is itself: behind an FDE's head of 17 bytes. */
	to = (uint32_t)(START + 9 - (SECTION_AT + out.n + 18));
	memcpy(program + 1, &to, 4);
	memcpy(program + 5, "\x0e\x18", 2);
	put_fde(&out, cie, START, SIZE, (struct text){ program, sizeof(program) });
	assert_int_equal(read_all(&cfi_x86_64, out.bytes, out.n, false, 0, UINT64_MAX, &rows, &bad), 1);
	assert_int_equal(rows.n, 2);
	expect_row(&rows, 1, 9, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 24));
	/* Backwards is broken. */
	to -= 10;
	memcpy(out.bytes + out.n - 6, &to, 4);
	read_all(&cfi_x86_64, out.bytes, out.n, false, 0, UINT64_MAX, &rows, &bad);
	assert_int_equal(rows.ret, -EBADMSG);
}

static void test_cfa(void **state)
{
	(void)state;
	expect_rule(TEXT("\x0c\x06\x10"), RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16));
	expect_rule(TEXT("\x0d\x06"), RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 8));
	expect_rule(TEXT("\x0d\x03\x0e\x20"), RULE(.cfa = UNWIND_CFA_BX, .cfa_off = 32));
	expect_rule(TEXT("\x0c\x0a\x00"), RULE(.cfa = UNWIND_CFA_REG, .reg = 10));
	expect_rule(TEXT("\x0e\x80\x20"), RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 4096));
	expect_rule(TEXT("\x12\x07\x7e"), RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16));
	expect_rule(TEXT("\x13\x7d"), RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 24));
	expect_rule(TEXT("\x0e\xff\xff\xff\xff\x07"), RULE(.cfa = UNWIND_CFA_SP, .cfa_off = INT32_MAX));
	expect_rule(TEXT("\x0e\x80\x80\x80\x80\x08"), (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN });
	expect_rule(TEXT("\x0c\x11\x00"), (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN });
	expect_rule(TEXT("\x0c\x87\x80\x80\x80\x80\x80\x80\x80\x80\x01\x00"), (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN });
}

static void test_saved(void **state)
{
	struct unwind_rule sp = SP_8;

	(void)state;
	sp.saved = UNWIND_AT_CFA;
	sp.bp_off = -16;
	expect_rule(TEXT("\x86\x02"), sp);
	expect_rule(TEXT("\x05\x06\x02"), sp);
	expect_rule(TEXT("\x11\x06\x02"), sp);
	expect_rule(TEXT("\x2f\x06\x7e\x86\x02"), sp);
	sp.saved = BX(UNWIND_AT_CFA);
	sp.bp_off = 0;
	sp.bx_off = -24;
	expect_rule(TEXT("\x83\x03"), sp);
	expect_rule(TEXT("\x83\x03\x86\x02\xc6"), sp);
	expect_rule(TEXT("\x83\x03\x86\x02\x06\x06"), sp);
	expect_rule(TEXT("\x83\x03\x86\x02\x08\x06"), sp);
	expect_rule(TEXT("\x83\x03\x8c\x02\x8d\x03"), sp); /* r12 and r13 are not followed */
	sp.bx_off = 32;
	expect_rule(TEXT("\x2f\x03\x04"), sp);
	sp.bx_off = INT16_MIN;
	expect_rule(TEXT("\x83\x80\x20"), sp);
	sp.saved = BX(UNWIND_AT_SP); /* 32,768 below sp, but more than that below the CFA */
	expect_rule(TEXT("\x83\x81\x20"), sp);
	sp.saved = BX(UNWIND_LOST);
	sp.bx_off = 0;
	expect_rule(TEXT("\x83\x82\x20"), sp);
	expect_rule(TEXT("\x83\x81\x80\x80\x80\x20"), sp);
	expect_rule(TEXT("\x07\x03"), sp);
	expect_rule(TEXT("\x09\x03\x05"), sp);
	expect_rule(TEXT("\x14\x03\x05"), sp);
	expect_rule(TEXT("\x15\x03\x05"), sp);
	expect_rule(TEXT("\x16\x03\x02\x77\x00"), sp);
}

static void test_return_address(void **state)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .cfa_off = 8 };
	struct rows rows;

	(void)state;
	expect_rule(TEXT("\x07\x10"), rule); /* the outermost frame */
	rule.ra = UNWIND_IN_REG;
	rule.reg = 5;
	expect_rule(TEXT("\x09\x10\x05"), rule); /* __vfork */
	rule.reg = 0;
	rule.ra = UNWIND_LOST;
	expect_rule(TEXT("\x09\x10\x11"), rule);
	expect_rule(TEXT("\x08\x10"), rule);
	expect_rule(TEXT("\x90\x82\x20"), rule);
	rule = (struct unwind_rule){ .cfa = UNWIND_CFA_REG, .reg = 5, .ra = UNWIND_LOST };
	expect_rule(TEXT("\x0c\x05\x00\x09\x10\x01"), rule); /* longjmp: two registers */
	rule.ra = UNWIND_IN_REG;
	expect_rule(TEXT("\x0c\x05\x00\x09\x10\x05"), rule);
	rows = run_between("zR", TEXT("\x0c\x07\x08"), TEXT(""), 0, UINT64_MAX);
	rule = (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_LOST };
	expect_row(&rows, 0, 0, rule);
	/* At the bottom of a frame of 33,392 bytes, by a CFA in either register. */
	rule = (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_off = 33392, .ra = UNWIND_AT_SP, .saved = UNWIND_AT_SP, .ra_off = 8 };
	expect_rule(TEXT("\x0e\xf0\x84\x02\x90\xcd\x20\x86\xce\x20"), rule);
	rule.cfa = UNWIND_CFA_BP;
	rule.ra = rule.saved = UNWIND_AT_BP;
	expect_rule(TEXT("\x0c\x06\xf0\x84\x02\x90\xcd\x20\x86\xce\x20"), rule);
}

static void test_remembered(void **state)
{
	struct rows rows = run(TEXT("\x41\x0e\x10\x86\x02\x41\x0a\x42\xc6\x0e\x08\x43\x0b"));
	struct unwind_rule pushed = RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .saved = UNWIND_AT_CFA, .bp_off = -16);
	char deep[40];

	(void)state;
	assert_int_equal(rows.ret, 0);
	assert_int_equal(rows.n, 4);
	expect_row(&rows, 1, 1, pushed);
	expect_row(&rows, 2, 4, SP_8);
	expect_row(&rows, 3, 7, pushed);
	expect_broken(TEXT("\x0b"));
	memset(deep, 0x0a, sizeof(deep));
	expect_broken((struct text){ deep, sizeof(deep) });
	memset(deep + 20, 0x0b, 20);
	expect_rule((struct text){ deep, sizeof(deep) }, SP_8);
}

static void test_cfa_expression(void **state)
{
	struct unwind_rule unknown = { .cfa = UNWIND_CFA_UNKNOWN };
	struct unwind_rule deref = RULE(.cfa = UNWIND_CFA_SP_DEREF, .cfa_off = 160);

	(void)state;
	expect_rule(TEXT("\x0f\x02\x77\x10"), RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16));
	expect_rule(TEXT("\x0f\x03\x92\x06\x10"), RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16));
	expect_rule(TEXT("\x0f\x04\x7a\x00\x38\x22"), RULE(.cfa = UNWIND_CFA_REG, .reg = 10, .cfa_off = 8));
	expect_rule(TEXT("\x0f\x04\x77\xa0\x01\x06"), deref);
	deref.add = 8;
	expect_rule(TEXT("\x0f\x06\x77\xa0\x01\x06\x23\x08"), deref);
	expect_rule(TEXT("\x0f\x07\x77\xa0\x01\x06\x08\x08\x22"), deref);
	deref.add = -8;
	expect_rule(TEXT("\x0f\x06\x77\xa0\x01\x06\x38\x1c"), deref);
	expect_rule(TEXT("\x0f\x07\x77\xa0\x01\x06\x09\xf8\x22"), deref);
	expect_rule(TEXT("\x0f\x03\x76\x78\x06"), RULE(.cfa = UNWIND_CFA_BP_DEREF, .cfa_off = -8));
	expect_rule(TEXT("\x0f\x03\x7a\x78\x06"), unknown);	/* of another register */
	expect_rule(TEXT("\x0f\x04\x77\x08\x06\x06"), unknown); /* twice */
	expect_rule(TEXT("\x0f\x07\x77\x00\x06\x23\x80\x80\x02"), unknown);
	expect_rule(TEXT("\x0f\x00"), unknown);
	expect_rule(TEXT("\x0f\x01\x38"), unknown);
	expect_rule(TEXT("\x0f\x01\x06"), unknown);
	expect_rule(TEXT("\x0f\x02\x77\x80"), unknown);
	expect_rule(TEXT("\x0f\x06\x77\x00\x77\x00\x77\x00"), RULE(.cfa = UNWIND_CFA_SP));
	expect_rule(TEXT("\x0f\x05\x77\x00\x77\x00\x22"), unknown);
	expect_rule(TEXT("\x0f\x05\x38\x38\x38\x38\x38"), unknown);
	/* Back to a register afterwards, in whole or by halves. */
	expect_rule(TEXT("\x0e\x20\x0f\x04\x77\xa0\x01\x06\x0d\x06"), RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 32));
	expect_rule(TEXT("\x0d\x06\x0f\x04\x77\xa0\x01\x06\x0e\x30"), RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 48));
	expect_rule(TEXT("\x0f\x04\x77\xa0\x01\x06\x0c\x07\x08"), SP_8);
}

static void test_plt(void **state)
{
	struct unwind_rule unknown = { .cfa = UNWIND_CFA_UNKNOWN };
	struct unwind_rule plt = RULE(.cfa = UNWIND_CFA_PLT, .cfa_off = 8, .add = 11);

	(void)state;
	expect_rule(TEXT("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), plt);
	plt.add = 10;
	expect_rule(TEXT("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3a\x2a\x33\x24\x22"), plt);
	/* Another shift, another mask, one more operation. */
	expect_rule(TEXT("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x34\x24\x22"), unknown);
	expect_rule(TEXT("\x0f\x0b\x77\x08\x80\x00\x3e\x1a\x3b\x2a\x33\x24\x22"), unknown);
	expect_rule(TEXT("\x0f\x0c\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22\x96"), unknown);
}

static void test_index(void **state)
{
	struct unwind_rule unknown = { .cfa = UNWIND_CFA_UNKNOWN };
	struct unwind_rule index = RULE(.cfa = UNWIND_CFA_SP_INDEX, .cfa_off = 8, .add = 8, .reg = 9);

	(void)state;
	expect_rule(TEXT("\x0f\x0a\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08"), index);
	/* Not from the stack pointer, another factor, no register, an offset to it, cut, one more operation. */
	expect_rule(TEXT("\x0f\x0a\x76\x08\x79\x00\x38\x1e\x22\x06\x23\x08"), unknown);
	expect_rule(TEXT("\x0f\x0a\x77\x08\x79\x00\x34\x1e\x22\x06\x23\x08"), unknown);
	expect_rule(TEXT("\x0f\x0a\x77\x08\x8f\x00\x38\x1e\x22\x06\x23\x08"), unknown);
	expect_rule(TEXT("\x0f\x0a\x77\x08\x79\x01\x38\x1e\x22\x06\x23\x08"), unknown);
	expect_rule(TEXT("\x0f\x09\x77\x08\x79\x00\x38\x1e\x22\x06\x23"), unknown);
	expect_rule(TEXT("\x0f\x0b\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08\x96"), unknown);
}

static void test_saved_expression(void **state)
{
	struct unwind_rule rule = RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16, .saved = UNWIND_AT_CFA, .bp_off = -16);

	(void)state;
	expect_rule(TEXT("\x0c\x06\x10\x10\x06\x02\x76\x00"), rule);
	expect_rule(TEXT("\x0c\x06\x10\x10\x06\x02\x40\x1c"), rule); /* from the CFA, which is on the stack first */
	rule.saved = UNWIND_AT_SP;
	rule.bp_off = 120;
	expect_rule(TEXT("\x0c\x06\x10\x10\x06\x03\x77\xf8\x00"), rule);
	rule.saved = UNWIND_LOST;
	rule.bp_off = 0;
	expect_rule(TEXT("\x0c\x06\x10\x10\x06\x03\x76\x00\x06"), rule);
	expect_rule(TEXT("\x0c\x06\x10\x10\x06\x02\x7a\x00"), rule);
	/* A function that aligns its stack: rbp, and rbx below it. */
	rule = RULE(.cfa = UNWIND_CFA_BP_DEREF, .cfa_off = -8, .saved = UNWIND_AT_BP | BX(UNWIND_AT_BP), .bx_off = -24);
	expect_rule(TEXT("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00\x10\x03\x02\x76\x68"), rule);
}

/* As in glibc's __restore_rt. */
static void test_signal_frame(void **state)
{
	struct rows rows = run_between("zRS", ENTRY_X86,
				       TEXT("\x0f\x04\x77\xa0\x01\x06\x10\x06\x03\x77\xf8\x00"
					    "\x10\x03\x03\x77\x80\x01\x10\x10\x03\x77\xa8\x01"),
				       0, UINT64_MAX);
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP_DEREF,
				    .cfa_off = 160,
				    .ra = UNWIND_AT_SP | UNWIND_SIGNAL,
				    .ra_off = 168,
				    .saved = UNWIND_AT_SP | BX(UNWIND_AT_SP),
				    .bp_off = 120,
				    .bx_off = 128 };

	(void)state;
	assert_int_equal(rows.n, 1);
	expect_row(&rows, 0, 0, rule);
}

static void test_part(void **state)
{
	struct text program = TEXT("\x44\x0e\x10\x44\x0e\x18\x44\x0e\x20");
	struct rows rows = run_between("zR", ENTRY_X86, program, START + 5, START + 8);

	(void)state;
	assert_int_equal(rows.n, 1);
	expect_row(&rows, 0, 5, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16));
	rows = run_between("zR", ENTRY_X86, program, START + 4, START + 9);
	assert_int_equal(rows.n, 2);
	expect_row(&rows, 0, 4, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16));
	expect_row(&rows, 1, 8, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 24));
	/* Behind all instructions, and instructions behind the end. */
	rows = run_between("zR", ENTRY_X86, program, START + 100, START + 101);
	assert_int_equal(rows.n, 1);
	expect_row(&rows, 0, 100, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 32));
	rows = run_between("zR", ENTRY_X86, TEXT("\x04\x00\x20\x00\x00\x0e\x10\x41\xff"), 0, UINT64_MAX);
	assert_int_equal(rows.n, 1);
	expect_row(&rows, 0, 0, SP_8);
}

static void test_broken_program(void **state)
{
	struct rows rows = run(TEXT("\x44\x0e\x10\x44\x3a"));

	(void)state;
	assert_int_equal(rows.ret, -EBADMSG);
	assert_int_equal(rows.n, 3);
	expect_row(&rows, 1, 4, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16));
	expect_row(&rows, 2, 8, (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN });
	expect_broken(TEXT("\x3f"));
	expect_broken(TEXT("\x0e"));
	expect_broken(TEXT("\x0e\x80"));
	expect_broken(TEXT("\x03\x01"));
	expect_broken(TEXT("\x0f\x05\x77"));
	expect_broken(TEXT("\x16\x03\xff\xff\xff\xff\x0f"));
	expect_broken(TEXT("\x1d\xff\xff\xff\xff\xff\xff\xff\xff"));
}

/* Entries of .debug_frame: version, length of 32 or 64 bits. */
static void put_debug(struct out *o, uint8_t version, bool is_long, uint64_t start, struct text program)
{
	size_t word = is_long ? 8 : 4, at[2], cie = o->n;

	for (int i = 0; i < 2; i++) {
		if (is_long)
			put_uint(o, 0xffffffff, 4);
		put_uint(o, 0, word);
		at[i] = o->n;
		put_uint(o, i ? cie : UINT64_MAX, word);
		if (i) {
			put_uint(o, start, 8);
			put_uint(o, SIZE, 8);
			put_text(o, program);
		} else {
			put_uint(o, version, 1);
			put_uint(o, 0, 1);
			if (version == 4)
				put_text(o, TEXT("\x08\x00"));
			put_text(o, TEXT("\x01\x78\x10"));
			put_text(o, ENTRY_X86);
		}
		word = is_long ? 8 : 4;
		put_uint(o, 0, 3); /* nops */
		memcpy(o->bytes + at[i] - word, &(uint64_t){ o->n - at[i] }, word);
	}
}

static void test_debug_frame(void **state)
{
	static const uint8_t versions[] = { 1, 3, 4 };
	struct rows rows;
	int bad;

	(void)state;
	for (int is_long = 0; is_long < 2; is_long++) {
		out.n = 0;
		for (size_t i = 0; i < sizeof(versions); i++)
			put_debug(&out, versions[i], is_long, START, TEXT("\x44\x0e\x10"));
		assert_int_equal(read_all(&cfi_x86_64, out.bytes, out.n, true, 0, UINT64_MAX, &rows, &bad), 3);
		assert_int_equal(bad, 0);
		assert_int_equal(rows.n, 2);
		expect_row(&rows, 0, 0, SP_8);
		expect_row(&rows, 1, 4, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16));
	}
	out.n = 0;
	put_debug(&out, 5, false, START, TEXT(""));
	assert_int_equal(read_all(&cfi_x86_64, out.bytes, out.n, true, 0, UINT64_MAX, &rows, &bad), 0);
	assert_int_equal(bad, 2); /* the CIE, and the FDE that has none */
}

/* Letters before and after R, in a long entry, whose identifier has 32 bits here. */
static void test_augmentation(void **state)
{
	struct rows rows;
	size_t at, cie;
	int bad;

	(void)state;
	out.n = 0;
	put_uint(&out, 0, 4); /* padding */
	cie = out.n;
	put_uint(&out, 0xffffffff, 4);
	put_uint(&out, 0, 8);
	at = out.n;
	put_uint(&out, 0, 4);
	put_uint(&out, 3, 1);
	put(&out, "zPLRSBx?", 9);
	put_text(&out, TEXT("\x01\x78\x10\x07\x9b\x11\x22\x33\x44\x1b\x1b"));
	put_text(&out, ENTRY_X86);
	memcpy(out.bytes + at - 8, &(uint64_t){ out.n - at }, 8);
	put_fde(&out, cie, START, SIZE, TEXT(""));
	assert_int_equal(read_all(&cfi_x86_64, out.bytes, out.n, false, 0, UINT64_MAX, &rows, &bad), 1);
	assert_int_equal(bad, 0);
	assert_int_equal(rows.data[0].rule.ra, UNWIND_AT_CFA | UNWIND_SIGNAL);
	/* A letter without a size before it: nobody knows what follows. */
	out.n = 0;
	cie = put_cie(&out, "R", ENTRY_X86);
	put_fde(&out, cie, START, SIZE, TEXT(""));
	assert_int_equal(read_all(&cfi_x86_64, out.bytes, out.n, false, 0, UINT64_MAX, &rows, &bad), 0);
	assert_int_equal(bad, 2);
}

static void test_hostile_entries(void **state)
{
	static const struct text sections[] = {
		{ "\xff\xff\xff\x7f\x00\x00\x00\x00", 8 },
		{ "\xf0\xff\xff\xff\x00\x00\x00\x00", 8 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12 },
		{ "\x01\x00\x00\x00\x00", 5 },
		{ "\x04\x00\x00\x00\x04\x00\x00\x00", 8 }, /* an FDE of itself */
		{ "\x04\x00\x00\x00\xff\xff\xff\xff", 8 },
		{ "\xff\xff\xff\xff", 4 },
	};
	struct rows rows;
	int bad;

	(void)state;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		const uint8_t *bytes = (const uint8_t *)sections[i].bytes;

		for (int kind = 0; kind < 2; kind++) {
			assert_int_equal(read_all(&cfi_x86_64, bytes, sections[i].n, kind, 0, UINT64_MAX, &rows, &bad), 0);
			assert_int_equal(bad, 1);
		}
	}
}

/* Whole sections, cut at each byte, and with each byte replaced. */
static void test_cut_and_changed(void **state)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x0b, 0x7f, 0x80, 0xff };
	struct rows rows;
	size_t n;
	int bad;

	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		out.n = 0;
		if (kind) {
			put_debug(&out, 4, true, START, TEXT("\x41\x0e\x10\x86\x02\x0f\x04\x77\xa0\x01\x06"));
		} else {
			size_t cie = put_cie(&out, "zRS", ENTRY_X86);

			put_fde(&out, cie, START, SIZE,
				TEXT("\x41\x0e\x10\x86\x02\x10\x06\x02\x76\x00\x41\x0a\x02\x20\x0b\x41\x0f\x04\x77\xa0\x01\x06"));
			put_fde(&out, cie, START + SIZE, SIZE, TEXT("\x41\x0e\x10"));
		}
		n = out.n;
		for (size_t i = 0; i < n; i++) {
			uint8_t was = out.bytes[i];

			read_all(&cfi_x86_64, out.bytes, i, kind, 0, UINT64_MAX, &rows, &bad);
			for (size_t v = 0; v < sizeof(values); v++) {
				out.bytes[i] = values[v];
				read_all(&cfi_x86_64, out.bytes, n, kind, 0, UINT64_MAX, &rows, &bad);
			}
			out.bytes[i] = was;
		}
	}
}

/* sub sp, sp, #16 (signed before); stp x29, x30, [sp]: at the entry the return address is in its register. */
static void test_arm64(void **state)
{
	struct rows rows;
	size_t at, cie;
	int bad;

	(void)state;
	out.n = 0;
	cie = out.n;
	at = entry_begin(&out);
	put_uint(&out, 0, 4);
	put_text(&out, TEXT("\x01zRB\0\x04\x78\x1e\x01\x1b\x0c\x1f\x00"));
	entry_end(&out, at);
	put_fde(&out, cie, START, SIZE, TEXT("\x41\x2d\x41\x0e\x10\x9d\x02\x9e\x01\x41\x0d\x1d\x93\x03"));
	assert_int_equal(read_all(&cfi_arm64, out.bytes, out.n, false, 0, UINT64_MAX, &rows, &bad), 1);
	assert_int_equal(rows.n, 3);
	expect_row(&rows, 0, 0, (struct unwind_rule){ .cfa = UNWIND_CFA_SP, .ra = UNWIND_IN_LINK });
	expect_row(&rows, 1, 8, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .saved = UNWIND_AT_CFA, .bp_off = -16));
	expect_row(&rows, 2, 12,
		   RULE(.cfa = UNWIND_CFA_BP, .cfa_off = 16, .saved = UNWIND_AT_CFA, .bp_off = -16));
	/* x30 at CFA + 8: what the stub has pushed is the caller's no more. */
	out.n = at - 4;
	at = entry_begin(&out);
	put_uint(&out, 0, 4);
	put_text(&out, TEXT("\x01zRB\0\x04\x78\x1e\x01\x1b\x0c\x1f\x00"));
	entry_end(&out, at);
	put_fde(&out, cie, START, SIZE, TEXT("\x11\x1e\x7f\x9d\x02"));
	assert_int_equal(read_all(&cfi_arm64, out.bytes, out.n, false, 0, UINT64_MAX, &rows, &bad), 1);
	expect_row(&rows, 0, 0, RULE(.cfa = UNWIND_CFA_SP, .cfa_off = 16, .saved = UNWIND_AT_CFA, .bp_off = -32));
}

static void test_numbers(void **state)
{
	struct text text = TEXT("\xe5\x8e\x26\x9b\xf1\x59\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x80\x80");
	struct bytes b = bytes_of(text.bytes, text.n);

	(void)state;
	assert_int_equal(bytes_uleb(&b), 624485);
	assert_int_equal(bytes_sleb(&b), -624485);
	assert_true(bytes_uleb(&b) == UINT64_MAX);
	assert_false(b.is_short);
	assert_int_equal(bytes_uleb(&b), 0);
	assert_true(b.is_short);
	b = bytes_of(text.bytes + 6, 11);
	assert_int_equal(bytes_sleb(&b), -1);
	b = bytes_of("\xff", 1);
	assert_int_equal(bytes_u32(&b), 0);
	assert_true(b.is_short);
	assert_int_equal(bytes_u8(&b), 0);
}

static void test_pointers(void **state)
{
	static const struct {
		uint8_t enc;
		struct text text;
		uint64_t value; /* 0: refused */
	} cases[] = {
		{ PTR_ABS, { "\x01\x02\x03\x04\x05\x06\x07\x08", 8 }, 0x0807060504030201 },
		{ PTR_U16, { "\x01\x82", 2 }, 0x8201 },
		{ PTR_S16, { "\x01\x82", 2 }, 0xffffffffffff8201 },
		{ PTR_U32, { "\x01\x02\x03\x84", 4 }, 0x84030201 },
		{ PTR_S32 | PTR_PCREL, { "\xf0\xff\xff\xff", 4 }, 0x1000 - 16 },
		{ PTR_S32 | PTR_DATAREL, { "\xf0\xff\xff\xff", 4 }, 0x2000 - 16 },
		{ PTR_ULEB, { "\x80\x01", 2 }, 0x80 },
		{ PTR_SLEB | PTR_PCREL, { "\x7f", 1 }, 0xfff },
		{ PTR_U64 | PTR_INDIRECT, { "\x01\x02\x03\x04\x05\x06\x07\x08", 8 }, 0x0807060504030201 },
		{ PTR_OMIT, { "\x01\x02\x03\x04\x05\x06\x07\x08", 8 }, 0 },
		{ PTR_S32 | 0x20, { "\x01\x02\x03\x04", 4 }, 0 },
		{ 0x05, { "\x01\x02\x03\x04", 4 }, 0 },
		{ PTR_U32, { "\x01\x02\x03", 3 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bytes b = bytes_of(cases[i].text.bytes, cases[i].text.n);
		struct bytes_base base = { .first = b.at, .vaddr = 0x1000, .data = 0x2000, .is64 = true };
		uint64_t v = 0;

		assert_int_equal(bytes_ptr(&b, cases[i].enc, &base, &v), cases[i].value != 0);
		assert_true(!cases[i].value || v == cases[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),		 cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_no_instruction),	 cmocka_unit_test(test_advance),
		cmocka_unit_test(test_set_loc),		 cmocka_unit_test(test_cfa),
		cmocka_unit_test(test_saved),		 cmocka_unit_test(test_return_address),
		cmocka_unit_test(test_remembered),	 cmocka_unit_test(test_cfa_expression),
		cmocka_unit_test(test_plt),		 cmocka_unit_test(test_index),
		cmocka_unit_test(test_saved_expression),
		cmocka_unit_test(test_signal_frame),	 cmocka_unit_test(test_part),
		cmocka_unit_test(test_broken_program),	 cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_augmentation),	 cmocka_unit_test(test_hostile_entries),
		cmocka_unit_test(test_cut_and_changed),	 cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
