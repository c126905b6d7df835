/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/unittrigger.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

#define WORD "cpu("
#define STAT "/cpu.stat"

bool unit_trigger_is(const char *text)
{
	return !strncmp(text, WORD, strlen(WORD));
}

int unit_trigger_parse(const char *text, struct unit_trigger *ret, struct err *err)
{
	const char *name = text + strlen(WORD), *end = strchr(name, ')');
	char percent, more;

	*ret = (struct unit_trigger){ 0 };
	if (end && end > name && (size_t)(end - name) < sizeof(ret->unit) && sscanf(end + 1, " > %lf %c %c", &ret->above, &percent, &more) == 2 &&
	    percent == '%' && ret->above >= 0) {
		snprintf(ret->unit, sizeof(ret->unit), "%.*s", (int)(end - name), name);
		ret->above /= 100;
		return 0;
	}
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--trigger': expected an event, or 'cpu(UNIT) > N%%', as cpu(nginx.service) > 80%%", text);
}

static void find_below(struct unit_trigger *t, char *mount)
{
	char *roots[] = { mount, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *e;

	while (tree && !t->stat[0] && (e = fts_read(tree)))
		if (e->fts_info == FTS_D && !strcmp(e->fts_name, t->unit))
			snprintf(t->stat, sizeof(t->stat), "%s" STAT, e->fts_path);
	if (tree)
		fts_close(tree);
}

static void find(struct unit_trigger *t)
{
	char mount[PATH_MAX];

	if (target_cgroup_mount(mount, sizeof(mount)))
		return;
	if (t->unit[0] == '/')
		snprintf(t->stat, sizeof(t->stat), "%.*s%s" STAT, PATH_MAX - NAME_MAX - 16, mount, t->unit);
	else
		find_below(t, mount);
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

bool unit_trigger_round(struct unit_trigger *t, uint64_t now_ns)
{
	uint64_t before_us = t->usage_us, before_ns = t->at_ns;

	if (now_ns < before_ns + UNIT_ROUND_NS)
		return false;
	t->at_ns = now_ns;
	if (!t->stat[0])
		find(t);
	if (!read_usage(t, &t->usage_us)) {
		t->stat[0] = '\0';
		t->usage_us = 0;
		return false;
	}
	return before_us && t->usage_us > before_us && (double)(t->usage_us - before_us) * 1000 > t->above * (double)(now_ns - before_ns);
}
