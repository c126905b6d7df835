/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SKEP_UTIL_THREAD_H
#define SKEP_UTIL_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Blocks all signals for the calling thread, and so for threads that it starts meanwhile: signals belong to the main thread. */
void thread_signals_block(sigset_t *ret_before);
void thread_signals_restore(const sigset_t *before);

/* Starts a thread that takes no signals: they belong to the main thread. False: it could not be started. */
bool thread_start(pthread_t *ret_thread, void *(*run)(void *arg), void *arg);

#endif
