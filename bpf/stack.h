/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What both sides say of a stack: its depth limit and why a walk ended. */
#ifndef SKEP_BPF_STACK_H
#define SKEP_BPF_STACK_H

/* kernel.perf_event_max_stack: bpf_get_stack() never returns more. */
#define STACK_MAX_FRAMES 127

/* Why a walk ended before the root. Order is part of the wire format: append only. */
enum stack_stop {
	STOP_ROOT = 0,	    /* walked as far as the walker can tell */
	STOP_DEPTH = 1,	    /* STACK_MAX_FRAMES reached, callers are missing */
	STOP_UNREADABLE = 2, /* the walker got no frame at all: memory gone or not present */
	STOP_NO_ROOT = 3,   /* the outermost frame is no known root: the frame-pointer chain broke */
	STOP_MAX
};

#endif
