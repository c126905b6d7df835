/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls that are selected by their paths and file descriptors. */
#ifndef SKEP_TRACEMATCH_BPF_H
#define SKEP_TRACEMATCH_BPF_H

#include "lib/traceread.bpf.h"

const volatile __u32 cfg_select = TRACE_BY_FD | TRACE_BY_PATH; /* bits of enum trace_select: only calls that one of these holds for */
const volatile __u64 cfg_fds[TRACE_FDS_MAX / 64] = {}; /* bits */
const volatile __u32 cfg_nr_globs = TRACE_GLOBS_MAX;
const volatile char cfg_globs[TRACE_GLOBS_MAX][TRACE_GLOB_BYTES] = {};

#define GLOB_STEPS 64
#define GLOB_ROUNDS 128

enum glob_state { GLOB_NO, GLOB_YES, GLOB_GOES_ON };

static __always_inline int fd_matches(__u32 fd)
{
	__u32 word = fd / 64;

	asm volatile("" : "+r"(word));
	return word < TRACE_FDS_MAX / 64 && cfg_fds[word] >> (fd % 64) & 1;
}

static __always_inline void match_fd(struct page *p, __u32 fd)
{
	if (cfg_select & TRACE_BY_FD && fd_matches(fd))
		p->is_match = 1;
}

/* On entry: can it be seen already that a call takes none of the descriptors? fds: of its plan. */
static __always_inline int has_no_match(__u32 fds, const __u64 *args)
{
	if (cfg_select != TRACE_BY_FD || fds & TRACE_OTHER_FDS)
		return 0;
	for (int i = 0; i < TRACE_ARGS; i++)
		if (fds >> i & 1 && fd_matches(args[i]))
			return 0;
	return 1;
}

/* Some steps of matching the text at a place of the data; where it is, is in p->glob. Returns enum glob_state. */
__noinline int match_steps(__u32 which, __u32 place)
{
	struct page *p = page_get();
	__u32 at, text, star, mark;

	if (!p)
		return GLOB_NO;
	at = p->glob.at;
	text = p->glob.text;
	star = p->glob.star;
	mark = p->glob.mark;
	which &= TRACE_GLOBS_MAX - 1;
	for (int i = 0; i < GLOB_STEPS; i++) {
		char c = p->data[(place + text) & (TRACE_DATA_MAX - 1)], want = cfg_globs[which][at & (TRACE_GLOB_BYTES - 1)];

		if (want == '*') {
			star = ++at;
			mark = text;
		} else if (c && (want == '?' || want == c)) {
			at++;
			text++;
		} else if (!c || !star) {
			return !c && !want ? GLOB_YES : GLOB_NO;
		} else {
			at = star;
			text = ++mark;
		}
	}
	p->glob.at = at;
	p->glob.text = text;
	p->glob.star = star;
	p->glob.mark = mark;
	return GLOB_GOES_ON;
}

__noinline int match_glob(__u32 which, __u32 place)
{
	struct page *p = page_get();
	int state = GLOB_GOES_ON;

	if (!p)
		return 0;
	__builtin_memset(&p->glob, 0, sizeof(p->glob));
	for (int i = 0; i < GLOB_ROUNDS && state == GLOB_GOES_ON; i++)
		state = match_steps(which, place);
	return state != GLOB_NO; /* what takes too long is shown */
}

/* The path at a place of the data. */
static __always_inline void match_path(struct page *p, __u32 place)
{
	if (!(cfg_select & TRACE_BY_PATH) || p->is_match)
		return;
	for (__u32 i = 0; i < TRACE_GLOBS_MAX && i < cfg_nr_globs; i++)
		if (match_glob(i, place))
			p->is_match = 1;
}

#endif
