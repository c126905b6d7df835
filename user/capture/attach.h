/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program to places in the kernel and in files. Where a kernel has links for many places at once, one is made (1,500 functions in
 * tens of milliseconds); else a perf event each.
 */
#ifndef SKEP_CAPTURE_ATTACH_H
#define SKEP_CAPTURE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

enum attach_how {
	ATTACH_KPROBE,
	ATTACH_KPROBE_MULTI, /* 5.18, 0dcac2725406 "bpf: Add multi kprobe link" */
	ATTACH_FENTRY,	     /* a BPF trampoline, on entry or return: its program is loaded for one function */
	ATTACH_UPROBE,
	ATTACH_UPROBE_MULTI, /* 6.6, 89ae89f53d20 "bpf: Add multi uprobe link" */
	ATTACH_TRACEPOINT,
	ATTACH_RAW, /* a raw tracepoint: no record, and nothing to wait for when it is detached */
};

/* As enum bpf_attach_type of newer headers has them. */
#define ATTACH_TYPE_KPROBE_MULTI 42
#define ATTACH_TYPE_UPROBE_MULTI 48

struct attach_place {
	const char *name;   /* of a kernel function, "MODULE:FUNCTION" in a module; of a file: its path */
	uint64_t offset;    /* in a kernel function, or in the file */
	uint64_t semaphore; /* in the file; 0: none */
	uint64_t tracepoint;
	uint64_t cookie;
};

/* What keeps it attached: descriptors to be closed, the link before its event. */
struct attached_link {
	int link_fd, event_fd; /* -1: none */
};

struct attachments {
	VEC(struct attached_link) all;
};

/* The number of the PMU that makes probes (kprobe, uprobe), or negative: this kernel has none. */
int attach_pmu(bool is_user);

/*
 * One place by a perf event. cookie: the program reads it (needs FEATURE_COOKIE). 0 or -errno: -ENOENT no such function or
 * file, -EINVAL a place that cannot be probed, -EADDRNOTAVAIL several functions of that name.
 */
int attach_one(struct attachments *a, enum attach_how how, int prog_fd, const struct attach_place *place, bool is_return, bool cookie);

/* All of them by one link. 0, or -errno: none is attached then. */
int attach_many(struct attachments *a, enum attach_how how, int prog_fd, const struct attach_place *places, size_t n, bool is_return);

/* A program that was loaded for one function (BPF_TRACE_FENTRY, BPF_TRACE_FEXIT). 0 or -errno. */
int attach_trampoline(struct attachments *a, int prog_fd);

/* Attaches to the raw tracepoint of the name after the colon. 0 or -errno: -ENOENT where only perf knows it. */
int attach_raw(struct attachments *a, int prog_fd, const char *tracepoint);

/* Hits that the kernel did not report to the programs: probes hit while it handled a probe, returns without room. */
uint64_t attachments_missed(const struct attachments *a);

void attachments_free(struct attachments *a);

#endif
