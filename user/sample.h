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

#include "bpf/schedwords.h"
#include "bpf/stack.h"
#include "row.h"

#define COMM_LEN 16 /* TASK_COMM_LEN, with its NUL */
#define COMM_FILE_LEN 256 /* of files: /proc has longer ones of kernel threads, and simpleperf of all */
#define BUILD_ID_MAX 20

#define SAMPLE_DEEP_MAX 1023 /* frames of a user stack, if more than STACK_MAX_FRAMES were requested */

/* What a thread did on no CPU. */
enum off_cpu {
	OFF_CPU_UNKNOWN = 0, /* of other samples, and of files that do not say */
	OFF_CPU_BLOCKED = 1,
	OFF_CPU_QUEUED = 2, /* after the wake-up, for a CPU */
	OFF_CPU_PREEMPTED = 3,
	OFF_CPU_MAX
};

/* What an expression of a probe read. */
struct sample_value {
	uint64_t num;
	const char *text; /* NULL: it is a number */
	const void *bytes; /* of a tracepoint's record; else NULL */
	uint32_t nr_bytes;
	bool is_fault;	  /* it could not be read */
};

/* Whose addresses a chain holds, in the order in which a stack is put together: leaf first. Frames of an interpreter are one more. */
enum chain_kind { CHAIN_KERNEL, CHAIN_USER, CHAIN_KINDS };

/* One walk of a stack. */
struct chain {
	const uint64_t *ips; /* leaf first */
	uint32_t n;
	uint8_t stop; /* enum stack_stop: why it ended */
	bool is_calls; /* callers are the calls themselves, not where they return to */
};

/* A thread beside that of the sample. pid 0: the idle task, or one of outside the container. */
struct thread_name {
	uint32_t pid, tid;
	char comm[COMM_LEN];
};

/*
 * What the scheduler did with the thread of a sample, whose stacks are those of where it was switched out. What is not known, or was
 * so before the run, is 0.
 */
struct sched_event {
	uint8_t kind;	    /* enum schedlog_kind */
	uint8_t flags;	    /* bits of enum schedlog_flag */
	uint8_t waker_kind; /* enum schedlog_waker */
	uint8_t now;	    /* SCHEDLOG_LEFT: enum sched_state */
	uint16_t state, off_state; /* in the kernel's words: from now on, and from off_ns on */
	/* CLOCK_MONOTONIC: it left a CPU, was able to run again, and was put on this one; until the sample's time. */
	uint64_t off_ns, ready_ns, on_ns;
	uint64_t delay_ns, run_ns; /* of a switch, as the kernel counts them; SCHEDLOG_UNKNOWN */
	uint32_t other_cpu; /* SCHEDLOG_SWITCH: where it ran before; _MIGRATE: where it goes; SCHEDLOG_NO_CPU */
	struct thread_name other; /* who gets the CPU */
	struct thread_name waker; /* of the wake-up that ended its wait; SCHEDLOG_MIGRATE: who moved it */
};

/* Memory of a process, as it was then. */
struct call_piece {
	uint64_t addr;
	const void *bytes; /* `size` of them */
	uint32_t size;
	bool is_fault; /* it could not be read: there are no bytes */
	bool is_entry; /* as it was before the call */
};

enum call_kind {
	CALL_DONE,   /* a system call has returned */
	CALL_SIGNAL, /* a signal is about to be delivered, was ignored, or ends the process */
	CALL_GONE,   /* the thread ends */
	CALL_WAITS,  /* a call has not returned for some time */
	CALL_LOST,   /* args[0] events found no room before it */
	CALL_FAULT,  /* a page was missing; args: enum trace_fault; a chain of the instruction */
	CALL_URING,  /* an operation of io_uring has ended; nr is its opcode; args: enum trace_uring of bpf/trace.h */
};

/* A system call of the thread of a sample, or what else it went through. Numbers are the kernel's. */
struct call_event {
	uint8_t kind; /* enum call_kind */
	uint8_t abi;  /* enum syscall_abi */
	uint16_t nr;  /* of the call; of a signal its number */
	bool in_call;  /* CALL_GONE: in this call, which does not return */
	bool no_entry; /* what was read before the call has been lost */
	bool no_start, no_args, no_result; /* CALL_URING: these are not known; of the arguments user_data always is */
	uint64_t start_ns; /* CLOCK_MONOTONIC; the sample's time is that of its end */
	int64_t ret;   /* -4095 to -1: a negative errno. CALL_GONE: as wait4() has it. CALL_SIGNAL: 1: it stops the thread */
	uint64_t args[6];
	const struct call_piece *pieces; /* what its arguments point to */
	uint32_t nr_pieces;
	const void *siginfo; /* CALL_SIGNAL: CALL_SIGINFO_BYTES of a siginfo_t */
};
#define CALL_SIGINFO_BYTES 48

/* Registers of a sample, hostile: the word of the lowest bit of mask comes first. */
struct sample_regs {
	uint64_t abi;  /* enum perf_sample_regs_abi; 0: none were there to read */
	uint64_t mask; /* by the numbers of the architecture's perf_regs.h */
	const uint8_t *words; /* of 64 bits each */
};

/*
 * What a recorded sample has beside all that every sample has. Bits of `has`, PERF_SAMPLE_* of uapi/linux/perf_event.h, say which of it is
 * there. Bytes are as the file has them: hostile, and at no particular alignment.
 */
struct sample_fields {
	uint64_t has;
	uint16_t misc; /* of the record's header */
	uint64_t time_ns; /* that of the sample is later where it came out of order */
	uint64_t id, stream_id, addr, transaction, data_src, phys_addr, cgroup, data_page_bytes, code_page_bytes;
	uint64_t weight; /* PERF_SAMPLE_WEIGHT: all of it; PERF_SAMPLE_WEIGHT_STRUCT: union perf_sample_weight */
	const uint8_t *chain; /* nr_chain words: the call chain with its PERF_CONTEXT_* marks */
	uint64_t nr_chain;
	const uint8_t *raw; /* of a tracepoint its record, as its format says */
	uint32_t raw_bytes;
	const uint8_t *branches; /* nr_branches of struct perf_branch_entry, the newest first */
	uint64_t nr_branches;
	struct sample_regs user_regs, intr_regs;
	const uint8_t *stack; /* of the thread, from its stack pointer on; stack_bytes of it are filled */
	uint64_t stack_bytes;
	uint64_t stack_room_bytes; /* the stack may go on where all of it is filled */
};

/* Texts that samples of a store have beside comm, and what they are called there: X(name, key). */
#define SAMPLE_LABELS(X) \
	X(HOST, "host") \
	SAMPLE_LABELS_BUT_HOST(X)
#define SAMPLE_LABELS_BUT_HOST(X) \
	X(UNIT, "unit") \
	X(CONTAINER, "container") \
	X(CONTAINER_NAME, "container_name") \
	X(IMAGE, "image") \
	X(EXE, "exe") \
	X(BUILD_ID, "build_id")

/* These as text: "host, unit, ...", "host|unit|...". */
#define LABEL_AFTER_COMMA(name, key) ", " key
#define LABEL_AFTER_BAR(name, key) "|" key
#define SAMPLE_LABELS_LISTED "host" SAMPLE_LABELS_BUT_HOST(LABEL_AFTER_COMMA)
#define SAMPLE_LABELS_OFFERED "host" SAMPLE_LABELS_BUT_HOST(LABEL_AFTER_BAR)

enum sample_label {
#define LABEL_NUMBER(name, key) LABEL_##name,
	SAMPLE_LABELS(LABEL_NUMBER)
#undef LABEL_NUMBER
	LABEL_MAX
};

static inline const char *sample_label_name(enum sample_label label)
{
#define LABEL_NAME(name, key) [LABEL_##name] = key,
	static const char *const names[LABEL_MAX] = { SAMPLE_LABELS(LABEL_NAME) };
#undef LABEL_NAME

	return names[label];
}

/* Something happened, `count` times, worth `weight` in all (ns for clocks, events for counters). */
struct sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC of the (last) occurrence */
	uint64_t weight;  /* sum of the sampling periods */
	uint64_t count;	  /* 1 from a stream or a file; N from an in-kernel hash */
	uint64_t ip;	  /* where it happened, in the kernel if that has a chain; a file's need not be a leaf of these; 0 if not known */
	uint64_t addr;	  /* what the event is about, such as the address that was not mapped; 0: none, or not requested */
	uint64_t cgroup;  /* of cgroup v2, its number; 0: not requested */
	uint32_t pid, tid; /* process (tgid) and thread, in the PID namespace that skep runs in */
	uint32_t cpu;	  /* UINT32_MAX when aggregated over CPUs */
	uint16_t event;	  /* index in the session's event list */
	bool is_tracepoint; /* its kernel stack may start in the code that delivered the hit */
	const char *comm; /* NUL-terminated, shorter than COMM_LEN; NULL: take it from task events */
	struct chain chains[CHAIN_KINDS]; /* by enum chain_kind; n 0: none */
	/* Of time off a CPU */
	uint8_t off_cpu; /* enum off_cpu */
	const struct sample *waker; /* who ended that, with stacks and comm; or NULL */
	/* Of probes */
	uint32_t site; /* which place was hit */
	const struct sample_value *values;
	uint32_t nr_values;
	uint32_t parallelism; /* of files, on request: how many threads ran then, at least 1; 0: not counted */
	const struct sched_event *sched; /* of the scheduler's events; else NULL */
	const struct call_event *call; /* of system calls; else NULL */
	const struct sample_fields *fields; /* of files; else NULL */
	const char *const *labels; /* of stores: LABEL_MAX texts, interned; NULL: it has none such. All NULL: none was asked for */
	bool resumes; /* the begin of the call was shown: what follows is the rest of it */
};

/* The innermost address of its chains; 0: they are empty. */
static inline uint64_t sample_leaf(const struct sample *s)
{
	for (int i = 0; i < CHAIN_KINDS; i++)
		if (s->chains[i].n)
			return s->chains[i].ips[0];
	return 0;
}

enum task_what {
	TASK_MMAP, /* an executable mapping (addr .. path) */
	TASK_COMM, /* name set by prctl or inherited at start */
	TASK_EXEC, /* name set by exec: all mappings before it are gone */
	TASK_FORK, /* tid of pid made by ptid of ppid; pid == ppid is a new thread */
	TASK_EXIT, /* thread tid ended */
	TASK_KSYM, /* kernel text appeared or was removed (BPF program, trampoline): addr, len, path = name */
	TASK_SWITCH, /* thread tid left its CPU, or came to it; only where requested */
	TASK_NAMESPACES, /* those of thread tid; only where requested */
	TASK_BUILD_ID, /* of files: the build id of the file with this path, reported after its TASK_MMAP; kernel as there */
};

#define TASK_NAMESPACES_MAX 7

struct task_namespace {
	uint64_t dev, ino; /* of its file in /proc/PID/ns */
};

struct task_event {
	enum task_what what;
	bool kernel; /* TASK_MMAP: kernel or module text; pid is UINT32_MAX */
	bool is_data; /* TASK_MMAP: not executable */
	bool is_program; /* TASK_MMAP of a scan, which is by address: what the process runs. Else that is the first one after its exec */
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: was so before the recording started */
	uint32_t pid, tid;
	uint32_t ppid, ptid; /* TASK_FORK, TASK_EXIT; TASK_SWITCH: the thread that it took turns with */
	const struct task_namespace *namespaces; /* TASK_NAMESPACES: net, uts, ipc, pid, user, mnt, cgroup */
	uint32_t nr_namespaces;
	bool is_out, is_preempted; /* TASK_SWITCH: it left; and could have gone on */
	uint32_t cpu;
	const char *comm; /* TASK_COMM, TASK_EXEC; shorter than COMM_FILE_LEN */
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

/* Each returns 0, -ECANCELED for enough, or another negative errno, which fails the run. NULL members are skipped by sources. */
struct sink {
	int (*sample)(struct sink *sink, const struct sample *s);
	int (*task)(struct sink *sink, const struct task_event *t);
	int (*reading)(struct sink *sink, const struct reading *r);
	int (*row)(struct sink *sink, const struct row *row);
	/* A record as the kernel wrote it, at a multiple of 8, in the order of time: instead of the sample that would be made of it. */
	int (*raw)(struct sink *sink, const void *record, size_t size);
	/* n samples that the source saw are gone. */
	int (*lost)(struct sink *sink, uint64_t n);
	/* -I: all readings, or sums, of this moment, so long after the start, have been delivered. */
	int (*interval)(struct sink *sink, uint64_t since_start_ns);
	/* Everything older than the previous round has been delivered: sort and flush up to there. 1: sums are wanted now, too. */
	int (*round)(struct sink *sink);
};

#endif
