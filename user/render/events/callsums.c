/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/events/callsums.h"

#define NAME_WIDTH 16

static const struct {
	const char *heading;
	int width;
} columns[CALLSUM_COLUMNS] = {
	[CALLSUM_PERCENT] = { "% time", 6 },
	[CALLSUM_TOTAL] = { "seconds", 11 },
	[CALLSUM_MEAN] = { "usecs/call", 11 },
	[CALLSUM_CALLS] = { "calls", 9 },
	[CALLSUM_ERRORS] = { "errors", 9 },
	[CALLSUM_NAME] = { "syscall", -NAME_WIDTH }, /* to the left */
	[CALLSUM_MIN] = { "shortest", 8 },
	[CALLSUM_MAX] = { "longest", 8 },
	[CALLSUM_P50] = { "p50 usecs", 11 },
	[CALLSUM_P99] = { "p99 usecs", 11 },
};

static const struct callsum_view straces = { { CALLSUM_PERCENT, CALLSUM_TOTAL, CALLSUM_MEAN, CALLSUM_CALLS, CALLSUM_ERRORS, CALLSUM_NAME }, 6 };

double callsum_number(const struct callsum *s, enum callsum_column column)
{
	switch (column) {
	case CALLSUM_MEAN:
		return s->calls ? (double)s->total_ns / s->calls : 0;
	case CALLSUM_CALLS:
		return s->calls;
	case CALLSUM_ERRORS:
		return s->errors;
	case CALLSUM_MIN:
		return s->min_ns == UINT64_MAX ? 0 : s->min_ns;
	case CALLSUM_MAX:
		return s->max_ns;
	case CALLSUM_P50:
		return hist_quantile(s->slots, callsum_number(s, CALLSUM_MIN), s->max_ns, 0.5);
	case CALLSUM_P99:
		return hist_quantile(s->slots, callsum_number(s, CALLSUM_MIN), s->max_ns, 0.99);
	default:
		return s->total_ns;
	}
}

static void print_seconds(FILE *out, uint64_t ns, int width)
{
	fprintf(out, "%*llu.%06llu", width - 7, (unsigned long long)(ns / 1000000000), (unsigned long long)(ns % 1000000000 / 1000));
}

static void print_value(FILE *out, const struct callsum *s, enum callsum_column column, uint64_t all_ns)
{
	int width = columns[column].width;

	switch (column) {
	case CALLSUM_PERCENT:
		fprintf(out, "%*.2f", width, all_ns ? 100.0 * s->total_ns / all_ns : 0);
		break;
	case CALLSUM_TOTAL:
		print_seconds(out, s->total_ns, width);
		break;
	case CALLSUM_MIN:
		print_seconds(out, callsum_number(s, column), width);
		break;
	case CALLSUM_MAX:
		print_seconds(out, s->max_ns, width);
		break;
	case CALLSUM_MEAN:
		fprintf(out, "%*llu", width, (unsigned long long)(s->calls ? s->total_ns / s->calls / 1000 : 0));
		break;
	case CALLSUM_CALLS:
		fprintf(out, "%*llu", width, (unsigned long long)s->calls);
		break;
	case CALLSUM_P50:
	case CALLSUM_P99:
		fprintf(out, "%*.3f", width, callsum_number(s, column) / 1000);
		break;
	default:
		if (s->errors)
			fprintf(out, "%*llu", width, (unsigned long long)s->errors);
		else
			fprintf(out, "%*s", width, "");
	}
}

static void print_sum(FILE *out, const struct callsum *s, uint64_t all_ns, const struct callsum_view *view)
{
	for (size_t i = 0; i < view->nr; i++) {
		if (view->columns[i] == CALLSUM_NAME)
			fprintf(out, "%*s", i + 1 < view->nr ? columns[CALLSUM_NAME].width : 0, s->name);
		else
			print_value(out, s, view->columns[i], all_ns);
		putc(i + 1 < view->nr ? ' ' : '\n', out);
	}
}

static void print_rule(FILE *out, const struct callsum_view *view)
{
	for (size_t i = 0; i < view->nr; i++) {
		int width = columns[view->columns[i]].width;

		for (int k = 0; k < (width < 0 ? -width : width); k++)
			putc('-', out);
		putc(i + 1 < view->nr ? ' ' : '\n', out);
	}
}

void callsums_print(FILE *out, const struct callsum *sums, size_t n, const struct callsum_view *view)
{
	struct callsum all = { .name = "total", .min_ns = UINT64_MAX };

	if (!view->nr)
		view = &straces;
	for (size_t i = 0; i < n; i++) {
		all.calls += sums[i].calls;
		all.errors += sums[i].errors;
		all.total_ns += sums[i].total_ns;
		all.max_ns = sums[i].max_ns > all.max_ns ? sums[i].max_ns : all.max_ns;
		all.min_ns = sums[i].min_ns < all.min_ns ? sums[i].min_ns : all.min_ns;
		for (int k = 0; k < HIST_SLOTS; k++)
			all.slots[k] += sums[i].slots[k];
	}
	for (size_t i = 0; i < view->nr; i++) {
		int width = columns[view->columns[i]].width, is_last = i + 1 == view->nr;

		fprintf(out, "%*s%c", is_last && width < 0 ? 0 : width, columns[view->columns[i]].heading, is_last ? '\n' : ' ');
	}
	print_rule(out, view);
	for (size_t i = 0; i < n; i++)
		print_sum(out, &sums[i], all.total_ns, view);
	print_rule(out, view);
	print_sum(out, &all, all.total_ns, view);
}
