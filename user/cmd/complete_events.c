/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of events as they are typed, a part at a time: subsystems before their tracepoints, folders before files, files before their
 * functions. At most COMPLETE_MAX are made, so that the shell gets its answer at once.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/complete.h"
#include "event/event.h"
#include "event/pmu.h"
#include "event/syscalls.h"
#include "event/tracepoints.h"
#include "event/upath.h"
#include "sym/kfuncs.h"
#include "sym/ufuncs.h"
#include "util/glob.h"

#define WORD_MAX 4608

struct events {
	struct complete *c;
	const char *prefix; /* "k:", or "" */
	const char *rest;   /* what is typed after it */
	char last[64];	    /* subsystem that was offered last */
};

static void offer(struct events *e, const char *name, const char *end)
{
	char word[WORD_MAX];

	if (snprintf(word, sizeof(word), "%s%s%s", e->prefix, name, end) < (int)sizeof(word))
		complete_offer(e->c, word, NULL);
}

static int on_name(void *arg, const struct event *event)
{
	offer(arg, event->name, "");
	return 0;
}

static int on_pmu(void *arg, const char *pmu, const char *event, const char *terms)
{
	struct events *e = arg;

	(void)pmu;
	(void)terms;
	offer(e, event, "");
	return complete_is_full(e->c) ? -E2BIG : 0;
}

static int on_tracepoint(void *arg, const char *name)
{
	struct events *e = arg;
	size_t n = strcspn(name, ":");

	if (strchr(e->rest, ':')) {
		offer(e, name, "");
	} else if (n < sizeof(e->last) && (strlen(e->last) != n || memcmp(e->last, name, n))) {
		snprintf(e->last, sizeof(e->last), "%.*s", (int)n, name);
		offer(e, e->last, ":");
	}
	return complete_is_full(e->c) ? -E2BIG : 0;
}

/* Without tracefs system calls can be counted. */
static void offer_calls(struct events *e)
{
	static const char *const sides[] = { "syscalls:sys_enter_", "syscalls:sys_exit_" };

	for (size_t side = 0; side < 2; side++)
		for (uint32_t nr = 0; nr < SYSCALL_NR_MAX && !complete_is_full(e->c); nr++) {
			const char *name = syscall_name(SYSCALL_NATIVE, nr);
			char word[128];

			if (name && snprintf(word, sizeof(word), "%s%s", sides[side], name) < (int)sizeof(word))
				on_tracepoint(e, word);
		}
}

static void offer_functions(struct events *e)
{
	struct kfuncs funcs;
	char glob[256];

	if (strcspn(e->rest, "*?[(") < strlen(e->rest) || snprintf(glob, sizeof(glob), "%s*", e->rest) >= (int)sizeof(glob) ||
	    kfuncs_load(glob, &funcs))
		return;
	for (size_t i = 0; i < funcs.all.n && !complete_is_full(e->c); i++)
		offer(e, funcs.all.data[i].name, "");
	kfuncs_free(&funcs);
}

static int on_function(void *arg, const struct ufunc *f)
{
	struct events *e = arg;

	if (!strncmp(f->name, e->rest, strlen(e->rest)))
		offer(e, f->name, "");
	return complete_is_full(e->c) ? -E2BIG : 0;
}

/* "u:bash:re": those of the file that are begun so. */
static void offer_of_file(struct events *e, const char *path, size_t len)
{
	char prefix[WORD_MAX], name[WORD_MAX], whole[WORD_MAX];
	struct err err = {};
	struct elf_file elf;
	int fd;

	if (snprintf(name, sizeof(name), "%.*s", (int)len, path) >= (int)sizeof(name) ||
	    snprintf(prefix, sizeof(prefix), "%s%s:", e->prefix, name) >= (int)sizeof(prefix) ||
	    upath_find(name, 0, whole, sizeof(whole), &err))
		return;
	fd = ufile_open(whole, &elf);
	if (fd < 0)
		return;
	e->prefix = prefix;
	e->rest = path + len + 1;
	ufuncs_each(&elf, whole, on_function, e);
	elf_close(&elf);
	close(fd);
}

/* Programs may be run; libraries are called so. */
static bool is_program(const char *path, const struct stat *st)
{
	return st->st_mode & 0111 || strstr(path, ".so");
}

/* "u:/bin/ba": folders go on, a file is followed by its function. */
static void offer_files(struct events *e)
{
	const char *slash = strrchr(e->rest, '/'), *base = slash ? slash + 1 : e->rest;
	char folder[WORD_MAX], name[WORD_MAX];
	struct dirent *d;
	struct stat st;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%.*s", (int)(base - e->rest), e->rest);
	dir = opendir(*folder ? folder : ".");
	while (dir && !complete_is_full(e->c) && (d = readdir(dir))) {
		if (strncmp(d->d_name, base, strlen(base)) || (d->d_name[0] == '.' && *base != '.') ||
		    snprintf(name, sizeof(name), "%s%s", folder, d->d_name) >= (int)sizeof(name) || stat(name, &st))
			continue;
		if (S_ISDIR(st.st_mode))
			offer(e, name, "/");
		else if (S_ISREG(st.st_mode) && is_program(name, &st))
			offer(e, name, ":");
	}
	if (dir)
		closedir(dir);
}

static const struct {
	const char *prefix;
	char what; /* k, u, t */
} prefixes[] = { { "k:", 'k' },	     { "kr:", 'k' },	   { "u:", 'u' },      { "ur:", 'u' },	      { "usdt:", 'd' },	   { "t:", 't' },
		 { "kprobe:", 'k' }, { "kretprobe:", 'k' }, { "uprobe:", 'u' }, { "uretprobe:", 'u' }, { "tracepoint:", 't' } };
#define SHOWN 6 /* those that are offered */

static void complete_probe(struct events *e, char what)
{
	const char *colon = strchr(e->rest, ':');

	if (what == 'k')
		offer_functions(e);
	else if (what == 't')
		tracepoint_each(on_tracepoint, e);
	else if (colon && what == 'u')
		offer_of_file(e, e->rest, colon - e->rest);
	else if (!colon)
		offer_files(e);
}

void complete_events(struct complete *c, const char *text, unsigned which)
{
	struct events e = { .c = c, .prefix = "", .rest = text };

	for (size_t i = 0; which & COMPLETE_PROBED && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t n = strlen(prefixes[i].prefix);

		if (strncmp(text, prefixes[i].prefix, n))
			continue;
		e.prefix = prefixes[i].prefix;
		e.rest = text + n;
		complete_probe(&e, prefixes[i].what);
		return;
	}
	for (size_t i = 0; which & COMPLETE_PROBED && i < SHOWN; i++)
		complete_offer(c, prefixes[i].prefix, NULL);
	if (which & COMPLETE_COUNTED && !strchr(text, ':'))
		event_each_name(on_name, &e);
	if (tracepoint_each(on_tracepoint, &e) < 0 && which & COMPLETE_COUNTED)
		offer_calls(&e);
	if (which & COMPLETE_COUNTED && !strchr(text, ':'))
		pmu_each_event(on_pmu, &e);
}
