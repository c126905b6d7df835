/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables that tools/syscalls.sh makes. */
#include "event/syscalls.h"

#include <errno.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/glob.h"

struct names {
	const char *kernel, *call;
};

static const struct names native[SYSCALL_NR_MAX] = {
#include "gen/syscalls_native.h"
};

static const struct names compat[SYSCALL_NR_MAX] = {
#include "gen/syscalls_compat.h"
};

static const struct names *find(enum syscall_abi abi, uint32_t nr)
{
	const struct names *n;

	if (nr >= SYSCALL_NR_MAX || abi >= SYSCALL_ABIS)
		return NULL;
	n = abi == SYSCALL_COMPAT ? &compat[nr] : &native[nr];
	return n->kernel ? n : NULL;
}

const char *syscall_name(enum syscall_abi abi, uint32_t nr)
{
	const struct names *n = find(abi, nr);

	return n ? n->kernel : NULL;
}

const char *syscall_call_name(enum syscall_abi abi, uint32_t nr)
{
	const struct names *n = find(abi, nr);

	return n ? n->call : NULL;
}

uint32_t syscall_number(const char *call_name)
{
	uint32_t nr = 0;

	while (nr < SYSCALL_NR_MAX && (!native[nr].call || strcmp(native[nr].call, call_name)))
		nr++;
	return nr;
}

static const char *const abi_marks[SYSCALL_ABIS] = { "", ":compat", ":x32" };
const char *syscall_abi_mark(enum syscall_abi abi)
{
	return (unsigned)abi < SYSCALL_ABIS ? abi_marks[abi] : "";
}

static const char *const sides[] = { "enter", "exit" };

struct list {
	struct event *events;
	int nr, max;
};

static int add(struct list *list, const char *name, bool is_glob, bool is_exit, enum syscall_abi abi, uint64_t nr)
{
	struct event *e;

	if (list->nr == list->max)
		return -E2BIG;
	e = &list->events[list->nr++];
	*e = (struct event){ .unit = "calls", .kind = EVENT_SYSCALL, .from_glob = is_glob, .is_exit = is_exit, .abi = abi, .config = nr };
	snprintf(e->name, sizeof(e->name), "%s", name);
	return 0;
}

/* raw_syscalls: every call of every table. */
static int add_any(struct list *list, const char *text, const char *pattern)
{
	char name[EVENT_NAME_MAX];
	bool is_glob = glob_is(pattern);
	int ret = 0;

	for (int side = 0; side < 2 && !ret; side++) {
		snprintf(name, sizeof(name), "sys_%s", sides[side]);
		if (fnmatch(pattern, name, 0))
			continue;
		snprintf(name, sizeof(name), "raw_syscalls:sys_%s", sides[side]);
		ret = add(list, is_glob ? name : text, false, side, SYSCALL_NATIVE, SYSCALL_ANY);
	}
	return ret;
}

static int add_table(struct list *list, const char *text, const char *pattern, enum syscall_abi abi)
{
	bool is_glob = glob_is(pattern);
	int ret = 0;

	for (int side = 0; side < 2; side++)
		for (uint32_t nr = 0; nr < SYSCALL_NR_MAX && !ret; nr++) {
			char kernel[EVENT_NAME_MAX], call[EVENT_NAME_MAX], full[EVENT_NAME_MAX];

			if (!syscall_name(abi, nr))
				continue;
			snprintf(kernel, sizeof(kernel), "sys_%s_%s", sides[side], syscall_name(abi, nr));
			snprintf(call, sizeof(call), "sys_%s_%s", sides[side], syscall_call_name(abi, nr));
			if (fnmatch(pattern, kernel, 0) && fnmatch(pattern, call, 0))
				continue;
			snprintf(full, sizeof(full), "syscalls:%.80s%s", kernel, abi_marks[abi]);
			ret = add(list, is_glob ? full : text, is_glob, side, abi, nr);
		}
	/* Numbers without a name are one event a side, so that the table adds up. */
	for (int side = 0; side < 2 && !ret && is_glob && abi == SYSCALL_NATIVE; side++) {
		char name[EVENT_NAME_MAX], full[EVENT_NAME_MAX];

		snprintf(name, sizeof(name), "sys_%s_unknown", sides[side]);
		snprintf(full, sizeof(full), "syscalls:sys_%s_unknown", sides[side]);
		if (!fnmatch(pattern, name, 0))
			ret = add(list, full, true, side, abi, SYSCALL_NR_MAX);
	}
	return ret;
}

int syscall_events(const char *text, size_t len, struct event *ret_events, int max)
{
	static const char raw[] = "raw_syscalls:", own[] = "syscalls:";
	struct list list = { ret_events, 0, max };
	enum syscall_abi abi = SYSCALL_NATIVE;
	char whole[EVENT_NAME_MAX], name[EVENT_NAME_MAX], *pattern = whole;
	int ret;

	if (len >= sizeof(whole))
		return 0;
	memcpy(whole, text, len);
	whole[len] = '\0';
	if (!strncmp(whole, raw, strlen(raw))) {
		ret = add_any(&list, whole, whole + strlen(raw));
	} else if (!strncmp(whole, own, strlen(own))) {
		memcpy(name, whole, sizeof(name));
		pattern += strlen(own);
		for (enum syscall_abi a = SYSCALL_COMPAT; a < SYSCALL_ABIS; a++) {
			size_t n = strlen(pattern), mark = strlen(abi_marks[a]);

			if (n > mark && !strcmp(pattern + n - mark, abi_marks[a])) {
				abi = a;
				pattern[n - mark] = '\0';
			}
		}
		ret = add_table(&list, name, pattern, abi);
		if (!ret && abi == SYSCALL_NATIVE && glob_is(pattern))
			ret = add_table(&list, name, pattern, SYSCALL_COMPAT);
		if (!ret && abi == SYSCALL_NATIVE && glob_is(pattern))
			ret = add_table(&list, name, pattern, SYSCALL_X32);
	} else {
		return 0;
	}
	if (ret)
		return ret;
	return list.nr ? list.nr : -ENOENT;
}
