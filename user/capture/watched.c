/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/watched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/features.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* 6.9, 64bef697d33b "pidfd: implement PIDFD_THREAD flag for pidfd_open()" */
#endif

struct watched_task {
	uint32_t pid, tid; /* tid 0: the process */
	int fd;		   /* pidfd, or -1: looked for now and then */
	bool ended;
};

static int add(struct watched *w, uint32_t pid, uint32_t tid, struct err *err)
{
	struct watched_task *t = &w->tasks[w->n];
	struct epoll_event ev = { .events = EPOLLIN };

	*t = (struct watched_task){ .pid = tid ? target_process(tid) : pid, .tid = tid, .fd = -1 };
	if (!t->pid)
		return err_set(err, -ESRCH, "no thread %u", tid);
	ev.data.fd = t->fd = (int)syscall(SYS_pidfd_open, tid ? tid : t->pid, tid ? PIDFD_THREAD : 0);
	if (!tid && (t->fd >= 0 || errno != ESRCH))
		feature_tried(FEATURE_PIDFD, t->fd < 0 ? -errno : 0);
	w->n++;
	w->left++;
	return t->fd < 0 || !epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, t->fd, &ev) ? 0 : -errno;
}

/* A descriptor of a process cannot be recycled, its number can; but kernels and sandboxes differ in what they give. */
int watched_open(struct watched *w, const struct target *target, int epoll_fd, struct err *err)
{
	int ret = 0;

	w->epoll_fd = epoll_fd;
	w->tasks = calloc(target->pids.n + target->tids.n + 1, sizeof(*w->tasks));
	if (!w->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < target->pids.n && !ret; i++)
		ret = add(w, target->pids.data[i], 0, err);
	for (size_t i = 0; i < target->tids.n && !ret; i++)
		ret = add(w, 0, target->tids.data[i], err);
	return ret;
}

void watched_poll(struct watched *w, int fd)
{
	for (size_t i = 0; i < w->n; i++) {
		struct watched_task *t = &w->tasks[i];

		if (t->ended || t->fd != fd)
			continue;
		if (fd >= 0)
			epoll_ctl(w->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		else if (!syscall(SYS_tgkill, t->pid, t->tid ? t->tid : t->pid, 0) || errno != ESRCH)
			continue;
		t->ended = true;
		w->left--;
	}
}

void watched_close(struct watched *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->tasks[i].fd >= 0)
			close(w->tasks[i].fd);
	free(w->tasks);
	*w = (struct watched){ 0 };
}
