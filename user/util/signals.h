/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the program does with signals, and what it was given. */
#ifndef SKEP_UTIL_SIGNALS_H
#define SKEP_UTIL_SIGNALS_H

#include <signal.h>

/* Once, first: a closed pipe or a full quota is an error of the write, and a child's end is ours to see, whatever we inherited. */
void signals_init(void);

/* In a child before its exec: SIGPIPE, SIGXFSZ and SIGCHLD as they were before signals_init. */
void signals_restore(void);

/* The signals by which users end a program: SIGINT, SIGTERM, SIGHUP. */
void signals_ending(sigset_t *ret_set);

/* Keeps these pending from here on. ret_old (may be NULL) is for signals_release. */
void signals_hold(sigset_t *ret_old);
void signals_release(const sigset_t *old);

#endif
