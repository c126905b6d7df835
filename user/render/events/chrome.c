/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A switch draws what its thread did since it left a CPU the last time: asleep, able to run, on a CPU. So a lost record is a gap,
 * and slices of a track never overlap: each starts where its track ends, or later.
 */
#include "render/events/chrome.h"

#include <errno.h>
#include <string.h>

#include "util/hash.h"
#include "util/json.h"
#include "util/text.h"

#define CPUS_PID ((1u << 22) + 1) /* no process's: PID_MAX_LIMIT, include/linux/threads.h */

static void put_u64(FILE *out, uint64_t n)
{
	char buf[24], *end = buf + sizeof(buf), *p = text_decimal(end, n);

	fwrite(p, 1, end - p, out);
}

static void put_us(FILE *out, uint64_t ns)
{
	char buf[32], *end = buf + sizeof(buf), *p = text_fraction(end, ns, 1000, 3);

	fwrite(p, 1, end - p, out);
}

/* In quotes. */
static void put_text(FILE *out, const char *text)
{
	struct json j;

	json_begin(&j, out);
	json_text(&j, text);
}

/* {"ph":"X","pid":1,"tid":1 */
static void open_event(struct chrome *c, char ph, uint32_t pid, uint32_t tid)
{
	fputs(c->comma ? ",\n{\"ph\":\"" : "\n{\"ph\":\"", c->out);
	c->comma = true;
	putc(ph, c->out);
	fputs("\",\"pid\":", c->out);
	put_u64(c->out, pid);
	fputs(",\"tid\":", c->out);
	put_u64(c->out, tid);
}

static void put_ts(struct chrome *c, uint64_t ns)
{
	fputs(",\"ts\":", c->out);
	put_us(c->out, ns > c->start_ns ? ns - c->start_ns : 0);
}

static void put_name(struct chrome *c, const char *what, uint32_t pid, uint32_t tid, const char *name)
{
	open_event(c, 'M', pid, tid);
	fprintf(c->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	put_text(c->out, name);
	fputs("}}", c->out);
}

static void put_order(struct chrome *c, const char *what, uint32_t pid, uint32_t tid, int order)
{
	open_event(c, 'M', pid, tid);
	fprintf(c->out, ",\"name\":\"%s\",\"args\":{\"sort_index\":%d}}", what, order);
}

/* NULL: it has no track. */
static struct chrome_thread *find(const struct chrome *c, uint32_t tid)
{
	int64_t i = map_find(&c->by_tid, hash_u64(tid));

	return i < 0 ? NULL : &c->threads.data[i];
}

/* Numbers come again: one that has ended has no track any more. */
static void forget(struct chrome *c, struct chrome_thread *t)
{
	const struct chrome_thread *last = &c->threads.data[--c->threads.n];

	map_remove(&c->by_tid, hash_u64(t->tid), t - c->threads.data, hash_u64(last->tid));
	*t = *last;
}

/* The thread's track, named as it is called now. NULL without memory. */
static struct chrome_thread *thread_of(struct chrome *c, const struct sample *s)
{
	struct chrome_thread *t = find(c, s->tid);

	if (t && t->pid == s->pid && !strcmp(t->comm, s->comm))
		return t;
	if (!t) {
		if (vec_reserve(&c->threads) || map_add(&c->by_tid, hash_u64(s->tid), c->threads.n))
			return NULL;
		t = &c->threads.data[c->threads.n++];
		*t = (struct chrome_thread){ .tid = s->tid };
	}
	if (t->pid != s->pid)
		t->drawn_ns = c->start_ns;
	t->pid = s->pid;
	snprintf(t->comm, sizeof(t->comm), "%s", s->comm);
	put_name(c, "thread_name", t->pid, t->tid, t->comm);
	if (t->tid == t->pid)
		put_name(c, "process_name", t->pid, t->tid, t->comm);
	return t;
}

/* Up to when a CPU's track is drawn. NULL without memory. */
static uint64_t *cpu_of(struct chrome *c, uint32_t cpu)
{
	char name[32];

	while (c->cpus.n <= cpu) {
		if (vec_reserve(&c->cpus))
			return NULL;
		c->cpus.data[c->cpus.n++] = 0;
	}
	if (c->cpus.data[cpu])
		return &c->cpus.data[cpu];
	c->cpus.data[cpu] = c->start_ns;
	snprintf(name, sizeof(name), "CPU %u", cpu);
	put_name(c, "thread_name", CPUS_PID, cpu, name);
	put_order(c, "thread_sort_index", CPUS_PID, cpu, cpu);
	return &c->cpus.data[cpu];
}

/* The slice of a track from from_ns on to to_ns, as much of it as is not drawn; its args and its end are the caller's. False: none. */
static bool open_slice(struct chrome *c, uint32_t pid, uint32_t tid, uint64_t *drawn_ns, uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns < *drawn_ns)
		from_ns = *drawn_ns;
	if (to_ns <= from_ns)
		return false;
	*drawn_ns = to_ns;
	open_event(c, 'X', pid, tid);
	put_ts(c, from_ns);
	fputs(",\"dur\":", c->out);
	put_us(c->out, to_ns - from_ns);
	return true;
}

static void draw_state(struct chrome *c, struct chrome_thread *t, enum sched_state state, uint64_t from_ns, uint64_t to_ns)
{
	static const char *const words[SCHED_STATES] = {
		[SCHED_WAITING] = ",\"name\":\"runnable\",\"cname\":\"thread_state_runnable\"}",
		[SCHED_SLEEPING] = ",\"name\":\"sleeping\",\"cname\":\"thread_state_sleeping\"}",
		[SCHED_BLOCKED] = ",\"name\":\"blocked\",\"cname\":\"thread_state_uninterruptible\"}",
		[SCHED_STOPPED] = ",\"name\":\"stopped\",\"cname\":\"thread_state_unknown\"}",
	};

	if (words[state] && open_slice(c, t->pid, t->tid, &t->drawn_ns, from_ns, to_ns))
		fputs(words[state], c->out);
}

static void put_stack(FILE *out, const struct frame *frames, uint32_t n)
{
	struct json j;

	fputs(",\"stack\":", out);
	json_begin(&j, out);
	json_array(&j);
	for (uint32_t i = 0; i < n; i++)
		json_text(&j, frames[i].name);
	json_array_end(&j);
}

static int draw_run(struct chrome *c, struct chrome_thread *t, const struct sample *s, uint64_t on_ns, const struct frame *frames,
		    uint32_t n)
{
	const struct sched_event *e = s->sched;
	char letter = e->kind == SCHEDLOG_LEFT || e->flags & SCHEDLOG_PREEMPTED ? 'R' : sched_letter(e->state);
	bool has_cpu = s->cpu != SCHEDLOG_NO_CPU;
	uint64_t *drawn_ns = has_cpu ? cpu_of(c, s->cpu) : NULL;

	if (has_cpu && !drawn_ns)
		return -ENOMEM;
	if (open_slice(c, t->pid, t->tid, &t->drawn_ns, on_ns, s->time_ns)) {
		fputs(",\"name\":\"running\",\"cname\":\"thread_state_running\",\"args\":{\"then\":\"", c->out);
		putc(letter, c->out);
		putc('"', c->out);
		if (has_cpu) {
			fputs(",\"cpu\":", c->out);
			put_u64(c->out, s->cpu);
		}
		if (e->run_ns != SCHEDLOG_UNKNOWN) {
			fputs(",\"run_us\":", c->out);
			put_us(c->out, e->run_ns);
		}
		if (n)
			put_stack(c->out, frames, n);
		fputs("}}", c->out);
	}
	if (!has_cpu || !open_slice(c, CPUS_PID, s->cpu, drawn_ns, on_ns, s->time_ns))
		return 0;
	fputs(",\"name\":", c->out);
	put_text(c->out, t->comm);
	fputs(",\"args\":{\"pid\":", c->out);
	put_u64(c->out, t->pid);
	fputs(",\"tid\":", c->out);
	put_u64(c->out, t->tid);
	fputs(",\"then\":\"", c->out);
	putc(letter, c->out);
	fputs("\"}}", c->out);
	return 0;
}

/* From the track of who woke, where that was, to the run that came of it. */
static void draw_flow(struct chrome *c, const struct sample *s, uint64_t ready_ns)
{
	const struct sched_event *e = s->sched;
	const struct chrome_thread *waker = find(c, e->waker.tid);

	if (e->waker_kind != SCHEDLOG_BY_TASK || !e->waker.tid || !e->on_ns || !waker || waker->pid != e->waker.pid || ready_ns < c->start_ns)
		return;
	c->nr_flows++;
	for (int end = 0; end < 2; end++) {
		open_event(c, end ? 'f' : 's', end ? s->pid : e->waker.pid, end ? s->tid : e->waker.tid);
		put_ts(c, end ? e->on_ns : ready_ns);
		fputs(",\"cat\":\"wake\",\"name\":\"wake\",\"id\":", c->out);
		put_u64(c->out, c->nr_flows);
		fputs(end ? ",\"bp\":\"e\"}" : "}", c->out);
	}
}

/* The wait that ended at until_ns: asleep up to ready_ns (0: all the time), able to run from there on. */
static void draw_wait(struct chrome *c, struct chrome_thread *t, const struct sample *s, uint64_t ready_ns, uint64_t until_ns)
{
	const struct sched_event *e = s->sched;
	uint64_t off_ns = e->off_ns ? e->off_ns : c->start_ns;

	if (!e->off_state) {
		draw_state(c, t, SCHED_WAITING, off_ns, until_ns);
		return;
	}
	draw_state(c, t, sched_state_of(e->off_state), off_ns, ready_ns && ready_ns < until_ns ? ready_ns : until_ns);
	if (ready_ns)
		draw_state(c, t, SCHED_WAITING, ready_ns, until_ns);
}

/* When a run began. Where that is not known (or lost), but how long it was: that long before its end. */
static uint64_t begin_of(const struct chrome *c, const struct sample *s)
{
	const struct sched_event *e = s->sched;
	if (e->on_ns)
		return e->on_ns;
	if (!e->off_ns || e->run_ns == SCHEDLOG_UNKNOWN)
		return c->start_ns;
	return s->time_ns - e->off_ns > e->run_ns ? s->time_ns - e->run_ns : e->off_ns;
}

/* Of a process whose first thread slept all the time the others' tracks need its name. */
static bool is_shown(const struct chrome *c, const struct sample *s)
{
	if (find(c, s->tid))
		return true;
	for (size_t i = 0; s->tid == s->pid && i < c->threads.n; i++)
		if (c->threads.data[i].pid == s->pid)
			return true;
	return false;
}

int chrome_event(struct chrome *c, const struct sample *s, const struct frame *frames, uint32_t nr_frames)
{
	const struct sched_event *e = s->sched;
	bool is_left = e->kind == SCHEDLOG_LEFT, runs = !is_left || e->now == SCHED_RUNNING;
	uint64_t on_ns = begin_of(c, s), ready_ns = e->ready_ns;
	struct chrome_thread *t;
	int ret = 0;

	if (e->kind != SCHEDLOG_SWITCH && !is_left)
		return 0;
	if (!(e->flags & SCHEDLOG_TASK) || !s->tid || (is_left && e->now == SCHED_NEW))
		return 0;
	if (is_left && c->all && !runs && !is_shown(c, s))
		return 0;
	t = thread_of(c, s);
	if (!t)
		return -ENOMEM;
	if (!runs) {
		draw_wait(c, t, s, e->now == SCHED_WAITING ? ready_ns : 0, s->time_ns);
		return ferror(c->out) ? -EIO : 0;
	}
	if (e->on_ns || e->off_ns) {
		draw_wait(c, t, s, ready_ns, on_ns);
		draw_flow(c, s, ready_ns);
	}
	ret = draw_run(c, t, s, on_ns, frames, nr_frames);
	if (!is_left && sched_letter(e->state) == 'X')
		forget(c, t);
	return ret ? ret : ferror(c->out) ? -EIO : 0;
}

int chrome_begin(struct chrome *c)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", c->out);
	put_name(c, "process_name", CPUS_PID, 0, "CPUs");
	put_order(c, "process_sort_index", CPUS_PID, 0, -1);
	return ferror(c->out) ? -EIO : 0;
}

int chrome_end(struct chrome *c, const struct profile *p)
{
	struct json j;

	fputs("\n],\"otherData\":", c->out);
	json_begin(&j, c->out);
	json_object(&j);
	json_key_text(&j, "producer", "skep");
	json_key_text(&j, "title", p->title);
	json_key_u64(&j, "duration_ns", p->duration_ns);
	json_key_u64(&j, "seen", p->seen);
	json_key_u64(&j, "kept", p->kept);
	for (int i = 0; i < LOSS_MAX; i++)
		if (p->losses[i])
			json_key_u64(&j, loss_name(i), p->losses[i]);
	json_object_end(&j);
	fputs("}\n", c->out);
	return ferror(c->out) ? -EIO : 0;
}

void chrome_free(struct chrome *c)
{
	vec_free(&c->threads);
	map_free(&c->by_tid);
	vec_free(&c->cpus);
}
