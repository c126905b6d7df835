/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The depth limit of a stack. */
#ifndef SKEP_BPF_STACK_H
#define SKEP_BPF_STACK_H

/* Default of kernel.perf_event_max_stack, which may be set lower. */
#define STACK_MAX_FRAMES 127

#endif
