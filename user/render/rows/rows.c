/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the formats of rows share: which columns are shown, and the one formatter of values. */
#include "render/rows/rows.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>

#define FORMAT(name, format) extern const struct rows_format format;
#include "render/rows/formats.def"
#undef FORMAT

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

int rows_render(FILE *out, const struct rows_format *format, const struct table *t, const struct rows_view *view)
{
	size_t n = view->top && view->top < t->sorted.n ? view->top : t->sorted.n;

	format->head(out, t->schema, view);
	for (size_t i = 0; i < n; i++)
		format->row(out, &t->sorted.data[i], view);
	if (format->more && n < t->sorted.n)
		format->more(out, t->sorted.n - n);
	return ferror(out) ? -EIO : 0;
}

bool rows_shows(const struct schema *schema, size_t i, const struct rows_view *view, unsigned in, bool is_key)
{
	const struct column *c = &schema->columns[i];

	if (!(c->in & in) || view->hide >> i & 1 || is_key != (c->role == ROLE_KEY))
		return false;
	return !is_key || view->keys >> i & 1;
}

void rows_duration(char *buf, size_t size, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int u = 0;

	while (ns >= 999.5 && u < 3) {
		ns /= 1000;
		u++;
	}
	snprintf(buf, size, "%.*f%s", !u || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2, ns, units[u]);
}

/* "950", "1.23M" */
static void put_rate(char *buf, size_t size, double rate)
{
	static const char units[] = " KMGT";
	int u = 0;

	while (rate >= 999.5 && u < 4) {
		rate /= 1000;
		u++;
	}
	snprintf(buf, size, "%.*f%.*s", !u || rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2, rate, u ? 1 : 0, &units[u]);
}

/* A name, or the number where there is none. */
static void put_name(char *buf, size_t size, const char *name, uint64_t num)
{
	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%llu", (unsigned long long)num);
}

/* Exact, where it is no mean or rate. */
static void put_whole(char *buf, size_t size, double number, uint64_t num, bool is_made)
{
	if (is_made)
		snprintf(buf, size, "%.0f", number);
	else
		snprintf(buf, size, "%llu", (unsigned long long)num);
}

static const char *user_name(uint32_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw ? pw->pw_name : NULL;
}

void rows_cell(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, bool exact)
{
	const struct column *c = &row->schema->columns[i];
	double number;
	uint64_t num;
	bool is_made;

	snprintf(buf, size, "%s", exact ? "" : "-");
	if (!row_knows(row, i))
		return;
	if (c->kind == VALUE_TEXT) {
		snprintf(buf, size, "%s", row->values[i].text);
		return;
	}
	is_made = c->role >= ROLE_MEAN;
	num = row->values[i].num;
	number = row_number(row, i, view->round_ns / 1e9);
	switch (c->kind) {
	case VALUE_USER:
		put_name(buf, size, user_name((uint32_t)num), num);
		break;
	case VALUE_CGROUP:
		put_name(buf, size, view->cgroup_path ? view->cgroup_path(NULL, num) : NULL, num);
		break;
	case VALUE_ERRNO:
		if (num)
			put_name(buf, size, strerrorname_np((int)num), num);
		break;
	case VALUE_DURATION:
		if (exact)
			put_whole(buf, size, number, num, is_made);
		else
			rows_duration(buf, size, number);
		break;
	case VALUE_MOMENT:
		if (exact)
			put_whole(buf, size, number, num, is_made);
		else if (num || c->role == ROLE_TIME)
			snprintf(buf, size, "%.*fs", c->decimals, number / 1e9);
		break;
	case VALUE_REAL:
		snprintf(buf, size, "%.1f", number);
		break;
	case VALUE_RATE:
		if (exact)
			snprintf(buf, size, "%.0f", number);
		else
			put_rate(buf, size, number);
		break;
	default:
		put_whole(buf, size, number, num, is_made);
	}
}

void rows_key(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, bool exact, const char **label)
{
	if (!*label || row_knows(row, i)) {
		rows_cell(buf, size, row, i, view, exact);
		return;
	}
	snprintf(buf, size, "%s", *label);
	*label = NULL;
}
