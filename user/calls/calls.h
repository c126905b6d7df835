/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls as strace writes them: table.def has a row a call, kinds.def a row for each kind of argument, which says what is read of
 * the caller's memory and who writes it down.
 */
#ifndef SKEP_CALLS_CALLS_H
#define SKEP_CALLS_CALLS_H

#include "bpf/trace.h"
#include "calls/names.h"
#include "calls/out.h"
#include "sample.h"

struct call_style {
	uint32_t text;	 /* bytes that are shown of a string */
	uint8_t hex;	 /* 1: strings that are not ASCII in hexadecimal; 2: all */
	uint8_t names;	 /* enum names_style */
	bool is_whole;	 /* all members of structures, all of arrays */
	uint8_t files;	 /* enum call_files */
	bool has_stacks; /* where each call was made is shown */
	bool is_elsewhere; /* numbers of network interfaces are not this machine's */
};

/* What is written behind a file descriptor. */
enum call_files {
	FILES_NOTHING,
	FILES_PATHS,   /* as /proc/PID/fd has it: "3</etc/passwd>", "4<socket:[123]>" */
	FILES_DETAILS, /* and what sockets and devices are: "4<TCP:[127.0.0.1:80]>" */
};

/* What is to be read of a call. table: SYSCALL_NATIVE or SYSCALL_COMPAT. */
void call_plan(enum syscall_abi table, uint32_t nr, const struct call_style *style, struct trace_plan *ret_plan);

/* Its name: "openat", "syscall_0x1f4" of a number that the table does not have. buf: 32 bytes. Returns buf, or a static text. */
const char *call_name(enum syscall_abi abi, uint32_t nr, char buf[32]);

/* Its arguments, without the brackets. */
void call_args(struct out *o, const struct call_event *e, const struct call_style *style);

/* Those that are known before it returns, from the first on; returns how many. And those from the n-th on. */
unsigned call_args_begun(struct out *o, const struct call_event *e, const struct call_style *style);
void call_args_from(struct out *o, const struct call_event *e, const struct call_style *style, unsigned n);

/* An operation of io_uring: "IORING_OP_READ", "IORING_OP_0x50" of one that has no name yet; buf: 32 bytes. And its arguments. */
const char *call_uring_name(uint32_t opcode, char buf[32]);
void call_uring_args(struct out *o, const struct call_event *e, const struct call_style *style);

/* A page fault as perf trace prints it: its name, "minfault", and the place that was touched, "/bin/ls@0x1234 (d.)". */
const char *call_fault_name(const struct call_event *e);
void call_fault_place(struct out *o, const struct call_event *e);

/* Its result: "3", "-1 ENOENT (No such file or directory)", "?" of one that never returns. */
void call_result(struct out *o, const struct call_event *e, const struct call_style *style);

/* Is it an execve() or execveat()? */
bool call_is_exec(const struct call_event *e);

/* "stopped by SIGSTOP": after a signal that does it. */
void call_stop(struct out *o, const struct call_event *e);

/* "SIGCHLD {si_signo=SIGCHLD, ...}", and "exited with 0", "killed by SIGKILL". */
void call_signal(struct out *o, const struct call_event *e, const struct call_style *style);
void call_end(struct out *o, const struct call_event *e);

/* The error of a result; 0: it is none. Also of what the kernel keeps for itself (ERESTARTSYS). */
static inline int call_error(const struct call_event *e)
{
	return e->ret < 0 && e->ret >= -SYSCALL_ERRNO_MAX ? (int)-e->ret : 0;
}

/* "ENOENT", or NULL. */
const char *call_error_name(int error);

/* The classes of calls, "%file"; without the sign. -1: there is no such class. 1: the call is in it. */
int call_is_of(const char *class, enum syscall_abi abi, uint32_t nr);

#endif
