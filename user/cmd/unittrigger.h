/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --trigger 'cpu(UNIT) > 80%': has a control group of version 2 used more of a CPU than that, in a second? By its cpu.stat (cgroup-v2.rst).
 * 'delay(UNIT) > 20%': for more than that of a second, was a thread of it waiting for a CPU? By "some" of its cpu.pressure (psi.rst).
 */
#ifndef SKEP_CMD_UNITTRIGGER_H
#define SKEP_CMD_UNITTRIGGER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

enum unit_figure { UNIT_CPU, UNIT_DELAY, UNIT_FIGURES };

struct unit_trigger {
	const char *text; /* as it was given; borrowed */
	enum unit_figure figure;
	char unit[PATH_MAX]; /* the last part of its path, as nginx.service, or from the top: /system.slice/nginx.service */
	double above; /* of one CPU, or of the time: 0.8 */
	/* Its own */
	char stat[PATH_MAX]; /* the file; "": not found */
	uint64_t total_us, at_ns; /* when it was read last */
	bool is_read;
	uint64_t find_ns; /* when it is looked for next */
	bool is_above;
};

/* Is it one, or an event? */
bool unit_trigger_is(const char *text);

/* 0, or -EINVAL with err filled. */
int unit_trigger_parse(const char *text, struct unit_trigger *ret, struct err *err);

/* Prints a note if there is no such unit now, or the kernel does not say this figure of it. */
void unit_trigger_note(const struct unit_trigger *t);

/*
 * Once a second, when this is called more often: true where it is above the value now and was not before. A unit that is not there, or not any
 * more, uses nothing; it is looked for every second, or less often where there are many groups.
 */
bool unit_trigger_round(struct unit_trigger *t, uint64_t now_ns);

#endif
