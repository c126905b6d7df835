/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The terminal's size. */
#include "ui/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/num.h"

int terminal_columns(int fd)
{
	const char *text = getenv("COLUMNS");
	struct winsize w;
	uint64_t n;

	if (!isatty(fd))
		return 0;
	if (text && !num_u64(text, 10000, &n) && n)
		return n;
	return ioctl(fd, TIOCGWINSZ, &w) || !w.ws_col ? 80 : w.ws_col;
}
