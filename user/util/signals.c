/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signal dispositions and masks. */
#include "util/signals.h"

#include <stddef.h>

static struct sigaction old_pipe, old_child, old_fsize;

void signals_init(void)
{
	struct sigaction act = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &act, &old_pipe);
	sigaction(SIGXFSZ, &act, &old_fsize);
	act.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &act, &old_child);
}

void signals_restore(void)
{
	sigaction(SIGPIPE, &old_pipe, NULL);
	sigaction(SIGCHLD, &old_child, NULL);
	sigaction(SIGXFSZ, &old_fsize, NULL);
}

void signals_ending(sigset_t *ret_set)
{
	sigemptyset(ret_set);
	sigaddset(ret_set, SIGINT);
	sigaddset(ret_set, SIGTERM);
	sigaddset(ret_set, SIGHUP);
}

void signals_hold(sigset_t *ret_old)
{
	sigset_t set;

	signals_ending(&set);
	sigprocmask(SIG_BLOCK, &set, ret_old);
}

void signals_release(const sigset_t *old)
{
	sigprocmask(SIG_SETMASK, old, NULL);
}
