/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tracefs has a folder for each subsystem and in it one for each tracepoint (Documentation/trace/events.rst). */
#include "event/tracepoints.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/syscalls.h"
#include "util/glob.h"

#include "util/vec.h"

const char *tracefs_path(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[64];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, F_OK) || errno == EACCES)
			return places[i];
	}
	return NULL;
}

int tracefs_refused(int ret, const char *what, size_t len, struct err *err)
{
	err_exit(err, ret, EXIT_CANNOT, "cannot list the tracepoints of '%.*s': tracefs is %s", (int)(len < 64 ? len : 64), what,
		 ret == -EACCES ? "readable by root only" : "not mounted");
	err_hint(err, ret == -EACCES ? "run it with sudo; or with CAP_BPF and CAP_PERFMON and a tracefs that others may read: "
				       "sudo mount -o remount,mode=755 /sys/kernel/tracing" :
				       "mount -t tracefs tracefs /sys/kernel/tracing");
	return ret;
}

struct list {
	struct event *events;
	int nr, max;
	bool is_glob;
};

static int add(struct list *list, const char *subsystem, const char *name)
{
	struct event *e;

	if (list->nr == list->max)
		return -E2BIG;
	e = &list->events[list->nr];
	*e = (struct event){ .unit = "hits", .kind = EVENT_TRACEPOINT, .from_glob = list->is_glob };
	if (snprintf(e->name, sizeof(e->name), "%s:%s", subsystem, name) < (int)sizeof(e->name))
		list->nr++;
	return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls each() with the folders in `path` that match, in the order of their names. */
static int each_folder(const char *path, const char *pattern, int (*each)(void *arg, const char *path, const char *name), void *arg)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, by_name), ret = n < 0 ? -errno : 0;

	for (int i = 0; i < n; i++) {
		if (!ret && entries[i]->d_name[0] != '.' && entries[i]->d_type == DT_DIR && !fnmatch(pattern, entries[i]->d_name, 0))
			ret = each(arg, path, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret;
}

struct walk {
	struct list *list;
	const char *subsystem, *name; /* the subsystem at hand, and the pattern of names */
};

static int add_match(void *arg, const char *path, const char *name)
{
	struct walk *w = arg;

	(void)path;
	return add(w->list, w->subsystem, name);
}

static int walk_subsystem(void *arg, const char *path, const char *name)
{
	struct walk *w = arg;
	char below[512];

	w->subsystem = name;
	snprintf(below, sizeof(below), "%s/%s", path, name);
	/* What has programs of its own, which count it cheaper; and ftrace's records, which are no tracepoints. */
	if (w->list->is_glob && (!strcmp(name, "syscalls") || !strcmp(name, "raw_syscalls") || !strcmp(name, "ftrace")))
		return 0;
	return each_folder(below, w->name, add_match, w);
}

int tracepoint_events(const char *text, size_t len, struct event *ret_events, int max)
{
	struct list list = { ret_events, 0, max, false };
	struct walk w = { .list = &list };
	char whole[EVENT_NAME_MAX], path[64];
	const char *tracefs = tracefs_path();
	char *colon;
	int ret;

	if (len >= sizeof(whole))
		return -ENOENT;
	memcpy(whole, text, len);
	whole[len] = '\0';
	colon = strchr(whole, ':');
	if (!colon || colon == whole || !colon[1] || strchr(whole, '/'))
		return -ENOENT;
	*colon = '\0';
	list.is_glob = glob_is(whole) || glob_is(colon + 1);
	w.name = colon + 1;
	ret = -ENOTDIR;
	if (tracefs) {
		snprintf(path, sizeof(path), "%s/events", tracefs);
		ret = each_folder(path, whole, walk_subsystem, &w);
	}
	if (ret)
		return ret;
	return list.nr ? list.nr : -ENOENT;
}

struct names {
	VEC(char *) all;
	const char *subsystem; /* the one at hand */
};

static int add_name(struct names *names, char *name)
{
	if (!name || vec_reserve(&names->all)) {
		free(name);
		return -ENOMEM;
	}
	names->all.data[names->all.n++] = name;
	return 0;
}

/* One file has all of them: 0.6 ms, and 100 times that for the folders. */
static int read_names(const char *tracefs, struct names *names)
{
	char path[64], *line = NULL;
	size_t room = 0;
	ssize_t n;
	FILE *file;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/available_events", tracefs);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!ret && (n = getline(&line, &room, file)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		if (strchr(line, ':'))
			ret = add_name(names, strdup(line));
	}
	free(line);
	fclose(file);
	return ret;
}

static int add_folder(void *arg, const char *path, const char *name)
{
	struct names *names = arg;
	char *full;

	(void)path;
	return add_name(names, asprintf(&full, "%s:%s", names->subsystem, name) < 0 ? NULL : full);
}

static int add_subsystem(void *arg, const char *path, const char *name)
{
	struct names *names = arg;
	char below[512];

	names->subsystem = name;
	snprintf(below, sizeof(below), "%s/%s", path, name);
	return each_folder(below, "*", add_folder, names);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int tracepoint_each(int (*each)(void *arg, const char *name), void *arg)
{
	const char *tracefs = tracefs_path();
	struct names names = {};
	char path[64];
	int ret;

	if (!tracefs)
		return -ENOTDIR;
	ret = read_names(tracefs, &names);
	if (ret == -EACCES) { /* who may only look at the folders: mode=755 */
		snprintf(path, sizeof(path), "%s/events", tracefs);
		ret = each_folder(path, "*", add_subsystem, &names);
	}
	if (!ret && names.all.n)
		qsort(names.all.data, names.all.n, sizeof(*names.all.data), by_text);
	for (size_t i = 0; i < names.all.n; i++) {
		/* ftrace's records are no tracepoints. */
		if (!ret && strncmp(names.all.data[i], "ftrace:", strlen("ftrace:")))
			ret = each(arg, names.all.data[i]);
		free(names.all.data[i]);
	}
	vec_free(&names.all);
	return ret;
}

bool tracepoint_name(const struct event *e, char *buf, size_t size)
{
	const char *name, *side = e->is_exit ? "exit" : "enter";

	if (e->kind == EVENT_COUNTER)
		return false;
	if (e->kind == EVENT_TRACEPOINT) {
		snprintf(buf, size, "%s", e->name);
		return true;
	}
	if (e->config == SYSCALL_ANY) {
		snprintf(buf, size, "raw_syscalls:sys_%s", side);
		return true;
	}
	name = e->abi == SYSCALL_NATIVE ? syscall_name(e->abi, e->config) : NULL;
	if (name)
		snprintf(buf, size, "syscalls:sys_%s_%s", side, name);
	return name;
}
