/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Single steps of arm64's walks (bpf/lib/unwindstep.bpf.h) over stacks made by hand: what programs seldom do, or never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "unwind/arm64.h"
#include "unwind/walk.h"

#define ADDRESS_BITS 48

/* A stack made by hand: what is at STACK_AT and above. */
#define STACK_AT 0x7000ull
#define CODE_AT 0x400000ull
#define SIGNED (0x2full << ADDRESS_BITS)

static uint64_t made[128];
static const struct unwind_rule *made_rules; /* of one frame after the other */

static int made_rule(void *arg, uint64_t ip, struct unwind_rule *ret_rule)
{
	(void)arg;
	(void)ip;
	*ret_rule = *made_rules++;
	return 0;
}

static int made_word(void *arg, uint64_t addr, uint64_t *ret_word)
{
	(void)arg;
	if (addr - STACK_AT >= sizeof(made))
		return -1;
	*ret_word = made[(addr - STACK_AT) / sizeof(*made)];
	return 0;
}

static uint32_t walk_made(struct unwind_regs *regs, const struct unwind_rule *rules, uint64_t *ret_ips, uint32_t *ret_end)
{
	struct unwind_facts facts = { NULL, made_rule, made_word };
	static const uint64_t leaf[UNWIND_LEAF_REGS] = { [9] = CODE_AT + 0x900 };

	made_rules = rules;
	return unwind_frames(&facts, regs, leaf, ret_ips, 8, ret_end);
}

static const struct unwind_rule in_link = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_IN_LINK };
static const struct unwind_rule record = { .cfa = UNWIND_CFA_SP, .cfa_off = 32, .ra = UNWIND_AT_CFA, .ra_off = -24,
					   .saved = UNWIND_AT_CFA, .bp_off = -32 };
static const struct unwind_rule no_record = { .cfa = UNWIND_CFA_SP, .cfa_off = 16, .ra = UNWIND_AT_CFA, .ra_off = -8 };
static const struct unwind_rule in_x9 = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_IN_REG, .reg = 9 };
static const struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_SAME };

static struct unwind_regs made_regs(void)
{
	return (struct unwind_regs){ .ip = CODE_AT, .sp = STACK_AT, .bp = STACK_AT, .bx = CODE_AT + 0x10, .is_exact = 1,
				     .address_bits = ADDRESS_BITS };
}

/* The link register is the leaf's: who has called has no other way back than what it saved. */
static void test_link(void **state)
{
	struct unwind_regs regs = made_regs();
	const struct unwind_rule twice[] = { in_link, in_link }, in_other[] = { in_x9, outermost };
	uint64_t ips[8];
	uint32_t end;

	(void)state;
	regs.bx |= SIGNED;
	assert_int_equal(walk_made(&regs, twice, ips, &end), 1);
	assert_int_equal(ips[0], CODE_AT + 0x10);
	assert_int_equal(regs.sp, STACK_AT);
	assert_int_equal(end, STOP_BAD_RULE);
	regs = made_regs();
	assert_int_equal(walk_made(&regs, in_other, ips, &end), 1);
	assert_int_equal(ips[0], CODE_AT + 0x900);
	assert_int_equal(end, STOP_WHOLE);
	/* It is 0 in the outermost frame of a thread, and without its signature. */
	regs = made_regs();
	regs.bx = SIGNED;
	assert_int_equal(walk_made(&regs, twice, ips, &end), 0);
	assert_int_equal(end, STOP_WHOLE);
}

/* By frame pointers sp is lost: the next frame's rule has it again if that says where its record is, and else nothing does. */
static void test_record(void **state)
{
	const struct unwind_rule found[] = { unwind_rule_fp, record, record, outermost }, lost[] = { unwind_rule_fp, in_link },
				 other[] = { unwind_rule_fp, no_record };
	struct unwind_regs regs = made_regs();
	uint64_t ips[8];
	uint32_t end;

	(void)state;
	memset(made, 0, sizeof(made));
	made[0] = STACK_AT + 80; /* the record of a caller that has 64 bytes below it */
	made[1] = (CODE_AT + 0x20) | SIGNED;
	made[10] = STACK_AT + 112;
	made[11] = CODE_AT + 0x30;
	made[14] = 0;
	made[15] = (CODE_AT + 0x40) | SIGNED;
	assert_int_equal(walk_made(&regs, found, ips, &end), 3);
	assert_int_equal(ips[0], CODE_AT + 0x20);
	assert_int_equal(ips[1], CODE_AT + 0x30);
	assert_int_equal(ips[2], CODE_AT + 0x40);
	assert_int_equal(regs.sp, STACK_AT + 144);
	assert_int_equal(end, STOP_WHOLE);
	for (int i = 0; i < 2; i++) {
		regs = made_regs();
		assert_int_equal(walk_made(&regs, i ? lost : other, ips, &end), 1);
		assert_int_equal(end, STOP_BAD_RULE);
	}
}

/* Of an interrupted function all is known, its link register too. */
static void test_interrupted(void **state)
{
	const struct unwind_rule rules[] = { arm64_sigreturn_rule, in_link, outermost };
	struct unwind_regs regs = made_regs();
	uint64_t ips[8];
	uint32_t end;

	(void)state;
	memset(made, 0, sizeof(made));
	regs.lost = UNWIND_LOST_BX | UNWIND_LOST_LEAF;
	made[(312 + 29 * 8) / 8] = STACK_AT + 0x100;
	made[(312 + 30 * 8) / 8] = (CODE_AT + 0x60) | SIGNED;
	made[(312 + 31 * 8) / 8] = STACK_AT - 0x1000; /* from another stack */
	made[(312 + 32 * 8) / 8] = CODE_AT + 0x50;
	assert_int_equal(walk_made(&regs, rules, ips, &end), 2);
	assert_int_equal(ips[0], CODE_AT + 0x50);
	assert_int_equal(ips[1], CODE_AT + 0x60);
	assert_int_equal(regs.sp, STACK_AT - 0x1000);
	assert_int_equal(regs.bp, STACK_AT + 0x100);
	assert_int_equal(end, STOP_WHOLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_link), cmocka_unit_test(test_record),
					    cmocka_unit_test(test_interrupted) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
