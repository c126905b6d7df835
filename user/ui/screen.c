/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifdef HAVE_NCURSES

#include "ui/screen.h"
#include "ui/terminal.h"
#include "util/text.h"
#include "util/thread.h"

/* After ours: term.h defines words such as columns. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#define TAB_COLUMNS 8
#define ESCAPE_MS 50 /* a key that sends an escape sequence sends all of it meanwhile */
#define CLICK_MS 150 /* a press and a release within it are a click */

static struct {
	SCREEN *screen; /* NULL: not open */
	FILE *out; /* the terminal; stdout need not be a descriptor (main.c) */
	bool has_utf8;
	attr_t styles[SCREEN_STYLES];
	struct termios before;
	char leave[128]; /* what ends the picture, for screen_give_up() */
	int terminal, drawn; /* the same terminal, and memory: see screen_show() */
	int held_fd, stderr_fd; /* what goes to standard error meanwhile, and where it belongs; -1: it is no terminal */
} own = { .terminal = -1, .drawn = -1, .held_fd = -1, .stderr_fd = -1 };

/* Notes would spoil the picture: they come after it. */
static void hold_stderr(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	own.held_fd = memfd_create("held", MFD_CLOEXEC);
	own.stderr_fd = own.held_fd < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (own.stderr_fd >= 0)
		dup2(own.held_fd, STDERR_FILENO);
}

static void release_stderr(void)
{
	char bytes[4096];
	ssize_t n;

	if (own.stderr_fd < 0)
		return;
	dup2(own.stderr_fd, STDERR_FILENO);
	lseek(own.held_fd, 0, SEEK_SET);
	while ((n = read(own.held_fd, bytes, sizeof(bytes))) > 0)
		if (write(STDERR_FILENO, bytes, (size_t)n) < 0)
			break;
	close(own.held_fd);
	close(own.stderr_fd);
	own.held_fd = own.stderr_fd = -1;
}

/* On the background that the user has, dark or light. */
static void choose_styles(bool coloured)
{
	own.styles[SCREEN_PLAIN] = A_NORMAL;
	own.styles[SCREEN_BAR] = A_REVERSE;
	own.styles[SCREEN_SELECTED] = A_REVERSE | A_BOLD;
	own.styles[SCREEN_HOT] = own.styles[SCREEN_WARM] = own.styles[SCREEN_BOLD] = A_BOLD;
	if (!coloured || !has_colors() || start_color() == ERR || use_default_colors() == ERR)
		return;
	init_pair(1, COLOR_RED, -1);
	init_pair(2, COLOR_GREEN, -1);
	own.styles[SCREEN_HOT] = COLOR_PAIR(1) | A_BOLD;
	own.styles[SCREEN_WARM] = COLOR_PAIR(2);
}

#define MOUSE_OFF "\033[?1006;1000l" /* xterm's control sequences, which ncurses sends where there is kmous */

static void note_leave(void)
{
	const char *mouse = tigetstr("kmous"), *names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = tigetstr(names[i]);

		if (text && text != (char *)-1 && n + strlen(text) < sizeof(own.leave)) {
			strcpy(own.leave + n, text);
			n += strlen(text);
		}
	}
	if (mouse && mouse != (char *)-1 && n + strlen(MOUSE_OFF) < sizeof(own.leave))
		strcpy(own.leave + n, MOUSE_OFF);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_out(void)
{
	if (own.out)
		fclose(own.out);
	own.out = NULL;
	close_fd(&own.terminal);
	close_fd(&own.drawn);
}

/* A signal that would end skep gives the terminal back first, then does. Whoever has a handler for it has it still. */
static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2 };

static void die(int signal_nr)
{
	screen_give_up();
	sigaction(signal_nr, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	raise(signal_nr); /* as soon as this has returned */
}

static void guard(bool on)
{
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		struct sigaction was;

		if (sigaction(deadly[i], NULL, &was))
			continue;
		if (on ? was.sa_handler == SIG_DFL : was.sa_handler == die)
			sigaction(deadly[i], &(struct sigaction){ .sa_handler = on ? die : SIG_DFL }, NULL);
	}
}

bool screen_is_there(void)
{
	return isatty(STDIN_FILENO) && terminal_is_drawn(STDOUT_FILENO);
}

bool screen_is_known(void)
{
	int status;

	if (own.screen) /* whose terminal is curses' current one */
		return true;
	if (setupterm(NULL, STDOUT_FILENO, &status) == ERR)
		return false;
	del_curterm(cur_term);
	return true;
}

int screen_open(struct err *err)
{
	const char *term = getenv("TERM"), *locale = setlocale(LC_CTYPE, "");

	own.has_utf8 = locale && !strcmp(nl_langinfo(CODESET), "UTF-8");
	tcgetattr(STDIN_FILENO, &own.before);
	own.out = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), "w");
	own.terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	own.drawn = memfd_create("screen", MFD_CLOEXEC);
	guard(true); /* curses has handlers of its own where there are none */
	own.screen = own.out ? newterm(term, own.out, stdin) : NULL;
	if (!own.screen) {
		guard(false);
		close_out();
		return err_set(err, -ENOTTY, "terminal '%s' is not known here", term ? term : "");
	}
	note_leave();
	choose_styles(terminal_has_colours(STDOUT_FILENO));
	cbreak();
	noecho();
	nonl();
	nodelay(stdscr, TRUE);
	typeahead(-1);
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(CLICK_MS);
	curs_set(0);
	hold_stderr();
	return 0;
}

void screen_close(void)
{
	if (!own.screen)
		return;
	guard(false);
	endwin();
	delscreen(own.screen);
	own.screen = NULL;
	close_out();
	release_stderr();
}

void screen_give_up(void)
{
	if (!__atomic_load_n(&own.screen, __ATOMIC_ACQUIRE))
		return;
	if (write(STDOUT_FILENO, own.leave, strlen(own.leave)) < 0)
		return;
	tcsetattr(STDIN_FILENO, TCSANOW, &own.before);
	if (own.stderr_fd >= 0)
		dup2(own.stderr_fd, STDERR_FILENO);
}

int screen_rows(void)
{
	return own.screen ? LINES : 0;
}

int screen_columns(void)
{
	return own.screen ? COLS : 0;
}

bool screen_has_utf8(void)
{
	return own.has_utf8;
}

static struct screen_input mouse(void)
{
	struct screen_input in = { .key = SCREEN_NONE };
	MEVENT e;

	if (getmouse(&e) == ERR)
		return in;
	in.row = e.y;
	if (e.bstate & BUTTON1_DOUBLE_CLICKED)
		in.key = SCREEN_DOUBLE_CLICK;
	else if (e.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		in.key = SCREEN_CLICK;
	else if (e.bstate & BUTTON4_PRESSED)
		in.key = SCREEN_WHEEL_UP;
	else if (e.bstate & BUTTON5_PRESSED)
		in.key = SCREEN_WHEEL_DOWN;
	return in;
}

static uint32_t key_of(wint_t c)
{
	static const struct {
		wint_t curses;
		uint32_t key;
	} keys[] = {
		{ KEY_UP, SCREEN_UP }, { KEY_DOWN, SCREEN_DOWN }, { KEY_LEFT, SCREEN_LEFT }, { KEY_RIGHT, SCREEN_RIGHT },
		{ KEY_PPAGE, SCREEN_PAGE_UP }, { KEY_NPAGE, SCREEN_PAGE_DOWN }, { KEY_HOME, SCREEN_HOME }, { KEY_END, SCREEN_END },
		{ KEY_ENTER, SCREEN_ENTER }, { KEY_BACKSPACE, SCREEN_BACKSPACE }, { KEY_DC, SCREEN_BACKSPACE },
		{ KEY_RESIZE, SCREEN_RESIZED },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == c)
			return keys[i].key;
	return SCREEN_RESIZED; /* a key that means nothing: draw again */
}

struct screen_input screen_input(void)
{
	struct screen_input in = { .key = SCREEN_NONE };
	wint_t c;
	int kind;

	errno = 0;
	kind = wget_wch(stdscr, &c);
	if (kind == ERR) {
		if (errno == EIO || !isatty(STDIN_FILENO))
			in.key = SCREEN_GONE;
		return in;
	}
	if (kind == KEY_CODE_YES && c == KEY_MOUSE)
		return mouse();
	if (kind == KEY_CODE_YES)
		in.key = key_of(c);
	else
		in.key = c == '\n' ? SCREEN_ENTER : c == '\b' ? SCREEN_BACKSPACE : c ? c : SCREEN_RESIZED;
	return in;
}

void screen_begin(void)
{
	werase(stdscr);
}

/* The character at *text, which moves behind it; '?' for bytes that are none in this locale. */
static wchar_t next_char(const char **text)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, *text, MB_CUR_MAX, &state);

	if (n == (size_t)-1 || n == (size_t)-2) {
		for (n = 1, c = L'?'; ((unsigned char)(*text)[n] & 0xc0) == 0x80;)
			n++;
	}
	*text += n;
	return c;
}

/* Columns of the character from text to end, whatever the locale. */
static int char_width(const char *text, const char *end)
{
	char one[8] = { 0 };

	memcpy(one, text, (size_t)(end - text) < sizeof(one) ? (size_t)(end - text) : sizeof(one) - 1);
	return (int)text_width(one);
}

/* Cells of one style that lie side by side: a call of curses for each would cost more than what it does. */
struct run {
	int row, column; /* of the first */
	int n;
	cchar_t blank, cells[128];
};

static void run_begin(struct run *run, int row, int column, enum screen_style style)
{
	run->row = row;
	run->column = column;
	run->n = 0;
	setcchar(&run->blank, L" ", own.styles[style] & ~A_COLOR, (short)PAIR_NUMBER(own.styles[style]), NULL);
}

/* next: where the cell after them is. */
static void run_put(struct run *run, int next)
{
	if (run->n)
		mvadd_wchnstr(run->row, run->column, run->cells, run->n);
	run->column = next;
	run->n = 0;
}

/* next: where the cell after this one is. */
static void run_add(struct run *run, wchar_t c, int next)
{
	run->cells[run->n] = run->blank;
	run->cells[run->n++].chars[0] = c;
	if (run->n == sizeof(run->cells) / sizeof(run->cells[0]))
		run_put(run, next);
}

int screen_text(int row, int column, enum screen_style style, const char *text)
{
	struct run run;

	if (row < 0 || row >= LINES)
		return column;
	run_begin(&run, row, column, style);
	while (*text && column < COLS) {
		bool is_ascii = *text >= ' ' && *text <= '~';
		const char *at = text;
		wchar_t c = is_ascii ? *text++ : next_char(&text);
		int width;

		if (c == L'\t') {
			column += TAB_COLUMNS - column % TAB_COLUMNS;
			run_put(&run, column);
			continue;
		}
		width = is_ascii ? 1 : wcwidth(c);
		if (width < 1 || column + width > COLS)
			continue;
		/* What the locale has no character for takes as many columns as renderers count for it */
		for (int more = c == L'?' && !own.has_utf8 ? char_width(at, text) : width; more > 0 && column + width <= COLS; more -= width) {
			column += width;
			run_add(&run, c, column);
		}
	}
	run_put(&run, column);
	return column;
}

void screen_fill(int row, int column, enum screen_style style)
{
	struct run run;

	if (row < 0 || row >= LINES)
		return;
	run_begin(&run, row, column, style);
	while (column < COLS)
		run_add(&run, L' ', ++column);
	run_put(&run, column);
}

void screen_cursor(int row, int column)
{
	curs_set(row >= 0);
	if (row >= 0)
		move(row < LINES ? row : LINES - 1, column < COLS ? column : COLS - 1);
}

/* What was drawn, to the terminal. */
static void send_drawn(void)
{
	char buf[4096];
	off_t at = 0, end = lseek(own.drawn, 0, SEEK_CUR);

	lseek(own.drawn, 0, SEEK_SET); /* also if the terminal is gone */
	while (at < end) {
		size_t room = end - at < (off_t)sizeof(buf) ? (size_t)(end - at) : sizeof(buf);
		ssize_t n = pread(own.drawn, buf, room, at);

		if (n <= 0)
			break;
		at += n;
		for (char *p = buf; n > 0;) {
			ssize_t sent = write(own.terminal, p, (size_t)n);

			if (sent < 0 && errno == EAGAIN)
				poll(&(struct pollfd){ .fd = own.terminal, .events = POLLOUT }, 1, -1);
			else if (sent < 0 && errno != EINTR)
				return;
			p += sent > 0 ? sent : 0;
			n -= sent > 0 ? sent : 0;
		}
	}
}

/* Else ncurses asks the terminal for it while it draws. */
static bool has_its_size(void)
{
	struct winsize w;

	return own.terminal >= 0 && !ioctl(own.terminal, TIOCGWINSZ, &w) && w.ws_row == LINES && w.ws_col == COLS;
}

/*
 * ncurses writes after each move of the cursor (mvcur() of 6.4), 50 times a second: a fifth of what a screen costs, and as many packets of
 * a remote one. So it draws into memory, and the terminal gets all in one. Who handles a signal must not find the memory there.
 */
void screen_show(void)
{
	int fd = fileno(own.out);
	sigset_t before;
	bool is_held;

	thread_signals_block(&before);
	is_held = own.drawn >= 0 && has_its_size() && dup3(own.drawn, fd, O_CLOEXEC) >= 0;
	refresh();
	if (is_held)
		dup3(own.terminal, fd, O_CLOEXEC);
	thread_signals_restore(&before);
	if (is_held)
		send_drawn();
}

int screen_width(const char *text)
{
	int width = 0;

	while (*text) {
		int cells = wcwidth(next_char(&text));

		width += cells > 0 ? cells : 0;
	}
	return width;
}

#endif
