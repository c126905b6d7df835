/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run from the first descriptor to the last number. One epoll waits for everything that can end or feed it: what its
 * sources wait for, signals, the end of COMMAND and of the targets, and a tick that bounds every delay.
 */
#include "capture/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "capture/base.h"
#include "capture/budget.h"
#include "capture/command.h"
#include "capture/cost.h"
#include "capture/features.h"
#include "capture/refusal.h"
#include "capture/sideband.h"
#include "capture/wakeup.h"
#include "capture/walker.h"
#include "capture/watched.h"
#include "util/clock.h"
#include "util/cpus.h"
#include "util/interrupt.h"
#include "util/limits.h"
#include "util/log.h"

#define TICK_NS 100000000
#define INTERRUPT_PATIENCE_NS 1000000000ull

struct session {
	const struct session_cfg *cfg;
	struct source *sources[SESSION_SOURCES_MAX]; /* those of cfg, and those added since */
	int nr_sources;
	struct command command;
	struct place place;
	uint32_t *cpus; /* those of place */
	int epoll_fd, tick_fd;
	struct wakeup wakeup; /* by the side band */
	struct watched watched;
	bool interrupted;
	uint64_t patience_ns; /* with a COMMAND that was interrupted; 0: none */
	pid_t left_pid; /* COMMAND, if it did not end on SIGTERM */
	uint64_t armed_ns, stopped_ns; /* armed_ns: with a delay when that will be */
	bool is_bpf; /* any source */
	bool is_armed;
	bool is_paused;
	uint64_t begun_ns; /* COMMAND */
	int next_turn;
	struct budget budget;
	struct err rate_err; /* why a rate could not be had */
	uint64_t budget_ns; /* when it is looked at next; UINT64_MAX: never */
};

static int watch(struct session *s, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	return fd < 0 || !epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? 0 : -errno;
}

static int open_waits(struct session *s, struct err *err)
{
	const uint64_t ns = s->cfg->tick_ns ? s->cfg->tick_ns : TICK_NS;
	const struct timespec each = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
	const struct itimerspec tick = { each, each };
	int ret;

	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->tick_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->epoll_fd < 0 || interrupts_fd() < 0 || s->tick_fd < 0 || timerfd_settime(s->tick_fd, 0, &tick, NULL))
		return err_set(err, -errno, "cannot set up the event loop: %s", strerror(errno));
	ret = watch(s, interrupts_fd());
	return ret ? ret : watch(s, s->tick_fd);
}

/* The CPUs of -C, else all that are online. */
static int pick_cpus(struct session *s)
{
	const struct target *t = s->cfg->target;
	int n;

	if (t->cpus.n) {
		s->place.cpus = t->cpus.data;
		s->place.nr_cpus = t->cpus.n;
		return 0;
	}
	n = cpus_online(&s->cpus);
	s->place.cpus = s->cpus;
	s->place.nr_cpus = n < 0 ? 0 : n;
	return n < 0 ? n : 0;
}

static int open_source(struct session *s, struct source *src, struct err *err)
{
	int ret = src->open(src, &s->place, err);

	for (uint32_t k = 0; !ret && src->fd && src->fd(src, k) >= 0; k++)
		ret = watch(s, src->fd(src, k));
	return ret;
}

static int open_sources(struct session *s, struct err *err)
{
	int ret = 0;

	for (int i = 0; i < s->nr_sources && !ret; i++)
		ret = open_source(s, s->sources[i], err);
	return ret;
}

int session_add(struct session *s, struct source *src, struct err *err)
{
	int ret;

	if (!src)
		return -ENOMEM;
	if (s->nr_sources == SESSION_SOURCES_MAX)
		ret = err_set(err, -ENOSPC, "too many views at one time");
	else if (src->is_bpf && !s->is_bpf)
		ret = err_set(err, -EPERM, "needs BPF, which this run does without");
	else if (src->has_stacks && !s->place.sideband)
		ret = err_set(err, -EINVAL, "needs stacks, which this run does without");
	else
		ret = open_source(s, src, err);
	if (ret) {
		src->close(src);
		return ret;
	}
	s->sources[s->nr_sources++] = src;
	if (s->is_armed)
		src->start(src);
	if (s->is_paused && src->pause)
		src->pause(src, true);
	return 0;
}

static int open_unwinder(struct session *s, struct err *err)
{
	int ret = unwinder_new(&s->cfg->unwind, s->place.nr_cpus, &s->place.unwinder, err);

	if (!ret)
		return watch(s, unwinder_fd(s->place.unwinder));
	if (s->cfg->unwind.is_must)
		return ret;
	log_detail("%s: user stacks are walked by frame pointers", err->text);
	err->text[0] = '\0';
	return 0;
}

static int open_sideband(struct session *s, struct err *err)
{
	int ret = sideband_open_place(&s->place, &s->place.sideband, err);

	return ret ? ret : wakeup_open(&s->wakeup, s->place.sideband, s->epoll_fd, s->cfg->freq);
}

static int session_setup(struct session *s, struct err *err)
{
	bool has_stacks = false;
	sigset_t mask; /* that COMMAND starts with */
	int ret = 0;

	for (int i = 0; i < s->nr_sources; i++) {
		s->is_bpf |= s->sources[i]->is_bpf;
		has_stacks |= s->sources[i]->has_stacks;
	}
	/* The first signal ends the measurement; its result is still written. */
	interrupts_take(&mask);
	s->place.target = s->cfg->target;
	kernel_talk();
	limits_raise();
	if (s->is_bpf || s->cfg->target->pids.n || s->cfg->target->tids.n)
		ret = pidns_check_proc(err);
	if (!ret && s->is_bpf)
		ret = kernel_check(err);
	if (!ret)
		ret = open_waits(s, err);
	if (!ret && (ret = pick_cpus(s)))
		err_set(err, ret, "cannot list the CPUs: %s", strerror(-ret));
	if (!ret && s->cfg->target->argv)
		ret = command_prepare(&s->command, s->cfg->target->argv, s->cfg->target->as, s->cfg->target->mutes, &mask, err);
	s->place.command_pid = s->command.pid;
	if (s->cfg->ret_command_pid)
		*s->cfg->ret_command_pid = s->command.pid;
	s->place.is_late = s->cfg->delay_ns || s->cfg->starts_off;
	s->place.may_pause = s->cfg->control || (s->cfg->turns && s->cfg->turns->n);
	s->place.has_switches = s->cfg->has_switches;
	s->place.has_namespaces = s->cfg->has_namespaces;
	s->place.has_cgroups = s->cfg->has_cgroups;
	interrupts_on_give_up(INTERRUPT_COMMAND, command_give_up);
	/* After COMMAND was made: its number is one of those to translate. */
	if (!ret && s->is_bpf)
		ret = pidns_open(&s->place.pidns, err);
	if (!ret && s->cfg->unwind.guide)
		ret = open_unwinder(s, err);
	if (!ret)
		ret = watched_open(&s->watched, s->cfg->target, s->epoll_fd, err);
	if (!ret && has_stacks)
		ret = open_sideband(s, err);
	if (!ret)
		ret = open_sources(s, err);
	if (!ret)
		ret = watch(s, s->command.pid ? s->command.pidfd : -1);
	if (!ret && s->cfg->control && (ret = watch(s, s->cfg->control->fd)))
		err_set(err, ret, "cannot wait for commands of --control: %s", strerror(-ret));
	if (!ret && s->cfg->input && (ret = watch(s, s->cfg->input_fd)))
		err_set(err, ret, "cannot wait for keys: %s", strerror(-ret));
	return ret;
}

int session_open(const struct session_cfg *cfg, struct session **ret_session, struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));
	bool lacks = !s;
	int ret;

	for (int i = 0; i < cfg->nr_sources; i++)
		lacks |= !cfg->sources[i];
	if (lacks) {
		for (int i = 0; i < cfg->nr_sources; i++)
			if (cfg->sources[i])
				cfg->sources[i]->close(cfg->sources[i]);
		free(s);
		return -ENOMEM;
	}
	s->cfg = cfg;
	s->nr_sources = cfg->nr_sources;
	memcpy(s->sources, cfg->sources, sizeof(s->sources));
	interrupts_stage(INTERRUPT_SETUP, "setting up", "everything (nothing was measured yet)");
	s->epoll_fd = s->tick_fd = s->wakeup.fd = -1;
	err->text[0] = '\0';
	ret = session_setup(s, err);
	if (ret) {
		if (!err->text[0])
			err_set(err, ret, "cannot start: %s", strerror(-ret));
		session_close(s);
		return ret;
	}
	*ret_session = s;
	if (cfg->ret_session)
		*cfg->ret_session = s;
	return 0;
}

static int take_sums(struct session *s, struct sink *sink)
{
	int ret = 0;

	for (int i = 0; i < s->nr_sources && !ret; i++)
		if (s->sources[i]->snapshot)
			ret = s->sources[i]->snapshot(s->sources[i], sink);
	return ret;
}

/*
 * A round. The order matters: take the samples, report what was mapped until now, walk the stacks that the kernel left, deliver the
 * samples. So each has its mappings and its walk.
 */
static int drain(struct session *s, struct sink *sink)
{
	struct unwinder *unwinder = s->place.unwinder;
	int ret = 0;

	for (int i = 0; i < s->nr_sources && !ret; i++)
		if (s->sources[i]->collect)
			ret = s->sources[i]->collect(s->sources[i]);
	if (!ret && unwinder)
		ret = unwinder_collect(unwinder);
	if (!ret && s->place.sideband)
		ret = sideband_drain(s->place.sideband, now_ns(), sink);
	if (!ret && unwinder)
		ret = unwinder_walk(unwinder);
	for (int i = 0; i < s->nr_sources && !ret; i++)
		if (s->sources[i]->drain)
			ret = s->sources[i]->drain(s->sources[i], sink);
	if (!ret && sink->round)
		ret = sink->round(sink);
	return ret > 0 ? take_sums(s, sink) : ret;
}

/* Those that were named have ended. Does the run go on for their children? */
static bool waits_for_children(const struct session *s)
{
	if (!s->cfg->target->waits_for_children || s->interrupted)
		return false;
	for (int i = 0; i < s->nr_sources; i++)
		if (s->sources[i]->has_targets && s->sources[i]->has_targets(s->sources[i]))
			return true;
	return false;
}

/* Has COMMAND ended, and with it the run? */
static bool is_command_over(struct session *s)
{
	if (!s->command.pid || !command_poll(&s->command))
		return false;
	if (!target_is_command(s->cfg->target) || !waits_for_children(s))
		return true;
	epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, s->command.pidfd, NULL); /* it stays readable: from here on each tick looks */
	return false;
}

static void arm(struct session *s)
{
	for (int i = 0; i < s->nr_sources; i++)
		s->sources[i]->start(s->sources[i]);
	s->is_armed = true;
}

/* What was not started yet starts now, or when its delay is over. */
static void set_paused(struct session *s, bool is_paused)
{
	if (!s->is_armed && !is_paused) {
		s->armed_ns = now_ns();
		arm(s);
	}
	for (int i = 0; i < s->nr_sources && s->is_armed && s->is_paused != is_paused; i++)
		if (s->sources[i]->pause)
			s->sources[i]->pause(s->sources[i], is_paused);
	s->is_paused = s->is_armed && is_paused;
}

static uint64_t turn_ns(const struct session *s)
{
	const struct session_turns *t = s->cfg->turns;

	return t && s->next_turn < t->n ? s->begun_ns + t->at_ns[s->next_turn] : UINT64_MAX;
}

static void take_turns(struct session *s, uint64_t now)
{
	for (; s->is_armed && now >= turn_ns(s); s->next_turn++)
		set_paused(s, s->next_turn % 2 == 0);
}

/* Returns true when the run is over. */
static bool take_commands(struct session *s)
{
	struct control *c = s->cfg->control;
	enum control_command command;
	bool over = false;

	control_read(c);
	while (!over && (command = control_next(c)) != CONTROL_NONE) {
		if (command == CONTROL_ENABLE || command == CONTROL_DISABLE)
			set_paused(s, command == CONTROL_DISABLE);
		over = command == CONTROL_STOP;
		if (command != CONTROL_UNKNOWN)
			control_ack(c);
	}
	if (c->is_over)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
	return over;
}

/* Returns true when the run is over. */
static bool handle(struct session *s, int fd)
{
	uint64_t ticks, signals;

	if (fd == interrupts_fd()) {
		if (read(fd, &signals, sizeof(signals)) != sizeof(signals))
			return false;
		/* Ctrl-C went to COMMAND as well, which may have something to finish; a second one ends it. */
		if (s->interrupted || signals > 1 || interrupts_last() != SIGINT || !s->command.pid || command_poll(&s->command))
			return s->interrupted = true;
		s->interrupted = true;
		s->patience_ns = now_ns() + INTERRUPT_PATIENCE_NS;
		return false;
	}
	if (s->command.pid && fd == s->command.pidfd)
		return is_command_over(s);
	if (s->cfg->control && fd == s->cfg->control->fd)
		return take_commands(s);
	if (s->cfg->input && fd == s->cfg->input_fd)
		return s->cfg->input(s->cfg->input_arg);
	/* A sandbox may refuse pidfd_open(): targets without a descriptor are looked for on each tick. */
	if (fd != s->tick_fd) {
		watched_poll(&s->watched, fd);
	} else if (read(fd, &ticks, sizeof(ticks)) == sizeof(ticks)) {
		watched_poll(&s->watched, -1);
		if (s->cfg->tick)
			s->cfg->tick(s->cfg->tick_arg, s);
		if (is_command_over(s))
			return true;
	}
	if (s->cfg->target->waits_for_children && fd != s->tick_fd)
		return false;
	return s->watched.n && !s->watched.left && !waits_for_children(s);
}

/* What it cost so far, and the rate that goes with it. 0 or -errno. */
static int keep_budget(struct session *s, uint64_t now)
{
	struct profile p = { .receipt.no_maps = true };
	int ret = 0;

	if (now < s->budget_ns || !s->is_armed)
		return 0;
	s->budget_ns = now + BUDGET_ROUND_NS;
	session_profile(s, &p);
	if (!budget_round(&s->budget, now, p.receipt.own_cpu_ns + p.receipt.bpf_ns))
		return 0;
	for (int i = 0; i < s->nr_sources && !ret; i++) {
		struct source *source = s->sources[i];

		if (source->in_part)
			base_take_part(source->in_part, s->budget.rate);
		if (source->rate)
			ret = source->rate(source, s->budget.rate, &s->rate_err);
	}
	return ret;
}

/* Does what the budget changes lose something, and is none of it a rate of samples? */
static bool only_takes_parts(const struct session *s)
{
	bool takes = false;

	for (int i = 0; i < s->nr_sources; i++) {
		if (s->sources[i]->rate)
			return false;
		takes |= s->sources[i]->in_part != NULL;
	}
	return takes;
}

double session_least_rate(struct session *s)
{
	return budget_least(&s->budget);
}

static int snapshot(struct session *s, struct sink *sink, uint64_t now)
{
	int ret = take_sums(s, sink);

	return ret || !sink->interval ? ret : sink->interval(sink, now - s->armed_ns);
}

int session_again(struct session *s, struct sink *sink)
{
	int ret = 0;

	for (int i = 0; i < s->nr_sources && !ret; i++)
		if (s->sources[i]->again)
			ret = s->sources[i]->again(s->sources[i], sink);
	return ret;
}

void session_forget(struct session *s, bool later)
{
	for (int i = 0; i < s->nr_sources; i++)
		if (s->sources[i]->forget)
			s->sources[i]->forget(s->sources[i], later);
}

/* Milliseconds until the first of two moments, rounded up; -1 for none of them (UINT64_MAX). */
static int until(uint64_t a, uint64_t b)
{
	uint64_t first = a < b ? a : b, now = now_ns();

	if (first == UINT64_MAX)
		return -1;
	return first > now ? (int)((first - now + 999999) / 1000000) : 0;
}

/* Before what was delayed there is nothing to stop. */
static void disarm(struct session *s)
{
	s->stopped_ns = now_ns();
	if (!s->is_armed)
		s->armed_ns = s->stopped_ns;
	for (int i = 0; i < s->nr_sources && s->is_armed; i++)
		s->sources[i]->stop(s->sources[i]);
}

#define CLOCK_SLACK_NS 2000000 /* the other clock is a little slower: an interval that ends before the hour would count to the last */

static uint64_t first_interval(const struct session *s)
{
	uint64_t step = s->cfg->interval_ns;

	if (!step)
		return UINT64_MAX;
	return s->cfg->interval_by_clock ? now_ns() + step - clock_ns(CLOCK_REALTIME) % step + CLOCK_SLACK_NS : s->armed_ns + step;
}

static int loop(struct session *s, struct sink *sink)
{
	uint64_t step = s->cfg->interval_ns, next = first_interval(s);
	struct epoll_event ev[16];
	bool over = false;
	int n, ret = 0;

	while (!over && !ret) {
		uint64_t end = s->is_armed && s->cfg->duration_ns ? s->armed_ns + s->cfg->duration_ns : UINT64_MAX;
		uint64_t now, first = !s->is_armed ? s->armed_ns : end < next ? end : next;
		bool has_maps = false;

		first = s->is_armed && turn_ns(s) < first ? turn_ns(s) : first;
		n = epoll_wait(s->epoll_fd, ev, 16, until(first, wakeup_next_ns(&s->wakeup)));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n <= 0 && s->cfg->input) /* the terminal may have another size; the signal may have come before the wait */
			over |= s->cfg->input(s->cfg->input_arg);
		for (int i = 0; i < n; i++) {
			has_maps |= ev[i].data.fd == s->wakeup.fd;
			over |= handle(s, ev[i].data.fd);
		}
		now = now_ns();
		if (!s->is_armed && !over && now >= s->armed_ns)
			arm(s);
		take_turns(s, now);
		ret = wakeup_take(&s->wakeup, has_maps, now);
		if (ret)
			return ret;
		over |= now >= end || (s->patience_ns && now >= s->patience_ns);
		ret = drain(s, sink);
		ret = ret ? ret : keep_budget(s, now);
		if (ret || over || now < next)
			continue;
		ret = snapshot(s, sink, now);
		while (next <= now)
			next += step; /* a round that was missed is not made up for */
	}
	return ret;
}

static int finish_source(struct source *src, struct sink *sink, struct err *err)
{
	int ret;

	if (src->finish)
		return src->finish(src, sink, err);
	ret = src->snapshot(src, sink);
	return ret ? err_set(err, ret, "cannot read the counts: %s", strerror(-ret)) : 0;
}

/* A sink that has enough ends the run as a signal does. */
static int enough(int ret)
{
	return ret == -ECANCELED ? 0 : ret;
}

int session_run(struct session *s, struct sink *sink, struct err *err)
{
	int ret = 0;

	/* Did a signal come while all was set up? Then COMMAND is not run at all. */
	if (interrupts_count())
		return err_set(err, -EINTR, "interrupted before the measurement started");
	s->begun_ns = now_ns();
	budget_init(&s->budget, s->cfg->budget, s->place.nr_cpus, s->cfg->freq, s->cfg->budget_least_rate);
	s->budget_ns = s->cfg->budget ? s->begun_ns + s->cfg->budget_after_ns : UINT64_MAX;
	s->armed_ns = s->cfg->starts_off ? UINT64_MAX : s->begun_ns + s->cfg->delay_ns;
	if (!s->place.is_late)
		arm(s);
	if (s->command.pid)
		ret = command_go(&s->command, s->cfg->target->argv[0], err);
	if (ret)
		return ret;
	s->place.command_runs = s->command.pid;
	interrupts_stage(INTERRUPT_RUN, "measuring", "the result");
	ret = enough(loop(s, sink));
	if (ret && s->rate_err.text[0] && !err->text[0])
		*err = s->rate_err;
	interrupts_stage(INTERRUPT_FINISH, "detaching", "the result");
	disarm(s);
	interrupts_stage(INTERRUPT_FINISH, "reading the results and their names", "the result");
	/* A failed write ends the run, but what the kernel holds is still counted. */
	if (!ret)
		ret = enough(drain(s, sink));
	if (ret == -ETIMEDOUT)
		return err_set(err, ret, "interrupted: nothing read the output");
	if (ret && ret != -EPIPE && ret != -ENOMEM && !err->text[0] && s->cfg->output)
		return err_set(err, ret, "cannot write '%s': %s", s->cfg->output, strerror(-ret));
	if (ret) /* the reader of a pipe had enough: no word */
		return err->text[0] || ret == -EPIPE ? ret : err_set(err, ret, "cannot store the result: %s", strerror(-ret));
	for (int i = 0; i < s->nr_sources && !ret; i++)
		ret = enough(finish_source(s->sources[i], sink, err));
	interrupts_stage(INTERRUPT_FINISH, "ending COMMAND and writing the result", "the result");
	s->left_pid = command_end(&s->command);
	return ret;
}

int session_status(const struct session *s)
{
	return s->command.status;
}

const struct rusage *session_usage(const struct session *s)
{
	return s->command.reaped ? &s->command.usage : NULL;
}

bool session_interrupted(const struct session *s)
{
	return s->interrupted;
}

uint64_t session_duration_ns(const struct session *s)
{
	return (s->stopped_ns ? s->stopped_ns : now_ns()) - s->armed_ns;
}

void session_profile(const struct session *s, struct profile *profile)
{
	for (int i = 0; i < s->nr_sources; i++) {
		uint64_t seen = profile->seen, kept = profile->kept;

		if (s->sources[i]->profile)
			s->sources[i]->profile(s->sources[i], profile);
		if (i >= s->cfg->nr_sources) { /* what was added counts something else */
			profile->seen = seen;
			profile->kept = kept;
		}
	}
	if (s->place.unwinder)
		unwinder_profile(s->place.unwinder, profile);
	if (s->place.sideband) {
		profile->losses[LOSS_SIDEBAND] += sideband_lost(s->place.sideband);
		profile->losses[LOSS_THROTTLED] += sideband_throttled(s->place.sideband);
	}
	if (s->budget.nr_changes && only_takes_parts(s))
		profile_note(profile, "a part was left out to keep to --budget: %.3g %% is taken now, and was %.3g %% at the lowest", 100 * s->budget.rate,
			     100 * s->budget.lowest);
	else if (s->budget.nr_changes)
		profile_note(profile, "the rate of samples was lowered to keep to --budget: it is %.1f %% of what was asked for, and was %.1f %% at the lowest",
			     100 * s->budget.rate, 100 * s->budget.lowest);
	if (budget_is_passed(&s->budget))
		profile_note(profile, "the run takes %.3g %% of all CPUs' time, more than its budget of %.3g %%: it cannot take less", 100 * s->budget.used, 100 * s->budget.share);
	if (s->left_pid)
		profile_note(profile, "COMMAND still runs: process %d does not end on SIGTERM", s->left_pid);
	profile->duration_ns = session_duration_ns(s);
	profile->receipt.wall_ns = profile->duration_ns;
	profile->receipt.cpus = s->place.nr_cpus;
	cost_of_self(&profile->receipt);
}

void session_close(struct session *s)
{
	if (!s)
		return;
	if (s->armed_ns)
		interrupts_stage(INTERRUPT_FINISH, "detaching", "what was not written yet");
	else
		interrupts_stage(INTERRUPT_SETUP, "detaching", "everything (nothing was measured yet)");
	command_end(&s->command);
	interrupts_on_give_up(INTERRUPT_COMMAND, NULL);
	for (int i = 0; i < s->nr_sources; i++)
		s->sources[i]->close(s->sources[i]);
	sideband_close(s->place.sideband);
	unwinder_free(s->place.unwinder);
	pidns_close(&s->place.pidns);
	watched_close(&s->watched);
	free(s->cpus);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (s->tick_fd >= 0)
		close(s->tick_fd);
	wakeup_close(&s->wakeup);
	interrupts_stage(INTERRUPT_FINISH, "writing the result", "the result");
	free(s);
}
