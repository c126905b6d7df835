/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* name(args) = result, --- signal ---, +++ end +++. Texts come escaped. Millions of lines: printf() takes ten times as long. */
#include "render/events/call.h"

#include <string.h>
#include <time.h>

#include "model/callrow.h"
#include "util/text.h"

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	(void)out;
	(void)schema;
	(void)view;
}

static uint64_t rounded_unit(int decimals)
{
	uint64_t unit = 1000000000;

	for (int i = 0; i < decimals; i++)
		unit /= 10;
	return unit;
}

static void print_part(FILE *out, uint64_t ns, int decimals)
{
	if (decimals)
		fprintf(out, ".%0*llu", decimals, (unsigned long long)(ns / rounded_unit(decimals)));
}

static void print_time(FILE *out, struct call_lines *lines, uint64_t ns)
{
	uint64_t wall = ns + lines->wall_ns, since = lines->last_ns && ns > lines->last_ns ? ns - lines->last_ns : 0;
	time_t seconds = wall / 1000000000;
	char text[32];
	struct tm tm;

	switch (lines->time) {
	case CALL_TIME_DAY:
		if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%H:%M:%S", &tm))
			fputs(text, out);
		print_part(out, wall % 1000000000, lines->decimals);
		putc(' ', out);
		break;
	case CALL_TIME_UNIX:
		fprintf(out, "%lld", (long long)seconds);
		print_part(out, wall % 1000000000, lines->decimals);
		putc(' ', out);
		break;
	case CALL_TIME_SINCE:
		fprintf(out, "%6llu", (unsigned long long)(since / 1000000000));
		print_part(out, since % 1000000000, lines->decimals);
		putc(' ', out);
		break;
	}
	lines->last_ns = ns;
}

#define BOLD "\033[1m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN "\033[m"

static void print_coloured(FILE *out, const char *text, const char *colour, const struct call_lines *lines)
{
	if (lines->has_colours && colour)
		fputs(colour, out);
	fputs(text, out);
	if (lines->has_colours && colour)
		fputs(PLAIN, out);
}

static bool is_numbered(const struct call_lines *lines)
{
	return lines->has_number && lines->number != CALL_NO_NUMBER;
}

static void print_call(FILE *out, const struct row *row, const struct call_lines *lines)
{
	const struct value *v = row->values;
	size_t name = strlen(v[CALLROW_NAME].text), args = strlen(v[CALLROW_ARGS].text), at = name + args + 3;
	uint64_t ns = v[CALLROW_DURATION].num;

	if (is_numbered(lines))
		at += strlen("[9999] ");
	if (!strcmp(v[CALLROW_KIND].text, CALLROW_RESUMES)) {
		fputs("<... ", out);
		print_coloured(out, v[CALLROW_NAME].text, BOLD, lines);
		fputs(" resumed>", out);
		at += strlen("<...  resumed>") - 1;
	} else {
		if (!strcmp(v[CALLROW_KIND].text, CALLROW_URING)) {
			fputs(CALLROW_URING ": ", out);
			at += strlen(CALLROW_URING ": ");
		}
		print_coloured(out, v[CALLROW_NAME].text, BOLD, lines);
		putc('(', out);
	}
	fwrite(v[CALLROW_ARGS].text, 1, args, out);
	fputs(") ", out);
	text_pad(out, at, lines->column > 0 ? (size_t)lines->column : 0);
	fputs("= ", out);
	print_coloured(out, v[CALLROW_RESULT].text, row_knows(row, CALLROW_ERROR) && v[CALLROW_ERROR].num ? RED : NULL, lines);
	if (lines->has_duration && row_knows(row, CALLROW_DURATION)) {
		fprintf(out, " <%llu", (unsigned long long)(ns / 1000000000));
		print_part(out, ns % 1000000000, lines->duration_decimals);
		putc('>', out);
	}
	putc('\n', out);
}

static void print_stack(FILE *out, const struct row *row)
{
	for (const char *const *frame = row->values[CALLROW_STACK].frames; *frame; frame++) {
		fputs(" > ", out);
		fputs(*frame, out);
		putc('\n', out);
	}
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	struct call_lines *lines = view->arg;
	const struct value *v = row->values;
	char buf[32], *end = buf + sizeof(buf), *at;
	const char *mark;

	if (!strcmp(v[CALLROW_KIND].text, CALLROW_LOST)) {
		fprintf(out, "LOST %llu events\n", (unsigned long long)v[CALLROW_RET].num);
		return;
	}
	if (lines->has_pid) {
		at = text_decimal(end, v[CALLROW_TID].num);
		fputs("[pid ", out);
		text_right(out, at, end, 5);
		if (lines->has_comm && v[CALLROW_COMM].text) {
			putc('<', out);
			text_print(out, v[CALLROW_COMM].text);
			putc('>', out);
		}
		fputs("] ", out);
	}
	if (lines->time)
		print_time(out, lines, v[CALLROW_TIME].num);
	if (is_numbered(lines))
		fprintf(out, "[%4d] ", lines->number);
	if (v[CALLROW_RESULT].text) {
		print_call(out, row, lines);
		print_stack(out, row);
		return;
	}
	if (!strcmp(v[CALLROW_KIND].text, CALLROW_EVENT)) {
		fputs(v[CALLROW_NAME].text, out);
		putc('(', out);
		fputs(v[CALLROW_ARGS].text, out);
		fputs(")\n", out);
		return;
	}
	if (!strcmp(v[CALLROW_KIND].text, CALLROW_FAULT)) {
		fprintf(out, "%s ", v[CALLROW_NAME].text);
		fputs(v[CALLROW_ARGS].text, out);
		putc('\n', out);
		return;
	}
	if (!strcmp(v[CALLROW_KIND].text, CALLROW_WAITS)) {
		print_coloured(out, v[CALLROW_NAME].text, BOLD, lines);
		putc('(', out);
		fputs(v[CALLROW_ARGS].text, out);
		fputs(" <unfinished ...>\n", out);
		return;
	}
	mark = strcmp(v[CALLROW_KIND].text, "signal") ? "+++" : "---";
	fprintf(out, "%s%s ", lines->has_colours ? YELLOW : "", mark);
	fputs(v[CALLROW_ARGS].text, out);
	fprintf(out, " %s%s\n", mark, lines->has_colours ? PLAIN : "");
}

const struct rows_format call_text = { NULL, print_head, print_row };
