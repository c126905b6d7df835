/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands to a run from outside, a line each, as perf's --control has them (perf-record(1)): enable, disable, stop, ping. Each is answered
 * with "ack\n" and a NUL when it has been done.
 */
#ifndef SKEP_CAPTURE_CONTROL_H
#define SKEP_CAPTURE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define CONTROL_LINE_MAX 64

enum control_command {
	CONTROL_NONE, /* no whole line is there */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN, /* it is not answered */
};

struct control {
	int fd, ack_fd; /* ack_fd -1: commands are not answered */
	bool is_own;	/* they are ours to close */
	bool is_over;	/* all writers have closed it */
	char line[CONTROL_LINE_MAX]; /* what was read: `n` bytes */
	size_t n;
	bool is_cut; /* the begin of this line did not fit: it is no command */
	uint64_t nr_unknown;
};

/* text: "fd:N[,N]" of open descriptors, or "fifo:PATH[,PATH]". 0, or -errno with err filled. control_close() after success. */
int control_open(const char *text, struct control *ret_control, struct err *err);

/* Reads what is there; then control_next() until CONTROL_NONE. */
void control_read(struct control *c);
enum control_command control_next(struct control *c);

void control_ack(const struct control *c);
void control_close(struct control *c);

#endif
