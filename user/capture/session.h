/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CAPTURE: one run of one or more sources: open (load, attach), run (arm, drain, stop), profile, close. The promises that no
 * command may forget live here: losses counted, cost measured, COMMAND run as its user, everything detached.
 */
#ifndef SKEP_CAPTURE_SESSION_H
#define SKEP_CAPTURE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "capture/control.h"
#include "capture/source.h"
#include "capture/walker.h"
#include "util/err.h"

#define SESSION_SOURCES_MAX 8

/* When the sources pause and go on, in turn: times from COMMAND's start on, ascending. */
#define SESSION_TURNS_MAX 127
struct session_turns {
	uint64_t at_ns[SESSION_TURNS_MAX];
	int n;
};

struct session_cfg {
	const struct target *target;
	struct session **ret_session; /* filled by session_open(): the session, until it is closed; NULL: not wanted */
	pid_t *ret_command_pid; /* filled by session_open(): COMMAND, or 0; NULL: not wanted */
	struct source *sources[SESSION_SOURCES_MAX]; /* the session closes them, also when it cannot be opened; NULL: there was no memory for it */
	int nr_sources;
	uint64_t interval_ns;		 /* take a snapshot of the sources every so often; 0: never */
	bool interval_by_clock;		 /* at multiples of it since 1970, as far as the clock is not set meanwhile */
	const char *output; /* where the sink writes, for messages; NULL: not to a file */
	struct unwinder_cfg unwind; /* how user stacks are walked by tables, if they are; else by frame pointers */
	uint64_t freq;			 /* samples a second and CPU; 0: not known */
	/* A descriptor of the caller's that is waited for, as of keys; what is called when it can be read, and now and then: true ends the run. NULL: none. */
	int input_fd;
	bool (*input)(void *arg);
	void *input_arg;
	bool has_progress; /* a terminal may show how the run goes: nothing else is printed to it meanwhile */
	uint64_t tick_ns; /* the loop looks around so often, whatever wakes it: what bounds delays; 0: 100 ms */
	void (*tick)(void *arg, const struct session *s); /* called then; NULL: not wanted */
	void *tick_arg;
	struct control *control;	 /* commands to the run; NULL: none. The sources can pause then */
	bool has_switches;		 /* the sink gets TASK_SWITCH */
	bool has_namespaces;		 /* and TASK_NAMESPACES */
	bool has_cgroups;		 /* paths of control groups that are made are kept, of which samples may come when they are gone */
	bool starts_off;		 /* the sources start with the command to do so */
	uint64_t delay_ns;		 /* the sources start so long after COMMAND; 0: before it */
	const struct session_turns *turns; /* after that; NULL: none */
	double budget;			 /* the part of all CPUs' time that the run may take: the rate of its samples is lowered before; 0: any */
	double budget_least_rate;	 /* of what was asked for: the rate is not lowered below */
	uint64_t budget_after_ns;	 /* it is looked at from then on, after the start: names and tables of what runs already take a while */
	uint64_t duration_ns;		 /* from the start of the sources on; 0: until COMMAND or the targets end, or a signal */
};

struct session;

/*
 * While it runs: opens a source and starts it. The session closes it, also when it cannot be opened; NULL: there was no memory for it.
 * It counts from then on. 0, or -errno with err filled, and the run goes on.
 */
int session_add(struct session *s, struct source *src, struct err *err);

/*
 * Delivers once more what the sources have summed and delivered since session_forget(), or the start. 0 or -errno.
 */
int session_again(struct session *s, struct sink *sink);
/* later: not now, but when something new is delivered. */
void session_forget(struct session *s, bool later);

/* Opens, loads and attaches; the side band is live from here on, nothing is sampled yet. 0 or -errno. */
int session_open(const struct session_cfg *cfg, struct session **ret_session, struct err *err);

/* Arms, starts COMMAND, delivers to the sink until the end. 0 or -errno. */
int session_run(struct session *s, struct sink *sink, struct err *err);

/* The exit status of COMMAND, 0 without one; and what it and the children it waited for have used (NULL without one). */
int session_status(const struct session *s);
const struct rusage *session_usage(const struct session *s);
bool session_interrupted(const struct session *s); /* a signal ended it */
uint64_t session_duration_ns(const struct session *s); /* so far, while it runs */

/* The least part of the rate that was asked for, for the sake of the budget, since the last call: 1 where it was not lowered. */
double session_least_rate(struct session *s);

/* While it runs, or after it: adds to the ledger and the kernel's part of the receipt; duration, CPUs, notes. */
void session_profile(const struct session *s, struct profile *profile);

/* Also after a failed session_open; NULL is nothing. Detaches everything, ends COMMAND, frees. */
void session_close(struct session *s);

#endif
