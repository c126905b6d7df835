/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of -s and -F to columns, and call chains to perf's lines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/report.h"
#include "render/rows/chains.h"

static struct err err;

static void put(char *buf, size_t size, const enum report_column *list, uint32_t n)
{
	buf[0] = '\0';
	for (uint32_t i = 0; i < n; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", i ? "," : "", report_columns[list[i]].name);
}

static void row(struct report_request q, const char *keys, const char *shown, const char *order)
{
	struct report_layout l;
	char text[3][512];

	if (report_layout_parse(&l, &q, &err))
		fail_msg("%s", err.text);
	put(text[0], sizeof(text[0]), l.keys, l.nr_keys);
	put(text[1], sizeof(text[1]), l.shown, l.nr_shown);
	put(text[2], sizeof(text[2]), l.order, l.nr_order);
	assert_string_equal(text[0], keys);
	assert_string_equal(text[1], shown);
	assert_string_equal(text[2], order);
}

static void columns(void **state)
{
	struct report_request q = { .children = true };

	(void)state;
	row(q, "comm,dso,sym", "overhead_children,overhead,comm,dso,sym", "overhead_children,overhead,comm,dso,sym");
	q.children = false;
	q.counts = q.period = q.utilization = true;
	row(q, "comm,dso,sym", "overhead,overhead_sys,overhead_us,sample,period,comm,dso,sym", "overhead,comm,dso,sym");
	q = (struct report_request){ .sort = "symbol,sym,OBJ,com" };
	row(q, "sym,dso,comm", "overhead,sym,dso,comm", "overhead,sym,dso,comm");
	q.sort = "+cpu";
	row(q, "comm,dso,sym,cpu", "overhead,comm,dso,sym,cpu", "overhead,comm,dso,sym,cpu");
	q = (struct report_request){ .fields = "sym,overhead,period", .children = true };
	row(q, "sym", "sym,overhead,period", "sym,overhead,period");
	q.sort = "comm,sym";
	row(q, "comm,sym", "sym,overhead,period,comm", "comm,sym");
	q = (struct report_request){ .fields = "+sample,period" };
	row(q, "comm,dso,sym", "overhead,sample,period,comm,dso,sym", "overhead,comm,dso,sym");
	q = (struct report_request){ .sort = "comm,sym", .with_parent = true, .hidden = { [KEY_COMM] = true } };
	row(q, "comm,sym,parent", "overhead,sym,parent", "overhead,comm,sym,parent");
	q = (struct report_request){ .sort = "comm", .hidden = { [KEY_COMM] = true } };
	row(q, "comm", "overhead,comm", "overhead,comm"); /* nothing else would be left */
	q = (struct report_request){ .sort = "sample,comm" };
	row(q, "comm", "overhead,sample,comm", "overhead,sample,comm");
	q = (struct report_request){ .sort = "per,COMM" }; /* the begin of a word */
	row(q, "comm", "overhead,period,comm", "overhead,period,comm");
	q = (struct report_request){ .sort = "overhead_sys" }; /* which has "overhead" inside */
	row(q, "", "overhead,overhead_sys", "overhead_sys");
	q = (struct report_request){ .sort = "comm,overhead", .children = true };
	row(q, "comm", "overhead_children,overhead,comm", "overhead_children,comm,overhead");
	q = (struct report_request){ .sort = "comm", .latency = true };
	row(q, "comm", "overhead,latency,comm", "overhead,latency,comm");
	q.children = true;
	row(q, "comm", "overhead_children,latency_children,overhead,latency,comm", "overhead_children,latency_children,overhead,latency,comm");
	q.by_latency = true;
	row(q, "comm", "latency_children,overhead_children,latency,overhead,comm", "latency_children,overhead_children,latency,overhead,comm");
	q = (struct report_request){ .sort = "parallelism,latency", .latency = true, .children = true };
	row(q, "parallelism", "latency,parallelism", "parallelism,latency"); /* as perf: no other sums */
	q.by_latency = true;
	q.children = false;
	row(q, "parallelism", "latency,overhead,parallelism", "overhead,parallelism,latency");
	q = (struct report_request){ .fields = "overhead,sym", .latency = true, .by_latency = true };
	row(q, "sym", "overhead,sym", "overhead,sym");
	q = (struct report_request){ .sort = "+per" };
	row(q, "comm,dso,sym", "overhead,comm,dso,sym,period", "overhead,comm,dso,sym,period");
}

static void refused_columns(void **state)
{
	static const char *const words[] = { "", ",", "comm,", "comm,,sym", "x", "s", "comm sym x", "nosuch", "+", "+nosuch", "ipc_null", "+addr_from", "comm,trace_fields", NULL };
	struct report_layout l;

	(void)state;
	for (const char *const *w = words; *w; w++)
		for (int i = 0; i < 2; i++) {
			struct report_request q = { .sort = i ? NULL : *w, .fields = i ? *w : NULL };

			err = (struct err){ 0 };
			if (report_layout_parse(&l, &q, &err) != -EINVAL || err.exit != EXIT_USAGE || !strchr(err.text, '^'))
				fail_msg("'%s': %s", *w, err.text);
		}
	assert_int_equal(report_layout_parse(&l, &(struct report_request){ .sort = "ipc_null" }, &err), -EINVAL);
	assert_non_null(strstr(err.text, "sort key 'ipc_null' needs the code"));
}

static const char leaf[] = "leaf", left[] = "left", right[] = "right", top[] = "main", bad[] = "b\x1b[31m";

static void add(struct tree *t, uint64_t weight, const char *a, const char *b, const char *c)
{
	const struct frame frames[] = { { .name = a, .obj = "" }, { .name = b, .obj = "" }, { .name = c, .obj = "" } };

	assert_int_equal(tree_add(t, frames, c ? 3 : b ? 2 : 1, weight, 1), 0);
}

static void expect(struct tree *t, uint64_t whole, uint64_t row_weight, struct chains_cfg cfg, const char *want)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	render_chains(out, t, whole, row_weight, &cfg);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

static void chains(void **state)
{
	struct tree t;

	(void)state;
	assert_int_equal(tree_init(&t), 0);
	expect(&t, 100, 0, (struct chains_cfg){ 0 }, "");
	add(&t, 60, leaf, left, top);
	add(&t, 30, leaf, right, top);
	add(&t, 1, leaf, bad, NULL);
	tree_end(&t, 0);
	expect(&t, 100, 91, (struct chains_cfg){ .min_percent = 5 },
	       "            |\n"
	       "            ---leaf\n"
	       "               |          \n"
	       "               |--60.00%--left\n"
	       "               |          main\n"
	       "               |          \n"
	       "                --30.00%--right\n"
	       "                          main\n\n");
	expect(&t, 100, 91, (struct chains_cfg){ .min_percent = 5, .mode = CHAINS_FRACTAL, .skip_first = true },
	       "            |          \n"
	       "            |--65.93%--left\n"
	       "            |          main\n"
	       "            |          \n"
	       "            |--32.97%--right\n"
	       "            |          main\n"
	       "             --1.10%--[...]\n\n");
	expect(&t, 100, 100, (struct chains_cfg){ .value = CHAINS_PERIOD, .limit = 1, .min_percent = 0.5 },
	       "            |          \n"
	       "             --91--leaf\n"
	       "                       |          \n"
	       "                       |--60--left\n"
	       "                       |          main\n\n");
	expect(&t, 100, 91, (struct chains_cfg){ .mode = CHAINS_FLAT, .min_percent = 50, .value = CHAINS_COUNT },
	       "           1\n                leaf\n                left\n                main\n\n");
	expect(&t, 100, 91, (struct chains_cfg){ .mode = CHAINS_FOLDED }, "60.00% leaf;left;main\n30.00% leaf;right;main\n1.00% leaf;b\\x1b[31m\n");
	expect(&t, 100, 91, (struct chains_cfg){ .mode = CHAINS_FOLDED, .limit = 1, .separator = "," }, "60.00% leaf,left,main\n");
	expect(&t, 100, 91, (struct chains_cfg){ .mode = CHAINS_NONE }, "");
	tree_free(&t);
}

/* Forks below each other, as deep as a stack can be: it ends, and indents no further than the limit. */
static void deep_chains(void **state)
{
	static struct frame frames[STACK_FRAMES_MAX];
	struct tree t;
	char *text, *line;
	size_t n, longest = 0;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(tree_init(&t), 0);
	for (int i = 0; i < STACK_FRAMES_MAX; i++)
		frames[i] = (struct frame){ .name = i & 1 ? left : right, .obj = "" };
	for (uint32_t i = 1; i <= STACK_FRAMES_MAX; i++)
		assert_int_equal(tree_add(&t, frames, i, 1, 1), 0);
	tree_end(&t, 0);
	render_chains(out, &t, STACK_FRAMES_MAX, STACK_FRAMES_MAX, &(struct chains_cfg){ 0 });
	render_chains(out, &t, STACK_FRAMES_MAX, 1, &(struct chains_cfg){ .mode = CHAINS_FRACTAL });
	render_chains(out, &t, STACK_FRAMES_MAX, 1, &(struct chains_cfg){ .mode = CHAINS_FOLDED });
	fclose(out);
	tree_free(&t);
	assert_non_null(strstr(text, "[forks below the 60th are not shown]\n"));
	for (line = strtok(text, "\n"); line && *line == ' '; line = strtok(NULL, "\n"))
		longest = strlen(line) > longest ? strlen(line) : longest;
	assert_in_range(longest, 100, 1000);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(refused_columns),
		cmocka_unit_test(chains),
		cmocka_unit_test(deep_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
