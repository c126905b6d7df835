/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The terminal's size, and drawing on it. */
#include "ui/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/num.h"

#define ROOM_ELSEWHERE 20

static int dimension(int fd, const char *variable, int fallback, bool is_rows)
{
	const char *text = getenv(variable);
	struct winsize w;
	uint64_t n;

	if (!isatty(fd))
		return 0;
	if (text && !num_u64(text, 10000, &n) && n)
		return n;
	if (ioctl(fd, TIOCGWINSZ, &w) || !(is_rows ? w.ws_row : w.ws_col))
		return fallback;
	return is_rows ? w.ws_row : w.ws_col;
}

int terminal_columns(int fd)
{
	return dimension(fd, "COLUMNS", 80, false);
}

int terminal_rows(int fd)
{
	return dimension(fd, "LINES", 24, true);
}

uint64_t terminal_room(int fd, int others)
{
	int rows = terminal_rows(fd);

	return !rows ? ROOM_ELSEWHERE : rows > others ? (uint64_t)(rows - others) : 1;
}

bool terminal_is_drawn(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb");
}

bool terminal_has_colours(int fd)
{
	const char *no = getenv("NO_COLOR");

	return terminal_is_drawn(fd) && (!no || !*no);
}

/* Home, each line erased after its end, the rest of the screen erased (ECMA-48: CUP, EL, ED): no flicker of an empty screen. */
void terminal_draw(FILE *out, const char *text, int columns)
{
	int column = 0;

	fputs("\033[H", out);
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\033[K\n", out);
			column = 0;
			continue;
		}
		column += ((unsigned char)*text & 0xc0) != 0x80; /* continuations of UTF-8 */
		if (column <= columns)
			putc(*text, out);
	}
	fputs("\033[J", out);
}

/* In one write: what others print comes before or after it. */
void terminal_line(FILE *out, const char *text)
{
	int columns = terminal_columns(fileno(out));

	fprintf(out, "\r\033[K%.*s%s", columns > 1 ? columns - 1 : 0, text, *text ? "\r" : "");
	fflush(out);
}
