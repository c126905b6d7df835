/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a list stands on a screen, and a line that is typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/cursor.h"
#include "ui/prompt.h"
#include "ui/screen.h"

#define KEYS 20000

static void moves(void **state)
{
	struct cursor c = { 0 };

	(void)state;
	cursor_fit(&c, 100, 10);
	assert_int_equal(c.at, 0);
	assert_true(cursor_key(&c, SCREEN_DOWN));
	assert_int_equal(c.at, 1);
	assert_true(cursor_key(&c, SCREEN_PAGE_DOWN));
	assert_int_equal(c.at, 11);
	assert_int_equal(c.top, 2);
	assert_true(cursor_key(&c, SCREEN_END));
	assert_int_equal(c.at, 99);
	assert_int_equal(c.top, 90);
	assert_true(cursor_key(&c, SCREEN_PAGE_UP));
	assert_int_equal(c.at, 89);
	assert_int_equal(c.top, 89);
	assert_true(cursor_key(&c, SCREEN_HOME));
	assert_int_equal(c.at, 0);
	assert_int_equal(c.top, 0);
	assert_false(cursor_key(&c, 'x'));
	c.step = 25; /* of a text, whose line is the first that is seen */
	assert_true(cursor_key(&c, SCREEN_PAGE_DOWN));
	assert_int_equal(c.at, 25);
	c.step = 0;
	cursor_fit(&c, 0, 10);
	assert_int_equal(c.at, 0);
	assert_true(cursor_key(&c, SCREEN_DOWN));
	assert_int_equal(c.at, 0);
}

/* Whatever happens, the chosen line is one of the list and is seen, and no line is blank while there are more above. */
static void stays_in_sight(void **state)
{
	static const uint32_t keys[] = { SCREEN_UP, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME, SCREEN_END, SCREEN_WHEEL_UP, SCREEN_WHEEL_DOWN };
	struct cursor c = { 0 };

	(void)state;
	srand(1);
	for (int i = 0; i < KEYS; i++) {
		if (rand() % 10 == 0)
			cursor_fit(&c, (size_t)rand() % 50, (size_t)rand() % 20);
		cursor_key(&c, keys[(size_t)rand() % (sizeof(keys) / sizeof(keys[0]))]);
		assert_true(c.n ? c.at < c.n : !c.at);
		assert_true(c.at >= c.top);
		assert_true(c.at < c.top + (c.page ? c.page : 1));
		assert_true(!c.top || c.top + (c.page ? c.page : 1) <= c.n);
	}
}

static void types(void **state)
{
	struct prompt p;

	(void)state;
	prompt_set(&p, "ab");
	assert_int_equal(prompt_key(&p, 'c'), PROMPT_GOES_ON);
	assert_int_equal(prompt_key(&p, 0xe9), PROMPT_GOES_ON);
	assert_int_equal(prompt_key(&p, 0x20ac), PROMPT_GOES_ON);
	assert_int_equal(prompt_key(&p, 0x1f41d), PROMPT_GOES_ON);
	assert_string_equal(p.text, "abc\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9d");
	assert_int_equal(prompt_key(&p, SCREEN_BACKSPACE), PROMPT_GOES_ON);
	assert_int_equal(prompt_key(&p, SCREEN_BACKSPACE), PROMPT_GOES_ON);
	assert_string_equal(p.text, "abc\xc3\xa9");
	assert_int_equal(prompt_key(&p, 7), PROMPT_GOES_ON); /* what a terminal would obey is not text */
	assert_int_equal(prompt_key(&p, SCREEN_UP), PROMPT_GOES_ON);
	assert_string_equal(p.text, "abc\xc3\xa9");
	assert_int_equal(prompt_key(&p, SCREEN_ENTER), PROMPT_DONE);
	assert_int_equal(prompt_key(&p, SCREEN_ESCAPE), PROMPT_LEFT);
	prompt_set(&p, "");
	assert_int_equal(prompt_key(&p, SCREEN_BACKSPACE), PROMPT_GOES_ON);
	for (int i = 0; i < 2 * PROMPT_BYTES; i++)
		prompt_key(&p, 0x20ac);
	assert_true(p.n < PROMPT_BYTES);
	assert_int_equal(p.n % 3, 0);
	assert_int_equal(strlen(p.text), p.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves),
		cmocka_unit_test(stays_in_sight),
		cmocka_unit_test(types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
