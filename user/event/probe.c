/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A name ends at the first character that no name of C, C++, Rust or Go has: "std::vector<int>::push_back" has no parameters. */
#include "event/probe.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/lasting.h"
#include "util/glob.h"
#include "util/num.h"

static const struct {
	const char *prefix;
	enum probe_kind kind;
	bool is_return;
	const char *form;
} prefixes[] = {
	{ "k:", PROBE_KERNEL, false, "k:FUNCTION or k:MODULE:FUNCTION" },
	{ "kr:", PROBE_KERNEL, true, "kr:FUNCTION or kr:MODULE:FUNCTION" },
	{ "u:", PROBE_USER, false, "u:PATH:FUNCTION" },
	{ "ur:", PROBE_USER, true, "ur:PATH:FUNCTION" },
	{ "usdt:", PROBE_USDT, false, "usdt:PATH:PROVIDER:NAME" },
	{ "t:", PROBE_TRACEPOINT, false, "t:SUBSYSTEM:NAME" },
	/* bpftrace's */
	{ "kprobe:", PROBE_KERNEL, false, "kprobe:FUNCTION" },
	{ "kretprobe:", PROBE_KERNEL, true, "kretprobe:FUNCTION" },
	{ "kfunc:", PROBE_KERNEL, false, "kfunc:FUNCTION" },
	{ "kretfunc:", PROBE_KERNEL, true, "kretfunc:FUNCTION" },
	{ "fentry:", PROBE_KERNEL, false, "fentry:FUNCTION" },
	{ "fexit:", PROBE_KERNEL, true, "fexit:FUNCTION" },
	{ "uprobe:", PROBE_USER, false, "uprobe:PATH:FUNCTION" },
	{ "uretprobe:", PROBE_USER, true, "uretprobe:PATH:FUNCTION" },
	{ "tracepoint:", PROBE_TRACEPOINT, false, "tracepoint:SUBSYSTEM:NAME" },
};
#define NR_PREFIXES (sizeof(prefixes) / sizeof(*prefixes))

/* bpftrace's that are not probes of code, and what to type instead. */
static const struct {
	const char *word, *hint;
} foreign[] = {
	{ "rawtracepoint:", "t:SUBSYSTEM:NAME is a tracepoint with its fields" },
	{ "profile:", "samples on a timer: skep flame -F HZ -a" },
	{ "interval:", "sums every MS milliseconds: skep stat -I MS -a" },
	{ "software:", "a counter: skep stat -e NAME, skep flame -e NAME" },
	{ "hardware:", "a counter: skep stat -e NAME, skep flame -e NAME" },
	{ "syscall:", "a system call: t:syscalls:sys_enter_NAME, t:syscalls:sys_exit_NAME" },
};

/* True: err says so. */
static bool is_foreign(const char *text, struct err *err)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (strncmp(text, foreign[i].word, strlen(foreign[i].word)) != 0)
			continue;
		err_exit(err, -EINVAL, EXIT_USAGE, "cannot probe '%s': not a function, tracepoint or USDT probe", text);
		err_hint(err, "%s", foreign[i].hint);
		return true;
	}
	return false;
}

static size_t find_prefix(const char *text)
{
	size_t i = 0;

	while (i < NR_PREFIXES && strncmp(text, prefixes[i].prefix, strlen(prefixes[i].prefix)))
		i++;
	return i;
}

bool probe_begins(const char *text)
{
	return find_prefix(text) < NR_PREFIXES;
}

static int bad(const struct probe_spec *s, size_t at, struct err *err, const char *why)
{
	return expr_bad(&s->exprs, "bad probe", at, err, "%s", why);
}

/* text[*at...) up to n bytes. */
static int take(struct probe_spec *s, size_t at, size_t n, char *to, size_t room, struct err *err)
{
	if (!n)
		return bad(s, at, err, "a name is missing here");
	if (n >= room)
		return bad(s, at, err, "the name is too long");
	memcpy(to, s->exprs.text + at, n);
	to[n] = '\0';
	return 0;
}

/* Length of a part that a colon ends; two colons are in a name. */
static size_t part_len(const char *at, const char *ends)
{
	size_t n = 0;

	while (at[n] && !strchr(ends, at[n]) && (at[n] != ':' || at[n + 1] == ':'))
		n += at[n] == ':' ? 2 : 1;
	return n;
}

/* After a name: templates have commas and spaces of their own, "f<a, b>". */
static size_t name_len(const char *at, const char *ends)
{
	size_t n = 0;
	int depth = 0;

	for (; at[n]; n++) {
		depth += at[n] == '<';
		depth -= at[n] == '>' && depth;
		if (!depth && strchr(ends, at[n]))
			break;
	}
	return n;
}

/* "+0x10" and "%return" after a function's name. */
static int parse_rest(struct probe_spec *s, size_t *at, struct err *err)
{
	const char *text = s->exprs.text;
	char number[32];
	size_t n;

	if (text[*at] == '+') {
		n = 1 + strspn(text + *at + 1, "0123456789abcdefABCDEFxX");
		snprintf(number, sizeof(number), "%.*s", (int)(n - 1 < sizeof(number) ? n - 1 : 0), text + *at + 1);
		if (num_u64(number, UINT64_MAX >> 8, &s->offset))
			return bad(s, *at + 1, err, "expected an offset in bytes");
		s->has_offset = s->offset;
		*at += n;
	}
	if (!strncmp(text + *at, "%return", strlen("%return"))) {
		s->is_return = true;
		*at += strlen("%return");
	}
	if (s->is_return && s->has_offset)
		return bad(s, *at, err, "a return has no offset");
	return 0;
}

static int parse_where(struct probe_spec *s, size_t *at, const char *form, struct err *err)
{
	const char *text = s->exprs.text, *ends = "(, +%";
	size_t n;
	int ret;

	if (s->kind == PROBE_USER || s->kind == PROBE_USDT) {
		n = strcspn(text + *at, ":");
		ret = take(s, *at, n, s->path, sizeof(s->path), err);
		if (ret)
			return ret;
		if (!text[*at + n])
			return expr_bad(&s->exprs, "bad probe", *at + n, err, "expected %s", form);
		*at += n + 1;
	}
	n = part_len(text + *at, "(, +%<");
	if (text[*at + n] == ':' && s->kind != PROBE_USER) {
		ret = take(s, *at, n, s->group, sizeof(s->group), err);
		if (ret)
			return ret;
		*at += n + 1;
	} else if (s->kind == PROBE_USDT || s->kind == PROBE_TRACEPOINT) {
		return expr_bad(&s->exprs, "bad probe", *at + n, err, "expected %s", form);
	}
	s->name_at = *at;
	/* A glob of C++ names may have brackets and stars, but no parameters. */
	n = name_len(text + *at, ends);
	ret = take(s, *at, n, s->name, sizeof(s->name), err);
	*at += n;
	if (!ret && (s->kind == PROBE_KERNEL || s->kind == PROBE_USER))
		ret = parse_rest(s, at, err);
	return ret;
}

static void skip_space(const char *text, size_t *at)
{
	while (text[*at] == ' ')
		(*at)++;
}

static int add_arg(struct probe_spec *s, size_t *at, struct err *err)
{
	if (s->nr_args == PROBE_ARGS_MAX)
		return bad(s, *at, err, "at most 16 arguments");
	return expr_parse_arg(&s->exprs, at, &s->args[s->nr_args++], err);
}

/* "*" alone, for all fields of a tracepoint. */
static bool is_star(const char *text)
{
	size_t n = 1 + strspn(text + (*text != '\0'), " ");

	return *text == '*' && (text[n] == ',' || text[n] == ')');
}

static int add_star(struct probe_spec *s, size_t *at, struct err *err)
{
	if (s->kind != PROBE_TRACEPOINT) {
		bad(s, *at, err, "* means all fields of a tracepoint");
		err_hint(err, "skep probe -V shows which arguments a function has");
		return -EINVAL;
	}
	if (s->nr_args == PROBE_ARGS_MAX)
		return bad(s, *at, err, "at most 16 arguments");
	return expr_add_record(&s->exprs, (*at)++, &s->args[s->nr_args++], err);
}

int probe_add_record(struct probe_spec *spec, struct err *err)
{
	return expr_add_record(&spec->exprs, spec->name_at, &spec->args[spec->nr_args++], err);
}

static int parse_args(struct probe_spec *s, size_t *at, struct err *err)
{
	const char *text = s->exprs.text;
	size_t open = *at;
	int ret;

	(*at)++;
	s->has_brackets = true;
	skip_space(text, at);
	for (; text[*at] != ')'; (*at)++) {
		skip_space(text, at);
		ret = is_star(text + *at) ? add_star(s, at, err) : add_arg(s, at, err);
		if (ret)
			return ret;
		skip_space(text, at);
		if (text[*at] == ')')
			break;
		if (text[*at] != ',')
			return text[*at] ? bad(s, *at, err, "expected a comma or a closing bracket") :
					   bad(s, open, err, "no closing bracket after the arguments");
	}
	(*at)++;
	return 0;
}

static bool begins_filter(const char *text)
{
	return !strncmp(text, "if", 2) && (text[2] == ' ' || text[2] == '(' || !text[2]);
}

static int parse_filter(struct probe_spec *s, size_t *at, struct err *err)
{
	const char *text = s->exprs.text;
	int ret;

	skip_space(text, at);
	if (!begins_filter(text + *at))
		return 0;
	*at += 2;
	skip_space(text, at);
	s->filter_at = *at;
	ret = expr_parse(&s->exprs, at, "bad filter", err);
	if (ret < 0)
		return ret;
	s->filter = ret;
	s->filter_len = *at - s->filter_at;
	while (s->filter_len && text[s->filter_at + s->filter_len - 1] == ' ')
		s->filter_len--;
	skip_space(text, at);
	return 0;
}

static int check_text(const char *text, const char *what, struct err *err)
{
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			return err_exit(err, -EINVAL, EXIT_USAGE, "%s: a control character at byte %zu", what, (size_t)(c - text));
	return 0;
}

int probe_filter_parse(const char *text, struct probe_filter *ret_filter, struct err *err)
{
	struct probe_filter *f = ret_filter;
	size_t at = 0;
	int ret;

	*f = (struct probe_filter){ .exprs.text = text };
	ret = check_text(text, "bad filter", err);
	if (!ret)
		ret = expr_parse(&f->exprs, &at, "bad filter", err);
	if (ret < 0)
		return ret;
	f->node = ret;
	return text[at] ? expr_bad(&f->exprs, "bad filter", at, err, "expected an operator") : 0;
}

void probe_filter_free(struct probe_filter *filter)
{
	vec_free(&filter->exprs.nodes);
}

bool probe_is_tracepoint(const char *text)
{
	size_t n = strcspn(text, ":= ("), m;

	/* "schedule:12" is a line of source code to perf */
	if (!n || text[n] != ':' || text[n + 1] == ':')
		return false;
	m = strcspn(text + n + 1, ":= (,");
	return m && !isdigit((unsigned char)text[n + 1]) && text[n + 1 + m] != ':' && text[n + 1 + m] != '=';
}

int probe_add_filter(const char *event, const char *filter, char **ret_text, struct err *err)
{
	bool is_begun = event && probe_begins(event);
	char *text;

	if (!event || (!is_begun && !probe_is_tracepoint(event)) || strchr(event, ',')) {
		err_exit(err, -EINVAL, EXIT_USAGE, "--filter '%s' has no tracepoint before it", filter);
		err_hint(err, "-e sched:sched_switch --filter '...', one event in that -e");
		return -EINVAL;
	}
	if (strstr(event, " if "))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--filter '%s': '%s' has a filter already", filter, event);
	if (asprintf(&text, "%s%s if %s", is_begun ? "" : "t:", event, filter) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	*ret_text = text;
	return 0;
}

bool probe_hint_perf(const char *name, size_t len, struct err *err)
{
	static const char prefix[] = "probe", ret[] = "__return";
	const char *colon = memchr(name, ':', len);
	size_t n = sizeof(prefix) - 1, file, func;
	bool is_return;

	if (!colon || len < n || memcmp(name, prefix, n) || (name[n] != ':' && name[n] != '_'))
		return false;
	file = colon - name > (long)n ? colon - name - n - 1 : 0;
	func = name + len - colon - 1;
	is_return = func > sizeof(ret) - 1 && !memcmp(colon + 1 + func - (sizeof(ret) - 1), ret, sizeof(ret) - 1);
	if (is_return)
		func -= sizeof(ret) - 1;
	err_hint(err, "perf probe is not needed: %s%s:%.*s%s%.*s is that function", file ? "u" : "k", is_return ? "r" : "", (int)file, name + n + 1,
		 file ? ":" : "", (int)func, colon + 1);
	return true;
}

/* Places of one event have the same values, or the kernel refuses them. */
static int check_places(const struct probe_spec *s, struct err *err)
{
	const struct lasting *first = s->lasting->all.data;

	for (size_t i = 0; i < s->lasting->all.n; i++) {
		const struct lasting *l = &s->lasting->all.data[i];

		if (!*l->place)
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s:%s' is at an address, which skep cannot probe", s->group, s->name);
		if (l->is_user != first->is_user || l->is_return != first->is_return || (l->is_user && strcmp(l->place, first->place)))
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s:%s' has places in several files, which skep cannot probe at once", s->group, s->name);
	}
	return 0;
}

/* A tracepoint becomes the probe that it is. 1, 0 or -errno. */
static int take_lasting(struct probe_spec *s, struct err *err)
{
	char name[2 * PROBE_NAME_MAX];
	const struct lasting *l;

	if (glob_is(s->group) || glob_is(s->name))
		return 0;
	snprintf(name, sizeof(name), "%s:%s", s->group, s->name);
	s->lasting = calloc(1, sizeof(*s->lasting));
	if (!s->lasting)
		return -ENOMEM;
	if (lastings_find(name, s->lasting)) {
		free(s->lasting);
		s->lasting = NULL;
		return 0;
	}
	if (check_places(s, err))
		return -EINVAL;
	l = s->lasting->all.data;
	if (snprintf(s->path, sizeof(s->path), "%s", l->is_user ? l->place : "") >= (int)sizeof(s->path))
		return err_exit(err, -ENAMETOOLONG, EXIT_USAGE, "the path of '%s' is too long", name);
	s->kind = l->is_user ? PROBE_USER : PROBE_KERNEL;
	s->is_return = l->is_return;
	for (size_t i = 0; i < s->lasting->all.n && !l->is_user; i++)
		s->has_offset |= s->lasting->all.data[i].offset != 0;
	return 1;
}

int probe_lasting(const char *name, struct probe_spec *ret_spec, struct err *err)
{
	size_t n = strcspn(name, ":");
	struct probe_spec *s = ret_spec;

	*s = (struct probe_spec){ .exprs.text = "", .kind = PROBE_TRACEPOINT };
	if (!name[n] || n >= sizeof(s->group) || strlen(name + n + 1) >= sizeof(s->name))
		return 0;
	memcpy(s->group, name, n);
	strcpy(s->name, name + n + 1);
	return take_lasting(s, err);
}

int probe_parse(const char *text, size_t *at, struct probe_spec *ret_spec, struct err *err)
{
	struct probe_spec *s = ret_spec;
	size_t i = find_prefix(text + *at);
	int ret;

	*s = (struct probe_spec){ .exprs.text = text };
	ret = check_text(text, "bad probe", err);
	if (ret)
		return ret;
	if (is_foreign(text + *at, err))
		return -EINVAL;
	if (i == NR_PREFIXES && !probe_is_tracepoint(text + *at))
		return bad(s, *at, err, "expected k:, kr:, u:, ur:, usdt: or t:");
	s->kind = i == NR_PREFIXES ? PROBE_TRACEPOINT : prefixes[i].kind;
	s->is_return = i < NR_PREFIXES && prefixes[i].is_return;
	*at += i < NR_PREFIXES ? strlen(prefixes[i].prefix) : 0;
	ret = parse_where(s, at, i < NR_PREFIXES ? prefixes[i].form : "SUBSYSTEM:NAME", err);
	if (!ret && text[*at] == '(')
		ret = parse_args(s, at, err);
	if (ret)
		return ret;
	ret = parse_filter(s, at, err);
	if (ret)
		return ret;
	if (text[*at] && text[*at] != ',')
		return bad(s, *at, err, s->filter ? "expected an operator, or a comma and the next event" : "expected (ARGUMENTS), if FILTER, or a comma");
	if (s->kind == PROBE_TRACEPOINT)
		ret = take_lasting(s, err);
	return ret < 0 ? ret : 0;
}

/* "@SRC" and ":LINE" after a function's name; or before them SRC alone, "t.c:12". */
static int parse_source(struct probe_spec *s, size_t *at, struct err *err)
{
	const char *text = s->exprs.text;
	uint64_t line = 0;
	char number[16];
	size_t n;
	int ret = 0;

	if (text[*at] == ';')
		return bad(s, *at, err, "patterns of lines are not supported: FUNCTION:LINE, FILE:LINE");
	if (s->kind == PROBE_KERNEL && (text[*at] == ':' || text[*at] == '@')) {
		bad(s, *at, err, "lines of source code cannot be probed");
		err_hint(err, "those of programs can, with -x; in the kernel a function with an offset, FUNCTION+OFFSET");
		return -EINVAL;
	}
	if (text[*at] == '@') {
		n = strcspn(text + *at + 1, " :+%;");
		ret = take(s, *at + 1, n, s->file, sizeof(s->file), err);
		*at += 1 + n;
	}
	if (ret || text[*at] != ':')
		return ret;
	n = strspn(text + *at + 1, "0123456789");
	snprintf(number, sizeof(number), "%.*s", (int)(n < sizeof(number) ? n : 0), text + *at + 1);
	if (num_u64(number, INT32_MAX, &line))
		return bad(s, *at + 1, err, "expected the number of a line");
	s->line = (uint32_t)line;
	s->has_line = true;
	*at += 1 + n;
	if (!*s->file && strpbrk(s->name, "./")) {
		memcpy(s->file, s->name, sizeof(s->file));
		s->name[0] = '\0';
	}
	return 0;
}

static int parse_point(struct probe_spec *s, size_t *at, struct err *err)
{
	const char *text = s->exprs.text;
	size_t n = name_len(text + *at, " +%@:;(");
	int ret = take(s, *at, n, s->name, sizeof(s->name), err);

	if (ret)
		return ret;
	*at += n;
	if (!strncmp(s->name, "0x", 2) && !num_u64(s->name, UINT64_MAX, &s->offset)) {
		s->is_address = true;
		return 0;
	}
	ret = parse_source(s, at, err);
	if (!ret && text[*at] && text[*at] != ' ' && s->has_line)
		return bad(s, *at, err, "a line has no offset, and no return");
	return ret ? ret : parse_rest(s, at, err);
}

int probe_parse_perf(const char *text, const char *path, struct probe_spec *ret_spec, struct err *err)
{
	struct probe_spec *s = ret_spec;
	size_t at = 0, n;
	int ret;

	*s = (struct probe_spec){ .exprs.text = text, .exprs.has_spaces = true, .kind = path ? PROBE_USER : PROBE_KERNEL };
	ret = check_text(text, "bad probe", err);
	if (ret)
		return ret;
	skip_space(text, &at);
	if (is_foreign(text + at, err))
		return -EINVAL;
	n = strcspn(text + at, " =");
	if (text[at + n] == '=') /* perf stores events by such names, and we none */
		at += n + 1;
	if (path && snprintf(s->path, sizeof(s->path), "%s", path) >= (int)sizeof(s->path))
		return err_exit(err, -ENAMETOOLONG, EXIT_USAGE, "the path of -x is too long");
	s->name_at = at;
	ret = parse_point(s, &at, err);
	if (!ret && text[at] && text[at] != ' ')
		return bad(s, at, err, "expected a space between the function and its arguments");
	for (skip_space(text, &at); !ret && text[at] && !begins_filter(text + at); skip_space(text, &at))
		ret = add_arg(s, &at, err);
	if (!ret)
		ret = parse_filter(s, &at, err);
	if (!ret && text[at])
		return bad(s, at, err, "expected an operator");
	return ret;
}

void probe_free(struct probe_spec *spec)
{
	vec_free(&spec->exprs.nodes);
	if (spec->lasting)
		lastings_free(spec->lasting);
	free(spec->lasting);
	spec->lasting = NULL;
}

size_t probe_title(const struct probe_spec *s, const char *name, char *buf, size_t size)
{
	const char *prefix = s->lasting		  ? s->group :
			     s->kind == PROBE_KERNEL ? "k" :
			     s->kind == PROBE_USER	  ? "u" :
			     s->kind == PROBE_USDT	  ? "usdt" :
						    "t";
	bool both = s->filter && s->also, is_place = !s->lasting;
	const char *path = is_place ? s->path : "", *group = is_place && !name ? s->group : "";
	char offset[32] = "";

	if (s->has_offset && is_place)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)s->offset);
	return snprintf(buf, size, "%s%s:%s%s%s%s%s%s%s%s%.*s%s%s%s", prefix, s->is_return && is_place ? "r" : "", path, *path ? ":" : "", group,
			*group ? ":" : "", name && is_place ? name : s->name, offset, s->filter || s->also ? " if " : "", both ? "(" : "",
			(int)s->filter_len, s->exprs.text + s->filter_at, both ? ") && (" : "", s->also ? s->also->exprs.text : "",
			both ? ")" : "");
}
