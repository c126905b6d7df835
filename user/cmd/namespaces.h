/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The namespaces of a process that is there before its recording: later ones are in the kernel's records. */
#ifndef SKEP_CMD_NAMESPACES_H
#define SKEP_CMD_NAMESPACES_H

#include <sys/types.h>

#include "sample.h"

/*
 * Delivers a TASK_NAMESPACES of the task that t is of, at its time: those of /proc/PID/ns, or for pid 0 our own. A process that has ended,
 * or may not be read, is passed over. Returns what the sink returns.
 */
int namespaces_report(pid_t pid, const struct task_event *t, struct sink *sink);

#endif
