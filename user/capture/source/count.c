/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One descriptor for each event and thread, or event and CPU. A thread's counter is inherited by the threads and children
 * that it makes (attr.inherit), which the kernel sums into it. COMMAND's begin to count at its exec (attr.enable_on_exec).
 */
#include "capture/source/count.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/refusal.h"
#include "event/pmu.h"
#include "util/file.h"
#include "util/vec.h"

struct counter {
	int fd;
	bool is_leader; /* of a group, or alone */
	uint16_t event;
	uint32_t cpu, tid;
	char comm[COMM_LEN];
};

struct src_count {
	struct source source; /* first: a pointer to it is one to us */
	const struct count_cfg *cfg;
	VEC(struct counter) counters;
	VEC(uint32_t) threads; /* of -p */
	uint32_t late_threads, unread, unfit, nowhere;
	bool at_exec;	    /* they start by themselves */
	bool inherits;
};

/* group_fd: the leader's, or -1. The members of a group run and stop with their leader. */
static int open_fd(const struct src_count *src, const struct event *e, int pid, int cpu, int group_fd, unsigned long flags)
{
	struct perf_event_attr attr = {
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = group_fd < 0,
		.inherit = src->inherits && cpu < 0,
		.enable_on_exec = src->at_exec && group_fd < 0,
		.pinned = e->pinned && group_fd < 0,
		.exclusive = e->exclusive,
	};

	return kernel_open_named(e, &attr, pid, cpu, group_fd, flags);
}

/* We may not count the kernel: what is left is ":u", as the event is called from now on. */
static void without_kernel(struct event *e)
{
	size_t n = strlen(e->name);

	e->exclude_kernel = e->exclude_hv = true;
	snprintf(e->name + n, sizeof(e->name) - n, "%s", strchr(e->name, ':') ? "u" : ":u");
}

static bool not_here(int ret)
{
	return ret == -ENOENT || ret == -ENODEV || ret == -ENXIO || ret == -EOPNOTSUPP || ret == -EINVAL;
}

/* Where one counter goes. */
struct counter_place {
	uint32_t tid;	    /* 0: a CPU's */
	uint32_t cpu;	    /* UINT32_MAX: any */
	int cgroup_fd;	    /* or -1 */
	const char *comm;   /* NULL: not requested */
	int leader_fd;	    /* of the group that is being opened, or -1 */
};

/* Opens e, with :u where we may not count the kernel: the event is called that from then on, and *ret_user set. */
static int open_allowed(const struct src_count *src, struct event *e, const struct counter_place *at, int group_fd, bool *ret_user)
{
	int pid = at->cgroup_fd >= 0 ? at->cgroup_fd : at->tid ? (int)at->tid : -1, cpu = at->cpu == UINT32_MAX ? -1 : (int)at->cpu;
	unsigned long flags = at->cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0;
	int fd = open_fd(src, e, pid, cpu, group_fd, flags), refused = fd;
	struct event user = *e;

	if ((fd != -EACCES && fd != -EPERM) || e->exclude_kernel || e->exclude_user || !at->tid)
		return fd;
	without_kernel(&user);
	fd = open_fd(src, &user, pid, cpu, group_fd, flags);
	if (fd == -EINVAL || fd == -EOPNOTSUPP)
		return refused; /* it is here, but knows no user mode (msr/tsc/) */
	if (fd >= 0 || not_here(fd)) {
		*e = user;
		*ret_user = true;
	}
	return fd;
}

/* Returns 0, also when the event is not to be had here; -ESRCH for a thread or CPU that is gone. */
static int open_counter(struct src_count *src, int index, struct counter_place *at, struct err *err)
{
	struct event *e = &src->cfg->events[index];
	bool is_member = e->group_pos > 1, user = false;
	struct counter *c;
	int fd, group_fd;

	if (!is_member)
		at->leader_fd = -1;
	if (e->kind != EVENT_COUNTER || src->cfg->states[index] != COUNTER_OPEN)
		return 0;
	if (is_member && at->leader_fd < 0) {
		src->cfg->states[index] = src->cfg->states[index - e->group_pos + 1];
		return 0;
	}
	if (vec_reserve(&src->counters))
		return -ENOMEM;
	group_fd = is_member ? at->leader_fd : -1;
	fd = open_allowed(src, e, at, group_fd, &user);
	if (fd == -EINVAL && is_member && e->weak) {
		group_fd = -1;
		fd = open_allowed(src, e, at, group_fd, &user);
	}
	if (fd >= 0 && user && event_kernel_only(e)) {
		close(fd);
		src->cfg->states[index] = COUNTER_HIDDEN;
		return 0;
	}
	if (fd == -ESRCH || (fd == -ENODEV && at->cpu != UINT32_MAX))
		return -ESRCH;
	/* The controller comes with the first other one (cgroup_calc_subtree_ss_mask(), kernel/cgroup/cgroup.c). */
	if (fd == -ENOENT && at->cgroup_fd >= 0 && e->type == PERF_TYPE_SOFTWARE) {
		err_exit(err, fd, EXIT_CANNOT, "the kernel has no counters in this cgroup: no controller is enabled above it");
		err_hint(err, "enable one, such as: echo +pids >/sys/fs/cgroup/cgroup.subtree_control");
		return fd;
	}
	if (not_here(fd)) {
		src->unfit += fd == -EINVAL && is_member;
		src->cfg->states[index] = COUNTER_NOT_SUPPORTED;
		return 0;
	}
	if (fd < 0)
		return kernel_event_refused(e, fd, err);
	if (e->group_pos == 1)
		at->leader_fd = fd;
	c = &src->counters.data[src->counters.n++];
	*c = (struct counter){ .fd = fd, .event = index, .cpu = at->cpu, .tid = src->cfg->per_thread ? at->tid : 0, .is_leader = group_fd < 0 };
	if (at->comm)
		snprintf(c->comm, sizeof(c->comm), "%s", at->comm);
	return 0;
}

static int open_thread(struct src_count *src, uint32_t tid, struct err *err)
{
	char comm[COMM_LEN] = "";
	struct counter_place at = { .tid = tid, .cpu = UINT32_MAX, .cgroup_fd = -1, .comm = comm, .leader_fd = -1 };
	int ret = 0;

	if (src->cfg->per_thread)
		file_comm(tid, comm, sizeof(comm));
	for (int e = 0; e < src->cfg->nr_events && !ret; e++)
		ret = open_counter(src, e, &at, err);
	return ret == -ESRCH ? 0 : ret; /* it has ended meanwhile */
}

/* Appends the threads of a process that are not in the list yet. Returns how many, or -errno. */
static long list_threads(struct src_count *src, uint32_t pid)
{
	size_t before = src->threads.n;
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		uint32_t tid = strtoul(d->d_name, NULL, 10);
		size_t i = 0;

		while (i < src->threads.n && src->threads.data[i] != tid)
			i++;
		if (!tid || i < src->threads.n)
			continue;
		if (vec_reserve(&src->threads)) {
			closedir(dir);
			return -ENOMEM;
		}
		src->threads.data[src->threads.n++] = tid;
	}
	closedir(dir);
	return src->threads.n - before;
}

/*
 * The threads that are there. One that is made while their counters are opened has inherited its maker's, or that was not
 * open yet: to open others would count it twice, so it is only reported.
 */
static int open_process(struct src_count *src, uint32_t pid, struct err *err)
{
	size_t first = src->threads.n;
	long n = list_threads(src, pid);
	int ret = 0;

	if (n < 0)
		return err_set(err, n, "no process %u", pid);
	for (size_t i = first; i < first + n && !ret; i++)
		ret = open_thread(src, src->threads.data[i], err);
	n = ret ? 0 : list_threads(src, pid);
	src->late_threads += n > 0 ? n : 0;
	return ret;
}

/* Those that are there: of later ones nothing is counted, as perf stat -a --per-thread has it. */
static int open_all_threads(struct src_count *src, struct err *err)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int ret = 0;

	if (!proc)
		return err_set(err, -errno, "cannot read '/proc': %s", strerror(errno));
	while (!ret && (d = readdir(proc))) {
		uint32_t pid = strtoul(d->d_name, NULL, 10);

		if (!pid)
			continue;
		ret = open_process(src, pid, err);
		if (ret == -ENOENT || ret == -ESRCH) /* it has ended meanwhile */
			ret = 0;
	}
	closedir(proc);
	src->late_threads = 0;
	return ret;
}

static int same_cpu(void *arg, uint64_t cpu)
{
	return cpu == *(const uint32_t *)arg ? -EEXIST : 0;
}

/* An uncore PMU counts on one CPU for all of its socket. */
static bool counts_on(const struct event *e, uint32_t cpu)
{
	int ret = e->pmu[0] ? pmu_each_cpu(e->pmu, same_cpu, &cpu) : -ENOENT;

	return ret == -ENOENT || ret == -EEXIST;
}

static int open_cpus(struct src_count *src, const struct place *place, const char *cgroup, struct err *err)
{
	struct counter_place at = { .cgroup_fd = cgroup ? open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, .leader_fd = -1 };
	bool here = true; /* the group's PMU, as its leader's */
	int ret = 0;

	if (cgroup && at.cgroup_fd < 0)
		return err_set(err, -errno, "cannot use cgroup '%s': %s", cgroup, strerror(errno));
	for (uint32_t i = 0; i < place->nr_cpus && (!ret || ret == -ESRCH); i++) {
		at.cpu = place->cpus[i];
		ret = 0; /* -ESRCH: a CPU that went offline */
		for (int e = 0; e < src->cfg->nr_events && !ret; e++) {
			if (src->cfg->events[e].group_pos < 2)
				here = counts_on(&src->cfg->events[e], at.cpu);
			if (here)
				ret = open_counter(src, e, &at, err);
		}
	}
	if (at.cgroup_fd >= 0)
		close(at.cgroup_fd);
	return ret == -ESRCH ? 0 : ret;
}

/* What no CPU of -C counts is not 0. */
static void mark_nowhere(struct src_count *src)
{
	for (int e = 0; e < src->cfg->nr_events; e++) {
		size_t i = 0;

		if (src->cfg->events[e].kind != EVENT_COUNTER || src->cfg->states[e] != COUNTER_OPEN)
			continue;
		while (i < src->counters.n && src->counters.data[i].event != e)
			i++;
		if (i < src->counters.n)
			continue;
		src->cfg->states[e] = COUNTER_NOT_SUPPORTED;
		src->nowhere++;
	}
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_count *src = (struct src_count *)source;
	const struct target *t = place->target;
	int ret = 0;

	src->at_exec = target_is_command(t) && !place->is_late;
	src->inherits = !src->cfg->no_inherit;
	for (int e = 0; e < src->cfg->nr_events; e++)
		src->cfg->states[e] = COUNTER_OPEN;
	if (target_is_command(t))
		return open_thread(src, place->command_pid, err);
	for (size_t i = 0; i < t->pids.n && !ret; i++)
		ret = open_process(src, t->pids.data[i], err);
	src->inherits = false; /* -t is that thread alone */
	for (size_t i = 0; i < t->tids.n && !ret; i++)
		ret = open_thread(src, t->tids.data[i], err);
	if (!ret && src->cfg->per_thread && !t->pids.n && !t->tids.n)
		return open_all_threads(src, err);
	if (ret || t->pids.n || t->tids.n)
		return ret;
	for (size_t i = 0; i < t->cgroups.n && !ret; i++)
		ret = open_cpus(src, place, t->cgroups.data[i], err);
	if (!ret && !t->cgroups.n)
		ret = open_cpus(src, place, NULL, err);
	if (!ret)
		mark_nowhere(src);
	return ret;
}

/* A leader takes its group with it; a member that is switched by itself would leave the others' time. */
static void set_all(struct src_count *src, unsigned long request)
{
	for (size_t i = 0; i < src->counters.n; i++)
		if (src->counters.data[i].is_leader)
			ioctl(src->counters.data[i].fd, request, 0);
}

static void start(struct source *source)
{
	struct src_count *src = (struct src_count *)source;

	if (!src->at_exec)
		set_all(src, PERF_EVENT_IOC_ENABLE);
}

static void stop(struct source *source)
{
	set_all((struct src_count *)source, PERF_EVENT_IOC_DISABLE);
}

static int deliver(struct source *source, struct sink *sink)
{
	struct src_count *src = (struct src_count *)source;
	int ret = 0;

	for (size_t i = 0; i < src->counters.n && !ret; i++) {
		const struct counter *c = &src->counters.data[i];
		struct reading r = { .event = c->event, .cpu = c->cpu, .tid = c->tid, .comm = c->tid ? c->comm : NULL };
		uint64_t values[3]; /* struct read_format, perf_event_open(2) */

		if (read(c->fd, values, sizeof(values)) != sizeof(values)) {
			src->unread++;
			continue;
		}
		r.value = values[0];
		r.enabled_ns = values[1];
		r.running_ns = values[2];
		ret = sink->reading(sink, &r);
	}
	return ret;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_count *src = (const struct src_count *)source;

	if (src->late_threads)
		profile_note(profile, "%u threads started while the counters were opened: they may not be counted", src->late_threads);
	if (src->unfit)
		profile_note(profile, "a group needs more counters than there are and was not counted: without the braces, or with "
				      "{...}:W, its events take turns");
	if (src->nowhere)
		profile_note(profile, "%u events belong to PMUs that count on other CPUs than these: /sys/bus/event_source/devices/PMU/cpumask",
			     src->nowhere);
	if (src->unread)
		profile_note(profile, "%u counters could not be read", src->unread);
}

static void close_source(struct source *source)
{
	struct src_count *src = (struct src_count *)source;

	for (size_t i = 0; i < src->counters.n; i++)
		close(src->counters.data[i].fd);
	vec_free(&src->counters);
	vec_free(&src->threads);
	free(src);
}

struct source *src_count_new(const struct count_cfg *cfg)
{
	struct src_count *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.open = open_source,
		.start = start,
		.stop = stop,
		.snapshot = deliver,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->cfg = cfg;
	return &src->source;
}
