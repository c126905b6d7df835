/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT, what: text of -e to what is to be opened. Names are perf's. */
#ifndef SKEP_EVENT_EVENT_H
#define SKEP_EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

struct probe_spec;

#define EVENT_NAME_MAX 128
#define EVENTS_MAX 64

enum event_kind {
	EVENT_COUNTER, /* perf_event_open(2) */
	EVENT_SYSCALL, /* counted by bpf/syscalls.bpf.c */
	EVENT_TRACEPOINT, /* counted by bpf/tracepoint.bpf.c; name is SUBSYSTEM:TRACEPOINT */
	EVENT_PROBE,	  /* of a function or USDT probe (event/probe.h) */
	EVENT_TOOL,	  /* a time that skep stat itself knows; config is enum tool_time */
};

/* Of the run, and of COMMAND with the children it waited for; ns. */
enum tool_time { TOOL_DURATION, TOOL_USER, TOOL_SYSTEM };

#define SYSCALL_ANY UINT64_MAX

/* The part of struct perf_event_attr that names an event; see uapi/linux/perf_event.h. */
struct event {
	char name[EVENT_NAME_MAX]; /* as the user wrote it, modifiers included */
	const char *unit;	   /* of one period: "ns" for clocks, else "events" or "cycles"... */
	uint32_t type;		   /* PERF_TYPE_* or a PMU's number */
	uint64_t config, config1, config2;
	bool freq;	       /* period_or_freq is in Hz */
	uint64_t period_or_freq; /* 0: the command's default */
	bool exclude_user, exclude_kernel, exclude_hv, exclude_idle, exclude_host;
	char call_graph[16];	    /* call-graph= of its terms: how stacks are walked, as --call-graph; empty: not written */
	uint32_t max_stack;	    /* max-stack= of them; 0: not written */
	bool has_addr;		    /* its samples have the address that it is about (PERF_SAMPLE_ADDR) */
	bool guest;		    /* count guests too: else exclude_guest */
	bool pinned, exclusive;	    /* :D :e */
	bool weak;		    /* :W: alone when its group does not fit */
	bool leader_samples;	    /* :S: samples of the leader have the counts of the whole group */
	bool precise_max;	    /* :P */
	uint8_t precise;	    /* :p count */
	uint16_t group_pos;	    /* in {a,b}: 1 for the leader, which the others follow in the array; 0: alone */
	char pmu[64];		    /* of sysfs; empty: known by number */
	char pmu_unit[16];	    /* of a count times scale ("Joules"); empty: none */
	double scale;		    /* 0: 1 */
	uint8_t kind;	       /* enum event_kind */
	bool from_glob;	       /* one of many: not shown where it did not happen */
	struct probe_spec *probe; /* EVENT_PROBE: what is in its list, until event_take_probe(); owned */
	/* EVENT_SYSCALL: config is the number, or SYSCALL_ANY */
	bool is_exit;
	uint8_t abi; /* enum syscall_abi */
};

/* cpu-clock or task-clock: counts ns. */
bool event_is_clock(const struct event *e);

/* A time of the run, also one that a file has: EVENT_TOOL is known by its unit there. */
bool event_is_time(const struct event *e);

/* --all-user, --all-kernel: it counts in user mode only, or in the kernel only. 0, or -EINVAL with err filled: nothing would be left of it. */
int event_set_mode(struct event *e, bool user, struct err *err);

/* What only the kernel's own code does: with exclude_kernel it reads 0 (perf_exclude_event(), kernel/events/core.c). */
bool event_kernel_only(const struct event *e);

/*
 * Parses a comma-separated event list into ret_events (room for max). Returns how many, or -EINVAL
 * with a caret under the bad token and near names as a hint, or -E2BIG. Probes have no arguments beside those of their filters, and borrow
 * text. Copies of an event share its probe: events_free() is for one of them.
 */
int event_parse(const char *text, struct event *ret_events, int max, struct err *err);
/* The same where probes may have arguments. */
int event_parse_args(const char *text, struct event *ret_events, int max, struct err *err);
void events_free(struct event *events, int nr_events);

/* The probe of an EVENT_PROBE is the caller's from now on, who frees it (event/probe.h). */
void event_take_probe(struct event *e, struct probe_spec *ret_spec);

/*
 * Calls each() for the names of hardware, software and cache events; another name of the same event follows it.
 * Returns 0, or what each() returned.
 */
int event_each_name(int (*each)(void *arg, const struct event *e), void *arg);

#endif
