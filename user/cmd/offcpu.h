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

#define OFFCPU_NO_CPU "a waiting thread is on no CPU" /* why --off-cpu does not go with -C */

/* --off-cpu --wall --off-part --wakers */
extern const struct opt offcpu_opts[];
extern const struct opt_rule offcpu_rules[];

/*
 * With --off-cpu or --wall, instead of the parsing of events: sets m->offcpu, and m->events to the event of it (--off-cpu), or to that
 * and to the clock which samples what runs (--wall). cfg is filled and must outlive the run.
 */
void offcpu_measure(const struct offcpu *o, struct measure *m, struct offcpu_cfg *cfg);

/* As offcpu_measure(), for a stream of spans beside that of samples. */
void offcpu_record(struct measure *m, struct offcpu_cfg *cfg);

/* OFFCPU_EVENT, as perf has it, too (6.16): one sample for each span, its period in ns. */
struct event offcpu_event(void);

#endif
