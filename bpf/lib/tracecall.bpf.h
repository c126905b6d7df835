/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which system calls are shown, and what is kept of those that have not returned. */
#ifndef SKEP_TRACECALL_BPF_H
#define SKEP_TRACECALL_BPF_H

#include "lib/filter_task.bpf.h"
#include "lib/tracematch.bpf.h"

const volatile __u64 cfg_wanted_any[SYSCALL_NR_MAX / 64] = {}; /* of any table */

/* Which results are shown. */
const volatile __u64 cfg_min_ns = 0;
const volatile __u32 cfg_results = TRACE_ALL_RESULTS; /* bits of enum trace_results */
const volatile __u64 cfg_errnos[64] = {}; /* bits; with TRACE_ERRNOS: only these */

/* A call that has not returned. */
struct call {
	__u64 start_ns;
	__u64 args[TRACE_ARGS];
	__u32 epoch; /* of `targets`, in which its task passed the filter */
	__u16 nr;
	__u8 abi, is_open, flags;
	__u8 is_first; /* COMMAND's exec: shown if it becomes a target by it */
	__u8 is_match; /* on entry: a path or file of it is selected */
	__u8 is_left_out; /* to keep to a budget: counted if its result is wanted */
	__u8 unused[4];
};

#include "lib/opencall.bpf.h"

/* A quick test, which most calls that are not selected fail: to find their table and task takes longer. nr -1: rt_sigreturn() has returned. */
static __always_inline int may_be_wanted(__u64 nr)
{
	if (cfg_all_calls || nr == ~0ull)
		return 1;
	nr &= ~(__u64)X32_BIT;
	return nr < SYSCALL_NR_MAX && cfg_wanted_any[nr / 64] >> (nr % 64) & 1;
}

/* Has each call a line, whatever its result? Else that is not known before its end. */
static __always_inline int all_results_are_wanted(void)
{
	return (cfg_results & (TRACE_DONE | TRACE_FAILED | TRACE_ERRNOS)) == (TRACE_DONE | TRACE_FAILED) && !cfg_min_ns && !cfg_select;
}

static __always_inline int ends_are_wanted(void)
{
	return cfg_results & TRACE_UNFINISHED && !cfg_min_ns && !cfg_select;
}

static __always_inline int result_is_wanted(__s64 ret, __u64 took_ns)
{
	int is_failed = ret < 0 && ret >= -SYSCALL_ERRNO_MAX;
	__u32 error = -ret;

	if (took_ns < cfg_min_ns)
		return 0;
	if (cfg_results & TRACE_ERRNOS)
		return is_failed && cfg_errnos[(error >> 6) & 63] >> (error & 63) & 1;
	return cfg_results & (is_failed ? TRACE_FAILED : TRACE_DONE);
}

#endif
