/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of perf annotate --stdio: a row for each instruction, with source lines between them. */
#include <string.h>

#include "render/annotate/annotate.h"
#include "util/text.h"

#define SHARE_WIDTH 8
#define PERIOD_WIDTH 12
#define RAW_WIDTH 23 /* eight bytes */
#define ADDR_MIN_WIDTH 7
#define SHARE_RED 5.0 /* perf's colours: from this share on ... */
#define SHARE_GREEN 0.5
#define NAME_BYTES 4352

static int width_of(const struct annotate_look *look)
{
	return look->periods ? PERIOD_WIDTH : SHARE_WIDTH;
}

static void text_begin(struct annotate_page *page, const struct profile *p)
{
	(void)page;
	(void)p;
}

static const char *colour_of(const struct annotate_look *look, double share)
{
	if (!look->colours || share < SHARE_GREEN)
		return "";
	return share >= SHARE_RED ? "\033[31m" : "\033[32m";
}

static void print_share(struct annotate_page *page, const struct annotate_view *v, uint64_t weight, uint64_t count)
{
	const struct annotate_look *look = page->look;
	double share = annotate_share(look, v, weight, count);
	const char *colour = colour_of(look, share);

	fputs(colour, page->out);
	if (look->periods)
		fprintf(page->out, "%*llu", width_of(look), (unsigned long long)weight);
	else if (look->counts)
		fprintf(page->out, "%*llu", width_of(look), (unsigned long long)count);
	else
		fprintf(page->out, "%*.2f", width_of(look), share);
	fputs(*colour ? "\033[m" : "", page->out);
}

/* The line of the event and the one below it. */
static void print_head(struct annotate_page *page, const struct annotate_view *v)
{
	const struct annotate_look *look = page->look;
	const char *title = look->periods ? "Period" : look->counts ? "Samples" : "Percent";
	char line[NAME_BYTES], shown[2 * NAME_BYTES];
	int n;

	n = snprintf(line, sizeof(line), "Source code & Disassembly of %s for %s (%llu samples, percent: %s)", annotate_path(look, v->obj),
		     v->event, (unsigned long long)v->count, annotate_share_kind(look));
	if (n >= (int)sizeof(line))
		n = sizeof(line) - 1;
	text_escape(shown, sizeof(shown), line);
	fprintf(page->out, " %-*s|\t%s\n", width_of(look), title, shown);
	for (int i = 0; i < n + width_of(look) + 3; i++)
		fputc('-', page->out);
	fputc('\n', page->out);
	if (v->source) {
		fprintf(page->out, "%*s : code from ", width_of(look), "");
		text_print(page->out, v->source);
		fputc('\n', page->out);
	}
	fprintf(page->out, "%*s : %016llx <", width_of(look), "", (unsigned long long)v->start);
	text_print(page->out, v->name);
	fputs(">:\n", page->out);
}

/* Lines by weight. */
static void print_lines(struct annotate_page *page, const struct annotate_view *v, bool with_text)
{
	const struct annotate_look *look = page->look;
	const struct annotate_code *code = v->code;
	size_t n = look->lines_max && look->lines_max < code->lines.n ? look->lines_max : code->lines.n;

	for (size_t i = 0; i < n; i++) {
		const struct annotate_line *l = &code->lines.data[i];
		char name[NAME_BYTES], text[ANNOTATE_SOURCE_BYTES];
		uint32_t at = annotate_code_find(code, l->addr);

		annotate_line_name(look, v, l, name, sizeof(name));
		print_share(page, v, l->weight, l->count);
		fputc(' ', page->out);
		text_print(page->out, name);
		*text = '\0';
		if (with_text && l->file && look->source)
			annotate_source_text(look, l->file, l->line, text, sizeof(text));
		if (with_text) {
			fputs("    ", page->out);
			text_print(page->out, *text ? text + strspn(text, " ") : code->text.data + code->insns.data[at].text);
		}
		fputc('\n', page->out);
	}
	if (n < code->lines.n)
		fprintf(page->out, "%*s ... %zu more lines\n", width_of(look), "", code->lines.n - n);
}

static void print_summary(struct annotate_page *page, const struct annotate_view *v)
{
	fputs(page->nr_funcs ? "\n" : "", page->out);
	text_print(page->out, v->name);
	fputs(" of ", page->out);
	text_print(page->out, annotate_path(page->look, v->obj));
	fputs(", ", page->out);
	text_print(page->out, v->event);
	fprintf(page->out, ": %llu samples, %.2f%% of all; hottest lines:\n", (unsigned long long)v->count,
		v->all_weight ? 100.0 * (double)v->weight / (double)v->all_weight : 0);
	print_lines(page, v, true);
}

static void print_source(struct annotate_page *page, const struct annotate_insn *i)
{
	const struct annotate_look *look = page->look;
	char text[ANNOTATE_SOURCE_BYTES] = "";

	if (look->source)
		annotate_source_text(look, i->file, i->line, text, sizeof(text));
	if (look->print_line || !*text) {
		fprintf(page->out, "%*s : ", width_of(look), "");
		text_print(page->out, annotate_path(look, i->file));
		fprintf(page->out, ":%u\n", i->line);
	}
	if (!*text)
		return;
	fprintf(page->out, "%*s : %-4u ", width_of(look), "", i->line);
	text_print(page->out, text);
	fputc('\n', page->out);
}

static void print_insn(struct annotate_page *page, const struct annotate_view *v, uint32_t at, int addr_width)
{
	const struct annotate_look *look = page->look;
	const struct annotate_insn *i = &v->code->insns.data[at];
	char arrows[ANNOTATE_LANES + 3], raw[ANNOTATE_RAW_BYTES];

	print_share(page, v, i->weight, i->count);
	fprintf(page->out, " : %*llx:   ", addr_width, (unsigned long long)i->addr);
	if (look->arrows && v->code->nr_lanes) {
		annotate_arrow_row(v->code, at, arrows);
		fputs(arrows, page->out);
	}
	if (look->raw) {
		annotate_raw_text(v, i, raw, sizeof(raw));
		fprintf(page->out, "%-*s ", RAW_WIDTH, raw);
	}
	text_print(page->out, v->code->text.data + i->text);
	fputc('\n', page->out);
}

static void print_listing(struct annotate_page *page, const struct annotate_view *v)
{
	const struct annotate_code *code = v->code;
	const struct annotate_insn *last = NULL;
	int addr_width = snprintf(NULL, 0, "%llx", (unsigned long long)(code->insns.n ? code->insns.data[code->insns.n - 1].addr : 0));

	if (addr_width < ADDR_MIN_WIDTH)
		addr_width = ADDR_MIN_WIDTH;
	print_head(page, v);
	for (uint32_t k = 0; k < code->insns.n; k++) {
		const struct annotate_insn *i = &code->insns.data[k];

		if ((page->look->source || page->look->print_line) && i->file && (!last || last->file != i->file || last->line != i->line))
			print_source(page, i);
		print_insn(page, v, k, addr_width);
		last = i->file ? i : last;
	}
	if (code->outside_count) {
		print_share(page, v, code->outside_weight, code->outside_count);
		fputs(" : on addresses that are no instruction of this code\n", page->out);
	}
}

static void text_func(struct annotate_page *page, const struct annotate_view *v)
{
	if (v->missing)
		return; /* standard error has it */
	if (page->look->summary) {
		print_summary(page, v);
		return;
	}
	if (page->look->print_line) {
		fputs("\nSorted summary for file ", page->out);
		text_print(page->out, v->obj);
		fputs("\n----------------------------------------------\n\n", page->out);
		print_lines(page, v, false);
	}
	print_listing(page, v);
}

static int text_end(struct annotate_page *page)
{
	(void)page;
	return 0;
}

const struct annotate_format annotate_text = { "text", text_begin, text_func, text_end };
