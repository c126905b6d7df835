/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SKEP_UTIL_THREAD_H
#define SKEP_UTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that takes no signals: they belong to the main thread. False: it could not be started. */
bool thread_start(pthread_t *ret_thread, void *(*run)(void *arg), void *arg);

#endif
