/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The signals by which users end a program: SIGINT, SIGTERM, SIGHUP. */
#ifndef SKEP_UTIL_SIGNALS_H
#define SKEP_UTIL_SIGNALS_H

#include <signal.h>

/* Keeps them pending from here on. ret_old (may be NULL) is for signals_release. */
static inline void signals_hold(sigset_t *ret_old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, ret_old);
}

static inline void signals_release(const sigset_t *old)
{
	sigprocmask(SIG_SETMASK, old, NULL);
}

#endif
