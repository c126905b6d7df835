/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of the loss ledger, in one place for every format, and the notes. Nothing is owned here. */
#include "model/profile.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct loss_word {
	const char *name, *text;
	int whole;
} words[LOSS_MAX] = {
	[LOSS_RING_FULL] = { "ring_full", "the ring buffer was full, or another CPU was writing to it", 1 },
	[LOSS_INTERNAL] = { "internal", "a look-up in skep's own tables failed, or four probes interrupted each other on one CPU", 1 },
	[LOSS_SIDEBAND] = { "sideband", "process events that the kernel dropped: names may be missing", 0 },
	[LOSS_FILE] = { "file", "lost before the file was written", 1 },
	[LOSS_FILE_CUT] = { "file_cut", "file that ends in the middle (killed, disk full, cut): the part before is shown", 0 },
	[LOSS_FILE_DAMAGED] = { "file_damaged", "records of the file skipped: they are damaged or of an unknown kind", 0 },
	[LOSS_THROTTLED] = { "throttled", "times the kernel paused sampling: the event came too often (lower -F, larger -c)", 0 },
	[LOSS_TARGETS_FULL] = { "targets_full", "children not followed: the table of targets was full", 0 },
	[LOSS_NESTED] = { "nested", "hits that the kernel skipped while it handled another tracepoint or probe", 1 },
	[LOSS_READ_FAULT] = { "read_fault", "hits whose filter or key needs memory that could not be read", 1 },
	[LOSS_CALLS_FULL] = { "calls_full", "returns without their calls: 16,384 others had not returned (or never will)", 1 },
	[LOSS_TOO_DEEP] = { "too_deep", "returns of calls nested more than 64 deep: the kernel does not probe them", 1 },
	[LOSS_NOT_PROBED] = { "not_probed", "functions that match the glob but cannot be probed", 0 },
	[LOSS_KEYS_FULL] = { "keys_full", "events with keys beyond --max-keys (net: --max-sockets): summed in the row 'other'", 0 },
	[LOSS_STACKS_FULL] = { "stacks_full", "stacks beyond --max-stacks: their time is kept", 0 },
	[LOSS_CUT_DEPTH] = { "cut_depth", "stacks cut at the depth limit", 0 },
	[LOSS_CUT_UNREADABLE] = { "cut_unreadable", "user stacks cut: the stack's memory could not be read", 0 },
	[LOSS_CUT_NO_ROOT] = { "cut_no_root", "user stacks cut: no caller found in the frame-pointer chain", 0 },
	[LOSS_CUT_BEFORE] = { "cut_before", "user stacks missing: the task slept since before the start", 0 },
	[LOSS_CUT_NO_STACK] = { "cut_no_stack", "user stacks cut: a part of the stack is not in memory", 0 },
	[LOSS_CUT_NO_CODE] = { "cut_no_code", "user stacks cut: a return address is not in executable memory", 0 },
	[LOSS_CUT_NO_RULE] = { "cut_no_rule", "user stacks cut: code without unwinding information", 0 },
	[LOSS_CUT_BAD_RULE] = { "cut_bad_rule", "user stacks cut: code with unwinding information that skep does not support", 0 },
	[LOSS_CUT_ASTRAY] = { "cut_astray", "user stacks cut: a frame does not lie above the one before", 0 },
	[LOSS_CUT_COMPAT] = { "cut_compat", "user stacks cut: 32-bit code", 0 },
	[LOSS_CUT_NOT_ASKED] = { "cut_not_asked", "user stacks cut: an unwinding table was not loaded in time", 0 },
	[LOSS_UNNAMED] = { "unnamed", "user frames without a symbol", 0 },
	[LOSS_UNNAMED_KERNEL] = { "unnamed_kernel", "kernel frames without a symbol", 0 },
};

int loss_is_whole(enum loss reason)
{
	return (unsigned int)reason < LOSS_MAX && words[reason].whole;
}

int loss_is_strict(enum loss reason)
{
	return reason < LOSS_CUT_DEPTH;
}

const char *loss_name(enum loss reason)
{
	return (unsigned int)reason < LOSS_MAX && words[reason].name ? words[reason].name : "unknown";
}

const char *loss_text(enum loss reason)
{
	return (unsigned int)reason < LOSS_MAX && words[reason].text ? words[reason].text : "unknown reason";
}

void profile_note(struct profile *p, const char *fmt, ...)
{
	char text[NOTE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < p->nr_notes; i++)
		if (!strcmp(p->notes[i], text))
			return;
	if (p->nr_notes < NOTES_MAX)
		memcpy(p->notes[p->nr_notes++], text, sizeof(text));
}
