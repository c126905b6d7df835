/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of --control, as they come: in parts, several at once, too long ones, and the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/control.h"

static struct control control;
static int in_fd; /* what the commands are written to */

static void say(const char *text)
{
	assert_int_equal(write(in_fd, text, strlen(text)), strlen(text));
	control_read(&control);
}

static int set_up(void **state)
{
	int ends[2];

	(void)state;
	if (pipe(ends))
		return -1;
	in_fd = ends[1];
	control = (struct control){ .fd = ends[0], .ack_fd = -1, .is_own = true };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	control_close(&control);
	return 0;
}

static void test_lines(void **state)
{
	(void)state;
	say("ena");
	assert_int_equal(control_next(&control), CONTROL_NONE);
	say("ble\ndisable\nping\nsto");
	assert_int_equal(control_next(&control), CONTROL_ENABLE);
	assert_int_equal(control_next(&control), CONTROL_DISABLE);
	assert_int_equal(control_next(&control), CONTROL_PING);
	assert_int_equal(control_next(&control), CONTROL_NONE);
	say("p\n\nenable cycles\nENABLE\n");
	assert_int_equal(control_next(&control), CONTROL_STOP);
	for (int i = 0; i < 3; i++)
		assert_int_equal(control_next(&control), CONTROL_UNKNOWN);
	assert_int_equal(control_next(&control), CONTROL_NONE);
	assert_false(control.is_over);
	close(in_fd);
	control_read(&control);
	assert_true(control.is_over);
}

/* The end of a line that is too long is no command of its own. */
static void test_long(void **state)
{
	char text[CONTROL_LINE_MAX + 1];

	(void)state;
	memset(text, 'x', CONTROL_LINE_MAX);
	text[CONTROL_LINE_MAX] = '\0';
	say(text);
	assert_int_equal(control_next(&control), CONTROL_NONE);
	say("enable\nstop\n");
	assert_int_equal(control_next(&control), CONTROL_UNKNOWN);
	assert_int_equal(control_next(&control), CONTROL_STOP);
	close(in_fd);
}

static void test_refused(void **state)
{
	struct err err = { 0 };
	struct control c;

	(void)state;
	assert_int_equal(control_open("fd:", &c, &err), -22);
	assert_string_equal(err.text, "bad value 'fd:' of '--control'");
	assert_int_equal(control_open("fd:1,1000000", &c, &err), -9);
	assert_int_equal(control_open("fd:0x", &c, &err), -9);
	close(in_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_long, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
