/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/unittrigger.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "target.h"
#include "util/clock.h"
#include "util/num.h"

#define FIND_NS (10 * NS_PER_S)
#define DEPTH_MAX 32 /* of control groups */
#define PERCENT_MAX 1e6

#define WORD "cpu("
#define STAT "/cpu.stat"

bool unit_trigger_is(const char *text)
{
	return !strncmp(text, WORD, strlen(WORD));
}

/* Reads "> N%". False: it is something else. */
static bool parse_above(const char *text, double *ret)
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
	return !num_double(number, PERCENT_MAX, ret);
}

int unit_trigger_parse(const char *text, struct unit_trigger *ret, struct err *err)
{
	const char *name = text + strlen(WORD), *end = strchr(name, ')');

	*ret = (struct unit_trigger){ 0 };
	if (!end || end == name || (size_t)(end - name) >= sizeof(ret->unit) || !parse_above(end + 1, &ret->above))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--trigger': expected an event, or 'cpu(UNIT) > N%%', as cpu(nginx.service) > 80%%",
				text);
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

static void find_unit(struct unit_trigger *t)
{
	char path[PATH_MAX];
	size_t n;

	if (target_cgroup_mount(path, sizeof(path)))
		return;
	n = strlen(path);
	if (t->unit[0] == '/' ? snprintf(path + n, sizeof(path) - n, "%s", t->unit) >= (int)(sizeof(path) - n) : !find_below(t->unit, path, n, DEPTH_MAX))
		return;
	n = strlen(path);
	if (n + sizeof(STAT) <= sizeof(t->stat))
		snprintf(t->stat, sizeof(t->stat), "%.*s" STAT, (int)n, path);
}

static bool read_usage(const struct unit_trigger *t, uint64_t *ret_us)
{
	FILE *in = t->stat[0] ? fopen(t->stat, "re") : NULL;
	unsigned long long us = 0;
	bool ok = in && fscanf(in, "usage_usec %llu", &us) == 1;

	if (in)
		fclose(in);
	*ret_us = us;
	return ok;
}

bool unit_trigger_is_there(const struct unit_trigger *t)
{
	static struct unit_trigger copy; /* large */
	uint64_t us;

	copy = *t;
	find_unit(&copy);
	return read_usage(&copy, &us);
}

bool unit_trigger_round(struct unit_trigger *t, uint64_t now_ns)
{
	uint64_t before_us = t->usage_us, before_ns = t->at_ns;
	bool was_above = t->is_above;

	if (now_ns < before_ns + NS_PER_S)
		return false;
	t->at_ns = now_ns;
	t->is_above = false;
	if (!t->stat[0] && now_ns >= t->find_ns) {
		find_unit(t);
		t->find_ns = now_ns + FIND_NS;
	}
	if (!read_usage(t, &t->usage_us)) {
		t->stat[0] = '\0';
		t->usage_us = 0;
		return false;
	}
	t->is_above = before_us && t->usage_us > before_us && (double)(t->usage_us - before_us) * 1000 > t->above * (double)(now_ns - before_ns);
	return t->is_above && !was_above;
}
