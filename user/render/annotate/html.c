/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One page that needs nothing else, without a program in it: a section for each function, which opens and closes, with heat by share. */
#include <string.h>

#include "render/annotate/annotate.h"
#include "render/xml.h"

#define OPEN_FUNCS 3	/* that are open at first */
#define HEAT_MIN 0.005	/* percent: below this no colour */
#define HEAT_FULL 40.0	/* percent: from here on all of it */
#define SUMMARY_LINES 10
#define LINE_BYTES 4352
#define RAW_WIDTH 24

static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
	"<meta name=\"generator\" content=\"skep\">\n<style>\n"
	":root{--paper:#fbfaf7;--ink:#211d15;--soft:#6a6457;--line:#e4dfd4;--bad:#a3260f;--heat:233 168 32}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#151411;--ink:#ece7db;--soft:#a69f90;--line:#35322b;--bad:#ff9a80;--heat:200 120 20}}\n"
	"body{margin:16px;background:var(--paper);color:var(--ink);font:14px/1.45 system-ui,sans-serif}\n"
	"h1{font-size:16px;margin:0 0 4px}p{margin:2px 0;color:var(--soft)}.bad{color:var(--bad)}\n"
	"summary{cursor:pointer;font-weight:600;padding:8px 0;overflow-wrap:anywhere}details{border-top:1px solid var(--line)}\n"
	"table{border-collapse:collapse;margin:0 0 12px;font:12px/1.5 ui-monospace,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace}\n"
	"td,th{padding:0 10px 0 0;white-space:pre;text-align:left;vertical-align:top}th{color:var(--soft);font-weight:400}\n"
	".n{text-align:right;font-variant-numeric:tabular-nums;padding-left:8px}.s td{color:var(--soft)}.a{color:var(--soft)}\n"
	"tr[style]{background:rgb(var(--heat)/var(--h))}\n"
	"</style>\n";

static void html_begin(struct annotate_page *page, const struct profile *p)
{
	const char *title = p->title ? p->title : "skep annotate";

	fputs(head, page->out);
	fputs("<title>", page->out);
	xml_put(page->out, title, XML_TEXT_MAX);
	fputs("</title>\n</head>\n<body>\n<h1>", page->out);
	xml_put(page->out, title, XML_TEXT_MAX);
	fprintf(page->out, "</h1>\n<p>%llu samples, percent: %s", (unsigned long long)p->kept, annotate_share_kind(page->look));
	fputs("</p>\n", page->out);
	for (uint32_t i = 0; i < p->nr_notes; i++) {
		fputs("<p>", page->out);
		xml_put(page->out, p->notes[i], XML_TEXT_MAX);
		fputs("</p>\n", page->out);
	}
	for (int i = 0; i < LOSS_MAX; i++)
		if (p->losses[i])
			fprintf(page->out, "<p class=\"bad\">%llu: %s</p>\n", (unsigned long long)p->losses[i], loss_text(i));
}

static void row_begin(struct annotate_page *page, double share, const char *class)
{
	double heat = share / HEAT_FULL;

	fputs("<tr", page->out);
	if (*class)
		fprintf(page->out, " class=\"%s\"", class);
	if (share > HEAT_MIN)
		fprintf(page->out, " style=\"--h:%.3f\"", heat > 1 ? 1 : heat);
	fputs("><td class=\"n\">", page->out);
	if (share > HEAT_MIN)
		fprintf(page->out, "%.2f", share);
	fputs("</td>", page->out);
}

static void cell(struct annotate_page *page, const char *class, const char *text)
{
	fprintf(page->out, "<td class=\"%s\">", class);
	xml_put(page->out, text, XML_TEXT_MAX);
	fputs("</td>", page->out);
}

static void put_lines(struct annotate_page *page, const struct annotate_view *v)
{
	const struct annotate_look *look = page->look;
	uint64_t max = look->lines_max ? look->lines_max : SUMMARY_LINES;

	fputs("<table>\n<tr><th class=\"n\">%</th><th class=\"n\">samples</th><th>hottest lines</th></tr>\n", page->out);
	for (size_t i = 0; i < v->code->lines.n && i < max; i++) {
		const struct annotate_line *l = &v->code->lines.data[i];
		char name[LINE_BYTES], text[ANNOTATE_SOURCE_BYTES] = "";

		annotate_line_name(look, v, l, name, sizeof(name));
		row_begin(page, annotate_share(look, v, l->weight, l->count), "");
		fprintf(page->out, "<td class=\"n\">%llu</td>", (unsigned long long)l->count);
		cell(page, "a", name);
		if (l->file && look->source)
			annotate_source_text(look, l->file, l->line, text, sizeof(text));
		cell(page, "t", text);
		fputs("</tr>\n", page->out);
	}
	fputs("</table>\n", page->out);
}

static void put_source(struct annotate_page *page, const struct annotate_insn *i)
{
	char text[ANNOTATE_SOURCE_BYTES] = "", place[LINE_BYTES];

	annotate_source_text(page->look, i->file, i->line, text, sizeof(text));
	snprintf(place, sizeof(place), "%s:%u", annotate_path(page->look, i->file), i->line);
	row_begin(page, 0, "s");
	fputs("<td></td>", page->out);
	cell(page, "a", place);
	cell(page, "t", text);
	fputs("</tr>\n", page->out);
}

static void put_insns(struct annotate_page *page, const struct annotate_view *v)
{
	const struct annotate_insn *last = NULL;
	char arrows[ANNOTATE_LANES + 3], text[LINE_BYTES], raw[ANNOTATE_RAW_BYTES];

	fputs("<table>\n<tr><th class=\"n\">%</th><th class=\"n\">samples</th><th>address</th><th>instruction</th></tr>\n", page->out);
	for (uint32_t k = 0; k < v->code->insns.n; k++) {
		const struct annotate_insn *i = &v->code->insns.data[k];

		if (page->look->source && i->file && (!last || last->file != i->file || last->line != i->line))
			put_source(page, i);
		last = i->file ? i : last;
		row_begin(page, annotate_share(page->look, v, i->weight, i->count), "");
		if (i->count)
			fprintf(page->out, "<td class=\"n\">%llu</td>", (unsigned long long)i->count);
		else
			fputs("<td></td>", page->out);
		fprintf(page->out, "<td class=\"a\">%llx</td>", (unsigned long long)i->addr);
		annotate_arrow_row(v->code, k, arrows);
		annotate_raw_text(v, i, raw, sizeof(raw));
		snprintf(text, sizeof(text), "%s%-*s%s", arrows, page->look->raw ? RAW_WIDTH : 0, page->look->raw ? raw : "",
			 v->code->text.data + i->text);
		cell(page, "t", text);
		fputs("</tr>\n", page->out);
	}
	fputs("</table>\n", page->out);
}

static void html_func(struct annotate_page *page, const struct annotate_view *v)
{
	fputs(page->nr_funcs < OPEN_FUNCS ? "<details open><summary>" : "<details><summary>", page->out);
	fprintf(page->out, "%.2f%% ", v->all_weight ? 100.0 * (double)v->weight / (double)v->all_weight : 0);
	xml_put(page->out, v->name, XML_TEXT_MAX);
	fputs("</summary>\n<p>", page->out);
	xml_put(page->out, v->obj, XML_TEXT_MAX);
	fprintf(page->out, ", %llu samples of ", (unsigned long long)v->count);
	xml_put(page->out, v->event, XML_TEXT_MAX);
	if (v->source) {
		fputs(", code from ", page->out);
		xml_put(page->out, v->source, XML_TEXT_MAX);
	}
	fputs("</p>\n", page->out);
	if (v->missing) {
		fputs("<p class=\"bad\">not shown: ", page->out);
		xml_put(page->out, v->missing, XML_TEXT_MAX);
		fputs("</p>\n", page->out);
	} else {
		put_lines(page, v);
		if (!page->look->summary)
			put_insns(page, v);
	}
	fputs("</details>\n", page->out);
}

static int html_end(struct annotate_page *page)
{
	fputs("</body>\n</html>\n", page->out);
	return 0;
}

const struct annotate_format annotate_html = { "html", html_begin, html_func, html_end };
