/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The one list of losses, and what programs count per CPU in the map `counters`, read once at the end. */
#ifndef SKEP_BPF_LOSS_H
#define SKEP_BPF_LOSS_H

/*
 * Reasons for which an event or a part of it is missing, in the order of the ledger: LOSS_<name>, its key in JSON, its kind, its words.
 * WHOLE: samples that were seen are gone. PART: something else is. NOTE: samples that were kept lack something, --strict does not fail.
 */
#define LOSSES(X) \
	X(RING_FULL, "ring_full", WHOLE, "the ring buffer was full, or another CPU was writing to it") \
	X(INTERNAL, "internal", WHOLE, "a look-up in skep's own tables failed, or four probes interrupted each other on one CPU") \
	X(SIDEBAND, "sideband", PART, "process events that the kernel dropped: names may be missing") \
	X(FILE, "file", WHOLE, "lost before the file was written") \
	X(FILE_CUT, "file_cut", PART, "file that ends in the middle (killed, disk full, cut): the part before is shown") \
	X(FILE_DAMAGED, "file_damaged", PART, "records of the file skipped: they are damaged or of an unknown kind") \
	X(THROTTLED, "throttled", PART, "times the kernel paused sampling: the event came too often (lower -F, larger -c)") \
	X(TARGETS_FULL, "targets_full", PART, "children not followed: the table of targets was full") \
	X(NESTED, "nested", WHOLE, "hits that the kernel skipped while it handled another tracepoint or probe") \
	X(READ_FAULT, "read_fault", WHOLE, "hits whose filter or key needs memory that could not be read") \
	X(CALLS_FULL, "calls_full", WHOLE, "returns without their calls: 16,384 others had not returned (or never will)") \
	X(TOO_DEEP, "too_deep", WHOLE, "returns of calls nested more than 64 deep: the kernel does not probe them") \
	X(BUDGET, "budget", WHOLE, "left out to keep to --budget") \
	X(NOT_PROBED, "not_probed", PART, "functions that match the glob but cannot be probed") \
	X(KEYS_FULL, "keys_full", PART, "events with keys beyond --max-keys (net: --max-sockets): summed in the row 'other'") \
	X(STACKS_FULL, "stacks_full", PART, "stacks beyond --max-stacks: their time is kept") \
	X(CUT_DEPTH, "cut_depth", NOTE, "stacks cut at the depth limit") \
	X(CUT_UNREADABLE, "cut_unreadable", NOTE, "user stacks cut: the stack's memory could not be read") \
	X(CUT_NO_ROOT, "cut_no_root", NOTE, "user stacks cut: no caller found in the frame-pointer chain") \
	X(CUT_BEFORE, "cut_before", NOTE, "user stacks missing: the task slept since before the start") \
	X(CUT_NO_STACK, "cut_no_stack", NOTE, "user stacks cut: a part of the stack is not in memory") \
	X(CUT_NO_CODE, "cut_no_code", NOTE, "user stacks cut: a return address is not in executable memory") \
	X(CUT_NO_RULE, "cut_no_rule", NOTE, "user stacks cut: code without unwinding information") \
	X(CUT_BAD_RULE, "cut_bad_rule", NOTE, "user stacks cut: code with unwinding information that skep does not support") \
	X(CUT_ASTRAY, "cut_astray", NOTE, "user stacks cut: a frame does not lie above the one before") \
	X(CUT_COMPAT, "cut_compat", NOTE, "user stacks cut: 32-bit code") \
	X(CUT_NOT_ASKED, "cut_not_asked", NOTE, "user stacks cut: an unwinding table was not loaded in time") \
	X(CUT_COPY_END, "cut_copy_end", NOTE, "user stacks cut: they are larger than what was copied of them (record with --call-graph dwarf,65528, or with skep)") \
	X(CUT_BRANCHES, "cut_branches", NOTE, "user stacks cut: they are deeper than the CPU's branch records") \
	X(CUT_DEFERRED, "cut_deferred", NOTE, "user stacks missing: the record of the deferred call chain is not in the file") \
	X(CUT_NO_REGS, "cut_no_regs", NOTE, "user stacks cut: their copies come without registers that skep can walk from") \
	X(UNNAMED, "unnamed", NOTE, "user frames without a symbol") \
	X(UNNAMED_KERNEL, "unnamed_kernel", NOTE, "kernel frames without a symbol")

#define LOSS_NUMBER(name, key, kind, text) LOSS_##name,
enum loss { LOSSES(LOSS_NUMBER) LOSS_MAX };

/* What is counted besides. */
enum counted {
	COUNT_SEEN = LOSS_MAX, /* events that passed the filter */
	COUNT_SPILLED,	       /* sample kept, through the ring: a hash was full, or two stacks share a key */
	COUNT_OUTSIDE,	       /* sample kept, of a task that has no number in our PID namespace */
	COUNT_SELF,	       /* not seen: of skep itself, which nobody named */
	COUNT_MAX
};

#endif
