/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/events/callsums.h"

#define RULE "------ ----------- ----------- --------- --------- ----------------\n"

static void print_sum(FILE *out, const struct callsum *s, uint64_t all_ns)
{
	fprintf(out, "%6.2f %4llu.%06llu %11llu %9llu ", all_ns ? 100.0 * s->total_ns / all_ns : 0, (unsigned long long)(s->total_ns / 1000000000),
		(unsigned long long)(s->total_ns % 1000000000 / 1000), (unsigned long long)(s->calls ? s->total_ns / s->calls / 1000 : 0),
		(unsigned long long)s->calls);
	if (s->errors)
		fprintf(out, "%9llu %s\n", (unsigned long long)s->errors, s->name);
	else
		fprintf(out, "%9s %s\n", "", s->name);
}

void callsums_print(FILE *out, const struct callsum *sums, size_t n)
{
	struct callsum all = { .name = "total" };

	for (size_t i = 0; i < n; i++) {
		all.calls += sums[i].calls;
		all.errors += sums[i].errors;
		all.total_ns += sums[i].total_ns;
	}
	fputs("% time     seconds  usecs/call     calls    errors syscall\n" RULE, out);
	for (size_t i = 0; i < n; i++)
		print_sum(out, &sums[i], all.total_ns);
	fputs(RULE, out);
	print_sum(out, &all, all.total_ns);
}
