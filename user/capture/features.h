/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What this kernel and our privileges allow: tested by doing it, never by the kernel's version. Each
 * probe runs once, on its first use.
 */
#ifndef SKEP_CAPTURE_FEATURES_H
#define SKEP_CAPTURE_FEATURES_H

#include <stdbool.h>

enum feature {
	FEATURE_BPF,
	FEATURE_BTF,
	FEATURE_JIT,
	FEATURE_RINGBUF,
	FEATURE_BATCH,
	FEATURE_GROWING_HASH,
	FEATURE_PERF_EVENT,
	FEATURE_CYCLES,
	FEATURE_PERF_PROG,
	FEATURE_OWN_EVENTS,
	FEATURE_RAW_TP,
	FEATURE_TP_BTF,
	FEATURE_SYSCALL_BTF,
	FEATURE_TP_UNPREEMPTED,
	FEATURE_URING,
	FEATURE_TRACEFS,
	FEATURE_KPROBE,
	FEATURE_KPROBE_MULTI,
	FEATURE_FENTRY,
	FEATURE_UPROBE,
	FEATURE_UPROBE_MULTI,
	FEATURE_COOKIE,
	FEATURE_BPF_LOOP,
	FEATURE_FIND_VMA,
	FEATURE_KSYM,
	FEATURE_TASK_STORAGE,
	FEATURE_BPF_STATS,
	FEATURE_TASK_ITER,
	FEATURE_PIDFD,
	FEATURE_CGROUP2,
	FEATURE_KALLSYMS,
	FEATURE_PTRACE,
	FEATURE_MAX
};

/* Words that do not depend on the machine. */
struct feature_row {
	const char *name;    /* "kprobe.multi": the JSON key */
	const char *used_by; /* what needs it */
	const char *instead; /* what is used where it is missing; NULL: nothing */
	bool needed;	     /* without it nothing can be sampled */
};

struct feature_state {
	bool has;
	char why[192];	  /* why not, or a detail of what is there; empty: nothing to say */
	char enable[512]; /* the command or option that would bring it; empty: not known */
};

extern const struct feature_row feature_rows[FEATURE_MAX];

/* Static, never NULL. */
const struct feature_state *feature(enum feature f);

/*
 * A command made the attempt itself, in earnest, and got ret (a descriptor, 0 or -errno): that is the probe's result. Returns
 * whether it is there.
 */
bool feature_tried(enum feature f, int ret);

/* As feature_tried(), by the probe's own attempt. */
bool feature_use(enum feature f);

/* Was it tried, missed, and something used instead? For -v. */
bool feature_fell_back(enum feature f);

#endif
