/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/thread.h"

#include <stddef.h>

void thread_signals_block(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, ret_before);
}

void thread_signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool thread_start(pthread_t *ret_thread, void *(*run)(void *arg), void *arg)
{
	sigset_t before;
	bool is_started;

	thread_signals_block(&before);
	is_started = !pthread_create(ret_thread, NULL, run, arg);
	thread_signals_restore(&before);
	return is_started;
}
