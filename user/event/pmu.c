/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A PMU is a directory: its number in `type`, its terms in format/ ("config:0-7,32-35": the bits that a value is spread over), the
 * names of its events in events/, each a list of terms.
 */
#include "event/pmu.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/num.h"

#define SYSFS "/sys/bus/event_source/devices"
#define FILE_MAX 512
#define NAME_LEN 64
#define SHOWN_MAX ((size_t)64) /* bytes of the user's text in a message */

/* Where a term was written, for the caret: in the user's text, or all of a name's own terms at that name. */
struct written {
	const char *text;
	size_t begin, end; /* of the event */
	size_t at;
	struct err *err;
};

/* A line of sysfs without its newline: how long, or -errno. `what` has several parts of a path. */
static int read_line(const char *pmu, const char *folder, const char *name, const char *ending, char *buf, size_t size)
{
	char path[512];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s%s%s%s", SYSFS, pmu, folder, *folder ? "/" : "", name, ending);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	n = fread(buf, 1, size - 1, f);
	fclose(f);
	buf[n] = '\0';
	n = strcspn(buf, "\n");
	buf[n] = '\0';
	return n;
}

static int read_type(const char *pmu, uint32_t *ret_type)
{
	char line[32];
	uint64_t type;
	int n = read_line(pmu, "", "type", "", line, sizeof(line));

	if (n < 0 || num_u64(line, UINT32_MAX, &type))
		return -ENOENT;
	*ret_type = type;
	return 0;
}

/* A name that may be a part of a path. */
static bool plain_name(const char *name, size_t len)
{
	return len && len < NAME_LEN && name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") >= len;
}

static bool is(const char *name, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(name, word, len);
}

/* Spreads a value over the bits of a format, lowest first. */
struct spread_bits {
	uint64_t value, *config;
};

static int put_bit(void *arg, uint64_t bit)
{
	struct spread_bits *s = arg;

	*s->config = (*s->config & ~(1ull << bit)) | (s->value & 1) << bit;
	s->value >>= 1;
	return 0;
}

/* "config1:0-2,7" */
static int put_value(const char *format, uint64_t value, struct event *e)
{
	struct spread_bits s = { .value = value };
	const char *colon = strchr(format, ':');

	if (!colon)
		return -ENOTSUP;
	if (is(format, colon - format, "config"))
		s.config = &e->config;
	else if (is(format, colon - format, "config1"))
		s.config = &e->config1;
	else if (is(format, colon - format, "config2"))
		s.config = &e->config2;
	else
		return -ENOTSUP;
	if (num_list(colon + 1, 63, put_bit, &s))
		return -ENOTSUP;
	return s.value ? -ERANGE : 0;
}

static int bad(const struct written *w, const char *what, const char *term, size_t len, const char *why)
{
	size_t shown = w->end - w->begin < SHOWN_MAX ? w->end - w->begin : SHOWN_MAX;

	err_exit(w->err, -EINVAL, EXIT_USAGE, "bad event '%.*s': %s '%.*s' %s", (int)shown, w->text + w->begin, what,
		 (int)(len < SHOWN_MAX ? len : SHOWN_MAX), term, why);
	err_caret(w->err, w->text, w->at);
	return -EINVAL;
}

/* The terms that every PMU has, or -ENOENT. */
static int common_term(const char *name, size_t len, uint64_t value, struct event *e)
{
	if (is(name, len, "config")) {
		e->config = value;
	} else if (is(name, len, "config1")) {
		e->config1 = value;
	} else if (is(name, len, "config2")) {
		e->config2 = value;
	} else if (is(name, len, "period") || is(name, len, "freq")) {
		e->freq = name[0] == 'f';
		e->period_or_freq = value;
	} else {
		return -ENOENT;
	}
	return 0;
}

static int put_terms(const char *pmu, const char *terms, size_t len, const struct written *w, bool is_alias, struct event *e);

/* The terms of a name in events/, its unit and scale. */
static int put_alias(const char *pmu, const char *name, const struct written *w, struct event *e)
{
	char line[FILE_MAX];
	int n = read_line(pmu, "events", name, "", line, sizeof(line));
	double scale;

	if (n < 0)
		return -ENOENT;
	if (strchr(line, '?'))
		return bad(w, "event", name, strlen(name), "needs values: write its terms out");
	n = put_terms(pmu, line, n, w, true, e);
	if (n)
		return n;
	if (read_line(pmu, "events", name, ".unit", line, sizeof(line)) > 0 && plain_name(line, strlen(line)))
		snprintf(e->pmu_unit, sizeof(e->pmu_unit), "%.15s", line);
	if (read_line(pmu, "events", name, ".scale", line, sizeof(line)) > 0) {
		scale = strtod(line, NULL);
		e->scale = scale > 0 ? scale : 0;
	}
	return 0;
}

static int offer(void *arg, const char *folder_pmu, const char *event, const char *terms)
{
	struct near *near = arg;

	(void)folder_pmu;
	(void)terms;
	near_offer(near, event, strlen(event));
	return 0;
}

static int each_in(const char *pmu, const char *folder, int (*each)(void *arg, const char *pmu, const char *event, const char *terms),
		   void *arg);

static int no_term(const char *pmu, const char *term, size_t len, const struct written *w)
{
	struct near near;

	near_init(&near, term, len);
	each_in(pmu, "format", offer, &near);
	each_in(pmu, "events", offer, &near);
	bad(w, "term", term, len, "is not one of this PMU");
	near_hint(&near, w->err);
	return -EINVAL;
}

/* NAME or NAME=VALUE */
static int put_term(const char *pmu, const char *term, size_t len, const struct written *w, bool is_alias, struct event *e)
{
	const char *equals = memchr(term, '=', len);
	size_t name_len = equals ? (size_t)(equals - term) : len;
	char name[NAME_LEN], text[32], format[FILE_MAX];
	uint64_t value = 1;
	int ret;

	if (!plain_name(term, name_len))
		return bad(w, "term", term, len, "is not NAME or NAME=VALUE");
	memcpy(name, term, name_len);
	name[name_len] = '\0';
	if (equals && !strcmp(name, "name")) {
		if (!plain_name(equals + 1, len - name_len - 1))
			return bad(w, "term", term, len, "may have only letters, digits, _, - and .");
		memcpy(e->name, equals + 1, len - name_len - 1);
		e->name[len - name_len - 1] = '\0';
		return 0;
	}
	if (!equals && !is_alias && read_line(pmu, "format", name, "", format, sizeof(format)) < 0) {
		ret = put_alias(pmu, name, w, e);
		return ret == -ENOENT ? no_term(pmu, term, len, w) : ret;
	}
	if (equals) {
		size_t n = len - name_len - 1;

		if (n >= sizeof(text))
			return bad(w, "value of", name, name_len, "is not a number");
		memcpy(text, equals + 1, n);
		text[n] = '\0';
		if (num_u64(text, UINT64_MAX, &value))
			return bad(w, "value of", name, name_len, "is not a number");
	}
	if (equals && !common_term(name, name_len, value, e))
		return 0;
	if (read_line(pmu, "format", name, "", format, sizeof(format)) < 0)
		return no_term(pmu, term, name_len, w);
	ret = put_value(format, value, e);
	if (ret == -ERANGE)
		return bad(w, "value of", name, name_len, "is too large for its bits");
	return ret ? bad(w, "term", name, name_len, "has bits that skep does not know") : 0;
}

static int put_terms(const char *pmu, const char *terms, size_t len, const struct written *w, bool is_alias, struct event *e)
{
	for (size_t at = 0; at < len; at++) {
		size_t n = 0;
		struct written here = *w;
		int ret;

		while (at + n < len && terms[at + n] != ',')
			n++;
		if (!is_alias)
			here.at += at;
		ret = put_term(pmu, terms + at, n, &here, is_alias, e);
		if (ret)
			return ret;
		at += n;
	}
	return 0;
}

/* How its stacks are walked. 1: it is another term. */
static int put_stack_term(const char *term, size_t len, const struct written *w, struct event *e)
{
	const char *equals = memchr(term, '=', len);
	size_t name_len = equals ? (size_t)(equals - term) : len, n = len - name_len - !!equals;
	char text[sizeof(e->call_graph)] = "";
	uint64_t value;

	if (!equals || (!is(term, name_len, "call-graph") && !is(term, name_len, "max-stack")))
		return 1;
	if (n && n < sizeof(text))
		memcpy(text, equals + 1, n);
	if (*term == 'c' && *text) {
		memcpy(e->call_graph, text, sizeof(text));
		return 0;
	}
	if (*term == 'c' || num_u64(text, UINT32_MAX, &value) || !value)
		return bad(w, "value of", term, name_len, *term == 'c' ? "is no way to walk stacks" : "is not a number");
	e->max_stack = (uint32_t)value;
	return 0;
}

/* One of those that events of no PMU have. */
static int put_plain_term(const char *term, size_t len, const struct written *w, struct event *e)
{
	static const char *const words[] = { "period", "freq", "name" };
	const char *equals = memchr(term, '=', len);
	size_t name_len = equals ? (size_t)(equals - term) : len;
	int ret = put_stack_term(term, len, w, e);

	if (ret <= 0)
		return ret;
	if (e->kind != EVENT_COUNTER)
		return bad(w, "term", term, name_len, "is not available for a tracepoint: only call-graph= and max-stack= are");
	for (size_t i = 0; equals && i < sizeof(words) / sizeof(words[0]); i++)
		if (is(term, name_len, words[i]))
			return put_term("", term, len, w, false, e);
	return bad(w, "term", term, name_len, "is not available for one event alone: only period=, freq=, name=, and for one event call-graph= and max-stack= are");
}

int event_terms(const char *text, size_t at, size_t from, size_t to, struct event *e, struct err *err)
{
	for (size_t n = 0; from < to; from += n + 1) {
		const char *comma = memchr(text + from, ',', to - from);
		struct written w = { text, at, to, from, err };
		int ret;

		n = comma ? (size_t)(comma - text) - from : to - from;
		ret = put_plain_term(text + from, n, &w, e);
		if (ret)
			return ret;
	}
	return 0;
}

int pmu_event(const char *text, size_t at, size_t end, struct event *ret_event, struct err *err)
{
	const char *slash = memchr(text + at, '/', end - at);
	struct written w = { text, at, end, at, err };
	struct event e = *ret_event;
	char pmu[NAME_LEN];
	size_t len;
	int ret;

	if (!slash || end <= (size_t)(slash - text) + 1 || text[end - 1] != '/')
		return -ENOENT;
	len = slash - (text + at);
	if (!plain_name(text + at, len))
		return -ENOENT;
	memcpy(pmu, text + at, len);
	pmu[len] = '\0';
	if (read_type(pmu, &e.type))
		return -ENOENT;
	e.kind = EVENT_COUNTER;
	e.unit = "events";
	w.at = slash + 1 - text;
	snprintf(e.pmu, sizeof(e.pmu), "%s", pmu);
	ret = put_terms(pmu, slash + 1, end - 1 - w.at, &w, false, &e);
	if (!ret)
		*ret_event = e;
	return ret;
}

/* Calls each() for every name in PMU/folder with its contents. */
static int each_in(const char *pmu, const char *folder, int (*each)(void *arg, const char *pmu, const char *event, const char *terms),
		   void *arg)
{
	char path[256], line[FILE_MAX];
	struct dirent **entries;
	int n, ret = 0;

	snprintf(path, sizeof(path), "%s/%s/%s", SYSFS, pmu, folder);
	n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;

		/* NAME.unit and NAME.scale belong to NAME */
		if (!ret && !strchr(name, '.') && read_line(pmu, folder, name, "", line, sizeof(line)) >= 0)
			ret = each(arg, pmu, name, line);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret;
}

int pmu_each(int (*each)(void *arg, const char *pmu, uint32_t type), void *arg)
{
	struct dirent **entries;
	int n = scandir(SYSFS, &entries, NULL, alphasort), ret = 0;
	uint32_t type;

	for (int i = 0; i < n; i++) {
		if (!ret && plain_name(entries[i]->d_name, strlen(entries[i]->d_name)) && !read_type(entries[i]->d_name, &type))
			ret = each(arg, entries[i]->d_name, type);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret;
}

struct cores {
	int (*each)(void *arg, const char *pmu, uint32_t type);
	void *arg;
	bool any;
};

/* Only a PMU of cores has the file `cpus`. */
static int each_core(void *arg, const char *pmu, uint32_t type)
{
	struct cores *c = arg;
	char line[FILE_MAX];

	if (read_line(pmu, "", "cpus", "", line, sizeof(line)) <= 0)
		return 0;
	c->any = true;
	return c->each(c->arg, pmu, type);
}

int pmu_each_core(int (*each)(void *arg, const char *pmu, uint32_t type), void *arg)
{
	struct cores c = { each, arg, false };
	int ret = pmu_each(each_core, &c);

	return c.any ? ret : each(arg, "cpu", PERF_TYPE_RAW);
}

struct walk {
	int (*each)(void *arg, const char *pmu, const char *event, const char *terms);
	void *arg;
};

static int walk_events(void *arg, const char *pmu, uint32_t type)
{
	struct walk *w = arg;

	(void)type;
	return each_in(pmu, "events", w->each, w->arg);
}

int pmu_each_event(int (*each)(void *arg, const char *pmu, const char *event, const char *terms), void *arg)
{
	struct walk w = { each, arg };

	return pmu_each(walk_events, &w);
}

struct search {
	const char *name;
	size_t len;
	char pmu[NAME_LEN];
};

static int match(void *arg, const char *pmu, const char *event, const char *terms)
{
	struct search *s = arg;

	(void)terms;
	if (!is(s->name, s->len, event))
		return 0;
	snprintf(s->pmu, sizeof(s->pmu), "%s", pmu);
	return 1;
}

int pmu_named_event(const char *text, size_t at, size_t end, struct event *ret_event, struct err *err)
{
	const struct written w = { text, at, end, at, err };
	struct search s = { text + at, end - at, "" };
	struct event e = *ret_event;
	char name[NAME_LEN];
	int ret;

	if (!plain_name(s.name, s.len) || !pmu_each_event(match, &s) || read_type(s.pmu, &e.type))
		return -ENOENT;
	memcpy(name, s.name, s.len);
	name[s.len] = '\0';
	e.kind = EVENT_COUNTER;
	e.unit = "events";
	snprintf(e.pmu, sizeof(e.pmu), "%s", s.pmu);
	ret = put_alias(s.pmu, name, &w, &e);
	if (!ret)
		*ret_event = e;
	return ret;
}

int pmu_each_cpu(const char *pmu, int (*each)(void *arg, uint64_t cpu), void *arg)
{
	char line[FILE_MAX];

	/* cpumask: one CPU counts for its socket; cpus: a core PMU that not every CPU has */
	if (read_line(pmu, "", "cpumask", "", line, sizeof(line)) <= 0 && read_line(pmu, "", "cpus", "", line, sizeof(line)) <= 0)
		return -ENOENT;
	return num_list(line, UINT32_MAX, each, arg);
}
