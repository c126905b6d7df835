/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_time.h"

#include <errno.h>
#include <string.h>

int trace_time(const char *text, struct call_lines *lines, struct err *err)
{
	static const struct {
		const char *word;
		int time, decimals; /* -1: as it is */
	} words[] = {
		{ "none", CALL_TIME_NONE, -1 }, { "time", CALL_TIME_DAY, -1 }, { "unix", CALL_TIME_UNIX, -1 },
		{ "s", -1, 0 }, { "ms", -1, 3 }, { "us", -1, 6 }, { "ns", -1, 9 },
	};

	lines->time = CALL_TIME_DAY;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n, i;

		at += !strncmp(at, "format:", 7) ? 7 : !strncmp(at, "precision:", 10) ? 10 : 0;
		n = strcspn(at, ",");
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strlen(words[i].word) == n && !strncmp(at, words[i].word, n))
				break;
		if (i == sizeof(words) / sizeof(*words))
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad time '%s': time, unix or none; s, ms, us or ns", text);
		if (words[i].time >= 0)
			lines->time = words[i].time;
		if (words[i].decimals >= 0)
			lines->decimals = words[i].decimals;
	}
	return 0;
}

int trace_decimals(const char *text, uint8_t *ret_decimals, struct err *err)
{
	static const char *const units[] = { "s", "ms", "us", "ns" };

	for (uint8_t i = 0; i < 4; i++)
		if (!strcmp(text ? text : "us", units[i])) {
			*ret_decimals = 3 * i;
			return 0;
		}
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad precision '%s': s, ms, us or ns", text);
}
