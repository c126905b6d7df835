/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What -e says, in strace's words: which calls, by name and by result, and which signals. */
#ifndef SKEP_CMD_TRACE_SELECT_H
#define SKEP_CMD_TRACE_SELECT_H

#include "capture/source/trace.h"
#include "util/err.h"

/*
 * "LIST", "!LIST": names, numbers, %class, /regex/, each with ? in front if it need not match; io_uring, for its operations; all, none.
 * Replaces the calls that cfg has. 0, or -EINVAL with err filled.
 */
int trace_select_calls(const char *text, struct trace_cfg *cfg, struct err *err);

/* The same, also after "trace=" or "t="; "signal=SET", "status=SET" (trace_set.h). 0, or -EINVAL with err filled. */
int trace_select(const char *text, struct trace_cfg *cfg, struct err *err);

/* Is a call, or a signal, one of those that are selected? abi: below SYSCALL_ABIS; other numbers may be any. */
bool trace_has_call(const struct trace_cfg *cfg, enum syscall_abi abi, uint32_t nr);
bool trace_has_signal(const struct trace_cfg *cfg, uint32_t sig);

/* Are operations of io_uring selected, and no call? */
bool trace_is_uring(const struct trace_cfg *cfg);

/* A path, or a pattern with * and ?, and where it leads if that is elsewhere. 0, or -EINVAL with err filled. */
int trace_path(const char *text, struct trace_cfg *cfg, struct err *err);

/* "0,1,5": descriptors. 0, or -EINVAL with err filled. */
int trace_fds(const char *text, struct trace_cfg *cfg, struct err *err);

/* Leaves out the calls that can have none of the descriptors and paths that are selected; plan: as in cfg. */
void trace_select_plans(struct trace_cfg *cfg);

#endif
