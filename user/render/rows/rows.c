/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the formats of rows share: which columns are shown, and the one formatter of values. */
#include "render/rows/rows.h"

#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <stdarg.h>
#include <string.h>

#include "util/text.h"

#define NUMBER_BYTES 32
#define COUNT_DECIMALS 2

const struct rows_format *rows_format(const char *name)
{
	static const struct rows_format *const all[] = {
#define FORMAT(name, format) &format,
#include "render/rows/formats.def"
#undef FORMAT
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

bool rows_is_remark(const struct column *c)
{
	return c->kind == VALUE_FLAG || c->kind == VALUE_REASONS || c->kind == VALUE_STACK || c->kind == VALUE_MEMBERS;
}

int rows_render(FILE *out, const struct rows_format *format, const struct table *t, const struct rows_view *view)
{
	size_t n = view->top && view->top < t->sorted.n ? view->top : t->sorted.n;

	if (format->table && !view->draws) {
		format->table(out, t, n, view);
	} else {
		format->head(out, t->schema, view);
		for (size_t i = 0; i < n; i++)
			format->row(out, &t->sorted.data[i], view);
	}
	if (format->more && n < t->sorted.n)
		format->more(out, t->sorted.n - n);
	return ferror(out) ? -EIO : 0;
}

/* Returns how many. */
static size_t choose(const struct schema *schema, const struct rows_view *view, const struct rows_format *format, uint8_t *ret_columns)
{
	size_t n = 0;

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < schema->n; i++) {
			const struct column *c = &schema->columns[i];
			bool is_key = c->role == ROLE_KEY;

			if (c->in & format->in && !(view->hide >> i & 1) && (!is_key || view->keys >> i & 1) && is_key == (k != format->keys_first))
				ret_columns[n++] = i;
		}
	return n;
}

void rows_choose(struct rows_view *view, const struct rows_format *format, const struct schema *schema, const uint8_t *fields, size_t nr_fields)
{
	view->chosen = schema;
	view->has_fields = nr_fields;
	view->nr_shown = nr_fields;
	if (nr_fields)
		memcpy(view->shown, fields, nr_fields);
	else
		view->nr_shown = choose(schema, view, format, view->shown);
}

const uint8_t *rows_shown(const struct schema *schema, const struct rows_view *view, const struct rows_format *format,
			  uint8_t own[ROW_COLUMNS_MAX], size_t *ret_n)
{
	bool is_own = schema != view->chosen && (!schema->like || schema->like != view->chosen);

	*ret_n = is_own ? choose(schema, view, format, own) : view->nr_shown;
	return is_own ? own : view->shown;
}

/* All put_*() return the length of what they put. snprintf() takes ten times as long as what does without: streams have many rows. */
static size_t put_form(char *buf, size_t size, const char *form, ...) __attribute__((format(printf, 3, 4)));
static size_t put_form(char *buf, size_t size, const char *form, ...)
{
	va_list args;
	size_t len;

	va_start(args, form);
	len = text_vappend(buf, size, 0, form, args);
	va_end(args);
	return len;
}

static size_t put_text(char *buf, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(buf, text, len);
	buf[len] = '\0';
	return len;
}

/* What stands from begin to end, in a buffer that has room for it. */
static size_t put_span(char *buf, const char *begin, const char *end)
{
	memcpy(buf, begin, end - begin);
	buf[end - begin] = '\0';
	return end - begin;
}

static size_t put_number(char *buf, uint64_t num)
{
	char digits[NUMBER_BYTES], *end = digits + sizeof(digits);

	return put_span(buf, text_decimal(end, num), end);
}

static size_t put_hex(char *buf, uint64_t num)
{
	char digits[NUMBER_BYTES], *end = digits + sizeof(digits), *p = end;

	do
		*--p = "0123456789abcdef"[num & 0xf];
	while (num >>= 4);
	*--p = 'x';
	*--p = '0';
	return put_span(buf, p, end);
}

static size_t put_seconds(char *buf, int64_t ns, int decimals)
{
	char digits[NUMBER_BYTES], *end = digits + sizeof(digits);

	return put_span(buf, text_seconds(end, ns, decimals), end);
}

size_t rows_duration(char *buf, size_t size, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int u = 0;

	while (ns >= 999.5 && u < 3) {
		ns /= 1000;
		u++;
	}
	return put_form(buf, size, "%.*f%s", !u || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2, ns, units[u]);
}

/* "950", "1.23M" */
static size_t put_rate(char *buf, size_t size, double rate)
{
	static const char units[] = " KMGT";
	int u = 0;

	while (rate >= 999.5 && u < 4) {
		rate /= 1000;
		u++;
	}
	return put_form(buf, size, "%.*f%.*s", !u || rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2, rate, u ? 1 : 0, &units[u]);
}

/* A name, or the number where there is none. */
static size_t put_name(char *buf, size_t size, const char *name, uint64_t num)
{
	return name ? put_text(buf, size, name) : put_number(buf, num);
}

static const char *user_name(uint32_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw ? pw->pw_name : NULL;
}

/* A mean, a quantile or a rate; and what has a decimal. */
static size_t put_made(char *buf, size_t size, const struct column *c, double number, bool exact)
{
	if (c->kind == VALUE_REAL)
		return put_form(buf, size, "%.1f", number);
	if (exact || (c->kind != VALUE_DURATION && c->kind != VALUE_RATE))
		return put_form(buf, size, "%.0f", number);
	return c->kind == VALUE_RATE ? put_rate(buf, size, number) : rows_duration(buf, size, number);
}

bool rows_name(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view)
{
	uint8_t kind = row->schema->columns[i].kind;

	return (kind == VALUE_ENUM || kind == VALUE_SYMBOL) && view->name && view->name(view, row, i, buf, size);
}

size_t rows_number(char *buf, size_t size, uint64_t num, enum value_kind kind)
{
	unsigned long long n = num;
	char digits[NUMBER_BYTES], *end = digits + sizeof(digits), *p;

	switch (kind) {
	case VALUE_SIGNED:
	case VALUE_ENUM:
		p = text_decimal(end, (int64_t)n < 0 ? -n : n);
		if ((int64_t)n < 0)
			*--p = '-';
		return put_span(buf, p, end);
	case VALUE_HEX:
	case VALUE_SYMBOL:
		return put_hex(buf, n);
	case VALUE_FLAG:
		return put_text(buf, size, n ? "true" : "false");
	case VALUE_CHAR:
		return n >= ' ' && n < 127 ? put_form(buf, size, "'%c'", (char)n) : put_form(buf, size, "'\\x%02llx'", n & 0xff);
	case VALUE_IPV4:
		return put_form(buf, size, "%llu.%llu.%llu.%llu", n & 0xff, n >> 8 & 0xff, n >> 16 & 0xff, n >> 24 & 0xff);
	case VALUE_DURATION:
		if (n < 1000)
			return put_form(buf, size, "%lluns", n);
		if (n < 1000000000)
			return n < 1000000 ? put_form(buf, size, "%.3fus", n / 1e3) : put_form(buf, size, "%.3fms", n / 1e6);
		return put_form(buf, size, "%.3fs", n / 1e9);
	case VALUE_DEVICE:
		return put_form(buf, size, "%llu:%llu", n >> 20 & 0xfff, n & 0xfffff);
	default:
		return put_number(buf, n);
	}
}

int rows_count_decimals(double count)
{
	return count == floor(count) ? 0 : COUNT_DECIMALS;
}

size_t rows_cell(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, bool exact)
{
	const struct column *c = &row->schema->columns[i];
	uint64_t num;

	if (!row_knows(row, i))
		return put_text(buf, size, exact ? "" : "-");
	if (c->kind == VALUE_TEXT)
		return put_text(buf, size, row->values[i].text);
	if (c->kind == VALUE_COUNT)
		return put_form(buf, size, "%.*f", rows_count_decimals(row->values[i].real), row->values[i].real);
	if (c->role >= ROLE_MEAN || c->kind == VALUE_REAL || c->kind == VALUE_RATE)
		return put_made(buf, size, c, row_number(row, i, view->round_ns / 1e9), exact);
	num = row->values[i].num;
	switch (c->kind) {
	case VALUE_USER:
		return put_name(buf, size, user_name((uint32_t)num), num);
	case VALUE_CGROUP:
		return put_name(buf, size, view->cgroup_path ? view->cgroup_path(NULL, num) : NULL, num);
	case VALUE_ERRNO:
		return num ? put_name(buf, size, strerrorname_np((int)num), num) : put_text(buf, size, exact ? "" : "-");
	case VALUE_SECONDS:
		return put_seconds(buf, (int64_t)num, c->decimals);
	case VALUE_FIXED:
	case VALUE_CHANGE:
		return put_form(buf, size, !exact && c->kind == VALUE_CHANGE ? "%+.*f" : "%.*f", exact ? VALUE_ONE_DECIMALS : c->decimals,
				(double)(int64_t)num / VALUE_ONE);
	case VALUE_DURATION:
		return exact ? put_number(buf, num) : rows_duration(buf, size, num);
	case VALUE_MOMENT:
		return exact ? put_number(buf, num) : put_form(buf, size, "%.*fs", c->decimals, num / 1e9);
	case VALUE_FLAG:
	case VALUE_CHAR:
		return put_number(buf, num);
	case VALUE_RECORD:
		view->record_text(view, row, i, buf, size);
		return strlen(buf);
	default:
		return rows_name(buf, size, row, i, view) ? strlen(buf) : rows_number(buf, size, num, c->kind);
	}
}

static bool knows_all_keys(const struct row *row, uint64_t keys)
{
	for (size_t i = 0; i < row->schema->n; i++)
		if (keys >> i & 1 && !row_knows(row, i))
			return false;
	return true;
}

size_t rows_key(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, bool exact, const char **label)
{
	const char *text = *label;
	size_t len;

	if (text && !row_knows(row, i)) {
		*label = NULL;
		return put_text(buf, size, text);
	}
	len = rows_cell(buf, size, row, i, view, exact);
	if (!text || !(view->keys >> i & 1) || !knows_all_keys(row, view->keys))
		return len;
	*label = NULL;
	return len + put_form(buf + len, size - len, " %s", text);
}
