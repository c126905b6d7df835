/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the commands share that show time off the CPUs: options, and from them what is to be measured. */
#ifndef SKEP_CMD_OFFCPU_H
#define SKEP_CMD_OFFCPU_H

#include "cmd/measure.h"

#define OFFCPU_EVENT "offcpu-time"

struct offcpu {
	bool off_cpu, wall, wakers;
	const char *part;
};

/* --off-cpu --wall --off-part --wakers */
extern const struct opt offcpu_opts[];

/* Was one of them given that makes it so? */
bool offcpu_asked(const struct offcpu *o);

/*
 * Instead of the parsing of events: sets m->offcpu, and m->events to the event of it (--off-cpu), or to that and to the clock which
 * samples what runs (--wall). cfg is filled and must outlive the run. 0, or -EINVAL with err filled.
 */
int offcpu_check(const struct offcpu *o, struct measure *m, struct offcpu_cfg *cfg, struct err *err);

/* For a file: which event of it is meant (cmd/replay.h), if one of the options was given. 0, or -EINVAL with err filled. */
int offcpu_check_input(const struct offcpu *o, const char *event_index, int *ret_event, struct err *err);

/* As offcpu_check(), for a stream of spans beside that of samples. 0, or -EINVAL with err filled. */
int offcpu_record(struct measure *m, struct offcpu_cfg *cfg, struct err *err);

/* OFFCPU_EVENT, as perf has it, too (6.16): one sample for each span, its period in ns. */
struct event offcpu_event(void);

#endif
