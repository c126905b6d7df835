/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/callrow.h"

#define BIT(column) (1ull << (column))

static const struct column columns[CALLROW_COLUMNS] = {
	[CALLROW_TIME] = { "time_ns", NULL, NULL, VALUE_NUMBER, ROLE_TIME, .in = IN_CSV | IN_JSON },
	[CALLROW_SECONDS] = { "time", "TIME", NULL, VALUE_SECONDS, ROLE_TIME, .in = IN_TEXT, .width = 11, .decimals = 6 },
	[CALLROW_COMM] = { "comm", "COMM", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 15 },
	[CALLROW_PID] = { "pid", "PID", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
	[CALLROW_TID] = { "tid", "TID", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 7 },
	[CALLROW_CPU] = { "cpu", "CPU", NULL, VALUE_NUMBER, ROLE_INFO, IN_ALL, .width = 4 },
	[CALLROW_KIND] = { "kind", "KIND", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 6 },
	[CALLROW_NAME] = { "name", "NAME", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 16 },
	[CALLROW_ARGS] = { "args", "ARGS", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 40 },
	[CALLROW_RESULT] = { "result", "RESULT", NULL, VALUE_TEXT, ROLE_INFO, IN_ALL, .width = 10 },
	[CALLROW_RET] = { "ret", "RET", NULL, VALUE_SIGNED, ROLE_INFO, IN_ALL, .width = 10 },
	[CALLROW_ERROR] = { "errno", "ERRNO", NULL, VALUE_ERRNO, ROLE_INFO, IN_ALL, .width = 8 },
	[CALLROW_DURATION] = { "duration_ns", "DURATION", NULL, VALUE_DURATION, ROLE_INFO, IN_ALL, .width = 9 },
	[CALLROW_STACK] = { "stack", NULL, NULL, VALUE_STACK, ROLE_INFO, .in = IN_ALL },
};

const struct schema callrow_schema = { columns, CALLROW_COLUMNS, -1 };

void callrow_make(const struct sample *s, const struct callrow_texts *texts, uint64_t start_ns, struct callrow *ret_row)
{
	static const char *const kinds[] = { [CALL_DONE] = "call", [CALL_SIGNAL] = "signal", [CALL_GONE] = "exit", [CALL_WAITS] = CALLROW_WAITS,
					   [CALL_URING] = CALLROW_URING, [CALL_FAULT] = CALLROW_FAULT, [CALL_LOST] = CALLROW_LOST };
	static const char *const no_frames[] = { NULL };
	const struct call_event *e = s->call;
	struct value *v = ret_row->values;

	ret_row->row = (struct row){ .schema = &callrow_schema, .values = v };
	/* A call is listed by when it began, as it would be if somebody had stopped it there. */
	v[CALLROW_TIME].num = texts->name && e ? e->start_ns : s->time_ns;
	v[CALLROW_SECONDS].num = v[CALLROW_TIME].num - start_ns;
	v[CALLROW_COMM].text = s->comm;
	v[CALLROW_PID].num = s->pid;
	v[CALLROW_TID].num = s->tid;
	v[CALLROW_CPU].num = s->cpu;
	v[CALLROW_KIND].text = !e ? CALLROW_EVENT : s->resumes ? CALLROW_RESUMES : e->kind == CALL_GONE && texts->name ? "call" : kinds[e->kind];
	v[CALLROW_NAME].text = texts->name;
	v[CALLROW_ARGS].text = texts->args;
	v[CALLROW_RESULT].text = texts->result;
	v[CALLROW_RET].num = e ? e->ret : 0;
	v[CALLROW_ERROR].num = e && e->ret < 0 && e->ret >= -4095 ? -e->ret : 0;
	v[CALLROW_STACK].frames = texts->frames ? texts->frames : no_frames;
	v[CALLROW_DURATION].num = e ? s->time_ns - e->start_ns : 0;
	if (s->cpu == UINT32_MAX)
		ret_row->row.none |= BIT(CALLROW_CPU);
	if (e && e->kind == CALL_LOST) {
		v[CALLROW_RET].num = e->args[0];
		ret_row->row.none |= ~(BIT(CALLROW_TIME) | BIT(CALLROW_SECONDS) | BIT(CALLROW_CPU) | BIT(CALLROW_KIND) | BIT(CALLROW_RET));
		return;
	}
	if (e && e->kind == CALL_URING)
		ret_row->row.none |= (e->no_start || e->no_result ? BIT(CALLROW_DURATION) : 0) | (e->no_result ? BIT(CALLROW_ERROR) | BIT(CALLROW_RET) : 0);
	else if (!e || e->kind != CALL_DONE)
		ret_row->row.none |= BIT(CALLROW_ERROR) | BIT(CALLROW_DURATION) | BIT(CALLROW_RET) | (texts->result ? 0 : BIT(CALLROW_RESULT));
}
