/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: a flame graph as one SVG file. As an <img> it is a complete picture with its ledger; opened by
 * itself it also zooms by click and searches. Geometry is in hundredths of a pixel, as integers, so
 * that the file is the same on every machine and in every locale.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "model/treepair.h"
#include "render/tree/flame.h"
#include "render/xml.h"
#include "util/text.h"

#define WIDTH 1200
#define MARGIN 12
#define INNER_CENTI ((WIDTH - 2 * MARGIN) * 100)
#define LEAST_CENTI 10 /* 0.1 px */
#define ROW 18
#define LINE 17
#define CHAR_CENTI 725 /* of a 12 px monospace font */
#define LINE_CHARS ((WIDTH - 2 * MARGIN) * 100 / CHAR_CENTI)
#define BUTTONS_WIDTH 118
#define MS_NS 1000000u

#ifndef FLAME_SVG_JS
#define FLAME_SVG_JS "user/render/tree/flame_svg.js"
#endif
__asm__(".pushsection .rodata\n"
	".global skep_flame_svg_js, skep_flame_svg_js_end\n"
	".hidden skep_flame_svg_js, skep_flame_svg_js_end\n"
	"skep_flame_svg_js: .incbin \"" FLAME_SVG_JS "\"\n"
	"skep_flame_svg_js_end: .byte 0\n"
	".popsection\n");
extern const char skep_flame_svg_js[], skep_flame_svg_js_end[];

static const char *const legend[] = {
	[FRAME_USER] = "user",	     [FRAME_KERNEL] = "kernel",	    [FRAME_JIT] = "JIT",
	[FRAME_INLINED] = "inlined", [FRAME_UNKNOWN] = "no symbol", [FRAME_MARK] = "marker",
};

#define NR_KINDS (sizeof(legend) / sizeof(*legend))

/* Of a change the colour is how many points of its share a frame has won or lost: from these on, in hundredths. */
static const uint64_t steps[] = { 10, 50, 200, 500 };
#define NR_STEPS (sizeof(steps) / sizeof(*steps))

static const char style[] =
	"text{font:12px ui-monospace,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace;fill:#211d15}"
	"#bg{fill:#fff}.t{font-weight:600}.s{fill:#6a6457}.bad{fill:#a3260f}"
	"#f text{pointer-events:none;fill:#17140d}#f rect{rx:2px}#f g{cursor:pointer}#f g:hover rect{stroke:#211d15}"
	"#f .up{opacity:.5}#f .hit rect{fill:#c2287a}#f .hit text{fill:#fff}#b text{cursor:pointer}#b text:hover{text-decoration:underline}#b rect{fill:#f3efe6;stroke:#e4dfd4}"
	".g0{fill:#f8d3c8}.g1{fill:#f2a48e}.g2{fill:#e3755a}.g3{fill:#cf4a2f}.l0{fill:#d2e0f5}.l1{fill:#a5c3ec}.l2{fill:#74a1de}.l3{fill:#4a7fca}.e{fill:#e4dfd4}"
	".k0{fill:#f8bd58}.k1{fill:#8bb8ef}.k2{fill:#79cead}.k3{fill:#cdaeef}.k4{fill:#c6c3be}.k5{fill:url(#h)}"
	"@media(prefers-color-scheme:dark){#bg{fill:#1d1b17}#b rect{fill:#2a2721;stroke:#35322b}text{fill:#ece7db}.s{fill:#a69f90}.bad{fill:#ff9a80}"
	".k0{fill:#d8a040}.k1{fill:#6699d6}.k2{fill:#55b08d}.k3{fill:#b48fd9}.k4{fill:#8c8882}#f g:hover rect{stroke:#ece7db}}";

static uint64_t centi_pct(uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((double)part / (double)all * 1e4 + .5) : 0;
}

static uint64_t centi_px(uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((double)part / (double)all * INNER_CENTI + .5) : 0;
}

#define CENTI(v) (v) / 100, (v) % 100
#define PRICENTI PRIu64 ".%02" PRIu64

__attribute__((format(printf, 4, 5))) static void line_put(FILE *out, uint32_t *y, const char *cls, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	*y += LINE;
	fprintf(out, "<text x=\"%d\" y=\"%u\" class=\"%s\">", MARGIN, *y, cls);
	xml_put(out, text, LINE_CHARS);
	fputs("</text>\n", out);
	free(text);
}

static void head_put(FILE *out, const struct profile *p, uint32_t *y)
{
	line_put(out, y, "t", "%s", p->title ? p->title : "flame graph");
	if (p->is_time)
		line_put(out, y, "s", "%s: %" PRIu64 ".%03" PRIu64 " s of threads in %" PRIu64 ".%03" PRIu64 " s", p->event ? p->event : "-",
			 p->weight / MS_NS / 1000, p->weight / MS_NS % 1000, p->duration_ns / MS_NS / 1000, p->duration_ns / MS_NS % 1000);
	else
		line_put(out, y, "s", "event %s, %" PRIu64 " samples, %" PRIu64 ".%03" PRIu64 " s", p->event ? p->event : "-",
			 p->kept, p->duration_ns / MS_NS / 1000, p->duration_ns / MS_NS % 1000);
	if (p->seen > p->kept)
		line_put(out, y, "bad", "lost %" PRIu64 " of %" PRIu64 " samples (%" PRICENTI " %%)", p->seen - p->kept,
			 p->seen, CENTI(centi_pct(p->seen - p->kept, p->seen)));
	for (int i = 0; i < LOSS_MAX; i++)
		if (p->losses[i])
			line_put(out, y, loss_is_whole(i) ? "bad" : "s", "%" PRIu64 " %s", p->losses[i], loss_text(i));
	for (uint32_t i = 0; i < p->nr_notes; i++)
		line_put(out, y, "s", "%s", p->notes[i]);
}

/* What was only before has no width. */
static void sides_put(FILE *out, const struct tree *tree, const struct flame_sides *sides, uint32_t *y)
{
	const struct tree_node *nodes = tree->nodes.data;
	uint64_t gone = 0;

	for (size_t i = 1; i < tree->nodes.n; i++)
		if (!nodes[i].total && nodes[nodes[i].parent].total)
			gone += sides->before[i].total;
	line_put(out, y, "s", "from %s to %s: widths are of the latter; %" PRICENTI " %% of the former were in stacks that are gone", sides->names[0], sides->names[1],
		 CENTI(centi_pct(gone, sides->before[0].total)));
}

/* How many lines head_put writes. */
static uint32_t head_lines(const struct profile *p)
{
	uint32_t n = 2 + (p->seen > p->kept) + p->nr_notes;

	for (int i = 0; i < LOSS_MAX; i++)
		n += !!p->losses[i];
	return n;
}

static void amount_put(FILE *out, const struct tree_node *node, bool is_time)
{
	if (is_time)
		fprintf(out, "%" PRIu64 ".%03" PRIu64 " ms", node->total / MS_NS, node->total % MS_NS / (MS_NS / 1000));
	else
		fprintf(out, "%" PRIu64 " samples", node->total_count);
}

struct walk {
	FILE *out; /* NULL: only measure */
	uint32_t top;
	bool icicle, is_time;
	uint32_t deepest;
	const struct flame_sides *sides;
};

/* By how many hundredths of a point the share of a frame has changed. */
static int64_t change_of(const struct walk *walk, const struct tree *tree, uint32_t i)
{
	const struct tree_before *before = walk->sides->before;

	return (int64_t)centi_pct(tree->nodes.data[i].total, tree->nodes.data[0].total) - (int64_t)centi_pct(before[i].total, before[0].total);
}

static void class_put(const struct walk *walk, const struct tree *tree, uint32_t i)
{
	int64_t change = walk->sides ? change_of(walk, tree, i) : 0;
	uint32_t kind = tree->nodes.data[i].kind;
	int step = -1;

	while (step + 1 < (int)NR_STEPS && (uint64_t)(change < 0 ? -change : change) >= steps[step + 1])
		step++;
	if (!walk->sides)
		fprintf(walk->out, "k%u", kind < NR_KINDS ? kind : FRAME_UNKNOWN);
	else if (step < 0)
		fputc('e', walk->out);
	else
		fprintf(walk->out, "%c%d", change > 0 ? 'g' : 'l', step);
}

static void change_put(const struct walk *walk, const struct tree *tree, uint32_t i)
{
	const struct tree_before *before = walk->sides->before;
	int64_t change = change_of(walk, tree, i);
	uint64_t size = (uint64_t)(change < 0 ? -change : change);

	fprintf(walk->out, "\nbefore %" PRICENTI " %%, self %" PRICENTI " %%: %s%" PRICENTI, CENTI(centi_pct(before[i].total, before[0].total)),
		CENTI(centi_pct(before[i].self, before[0].total)), change < 0 ? "-" : "+", CENTI(size));
}

static void frame_put(const struct walk *walk, const struct tree *tree, uint32_t i, uint64_t x, uint32_t y)
{
	FILE *out = walk->out;
	const struct tree_node *node = &tree->nodes.data[i];
	uint64_t all = tree->nodes.data[0].total, w = centi_px(node->total, all), gap = w > 300 ? 50 : 0;
	uint32_t chars = w > 600 ? (w - 600) / CHAR_CENTI : 0;
	const char *name = node->name ? node->name : "[unknown]";

	fputs("<g><title>", out);
	xml_put(out, name, XML_TEXT_MAX);
	fputc('\n', out);
	amount_put(out, node, walk->is_time);
	fprintf(out, ", %" PRICENTI " %%, self %" PRICENTI " %%", CENTI(centi_pct(node->total, all)),
		CENTI(centi_pct(node->self, all)));
	if (walk->sides)
		change_put(walk, tree, i);
	if (node->obj) {
		fputc('\n', out);
		xml_put(out, node->obj, XML_TEXT_MAX);
	}
	if (node->file) {
		fputc('\n', out);
		xml_put(out, node->file, XML_TEXT_MAX);
		fprintf(out, ":%u", node->line);
	}
	fputs("</title><rect class=\"", out);
	class_put(walk, tree, i);
	fprintf(out, "\" x=\"%" PRICENTI "\" y=\"%u\" width=\"%" PRICENTI "\" height=\"%d\"/>", CENTI(MARGIN * 100 + x), y, CENTI(w - gap), ROW - 1);
	if (chars > 2) {
		fprintf(out, "<text x=\"%" PRICENTI "\" y=\"%u\">", CENTI(MARGIN * 100 + x + 300), y + 13);
		xml_put(out, name, chars);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

/* Visits what is wide enough. ends[depth] is where the next child of the open node at depth starts. */
static int frames_walk(const struct tree *tree, struct walk *walk)
{
	uint64_t all = tree->nodes.data[0].total, *ends = calloc(tree_depth(tree) + 2, sizeof(*ends));
	uint32_t rows = walk->deepest + 1, depth = 0;

	if (!ends)
		return -ENOMEM;
	for (uint32_t i = 0; i != TREE_NONE;) {
		const struct tree_node *node = &tree->nodes.data[i];
		uint64_t start = ends[depth];

		ends[depth] += node->total;
		if (i && centi_px(node->total, all) < LEAST_CENTI) {
			/* as if it had no children: climb on from here */
			while (i && tree->nodes.data[i].next_sibling == TREE_NONE) {
				i = tree->nodes.data[i].parent;
				depth--;
			}
			i = i ? tree->nodes.data[i].next_sibling : TREE_NONE;
			continue;
		}
		if (walk->out)
			frame_put(walk, tree, i, centi_px(start, all), walk->top + ROW * (walk->icicle ? depth : rows - 1 - depth));
		else if (depth > walk->deepest)
			walk->deepest = depth;
		ends[depth + 1] = start;
		i = preorder_next(tree, i, &depth);
	}
	free(ends);
	return 0;
}

static uint32_t legend_entry(FILE *out, const char *cls, const char *text, uint32_t x, uint32_t y)
{
	fprintf(out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"11\" height=\"11\" rx=\"2\"/><text class=\"s\" x=\"%u\" y=\"%u\">%s</text>\n", cls, x, y - 10, x + 16,
		y, text);
	return x + 16 + (strlen(text) + 3) * CHAR_CENTI / 100;
}

static void change_legend_put(FILE *out, uint32_t y)
{
	static const char *const entries[][2] = { { "l3", "share fell by 5 points" }, { "l1", "by 0.5" }, { "e", "the same" }, { "g1", "grew by 0.5" }, { "g3", "by 5" } };
	uint32_t x = MARGIN;

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		x = legend_entry(out, entries[i][0], entries[i][1], x, y);
}

static void legend_put(FILE *out, uint32_t y)
{
	uint32_t x = MARGIN;

	for (size_t k = 0; k < NR_KINDS; k++) {
		char cls[] = { 'k', (char)('0' + k), '\0' };

		x = legend_entry(out, cls, legend[k], x, y);
	}
}

/* At the top, where a reader begins; the script keeps them in sight. */
static void buttons_put(FILE *out)
{
	const uint32_t y = MARGIN / 2 + LINE, left = WIDTH - MARGIN - BUTTONS_WIDTH;

	fprintf(out, "<g id=\"b\" visibility=\"hidden\"><rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" rx=\"3\"/>"
		"<text x=\"%u\" y=\"%u\">reset</text><text x=\"%u\" y=\"%u\">search</text></g>\n", left, y - 14, BUTTONS_WIDTH, LINE + 3,
		left + 10, y, left + 62, y);
}

int render_svg(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg)
{
	struct walk walk = { .icicle = cfg && cfg->icicle, .is_time = p->is_time, .sides = cfg ? cfg->sides : NULL };
	uint32_t y = MARGIN / 2, height;
	int ret = frames_walk(tree, &walk);

	if (ret)
		return ret;
	walk.top = MARGIN + (head_lines(p) + (walk.sides ? 1 : 0)) * LINE + LINE / 2;
	height = walk.top + (walk.deepest + 1) * ROW + 2 * LINE;
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\">\n"
		"<!-- SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause -->\n<title>", WIDTH, height, WIDTH, height);
	xml_put(out, p->title ? p->title : "flame graph", XML_TEXT_MAX);
	fprintf(out, "</title>\n<style>%s</style>\n"
		"<defs><pattern id=\"h\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		"<rect width=\"6\" height=\"6\" fill=\"#dcd9d2\"/><rect width=\"2\" height=\"6\" fill=\"#c0bcb3\"/></pattern></defs>\n"
		"<rect id=\"bg\" width=\"%d\" height=\"%u\"/>\n", style, WIDTH, height);
	head_put(out, p, &y);
	if (walk.sides)
		sides_put(out, tree, walk.sides, &y);
	fputs("<g id=\"f\">\n", out);
	walk.out = out;
	ret = frames_walk(tree, &walk);
	fputs("</g>\n", out);
	if (walk.sides)
		change_legend_put(out, height - LINE / 2);
	else
		legend_put(out, height - LINE / 2);
	buttons_put(out);
	fputs("<script><![CDATA[\n", out);
	fwrite(skep_flame_svg_js, 1, skep_flame_svg_js_end - skep_flame_svg_js, out);
	fputs("]]></script>\n</svg>\n", out);
	return ret ? ret : ferror(out) ? -EIO : 0;
}
