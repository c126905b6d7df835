/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hundreds of thousands of lines a second: without printf(), which takes ten times as long, and locks. An unknown value is "-". */
#include "render/events/timehist.h"

#include <string.h>

#include "model/schedlog.h"
#include "util/text.h"

#define TIME_WIDTH 15
#define TIME_DECIMALS 6
#define CPU_DIGITS 4
#define NAME_WIDTH 30
#define MS_WIDTH 9
#define WHO_BYTES (4 * COMM_LEN + 32) /* a name whose every byte is escaped, and two numbers */

static bool knows(const struct row *row, enum schedlog_column column)
{
	return !(row->none >> column & 1);
}

static bool has(const struct row *row, enum schedlog_column column)
{
	return !(row->absent >> column & 1);
}

static void put_ms(FILE *out, const struct row *row, enum schedlog_column column)
{
	char buf[40], *end = buf + sizeof(buf), *p = end;

	if (knows(row, column))
		p = text_fraction(end, row->values[column].num, 1000000, 3);
	else
		*--p = '-';
	fputs("  ", out);
	text_right(out, p, end, MS_WIDTH);
}

/* "name[tid/pid]", of a first thread "name[tid]"; first: its column, those of pid and tid come next. Returns its length. */
static size_t put_who(FILE *out, const struct row *row, enum schedlog_column first)
{
	const struct value *v = &row->values[first];
	uint32_t pid = (uint32_t)v[1].num, tid = (uint32_t)v[2].num;
	char buf[WHO_BYTES], digits[32], *end = digits + sizeof(digits), *p = end;
	size_t len = text_escape(buf, sizeof(buf), v[0].text);

	*--p = ']';
	if (pid != tid) {
		p = text_decimal(p, pid);
		*--p = '/';
	}
	p = text_decimal(p, tid);
	*--p = '[';
	fwrite(buf, 1, len, out);
	fwrite(p, 1, end - p, out);
	return len + (end - p);
}

/* "name[tid]" of a task, "softirq name[tid]", "interrupt", "-". Returns its length. */
static size_t put_waker(FILE *out, const struct row *row)
{
	const char *in = row->values[LOG_WAKER_IN].text;
	bool is_task = in && !strcmp(in, "task"), has_name = knows(row, LOG_WAKER_COMM);
	size_t len = 0;

	if (!is_task) {
		fputs(in ? in : "-", out);
		len = in ? strlen(in) : 1;
	}
	if (!is_task && has_name) {
		putc_unlocked(' ', out);
		len++;
	}
	return len + (has_name ? put_who(out, row, LOG_WAKER_COMM) : 0);
}

static void put_start(FILE *out, const struct row *row)
{
	char buf[40], *end = buf + sizeof(buf), *p;

	text_right(out, text_seconds(end, (int64_t)row->values[LOG_SECONDS].num, TIME_DECIMALS), end, TIME_WIDTH);
	p = text_decimal(end, row->values[LOG_CPU].num);
	while (end - p < CPU_DIGITS)
		*--p = '0';
	fputs(" [", out);
	fwrite(p, 1, end - p, out);
	fputs("]  ", out);
}

static void put_stack(FILE *out, const char *const *frames)
{
	for (size_t i = 0; frames[i]; i++) {
		fputs(i ? " <- " : "  ", out);
		text_print(out, frames[i]);
	}
}

static void print_switch(FILE *out, const struct row *row, const struct rows_view *view)
{
	bool has_next = !(view->hide >> LOG_NEXT_COMM & 1);
	const char *const *frames = row->values[LOG_STACK].frames;
	size_t len;

	put_start(out, row);
	text_pad(out, put_who(out, row, LOG_COMM), NAME_WIDTH);
	put_ms(out, row, LOG_WAIT);
	put_ms(out, row, LOG_DELAY);
	put_ms(out, row, LOG_RUN);
	fputs("  ", out);
	putc_unlocked(row->values[LOG_STATE].text[0], out);
	fputs("      ", out);
	len = put_waker(out, row);
	if (has_next || frames[0])
		text_pad(out, len, NAME_WIDTH);
	if (has_next) {
		fputs("  next: ", out);
		len = row->values[LOG_NEXT_TID].num ? put_who(out, row, LOG_NEXT_COMM) : (size_t)(fputs("-", out), 1);
		if (frames[0])
			text_pad(out, len, NAME_WIDTH);
	}
	put_stack(out, frames);
	putc_unlocked('\n', out);
}

/* As perf shows them: below who did it, or, of an interrupt, nobody. */
static void print_other(FILE *out, const struct row *row)
{
	char digits[32], *end = digits + sizeof(digits), *p;

	put_start(out, row);
	text_pad(out, put_waker(out, row), NAME_WIDTH + 3 * (MS_WIDTH + 2));
	fputs(has(row, LOG_TO_CPU) ? "  migrated: " : "  awakened: ", out);
	put_who(out, row, LOG_COMM);
	if (has(row, LOG_TO_CPU)) {
		p = text_decimal(end, row->values[LOG_TO_CPU].num);
		fputs(" to cpu ", out);
		fwrite(p, 1, end - p, out);
	}
	putc_unlocked('\n', out);
}

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	(void)schema;
	(void)view;
	fprintf(out, "%*s    cpu  %-*s  %*s  %*s  %*s  state  waker\n", TIME_WIDTH, "time", NAME_WIDTH, "task name", MS_WIDTH, "wait time", MS_WIDTH,
		"sch delay", MS_WIDTH, "run time");
	fprintf(out, "%*s         %-*s  %*s  %*s  %*s\n", TIME_WIDTH, "", NAME_WIDTH, "[tid/pid]", MS_WIDTH, "(msec)", MS_WIDTH, "(msec)", MS_WIDTH,
		"(msec)");
	fprintf(out, "--------------- ------  ------------------------------  ---------  ---------  ---------  -----  -----\n");
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	if (has(row, LOG_RUN))
		print_switch(out, row, view);
	else
		print_other(out, row);
}

const struct rows_format timehist_text = { NULL, print_head, print_row };
