/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each sample becomes the texts of a line, or of a few. */
#include "cmd/trace_lines.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/trace_select.h"
#include "model/callrow.h"

static int send_row(struct trace_lines *l, const struct sample *s, const char *name, bool has_result)
{
	struct callrow_texts texts = { name, out_end(&l->args), has_result ? out_end(&l->result) : NULL, NULL };
	struct callrow row;

	if (l->args.failed || l->result.failed)
		return -ENOMEM;
	if (l->o->stacks && has_result) {
		texts.frames = trace_stacks_of(&l->stacks, s, l->o->max_stack, l->is_text, l->profile);
		if (!texts.frames)
			return -ENOMEM;
	}
	callrow_make(s, &texts, l->start_ns, &row);
	l->o->lines.number = s->call->nr;
	return l->rows->row(l->rows, &row.row);
}

/*
 * Whether a line has its thread's number: there are several threads, or it is another one than the first. With -e a thread is known by its
 * first selected call, and all others may have ended or not be known yet.
 */
static bool is_numbered(struct trace_lines *l, uint32_t tid)
{
	if (!l->first_tid)
		l->first_tid = tid;
	return l->threads.all.n > 1 || tid != l->first_tid;
}

/* The call that a thread ends in has a line of its own. t: its begin may have been shown. */
static int on_call(struct trace_lines *l, const struct sample *s, const struct call_event *e, struct trace_thread *t)
{
	bool is_rest = l->is_text && t->waits_ns && t->nr == e->nr && e->start_ns <= t->waits_ns && !memcmp(t->args, e->args, sizeof(t->args));
	struct sample of = *s;
	char buf[32];

	l->args.n = l->result.n = 0;
	if (is_rest) {
		of.resumes = true;
		call_args_from(&l->args, e, &l->o->style, t->shown);
	} else {
		call_args(&l->args, e, &l->o->style);
	}
	call_result(&l->result, e, &l->o->style);
	t->waits_ns = 0;
	of.call = e;
	return send_row(l, &of, call_name(e->abi, e->nr, buf), true);
}

/* Of no thread: -ff, which has a file for each, leaves it to the ledger. */
static int on_lost(struct trace_lines *l, const struct sample *s)
{
	l->args.n = 0;
	return l->o->strace.separate ? 0 : send_row(l, s, NULL, false);
}

/* A page fault, of a thread that goes on. */
static int on_fault(struct trace_lines *l, const struct sample *s)
{
	l->o->lines.has_pid = is_numbered(l, s->tid);
	l->args.n = 0;
	out_char(&l->args, '[');
	trace_stacks_where(&l->stacks, s, &l->args);
	out_text(&l->args, "] => ");
	call_fault_place(&l->args, s->call);
	return send_row(l, s, call_fault_name(s->call), false);
}

/* Its thread goes on meanwhile, and may wait in a call. */
static int on_uring(struct trace_lines *l, const struct sample *s)
{
	char buf[32];

	l->o->lines.has_pid = is_numbered(l, s->tid);
	l->args.n = l->result.n = 0;
	call_uring_args(&l->args, s->call, &l->o->style);
	call_result(&l->result, s->call, &l->o->style);
	return send_row(l, s, call_uring_name(s->call->nr, buf), true);
}

int trace_lines_events(struct trace_lines *l, uint64_t until_ns)
{
	const struct trace_hit *hit;
	int ret = 0;

	while (!ret && (hit = trace_events_next(&l->o->events, until_ns))) {
		struct sample s = hit->at;
		struct callrow_texts texts = { hit->call, hit->values, NULL, NULL };
		struct callrow row;

		s.comm = hit->comm;
		l->o->lines.has_pid |= l->threads.all.n && l->threads.all.data[0].tid != s.tid;
		callrow_make(&s, &texts, l->start_ns, &row);
		ret = l->rows->row(l->rows, &row.row);
	}
	return ret;
}

/* As strace: -qq leaves out who exits, and a signal that is not selected also as the end of a thread. */
static bool is_hidden_end(const struct trace_options *o, const struct call_event *e)
{
	int sig = WTERMSIG(e->ret);

	return e->kind == CALL_GONE && (sig ? !trace_has_signal(&o->source, sig) : o->strace.has_no_ends);
}

int trace_lines_take(struct trace_lines *l, const struct sample *s)
{
	const struct call_event *e = s->call;
	struct trace_thread *t;
	int ret;

	if (!e)
		return trace_events_take(&l->o->events, s);
	ret = trace_lines_events(l, s->time_ns);
	if (!ret && e->kind == CALL_LOST)
		return on_lost(l, s);
	t = trace_thread_add(&l->threads, s->pid, s->tid);
	if (ret || !t)
		return ret ? ret : -ENOMEM;
	if (e->kind == CALL_URING || e->kind == CALL_FAULT)
		return e->kind == CALL_URING ? on_uring(l, s) : on_fault(l, s);
	t->last_ns = s->time_ns;
	t->is_known = false;
	l->o->lines.has_pid = is_numbered(l, s->tid);
	if (e->kind == CALL_DONE && !e->ret && call_is_exec(e)) {
		trace_threads_exec(&l->threads, s->pid, s->tid);
		t = trace_thread_add(&l->threads, s->pid, s->tid);
		l->o->lines.has_pid = is_numbered(l, s->tid);
	}
	if (e->kind == CALL_DONE)
		return on_call(l, s, e, t);
	if (e->kind == CALL_GONE && e->in_call)
		ret = on_call(l, s, e, t);
	l->args.n = 0;
	if (e->kind == CALL_SIGNAL)
		call_signal(&l->args, e, &l->o->style);
	else
		call_end(&l->args, e);
	if (is_hidden_end(l->o, e))
		l->hidden++;
	else if (!ret)
		ret = send_row(l, s, NULL, false);
	if (!ret && e->kind == CALL_SIGNAL && e->ret == 1) {
		l->args.n = 0;
		call_stop(&l->args, e);
		ret = send_row(l, s, NULL, false);
	}
	if (!ret && e->kind == CALL_GONE)
		trace_thread_drop(&l->threads, s->tid);
	return ret;
}

int trace_lines_wait(struct trace_lines *l, struct trace_thread *t, const struct call_event *e)
{
	struct sample s = { .time_ns = e->start_ns, .pid = t->pid, .tid = t->tid, .cpu = UINT32_MAX, .call = e };
	char buf[32];

	t->waits_ns = e->start_ns;
	t->nr = e->nr;
	memcpy(t->args, e->args, sizeof(t->args));
	l->o->lines.has_pid = is_numbered(l, t->tid);
	l->args.n = 0;
	t->shown = call_args_begun(&l->args, e, &l->o->style);
	return send_row(l, &s, call_name(e->abi, e->nr, buf), false);
}

void trace_lines_free(struct trace_lines *l)
{
	trace_threads_free(&l->threads);
	trace_stacks_free(&l->stacks);
	out_free(&l->args);
	out_free(&l->result);
}
