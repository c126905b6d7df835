/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system call that a thread waits in: /proc/PID/task/TID/syscall, and what its arguments point to by process_vm_readv(2). */
#ifndef SKEP_CAPTURE_CALLNOW_H
#define SKEP_CAPTURE_CALLNOW_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/trace.h"
#include "sample.h"

#define CALLNOW_PIECES 64

struct callnow {
	struct call_event event; /* of kind CALL_WAITS; start_ns is not known */
	struct call_piece pieces[CALLNOW_PIECES];
	char bytes[TRACE_DATA_MAX];
	uint32_t nr_bytes;
};

/* False: it is not in a system call, or is gone. plan: as in struct trace_cfg. ret_now points into itself: not to be moved. */
bool callnow_read(uint32_t pid, uint32_t tid, void (*plan)(enum syscall_abi table, uint32_t nr, struct trace_plan *ret_plan), uint32_t text,
		  struct callnow *ret_now);

/* Calls each() for every thread of a process. 0, or what each() returned. */
int callnow_threads(uint32_t pid, int (*each)(void *arg, uint32_t tid), void *arg);

#endif
