/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/unittrigger.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/num.h"

#define FIND_NS NS_PER_S
#define FIND_SHARE 50 /* at the most a 50th of the time goes to looking for it among others */
#define DEPTH_MAX 32 /* of control groups */

static const struct figure {
	const char *word, *file, *format; /* of scanf: its microseconds so far */
	double max; /* percent; no more can be */
	const char *needs;
} figures[UNIT_FIGURES] = {
	[UNIT_CPU] = { "cpu(", "/cpu.stat", "usage_usec %llu", 1e6, "" },
	[UNIT_DELAY] = { "delay(", "/cpu.pressure", "some avg10=%*f avg60=%*f avg300=%*f total=%llu", 100, " (needs CONFIG_PSI, and psi=1 where it is off at boot)" },
};

static enum unit_figure figure_of(const char *text)
{
	enum unit_figure i = 0;

	while (i < UNIT_FIGURES && strncmp(text, figures[i].word, strlen(figures[i].word)) != 0)
		i++;
	return i;
}

bool unit_trigger_is(const char *text)
{
	return figure_of(text) < UNIT_FIGURES;
}

/* Reads "> N%". False: it is something else. */
static bool parse_above(const char *text, double max, double *ret)
{
	char number[32];
	size_t n;

	text += strspn(text, " ");
	if (*text++ != '>')
		return false;
	text += strspn(text, " ");
	n = strcspn(text, "% ");
	if (!n || n >= sizeof(number) || strcmp(text + n + strspn(text + n, " "), "%") != 0)
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	return !num_double(number, max, ret);
}

int unit_trigger_parse(const char *text, struct unit_trigger *ret, struct err *err)
{
	enum unit_figure figure = figure_of(text);
	const char *name = text + strlen(figures[figure].word), *end = strchr(name, ')');

	*ret = (struct unit_trigger){ .text = text, .figure = figure };
	if (!end || end == name || (size_t)(end - name) >= sizeof(ret->unit) ||
	    !parse_above(end + 1, figures[figure].max, &ret->above))
		return err_exit(err, -EINVAL, EXIT_USAGE,
				"bad value '%s' of '--trigger': expected an event, or 'cpu(UNIT) > N%%' or 'delay(UNIT) > N%%', as cpu(nginx.service) > 80%%", text);
	snprintf(ret->unit, sizeof(ret->unit), "%.*s", (int)(end - name), name);
	ret->above /= 100;
	return 0;
}

/* Looks for a directory of that name below `path`, which has n bytes and room for PATH_MAX: the first one is added to it. */
static bool find_below(const char *unit, char *path, size_t n, int depth)
{
	DIR *dir = depth ? opendir(path) : NULL;
	struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.' || snprintf(path + n, PATH_MAX - n, "/%s", e->d_name) >= (int)(PATH_MAX - n))
			continue;
		found = !strcmp(e->d_name, unit) || find_below(unit, path, n + strlen(path + n), depth - 1);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* 0 or -errno. */
static int find_unit(struct unit_trigger *t)
{
	const char *file = figures[t->figure].file;
	char path[PATH_MAX];
	int ret = target_cgroup_mount(path, sizeof(path));
	size_t n;

	if (ret)
		return ret;
	n = strlen(path);
	if (t->unit[0] == '/' ? snprintf(path + n, sizeof(path) - n, "%s", t->unit) >= (int)(sizeof(path) - n) : !find_below(t->unit, path, n, DEPTH_MAX))
		return -ENOENT;
	if (access(path, F_OK))
		return -errno;
	if (snprintf(t->stat, sizeof(t->stat), "%s%s", path, file) < (int)sizeof(t->stat))
		return 0;
	t->stat[0] = '\0';
	return -ENAMETOOLONG;
}

/* 0 or -errno. */
static int read_total(const struct unit_trigger *t, uint64_t *ret_us)
{
	unsigned long long us;
	FILE *in;
	int ret;

	if (!t->stat[0])
		return -ENOENT;
	in = fopen(t->stat, "re");
	if (!in)
		return -errno;
	errno = EPROTO; /* what is there is something else */
	ret = fscanf(in, figures[t->figure].format, &us) == 1 ? 0 : -errno; /* NOLINT: one of ours */
	fclose(in);
	if (!ret)
		*ret_us = us;
	return ret;
}

void unit_trigger_note(const struct unit_trigger *t)
{
	static struct unit_trigger copy; /* large */
	uint64_t us;
	int ret;

	copy = *t;
	ret = find_unit(&copy);
	if (ret)
		log_note("note: no control group has the name '%s' now: --trigger waits for one", t->unit);
	else if ((ret = read_total(&copy, &us)))
		log_note("note: '%s' cannot be read: %s%s: this --trigger never has a file written", copy.stat, strerror(-ret), figures[t->figure].needs);
}

bool unit_trigger_round(struct unit_trigger *t, uint64_t now_ns)
{
	uint64_t before_us = t->total_us, before_ns = t->at_ns;
	bool was_read = t->is_read, was_above = t->is_above;

	if (now_ns < before_ns + NS_PER_S)
		return false;
	t->at_ns = now_ns;
	if (!t->stat[0] && now_ns >= t->find_ns) {
		uint64_t took_ns;

		find_unit(t);
		took_ns = clock_ns(CLOCK_MONOTONIC) - now_ns;
		t->find_ns = now_ns + (took_ns * FIND_SHARE > FIND_NS ? took_ns * FIND_SHARE : FIND_NS);
	}
	t->is_read = !read_total(t, &t->total_us);
	if (!t->is_read)
		t->stat[0] = '\0';
	t->is_above = was_read && t->is_read && t->total_us > before_us && (double)(t->total_us - before_us) * 1000 > t->above * (double)(now_ns - before_ns);
	return t->is_above && !was_above;
}
