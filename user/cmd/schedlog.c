/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of the scheduler's events, from the session to the last line; a view decides what is printed. */
#include "cmd/schedlog.h"

#include <errno.h>
#include <string.h>

#include "capture/features.h"
#include "capture/session.h"
#include "cmd/live.h"
#include "model/schedlog.h"
#include "sym/kallsyms.h"
#include "sym/names.h"
#include "util/clock.h"
#include "util/interrupt.h"

static int on_task(struct sink *sink, const struct task_event *t)
{
	return syms_task(((struct schedlog *)sink)->syms, t);
}

static int on_round(struct sink *sink)
{
	struct schedlog *log = (struct schedlog *)sink;

	if (log->syms)
		syms_pin(log->syms);
	return fflush(log->out.stream) ? -errno : 0;
}

uint32_t schedlog_frames(struct schedlog *log, const struct schedlog_event *e, const struct frame **ret_frames)
{
	uint32_t begin;

	*ret_frames = NULL;
	if (!log->syms || (!e->at.chains[CHAIN_KERNEL].n && !e->at.chains[CHAIN_USER].n))
		return 0;
	stack_resolve(log->syms, &e->at, &log->stack);
	stack_losses(&log->stack, 1, log->profile.losses);
	begin = schedlog_stack_begin(log->stack.frames, log->stack.n);
	*ret_frames = log->stack.frames + begin;
	return log->stack.n - begin;
}

static int open_syms(struct schedlog *log, struct err *err)
{
	struct syms_cfg cfg = { .exited_max = SYMS_STREAM_EXITED };

	if (feature_tried(FEATURE_KSYM, ksym_open(&log->ksym))) {
		live_kernel_names(&cfg, log->ksym);
	} else {
		log->ksym = NULL;
		kallsyms_prefetch();
	}
	log->sink.task = on_task;
	return syms_new(&cfg, &log->syms, err);
}

static int measure(struct schedlog *log, int *ret_status, struct err *err)
{
	sigset_t mask;
	struct session_cfg cfg = { .target = log->target, .nr_sources = 1, .command_mask = &mask, .duration_ns = log->duration_ns };
	struct session *session;
	int ret;

	if (log->syms && walk_by_tables(&log->walks)) {
		cfg.unwind = walk_cfg(&log->walks, syms_guide(log->syms));
		if (!cfg.unwind.guide)
			return -ENOMEM;
	}
	cfg.sources[0] = src_schedlog_new(&log->source);
	if (!cfg.sources[0])
		return -ENOMEM;
	interrupts_take(&mask);
	ret = session_open(&cfg, &session, err);
	if (ret)
		return ret;
	if (log->source.stacks && (ret = measure_scan(log->target, false, &log->sink, &log->profile)) && !err->text[0])
		err_set(err, ret, "cannot read the processes in /proc: %s", strerror(-ret));
	log->start_ns = now_ns();
	stat_out_fresh(&log->out);
	if (!ret)
		ret = log->begin(log);
	if (!ret)
		ret = session_run(session, &log->sink, err);
	if (!ret) {
		*ret_status = session_status(session);
		session_profile(session, &log->profile);
		if (log->syms)
			names_note(log->syms, &log->profile);
		ret = log->end ? log->end(log) : 0;
	}
	session_close(session);
	return ret;
}

int schedlog_run(struct schedlog *log, struct err *err)
{
	const struct target *t = log->target;
	int status = 0, ret = 0;

	log->profile = (struct profile){ .title = command_line(), .event = "sched_switch", .unit = "switches" };
	log->sink.round = on_round;
	log->source.bpf_stats = log->h->receipt;
	if (log->source.stacks)
		ret = open_syms(log, err);
	if (!ret)
		ret = measure(log, &status, err);
	syms_free(log->syms);
	ksym_close(log->ksym);
	ret = stat_out_close(&log->out, ret, err);
	if (ret)
		return ret;
	if (!log->nr_events)
		profile_note(&log->profile, "no matching task was switched");
	if (!log->source.self && !t->pids.n && !t->tids.n && !target_is_command(t))
		profile_note(&log->profile, "skep's own switches are left out (--self shows them)");
	honesty_print(log->h, &log->profile);
	return honesty_exit(log->h, &log->profile, status, err);
}
