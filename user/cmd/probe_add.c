/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A definition in perf's spelling to lines of tracefs: its point by the finder of all probes, its arguments by their binder. */
#include "cmd/probe_add.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/probe_def.h"
#include "event/fetch.h"
#include "event/lasting.h"
#include "event/site.h"
#include "util/glob.h"
#include "util/log.h"

#define PLACES_MAX 128  /* of one definition, as perf probe --max-probes has it: each slows what it is in until it is deleted */
#define SUFFIX_MAX 1024 /* of names that are taken: MAX_EVENT_INDEX of perf's probe-event.c */

/* One line for the kernel, and what is printed of it. */
struct made {
	bool is_user;
	char *line;
	char group[LASTING_NAME_MAX], name[LASTING_NAME_MAX];
	const struct probe_def *words; /* whose it is */
};

struct adder {
	const struct probe_add_cfg *cfg;
	struct lastings there;
	VEC(struct made) made;
	VEC(struct probe_def *) words;
	struct err *err;
};

/* Letters, digits and _ only, as the kernel wants names. */
static void put_name(char *buf, size_t size, const char *text, const char *ends)
{
	size_t n = strcspn(text, ends), at = 0;

	if (n && isdigit((unsigned char)*text) && at + 1 < size)
		buf[at++] = '_';
	for (size_t i = 0; i < n && at + 1 < size; i++)
		buf[at++] = isalnum((unsigned char)text[i]) ? text[i] : '_';
	buf[at] = '\0';
}

/* "probe", "probe_libc" of libc.so.6 */
static void put_group(const struct probe_def *w, const char *path, char *buf, size_t size)
{
	char file[LASTING_NAME_MAX];

	if (*w->group || !*path) {
		snprintf(buf, size, "%s", *w->group ? w->group : "probe");
		return;
	}
	put_name(file, sizeof(file) - strlen("probe_"), strrchr(path, '/') + 1, "-._");
	snprintf(buf, size, "probe_%.57s", file);
}

static bool is_taken(const struct adder *a, const char *group, const char *name)
{
	for (size_t i = 0; i < a->there.all.n; i++)
		if (!strcmp(a->there.all.data[i].group, group) && !strcmp(a->there.all.data[i].name, name))
			return true;
	for (size_t i = 0; i < a->made.n; i++)
		if (!strcmp(a->made.data[i].group, group) && !strcmp(a->made.data[i].name, name))
			return true;
	return false;
}

/* is_more: a further place of a definition, numbered in any case: two functions of a glob may have equal names but for their endings (foo, foo.part.0). */
static int choose_name(struct adder *a, const struct probe_def *w, const struct site *site, bool is_more, struct made *m)
{
	char base[LASTING_NAME_MAX], tail[16] = "";
	int n;

	if (*w->event)
		put_name(base, sizeof(base), w->event, "");
	else if (w->spec.is_address)
		snprintf(base, sizeof(base), "abs_%llx", (unsigned long long)w->spec.offset);
	else
		put_name(base, sizeof(base), site->name, ".@(<");
	if (!*w->event && w->spec.is_return)
		snprintf(tail, sizeof(tail), "__return");
	else if (!*w->event && w->spec.has_line && *w->spec.name)
		snprintf(tail, sizeof(tail), "_L%u", w->spec.line);
	n = snprintf(m->name, sizeof(m->name), "%s%s", base, tail);
	for (int i = 1; n < (int)sizeof(m->name) && is_taken(a, m->group, m->name); i++) {
		if ((!is_more && !a->cfg->force) || i == SUFFIX_MAX) {
			err_exit(a->err, -EEXIST, EXIT_FAILED, "event \"%s\" already exists", m->name);
			err_hint(a->err, "skep probe --del %s:%s removes it, -f adds another one with a number after its name", m->group, m->name);
			return -EEXIST;
		}
		n = snprintf(m->name, sizeof(m->name), "%s%s_%d", base, tail, i);
	}
	if (n < (int)sizeof(m->name))
		return 0;
	return err_exit(a->err, -ENAMETOOLONG, EXIT_USAGE, "the name '%s...' is too long: name it, NAME=%s", m->name, w->point);
}

static int put_args(const struct probe_def *w, const struct site *site, bool is_go, FILE *f, struct err *err)
{
	char text[512];

	for (int i = 0; i < w->nr_args; i++) {
		const struct probe_word *arg = &w->args[i];
		int ret = arg->bound < 0 ? 0 : fetch_text(&site->bound, arg->bound, arg->type, is_go, text, sizeof(text), err);

		if (ret)
			return ret;
		fprintf(f, " %s%s%s", arg->name, *arg->name ? "=" : "", arg->bound < 0 ? arg->text : text);
	}
	return 0;
}

static void put_place(const struct probe_def *w, const struct site *site, const char *path, FILE *f)
{
	if (*path)
		fprintf(f, "%s:0x%llx", path, (unsigned long long)site->addr);
	else if (w->spec.is_address)
		fprintf(f, "0x%llx", (unsigned long long)w->spec.offset);
	else
		fprintf(f, "%s%s%s+%llu", site->module ? site->module : "", site->module ? ":" : "", site->name, (unsigned long long)w->spec.offset);
}

/* is_more: not the first place of a definition: one more of the same event, unless the definition is a glob. */
static int make_line(struct adder *a, const struct probe_def *w, const struct site_list *sites, const struct site *site, bool is_more)
{
	struct made m = { .is_user = *sites->path, .words = w };
	size_t size;
	FILE *f;
	int ret = 0;

	if (site->at_ret)
		return err_exit(a->err, -EINVAL, EXIT_USAGE, "'%s': the return of a Go function has no probe that stays, Go's stacks move", w->point);
	if (w->spec.is_return && site->bound.needs_entry)
		return err_exit(a->err, -EINVAL, EXIT_USAGE, "'%s': a probe of a return that stays has $retval only, not the parameters", w->point);
	put_group(w, sites->path, m.group, sizeof(m.group));
	if (is_more && !sites->is_glob && lasting_has_many())
		memcpy(m.name, a->made.data[a->made.n - 1].name, sizeof(m.name));
	else
		ret = choose_name(a, w, site, is_more, &m);
	if (ret)
		return ret;
	if (strpbrk(sites->path, " \t\n"))
		return err_exit(a->err, -EINVAL, EXIT_USAGE, "the kernel takes no path with blanks: '%s'", sites->path);
	f = open_memstream(&m.line, &size);
	if (!f)
		return -ENOMEM;
	fprintf(f, "%c:%s/%s ", w->spec.is_return ? 'r' : 'p', m.group, m.name);
	put_place(w, site, sites->path, f);
	ret = put_args(w, site, sites->is_go, f, a->err);
	if (fclose(f) && !ret)
		ret = -ENOMEM;
	if (!ret && size >= LASTING_LINE_MAX)
		ret = err_exit(a->err, -E2BIG, EXIT_USAGE, "the definition of '%s' is too long for the kernel", m.name);
	if (!ret && vec_reserve(&a->made))
		ret = -ENOMEM;
	if (ret)
		free(m.line);
	else
		a->made.data[a->made.n++] = m;
	return ret;
}

static int make_lines(struct adder *a, const char *text)
{
	struct probe_def *w = calloc(1, sizeof(*w));
	struct site_list sites = { 0 };
	int ret;

	if (!w || vec_reserve(&a->words)) {
		free(w);
		return -ENOMEM;
	}
	a->words.data[a->words.n++] = w;
	ret = probe_def_parse(text, a->cfg->path, w, &sites, a->err);
	if (!ret && sites.all.n > PLACES_MAX) {
		ret = err_exit(a->err, -E2BIG, EXIT_USAGE, "'%s' has %zu places: at most %d of one definition can stay", w->point, sites.all.n, PLACES_MAX);
		err_hint(a->err, "skep probe 'GLOB' without --add probes any number");
	}
	for (size_t i = 0; i < sites.all.n && !ret; i++)
		ret = make_line(a, w, &sites, &sites.all.data[i], i);
	sites_free(&sites);
	return ret;
}

/* "probe_libc:inet_pton (on inet_pton in /usr/lib/libc.so.6 with a b)": perf's words, which scripts look for */
static void say_added(const struct adder *a)
{
	const struct made *last = &a->made.data[a->made.n - 1];

	if (log_level < 0)
		return;
	fprintf(stderr, "%s new event%s:\n", a->cfg->dry_run ? "Would add" : "Added", a->made.n > 1 ? "s" : "");
	for (size_t i = 0; i < a->made.n; i++) {
		const struct made *m = &a->made.data[i];
		char full[2 * LASTING_NAME_MAX];

		snprintf(full, sizeof(full), "%s:%s", m->group, m->name);
		fprintf(stderr, "  %-20s (on %s", full, m->words->point);
		if (m->is_user)
			fprintf(stderr, " in %s", m->words->path);
		for (int k = 0; k < m->words->nr_args; k++)
			fprintf(stderr, "%s %s", k ? "" : " with", m->words->args[k].shown);
		fputs(")\n", stderr);
	}
	fprintf(stderr, "\nskep and perf record it by its name until skep probe --del, such as:\n\n\tskep record -e %s:%s -a -- sleep 1\n\n", last->group,
		last->name);
}

/* All or none: those that are there already go again. */
static int write_all(struct adder *a)
{
	char line[2 * LASTING_NAME_MAX + 8];
	struct err ignored = { 0 };
	int ret = 0;

	for (size_t i = 0; i < a->made.n && !ret; i++) {
		ret = lasting_write(a->made.data[i].is_user, a->made.data[i].line, a->err);
		while (ret && i--) {
			snprintf(line, sizeof(line), "-:%s/%s", a->made.data[i].group, a->made.data[i].name);
			lasting_write(a->made.data[i].is_user, line, &ignored);
		}
	}
	return ret;
}

int probe_add(const struct probe_add_cfg *cfg, struct err *err)
{
	struct adder a = { .cfg = cfg, .err = err };
	int ret = cfg->only_print ? 0 : lastings_read(&a.there);

	if (ret)
		lastings_refused(ret, err);
	for (size_t i = 0; i < cfg->nr_specs && !ret; i++)
		ret = make_lines(&a, cfg->specs[i]);
	for (size_t i = 0; cfg->only_print && i < a.made.n && !ret; i++)
		printf("%s\n", a.made.data[i].line);
	if (!ret && !cfg->only_print && !cfg->dry_run)
		ret = write_all(&a);
	if (!ret && !cfg->only_print)
		say_added(&a);
	for (size_t i = 0; i < a.made.n; i++)
		free(a.made.data[i].line);
	for (size_t i = 0; i < a.words.n; i++) {
		probe_def_free(a.words.data[i]);
		free(a.words.data[i]);
	}
	vec_free(&a.made);
	vec_free(&a.words);
	lastings_free(&a.there);
	return ret;
}

/* [GROUP:]NAME */
static bool matches(const char *pattern, const struct lasting *p)
{
	const char *colon = strchr(pattern, ':'), *name = colon ? colon + 1 : pattern;
	char group[LASTING_NAME_MAX] = "*";

	if (colon && snprintf(group, sizeof(group), "%.*s", (int)(colon - pattern), pattern) >= (int)sizeof(group))
		return false;
	return glob_match(group, p->group, strlen(p->group)) && glob_match(name, p->name, strlen(p->name));
}

static int delete(const struct probe_add_cfg *cfg, const struct lasting *p, struct err *err)
{
	char line[2 * LASTING_NAME_MAX + 8];
	int ret;

	snprintf(line, sizeof(line), "-:%s/%s", p->group, p->name);
	ret = cfg->dry_run ? 0 : lasting_write(p->is_user, line, err);
	if (!ret && log_level >= 0)
		fprintf(stderr, "%s event: %s:%s\n", cfg->dry_run ? "Would remove" : "Removed", p->group, p->name);
	return ret;
}

/* An event goes with all of its places. */
static void mark_gone(const struct lastings *there, size_t event, bool *is_gone)
{
	const struct lasting *p = &there->all.data[event];

	for (size_t i = event; i < there->all.n; i++)
		is_gone[i] |= !strcmp(there->all.data[i].group, p->group) && !strcmp(there->all.data[i].name, p->name);
}

int probe_del(const struct probe_add_cfg *cfg, struct err *err)
{
	struct lastings there;
	int ret = lastings_read(&there);
	bool *is_gone;

	if (ret)
		return lastings_refused(ret, err);
	is_gone = calloc(there.all.n + 1, sizeof(*is_gone));
	ret = is_gone ? 0 : -ENOMEM;
	for (size_t i = 0; i < cfg->nr_specs && !ret; i++) {
		bool any = false;

		for (size_t k = 0; k < there.all.n && !ret; k++) {
			if (!matches(cfg->specs[i], &there.all.data[k]))
				continue;
			any = true;
			ret = is_gone[k] ? 0 : delete(cfg, &there.all.data[k], err);
			mark_gone(&there, k, is_gone);
		}
		if (!ret && !any) {
			ret = err_exit(err, -ENOENT, EXIT_FAILED, "\"%s\" does not hit any event", cfg->specs[i]);
			err_hint(err, "skep probe --list shows those that are there");
		}
	}
	free(is_gone);
	lastings_free(&there);
	return ret;
}

/* perf's order: of the lines. */
static int by_line(const void *a, const void *b)
{
	const struct lasting *x = a, *y = b;
	int ret = x->is_user - y->is_user;

	ret = ret ? ret : x->is_return - y->is_return;
	ret = ret ? ret : strcmp(x->group, y->group);
	return ret ? ret : strcmp(x->name, y->name);
}

int probe_list(const char *pattern, struct err *err)
{
	struct lastings there;
	int ret = lastings_read(&there);

	if (ret)
		return lastings_refused(ret, err);
	if (there.all.n)
		qsort(there.all.data, there.all.n, sizeof(*there.all.data), by_line);
	for (size_t i = 0; i < there.all.n; i++)
		if (!pattern || matches(pattern, &there.all.data[i]))
			probe_show(&there.all.data[i]);
	lastings_free(&there);
	return 0;
}
