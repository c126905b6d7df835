/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system calls of this architecture: numbers are those of the headers that skep was built with, and the newer ones. */
#ifndef SKEP_EVENT_SYSCALLS_H
#define SKEP_EVENT_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/syscalls.h"
#include "event/event.h"

/* The kernel's name ("newfstat"), or NULL for a number without one. */
const char *syscall_name(enum syscall_abi abi, uint32_t nr);

/* The name of the C library and strace ("fstat"), likewise. */
const char *syscall_call_name(enum syscall_abi abi, uint32_t nr);

/* The number of a name of the C library's in the native table; SYSCALL_NR_MAX: it has none. */
uint32_t syscall_number(const char *call_name);

/* "", ":compat", ":x32": the ending of names of the other tables. */
const char *syscall_abi_mark(enum syscall_abi abi);

/*
 * Is text[len] of the form syscalls:sys_enter_NAME, syscalls:sys_exit_NAME (globs; with :compat at the end the 32-bit calls) or
 * raw_syscalls:sys_enter, sys_exit? Then puts its events into ret_events. Returns how many; 0 if it is not; -ENOENT when
 * nothing matches; -E2BIG.
 */
int syscall_events(const char *text, size_t len, struct event *ret_events, int max);

#endif
