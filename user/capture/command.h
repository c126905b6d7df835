/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* COMMAND: made stopped, released once everything is armed, reaped with its status. */
#ifndef SKEP_CAPTURE_COMMAND_H
#define SKEP_CAPTURE_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "util/err.h"

struct command {
	pid_t pid; /* 0: none */
	int go_fd, exec_fd, pidfd;
	const char *as; /* as given to command_prepare */
	bool reaped;
	struct rusage usage; /* once reaped: its own and that of the children it waited for */
	int status; /* exit code as a shell gives it: 128 + signal when killed */
};

/*
 * Forks a child that waits before its exec. It takes on the ids of user `as`, or without one (NULL) under sudo those of the invoking
 * user; it never holds a capability that the user did not have. mask: the signals it starts with blocked.
 * mutes: 1 << descriptor of its standard streams that are /dev/null. 0 or -errno.
 */
int command_prepare(struct command *c, char *const *argv, const char *as, uint8_t mutes, const sigset_t *mask, struct err *err);

/* Lets it exec. Returns 0, or -errno when it cannot be run (exit 126 or 127 in err). */
int command_go(struct command *c, const char *name, struct err *err);

/* From any thread, at the end of all: has the COMMAND that was prepared last end, if it is still there. */
void command_give_up(void);

/* Takes note of its end; never blocks. Returns true once it has ended. */
bool command_poll(struct command *c);

/*
 * Ends it if it still runs: SIGTERM, which then counts as status 0, and a second of patience. Returns 0, or its pid
 * when it does not go.
 */
pid_t command_end(struct command *c);

#endif
