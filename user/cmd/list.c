/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep list: what can be counted, traced and probed here. */
#include "cmd/list.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/refusal.h"
#include "cmd/cmd.h"
#include "ui/terminal.h"
#include "util/glob.h"
#include "util/log.h"
#include "util/outfile.h"

#define CHEAP (1u << LIST_HARDWARE | 1u << LIST_CACHE | 1u << LIST_SOFTWARE | 1u << LIST_PMU | 1u << LIST_TRACEPOINT | 1u << LIST_SYSCALL)

struct list {
	const char *format, *out;
	bool json, verbose;
};

static const struct opt list_opts[] = {
	{ 'v', "verbose", NULL, OPT_FLAG, offsetof(struct list, verbose), "fields and types, terms, prototypes, addresses, and an example" },
	{ 0, "long-desc", NULL, OPT_FLAG, offsetof(struct list, verbose), "the same as -v" },
	{ 0, "details", NULL, OPT_FLAG, offsetof(struct list, verbose), "the same as -v" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct list, out), "where to write (default: standard output)" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct list, format), "text, csv or json (one object)", .values = ROWS_FORMATS },
	{ 'j', "json", NULL, OPT_FLAG, offsetof(struct list, json), "the same as --format json" },
	{ 0 },
};

static const struct opt nothing_opts[] = {
	{ 'd', "desc", NULL, OPT_NOTHING, 0, "events have no descriptions; -v has their fields and terms" },
	{ 0, "deprecated", NULL, OPT_NOTHING, 0, "no event is hidden" },
	{ 0, "debug", NULL, OPT_NOTHING, 0, "notes say what could not be listed" },
	{ 0 },
};

#define OF_MODELS "is of perf's tables of CPU models, which skep does not have"

static const struct opt_other list_others[] = {
	{ "metric", OF_MODELS, "perf list metric; skep list '*metric*' for names with this word" },
	{ "metrics", OF_MODELS, "perf list metric; skep list '*metrics*' for names with this word" },
	{ "metricgroup", OF_MODELS, "perf list metricgroup" },
	{ "metricgroups", OF_MODELS, "perf list metricgroup" },
	{ "sdt", "needs a file: skep keeps no cache of static probes", "skep list usdt:FILE" },
	{ "--cputype", "needs the kinds of CPUs, which skep does not tell apart", "skep list 'cpu_core/*'" },
	{ "--unit", "is not available: a PMU is a part of the name", "skep list 'PMU/*'" },
	{ "--raw-dump", "is not available", "skep list --format csv | cut -d, -f2" },
	{ 0 },
};

static const struct opt_rule list_rules[] = {
	{ "json", .not_with = "format" },
	{ 0 },
};

static const struct opt_group list_groups[] = {
	{ "Output", list_opts, 0, list_rules },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

bool list_asks(const struct list_run *run, enum list_kind kind)
{
	for (size_t i = 0; i < run->nr_queries; i++)
		if (run->queries[i].kinds & 1u << kind)
			return true;
	return false;
}

static bool matches(const struct list_query *q, const char *name)
{
	if (!name)
		return false;
	if (!q->glob)
		return true;
	return q->is_part ? strcasestr(name, q->glob) != NULL : glob_match(q->glob, name, strlen(name));
}

bool list_wants(struct list_run *run, enum list_kind kind, const char *name, const char *alias)
{
	bool wants = false;

	if (run->near) {
		near_offer(run->near, name, strlen(name));
		if (alias)
			near_offer(run->near, alias, strlen(alias));
		return false;
	}
	for (size_t i = 0; i < run->nr_queries; i++) {
		struct list_query *q = &run->queries[i];

		if (!(q->kinds & 1u << kind) || !(matches(q, name) || matches(q, alias)))
			continue;
		q->nr++;
		wants = true;
	}
	return wants;
}

void list_note(struct list_run *run, const char *fmt, ...)
{
	char *note = run->notes[run->nr_notes];
	va_list ap;

	if (run->nr_notes == LIST_NOTES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(note, sizeof(run->notes[0]), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < run->nr_notes; i++)
		if (!strcmp(run->notes[i], note))
			return;
	run->nr_notes++;
}

void list_refuse(struct list_run *run, enum list_kind kind, int ret, const char *why, const char *hint)
{
	for (size_t i = 0; i < run->nr_queries; i++) {
		struct list_query *q = &run->queries[i];

		if (!(q->kinds & 1u << kind))
			continue;
		q->refused = ret;
		snprintf(q->refusal, sizeof(q->refusal), "%s", why);
		snprintf(q->hint, sizeof(q->hint), "%s", hint ? hint : "");
	}
	list_note(run, "no %s: %s", list_kinds[kind].name, why);
}

const char *list_example(const char *name, const char *rest)
{
	static char text[LIST_EXAMPLE_MAX];
	bool plain = !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:./@+-")];
	int n;

	for (const char *at = name; *at; at++)
		if (*at == '\'' || *at == ',' || (unsigned char)*at < ' ')
			return NULL;
	n = snprintf(text, sizeof(text), plain ? "skep stat -e %s %s" : "skep stat -e '%s' %s", name, rest);
	return n < (int)sizeof(text) ? text : NULL;
}

/* "/path:GLOB" to path and glob: the longest beginning that is there, else up to the first colon. */
static int split_path(const char *text, struct list_query *q, struct err *err)
{
	size_t len = strlen(text);
	char *path = strdup(text);

	if (!path)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t end = len; end > 0; end--) {
		if (text[end] && text[end] != ':')
			continue;
		path[end] = '\0';
		if (!access(path, F_OK) || !memchr(text, ':', end))
			break;
	}
	q->path = path;
	len = strlen(path);
	q->glob = text[len] && text[len + 1] ? text + len + 1 : NULL;
	if (*path)
		return 0;
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad name '%s': no file after the colon", q->text);
}

static int parse_query(const char *text, struct list_query *q, struct err *err)
{
	*q = (struct list_query){ .text = text };
	if (!*text)
		return err_exit(err, -EINVAL, EXIT_USAGE, "empty name");
	if (text[0] == '-' && text[1]) {
		err_exit(err, -EINVAL, EXIT_USAGE, "bad name '%s': options go before names", text);
		err_hint(err, "skep list %s GLOB", text);
		return -EINVAL;
	}
	for (int kind = 0; kind < LIST_KINDS; kind++)
		if (!strcmp(text, list_kinds[kind].name) || (list_kinds[kind].alias && !strcmp(text, list_kinds[kind].alias)))
			q->kinds = 1u << kind;
	if (q->kinds & (1u << LIST_USER | 1u << LIST_USDT)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "'%s' needs a file", text);
		err_hint(err, "skep list '%s:/path/of/a/program:*'", q->kinds & 1u << LIST_USER ? "u" : "usdt");
		return -EINVAL;
	}
	if (q->kinds)
		return 0;
	if (!strncmp(text, "k:", 2)) {
		q->kinds = 1u << LIST_KERNEL;
		q->glob = text[2] ? text + 2 : NULL;
		return 0;
	}
	if (!strncmp(text, "u:", 2) || !strncmp(text, "usdt:", 5)) {
		q->kinds = 1u << (text[1] == ':' ? LIST_USER : LIST_USDT);
		return split_path(strchr(text, ':') + 1, q, err);
	}
	q->kinds = CHEAP;
	q->glob = text;
	q->is_part = !glob_is(text) && !strpbrk(text, ":/");
	return 0;
}

/* One operand alone: what another one asks for is listed in its own turn. */
static int list_query(struct list_run *run, struct list_query *q, struct err *err)
{
	struct list_query *queries = run->queries;
	size_t nr_queries = run->nr_queries;
	int ret = 0;

	run->queries = q;
	run->nr_queries = 1;
	if (q->kinds & 1u << LIST_KERNEL)
		ret = list_kernel(run, q, err);
	else if (q->kinds & (1u << LIST_USER | 1u << LIST_USDT))
		ret = list_program(run, q, err);
	run->queries = queries;
	run->nr_queries = nr_queries;
	return ret;
}

/* The first query without a row: why, and what is called nearly so. */
static int explain(struct list_query *q, struct err *err)
{
	struct list_run again = { .queries = q, .nr_queries = 1 };
	struct near near;
	int ret;

	if (q->refused && (q->kinds != CHEAP || strchr(q->text, ':'))) {
		err_exit(err, q->refused, EXIT_CANNOT, "cannot list '%s': %s", q->text, q->refusal);
		if (q->hint[0])
			err_hint(err, "%s", q->hint);
		return q->refused;
	}
	if (!q->glob)
		return err_set(err, -ENOENT, "'%s' has nothing to list", q->text);
	if (!glob_is(q->glob)) {
		near_init(&near, q->kinds == CHEAP ? q->text : q->glob, strlen(q->kinds == CHEAP ? q->text : q->glob));
		again.near = &near;
		ret = q->kinds == CHEAP ? list_events(&again, err) : list_query(&again, q, err);
		if (ret)
			return ret;
	}
	ret = err_set(err, -ENOENT, "no event or function matches '%s'", q->text);
	if (again.near)
		near_hint(&near, err);
	else if (q->kinds == CHEAP)
		err_hint(err, "'k:GLOB' lists kernel functions, 'u:FILE:GLOB' and 'usdt:FILE:GLOB' those of a program");
	return ret;
}

static int print_all(struct list_run *run, const struct list *l, FILE *out, struct err *err)
{
	const char *notes[LIST_NOTES_MAX];
	bool privileged = kernel_has_cap(CAP_SYS_ADMIN) || (kernel_has_cap(CAP_BPF) && kernel_has_cap(CAP_PERFMON));
	const struct rows_format *format = rows_format(l->json ? "json" : l->format ? l->format : "text");
	bool is_json = format->in == IN_JSON;
	int ret, end;

	list_begin(&run->out, out, format, run->details, privileged, terminal_columns(l->out && !outfile_is_stdout(l->out) ? -1 : STDOUT_FILENO));
	ret = list_events(run, err);
	for (size_t i = 0; i < run->nr_queries && !ret; i++)
		ret = list_query(run, &run->queries[i], err);
	for (size_t i = 0; i < run->nr_notes; i++) {
		notes[i] = run->notes[i];
		/* Said as the error where there is nothing else. */
		if (!is_json && run->out.nr_rows)
			log_note("note: %s", notes[i]);
	}
	if (ret && (!is_json || ferror(out)))
		return ferror(out) ? 0 : ret; /* outfile_commit() reports a failed write, with its reason, or a reader that had enough */
	end = list_end(&run->out, notes, run->nr_notes);
	if (end && end != -EIO) /* outfile_commit() reports a failed write, with its reason */
		return err_set(err, end, "cannot print the list: %s", strerror(-end));
	for (size_t i = 0; i < run->nr_queries && !ret; i++)
		if (!run->queries[i].nr)
			ret = explain(&run->queries[i], err);
	return ret;
}

static int list_main(void *cfg, char **operands, struct err *err)
{
	struct list_query all = { .text = "*", .kinds = CHEAP };
	const struct list *l = cfg;
	struct list_run run = { .details = l->verbose || log_level > 0 };
	struct outfile out;
	size_t n = 0;
	int64_t bytes;
	int ret = 0;

	while (operands[n])
		n++;
	run.queries = calloc(n + 1, sizeof(*run.queries));
	if (!run.queries)
		return err_set(err, -ENOMEM, "out of memory");
	for (; run.nr_queries < n && !ret; run.nr_queries++)
		ret = parse_query(operands[run.nr_queries], &run.queries[run.nr_queries], err);
	if (!n)
		run.queries[run.nr_queries++] = all;
	if (!ret)
		ret = outfile_open(&out, l->out ? l->out : "-", err);
	if (!ret) {
		ret = print_all(&run, l, out.stream, err);
		bytes = ret ? 0 : outfile_commit(&out, err);
		ret = bytes < 0 ? (int)bytes : ret;
		outfile_abort(&out);
	}
	for (size_t i = 0; i < run.nr_queries; i++)
		free(run.queries[i].path);
	free(run.queries);
	return ret;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "list what can be counted, traced and probed here",
	.operands = "[KIND|GLOB...]",
	.groups = list_groups,
	.cfg_size = sizeof(struct list),
	.examples = "skep list                                   all events and system calls\n"
		    "skep list software fault                    a kind; names with 'fault' in them\n"
		    "skep list -v sched:sched_switch             its fields and their types\n"
		    "skep list 'k:vfs_*'                         kernel functions with their parameters\n"
		    "skep list 'u:/bin/bash:read*'               functions of a program\n",
	.run = list_main,
	.others = list_others,
};
