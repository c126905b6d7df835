/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* perf's --switch-on and --switch-off: events of a file between which its samples are shown. */
#ifndef SKEP_CMD_ONOFF_H
#define SKEP_CMD_ONOFF_H

#include "data/data.h"
#include "util/err.h"
#include "util/opt.h"

struct onoff {
	const char *on, *off; /* names of events; NULL: none */
	bool shown;	      /* these samples, too */
	/* Own. */
	int on_event, off_event; /* -1: none */
	bool is_on;
	uint64_t nr_out; /* samples while it was off */
};

extern const struct opt onoff_opts[];
extern const struct opt_rule onoff_rules[];

/* Once the file is open. 0, or -ENOENT with err filled: it has no such event. */
int onoff_open(struct onoff *o, const struct data_meta *meta, struct err *err);

/* Of each sample, in the order of time: is it left out? */
bool onoff_hides(struct onoff *o, const struct sample *s);

#endif
