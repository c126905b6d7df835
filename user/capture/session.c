/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run from the first descriptor to the last number. One epoll waits for everything that can end or feed it: the rings, the
 * side band, signals, the end of COMMAND and of the targets, and a tick that bounds every delay.
 */
#include "capture/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "capture/command.h"
#include "capture/features.h"
#include "capture/kernel.h"
#include "capture/pidns.h"
#include "capture/sideband.h"
#include "capture/src_sample.h"
#include "util/clock.h"
#include "util/cpus.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/signals.h"

#define TICK_NS 100000000

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* 6.9, 64bef697d33b "pidfd: implement PIDFD_THREAD flag for pidfd_open()" */
#endif

/* A process or thread whose end is waited for. */
struct watched {
	uint32_t pid, tid; /* tid 0: the process */
	int fd;		   /* pidfd, or -1: asked after on each tick */
	bool ended;
};

struct session {
	const struct session_cfg *cfg;
	struct command command;
	struct sideband *sideband;
	struct src_sample *src;
	struct pidns pidns;
	uint32_t *cpus;
	uint32_t nr_cpus;
	int epoll_fd, signal_fd, tick_fd;
	struct watched *watched; /* -p and -t */
	size_t nr_watched, watched_left;
	sigset_t old_mask;
	pid_t left_pid; /* COMMAND, which did not want to go */
	uint64_t armed_ns, stopped_ns;
	char note[256];
};

static int watch(struct session *s, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return fd < 0 || !epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? 0 : -errno;
}

static int open_waits(struct session *s, struct err *err)
{
	const struct itimerspec tick = { { 0, TICK_NS }, { 0, TICK_NS } };
	sigset_t set;
	int ret;

	signals_ending(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->tick_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->epoll_fd < 0 || s->signal_fd < 0 || s->tick_fd < 0 || timerfd_settime(s->tick_fd, 0, &tick, NULL))
		return err_set(err, -errno, "cannot set up the event loop: %s", strerror(errno));
	ret = watch(s, s->signal_fd);
	return ret ? ret : watch(s, s->tick_fd);
}

/* The CPUs of -C, else all that are online. */
static int pick_cpus(struct session *s)
{
	const struct target *t = s->cfg->target;
	int n;

	if (!t->cpus.n) {
		n = cpus_online(&s->cpus);
		s->nr_cpus = n < 0 ? 0 : n;
		return n < 0 ? n : 0;
	}
	s->cpus = malloc(t->cpus.n * sizeof(*s->cpus));
	if (!s->cpus)
		return -ENOMEM;
	memcpy(s->cpus, t->cpus.data, t->cpus.n * sizeof(*s->cpus));
	s->nr_cpus = t->cpus.n;
	return 0;
}

/* A descriptor of a process cannot be recycled, its number can; but kernels and sandboxes differ in what they give. */
static int watch_targets(struct session *s, struct err *err)
{
	const struct target *t = s->cfg->target;
	int ret;

	s->watched = calloc(t->pids.n + t->tids.n + 1, sizeof(*s->watched));
	if (!s->watched)
		return -ENOMEM;
	for (size_t i = 0; i < t->pids.n + t->tids.n; i++) {
		struct watched *w = &s->watched[s->nr_watched++];

		w->tid = i < t->pids.n ? 0 : t->tids.data[i - t->pids.n];
		w->pid = w->tid ? target_process(w->tid) : t->pids.data[i];
		if (!w->pid)
			return err_set(err, -ESRCH, "no thread %u", w->tid);
		w->fd = syscall(SYS_pidfd_open, w->tid ? w->tid : w->pid, w->tid ? PIDFD_THREAD : 0);
		feature_tried(FEATURE_PIDFD, w->fd < 0 ? -errno : 0);
		s->watched_left++;
		ret = watch(s, w->fd);
		if (!ret)
			ret = sideband_follow(s->sideband, w->pid);
		if (ret)
			return ret;
	}
	return 0;
}

/* Has it ended? fd: the descriptor that says so, or -1 on a tick. */
static void poll_watched(struct session *s, int fd)
{
	for (size_t i = 0; i < s->nr_watched; i++) {
		struct watched *w = &s->watched[i];

		if (w->ended || w->fd != fd)
			continue;
		if (fd >= 0)
			epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		else if (!syscall(SYS_tgkill, w->pid, w->tid ? w->tid : w->pid, 0) || errno != ESRCH)
			continue;
		w->ended = true;
		s->watched_left--;
	}
}

static int session_setup(struct session *s, struct err *err)
{
	const struct target *t = s->cfg->target;
	int ret;

	kernel_talk();
	limits_raise();
	ret = kernel_check(err);
	if (!ret)
		ret = open_waits(s, err);
	if (!ret && (ret = pick_cpus(s)))
		err_set(err, ret, "cannot list the CPUs: %s", strerror(-ret));
	if (!ret && t->argv)
		ret = command_prepare(&s->command, t->argv, s->cfg->command_mask, err);
	/* COMMAND is there by now, and so is its number. */
	if (!ret)
		ret = pidns_open(&s->pidns, err);
	/* Mappings happen on every CPU, whatever CPUs are sampled. */
	if (!ret) {
		uint32_t *all;
		int n = cpus_online(&all);

		ret = n < 0 ? n : sideband_open(all, n, &s->sideband, err);
		if (n > 0)
			free(all);
	}
	if (!ret && target_is_command(t))
		ret = sideband_follow(s->sideband, s->command.pid);
	if (!ret)
		ret = watch_targets(s, err);
	if (!ret)
		ret = src_sample_open(s->cfg, s->cpus, s->nr_cpus, s->command.pid, &s->pidns, s->sideband, &s->src, s->note, sizeof(s->note), err);
	if (ret)
		return ret;
	for (uint32_t i = 0; sideband_fd(s->sideband, i) >= 0 && !ret; i++)
		ret = watch(s, sideband_fd(s->sideband, i));
	if (!ret)
		ret = watch(s, src_sample_poll_fd(s->src));
	if (!ret)
		ret = watch(s, s->command.pid ? s->command.pidfd : -1);
	return ret;
}

int session_open(const struct session_cfg *cfg, struct session **ret_session, struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->cfg = cfg;
	s->epoll_fd = s->signal_fd = s->tick_fd = -1;
	err->text[0] = '\0';
	sigprocmask(SIG_BLOCK, NULL, &s->old_mask);
	ret = session_setup(s, err);
	if (ret) {
		if (!err->text[0])
			err_set(err, ret, "cannot start: %s", strerror(-ret));
		session_close(s);
		return ret;
	}
	*ret_session = s;
	return 0;
}

/* Rings first, then the side band up to now, then the samples: a sample never overtakes its mapping. */
static int drain(struct session *s, struct sink *sink)
{
	int ret = src_sample_collect(s->src);

	if (!ret)
		ret = sideband_drain(s->sideband, now_ns(), sink);
	if (!ret)
		ret = src_sample_flush(s->src, sink);
	if (!ret && sink->round)
		ret = sink->round(sink);
	return ret;
}

/* Returns true when the run is over. */
static bool handle(struct session *s, int fd)
{
	struct signalfd_siginfo si;
	uint64_t ticks;

	if (fd == s->signal_fd)
		return read(fd, &si, sizeof(si)) == sizeof(si);
	if (s->command.pid && fd == s->command.pidfd)
		return command_poll(&s->command);
	/* A sandbox may refuse pidfd_open(): on each tick those without one are asked after. */
	if (fd != s->tick_fd) {
		poll_watched(s, fd);
	} else if (read(fd, &ticks, sizeof(ticks)) == sizeof(ticks)) {
		poll_watched(s, -1);
		if (s->command.pid && command_poll(&s->command))
			return true;
	}
	return s->nr_watched && !s->watched_left;
}

static int loop(struct session *s, struct sink *sink)
{
	struct epoll_event ev[16];
	bool over = false;
	int n, ret = 0;

	while (!over && !ret) {
		int timeout = -1;

		if (s->cfg->duration_ns) {
			uint64_t end = s->armed_ns + s->cfg->duration_ns, now = now_ns();

			timeout = end > now ? (int)((end - now) / 1000000) + 1 : 0;
		}
		n = epoll_wait(s->epoll_fd, ev, 16, timeout);
		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n; i++)
			over |= handle(s, ev[i].data.fd);
		if (s->cfg->duration_ns && now_ns() - s->armed_ns >= s->cfg->duration_ns)
			over = true;
		ret = drain(s, sink);
	}
	return ret;
}

int session_run(struct session *s, struct sink *sink, struct err *err)
{
	int ret = 0;

	s->armed_ns = now_ns();
	src_sample_start(s->src);
	if (s->command.pid)
		ret = command_go(&s->command, s->cfg->target->argv[0], err);
	if (ret)
		return ret;
	ret = loop(s, sink);
	s->stopped_ns = now_ns();
	src_sample_stop(s->src);
	/* A failed write ends the run, but what the kernel holds is still counted. */
	if (!ret)
		ret = drain(s, sink);
	if (ret)
		return err->text[0] ? ret : err_set(err, ret, "cannot keep what was sampled: %s", strerror(-ret));
	ret = src_sample_finish(s->src, sink, err);
	s->left_pid = command_end(&s->command);
	return ret;
}

const char *session_notes(const struct session *s)
{
	return s->note;
}

int session_status(const struct session *s)
{
	return s->command.status;
}

void session_profile(const struct session *s, struct profile *profile)
{
	src_sample_profile(s->src, profile);
	profile->losses[LOSS_SIDEBAND] += sideband_lost(s->sideband);
	profile->losses[LOSS_THROTTLED] += sideband_throttled(s->sideband);
	if (s->left_pid)
		profile_note(profile, "COMMAND still runs: process %d does not end on SIGTERM", s->left_pid);
	profile->duration_ns = s->stopped_ns - s->armed_ns;
	profile->receipt.wall_ns = profile->duration_ns;
	profile->receipt.cpus = s->nr_cpus;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	command_end(&s->command);
	src_sample_close(s->src);
	sideband_close(s->sideband);
	pidns_close(&s->pidns);
	for (size_t i = 0; i < s->nr_watched; i++)
		if (s->watched[i].fd >= 0)
			close(s->watched[i].fd);
	free(s->watched);
	free(s->cpus);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	if (s->tick_fd >= 0)
		close(s->tick_fd);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	free(s);
}
