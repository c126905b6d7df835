/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's states as include/linux/sched.h numbers them. */
#include "model/schedlog.h"

#include <string.h>

#define STATE_INTERRUPTIBLE 0x1
#define STATE_UNINTERRUPTIBLE 0x2
#define STATE_STOPPED 0x4
#define STATE_TRACED 0x8
#define STATE_PARKED 0x40
#define STATE_DEAD 0x80
#define STATE_NOLOAD 0x400

#define SCHED_FRAMES_MAX 24 /* the scheduler and what is called from it to our program */

struct sched_times schedlog_times(const struct sched_event *e)
{
	struct sched_times t = { .delay = { e->delay_ns != SCHEDLOG_UNKNOWN, e->delay_ns }, .run = { e->run_ns != SCHEDLOG_UNKNOWN, e->run_ns } };

	if (e->off_ns && e->on_ns) /* clocks of two CPUs may differ by a little: none is negative */
		t.wait = (struct sched_time){ true, e->on_ns > e->off_ns ? e->on_ns - e->off_ns : 0 };
	return t;
}

char sched_letter(uint16_t state)
{
	if (!state)
		return 'R';
	if (state & STATE_DEAD)
		return 'X';
	if (state & STATE_UNINTERRUPTIBLE)
		return state & STATE_NOLOAD ? 'I' : 'D';
	if (state & STATE_INTERRUPTIBLE)
		return 'S';
	if (state & STATE_STOPPED)
		return 'T';
	if (state & STATE_TRACED)
		return 't';
	return state & STATE_PARKED ? 'P' : 'D'; /* frozen, and waiting for a lock of PREEMPT_RT */
}

enum sched_state sched_state_of(uint16_t state)
{
	switch (sched_letter(state)) {
	case 'R':
		return SCHED_WAITING;
	case 'S':
	case 'I':
		return SCHED_SLEEPING;
	case 'D':
		return SCHED_BLOCKED;
	default:
		return SCHED_STOPPED;
	}
}

static bool is_scheduler(const char *name)
{
	static const char *const names[] = { "__schedule", "schedule", "schedule_idle", "schedule_preempt_disabled" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "preempt_schedule", strlen("preempt_schedule"));
}

uint32_t schedlog_stack_begin(const struct frame *frames, uint32_t n)
{
	uint32_t begin = 0;

	for (uint32_t i = 0; i < n && i < SCHED_FRAMES_MAX; i++)
		if (frames[i].kind == FRAME_KERNEL && is_scheduler(frames[i].name))
			begin = i + 1;
	return begin;
}
