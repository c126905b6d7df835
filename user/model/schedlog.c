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

#define BIT(column) (1ull << (column))
#define BITS(first, last) (2 * BIT(last) - BIT(first))

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

static const struct column log_columns[LOG_COLUMNS] = {
	[LOG_SECONDS] = { "time", "time", NULL, VALUE_SECONDS, ROLE_TIME, .in = IN_TEXT, .width = 11, .decimals = 9 },
	[LOG_TIME] = { "time_ns", NULL, NULL, VALUE_NUMBER, ROLE_TIME, .in = IN_CSV | IN_JSON },
	[LOG_WHAT] = { "what", "what", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 9 },
	[LOG_CPU] = { "cpu", "cpu", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 4 },
	[LOG_COMM] = { "comm", "comm", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 15 },
	[LOG_PID] = { "pid", "pid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
	[LOG_TID] = { "tid", "tid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
	[LOG_WAIT] = { "wait_ns", "wait", NULL, VALUE_DURATION, ROLE_INFO, IN_ALL, .width = 7 },
	[LOG_DELAY] = { "delay_ns", "delay", NULL, VALUE_DURATION, ROLE_INFO, IN_ALL, .width = 7 },
	[LOG_RUN] = { "run_ns", "run", NULL, VALUE_DURATION, ROLE_INFO, IN_ALL, .width = 7 },
	[LOG_STATE] = { "state", "state", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 5 },
	[LOG_PREEMPTED] = { "preempted", NULL, NULL, VALUE_FLAG, ROLE_INFO, .in = IN_JSON },
	[LOG_WAKER_IN] = { "waker_in", "waker_in", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 9 },
	[LOG_WAKER] = { "waker", NULL, NULL, VALUE_GROUP, ROLE_INFO, .in = IN_JSON, .of = 3 },
	[LOG_WAKER_COMM] = { "waker_comm", "waker_comm", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 15 },
	[LOG_WAKER_PID] = { "waker_pid", "waker_pid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 9 },
	[LOG_WAKER_TID] = { "waker_tid", "waker_tid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 9 },
	[LOG_NEXT] = { "next", NULL, NULL, VALUE_GROUP, ROLE_INFO, .in = IN_JSON, .of = 3 },
	[LOG_NEXT_COMM] = { "next_comm", "next_comm", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 15 },
	[LOG_NEXT_PID] = { "next_pid", "next_pid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 8 },
	[LOG_NEXT_TID] = { "next_tid", "next_tid", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 8 },
	[LOG_LAST_CPU] = { "last_cpu", NULL, NULL, VALUE_NUMBER, ROLE_INFO, .in = IN_JSON },
	[LOG_TO_CPU] = { "to_cpu", NULL, NULL, VALUE_NUMBER, ROLE_INFO, .in = IN_JSON },
	[LOG_OTHER_CPU] = { "other_cpu", NULL, NULL, VALUE_NUMBER, ROLE_INFO, .in = IN_CSV },
	[LOG_STACK] = { "stack", NULL, NULL, VALUE_STACK, ROLE_INFO, .in = IN_ALL },
};
const struct schema schedlog_schema = { log_columns, LOG_COLUMNS, -1 };

static void put_time(struct row *row, struct value *v, int column, struct sched_time t)
{
	v[column].num = t.ns;
	row->none |= t.is_known ? 0 : BIT(column);
}

/* A group and its three members. */
static void put_thread(struct row *row, struct value *v, int group, bool is_known, const struct thread_name *t)
{
	v[group + 1].text = t->comm;
	v[group + 2].num = t->pid;
	v[group + 3].num = t->tid;
	row->none |= is_known ? 0 : BITS(group, group + 3);
}

static void put_switch(const struct sched_event *e, struct schedlog_row *r)
{
	struct sched_times t = schedlog_times(e);

	put_time(&r->row, r->values, LOG_WAIT, t.wait);
	put_time(&r->row, r->values, LOG_DELAY, t.delay);
	put_time(&r->row, r->values, LOG_RUN, t.run);
	r->values[LOG_PREEMPTED].num = e->flags & SCHEDLOG_PREEMPTED;
	r->state[0] = e->flags & SCHEDLOG_PREEMPTED ? 'R' : sched_letter(e->state);
	r->state[1] = '\0';
	r->values[LOG_STATE].text = r->state;
	put_thread(&r->row, r->values, LOG_NEXT, true, &e->other);
}

void schedlog_row(const struct sample *s, const struct frame *frames, uint32_t nr_frames, uint64_t start_ns, struct schedlog_row *ret_row)
{
	static const char *const whats[] = { [SCHEDLOG_SWITCH] = "switch", [SCHEDLOG_WAKE] = "wakeup", [SCHEDLOG_MIGRATE] = "migration" };
	static const char *const wakers[] = { [SCHEDLOG_BY_TASK] = "task", [SCHEDLOG_BY_SOFTIRQ] = "softirq", [SCHEDLOG_BY_INTERRUPT] = "interrupt" };
	const struct sched_event *e = s->sched;
	struct value *v = ret_row->values;
	struct row *row = &ret_row->row;

	*row = (struct row){ .schema = &schedlog_schema, .values = v };
	v[LOG_SECONDS].num = s->time_ns - start_ns;
	v[LOG_TIME].num = s->time_ns;
	v[LOG_WHAT].text = whats[e->kind];
	v[LOG_CPU].num = s->cpu;
	v[LOG_COMM].text = s->comm;
	v[LOG_PID].num = s->pid;
	v[LOG_TID].num = s->tid;
	if (e->kind == SCHEDLOG_SWITCH)
		put_switch(e, ret_row);
	else
		row->none |= row->absent = BITS(LOG_WAIT, LOG_PREEMPTED) | BITS(LOG_NEXT, LOG_NEXT_TID);
	v[LOG_WAKER_IN].text = e->waker_kind <= SCHEDLOG_BY_INTERRUPT ? wakers[e->waker_kind] : NULL;
	put_thread(row, v, LOG_WAKER, e->waker_kind == SCHEDLOG_BY_TASK || e->waker_kind == SCHEDLOG_BY_SOFTIRQ, &e->waker);
	v[LOG_LAST_CPU].num = v[LOG_TO_CPU].num = v[LOG_OTHER_CPU].num = e->other_cpu;
	row->none |= e->other_cpu != SCHEDLOG_NO_CPU ? 0 : BITS(LOG_LAST_CPU, LOG_OTHER_CPU);
	row->none |= BIT(e->kind == SCHEDLOG_MIGRATE ? LOG_LAST_CPU : LOG_TO_CPU); /* --filter knows no absent ones */
	row->absent |= BIT(e->kind == SCHEDLOG_MIGRATE ? LOG_LAST_CPU : LOG_TO_CPU) | (e->kind == SCHEDLOG_SWITCH ? 0 : BIT(LOG_STACK));
	for (uint32_t i = 0; i < nr_frames; i++)
		ret_row->frames[i] = frames[i].name;
	ret_row->frames[nr_frames] = NULL;
	v[LOG_STACK].frames = ret_row->frames;
}
