/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The side that requests: lines to the child are build ids; its lines are "ID /path", "ID -ERRNO" for none, and "ID" when more of a file has arrived. */
#include "elf/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"
#include "util/clock.h"
#include "util/interrupt.h"
#include "util/text.h"
#include "util/vec.h"

#define ASKED_MAX 4096u /* in a run; a program that writes object files could have us ask for as many as it likes */
#define LOOK_MS 50
#define SAY_NS 1000000000ull /* a wait that is longer is reported */
#define ID_CHARS (2 * BUILD_ID_MAX + 1)

struct asked {
	char id[ID_CHARS];
	bool is_done;
	char *path; /* NULL: none, or not yet */
};

static struct {
	bool is_started, is_said;
	bool is_away; /* waiting is given up for this run */
	const char *why;
	int to, from;
	pid_t pid;
	VEC(struct asked) asked;
	uint32_t nr_news, nr_failed, nr_left;
	int failed; /* -errno, the last */
	char *refused; /* a path */
	uint64_t moved_ns; /* when something last came */
	char line[ID_CHARS + PATH_MAX + 2];
	size_t n; /* of line */
} own = { .to = -1, .from = -1 };

void (*debuginfod_on_wait)(bool has_run);

bool debuginfod_is_on(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && urls[strspn(urls, " ")];
}

int debuginfod_cached(unsigned int i, const char *hex, char *ret_path, size_t size)
{
	static const struct {
		const char *variable, *below;
	} places[] = { { "DEBUGINFOD_CACHE_PATH", "" }, { "XDG_CACHE_HOME", "/debuginfod_client" }, { "HOME", "/.cache/debuginfod_client" },
		       { "HOME", "/.debuginfod_client_cache" } };
	const char *root;
	int n;

	if (i >= sizeof(places) / sizeof(*places))
		return -ENOENT;
	root = getenv(places[i].variable);
	n = root && *root ? snprintf(ret_path, size, "%s%s/%s/debuginfo", root, places[i].below, hex) : -1;
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Without our blocked signals, and in a process group of its own, which Ctrl-C does not reach. */
static int spawn(int in, int out)
{
	char name[] = DEBUGINFOD_CHILD, *argv[] = { name, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int ret;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	ret = -posix_spawn(&own.pid, "/proc/self/exe", &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return ret;
}

static int start(void)
{
	int to[2], from[2], ret;

	if (pipe2(to, O_CLOEXEC))
		return -errno;
	ret = -EMFILE;
	if (!pipe2(from, O_CLOEXEC)) {
		ret = spawn(to[0], from[1]);
		close(from[1]);
		if (ret)
			close(from[0]);
	}
	close(to[0]);
	if (ret) {
		close(to[1]);
		return ret;
	}
	fcntl(to[1], F_SETFL, O_NONBLOCK);
	fcntl(from[0], F_SETFL, O_NONBLOCK);
	own.to = to[1];
	own.from = from[0];
	return 0;
}

static void stop(const char *why)
{
	own.why = why;
	own.is_away = true;
	if (own.to >= 0)
		close(own.to);
	if (own.from >= 0)
		close(own.from);
	own.to = own.from = -1;
	if (own.pid > 0)
		waitpid(own.pid, NULL, WNOHANG);
	for (size_t i = 0; i < own.asked.n; i++)
		own.asked.data[i].is_done = true;
}

static struct asked *asked_of(const char *id)
{
	for (size_t i = 0; i < own.asked.n; i++)
		if (!strcmp(own.asked.data[i].id, id))
			return &own.asked.data[i];
	return NULL;
}

static void take_line(char *line)
{
	char *path = strchr(line, ' ');
	struct asked *a;

	if (path)
		*path++ = '\0';
	a = asked_of(line);
	if (!a || a->is_done || !path)
		return;
	a->is_done = true;
	a->path = *path == '/' ? strdup(path) : NULL;
	own.nr_news += a->path != NULL;
	if (a->path || *path == '/' || atoi(path) == -ENOENT)
		return;
	own.nr_failed++;
	own.failed = atoi(path);
}

/* What the child has said by now. */
static void listen_now(void)
{
	while (own.from >= 0) {
		ssize_t got = read(own.from, own.line + own.n, sizeof(own.line) - 1 - own.n);
		char *end;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			stop("libdebuginfod cannot be opened, or has ended");
			return;
		}
		own.moved_ns = now_ns();
		own.n += (size_t)got;
		own.line[own.n] = '\0';
		while ((end = strchr(own.line, '\n'))) {
			*end = '\0';
			take_line(own.line);
			own.n -= (size_t)(end + 1 - own.line);
			memmove(own.line, end + 1, own.n + 1);
		}
		if (own.n == sizeof(own.line) - 1)
			own.n = 0; /* no line of the child's */
	}
}

/* A pointer to what is asked for may move with the next one. */
static struct asked *ask(const char *id)
{
	size_t n = strlen(id);
	char line[ID_CHARS + 1];
	struct asked *a;

	if (!own.is_started) {
		own.is_started = true;
		if (start())
			stop("its process cannot be started");
	}
	memcpy(line, id, n);
	line[n] = '\n';
	/* The pipe is full as long as the child has much to do: whoever wants the name again requests it again. */
	if (own.to < 0 || own.asked.n == ASKED_MAX || vec_reserve(&own.asked) || write(own.to, line, n + 1) != (ssize_t)n + 1) {
		own.nr_left += own.to >= 0;
		return NULL;
	}
	a = &own.asked.data[own.asked.n++];
	*a = (struct asked){ 0 };
	memcpy(a->id, id, n + 1);
	own.moved_ns = now_ns();
	return a;
}

static void wait_for(const char *id)
{
	unsigned int interrupts = interrupts_count();
	uint64_t since_ns = own.moved_ns = now_ns();

	while (!asked_of(id)->is_done && !own.is_away) {
		struct pollfd p = { .fd = own.from, .events = POLLIN };

		poll(&p, 1, LOOK_MS);
		listen_now();
		if (!own.is_said && now_ns() - since_ns > SAY_NS) {
			own.is_said = true;
			if (debuginfod_on_wait)
				debuginfod_on_wait(interrupts_stage_now() == INTERRUPT_FINISH);
		}
		if (interrupts_count() != interrupts || now_ns() - own.moved_ns > DEBUGINFOD_WAIT_S * 1000000000ull)
			own.is_away = true;
	}
}

int debuginfod_find(const uint8_t *id, int size, bool may_wait, const char **ret_path)
{
	char text[ID_CHARS] = "";
	struct asked *a;

	if (!debuginfod_is_on() || size < 2 || size > BUILD_ID_MAX)
		return -ENOENT;
	text_hex(text, id, (size_t)size);
	listen_now();
	a = asked_of(text);
	if (!a && !(a = ask(text)))
		return -ENOENT;
	if (may_wait && !a->is_done && !own.is_away) {
		wait_for(text);
		a = asked_of(text);
	}
	if (!a->is_done)
		return -EAGAIN;
	*ret_path = a->path;
	return a->path ? 0 : -ENOENT;
}

void debuginfod_refuse(const char *path)
{
	if (!own.refused)
		own.refused = strdup(path);
}

uint32_t debuginfod_news(void)
{
	uint32_t n;

	listen_now();
	n = own.nr_news;
	own.nr_news = 0;
	return n;
}

void debuginfod_stats(struct debuginfod_stats *ret_stats)
{
	listen_now();
	*ret_stats = (struct debuginfod_stats){ .left = own.nr_left, .failed = own.nr_failed, .failed_errno = -own.failed, .refused = own.refused,
						.why = own.why };
	for (size_t i = 0; i < own.asked.n; i++)
		ret_stats->late += !own.asked.data[i].is_done;
}
