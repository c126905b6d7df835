/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of the table and of its calls, and how they are drawn. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/browser_parts.h"
#include "render/rows/cells.h"
#include "render/rows/reportlines.h"
#include "util/text.h"

#define HEAD_ROWS BROWSER_HEAD_ROWS
#define FOOT_ROWS 1
#define HOT 0.05 /* perf's colours: red from 5 % on, green from 0.5 % */
#define WARM 0.005
#define INDENT 2
#define FIT_ROWS 1000 /* columns are as wide as these need, at most */

size_t browser_room(void)
{
	int rows = screen_rows() - HEAD_ROWS - FOOT_ROWS;

	return rows > 0 ? (size_t)rows : 0;
}

bool browser_same_row(const struct report_row *a, const struct report_row *b)
{
	return a->hash == b->hash && a->comm == b->comm && a->dso == b->dso && a->sym == b->sym && a->kind == b->kind && a->pid == b->pid &&
	       a->tid == b->tid && a->cpu == b->cpu && a->event == b->event;
}

/* Which stacks a row is of. */
struct row_of {
	const struct report *t;
	const struct report_row *row;
	enum fold_root root;
};

/* The outermost frame is the name of a thread; where rows are by process or thread, its numbers follow (model/fold.c). */
static bool is_row_root(const void *arg, const char *name)
{
	const struct row_of *of = arg;
	const struct report_layout *l = &of->t->layout;
	char end[32];
	const char *comm = of->row->comm;
	size_t n = strlen(name), nr_end, nr_comm;

	if (of->root == ROOT_TID && l->with[KEY_TID])
		snprintf(end, sizeof(end), "/%d)", (int)of->row->tid);
	else if (of->root == ROOT_PID && l->with[KEY_PID])
		snprintf(end, sizeof(end), " (%d)", (int)of->row->pid);
	else
		return of->root != ROOT_COMM || !l->with[KEY_COMM] || (comm && !strcmp(name, comm));
	nr_end = strlen(end);
	nr_comm = comm ? strlen(comm) : 0;
	if (l->with[KEY_COMM] && (!comm || strncmp(name, comm, nr_comm) || strncmp(name + nr_comm, " (", 2)))
		return false;
	return n >= nr_end && !strcmp(name + n - nr_end, end);
}

static const char *object_of(const char *path)
{
	return path ? report_object(path) : "";
}

static bool is_row_node(const void *arg, const struct tree_node *node)
{
	const struct row_of *of = arg;
	const struct report_layout *l = &of->t->layout;

	return (!l->with[KEY_SYM] || node->name == of->row->sym) && (!l->with[KEY_DSO] || !strcmp(object_of(node->obj), object_of(of->row->dso)));
}

void browser_forget(struct opened *o)
{
	focus_free(&o->focus);
	call_lines_free(&o->calls);
	*o = (struct opened){ 0 };
}

int browser_focus(const struct browser *b, struct opened *o, bool callers_only)
{
	const struct report_layout *l = &b->page.table->layout;
	struct row_of of = { b->page.table, &o->row, b->page.root };
	struct focus_match match = { is_row_root, l->with[KEY_SYM] || l->with[KEY_DSO] ? is_row_node : NULL, &of };
	int ret;

	focus_free(&o->focus);
	ret = focus_make(b->page.tree, b->page.root != ROOT_NONE, &match, &o->focus);
	return ret ? ret : call_lines_make(&o->calls, &o->focus, callers_only);
}

/* Has one of its texts what is typed as the filter? */
static bool passes(const struct browser *b, const struct report_row *r)
{
	const struct report *t = b->page.table;
	char raw[CELL_BYTES], text[CELL_BYTES];

	if (!b->filter[0])
		return true;
	for (uint32_t i = 0; i < t->layout.nr_keys; i++) {
		cell_text(raw, sizeof(raw), t, r, t->layout.keys[i], b->page.cfg);
		text_escape(text, sizeof(text), raw); /* as it is shown */
		if (strcasestr(text, b->filter))
			return true;
	}
	return false;
}

void browser_sample_keys(const struct browser *b, const struct table_line *l, char buf[BROWSER_KEYS_BYTES])
{
	const struct report *t = b->page.table;
	char text[CELL_BYTES];
	size_t n = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i < t->layout.nr_keys; i++) {
		cell_text(text, sizeof(text), t, &t->rows.data[l->row], t->layout.keys[i], b->page.cfg);
		n = text_append(buf, BROWSER_KEYS_BYTES, n, "%s\t", text);
	}
}

int browser_add_line(struct browser *b, struct table_line line)
{
	if (vec_reserve(&b->lines))
		return -ENOMEM;
	b->lines.data[b->lines.n++] = line;
	return 0;
}

/* A row, and its callers where it is open. */
static int add_row(struct browser *b, uint32_t row)
{
	int ret = browser_add_line(b, (struct table_line){ .row = row, .opened = -1 });

	for (size_t i = 0; i < b->opened.n && !ret; i++) {
		const struct opened *o = &b->opened.data[i];

		if (!browser_same_row(&o->row, &b->page.table->rows.data[row]))
			continue;
		for (size_t k = 0; k < o->calls.lines.n && !ret; k++)
			ret = browser_add_line(b, (struct table_line){ row, (int32_t)i, (uint32_t)k });
	}
	return ret;
}

static int sample_lines(struct browser *b)
{
	const struct report *t = b->page.table;
	uint64_t shown = 0;
	int ret = 0;

	for (size_t i = 0; i < t->rows.n && !ret; i++) {
		if (!t->rows.data[i].self && (b->page.own_only || !t->rows.data[i].total))
			continue;
		b->nr_rows++;
		if (!passes(b, &t->rows.data[i]) || (b->page.max_rows && shown == b->page.max_rows))
			continue;
		shown++;
		ret = add_row(b, (uint32_t)i);
	}
	return ret;
}

int browser_lines(struct browser *b)
{
	size_t room = browser_room(), rest;
	int ret;

	b->lines.n = 0;
	b->nr_rows = 0;
	ret = b->page.rows ? browser_row_lines(b) : sample_lines(b);
	cursor_fit(&b->cursors[VIEW_TABLE], b->lines.n, room);
	cursor_fit(&b->cursors[VIEW_CALLS], b->calls.calls.lines.n, room);
	rest = b->text_lines.n > room ? b->text_lines.n - room : 0;
	cursor_fit(&b->cursors[VIEW_TEXT], rest + 1, 1); /* its line is the first that is seen */
	b->cursors[VIEW_TEXT].step = room;
	return ret;
}

FILE *rendered_begin(struct rendered *l)
{
	*l = (struct rendered){ 0 };
	l->out = open_memstream(&l->text, &l->n);
	return l->out;
}

char *rendered_end(struct rendered *l)
{
	if (fclose(l->out))
		return NULL;
	l->text[strcspn(l->text, "\n")] = '\0';
	return l->text;
}

static enum screen_style heat(double share)
{
	return share >= HOT ? SCREEN_HOT : share >= WARM ? SCREEN_WARM : SCREEN_PLAIN;
}

static double row_share(const struct browser *b, const struct report_row *r)
{
	const struct report *t = b->page.table;
	enum report_column c = t->layout.shown[0];
	uint64_t whole = c == SUM_NOW ? t->whole_now : report_whole(t, b->page.profile);

	if (b->page.share)
		return b->page.share(b->arg, r);
	return c < KEY_MAX || !whole ? 0 : (double)report_sum(r, c) / (double)whole;
}

/* The first `sums` columns in the style of its share, the rest plain; all of it as chosen. */
static void draw_row(const struct browser *b, int at, const struct report_row *r, const struct report_cfg *cfg, const struct report_lines *fit,
		     bool chosen)
{
	const struct report *t = b->page.table;
	int column = 0, sums = report_lines_sums(t, fit);
	char mark[512];
	struct rendered line;
	char *text;

	if (b->page.mark_width) {
		b->page.mark(b->arg, r, mark, sizeof(mark));
		column = screen_text(at, 0, chosen ? SCREEN_SELECTED : SCREEN_PLAIN, mark);
	}
	if (!rendered_begin(&line))
		return;
	report_lines_row(line.out, t, r, report_whole(t, b->page.profile), cfg, fit);
	text = rendered_end(&line);
	if (text) {
		size_t n = strlen(text);
		char first;

		if ((size_t)sums > n) /* there is room for nothing else */
			sums = (int)n;
		first = text[sums];
		text[sums] = '\0';
		column = screen_text(at, column, chosen ? SCREEN_SELECTED : heat(row_share(b, r)), text);
		text[sums] = first;
		column = screen_text(at, column, chosen ? SCREEN_SELECTED : SCREEN_PLAIN, text + sums);
	}
	if (chosen)
		screen_fill(at, column, SCREEN_SELECTED);
	free(line.text);
}

static void draw_call(int at, const struct call_line *c, uint64_t whole, int indent, bool chosen)
{
	char name[CELL_BYTES], share[32];
	double part = whole ? (double)c->node->total / (double)whole : 0;
	int column;

	if (chosen)
		screen_fill(at, 0, SCREEN_SELECTED);
	snprintf(share, sizeof(share), "%6.2f%% ", 100 * part);
	column = screen_text(at, indent, chosen ? SCREEN_SELECTED : heat(part), share);
	snprintf(name, sizeof(name), "%*s%c ", INDENT * c->depth, "", !c->has_more ? ' ' : c->is_open ? '-' : '+');
	column = screen_text(at, column, chosen ? SCREEN_SELECTED : SCREEN_PLAIN, name);
	text_escape(name, sizeof(name), c->node->name);
	screen_text(at, column, chosen ? SCREEN_SELECTED : SCREEN_PLAIN, name);
}

void browser_draw_none(const struct browser *b, const char *nothing)
{
	char none[PROMPT_BYTES * 4 + 128], shown[PROMPT_BYTES * 4];

	if (b->lines.n)
		return;
	text_escape(shown, sizeof(shown), b->filter);
	if (b->nr_rows)
		snprintf(none, sizeof(none), "  no row has '%s'; there are %u without the filter (Esc)", shown, b->nr_rows);
	else
		snprintf(none, sizeof(none), "  %s", nothing);
	screen_text(HEAD_ROWS, 0, SCREEN_PLAIN, none);
}

void browser_draw_beside_head(const struct browser *b, const char *text)
{
	int at = screen_width(b->page.head), last = screen_columns() - screen_width(text), least = screen_columns() / 3;

	if (at > last)
		at = last > least ? last : least;
	screen_text(0, at, SCREEN_BAR, text);
}

/* Behind the head: columns that there is no room for. */
static void draw_hidden(const struct browser *b, const struct report *t, const struct report_lines *fit)
{
	struct report_cfg one_line = { .columns = INT_MAX };
	struct rendered line;

	if (!rendered_begin(&line))
		return;
	report_lines_hidden(line.out, t, &one_line, fit);
	if (rendered_end(&line) && line.text[0])
		browser_draw_beside_head(b, line.text + 1); /* without its '#' */
	free(line.text);
}

/* The rows from the first to the last that is on the screen: columns are as wide as these need. */
static struct report seen_rows(const struct browser *b)
{
	const struct cursor *c = &b->cursors[VIEW_TABLE];
	struct report t = *b->page.table;
	size_t end = c->top + c->page < b->lines.n ? c->top + c->page : b->lines.n, first;

	if (c->top >= end) {
		t.rows.n = 0;
		return t;
	}
	first = b->lines.data[c->top].row;
	t.rows.data += first;
	t.rows.n = b->lines.data[end - 1].row + 1 - first;
	if (t.rows.n > FIT_ROWS) /* a filter leaves out what is between */
		t.rows.n = FIT_ROWS;
	return t;
}

static void draw_table(const struct browser *b)
{
	const struct cursor *c = &b->cursors[VIEW_TABLE];
	struct report t = seen_rows(b);
	struct report_cfg cfg = *b->page.cfg;
	struct report_lines fit;
	struct rendered line;
	int width = screen_columns() - b->page.mark_width;

	cfg.columns = width > 1 ? width : 1;
	report_lines_fit(&fit, &t, &cfg);
	if (rendered_begin(&line)) {
		if (b->page.mark_width)
			screen_text(1, 0, SCREEN_BOLD, b->page.mark_title);
		report_lines_title(line.out, &t, &cfg, &fit);
		if (rendered_end(&line)) {
			if (line.text[0] == '#')
				line.text[0] = ' ';
			screen_text(1, b->page.mark_width, SCREEN_BOLD, line.text);
		}
		free(line.text);
	}
	draw_hidden(b, &t, &fit);
	for (size_t i = 0; i < c->page && c->top + i < b->lines.n; i++) {
		const struct table_line *l = &b->lines.data[c->top + i];
		bool chosen = c->top + i == c->at;

		if (l->opened < 0)
			draw_row(b, HEAD_ROWS + (int)i, &b->page.table->rows.data[l->row], &cfg, &fit, chosen);
		else
			draw_call(HEAD_ROWS + (int)i, &b->opened.data[l->opened].calls.lines.data[l->call], b->opened.data[l->opened].focus.total,
				  b->page.mark_width + 2, chosen);
	}
	browser_draw_none(b, b->page.nothing ? b->page.nothing : "no samples");
}

/* The function; else all keys of the row. */
static void row_name(const struct browser *b, const struct report_row *r, char *buf, size_t size)
{
	const struct report_layout *l = &b->page.table->layout;
	char text[CELL_BYTES];
	size_t n = 0;

	if (l->with[KEY_SYM] && r->sym) {
		text_escape(buf, size, r->sym);
		return;
	}
	buf[0] = '\0';
	for (uint32_t i = 0; i < l->nr_keys; i++) {
		cell_text(text, sizeof(text), b->page.table, r, l->keys[i], b->page.cfg);
		n = text_append(buf, size, n, "%s%s", i ? " " : "", text + strspn(text, " "));
	}
}

static void draw_calls(const struct browser *b)
{
	const struct cursor *c = &b->cursors[VIEW_CALLS];
	const struct focus *f = &b->calls.focus;
	const struct report_layout *l = &b->page.table->layout;
	uint64_t whole = b->page.is_held ? b->page.tree->nodes.data[0].total : report_whole(b->page.table, b->page.profile);
	char shown[CELL_BYTES], text[CELL_BYTES + 128];
	size_t n;

	row_name(b, &b->calls.row, shown, sizeof(shown));
	n = text_append(text, sizeof(text), 0, "  %s: %.2f%% of all samples", shown, percent_of(f->total, whole));
	if (l->with[KEY_SYM] || l->with[KEY_DSO]) /* else all of it is */
		text_append(text, sizeof(text), n, ", %.2f%% in itself", percent_of(f->self, whole));
	screen_text(1, 0, SCREEN_BOLD, text);
	for (size_t i = 0; i < c->page && c->top + i < b->calls.calls.lines.n; i++) {
		const struct call_line *l = &b->calls.calls.lines.data[c->top + i];
		bool chosen = c->top + i == c->at;
		int at = HEAD_ROWS + (int)i, column;

		if (l->node) {
			draw_call(at, l, f->total, 2, chosen);
			continue;
		}
		if (l->kind == CALL_FUNCTION)
			snprintf(text, sizeof(text), "  100.00%%   %s", shown);
		else
			snprintf(text, sizeof(text), "%s", l->kind == CALL_CALLERS ? "called by" : "calls");
		column = screen_text(at, 0, chosen ? SCREEN_SELECTED : SCREEN_BOLD, text);
		if (chosen)
			screen_fill(at, column, SCREEN_SELECTED);
	}
}

static void draw_text(const struct browser *b)
{
	size_t top = b->cursors[VIEW_TEXT].at;

	screen_text(1, 0, SCREEN_BOLD, b->text_title);
	for (size_t i = 0; i < browser_room() && top + i < b->text_lines.n; i++)
		screen_text(HEAD_ROWS + (int)i, 0, SCREEN_PLAIN, b->text_lines.data[top + i]);
}

static const struct browser_key common[] = {
	{ SCREEN_ENTER, "Enter Calls", "who calls the function of the row, and what it calls; Esc leaves" },
	{ '/', "/ Filter", "only rows that contain what is typed; Esc ends it" },
	{ '+', "+- Open", "opens who calls the function of the row, or a caller; - closes it" },
	{ 'h', "h Help", "this page" },
	{ 'q', "q Quit", "leaves what is shown, then ends" },
	{ 0 },
};

static int draw_labels(const struct browser_key *keys, int at, int column)
{
	for (; keys->key; keys++)
		if (keys->label && column + 1 + screen_width(keys->label) <= screen_columns())
			column = screen_text(at, screen_text(at, column, SCREEN_PLAIN, " "), SCREEN_BOLD, keys->label);
	return column;
}

static void draw_foot(const struct browser *b)
{
	int at = screen_rows() - 1, column;
	char shown[PROMPT_BYTES * 4];

	screen_cursor(-1, 0);
	if (b->asks) {
		column = screen_text(at, 0, SCREEN_BOLD, b->asks);
		text_escape(shown, sizeof(shown), b->prompt.text);
		column = screen_text(at, column, SCREEN_PLAIN, shown);
		screen_cursor(at, column);
		return;
	}
	if (b->message[0]) {
		screen_text(at, 0, SCREEN_BOLD, b->message);
		return;
	}
	column = 0;
	if (b->filter[0]) {
		text_escape(shown, sizeof(shown), b->filter);
		column = screen_text(at, column, SCREEN_BAR, " filter: ");
		column = screen_text(at, screen_text(at, column, SCREEN_BAR, shown), SCREEN_BAR, " ");
	}
	draw_labels(b->keys, at, draw_labels(common, at, column));
}

void browser_draw(struct browser *b)
{
	screen_begin();
	if (b->has_page) {
		screen_fill(0, screen_text(0, 0, SCREEN_BAR, b->page.head), SCREEN_BAR);
		if (b->view == VIEW_TABLE && b->page.rows)
			browser_draw_rows(b);
		else if (b->view == VIEW_TABLE)
			draw_table(b);
		else if (b->view == VIEW_CALLS)
			draw_calls(b);
		else
			draw_text(b);
	}
	draw_foot(b);
	screen_show();
}

#define HELP_INDENT 13

static void help_line(FILE *out, const char *key, const char *help)
{
	fprintf(out, "  %-10s ", key);
	text_wrap(out, help, HELP_INDENT, (size_t)screen_columns(), HELP_INDENT);
	fputc('\n', out);
}

static void help_keys(FILE *out, const struct browser_key *keys)
{
	for (; keys->key; keys++) {
		char name[8] = { (char)keys->key };

		if (keys->help)
			help_line(out, keys->key == SCREEN_ENTER ? "Enter" : keys->key == SCREEN_TAB ? "Tab" : name, keys->help);
	}
}

char *browser_help(const struct browser *b)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	help_keys(out, common);
	help_keys(out, b->keys);
	help_line(out, "arrows", "PgUp, PgDn, Home, End, the mouse: choose a row; a double click is Enter");
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
