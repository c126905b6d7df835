/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_columns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "event/syscalls.h"

#define NOTHING CALLSUM_COLUMNS /* of -S only */

static const struct {
	const char *word;
	uint8_t column;
} words[] = {
	{ "time-percent", CALLSUM_PERCENT }, { "time", CALLSUM_PERCENT },
	{ "total-time", CALLSUM_TOTAL }, { "time-total", CALLSUM_TOTAL },
	{ "min-time", CALLSUM_MIN }, { "time-min", CALLSUM_MIN }, { "shortest", CALLSUM_MIN },
	{ "max-time", CALLSUM_MAX }, { "time-max", CALLSUM_MAX }, { "longest", CALLSUM_MAX },
	{ "avg-time", CALLSUM_MEAN }, { "time-avg", CALLSUM_MEAN }, { "mean", CALLSUM_MEAN },
	{ "calls", CALLSUM_CALLS }, { "count", CALLSUM_CALLS },
	{ "errors", CALLSUM_ERRORS }, { "error", CALLSUM_ERRORS },
	{ "name", CALLSUM_NAME }, { "syscall", CALLSUM_NAME }, { "syscall-name", CALLSUM_NAME },
	{ "p50-time", CALLSUM_P50 }, { "p99-time", CALLSUM_P99 },
	{ "nothing", NOTHING }, { "none", NOTHING },
};

static int find(const char *word, size_t len, const char *option, uint8_t *ret_column, struct err *err)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].word) != len || memcmp(words[i].word, word, len))
			continue;
		*ret_column = words[i].column;
		return 0;
	}
	return err_exit(err, -EINVAL, EXIT_USAGE,
			"bad %s '%.*s': time-percent, total-time, min-time, max-time, avg-time, p50-time, p99-time, calls, errors, name%s", option, (int)len, word,
			strcmp(option, "-S") ? "" : " or nothing");
}

int trace_columns(const char *text, struct callsum_view *ret_view, struct err *err)
{
	struct callsum_view view = { .nr = 0 };
	bool has[CALLSUM_COLUMNS] = { false };

	for (;; text++) {
		size_t len = strcspn(text, ",");
		uint8_t column;
		int ret = find(text, len, "-U", &column, err);

		if (ret)
			return ret;
		if (column == NOTHING || has[column])
			return err_exit(err, -EINVAL, EXIT_USAGE, column == NOTHING ? "bad -U '%.*s': it is no column" : "bad -U: '%.*s' given twice",
					(int)len, text);
		has[column] = true;
		view.columns[view.nr++] = column;
		text += len;
		if (!*text)
			break;
	}
	if (!has[CALLSUM_NAME])
		view.columns[view.nr++] = CALLSUM_NAME;
	*ret_view = view;
	return 0;
}

int trace_sort(const char *text, struct trace_sort *ret_sort, struct err *err)
{
	uint8_t column;
	int ret = find(text, strlen(text), "-S", &column, err);

	if (!ret)
		*ret_sort = (struct trace_sort){ column == NOTHING ? TRACE_BY_NUMBER : TRACE_BY_COLUMN, column == NOTHING ? CALLSUM_NAME : column };
	return ret;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct trace_sort *sort = arg;
	const struct callsum *x = a, *y = b;
	double first, second;

	if (sort->order == TRACE_BY_NUMBER) { /* those of other tables are after all */
		first = -(double)syscall_number(x->name);
		second = -(double)syscall_number(y->name);
	} else {
		first = sort->column == CALLSUM_NAME ? 0 : callsum_number(x, sort->column);
		second = sort->column == CALLSUM_NAME ? 0 : callsum_number(y, sort->column);
	}
	return first != second ? (first < second) - (first > second) : strcmp(x->name, y->name);
}

void trace_sort_sums(struct callsum *sums, size_t n, const struct trace_sort *sort)
{
	qsort_r(sums, n, sizeof(*sums), compare, (void *)sort);
}
