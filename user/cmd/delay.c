/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/delay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/num.h"

#define DELAY_MAX_MS 86400000 /* a day */

static int bad(const char *text, const char *expected, int ret, struct err *err)
{
	return err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--delay': expected %s, up to %d", text, expected, DELAY_MAX_MS);
}

static int parse_ms(const char *text, uint64_t *ret_ns)
{
	uint64_t ms = 0;
	int ret = num_u64(text, DELAY_MAX_MS, &ms);

	*ret_ns = ms * NS_PER_MS;
	return ret;
}

int delay_parse(const char *text, uint64_t *ret_ns, struct err *err)
{
	int ret;

	if (!strcmp(text, "-1")) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-D -1 waits for a command of --control, which is not available");
		err_hint(err, "start skep with -p PID when it is time");
		return -EINVAL;
	}
	ret = parse_ms(text, ret_ns);
	return ret ? bad(text, "milliseconds", ret, err) : 0;
}

/* Each turn is later than the one before it. */
static int parse_ranges(char *list, uint64_t *ret_ns, struct session_turns *turns)
{
	uint64_t last = 0, from, to;
	char *range;

	for (turns->n = 0; (range = strsep(&list, ","));) {
		char *end = strchr(range, '-');

		if (!end)
			return -EINVAL;
		*end++ = '\0';
		if (turns->n + 2 > SESSION_TURNS_MAX)
			return -E2BIG;
		if (parse_ms(range, &from) || parse_ms(end, &to) || to <= from || (turns->n && from <= last))
			return -EINVAL;
		if (!turns->n)
			*ret_ns = from;
		else
			turns->at_ns[turns->n++] = from;
		turns->at_ns[turns->n++] = last = to;
	}
	return 0;
}

int delay_parse_ranges(const char *text, uint64_t *ret_ns, bool *ret_off, struct session_turns *ret_turns, struct err *err)
{
	char *copy;
	int ret;

	if (!strcmp(text, "-1")) {
		*ret_off = true;
		return 0;
	}
	if (!strchr(text, '-'))
		return delay_parse(text, ret_ns, err);
	copy = strdup(text);
	ret = copy ? parse_ranges(copy, ret_ns, ret_turns) : -ENOMEM;
	free(copy);
	if (ret == -E2BIG)
		return err_exit(err, ret, EXIT_USAGE, "bad value of '--delay': more than %d ranges", (SESSION_TURNS_MAX + 1) / 2);
	return ret ? bad(text, "milliseconds, or ranges of them such as 10-20,30-40, one after the other", ret, err) : 0;
}
