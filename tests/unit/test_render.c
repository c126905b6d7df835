/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flame graph formats against tests/golden/flame.* (GOLDEN_UPDATE=1 rewrites them: tools/golden.sh),
 * and the edges that no golden file shows: no samples, depth, a full disk, hostile bytes.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats.h"
#include "golden.h"
#include "model/hit.h"
#include "model/treepair.h"
#include "render/events/hit.h"
#include "render/rows/report.h"
#include "render/tree/render.h"
#include "util/json.h"
#include "util/strpool.h"
#include "util/text.h"

#define GOLDEN "tests/golden/flame"
#define DEEP 100000u
#define MAX_FRAMES 64

typedef int render_fn(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg);

struct fixture {
	struct strpool *pool;
	struct tree tree;
	struct profile p;
	struct frame frames[MAX_FRAMES];
	uint32_t n;
	uint64_t weight, count;
	bool open;
};

static uint32_t kind_of(const char *word)
{
	static const char *const kinds[] = { "user", "kernel", "jit", "inlined", "unknown", "mark" };

	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(word, kinds[i]))
			return i;
	fail_msg("golden input: bad kind '%s'", word);
	return 0;
}

/* Replaces \xNN in place. */
static char *unescape(char *text)
{
	char *to = text;

	for (char *p = text; *p; p++) {
		if (p[0] == '\\' && p[1] == 'x') {
			char hex[3] = { p[2], p[3] };

			*to++ = strtol(hex, NULL, 16);
			p += 3;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	return text;
}

static void stack_end(struct fixture *f)
{
	if (f->open)
		assert_int_equal(tree_add(&f->tree, f->frames, f->n, f->weight, f->count), 0);
	f->open = false;
	f->n = 0;
}

static void frame_line(struct fixture *f, char *line)
{
	char *kind = strsep(&line, "\t"), *name = strsep(&line, "\t"), *obj = strsep(&line, "\t");
	struct frame *frame = &f->frames[f->n++];

	assert_true(f->n <= MAX_FRAMES);
	*frame = (struct frame){ .kind = kind_of(kind), .name = strpool_add(f->pool, unescape(name)) };
	if (obj)
		frame->obj = strpool_add(f->pool, unescape(obj));
	if (line) {
		frame->line = atoi(strrchr(line, ':') + 1);
		*strrchr(line, ':') = '\0';
		frame->file = strpool_add(f->pool, line);
	}
}

static void input_line(struct fixture *f, char *line)
{
	char name[32];
	uint64_t n, count;

	if (!*line || *line == '#')
		return;
	if (sscanf(line, "stack %lu %lu", &n, &count) == 2) {
		stack_end(f);
		f->weight = n;
		f->count = count;
		f->open = true;
	} else if (sscanf(line, "loss %31s %lu", name, &n) == 2) {
		for (int i = 0; i < LOSS_MAX; i++)
			if (!strcmp(loss_name(i), name))
				f->p.losses[i] = n;
	} else {
		frame_line(f, line);
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	FILE *in = fopen(GOLDEN ".in", "r");
	char line[1024];

	assert_non_null(f);
	assert_non_null(in); /* run from the top of the tree */
	f->pool = strpool_new();
	assert_int_equal(tree_init(&f->tree), 0);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		input_line(f, line);
	}
	stack_end(f);
	fclose(in);
	tree_end(&f->tree, 0);
	f->p.title = "skep flame -p 10 -- sleep \"1\" </title>";
	f->p.event = "cpu-clock";
	f->p.unit = "ns";
	f->p.kept = f->tree.nodes.data[0].total_count;
	f->p.seen = f->p.kept + f->p.losses[LOSS_RING_FULL];
	f->p.weight = f->tree.nodes.data[0].total;
	f->p.duration_ns = 1004000000;
	profile_note(&f->p, "no hardware cycles here: %s instead", "cpu-clock");
	profile_note(&f->p, "a </script> & a \x1b[31m in a second note");
	f->p.receipt = (struct receipt){ .wall_ns = 1100000000, .own_cpu_ns = 21000000, .bpf_ns = 900000, .bpf_runs = 743, .bytes_out = 8192,
					   .peak_rss_bytes = 9437184, .map_bytes = 1048576, .cpus = 4 };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tree_free(&f->tree);
	strpool_free(f->pool);
	free(f);
	return 0;
}

static char *rendered(render_fn *render, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	assert_int_equal(render(out, tree, p, cfg), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void folded(void **state)
{
	struct fixture *f = *state;
	char *text = rendered(render_folded, &f->tree, &f->p, NULL);

	golden("flame.folded", text);
	free(text);
}

static void json(void **state)
{
	struct fixture *f = *state;
	char *text = rendered(render_flame_json, &f->tree, &f->p, NULL);

	golden("flame.json", text);
	free(text);
}

static void svg(void **state)
{
	struct fixture *f = *state;
	char *text = rendered(render_svg, &f->tree, &f->p, NULL), *script = strstr(text, "<script>");

	/* the program has its own tests in a browser */
	assert_non_null(script);
	strcpy(script, "...\n");
	golden("flame.svg", text);
	free(text);
}

/* Only the data: the page around it has its own tests in a browser. */
static void html(void **state)
{
	static const char before[] = "<script type=\"application/json\" id=\"data\">";
	struct fixture *f = *state;
	struct flame_cfg cfg = { 0 };
	char *text = rendered(render_html, &f->tree, &f->p, &cfg), *data = strstr(text, before), *end;

	assert_non_null(data);
	data += strlen(before);
	end = strstr(data, "</script>");
	assert_non_null(end);
	strcpy(end, "\n");
	assert_null(strpbrk(data, "<>&"));
	golden("flame.html", data);
	free(text);
}

/* Bytes that a name brings must not leave any format as control bytes. */
static void no_control_bytes(void **state)
{
	static render_fn *const all[] = { render_folded, render_flame_json, render_svg, render_html };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char *text = rendered(all[i], &f->tree, &f->p, NULL);
		uint32_t code;

		for (const char *p = text; *p;) {
			int n = utf8_decode(p, &code);

			assert_true(n > 0);
			assert_false((code < 0x20 && code != '\n' && code != '\t') || code == 0x7f ||
				     (code >= 0x80 && code < 0xa0));
			p += n;
		}
		/* nor may markup leave the formats that are markup */
		if (all[i] == render_svg || all[i] == render_html)
			assert_null(strstr(text, "<script>alert(1)"));
		free(text);
	}
}

static void nothing_sampled(void **state)
{
	static render_fn *const all[] = { render_flame_json, render_svg, render_html };
	struct profile p = { 0 };
	struct tree tree;
	char *text;

	(void)state;
	assert_int_equal(tree_init(&tree), 0);
	text = rendered(render_folded, &tree, &p, NULL);
	assert_string_equal(text, "");
	free(text);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		text = rendered(all[i], &tree, &p, NULL);
		assert_true(strlen(text) > 100);
		free(text);
	}
	tree_free(&tree);
}

#define MANY 250000u /* more than a page has */

/* Two thirds of what is before a change is in functions that are met once, and a tenth of what is after it. */
static void left_out_of_a_change(void **state)
{
	struct strpool *pool = strpool_new();
	struct tree before, after;
	struct treepair pair;
	struct profile p = { 0 };
	struct flame_sides sides = { .names = { "a", "b" } };
	const struct flame_cfg cfg = { .sides = &sides };
	struct frame frame = { .kind = FRAME_USER, .name = strpool_add(pool, "hot") };
	unsigned long long frames, below, weight;
	char *text, *found;

	(void)state;
	assert_int_equal(tree_init(&before) | tree_init(&after), 0);
	assert_int_equal(tree_add(&before, &frame, 1, MANY / 2, MANY / 2), 0);
	assert_int_equal(tree_add(&after, &frame, 1, 900, 900), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%u", i);
		frame.name = strpool_add(pool, name);
		assert_int_equal(tree_add(&before, &frame, 1, 1, 1), 0);
		if (i < 100)
			assert_int_equal(tree_add(&after, &frame, 1, 1, 1), 0);
	}
	assert_int_equal(treepair_join(&pair, &before, &after, pool), 0);
	sides.before = pair.before.data;
	p.weight = 1000;
	text = rendered(render_html, &pair.tree, &p, &cfg);
	found = strstr(text, "\"left_out\":{");
	assert_non_null(found);
	assert_int_equal(sscanf(found, "\"left_out\":{\"frames\":%llu,\"below\":%llu,\"weight\":%llu}", &frames, &below, &weight), 3);
	assert_int_equal(frames, MANY - 100);
	assert_int_equal(weight, 666); /* of 1000 */
	free(text);
	treepair_free(&pair);
	tree_free(&before);
	tree_free(&after);
	strpool_free(pool);
}

static void deep(void **state)
{
	static render_fn *const all[] = { render_folded, render_flame_json, render_svg, render_html };
	struct frame *frames = calloc(DEEP, sizeof(*frames));
	struct profile p = { 0 };
	struct tree tree;

	(void)state;
	assert_non_null(frames);
	for (uint32_t i = 0; i < DEEP; i++)
		frames[i].name = "f";
	assert_int_equal(tree_init(&tree), 0);
	assert_int_equal(tree_add(&tree, frames, DEEP, 3, 1), 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(rendered(all[i], &tree, &p, NULL));
	tree_free(&tree);
	free(frames);
}

static void full_disk(void **state)
{
	static render_fn *const all[] = { render_folded, render_flame_json, render_svg, render_html };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		FILE *out = fopen("/dev/full", "w");

		assert_non_null(out);
		setvbuf(out, NULL, _IONBF, 0);
		assert_int_equal(all[i](out, &f->tree, &f->p, NULL), -EIO);
		fclose(out);
	}
}

static void json_refuses_nan(void **state)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct json json;

	(void)state;
	json_begin(&json, out);
	json_array(&json);
	json_double(&json, 1.5, 2);
	json_i64(&json, INT64_MIN);
	json_u64(&json, UINT64_MAX);
	json_bool(&json, true);
	json_text(&json, "a\"\\\n\xff");
	assert_int_equal(json_end(&json), 0);
	json_double(&json, NAN, 2);
	json_double(&json, INFINITY, 2);
	json_array_end(&json);
	assert_int_equal(json_end(&json), -EINVAL);
	fclose(out);
	assert_string_equal(text, "[1.50,-9223372036854775808,18446744073709551615,true,\"a\\\"\\\\\\u000a\xef\xbf\xbd\",null,null]");
	free(text);
}

static void expect_json(const char *text)
{
	if (!is_json(text))
		fail_msg("not JSON: %s", text);
}

static void json_checker(void **state)
{
	(void)state;
	expect_json("{\"a\": [1, -2.5, {}, [], null], \"b\\\"\": true}\n");
	assert_null(json_value_end("[1,]"));
	assert_null(json_value_end("{\"a\":1,}"));
	assert_null(json_value_end("{\"a\"}"));
	assert_null(json_value_end("[1"));
	assert_null(json_value_end("\"open"));
}

typedef int table_fn(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);

/* A table of two rows: 70 in a user function with a long name and a caller, 30 in a kernel function. */
static void table_make(struct report *t, struct profile *p, const struct report_request *request)
{
	static const struct frame user[] = { { .name = "parse_all_the_words_of_the_input_and_the_rest", .obj = "/usr/lib/libparser.so" },
					     { .name = "main", .obj = "/usr/bin/app" } };
	static const struct frame kernel = { .name = "do_idle", .obj = "[kernel.kallsyms]", .kind = FRAME_KERNEL, .is_kernel = true };
	static struct stack st;
	struct sample s = { .pid = 10, .tid = 11, .weight = 70, .count = 7 };
	struct named named = { .at = &s, .comm = "worker", .stack = &st };

	assert_int_equal(report_init(t, request, NULL), 0);
	memcpy(st.frames, user, sizeof(user));
	st.n = 2;
	assert_int_equal(report_add(t, &named), 0);
	s.weight = 30;
	s.count = 3;
	st.frames[0] = kernel;
	st.n = 1;
	named.comm = "swapper";
	assert_int_equal(report_add(t, &named), 0);
	report_sort(t);
	*p = (struct profile){ .notes = { "one \x1b note", "two" }, .nr_notes = 2, .event = "cpu-clock", .weight = 100, .kept = 10, .seen = 10 };
}

static void keys_once(void **state)
{
	struct profile p;
	struct report t;

	(void)state;
	table_make(&t, &p, &(struct report_request){ .sort = "sym,comm,symbol,sym" });
	assert_int_equal(t.layout.nr_keys, 2);
	assert_int_equal(t.rows.n, 3);
	report_free(&t);
}

static char *table_text(table_fn *render, const struct report_request *request, double percent, const struct report_cfg *cfg)
{
	struct profile p;
	struct report t;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	table_make(&t, &p, request);
	report_cut(&t, &(struct report_limits){ .percent = percent, .whole = p.weight, .self_only = !request->children });
	assert_non_null(out);
	assert_int_equal(render(out, &t, &p, cfg), 0);
	assert_int_equal(fclose(out), 0);
	report_free(&t);
	return text;
}

static void table_json(void **state)
{
	static const char *const events[] = { "cycles" };
	struct report_cfg cfg = { .event_names = events }, none = { .percent_limit = 99 };
	char *text = table_text(render_report_json, &(struct report_request){ .sort = "comm,pid,dso,sym,event", .chains = true }, 0, &cfg);

	(void)state;
	expect_json(text);
	assert_non_null(strstr(text, "\"sym\":\"do_idle\",\"kind\":\"kernel\",\"event\":\"cycles\"}"));
	assert_non_null(strstr(text, "_the_rest\",\"kind\":\"user\""));
	assert_non_null(strstr(text, "{\"depth\":1,\"sym\":\"main\",\"kind\":\"user\","));
	free(text);
	text = table_text(render_report_json, &(struct report_request){ .sort = "comm" }, 99, &none);
	expect_json(text);
	free(text);
}

/* Every line that is a row or the line of titles fits, and the row of 70 % shows its share and `name`. */
static void expect_fits(const char *sort, bool children, int columns, const char *name)
{
	struct report_cfg cfg = { .columns = columns };
	char *text = table_text(render_report_text, &(struct report_request){ .sort = sort, .children = children }, 0, &cfg);
	bool found = false, body = false;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		body = body || !strcmp(line, "#");
		if (body && strlen(line) > (size_t)columns)
			fail_msg("%zu columns instead of %d: %s", strlen(line), columns, line);
		found = found || (strstr(line, "70.00%") && strstr(line, name));
	}
	if (!found)
		fail_msg("no row of 70.00%% and '%s' in %d columns", name, columns);
	free(text);
}

static void narrow_terminals(void **state)
{
	static const char *const sorts[] = { "comm,dso,sym", "sym", "dso,sym,comm", "comm,pid,tid,cpu,dso,sym,event" };
	struct report_cfg wide = { .columns = 100 };
	char *text;

	(void)state;
	for (int children = 0; children < 2; children++)
		for (size_t i = 0; i < sizeof(sorts) / sizeof(*sorts); i++) {
			expect_fits(sorts[i], children, 20, "parse_");
			expect_fits(sorts[i], children, 40, "parse_all_");
			expect_fits(sorts[i], children, 80, "parse_all_the_words");
		}
	expect_fits("comm,dso", false, 20, "libp");
	text = table_text(render_report_text, &(struct report_request){ .sort = "sym", .children = true }, 0, &wide);
	assert_non_null(strstr(text, "\n# Note: one \\x1b note\n# Note: two\n#\n"));
	free(text);
	/* What fits is whole, however long. */
	text = table_text(render_report_text, &(struct report_request){ .children = true }, 0, &wide);
	assert_non_null(strstr(text, "Children      Self  Command  Shared Object"));
	assert_non_null(strstr(text, "    70.00%    70.00%  worker   libparser.so       [.] parse_all_the_words_of_the_input_and_the_rest\n"));
	assert_non_null(strstr(text, "    30.00%    30.00%  swapper  [kernel.kallsyms]  [k] do_idle\n"));
	free(text);
	/* Columns behind the symbol stand below their titles. */
	text = table_text(render_report_text, &(struct report_request){ .sort = "sym,comm" }, 0, &wide);
	assert_non_null(strstr(text, "\n# Overhead  Symbol                                             Command\n"));
	assert_non_null(strstr(text, "\n    30.00%  [k] do_idle                                        swapper\n"));
	free(text);
}

static void flames_are_json(void **state)
{
	struct fixture *f = *state;
	char *text = rendered(render_flame_json, &f->tree, &f->p, NULL);

	expect_json(text);
	free(text);
}

static void terminal_text(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain", "plain" },
		{ "\x1b[31m\t", "\\x1b[31m\\x09" },
		{ "bee \xf0\x9f\x90\x9d \xc3\xa9", "bee \xf0\x9f\x90\x9d \xc3\xa9" },
		{ "\xc2\x9b" "31m", "\\xc2\\x9b31m" },
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" },
		{ "\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80", "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80" },
		{ "cut \xe2\x82", "cut \\xe2\\x82" },
	};
	char buf[128], small[8];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(text_escape(buf, sizeof(buf), cases[i].in), strlen(cases[i].out));
		assert_string_equal(buf, cases[i].out);
	}
	assert_int_equal(text_escape(small, sizeof(small), "ab\xf0\x9f\x90\x9d\xf0\x9f\x90\x9d" "c"), 11);
	assert_string_equal(small, "ab\xf0\x9f\x90\x9d");
	assert_int_equal(text_escape(NULL, 0, "\x01"), 4);
}

static void shell_words(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain-1.0_x=y", "plain-1.0_x=y" }, { "", "''" }, { "a  b", "'a  b'" }, { "it's", "'it'\\''s'" }, { "a\\n$(b)`", "'a\\n$(b)`'" },
		{ "bee \xf0\x9f\x90\x9d", "'bee \xf0\x9f\x90\x9d'" }, { "a\n'b\\", "$'a\\x0a\\'b\\\\'" }, { "~", "'~'" }, { "\xff", "$'\\xff'" },
	};
	char buf[64], small[8];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(text_shell(buf, sizeof(buf), 0, cases[i].in), strlen(cases[i].out));
		assert_string_equal(buf, cases[i].out);
	}
	assert_int_equal(text_shell(small, sizeof(small), text_append(small, sizeof(small), 0, "cut"), " to fit"), 7);
	assert_string_equal(small, "cut' to");
}

static void csv_cells(void **state)
{
	static const struct {
		const char *in, *sep, *out;
	} cases[] = {
		{ "plain", ",", "plain" },
		{ "plain", NULL, "\"plain\"" },
		{ "cpu/event=1,umask=2/", ",", "\"cpu/event=1,umask=2/\"" },
		{ "cpu/event=1,umask=2/", ";", "cpu/event=1,umask=2/" },
		{ "a::b", "::", "\"a::b\"" },
		{ "a", "", "a" },
		{ "say \"x\"", ",", "\"say \"\"x\"\"\"" },
		{ "a\tb", "\t", "\"a\\x09b\"" },
		{ "\x1b[31m\n9,b", ",", "\"\\x1b[31m\\x0a9,b\"" },
		{ "", ",", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t n;
		FILE *out = open_memstream(&text, &n);

		assert_non_null(out);
		text_print_csv(out, cases[i].in, cases[i].sep);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, cases[i].out);
		free(text);
	}
}

/* Lines of hits: what a terminal must not see is escaped, and time may be before the start. */
static void hit_lines(void **state)
{
	const struct sample_value values[] = { { .num = UINT64_MAX }, { .num = UINT64_MAX }, { .text = "a\x1b[2J \xc3\xa9\xff" }, { .is_fault = true } };
	static struct hit_site site;
	static struct hit_row row;
	const struct rows_view view = { 0 };
	struct sample s = { .time_ns = 3234567890, .pid = 4294967295u, .tid = 7, .cpu = 1023, .comm = "a\tb", .values = values, .nr_values = 4 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	hit_site_init(&site, NULL);
	site.call = "f\n";
	assert_int_equal(hit_site_add(&site, "values.n", VALUE_SIGNED), 0);
	assert_int_equal(hit_site_add(&site, "values.u", VALUE_NUMBER), 0);
	assert_int_equal(hit_site_add(&site, "values.s", VALUE_TEXT), 0);
	assert_int_equal(hit_site_add(&site, "values.f", VALUE_HEX), 0);
	hit_row(&site, &s, 2000000000, &row);
	hit_text.row(f, &row.row, &view);
	s.time_ns = 1999999000;
	s.comm = "sixteen bytes ab";
	s.nr_values = 0;
	hit_site_init(&site, NULL);
	site.call = "f\n";
	hit_row(&site, &s, 2000000000, &row);
	hit_text.row(f, &row.row, &view);
	fclose(f);
	assert_string_equal(text, "      1.234568  a\\x09b             4294967295/7 1023  f\\x0a(n=-1, u=18446744073709551615, "
				  "s=\"a\\x1b[2J \xc3\xa9\\xff\", f=(fault))\n"
				  "     -0.000001  sixteen bytes ab    4294967295/7 1023  f\\x0a()\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(folded, setup, teardown),
		cmocka_unit_test_setup_teardown(json, setup, teardown),
		cmocka_unit_test_setup_teardown(svg, setup, teardown),
		cmocka_unit_test_setup_teardown(html, setup, teardown),
		cmocka_unit_test_setup_teardown(no_control_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(full_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(flames_are_json, setup, teardown),
		cmocka_unit_test(keys_once),
		cmocka_unit_test(json_checker),
		cmocka_unit_test(table_json),
		cmocka_unit_test(narrow_terminals),
		cmocka_unit_test(nothing_sampled),
		cmocka_unit_test(left_out_of_a_change), cmocka_unit_test(deep),
		cmocka_unit_test(json_refuses_nan),
		cmocka_unit_test(terminal_text),
		cmocka_unit_test(shell_words),
		cmocka_unit_test(csv_cells),
		cmocka_unit_test(hit_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
