/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/dump.h"
#include "sym/stacksums.h"
#include "sym/stack.h"
#include "util/file.h"

#define HELD_MAX (1u << 17) /* with stacks at most 96 MB; what comes then keeps a number as its name */
#define HELD_IPS_MAX (1u << 22)

/* STOP_NO_ROOM stands in the user chain, and means both. */
static void leave_out(const struct names *n, struct sample *s)
{
	struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];

	if (n->no_kernel) {
		s->ip = kernel->n ? 0 : s->ip;
		kernel->n = kernel->stop = 0;
	}
	if (n->no_user) {
		s->ip = kernel->n ? s->ip : 0;
		user->n = 0;
		user->stop = user->stop == STOP_NO_ROOM ? STOP_NO_ROOM : STOP_ROOT;
	}
}

/* The frame that says what it did on no CPU, or NULL. */
static const char *off_cpu_mark(const struct names *n, const struct sample *s)
{
	if (s->off_cpu == OFF_CPU_QUEUED)
		return "[run queue]";
	if (s->off_cpu == OFF_CPU_PREEMPTED)
		return "[preempted]";
	if (s->event != n->off_event)
		return NULL;
	return s->off_cpu == OFF_CPU_BLOCKED ? "[blocked]" : "[off-CPU]";
}

static int pass(struct names *n, const struct sample *s, const char *comm)
{
	struct named named = { .at = s, .comm = comm, .stack = &n->stack };
	const char *mark = off_cpu_mark(n, s);

	if (!comm)
		return -ENOMEM;
	if (n->plain)
		stack_resolve_plain(n->syms, s, n->leaf_only, &n->stack);
	else
		(n->leaf_only ? stack_resolve_leaf : stack_resolve)(n->syms, s, &n->stack);
	if (mark && !n->plain)
		stack_mark(n->syms, mark, &n->stack);
	if (s->waker) {
		struct sample waker = *s->waker;

		leave_out(n, &waker);
		stack_resolve(n->syms, &waker, &n->waker);
		named.waker = &n->waker;
	}
	return n->to->sample(n->to, &named);
}

/* What lives in the file's record is gone when the sample is delivered. */
#define IN_RECORD (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
		   PERF_SAMPLE_REGS_INTR)

static void keep_numbers(struct sample_fields *to, const struct sample_fields *from)
{
	*to = (struct sample_fields){
		.has = from->has & ~(uint64_t)IN_RECORD, .misc = from->misc, .time_ns = from->time_ns, .id = from->id, .stream_id = from->stream_id,
		.addr = from->addr, .transaction = from->transaction, .data_src = from->data_src, .phys_addr = from->phys_addr,
		.cgroup = from->cgroup, .data_page_bytes = from->data_page_bytes, .code_page_bytes = from->code_page_bytes, .weight = from->weight,
	};
}

/* 1: it waits. 0: there is no room for it. Or -ENOMEM. */
static int hold(struct names *n, const struct sample *s)
{
	struct held *h;
	uint64_t *ips;
	uint32_t nr = 0;

	for (int i = 0; i < CHAIN_KINDS; i++)
		nr += s->chains[i].n;
	if (n->held.n >= HELD_MAX || n->held_ips.n + nr > HELD_IPS_MAX)
		return 0;
	h = vec_take(&n->held, 1);
	if (!h)
		return -ENOMEM;
	*h = (struct held){ *s, n->held_ips.n };
	h->s.fields = NULL;
	if (s->fields)
		keep_numbers(&h->fields, s->fields);
	ips = nr ? vec_take(&n->held_ips, nr) : NULL;
	if (nr && !ips)
		return -ENOMEM;
	for (int i = 0; i < CHAIN_KINDS; ips += s->chains[i++].n)
		if (s->chains[i].n)
			memcpy(ips, s->chains[i].ips, s->chains[i].n * sizeof(*ips));
	return 1;
}

/* The user chain of a sample that was recorded with a copy of its stack, if it is shown. */
static int walk_dump(struct names *n, struct sample *s)
{
	if (n->no_user || n->leaf_only || !dumps_has(s))
		return 0;
	if (!n->dumps && !(n->dumps = dumps_new(n->syms)))
		return -ENOMEM;
	dumps_walk(n->dumps, s);
	return 0;
}

/* What the first thread of the sample's process is called. NULL: no memory. */
static const char *process_comm(struct names *n, const struct sample *s)
{
	const struct sample first = { .pid = s->pid, .tid = s->pid };
	struct task_event named = { .what = TASK_COMM, .pid = s->pid, .tid = s->pid, .comm = s->comm ? s->comm : "" };
	char path[sizeof("/proc/4294967295/comm")], *text = NULL;
	bool is_made_up;
	const char *comm = comms_of(&n->comms, &first, &is_made_up);
	size_t size;
	int ret;

	if (!comm || !is_made_up)
		return comm;
	snprintf(path, sizeof(path), "/proc/%u/comm", s->pid);
	if (!file_read(path, COMM_LEN, COMM_LEN, &text, &size)) { /* else it has ended */
		text[strcspn(text, "\n")] = '\0';
		named.comm = text;
	}
	ret = comms_task(&n->comms, &named);
	free(text);
	return ret ? NULL : comms_of(&n->comms, &first, &is_made_up);
}

static int take_one(void *arg, const struct sample *sample)
{
	struct names *n = arg;
	struct sample s = *sample;
	const char *comm;
	bool is_made_up = false;
	int ret;

	if (n->to->wants && !n->to->wants(n->to, &s))
		return 0;
	if (n->sums_until_ns && s.cpu == UINT32_MAX && s.time_ns > n->sums_until_ns)
		s.time_ns = n->sums_until_ns;
	ret = walk_dump(n, &s);
	if (ret)
		return ret;
	leave_out(n, &s);
	comm = n->by_process && s.pid && s.tid != s.pid ? process_comm(n, &s) : comms_of(&n->comms, &s, &is_made_up);
	if (comm && is_made_up && n->may_hold && (ret = hold(n, &s)))
		return ret < 0 ? ret : 0;
	return pass(n, &s, comm);
}

static int take_sums(struct names *n)
{
	return n->sums ? stack_sums_take(n->sums, take_one, n) : 0;
}

static int take_sample(struct sink *sink, const struct sample *s)
{
	struct names *n = (struct names *)sink;
	int ret;

	if (!n->may_sum || n->plain || n->off_event >= 0 || syms_by_time(n->syms, s->pid))
		return take_one(n, s);
	if (!n->sums && !(n->sums = stack_sums_new(n->leaf_only)))
		return -ENOMEM;
	ret = stack_sums_add(n->sums, s);
	if (ret > 0)
		return 0;
	if (ret < 0)
		ret = take_sums(n);
	return ret ? ret : take_one(n, s);
}

/* The sums whose names the event may change. */
static int take_changed(struct names *n, const struct task_event *t)
{
	if (t->kernel || t->what == TASK_KSYM)
		return take_sums(n);
	return n->sums ? stack_sums_take_task(n->sums, t->pid, t->tid, take_one, n) : 0;
}

static int take_task(struct sink *sink, const struct task_event *t)
{
	struct names *n = (struct names *)sink;
	int ret = take_changed(n, t);

	if (!ret)
		ret = comms_task(&n->comms, t);
	return ret ? ret : syms_task(n->syms, t);
}

static int take_lost(struct sink *sink, uint64_t lost)
{
	struct named_sink *to = ((struct names *)sink)->to;

	return to->lost ? to->lost(to, lost) : 0;
}

static int take_round(struct sink *sink)
{
	struct names *n = (struct names *)sink;
	uint64_t since_ns = n->pin ? syms_pin(n->syms) : 0;

	n->sums_until_ns = since_ns ? since_ns - 1 : 0;
	return since_ns != 0;
}

static int take_interval(struct sink *sink, uint64_t since_start_ns)
{
	struct names *n = (struct names *)sink;

	return n->interval ? n->interval(n->interval_arg, since_start_ns) : 0;
}

int names_init(struct names *n, struct strpool *pool, struct named_sink *to)
{
	memset(n, 0, offsetof(struct names, stack)); /* the stacks are large, and written before they are read */
	n->sink = (struct sink){ .sample = take_sample, .task = take_task, .lost = take_lost, .round = take_round,
				 .interval = take_interval };
	n->to = to;
	n->off_event = -1;
	n->owns_pool = !pool;
	n->pool = pool ? pool : strpool_new();
	n->comms.pool = n->pool;
	return n->pool ? 0 : -ENOMEM;
}

void names_free(struct names *n)
{
	stack_sums_free(n->sums);
	dumps_free(n->dumps);
	syms_free(n->syms);
	comms_free(&n->comms);
	vec_free(&n->held);
	vec_free(&n->held_ips);
	if (n->owns_pool)
		strpool_free(n->pool);
	n->syms = NULL;
	n->sums = NULL;
	n->dumps = NULL;
	n->pool = NULL;
}

int names_end(struct names *n)
{
	int ret = take_sums(n);

	for (size_t i = 0; i < n->held.n && !ret; i++) {
		struct held *h = &n->held.data[i];

		h->s.fields = &h->fields;
		for (int k = 0; k < CHAIN_KINDS; h->ips += h->s.chains[k++].n)
			h->s.chains[k].ips = n->held_ips.data + h->ips;
		ret = pass(n, &h->s, comms_late(&n->comms, h->s.tid));
	}
	n->held.n = 0;
	return ret;
}
