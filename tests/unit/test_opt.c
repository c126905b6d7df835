/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which options exclude or need each other: the mechanism, and whether the rules of all commands name options that they have; the words of --sort. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/source/netrows.h"
#include "capture/source/sched.h"
#include "cmd/callgraph.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "target.h"

/* main.c's, which is in no archive */
const struct cmd *const cmds[] = {
#define CMD(name) &cmd_##name,
#include "cmd/cmds.def"
#undef CMD
	NULL,
};

const char *cmd_word(const struct cmd *c)
{
	return c->name;
}

struct cfg {
	bool all, late, plain;
	uint64_t count;
	const char *format;
};

static const struct opt opts[] = {
	{ 'a', "all", NULL, OPT_FLAG, offsetof(struct cfg, all), "" },
	{ 0, "late", NULL, OPT_FLAG, offsetof(struct cfg, late), "" },
	{ 'g', NULL, NULL, OPT_FLAG, offsetof(struct cfg, plain), "" },
	{ 'n', "count", "N", OPT_U64, offsetof(struct cfg, count), "" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct cfg, format), "", NULL, false, "text|texts|json" },
	{ 0 },
};

static const struct opt_rule rules[] = {
	{ "all", .not_with = "late|g", .why = "it has all", .hint = "leave it out" },
	{ "format=text|late", .needs = "count|g|" OPT_COMMAND },
	{ "count", .needs = OPT_COMMAND },
	{ "g", .not_with = "format=json|" OPT_COMMAND },
	{ 0 },
};

static const struct opt_group groups[] = { { "Options", opts, 0 }, { "Rules", opts + sizeof(opts) / sizeof(*opts) - 1, 0, rules }, { 0 } };

static struct err err;

/* The words are cut at spaces. Returns the message, "" for none. */
static const char *parse(const char *line)
{
	char text[256], *argv[16] = { text }, *save;
	struct cfg cfg = { 0 };
	int argc = 1, talk = 0, ret;

	err = (struct err){ 0 };
	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	ret = opt_parse(groups, NULL, &cfg, argc, argv, &talk, NULL, &err);
	assert_true(ret > 0 ? !err.text[0] : ret == -EINVAL && err.exit == EXIT_USAGE);
	return err.text;
}

static void test_rules(void **state)
{
	(void)state;
	assert_string_equal(parse(""), "");
	assert_string_equal(parse("-a ls"), "");
	assert_string_equal(parse("-g -a"), "-a and -g exclude each other: it has all");
	assert_string_equal(err.hint, "leave it out");
	assert_string_equal(parse("--all --late -g"), "-a and --late exclude each other: it has all");
	assert_string_equal(parse("--late"), "--late needs -n, -g or a COMMAND");
	assert_string_equal(parse("--late -g"), "");
	assert_string_equal(parse("--late ls"), "");
	assert_string_equal(parse("-n 3"), "-n needs a COMMAND");
	assert_string_equal(parse("-n 3 --"), "-n needs a COMMAND");
	assert_string_equal(parse("-n 3 -- ls"), "");
	assert_string_equal(parse("--format text"), "--format text needs -n, -g or a COMMAND");
	assert_string_equal(parse("--format=text"), "--format text needs -n, -g or a COMMAND");
	assert_string_equal(parse("--format texts"), "");
	assert_string_equal(parse("-g --format text"), "");
	assert_string_equal(parse("-g --format json"), "-g and --format json exclude each other");
	assert_string_equal(parse("-g ls -a"), "-g and a COMMAND ('ls') exclude each other");
}

/* The option of c that a word of a rule names. */
static const struct opt *find(const struct cmd *c, const char *word)
{
	size_t len = strcspn(word, "=|");

	for (const struct opt_group *g = c->groups; g->title; g++)
		for (const struct opt *o = g->opts; o->key || o->name; o++)
			if (o->name ? strlen(o->name) == len && !memcmp(o->name, word, len) : len == 1 && o->key == *word)
				return o;
	return NULL;
}

static void check_words(const struct cmd *c, const char *words)
{
	for (const char *word = words; word; word = strchr(word, '|'), word = word ? word + 1 : NULL) {
		const struct opt *o = find(c, word);
		size_t len = strcspn(word, "|"), name = strcspn(word, "=|");
		char value[64], values[256];

		if (strlen(OPT_COMMAND) == len && !memcmp(word, OPT_COMMAND, len))
			continue;
		if (!o)
			fail_msg("skep %s has a rule for '%.*s', which is no option of it", c->name, (int)len, word);
		snprintf(value, sizeof(value), "|%.*s|", len > name ? (int)(len - name - 1) : 0, word + name + 1);
		snprintf(values, sizeof(values), "|%s|", o->values ? o->values : "");
		if (len > name && (!o->arg || (o->type == OPT_TEXT && !strstr(values, value))))
			fail_msg("skep %s has a rule for '%.*s', which is no value of it", c->name, (int)len, word);
	}
}

static void check_cmd(const struct cmd *c)
{
	for (const struct opt_group *g = c->groups; g->title; g++) {
		assert_true((g->opts == target_opts || g->opts == target_task_opts) == (g->rules == target_rules));
		assert_true((g->opts == measure_opts) == (g->rules == measure_rules));
		for (const struct opt_rule *r = g->rules; r && r->words; r++) {
			assert_true(!r->not_with != !r->needs);
			check_words(c, r->words);
			check_words(c, r->not_with);
			check_words(c, r->needs);
		}
	}
	for (const struct cmd *const *sub = c->subs; sub && *sub; sub++)
		check_cmd(*sub);
}

static void test_commands(void **state)
{
	(void)state;
	for (int i = 0; cmds[i]; i++)
		check_cmd(cmds[i]);
}

/* The words of --sort, for -h and completions, are those of the schema; the first is that of its own order. */
static void check_orders(const struct cmd *c, const struct schema *schema)
{
	const struct opt *o = find(c, "sort");
	size_t words = 1, columns = 0;
	char word[64];

	for (const char *at = o->values; (at = strchr(at, '|')); at++)
		words++;
	for (size_t i = 0; i < schema->n; i++)
		if (schema->columns[i].sort) {
			snprintf(word, sizeof(word), "sort=%s", schema->columns[i].sort);
			check_words(c, word);
			columns++;
		}
	assert_int_equal(words, columns);
	snprintf(word, sizeof(word), "%s (default)", schema->columns[schema->sort].sort);
	assert_non_null(strstr(o->help, word));
	assert_int_equal(strcspn(word, " "), strcspn(o->values, "|"));
	assert_memory_equal(word, o->values, strcspn(word, " "));
}

static void test_orders(void **state)
{
	struct sched_schema schema;

	(void)state;
	sched_schema(&schema, false);
	check_orders(&cmd_sched, &schema.schema);
	check_orders(&cmd_net, &net_schema);
}

/* Nothing of what a live run measures is ignored where a file is read. */
static void test_flame_input(void **state)
{
	const struct opt *const live[] = { target_opts, measure_opts, walk_opts };
	void *cfg = calloc(1, cmd_flame.cfg_size);
	int talk = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		for (const struct opt *o = live[i]; o->name; o++) {
			char name[64], input[] = "-ia", *argv[] = { name, input, name, NULL };
			const char *value = !o->arg ? "" : !strcmp(o->name, "call-graph") ? "=eh" : !strcmp(o->name, "as") ? "=root" : "=1";

			if (!strncmp(o->name, "no-", 3) || !strcmp(o->name, "filter")) /* which needs -e, and that is refused */
				continue;
			snprintf(name, sizeof(name), "--%s%s", o->name, value);
			memset(cfg, 0, cmd_flame.cfg_size);
			assert_int_equal(opt_parse(cmd_flame.groups, NULL, cfg, 3, argv, &talk, NULL, &err), -EINVAL);
			assert_non_null(strstr(err.text, "-i and -"));
			target_free(&((struct measure *)cfg)->target); /* its first member */
		}
	free(cfg);
}

static char said[128];

static void say(const char *option, const char *why)
{
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s %s;", option, why);
}

/* perf's options that change nothing, "--no-" before a flag, and values that may be the next word. */
static void without_effect(void **state)
{
	static const struct opt more[] = {
		{ 'a', "all", NULL, OPT_FLAG, offsetof(struct cfg, all), "" },
		{ 'f', "force", NULL, OPT_NOTHING, 0, "why not" },
		{ 0, "color", "[=WHEN]", OPT_NOTHING, 0, "none", .takes_next = true },
		{ 'M', NULL, "STYLE", OPT_NOTHING, 0, "style" },
		{ 0 },
	};
	static const struct opt_group one[] = { { "Options", more, 0 }, { 0 } };
	static const struct {
		const char *words[5];
		int ret;
		const char *said;
		bool all;
	} rows[] = {
		{ { "-a" }, 2, "", true },
		{ { "-a", "--no-all" }, 3, "", false },
		{ { "--no-all", "-a" }, 3, "", true },
		{ { "-f", "--no-force", "-a" }, 4, "--force why not;", true },
		{ { "--color", "never", "-a", "word" }, 4, "--color none;", true },
		{ { "--color", "-a", "word" }, 3, "--color none;", true },
		{ { "-M", "x", "-M", "y" }, 5, "-M style;", false },
		{ { "--no-M" }, -EINVAL, "", false },
		{ { "--no-" }, -EINVAL, "", false },
		{ { "--no-such" }, -EINVAL, "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *argv[7] = { (char *)"x" };
		struct cfg cfg = { 0 };
		int argc = 1, talk = 0, ret;

		for (; argc <= 5 && rows[i].words[argc - 1]; argc++)
			argv[argc] = (char *)rows[i].words[argc - 1];
		said[0] = '\0';
		ret = opt_parse(one, NULL, &cfg, argc, argv, &talk, say, &err);
		if (ret != rows[i].ret || strcmp(said, rows[i].said) != 0 || cfg.all != rows[i].all)
			fail_msg("row %zu: %d, '%s'", i, ret, said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_effect), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_flame_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
