/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/delay.h"

#include <errno.h>
#include <string.h>

#include "util/num.h"

#define NS_PER_MS 1000000ull
#define DELAY_MAX_MS 86400000 /* a day */

int delay_parse(const char *text, uint64_t *ret_ns, bool *ret_off, struct err *err)
{
	uint64_t ms = 0;
	int ret;

	if (!strcmp(text, "-1") && ret_off) {
		*ret_off = true;
		return 0;
	}
	if (!strcmp(text, "-1")) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-D -1 waits for a command of --control, which is not available");
		err_hint(err, "start skep with -p PID when it is time");
		return -EINVAL;
	}
	ret = num_u64(text, DELAY_MAX_MS, &ms);
	if (ret)
		return err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--delay': expected milliseconds, up to %d", text, DELAY_MAX_MS);
	*ret_ns = ms * NS_PER_MS;
	return 0;
}
