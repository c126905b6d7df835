/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every system call of the target, with what its arguments point to: sink->sample in the order of time, with its call. */
#ifndef SKEP_CAPTURE_SOURCE_TRACE_H
#define SKEP_CAPTURE_SOURCE_TRACE_H

#include "bpf/trace.h"
#include "capture/source.h"
#include "capture/source/faulthooks.h"

struct trace_cfg {
	bool all_calls;
	uint64_t wanted[SYSCALL_ABIS][SYSCALL_NR_MAX / 64]; /* else: bits of their numbers */
	/* What is read of a call; table: SYSCALL_NATIVE or SYSCALL_COMPAT. */
	void (*plan)(enum syscall_abi table, uint32_t nr, struct trace_plan *ret_plan);
	uint32_t text; /* bytes that are shown of strings */
	uint64_t signals; /* bit number - 1 of each that is shown */
	uint32_t faults; /* page faults: bits of enum fault_kinds */
	bool uring; /* operations of io_uring, where the kernel shows them */
	uint32_t results; /* bits of enum trace_results */
	uint64_t errnos[64]; /* bits */
	uint64_t min_ns;
	uint32_t select; /* bits of enum trace_select: only calls with one of these descriptors, or paths */
	uint64_t fds[TRACE_FDS_MAX / 64]; /* bits */
	char globs[TRACE_GLOBS_MAX][TRACE_GLOB_BYTES]; /* * and ? */
	uint32_t nr_globs;
	bool files; /* what is read of open files is a piece of the call */
	bool stacks; /* samples have the user stack that each call was made from */
	uint64_t ring_bytes; /* of each CPU; 0: the source's own */
	bool bpf_stats;
	bool keeps_budget; /* of what happens a part may be left out (base_take_part()) */
};

/* cfg is borrowed for the source's life. NULL without memory. */
struct source *src_trace_new(const struct trace_cfg *cfg);

/* Has it more than it has delivered? What threads do now is not known then. */
bool src_trace_is_behind(const struct source *source);

/*
 * The number of the process or thread that was named first: by -p or by -t, else that of COMMAND. 0: none was named (-a, -u, -G, --comm).
 * The source is open.
 */
uint32_t src_trace_first(const struct source *source);

#endif
