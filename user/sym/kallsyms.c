/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reading kallsyms, possibly ahead of the need. */
#include "sym/kallsyms.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sym/vmlinux.h"
#include "util/file.h"
#include "util/thread.h"

#define PROC "/proc"
#define HINT_BYTES (8u << 20)
#define MAX_BYTES (256u << 20)

/* Written by the thread, read after pthread_join. */
static struct {
	pthread_t thread;
	bool started;
	int ret;
	char *text;
	size_t n;
} ahead;

static void *reader(void *arg)
{
	(void)arg;
	ahead.ret = file_read(PROC "/kallsyms", HINT_BYTES, MAX_BYTES, &ahead.text, &ahead.n);
	return NULL;
}

void kallsyms_prefetch(void)
{
	if (!ahead.started)
		ahead.started = thread_start(&ahead.thread, reader, NULL);
}

int kallsyms_file(const char *path, char **ret_text, size_t *ret_n)
{
	return vmlinux_is(path) ? vmlinux_names(path, ret_text, ret_n) : file_read(path, HINT_BYTES, MAX_BYTES, ret_text, ret_n);
}

int kallsyms_read(const char *root, char **ret_text, size_t *ret_n)
{
	char path[PATH_MAX];

	if (ahead.started && !strcmp(root, PROC)) {
		pthread_join(ahead.thread, NULL);
		ahead.started = false;
		*ret_text = ahead.text;
		*ret_n = ahead.n;
		return ahead.ret;
	}
	snprintf(path, sizeof(path), "%s/kallsyms", root);
	return kallsyms_file(path, ret_text, ret_n);
}
