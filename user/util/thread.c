/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/thread.h"

#include <signal.h>
#include <stddef.h>

bool thread_start(pthread_t *ret_thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all, old;
	bool is_started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	is_started = !pthread_create(ret_thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return is_started;
}
