/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: tables to getopt_long(3), which knows all the ways to write an option. */
#include "util/opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "util/near.h"
#include "util/num.h"
#include "util/text.h"

#define OPTS_MAX 160
#define LONG_ONLY 0x100
#define LONG_HELP 0xff
#define LONG_VERBOSE 0xfe
#define LONG_QUIET 0xfd
#define HELP_INDENT 30
#define NARROW_COLUMNS 60 /* on less, help stands below its option */
#define NARROW_INDENT 6

struct ref {
	const struct opt *opt;
	size_t base;
	bool seen;
	const char *value;
};

static const char *opt_label(const struct opt *o, char *buf, size_t size)
{
	if (o->name)
		snprintf(buf, size, "--%s", o->name);
	else
		snprintf(buf, size, "-%c", o->key);
	return buf;
}

static bool value_ok(const char *values, const char *text)
{
	size_t len = strlen(text);

	for (const char *at = values; at; at = strchr(at, '|'), at = at ? at + 1 : NULL)
		if (strcspn(at, "|") == len && !strncmp(at, text, len))
			return true;
	return false;
}

static int opt_store(struct ref *ref, void *cfg, const char *text, struct err *err)
{
	const struct opt *o = ref->opt;
	char *base = (char *)cfg + ref->base;
	void *dest = base + o->offset;
	char label[64];
	int ret = 0;

	opt_label(o, label, sizeof(label));
	if (ref->seen && !o->many && o->type != OPT_FLAG && o->type != OPT_COUNT && o->type != OPT_NOTHING)
		return err_exit(err, -EINVAL, EXIT_USAGE, "option '%s' given twice", label);
	ref->seen = true;
	ref->value = text;
	switch (o->type) {
	case OPT_COUNT:
		++*(uint64_t *)dest;
		return 0;
	case OPT_FLAG:
		*(bool *)dest = true;
		return 0;
	case OPT_KIB:
		ret = num_kib(text, dest);
		break;
	case OPT_TEXT:
		if (o->values && !value_ok(o->values, text))
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '%s': expected %s", text, label,
					o->values);
		*(const char **)dest = text;
		return 0;
	case OPT_U64:
		ret = num_u64(text, UINT64_MAX, dest);
		if (!ret && !*(uint64_t *)dest)
			ret = -ERANGE;
		break;
	case OPT_DURATION:
		ret = num_duration(text, dest);
		break;
	case OPT_CALL:
		ret = o->set(base, text, err);
		return ret;
	case OPT_NOTHING:
		return 0;
	}
	if (ret < 0)
		err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '%s': %s", text, label,
			 ret == -ERANGE ? "out of range" : o->type == OPT_DURATION ? "expected a time such as 10, 500ms or 2m" :
			 o->type == OPT_KIB		? "expected KiB, or a size such as 512K or 1M" :
										      "expected a whole number");
	return ret;
}

struct tables {
	struct option longs[OPTS_MAX + 4];
	char shorts[3 * OPTS_MAX + 8];
	struct ref refs[OPTS_MAX];
	int nr;
	bool own_verbose, own_quiet; /* the command's -v and -q mean something else */
};

static void tables_fill(struct tables *t, const struct opt_group *groups)
{
	size_t s = 0;
	int l = 0;

	t->shorts[s++] = '+'; /* the first operand ends the options: it is COMMAND */
	t->shorts[s++] = ':'; /* distinguish a missing value from an unknown option */
	t->shorts[s++] = 'h';
	t->longs[l++] = (struct option){ "help", no_argument, NULL, LONG_HELP };
	for (; groups->title; groups++) {
		for (const struct opt *o = groups->opts; o->key || o->name; o++) {
			int has = !o->arg ? no_argument : opt_optional(o) ? optional_argument : required_argument;

			if (t->nr >= OPTS_MAX)
				abort(); /* a table outgrew the parser: seen by every run of the command */
			if (opt_optional(o) && o->type != OPT_CALL && o->type != OPT_NOTHING)
				abort();
			t->refs[t->nr] = (struct ref){ .opt = o, .base = groups->offset };
			if (o->key == OPT_OPERAND) {
				t->shorts[0] = '-'; /* GNU: a word is an option of the code 1 */
			} else if (o->key) {
				t->shorts[s++] = o->key;
				for (int i = 0; i < has && !o->lone_letter; i++) /* getopt(3): one is required, two are optional */
					t->shorts[s++] = ':';
			}
			if (o->name)
				t->longs[l++] = (struct option){ o->name, has, NULL, LONG_ONLY + t->nr };
			t->own_verbose |= o->key == 'v';
			t->own_quiet |= o->key == 'q';
			t->nr++;
		}
	}
	if (!t->own_verbose) {
		t->shorts[s++] = 'v';
		t->longs[l++] = (struct option){ "verbose", no_argument, NULL, LONG_VERBOSE };
	}
	if (!t->own_quiet) {
		t->shorts[s++] = 'q';
		t->longs[l++] = (struct option){ "quiet", no_argument, NULL, LONG_QUIET };
	}
}

/* A long option that is begun by the word, without the dashes and its value. */
static bool begins(const char *name, const char *word, size_t len)
{
	return !strncmp(name, word, len);
}

/* Is the word, up to the = of its value, one of them? Then err has what to type. */
static bool is_other(const struct opt_other *others, const char *word, struct err *err)
{
	size_t len = strcspn(word, "=");

	for (const struct opt_other *o = others; o && o->word; o++)
		if (strlen(o->word) == len && !memcmp(o->word, word, len)) {
			err_exit(err, -EINVAL, EXIT_USAGE, "'%s' %s", o->word, o->why);
			err_hint(err, "%s", o->hint);
			return true;
		}
	return false;
}

static bool is_long(const struct tables *t, const char *name, size_t len)
{
	for (const struct option *o = t->longs; o->name; o++)
		if (strlen(o->name) == len && !memcmp(o->name, name, len))
			return true;
	return false;
}

/* perf has a "--no-NAME" of each option, and "--NAME" of each "--no-NAME", for aliases that set it. Here it is left out. */
static bool is_opposite(const struct tables *t, const struct opt_other *others, const char *text, struct err *err)
{
	const char *no = "--no-";
	bool is_no = !strncmp(text, no, strlen(no));
	const char *name = text + (is_no ? strlen(no) : strlen("--"));
	char other[64];
	size_t len = snprintf(other, sizeof(other), "%s%.*s", is_no ? "--" : no, (int)strcspn(name, "="), name);

	if (len >= sizeof(other) || (!is_long(t, other + 2, len - 2) && !is_other(others, other, NULL)))
		return false;
	err_exit(err, -EINVAL, EXIT_USAGE, "'%s' cannot undo '%s'", text, other);
	err_hint(err, "leave both out");
	return true;
}

/* What getopt_long() does not take. */
static int refuse(const struct tables *t, const struct opt_other *others, const char *text, struct err *err)
{
	const char *word = text + 2, letter[] = { '-', (char)optopt, '\0' };
	size_t len = strcspn(word, "="), at = 0;
	char list[256] = "";
	struct near near;
	int nr = 0;

	if (is_other(others, optopt && optopt < LONG_HELP ? letter : text, err))
		return -EINVAL;
	if (optopt && optopt < LONG_HELP) {
		err_exit(err, -EINVAL, EXIT_USAGE, "unknown option '-%c'", optopt);
		err_hint(err, "-h lists the options");
		return -EINVAL;
	}
	if (optopt)
		return err_exit(err, -EINVAL, EXIT_USAGE, "option '%s' takes no value", text);
	if (is_opposite(t, others, text, err))
		return -EINVAL;
	near_init(&near, word, len);
	for (const struct option *o = t->longs; o->name; o++) {
		near_offer(&near, o->name, strlen(o->name));
		if (!len || !begins(o->name, word, len))
			continue;
		if (at < sizeof(list))
			at += snprintf(list + at, sizeof(list) - at, "%s--%s", nr ? ", " : "", o->name);
		nr++;
	}
	if (nr > 1) {
		err_exit(err, -EINVAL, EXIT_USAGE, "ambiguous option '%s'", text);
		err_hint(err, "it could be %s", list);
		return -EINVAL;
	}
	err_exit(err, -EINVAL, EXIT_USAGE, "unknown option '%.*s'", (int)len + 2, text);
	if (near_is_close(&near))
		err_hint(err, "similar: --%s", near.names[0]);
	else
		err_hint(err, "-h lists the options");
	return -EINVAL;
}

/* perf's "--no-NAME" of a flag, or of an option without effect. */
static bool unset(struct tables *t, void *cfg, const char *text)
{
	const char *name = text + strlen("--no-");

	if (strncmp(text, "--no-", strlen("--no-")) != 0)
		return false;
	for (int i = 0; i < t->nr; i++) {
		struct ref *ref = &t->refs[i];
		const struct opt *o = ref->opt;

		if (!o->name || strcmp(o->name, name) != 0 || (o->type != OPT_FLAG && o->type != OPT_NOTHING))
			continue;
		if (o->type == OPT_FLAG)
			*(bool *)((char *)cfg + ref->base + o->offset) = false;
		ref->seen = o->type == OPT_NOTHING;
		return true;
	}
	return false;
}

static const char *next_word(const char *word)
{
	word = strchr(word, '|');
	return word ? word + 1 : NULL;
}

/* Whose word it is. NULL: COMMAND. */
static const struct ref *word_ref(const struct tables *t, const char *word)
{
	size_t len = strcspn(word, "=|");

	for (int i = 0; i < t->nr; i++) {
		const struct opt *o = t->refs[i].opt;

		if (o->name ? strlen(o->name) == len && !memcmp(o->name, word, len) : len == 1 && o->key == *word)
			return &t->refs[i];
	}
	return NULL;
}

/* As users type it: "-g", "--call-graph none", "a COMMAND". As snprintf(). */
static int word_label(const struct tables *t, const char *word, char *buf, size_t size)
{
	const struct ref *ref = word_ref(t, word);
	int name = strcspn(word, "=|"), value = strcspn(word + name, "|");
	const char key[] = { ref ? ref->opt->key : '\0', '\0' };

	return snprintf(buf, size, "%s%.*s%s%.*s", !ref ? "a " : *key ? "-" : "--", *key ? 1 : name, *key ? key : word, value ? " " : "",
			value ? value - 1 : 0, word + name + 1);
}

static bool word_given(const struct tables *t, const char *word, const char *operand)
{
	const struct ref *ref = word_ref(t, word);
	const char *value = word + strcspn(word, "=|");
	size_t len = strcspn(value, "|");

	if (!ref)
		return operand;
	return ref->seen && (!len || (ref->value && strlen(ref->value) == len - 1 && !memcmp(ref->value, value + 1, len - 1)));
}

/* The first of the words that is on the command line, NULL: none. */
static const char *first_given(const struct tables *t, const char *words, const char *operand)
{
	while (words && !word_given(t, words, operand))
		words = next_word(words);
	return words;
}

/* operand: the first, or NULL. */
static int check_rule(const struct tables *t, const struct opt_rule *rule, const char *operand, struct err *err)
{
	const char *given = first_given(t, rule->words, operand), *other = first_given(t, rule->not_with, operand);
	const char *colon = rule->why ? ": " : "", *why = rule->why ? rule->why : "";
	char label[80], list[256];
	size_t at = 0;

	if (!given || (!other && (!rule->needs || first_given(t, rule->needs, operand))))
		return 0;
	word_label(t, given, label, sizeof(label));
	if (other) {
		at = word_label(t, other, list, sizeof(list));
		if (!word_ref(t, other))
			snprintf(list + at, sizeof(list) - at, " ('%s')", operand);
		return err_exit(err, -EINVAL, EXIT_USAGE, "%s and %s exclude each other%s%s", label, list, colon, why);
	}
	for (const char *word = rule->needs; word && at < sizeof(list); word = next_word(word)) {
		at += snprintf(list + at, sizeof(list) - at, "%s", word == rule->needs ? "" : next_word(word) ? ", " : " or ");
		if (at < sizeof(list))
			at += word_label(t, word, list + at, sizeof(list) - at);
	}
	return err_exit(err, -EINVAL, EXIT_USAGE, "%s needs %s%s%s", label, list, colon, why);
}

static int check_rules(const struct tables *t, const struct opt_group *groups, const char *operand, struct err *err)
{
	for (; groups->title; groups++)
		for (const struct opt_rule *rule = groups->rules; rule && rule->words; rule++) {
			int ret = check_rule(t, rule, operand, err);

			if (ret && rule->hint)
				err_hint(err, "%s", rule->hint);
			if (ret)
				return ret;
		}
	return 0;
}

static void say_nothing(const struct tables *t, void (*nothing)(const char *option, const char *why))
{
	char label[64];

	for (int i = 0; i < t->nr && nothing; i++)
		if (t->refs[i].seen && t->refs[i].opt->type == OPT_NOTHING)
			nothing(opt_label(t->refs[i].opt, label, sizeof(label)), t->refs[i].opt->help);
}

int opt_parse(const struct opt_group *groups, const struct opt_other *others, void *cfg, int argc, char **argv, int *talk,
	      void (*nothing)(const char *option, const char *why), struct err *err)
{
	struct tables t = {};
	int c, ret;

	if (argc > 1 && is_other(others, argv[1], err))
		return -EINVAL;
	tables_fill(&t, groups);
	optind = 0; /* GNU: start over */
	opterr = 0;
	while ((c = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		int i = c - LONG_ONLY;

		if (c == 'h' || c == LONG_HELP)
			return -ECANCELED;
		if (c == LONG_VERBOSE || (c == 'v' && !t.own_verbose)) {
			++*talk;
			continue;
		}
		if (c == LONG_QUIET || (c == 'q' && !t.own_quiet)) {
			*talk = -1;
			continue;
		}
		if (c == ':')
			return err_exit(err, -EINVAL, EXIT_USAGE, "option '%s' needs a value", argv[optind - 1]);
		if (c == '?' && !optopt && unset(&t, cfg, argv[optind - 1]))
			continue;
		if (c == '?')
			return refuse(&t, others, argv[optind - 1], err);
		if (c < LONG_ONLY)
			for (i = 0; i < t.nr && t.refs[i].opt->key != c; i++)
				;
		if (t.refs[i].opt->takes_next && !optarg && optind < argc && argv[optind][0] != '-')
			optarg = argv[optind++];
		ret = opt_store(&t.refs[i], cfg, optarg, err);
		if (ret < 0)
			return ret;
	}
	ret = check_rules(&t, groups, argv[optind], err);
	if (ret < 0)
		return ret;
	say_nothing(&t, nothing);
	return optind;
}

void opt_help(FILE *out, const struct opt_group *groups, int columns)
{
	const char *title = "";
	int indent = columns < NARROW_COLUMNS ? NARROW_INDENT : HELP_INDENT;

	for (; groups->title; groups++) {
		if (strcmp(title, groups->title))
			fprintf(out, "\n%s:\n", groups->title);
		title = groups->title;
		for (const struct opt *o = groups->opts; o->key || o->name; o++) {
			char left[64];
			int n = 0;

			if (o->key == OPT_OPERAND)
				continue;
			if (o->key)
				n = snprintf(left, sizeof(left), "  -%c%s", o->key, o->name ? ", " : "");
			else
				n = snprintf(left, sizeof(left), "      ");
			if (o->name)
				n += snprintf(left + n, sizeof(left) - n, "--%s", o->name);
			if (o->arg)
				n += snprintf(left + n, sizeof(left) - n, "%s%s", opt_optional(o) ? "" : " ", o->arg);
			if (n >= indent - 1)
				fprintf(out, "%s\n%*s", left, indent, "");
			else
				fprintf(out, "%-*s", indent, left);
			text_wrap(out, o->help, indent, columns, indent);
			putc('\n', out);
		}
	}
}
