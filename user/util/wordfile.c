/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/wordfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "util/file.h"
#include "util/vec.h"

#define OPTION "--config"
#define OPTION_LEAST "--con" /* shorter ones are other options, too */
#define HINT_BYTES 4096
#define FILE_BYTES_MAX (1u << 20)

struct words {
	VEC(char *) all;
	wordfile_needs *needs;
	const void *arg;
	const char *path; /* of the file at hand */
};

static int add(struct words *w, char *word)
{
	if (!word || vec_reserve(&w->all))
		return -ENOMEM;
	w->all.data[w->all.n++] = word;
	return 0;
}

/* A letter's value is a word of its own. */
static int add_option(struct words *w, const char *name, const char *value, struct err *err)
{
	const char *dashes = *name == '-' ? "" : "--";
	bool is_letter = name[0] == '-' && name[1] != '-';
	char *word;
	int ret;

	if (!*value && !is_letter && w->needs(w->arg, name + strspn(name, "-")))
		return err_exit(err, -EINVAL, EXIT_USAGE, "'%s': option '%s' needs a value", w->path, name);
	if (asprintf(&word, *value && !is_letter ? "%s%s=%s" : "%s%s", dashes, name, value) < 0)
		return -ENOMEM;
	ret = add(w, word);
	return ret || !*value || !is_letter ? ret : add(w, strdup(value));
}

/* line is changed. */
static int take_line(struct words *w, char *line, struct err *err)
{
	char *name = line + strspn(line, " \t"), *value, *end = line + strlen(line);
	size_t n = strcspn(name, " \t=");

	while (end > name && isspace((unsigned char)end[-1]))
		*--end = '\0';
	if (!*name || *name == '#')
		return 0;
	value = name + n;
	value += strspn(value, " \t");
	value += *value == '=';
	value += strspn(value, " \t");
	name[n] = '\0';
	return add_option(w, name, value, err);
}

static int take_file(struct words *w, const char *path, struct err *err)
{
	struct stat st;
	char *bytes, *next;
	size_t n;
	int ret = stat(path, &st) ? -errno : S_ISREG(st.st_mode) ? file_read(path, HINT_BYTES, FILE_BYTES_MAX, &bytes, &n) : -ENOTSUP;

	w->path = path;
	if (ret == -ENOTSUP)
		return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' is not a regular file", path);
	if (ret)
		return err_exit(err, ret, EXIT_USAGE, "cannot read '%s': %s", path, strerror(-ret));
	if (memchr(bytes, '\0', n))
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "'%s' is no file of options: it has bytes that are no text", path);
	for (char *line = bytes; line && !ret; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		ret = take_line(w, line, err);
	}
	free(bytes);
	return ret;
}

/* Also cut, as getopt_long(3) has it. */
static bool is_option(const char *word)
{
	size_t n = strcspn(word, "=");

	return n >= strlen(OPTION_LEAST) && n <= strlen(OPTION) && !strncmp(word, OPTION, n);
}

static const char *last_path;

const char *wordfile_path(void)
{
	return last_path;
}

int wordfile_expand(int argc, char **argv, wordfile_needs *needs, const void *arg, int *ret_argc, char ***ret_argv, struct err *err)
{
	static struct words w; /* to the end */
	int ret = 0;

	w.needs = needs;
	w.arg = arg;

	for (int i = 0; i < argc && !ret; i++) {
		const char *path = NULL;

		ret = add(&w, argv[i]);
		if (is_option(argv[i]) && strchr(argv[i], '='))
			path = strchr(argv[i], '=') + 1;
		else if (is_option(argv[i]) && i + 1 < argc && !ret)
			ret = add(&w, (char *)(path = argv[++i]));
		if (path && !ret)
			ret = take_file(&w, path, err);
	}
	if (!ret && (ret = vec_reserve(&w.all)) == 0)
		w.all.data[w.all.n] = NULL;
	if (ret == -ENOMEM)
		err_set(err, ret, "out of memory");
	last_path = w.path;
	*ret_argc = (int)w.all.n;
	*ret_argv = w.all.data;
	return ret;
}
