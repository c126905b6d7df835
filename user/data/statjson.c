/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "data/statjson.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/jsonread.h"
#include "util/num.h"

#define VALUE_MAX 1e300
#define LINE_MAX_BYTES (1 << 20)
#define COMMENT '#' /* perf stat -o begins with one */

bool statjson_is(const char *path)
{
	struct stat st;
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL; /* what a stream has can be read once */
	int c = f ? getc(f) : EOF; /* a stream that failed gives no more than that */

	while (isspace(c) || c == COMMENT) {
		for (bool comment = c == COMMENT; comment && c != EOF && c != '\n';)
			c = getc(f);
		c = c == EOF ? EOF : getc(f);
	}
	if (f)
		fclose(f);
	return c == '{';
}

#ifdef HAVE_JSON_C
struct lines {
	int (*count)(void *arg, const char *event, const char *unit, double value);
	void *arg;
	size_t nr, counts; /* lines; those with a count */
	bool has_intervals; /* known after the first reading of the file */
	bool is_second; /* reading: only that one calls count() */
};

static int take_line(struct lines *l, const char *line, size_t n)
{
	struct json_object *o = jsonread_parse(line, n);
	const char *event = jsonread_text(o, "event"), *text = jsonread_text(o, "counter-value"), *unit = jsonread_text(o, "unit");
	bool is_interval = jsonread_has(o, "interval");
	double value;
	int ret = o ? 0 : -EBADMSG;

	if (event && text && !num_double(text, VALUE_MAX, &value)) {
		l->counts++;
		l->has_intervals |= is_interval;
		/* What --summary adds to intervals is their sum */
		if (l->is_second && is_interval == l->has_intervals)
			ret = l->count(l->arg, event, unit ? unit : "", value);
	}
	if (o)
		json_c.put(o);
	return ret;
}

static int take_lines(struct lines *l, FILE *f)
{
	char *line = malloc(LINE_MAX_BYTES + 1);
	int ret = line ? 0 : -ENOMEM;

	while (!ret && fgets(line, LINE_MAX_BYTES + 1, f)) {
		size_t n = strlen(line);

		l->nr++;
		if (*line != COMMENT && strspn(line, " \t\r\n") < n)
			ret = take_line(l, line, n);
	}
	free(line);
	return ret;
}

int statjson_read(const char *path, int (*count)(void *arg, const char *event, const char *unit, double value), void *arg, struct err *err)
{
	struct lines l = { .count = count, .arg = arg };
	FILE *f = jsonread_open() ? fopen(path, "re") : NULL;
	int ret;

	if (!f && jsonread_open())
		return err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	if (!f)
		return err_set(err, -ENOTSUP, "cannot read '%s': there is no libjson-c.so.5", path);
	ret = take_lines(&l, f);
	if (!ret) {
		l.nr = 0;
		l.is_second = true;
		ret = fseeko(f, 0, SEEK_SET) ? -errno : take_lines(&l, f);
	}
	fclose(f);
	if (ret == -ESPIPE) {
		err_set(err, ret, "cannot read '%s': counts cannot be read from a pipe", path);
		err_hint(err, "write them to a file first, and give its name");
	} else if (ret == -EBADMSG) {
		err_set(err, ret, "cannot read '%s': line %zu is not JSON", path, l.nr);
		err_hint(err, "counts are lines of skep stat --json or perf stat -j");
	} else if (ret) {
		err_set(err, ret, "cannot read '%s': %s", path, strerror(-ret));
	} else if (!l.counts) {
		ret = err_set(err, -ENODATA, "'%s' has no counts of skep stat --json or perf stat -j", path);
	}
	return ret;
}
#else
int statjson_read(const char *path, int (*count)(void *arg, const char *event, const char *unit, double value), void *arg, struct err *err)
{
	(void)count, (void)arg;
	return err_set(err, -ENOTSUP, "cannot read '%s': this skep was built without json-c", path);
}
#endif
