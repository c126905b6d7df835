/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run as a line of states. One epoll waits for everything that can end or feed it: the rings, the
 * side band, signals, the end of COMMAND and of the targets, and a tick that bounds every delay.
 */
#include "capture/session.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "capture/command.h"
#include "capture/kernel.h"
#include "capture/sideband.h"
#include "capture/src_sample.h"
#include "util/log.h"

#define TICK_NS 100000000

enum state { STATE_OPEN, STATE_LOAD, STATE_ATTACH, STATE_ARMED, STATE_DRAINING, STATE_STOPPED };

struct session {
	const struct session_cfg *cfg;
	enum state state;
	struct command command;
	struct sideband *sideband;
	struct src_sample *src;
	uint32_t *cpus;
	uint32_t nr_cpus;
	int epoll_fd, signal_fd, tick_fd;
	int *target_fds; /* pidfds of -p and -t */
	size_t targets_left;
	sigset_t old_mask;
	int signal;
	uint64_t armed_ns, stopped_ns;
	char note[256];
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* libbpf explains refusals on its own; its talk belongs to -vv. */
static int bpf_talk(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (log_level < 2 || (level == LIBBPF_DEBUG && log_level < 3))
		return 0;
	return vfprintf(stderr, fmt, ap);
}

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

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
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
		n = kernel_cpus(&s->cpus);
		s->nr_cpus = n < 0 ? 0 : n;
		return n < 0 ? n : 0;
	}
	s->cpus = malloc(t->cpus.n * sizeof(*s->cpus));
	if (!s->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < t->cpus.n; i++) {
		bool twice = false;

		for (uint32_t k = 0; k < s->nr_cpus; k++)
			twice |= s->cpus[k] == t->cpus.data[i];
		if (!twice)
			s->cpus[s->nr_cpus++] = t->cpus.data[i];
	}
	return 0;
}

/* RLIMIT_MEMLOCK, which bounds maps before 5.11, is libbpf's to raise. */
static void raise_limits(void)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* The end of the last target ends the run; a descriptor of the process cannot be recycled, a number can. */
static int watch_targets(struct session *s, struct err *err)
{
	const struct target *t = s->cfg->target;
	size_t n = t->pids.n + t->tids.n;

	s->target_fds = calloc(n + 1, sizeof(*s->target_fds));
	if (!s->target_fds)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t pid = i < t->pids.n ? t->pids.data[i] : target_process(t->tids.data[i - t->pids.n]);
		int fd = syscall(SYS_pidfd_open, pid, 0);

		if (fd < 0)
			return err_set(err, -errno, "cannot watch process %u: %s", pid, strerror(errno));
		s->target_fds[s->targets_left++] = fd;
		if (watch(s, fd) || sideband_follow(s->sideband, pid))
			return -ENOMEM;
	}
	return 0;
}

static int session_setup(struct session *s, struct err *err)
{
	const struct target *t = s->cfg->target;
	int ret;

	raise_limits();
	libbpf_set_print(bpf_talk);
	ret = kernel_check(err);
	if (!ret)
		ret = open_waits(s, err);
	if (!ret && (ret = pick_cpus(s)))
		err_set(err, ret, "cannot list the CPUs: %s", strerror(-ret));
	if (!ret && t->argv)
		ret = command_prepare(&s->command, t->argv, err);
	s->state = STATE_LOAD;
	/* Mappings happen on every CPU, whatever CPUs are sampled. */
	if (!ret) {
		uint32_t *all;
		int n = kernel_cpus(&all);

		ret = n < 0 ? n : sideband_open(all, n, &s->sideband, err);
		if (n > 0)
			free(all);
	}
	if (!ret && target_is_command(t))
		ret = sideband_follow(s->sideband, s->command.pid);
	if (!ret)
		ret = watch_targets(s, err);
	if (!ret)
		ret = src_sample_open(s->cfg, s->cpus, s->nr_cpus, s->command.pid, &s->src, s->note, sizeof(s->note), err);
	if (ret)
		return ret;
	s->state = STATE_ATTACH;
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

	if (fd == s->signal_fd && read(fd, &si, sizeof(si)) == sizeof(si)) {
		s->signal = si.ssi_signo;
		return true;
	}
	/* COMMAND is asked after on each tick too: a sandbox may refuse pidfd_open(). */
	if (fd == s->tick_fd && read(fd, &ticks, sizeof(ticks)) == sizeof(ticks))
		return s->command.pid && command_poll(&s->command);
	if (s->command.pid && fd == s->command.pidfd)
		return command_poll(&s->command);
	for (size_t i = 0; i < s->cfg->target->pids.n + s->cfg->target->tids.n; i++)
		if (s->target_fds[i] == fd) {
			epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
			return --s->targets_left == 0;
		}
	return false;
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
	src_sample_arm(s->src, true);
	s->state = STATE_ARMED;
	if (s->command.pid)
		ret = command_go(&s->command, s->cfg->target->argv[0], err);
	if (ret)
		return ret;
	ret = loop(s, sink);
	src_sample_arm(s->src, false);
	s->stopped_ns = now_ns();
	s->state = STATE_DRAINING;
	/* A failed write ends the run, but what the kernel holds is still counted. */
	if (!ret)
		ret = drain(s, sink);
	if (ret)
		return err->text[0] ? ret : err_set(err, ret, "cannot keep what was sampled: %s", strerror(-ret));
	ret = src_sample_finish(s->src, sink, err);
	s->state = STATE_STOPPED;
	if (!s->command.reaped)
		command_end(&s->command);
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

int session_signal(const struct session *s)
{
	return s->signal;
}

void session_profile(const struct session *s, struct profile *profile)
{
	struct rusage ru;

	src_sample_profile(s->src, profile);
	profile->losses[LOSS_SIDEBAND] += sideband_lost(s->sideband);
	profile->duration_ns = s->stopped_ns - s->armed_ns;
	profile->receipt.wall_ns = profile->duration_ns;
	profile->receipt.cpus = s->nr_cpus;
	getrusage(RUSAGE_SELF, &ru);
	profile->receipt.own_cpu_ns = (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ull +
				      (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ull;
	profile->receipt.peak_rss_bytes = ru.ru_maxrss * 1024ull;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	command_end(&s->command);
	src_sample_close(s->src);
	sideband_close(s->sideband);
	for (size_t i = 0; s->target_fds && i < s->cfg->target->pids.n + s->cfg->target->tids.n; i++)
		if (s->target_fds[i] > 0)
			close(s->target_fds[i]);
	free(s->target_fds);
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
