/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What keys do, and to which lines. */
#include "cmd/browser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/browser_parts.h"
#include "util/log.h"
#include "util/text.h"

bool browser_has_terminal(void)
{
	static bool said;

	if (!screen_is_there())
		return false;
	if (screen_is_known())
		return true;
	if (!said)
		log_note("note: terminal '%s' is not known here: there are tables instead of the screen", getenv("TERM"));
	said = true;
	return false;
}

int browser_open(const struct browser_key *keys, void *arg, struct browser **ret_browser, struct err *err)
{
	struct browser *b = calloc(1, sizeof(*b));
	int ret;

	*ret_browser = NULL;
	if (!b)
		return -ENOMEM;
	b->keys = keys;
	b->arg = arg;
	ret = screen_open(err);
	if (ret) {
		free(b);
		return ret;
	}
	*ret_browser = b;
	return 0;
}

/* The keys by which the stacks of a row are found in the tree. */
#define STACK_KEYS (KEY_BIT(KEY_COMM) | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | KEY_BIT(KEY_DSO) | KEY_BIT(KEY_SYM) | KEY_BIT(KEY_EVENT))

static void forget_opened(struct browser *b)
{
	for (size_t i = 0; i < b->opened.n; i++)
		browser_forget(&b->opened.data[i]);
	b->opened.n = 0;
}

bool browser_is_at_table(const struct browser *b)
{
	return b->view == VIEW_TABLE && !b->opened.n && !b->asks;
}

void browser_renew(struct browser *b)
{
	forget_opened(b);
	browser_forget(&b->calls);
	b->lines.n = 0; /* of rows that may be gone */
	b->is_renewed = true;
}

void browser_reset(struct browser *b)
{
	browser_renew(b);
	b->is_renewed = false;
	b->view = VIEW_TABLE;
	b->cursors[VIEW_TABLE] = (struct cursor){ 0 };
}

void browser_close(struct browser *b)
{
	if (!b)
		return;
	screen_close();
	forget_opened(b);
	vec_free(&b->opened);
	browser_forget(&b->calls);
	vec_free(&b->lines);
	vec_free(&b->text_lines);
	free(b->text);
	free(b);
}

const struct table_line *browser_line(const struct browser *b)
{
	size_t at = b->cursors[VIEW_TABLE].at;

	return at < b->lines.n ? &b->lines.data[at] : NULL;
}

const struct report_row *browser_row(const struct browser *b)
{
	const struct table_line *l = browser_line(b);

	if (b->view == VIEW_CALLS)
		return &b->calls.row;
	return l && b->page.table ? &b->page.table->rows.data[l->row] : NULL;
}

void browser_say(struct browser *b, const char *form, ...)
{
	char text[sizeof(b->message)];
	va_list args;

	va_start(args, form);
	vsnprintf(text, sizeof(text), form, args);
	va_end(args);
	text[strcspn(text, "\n")] = '\0'; /* a caret below it */
	text_escape(b->message, sizeof(b->message), text);
}

void browser_ask(struct browser *b, const char *label, const char *text, int (*done)(void *arg, const char *text))
{
	prompt_set(&b->prompt, text);
	b->asks = label;
	b->done = done;
	b->is_filtering = false;
}

int browser_text(struct browser *b, const char *title, char *text)
{
	free(b->text);
	b->text = text;
	b->text_lines.n = 0;
	snprintf(b->text_title, sizeof(b->text_title), "%s", title);
	for (char *at = text; at && *at;) {
		char *end = strchr(at, '\n');

		if (vec_reserve(&b->text_lines))
			return -ENOMEM;
		b->text_lines.data[b->text_lines.n++] = at;
		if (end)
			*end++ = '\0';
		at = end;
	}
	b->view = VIEW_TEXT;
	b->cursors[VIEW_TEXT] = (struct cursor){ 0 };
	return 0;
}

static void keys_of(const struct browser *b, const struct table_line *l, char keys[BROWSER_KEYS_BYTES])
{
	(b->page.rows ? browser_row_keys : browser_sample_keys)(b, l, keys);
}

static void note_chosen(struct browser *b)
{
	const struct table_line *l = browser_line(b);

	if (!l)
		return;
	if (!b->page.rows)
		b->chosen = b->page.table->rows.data[l->row];
	keys_of(b, l, b->chosen_keys);
}

static bool is_chosen(const struct browser *b, const struct table_line *l)
{
	char keys[BROWSER_KEYS_BYTES];

	if (!b->page.rows && l->opened >= 0)
		return false;
	if (!b->page.rows && !b->is_renewed) /* else it is another row, with the same texts */
		return browser_same_row(&b->page.table->rows.data[l->row], &b->chosen);
	keys_of(b, l, keys);
	return !strcmp(keys, b->chosen_keys);
}

/* The chosen row stays chosen wherever it has gone; at the first line the first one is. */
static int new_lines(struct browser *b)
{
	struct cursor *c = &b->cursors[VIEW_TABLE];
	int ret = browser_lines(b);

	for (size_t i = 0; c->at && i < b->lines.n; i++)
		if (is_chosen(b, &b->lines.data[i])) {
			cursor_go(c, i);
			break;
		}
	b->is_renewed = false;
	note_chosen(b);
	return ret;
}

int browser_show(struct browser *b, const struct browser_page *page)
{
	int ret = 0;

	b->page = *page;
	b->has_page = true;
	if (b->page.tree && (b->opened.n || b->view == VIEW_CALLS))
		tree_end(b->page.tree, 0);
	for (size_t i = 0; i < b->opened.n && !ret; i++)
		ret = browser_focus(b, &b->opened.data[i], true);
	if (!ret && b->view == VIEW_CALLS)
		ret = browser_focus(b, &b->calls, false);
	if (!ret)
		ret = new_lines(b);
	browser_draw(b);
	return ret;
}

static bool refuses_without_stacks(struct browser *b)
{
	enum report_column other = b->page.rows ? KEY_MAX : report_layout_other(&b->page.table->layout, STACK_KEYS);

	if (b->page.rows)
		browser_say(b, "the rows of this view have no stacks");
	else if (other != KEY_MAX)
		browser_say(b, "rows by %s have no stacks", report_columns[other].name);
	return b->page.rows || other != KEY_MAX;
}

static int open_calls(struct browser *b)
{
	const struct report_row *row = browser_row(b);

	if (refuses_without_stacks(b) || !row)
		return 0;
	if (!b->page.tree) {
		browser_say(b, BROWSER_NO_STACKS);
		return 0;
	}
	browser_forget(&b->calls);
	b->calls.row = *row;
	b->view = VIEW_CALLS;
	b->cursors[VIEW_CALLS] = (struct cursor){ 0 };
	tree_end(b->page.tree, 0);
	return browser_focus(b, &b->calls, false);
}

static int close_opened(struct browser *b, size_t i)
{
	browser_forget(&b->opened.data[i]);
	memmove(&b->opened.data[i], &b->opened.data[i + 1], (--b->opened.n - i) * sizeof(*b->opened.data));
	return 0;
}

/* Callers below a row, or below one of them. */
static int turn(struct browser *b, bool open)
{
	const struct table_line *l = browser_line(b);
	struct opened *o = NULL;

	if (refuses_without_stacks(b) || !l)
		return 0;
	for (size_t i = 0; i < b->opened.n; i++)
		if (browser_same_row(&b->opened.data[i].row, &b->page.table->rows.data[l->row]))
			o = &b->opened.data[i];
	if (o && l->opened >= 0) {
		const struct call_line *c = &o->calls.lines.data[l->call];

		return call_lines_turn(&o->calls, c->path, open) ? -ENOMEM : call_lines_make(&o->calls, &o->focus, true);
	}
	if (o && !open)
		return close_opened(b, (size_t)(o - b->opened.data));
	if (o || !open)
		return 0;
	if (!b->page.tree) {
		browser_say(b, BROWSER_NO_STACKS);
		return 0;
	}
	if (vec_reserve(&b->opened))
		return -ENOMEM;
	o = &b->opened.data[b->opened.n++];
	*o = (struct opened){ .row = b->page.table->rows.data[l->row] };
	tree_end(b->page.tree, 0);
	return browser_focus(b, o, true);
}

/* The same of a line of the calls. */
static int turn_call(struct browser *b, int open)
{
	size_t at = b->cursors[VIEW_CALLS].at;
	const struct call_line *c;

	if (at >= b->calls.calls.lines.n)
		return 0;
	c = &b->calls.calls.lines.data[at];
	if (!c->has_more)
		return 0;
	return call_lines_turn(&b->calls.calls, c->path, open < 0 ? !c->is_open : open) ? -ENOMEM : call_lines_make(&b->calls.calls, &b->calls.focus, false);
}

static int show_help(struct browser *b)
{
	char *text = browser_help(b);

	return text ? browser_text(b, "keys", text) : -ENOMEM;
}

static int table_key(struct browser *b, uint32_t key)
{
	switch (key) {
	case SCREEN_ENTER:
	case SCREEN_RIGHT:
	case SCREEN_DOUBLE_CLICK: return open_calls(b);
	case '+': return turn(b, true);
	case '-': return turn(b, false);
	case '/':
		browser_ask(b, "filter: ", b->filter, NULL);
		b->is_filtering = true;
		return 0;
	case SCREEN_ESCAPE: b->filter[0] = '\0'; return 0;
	case 'q': return -ECANCELED;
	default: return 0;
	}
}

static int view_key(struct browser *b, uint32_t key)
{
	bool is_calls = b->view == VIEW_CALLS;

	switch (key) {
	case 'q':
	case SCREEN_ESCAPE:
	case SCREEN_LEFT:
	case SCREEN_BACKSPACE: b->view = VIEW_TABLE; return 0;
	case SCREEN_ENTER:
	case SCREEN_DOUBLE_CLICK: return is_calls ? turn_call(b, -1) : 0;
	case '+': return is_calls ? turn_call(b, true) : 0;
	case '-': return is_calls ? turn_call(b, false) : 0;
	default: return 0;
	}
}

/* The filter is taken as it is typed. */
static int prompt(struct browser *b, uint32_t key)
{
	enum prompt_state state = prompt_key(&b->prompt, key);
	int (*done)(void *arg, const char *text) = b->done;

	if (b->is_filtering)
		snprintf(b->filter, sizeof(b->filter), "%s", state == PROMPT_LEFT ? "" : b->prompt.text);
	if (state == PROMPT_GOES_ON)
		return 0;
	b->asks = NULL;
	return state == PROMPT_DONE && !b->is_filtering && done ? done(b->arg, b->prompt.text) : 0;
}

static void click(struct browser *b, const struct screen_input *in)
{
	struct cursor *c = &b->cursors[b->view];
	int line = in->row - BROWSER_HEAD_ROWS; /* below the head and the titles */

	if (line >= 0 && (size_t)line < c->page)
		cursor_go(c, c->top + (size_t)line);
}

static int take(struct browser *b, const struct screen_input *in)
{
	if (in->key != SCREEN_RESIZED) { /* a new size of the terminal changes neither the message nor the prompt */
		b->message[0] = '\0';
		if (b->asks)
			return prompt(b, in->key);
	}
	if (in->key == SCREEN_CLICK || in->key == SCREEN_DOUBLE_CLICK)
		click(b, in);
	if (cursor_key(&b->cursors[b->view], in->key) || !b->has_page)
		return in->key == 'q' ? -ECANCELED : 0;
	if (in->key == 'h' || in->key == '?')
		return show_help(b);
	for (const struct browser_key *k = b->keys; k->key; k++)
		if (k->key == in->key)
			return k->run(b->arg);
	return b->view == VIEW_TABLE ? table_key(b, in->key) : view_key(b, in->key);
}

int browser_input(struct browser *b)
{
	struct screen_input in = screen_input();
	int ret;

	if (in.key == SCREEN_NONE)
		return 0;
	ret = b->has_page ? browser_lines(b) : 0; /* what was held since its page was shown may have fewer rows now */
	while (!ret && in.key != SCREEN_NONE) {
		if (in.key == SCREEN_GONE)
			return -ECANCELED;
		ret = take(b, &in);
		if (!ret && b->has_page)
			ret = browser_lines(b);
		note_chosen(b);
		if (!ret) /* else what was typed is for what comes next */
			in = screen_input();
	}
	browser_draw(b);
	return ret;
}
