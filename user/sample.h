/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The shapes that cross the CAPTURE border: what happened (struct sample) and, so that addresses
 * keep their meaning after a process is gone, what tasks did to their names and address spaces
 * (struct task_event). A live capture and a perf.data file are both sources: they push these into
 * a struct sink. All pointers are borrowed: valid only during the call.
 */
#ifndef SKEP_SAMPLE_H
#define SKEP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/by.h"
#include "bpf/stack.h"

#define COMM_LEN 16 /* TASK_COMM_LEN, with its NUL */
#define BUILD_ID_MAX 20

/* Why a walk ended before the root. */
enum stack_stop {
	STOP_ROOT = 0,	    /* walked as far as the walker can tell */
	STOP_DEPTH = 1,	    /* STACK_MAX_FRAMES reached, callers are missing */
	STOP_UNREADABLE = 2, /* the walker got no frame at all: memory gone or not present */
	STOP_NO_ROOT = 3,   /* the outermost frame is no known root: the frame-pointer chain broke */
	STOP_LEAF = 4,	    /* only where it happened was asked for: nothing is missing */
	STOP_MAX
};

/* What an expression of a probe read. */
struct sample_value {
	uint64_t num;
	const char *text; /* NULL: it is a number */
	bool is_fault;	  /* it could not be read */
};

/* Something happened, `count` times, worth `weight` in all (ns for clocks, events for counters). */
struct sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC of the (last) occurrence */
	uint64_t weight;  /* sum of the sampling periods */
	uint64_t count;	  /* 1 from a stream or a file; N from an in-kernel hash */
	uint64_t ip;	  /* where it happened, leaf of the deeper of both stacks; 0 if not known */
	uint32_t pid, tid; /* process (tgid) and thread, in the PID namespace that skep runs in */
	uint32_t cpu;	  /* UINT32_MAX when aggregated over CPUs */
	uint16_t event;	  /* index in the session's event list */
	uint8_t kstop, ustop; /* enum stack_stop of each walk */
	const char *comm; /* NUL-terminated, shorter than COMM_LEN; NULL: take it from task events */
	const uint64_t *kips; /* kernel frames, leaf first */
	const uint64_t *uips; /* user frames, leaf first */
	uint32_t nr_kips, nr_uips;
	/* Of probes */
	uint32_t site; /* which place was hit */
	const struct sample_value *values;
	uint32_t nr_values;
};

enum task_what {
	TASK_MMAP, /* an executable mapping (addr .. path) */
	TASK_COMM, /* name set by prctl or inherited at start */
	TASK_EXEC, /* name set by exec: all mappings before it are gone */
	TASK_FORK, /* tid of pid made by ptid of ppid; pid == ppid is a new thread */
	TASK_EXIT, /* thread tid ended */
	TASK_KSYM, /* kernel text came or went (BPF program, trampoline): addr, len, path = name */
};

struct task_event {
	enum task_what what;
	bool kernel; /* TASK_MMAP: kernel or module text; pid is UINT32_MAX */
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: was so before the recording began */
	uint32_t pid, tid;
	uint32_t ppid, ptid; /* TASK_FORK, TASK_EXIT */
	uint32_t cpu;
	const char *comm; /* TASK_COMM, TASK_EXEC */
	/* TASK_MMAP, in the terms of PERF_RECORD_MMAP2 (uapi/linux/perf_event.h) */
	uint64_t addr, len, pgoff;
	uint32_t prot, flags, maj, min;
	uint64_t ino, ino_generation;
	uint8_t build_id_size; /* 0: not known */
	uint8_t build_id[BUILD_ID_MAX];
	const char *path; /* as the kernel prints it: //anon, [vdso], "/x (deleted)" */
};

/* A counter was read: its total since it was opened, on one CPU or for one thread, or both. */
struct reading {
	uint16_t event; /* index in the list of events */
	uint32_t cpu;	/* UINT32_MAX: on any */
	uint32_t tid;	/* 0: of all threads */
	const char *comm; /* of that thread; else NULL */
	uint64_t value;
	uint64_t enabled_ns; /* how long it was wanted */
	uint64_t running_ns; /* how long it was really counting: less when events share a hardware counter */
};

#define HIST_SLOTS BY_SLOTS

struct hist_sums {
	uint64_t calls; /* or hits, of tracepoints */
	uint64_t errors, total_ns, max_ns;
	uint64_t slots[HIST_SLOTS];
};

/* Sums of what has one key, from the start on, and the histogram of its durations (bpf/by.h has the slots). */
struct hist_sample {
	const char *call; /* "read"; NULL: not in the key, as 0 is in the others */
	const char *event; /* "syscalls:sys_enter_read" */
	const char *comm;
	const char *fields[BY_FIELDS_MAX]; /* their values: "253:0", "-1" */
	uint32_t pid, tid, cpu, uid, error;
	uint64_t cgroup; /* its inode number */
	uint64_t start_ns; /* of the process or thread, since boot: numbers come again */
	bool is_other;	 /* of all keys that the table had no room for */
	struct hist_sums sums;
};

/* Each returns 0, -ECANCELED for enough, or another negative errno, which fails the run. NULL members are skipped by sources. */
struct sink {
	int (*sample)(struct sink *sink, const struct sample *s);
	int (*task)(struct sink *sink, const struct task_event *t);
	int (*reading)(struct sink *sink, const struct reading *r);
	int (*hist)(struct sink *sink, const struct hist_sample *h);
	/* n samples that the source saw are gone. */
	int (*lost)(struct sink *sink, uint64_t n);
	/* -I: all readings, or sums, of this moment, so long after the start, have been delivered. */
	int (*interval)(struct sink *sink, uint64_t since_start_ns);
	/* Everything older than the previous round has been delivered: sort and flush up to there. */
	int (*round)(struct sink *sink);
};

#endif
