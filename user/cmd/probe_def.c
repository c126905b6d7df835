/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Blanks are between words. An argument is either for the kernel as it is ("%di", "+8(%sp):u32", "$retval"), or an expression, whose type is
 * taken off: the binder of probes does not know the kernel's.
 */
#include "cmd/probe_def.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/fetch.h"

static bool is_name(const char *text, size_t n)
{
	bool is = n && !isdigit((unsigned char)*text);

	for (size_t i = 0; i < n; i++)
		is &= isalnum((unsigned char)text[i]) || text[i] == '_';
	return is;
}

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

static int bad(const char *word, const char *why, struct err *err)
{
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad probe '%.200s': %s", word, why);
}

static int take_name(const char *at, size_t n, char *buf, struct err *err)
{
	if (!is_name(at, n))
		return bad(at, "a name has letters, digits and _ only", err);
	if (n >= LASTING_NAME_MAX)
		return bad(at, "the name is too long", err);
	memcpy(buf, at, n);
	buf[n] = '\0';
	return 0;
}

/* "GROUP:EVENT=" before the point. */
static int take_event(struct probe_def *w, struct err *err)
{
	const char *equal = strchr(w->point, '='), *colon;
	int ret;

	if (!equal)
		return 0;
	colon = memchr(w->point, ':', equal - w->point);
	ret = colon ? take_name(w->point, colon - w->point, w->group, err) : 0;
	colon = colon ? colon + 1 : w->point;
	if (!ret)
		ret = take_name(colon, equal - colon, w->event, err);
	w->point = equal + 1;
	return ret;
}

/* What the kernel takes as it is. Arguments by their numbers it has for its own functions only. */
static bool is_raw(const struct probe_def *w, const char *text)
{
	if (strchr("%@+-\\", *text) || begins(text, "$stack") || begins(text, "$comm") || begins(text, "$retval"))
		return true;
	return begins(text, "$arg") && !w->path;
}

/* perf's names: the last member of what was written, without an index; of a variable alone with its type. */
static void name_word(struct probe_word *a, const char *written)
{
	const char *last = a->text;
	bool is_alone = !a->text[strcspn(a->text, "-.[")];
	size_t n;

	if (*a->name || *last == '$')
		return;
	for (const char *c = last; *c; c++)
		if (*c == '.' || (*c == '>' && c > a->text && c[-1] == '-'))
			last = c + 1;
	last = is_alone ? written : last;
	n = is_alone ? strlen(last) : strcspn(last, "[");
	for (size_t i = 0; i < n && i + 1 < sizeof(a->name); i++)
		a->name[i] = isalnum((unsigned char)last[i]) ? last[i] : '_';
}

static int take_arg(struct probe_def *w, char *word, struct err *err)
{
	struct probe_word *a = &w->args[w->nr_args];
	char *equal = strchr(word, '='), *colon;
	const char *written;
	int ret = 0;

	if (w->nr_args == PROBE_ARGS_MAX)
		return bad(word, "at most 16 arguments", err);
	w->nr_args++;
	a->shown = word;
	a->bound = -1;
	a->text = word;
	if (equal && is_name(word, equal - word)) {
		ret = take_name(word, equal - word, a->name, err);
		a->text = equal + 1;
	}
	if (ret || !*a->text)
		return ret ? ret : bad(word, "a value is missing after the name", err);
	if (is_raw(w, a->text))
		return begins(a->text, "$retval") && !w->spec.is_return ? bad(word, "only a return, FUNCTION%return, has it", err) : 0;
	written = a->text;
	a->text = strdup(written);
	if (!a->text)
		return -ENOMEM;
	colon = strrchr(a->text, ':');
	if (colon) {
		const char *at = strchr(colon, '@');

		/* perf's "@user": skep's own names for it are ustring */
		if (at && !strcmp(at, "@user") && !strcmp(colon, ":string@user"))
			strcpy(a->type, "ustring");
		else
			snprintf(a->type, sizeof(a->type), "%s", colon + 1);
		*colon = '\0';
		if (!fetch_is_type(a->type)) {
			bad(word, "no such type", err);
			err_hint(err, "types are u8 to u64, s8 to s64, x8 to x64, u, s, x, string, ustring, symbol, char, bWIDTH@OFFSET/SIZE");
			ret = -EINVAL;
		}
	}
	name_word(a, written);
	a->bound = 0;
	return ret;
}

static int take_args(struct probe_def *w, char *at, struct err *err)
{
	int ret = 0;

	while (!ret && *(at += strspn(at, " "))) {
		char *word = at;

		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
		ret = take_arg(w, word, err);
	}
	return ret;
}

/* The text of the spec: the point and the expressions, each of which is its argument of that number. */
static int parse_spec(struct probe_def *w, const char *path, struct err *err)
{
	size_t size;
	FILE *f = open_memstream(&w->exprs, &size);
	int n = 0;

	if (!f)
		return -ENOMEM;
	fputs(w->point, f);
	for (int i = 0; i < w->nr_args; i++) {
		if (w->args[i].bound < 0)
			continue;
		w->args[i].bound = n++;
		fprintf(f, " %s", w->args[i].text);
	}
	if (fclose(f))
		return -ENOMEM;
	return probe_parse_perf(w->exprs, path, &w->spec, err);
}

/* "$params", "$vars" to the names of what is there, as -V lists them: "int i", "char *text". */
static int expand(struct probe_def *w, const char *rest, const char *path, char **ret_args, struct err *err)
{
	struct site_cfg cfg = { .vars = true };
	struct site_list sites = { 0 };
	struct probe_spec spec;
	const char *vars = NULL;
	size_t size;
	FILE *f;
	int ret = probe_parse_perf(w->point, path, &spec, err);

	if (!ret)
		ret = sites_find(&spec, &cfg, &sites, err);
	f = ret ? NULL : open_memstream(ret_args, &size);
	if (!ret && !f)
		ret = -ENOMEM;
	if (!ret)
		vars = sites.all.data[0].vars;
	for (const char *at = rest; f && *(at += strspn(at, " ")); at += strcspn(at, " ")) {
		size_t n = strcspn(at, " ");

		if ((n != 7 || memcmp(at, "$params", n)) && (n != 5 || memcmp(at, "$vars", n))) {
			fprintf(f, " %.*s", (int)n, at);
			continue;
		}
		for (const char *line = vars; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
			size_t end = strcspn(line, "\n"), from = end;

			while (from && (isalnum((unsigned char)line[from - 1]) || line[from - 1] == '_'))
				from--;
			if (from && from < end && strcspn(line, "(") > end)
				fprintf(f, " %.*s", (int)(end - from), line + from);
		}
	}
	if (f && fclose(f))
		ret = -ENOMEM;
	probe_free(&spec);
	sites_free(&sites);
	return ret;
}

int probe_def_parse(const char *text, const char *path, struct probe_def *ret_def, struct site_list *ret_sites, struct err *err)
{
	struct probe_def *w = ret_def;
	const struct site_cfg cfg = { 0 };
	char *args;
	int ret;

	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad probe: a control character at byte %zu", (size_t)(c - text));
	w->words = strdup(text + strspn(text, " "));
	if (!w->words)
		return -ENOMEM;
	w->point = w->words;
	args = w->words + strcspn(w->words, " ");
	if (*args)
		*args++ = '\0';
	w->path = path;
	ret = take_event(w, err);
	if (!ret && (strstr(args, "$params") || strstr(args, "$vars"))) {
		ret = expand(w, args, path, &w->expanded, err);
		args = w->expanded;
	}
	w->spec.is_return = strstr(w->point, "%return");
	if (!ret)
		ret = take_args(w, args, err);
	if (!ret)
		ret = parse_spec(w, path, err);
	if (!ret)
		ret = sites_find(&w->spec, &cfg, ret_sites, err);
	if (ret)
		return ret;
	w->found = strdup(ret_sites->path);
	w->path = w->found;
	return w->found ? 0 : -ENOMEM;
}

void probe_def_free(struct probe_def *words)
{
	for (int i = 0; i < words->nr_args; i++)
		if (words->args[i].bound >= 0)
			free((char *)words->args[i].text);
	probe_free(&words->spec);
	free(words->words);
	free(words->expanded);
	free(words->exprs);
	free(words->found);
}
