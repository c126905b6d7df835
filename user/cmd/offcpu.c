/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Off-CPU and wall-clock time: from options to the events of a run. */
#include "cmd/offcpu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "cmd/replay.h"

const struct opt offcpu_opts[] = {
	{ 0, "off-cpu", NULL, OPT_FLAG, offsetof(struct offcpu, off_cpu),
	  "draw the time that threads are off the CPUs, by the stack with which they left", NULL, false, NULL },
	{ 0, "wall", NULL, OPT_FLAG, offsetof(struct offcpu, wall),
	  "draw both in one picture: samples of what runs, and the time off the CPUs", NULL, false, NULL },
	{ 0, "off-part", "PART", OPT_TEXT, offsetof(struct offcpu, part),
	  "only one part of the time off the CPUs: blocked, queued (awake, waiting for a CPU) or preempted (default: all)", NULL, false,
	  "blocked|queued|preempted" },
	{ 0, "wakers", NULL, OPT_FLAG, offsetof(struct offcpu, wakers), "add the stack of the waker on top of blocked time", NULL, false, NULL },
	{ 0 },
};

bool offcpu_asked(const struct offcpu *o)
{
	return o->off_cpu || o->wall;
}

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

/* The option that has no meaning with time off the CPUs, or NULL. */
static const char *pointless(const struct offcpu *o, const struct measure *m)
{
	const struct {
		bool given;
		const char *name;
	} options[] = {
		{ m->event_text, "-e" },
		{ m->freq && !o->wall, "-F" },
		{ m->period, "-c" },
		{ m->idle, "--idle" },
		{ m->ring_kb && !o->wall, "-m" },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

static int refuse_cpus(const struct measure *m, struct err *err)
{
	return m->target.cpus.n ? err_exit(err, -EINVAL, EXIT_USAGE, "-C does not work with time off the CPUs: a waiting thread is on no CPU") : 0;
}

int offcpu_record(struct measure *m, struct offcpu_cfg *cfg, struct err *err)
{
	*cfg = (struct offcpu_cfg){ .parts = OFFCPU_PART_ALL };
	m->offcpu = cfg;
	return refuse_cpus(m, err);
}

int offcpu_check_input(const struct offcpu *o, const char *event_index, int *ret_event, struct err *err)
{
	if (o->part || o->wakers)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-i and %s exclude each other", o->part ? "--off-part" : "--wakers");
	if (o->off_cpu && o->wall)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--off-cpu and --wall exclude each other");
	if (!offcpu_asked(o))
		return 0;
	if (event_index)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--event-index and --%s exclude each other", o->wall ? "wall" : "off-cpu");
	*ret_event = o->wall ? REPLAY_WALL : REPLAY_OFFCPU;
	return 0;
}

int offcpu_check(const struct offcpu *o, struct measure *m, struct offcpu_cfg *cfg, struct err *err)
{
	const char *with = pointless(o, m);

	if (o->off_cpu && o->wall)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--off-cpu and --wall exclude each other");
	if (with)
		return err_exit(err, -EINVAL, EXIT_USAGE, "%s is for samples: %s measures all time off the CPUs", with,
				o->wall ? "--wall samples cpu-clock, and" : "--off-cpu");
	if (refuse_cpus(m, err))
		return -EINVAL;
	if (o->wakers && o->part && strcmp(o->part, "blocked"))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--wakers needs blocked time: it cannot be combined with --off-part %s", o->part);
	*cfg = (struct offcpu_cfg){ .aggregate = true, .wakers = o->wakers, .parts = parts_of(o->part) };
	m->offcpu = cfg;
	m->no_samples = !o->wall;
	m->event_text = o->wall ? "cpu-clock" : NULL;
	m->title = o->wall ? "wall-clock time" : "off-CPU time";
	return 0;
}
