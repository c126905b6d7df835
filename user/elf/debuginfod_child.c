/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fetching side: a few threads, as a file takes the server seconds. It ends when its standard input does, that is with its parent. */
#include <stdio.h>
#include <string.h>

#include "elf/debuginfod.h"
#include "util/err.h"

#ifndef HAVE_DEBUGINFOD
int debuginfod_child(void)
{
	return EXIT_CANNOT;
}
#else
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <linux/capability.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sample.h"
#include "util/clock.h"
#include "util/invoker.h"
#include "util/library.h"
#include "util/thread.h"

#define SONAME "libdebuginfod.so.1"
#define WORKERS 4
#define QUEUE_MAX 4096u
#define ID_CHARS (2 * BUILD_ID_MAX + 1)
#define SAY_NS 200000000ull /* that more has come */
#define END_S 2 /* a thread looks whether it is the end once a second */

static struct {
	debuginfod_client *(*begin)(void);
	void (*end)(debuginfod_client *client);
	int (*find)(debuginfod_client *client, const unsigned char *id, int size, char **path);
	void (*on_progress)(debuginfod_client *client, debuginfod_progressfn_t fn);
	void (*set_data)(debuginfod_client *client, void *data);
	void *(*data)(debuginfod_client *client);
} lib;

static const struct library_symbol symbols[] = {
	{ &lib.begin, "debuginfod_begin" },	    { &lib.end, "debuginfod_end" },
	{ &lib.find, "debuginfod_find_debuginfo" }, { &lib.on_progress, "debuginfod_set_progressfn" },
	{ &lib.set_data, "debuginfod_set_user_data" }, { &lib.data, "debuginfod_get_user_data" },
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	char ids[QUEUE_MAX][ID_CHARS];
	size_t first, n;
	bool is_over;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

static bool is_over(void)
{
	return __atomic_load_n(&queue.is_over, __ATOMIC_ACQUIRE);
}

struct worker {
	const char *id; /* what it fetches */
	long bytes;
	uint64_t said_ns;
};

/* One write for a line: those of others do not come in between (pipe(7), PIPE_BUF). */
static void say(const char *id, const char *path)
{
	char line[ID_CHARS + PATH_MAX + 2];
	int n = snprintf(line, sizeof(line), "%s%s%s\n", id, path ? " " : "", path ? path : "");

	if (n < (int)sizeof(line) && write(STDOUT_FILENO, line, (size_t)n) != n)
		_exit(EXIT_FAILED); /* nobody reads it */
}

/* Not 0: stop. Without a total, bytes may be the library's rounds. */
static int progress(debuginfod_client *client, long bytes, long total)
{
	struct worker *w = lib.data(client);
	uint64_t now = now_ns();

	if (total > 0 && bytes > w->bytes && now - w->said_ns > SAY_NS) {
		w->bytes = bytes;
		w->said_ns = now;
		say(w->id, NULL);
	}
	return is_over();
}

static bool take(char id[ID_CHARS])
{
	bool has;

	pthread_mutex_lock(&queue.lock);
	while (!queue.n && !queue.is_over)
		pthread_cond_wait(&queue.more, &queue.lock);
	has = !queue.is_over;
	if (has) {
		memcpy(id, queue.ids[queue.first], ID_CHARS);
		queue.first = (queue.first + 1) % QUEUE_MAX;
		queue.n--;
	}
	pthread_mutex_unlock(&queue.lock);
	return has;
}

/* A search that was broken off is no answer, but the library keeps it as one for ten minutes: an empty file. */
static void forget(const char *id)
{
	char path[PATH_MAX];
	struct stat st;
	int ret;

	for (unsigned int i = 0; (ret = debuginfod_cached(i, id, path, sizeof(path))) != -ENOENT; i++)
		if (!ret && !lstat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
			unlink(path);
}

static void *work(void *arg)
{
	char id[ID_CHARS], failed[16], whole[PATH_MAX], *path;

	for (; take(id); free(path)) {
		struct worker w = { .id = id };
		debuginfod_client *client = lib.begin();
		int fd = -ENOMEM;

		path = NULL;
		if (client) {
			lib.set_data(client, &w);
			lib.on_progress(client, progress);
			fd = lib.find(client, (const unsigned char *)id, 0, &path);
			lib.end(client);
		}
		/* DEBUGINFOD_CACHE_PATH may be relative */
		if (fd >= 0 && (!path || !realpath(path, whole) || strchr(whole, '\n')))
			fd = -ENOENT;
		snprintf(failed, sizeof(failed), "%d", fd < 0 ? fd : 0);
		if (fd < 0 && is_over())
			forget(id);
		say(id, fd >= 0 ? whole : failed);
		if (fd >= 0)
			close(fd);
	}
	return arg;
}

/* What comes from a network is read with nothing but a user's rights: with sudo -E those of the user whose cache it is. */
static void drop_rights(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	const char *home = getenv("HOME");
	struct invoker who;
	struct stat st;

	if (!invoker_get(&who) && home && !stat(home, &st) && st.st_uid == who.uid &&
	    (setgroups(0, NULL) || setresgid(who.gid, who.gid, who.gid) || setresuid(who.uid, who.uid, who.uid)))
		_exit(EXIT_CANNOT);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_capset, &head, none))
		_exit(EXIT_CANNOT);
}

static void put(const char *id)
{
	pthread_mutex_lock(&queue.lock);
	if (queue.n < QUEUE_MAX) {
		strcpy(queue.ids[(queue.first + queue.n++) % QUEUE_MAX], id);
		pthread_cond_signal(&queue.more);
	}
	pthread_mutex_unlock(&queue.lock);
}

static void end_work(void)
{
	pthread_mutex_lock(&queue.lock);
	__atomic_store_n(&queue.is_over, true, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&queue.more);
	pthread_mutex_unlock(&queue.lock);
	alarm(END_S); /* a half-written file is removed by its thread, unless it hangs */
}

int debuginfod_child(void)
{
	char line[ID_CHARS + 1];
	pthread_t threads[WORKERS];
	int nr = 0;

	drop_rights();
	if (!library_open(SONAME, symbols, sizeof(symbols) / sizeof(*symbols)))
		return EXIT_CANNOT;
	while (nr < WORKERS && thread_start(&threads[nr], work, NULL))
		nr++;
	while (nr && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strlen(line) == strspn(line, "0123456789abcdef"))
			put(line);
	}
	signal(SIGALRM, SIG_DFL);
	end_work();
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return EXIT_DONE;
}
#endif
