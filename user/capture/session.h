/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CAPTURE: one run: open (load, attach), run (arm, drain, stop), profile, close. The promises that no
 * command may forget live here: losses counted, cost measured, COMMAND run as its user, nothing left behind.
 */
#ifndef SKEP_CAPTURE_SESSION_H
#define SKEP_CAPTURE_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "model/profile.h"
#include "sample.h"
#include "target.h"
#include "util/err.h"

struct session_cfg {
	const struct target *target;
	struct event *events; /* replaced in place when the session has to fall back (cycles -> cpu-clock) */
	int nr_events;
	bool may_fall_back; /* the user did not name the event */
	bool aggregate;	    /* sum in the kernel; else stream every sample with its time */
	bool no_kernel_stack, no_user_stack;
	bool by_tid;	    /* keep threads apart in aggregate mode */
	bool bpf_stats;	    /* have the kernel time the programs */
	uint32_t max_frames; /* of each stack when streaming, 0: STACK_MAX_FRAMES */
	uint32_t stacks_max, counts_max; /* sizes of the aggregate hashes, 0: default; overflow goes to the ring */
	uint64_t ring_bytes;		 /* per CPU, power of two; 0: default */
	const sigset_t *command_mask;	 /* signals that COMMAND starts with blocked */
	uint64_t duration_ns;		 /* 0: until COMMAND or the targets end, or a signal */
};

struct session;

/* Opens, loads and attaches; the side band is live from here on, nothing is sampled yet. 0 or -errno. */
int session_open(const struct session_cfg *cfg, struct session **ret_session, struct err *err);

/* Arms, starts COMMAND, delivers to the sink until the end. 0 or -errno. */
int session_run(struct session *s, struct sink *sink, struct err *err);

/* Why a feature was picked, a line each, for -v: "event cycles: no such event here; cpu-clock instead". */
const char *session_notes(const struct session *s);

/* The exit status of COMMAND, 0 without one. */
int session_status(const struct session *s);

/* After session_run: adds to the ledger and the kernel's part of the receipt; duration, CPUs, notes. */
void session_profile(const struct session *s, struct profile *profile);

/* Also after a failed session_open; NULL is nothing. Detaches everything, ends COMMAND, frees. */
void session_close(struct session *s);

#endif
