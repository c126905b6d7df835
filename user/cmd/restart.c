/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/restart.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cost.h"
#include "util/file.h"
#include "util/log.h"
#include "util/num.h"
#include "util/text.h"

#define PATH_BYTES 4096
#define CMDLINE_MAX (8u << 20) /* more than the kernel takes */
#define DELETED " (deleted)" /* proc(5) */
#define UNTIL "SKEP_UNTIL_NS" /* when a run that starts again is to end */
#define USED "SKEP_USED_NS" /* its CPU time before */

bool restart_has_terminal(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

uint64_t restart_until(uint64_t now_ns, uint64_t *duration_ns)
{
	const char *text = getenv(UNTIL), *used = getenv(USED);
	uint64_t until = *duration_ns ? now_ns + *duration_ns : 0, ns;

	if (until && text && !num_u64(text, UINT64_MAX, &until))
		*duration_ns = until > now_ns ? until - now_ns : 1;
	if (used && !num_u64(used, UINT64_MAX, &ns))
		cost_before(ns);
	unsetenv(UNTIL);
	unsetenv(USED);
	return until;
}

int restart(const char *why, uint64_t until_ns, struct err *err)
{
	char until[24], used[24];
	struct receipt own = { 0 };
	char *words = NULL, **argv, path[PATH_BYTES];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	size_t n, nr = 0;
	int ret = file_read("/proc/self/cmdline", PATH_BYTES, CMDLINE_MAX, &words, &n);

	argv = ret ? NULL : calloc(n + 1, sizeof(*argv));
	for (size_t at = 0; argv && at < n; at += strlen(words + at) + 1)
		argv[nr++] = words + at;
	path[len > 0 ? len : 0] = '\0';
	if (len > 0 && text_ends(path, (size_t)len, DELETED)) /* it was replaced: what is there now */
		path[len - (ssize_t)strlen(DELETED)] = '\0';
	if (access(path, X_OK))
		strcpy(path, "/proc/self/exe");
	snprintf(until, sizeof(until), "%" PRIu64, until_ns);
	if (until_ns)
		setenv(UNTIL, until, 1);
	cost_before(0);
	cost_of_self(&own);
	snprintf(used, sizeof(used), "%" PRIu64, own.own_cpu_ns);
	setenv(USED, used, 1);
	log_note("note: %s", why);
	fflush(NULL);
	if (argv) /* signals that end a run stay blocked: those that come meanwhile are taken by the next one */
		execv(path, argv);
	ret = ret ? ret : argv ? -errno : -ENOMEM;
	free(argv);
	free(words);
	return err_set(err, ret, "cannot start again: %s", strerror(-ret));
}
