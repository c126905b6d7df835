/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Off-CPU and wall-clock time: from options to the events of a run. */
#include "cmd/offcpu.h"

#include <linux/perf_event.h>
#include <string.h>

const struct opt offcpu_opts[] = {
	{ 0, "off-cpu", NULL, OPT_FLAG, offsetof(struct offcpu, off_cpu),
	  "draw the time that threads are off the CPUs, by the stack with which they left" },
	{ 0, "wall", NULL, OPT_FLAG, offsetof(struct offcpu, wall), "draw both in one picture: samples of what runs, and the time off the CPUs" },
	{ 0, "off-part", "PART", OPT_TEXT, offsetof(struct offcpu, part),
	  "of a live run only one part of the time off the CPUs: blocked, queued (awake, waiting for a CPU) or preempted (default: all)",
	  .values = "blocked|queued|preempted" },
	{ 0, "wakers", NULL, OPT_FLAG, offsetof(struct offcpu, wakers), "of a live run: add the stack of the waker on top of blocked time" },
	{ 0 },
};

const struct opt_rule offcpu_rules[] = {
	{ "off-cpu", .not_with = "wall" },
	{ "off-cpu", .not_with = "event|freq|count|idle|ring-size", .why = "--off-cpu measures all time off the CPUs" },
	{ "wall", .not_with = "event|count|idle", .why = "--wall samples cpu-clock, and measures all time off the CPUs" },
	{ "off-cpu|wall", .not_with = "cpu", .why = OFFCPU_NO_CPU },
	{ "off-part|wakers", .needs = "off-cpu|wall" },
	{ "wakers", .not_with = "off-part=queued|off-part=preempted", .why = "only blocked time has a waker" },
	{ 0 },
};

struct event offcpu_event(void)
{
	return (struct event){ .name = OFFCPU_EVENT, .unit = "ns", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT,
			       .period_or_freq = 1 };
}

static uint32_t parts_of(const char *part)
{
	if (!part)
		return OFFCPU_PART_ALL;
	return !strcmp(part, "blocked") ? OFFCPU_PART_BLOCKED : !strcmp(part, "queued") ? OFFCPU_PART_QUEUED : OFFCPU_PART_PREEMPTED;
}

void offcpu_record(struct measure *m, struct offcpu_cfg *cfg)
{
	*cfg = (struct offcpu_cfg){ .parts = OFFCPU_PART_ALL };
	m->offcpu = cfg;
}

void offcpu_measure(const struct offcpu *o, struct measure *m, struct offcpu_cfg *cfg)
{
	if (!o->off_cpu && !o->wall)
		return;
	*cfg = (struct offcpu_cfg){ .aggregate = true, .wakers = o->wakers, .parts = parts_of(o->part) };
	m->offcpu = cfg;
	m->no_samples = !o->wall;
	m->event_text = o->wall ? "cpu-clock" : NULL;
	m->title = o->wall ? "wall-clock time" : "off-CPU time";
}
