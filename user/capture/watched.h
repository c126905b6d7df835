/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of the processes and threads of -p and -t. */
#ifndef SKEP_CAPTURE_WATCHED_H
#define SKEP_CAPTURE_WATCHED_H

#include <stddef.h>

#include "target.h"
#include "util/err.h"

struct watched_task;

/* Zeroed before watched_open(). */
struct watched {
	struct watched_task *tasks;
	size_t n, left; /* left: that have not ended */
	int epoll_fd;
};

/* Adds a descriptor for each to the epoll, which is borrowed. 0, or -errno, with err filled where a thread is not there; watched_close() in either case. */
int watched_open(struct watched *w, const struct target *target, int epoll_fd, struct err *err);

/* fd: the descriptor that became readable, or -1: looks for those that have none. */
void watched_poll(struct watched *w, int fd);

void watched_close(struct watched *w);

#endif
