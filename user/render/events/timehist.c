/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hundreds of thousands of lines a second: without printf(), which takes ten times as long. An unknown value is "-", null in JSON. */
#include "render/events/timehist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/text.h"

#define TIME_WIDTH 15
#define CPU_DIGITS 4
#define NAME_WIDTH 30
#define MS_WIDTH 9
#define WHO_BYTES (4 * COMM_LEN + 32) /* a name whose every byte is escaped, and two numbers */

static void pad(FILE *out, size_t len, size_t width)
{
	while (len++ < width)
		putc(' ', out);
}

static void put_right(FILE *out, const char *begin, const char *end, size_t width)
{
	pad(out, end - begin, width);
	fwrite(begin, 1, end - begin, out);
}

static void put_ms(FILE *out, struct sched_time t)
{
	char buf[40], *end = buf + sizeof(buf), *p = end;

	if (t.is_known)
		p = text_fraction(end, t.ns, 1000000, 3);
	else
		*--p = '-';
	fputs("  ", out);
	put_right(out, p, end, MS_WIDTH);
}

/* "name[tid/pid]", of a first thread "name[tid]". Returns its length. */
static size_t who_text(char *buf, size_t size, const char *comm, uint32_t pid, uint32_t tid)
{
	char digits[32], *end = digits + sizeof(digits), *p = end;
	size_t len = text_escape(buf, size, comm);

	*--p = ']';
	if (pid != tid) {
		p = text_decimal(p, pid);
		*--p = '/';
	}
	p = text_decimal(p, tid);
	*--p = '[';
	memcpy(buf + len, p, end - p);
	buf[len + (end - p)] = '\0';
	return len + (end - p);
}

static size_t put_who(FILE *out, const char *comm, uint32_t pid, uint32_t tid)
{
	char buf[WHO_BYTES];
	size_t n = who_text(buf, sizeof(buf), comm, pid, tid);

	fwrite(buf, 1, n, out);
	return n;
}

static bool has_waker(const struct sched_event *e)
{
	return e->waker_kind == SCHEDLOG_BY_TASK || e->waker_kind == SCHEDLOG_BY_SOFTIRQ;
}

/* On whose account it was woken: "task", "softirq", "interrupt"; NULL: not known, or it was not asleep. */
static const char *waker_in(const struct sched_event *e)
{
	static const char *const words[] = { [SCHEDLOG_BY_TASK] = "task", [SCHEDLOG_BY_SOFTIRQ] = "softirq", [SCHEDLOG_BY_INTERRUPT] = "interrupt" };

	return e->waker_kind <= SCHEDLOG_BY_INTERRUPT ? words[e->waker_kind] : NULL;
}

static size_t put_waker(FILE *out, const struct sched_event *e)
{
	static const char *const words[] = { [SCHEDLOG_NOBODY] = "-", [SCHEDLOG_BY_TASK] = "", [SCHEDLOG_BY_SOFTIRQ] = "softirq ",
					     [SCHEDLOG_BY_INTERRUPT] = "interrupt" };
	const char *word = words[e->waker_kind <= SCHEDLOG_BY_INTERRUPT ? e->waker_kind : SCHEDLOG_NOBODY];

	fputs(word, out);
	return strlen(word) + (has_waker(e) ? put_who(out, e->waker.comm, e->waker.pid, e->waker.tid) : 0);
}

static void put_start(FILE *out, const struct sample *s, const struct timehist_cfg *cfg)
{
	char buf[40], *end = buf + sizeof(buf), *p = end;
	bool early = s->time_ns < cfg->start_ns;

	p = text_fraction(end, early ? cfg->start_ns - s->time_ns : s->time_ns - cfg->start_ns, 1000000000, 6);
	if (early)
		*--p = '-';
	put_right(out, p, end, TIME_WIDTH);
	p = text_decimal(end, s->cpu);
	while (end - p < CPU_DIGITS)
		*--p = '0';
	fputs(" [", out);
	fwrite(p, 1, end - p, out);
	fputs("]  ", out);
}

static void put_stack(FILE *out, const struct frame *frames, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fputs(i ? " <- " : "  ", out);
		text_print(out, frames[i].name);
	}
}

static void print_switch(FILE *out, const struct sample *s, const struct frame *frames, uint32_t n, const struct timehist_cfg *cfg)
{
	const struct sched_event *e = s->sched;
	struct sched_times t = schedlog_times(e);
	size_t len;

	put_start(out, s, cfg);
	pad(out, put_who(out, s->comm, s->pid, s->tid), NAME_WIDTH);
	put_ms(out, t.wait);
	put_ms(out, t.delay);
	put_ms(out, t.run);
	fputs("  ", out);
	putc(e->flags & SCHEDLOG_PREEMPTED ? 'R' : sched_letter(e->state), out);
	fputs("      ", out);
	len = put_waker(out, e);
	if (cfg->next || n)
		pad(out, len, NAME_WIDTH);
	if (cfg->next) {
		fputs("  next: ", out);
		len = e->other.tid ? put_who(out, e->other.comm, e->other.pid, e->other.tid) : (size_t)(fputs("-", out), 1);
		if (n)
			pad(out, len, NAME_WIDTH);
	}
	put_stack(out, frames, n);
	putc('\n', out);
}

/* As perf shows them: below who did it, or, of an interrupt, nobody. */
static void print_other(FILE *out, const struct sample *s, const struct timehist_cfg *cfg)
{
	const struct sched_event *e = s->sched;
	char digits[32], *end = digits + sizeof(digits), *p;

	put_start(out, s, cfg);
	pad(out, put_waker(out, e), NAME_WIDTH + 3 * (MS_WIDTH + 2));
	fputs(e->kind == SCHEDLOG_WAKE ? "  awakened: " : "  migrated: ", out);
	put_who(out, s->comm, s->pid, s->tid);
	if (e->kind == SCHEDLOG_MIGRATE) {
		p = text_decimal(end, e->other_cpu);
		fputs(" to cpu ", out);
		fwrite(p, 1, end - p, out);
	}
	putc('\n', out);
}

static const char *what_of(const struct sched_event *e)
{
	return e->kind == SCHEDLOG_SWITCH ? "switch" : e->kind == SCHEDLOG_WAKE ? "wakeup" : "migration";
}

static void put_field(FILE *out, struct sched_time t)
{
	char buf[32], *end = buf + sizeof(buf), *p;

	putc(',', out);
	if (!t.is_known)
		return;
	p = text_decimal(end, t.ns);
	fwrite(p, 1, end - p, out);
}

static void put_who_fields(FILE *out, bool has, const char *comm, uint32_t pid, uint32_t tid)
{
	putc(',', out);
	if (has)
		text_print_csv(out, comm, ",");
	put_field(out, (struct sched_time){ has, pid });
	put_field(out, (struct sched_time){ has, tid });
}

/* One field, its frames with semicolons between them. Without memory it is empty. */
static void put_stack_field(FILE *out, const struct frame *frames, uint32_t n)
{
	size_t size = 1;
	char *text, *at;

	for (uint32_t i = 0; i < n; i++)
		size += strlen(frames[i].name) + 1;
	text = at = malloc(size);
	putc(',', out);
	if (!text)
		return;
	*at = '\0';
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			*at++ = ';';
		at = stpcpy(at, frames[i].name);
	}
	text_print_csv(out, text, ",");
	free(text);
}

static void print_csv(FILE *out, const struct sample *s, const struct frame *frames, uint32_t n, const struct timehist_cfg *cfg)
{
	const struct sched_event *e = s->sched;
	struct sched_times t = e->kind == SCHEDLOG_SWITCH ? schedlog_times(e) : (struct sched_times){ 0 };
	char buf[40], *end = buf + sizeof(buf), *p;

	p = text_fraction(end, s->time_ns > cfg->start_ns ? s->time_ns - cfg->start_ns : 0, 1000000000, 9);
	fwrite(p, 1, end - p, out);
	putc(',', out);
	fputs(what_of(e), out);
	put_field(out, (struct sched_time){ true, s->cpu });
	put_who_fields(out, true, s->comm, s->pid, s->tid);
	put_field(out, t.wait);
	put_field(out, t.delay);
	put_field(out, t.run);
	putc(',', out);
	if (e->kind == SCHEDLOG_SWITCH)
		putc(e->flags & SCHEDLOG_PREEMPTED ? 'R' : sched_letter(e->state), out);
	putc(',', out);
	fputs(waker_in(e) ? waker_in(e) : "", out);
	put_who_fields(out, has_waker(e), e->waker.comm, e->waker.pid, e->waker.tid);
	put_who_fields(out, e->kind == SCHEDLOG_SWITCH, e->other.comm, e->other.pid, e->other.tid);
	put_field(out, (struct sched_time){ e->other_cpu != SCHEDLOG_NO_CPU, e->other_cpu });
	if (cfg->stacks)
		put_stack_field(out, frames, n);
	putc('\n', out);
}

static void key_time(struct json *j, const char *name, struct sched_time t)
{
	json_key(j, name);
	if (t.is_known)
		json_u64(j, t.ns);
	else
		json_text(j, NULL);
}

static void key_who(struct json *j, const char *name, const char *comm, uint32_t pid, uint32_t tid)
{
	json_key(j, name);
	json_object(j);
	json_key_text(j, "comm", comm);
	json_key_u64(j, "pid", pid);
	json_key_u64(j, "tid", tid);
	json_object_end(j);
}

static void key_waker(struct json *j, const struct sched_event *e)
{
	json_key_text(j, "waker_in", waker_in(e));
	if (has_waker(e))
		key_who(j, "waker", e->waker.comm, e->waker.pid, e->waker.tid);
	else
		json_key_text(j, "waker", NULL);
}

static void print_json(FILE *out, const struct sample *s, const struct frame *frames, uint32_t n, const struct timehist_cfg *cfg)
{
	const struct sched_event *e = s->sched;
	char state[] = { e->flags & SCHEDLOG_PREEMPTED ? 'R' : sched_letter(e->state), '\0' };
	struct json j;

	json_begin(&j, out);
	json_object(&j);
	json_key_u64(&j, "time_ns", s->time_ns);
	json_key_text(&j, "what", what_of(e));
	json_key_u64(&j, "cpu", s->cpu);
	json_key_text(&j, "comm", s->comm);
	json_key_u64(&j, "pid", s->pid);
	json_key_u64(&j, "tid", s->tid);
	if (e->kind == SCHEDLOG_SWITCH) {
		struct sched_times t = schedlog_times(e);

		key_time(&j, "wait_ns", t.wait);
		key_time(&j, "delay_ns", t.delay);
		key_time(&j, "run_ns", t.run);
		json_key_text(&j, "state", state);
		json_key(&j, "preempted");
		json_bool(&j, e->flags & SCHEDLOG_PREEMPTED);
	}
	key_waker(&j, e);
	if (e->kind == SCHEDLOG_SWITCH)
		key_who(&j, "next", e->other.comm, e->other.pid, e->other.tid);
	key_time(&j, e->kind == SCHEDLOG_MIGRATE ? "to_cpu" : "last_cpu", (struct sched_time){ e->other_cpu != SCHEDLOG_NO_CPU, e->other_cpu });
	if (cfg->stacks && e->kind == SCHEDLOG_SWITCH) {
		json_key(&j, "stack");
		json_array(&j);
		for (uint32_t i = 0; i < n; i++)
			json_text(&j, frames[i].name);
		json_array_end(&j);
	}
	json_object_end(&j);
	putc('\n', out);
}

void render_timehist_head(FILE *out, const struct timehist_cfg *cfg)
{
	if (cfg->csv)
		fprintf(out, "time,what,cpu,comm,pid,tid,wait_ns,delay_ns,run_ns,state,waker_in,waker_comm,waker_pid,waker_tid,next_comm,next_pid,next_tid,"
			     "other_cpu%s\n", cfg->stacks ? ",stack" : "");
	if (cfg->csv || cfg->json)
		return;
	fprintf(out, "%*s    cpu  %-*s  %*s  %*s  %*s  state  waker\n", TIME_WIDTH, "time", NAME_WIDTH, "task name", MS_WIDTH, "wait time", MS_WIDTH,
		"sch delay", MS_WIDTH, "run time");
	fprintf(out, "%*s         %-*s  %*s  %*s  %*s\n", TIME_WIDTH, "", NAME_WIDTH, "[tid/pid]", MS_WIDTH, "(msec)", MS_WIDTH, "(msec)", MS_WIDTH,
		"(msec)");
	fprintf(out, "--------------- ------  ------------------------------  ---------  ---------  ---------  -----  -----\n");
}

int render_timehist(FILE *out, const struct sample *s, const struct frame *frames, uint32_t nr_frames, const struct timehist_cfg *cfg)
{
	const struct sched_event *e = s->sched;
	if (e->kind == SCHEDLOG_LEFT)
		return 0;
	if (cfg->json || cfg->csv)
		(cfg->json ? print_json : print_csv)(out, s, frames, nr_frames, cfg);
	else if (e->kind == SCHEDLOG_SWITCH)
		print_switch(out, s, frames, nr_frames, cfg);
	else
		print_other(out, s, cfg);
	return ferror(out) ? -EIO : 0;
}
