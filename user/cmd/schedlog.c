/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of the scheduler's events, from the session to the last line; a view decides what is printed. */
#include "cmd/schedlog.h"

#include <errno.h>

#include "cmd/live.h"
#include "model/schedlog.h"
#include "sym/names.h"
#include "util/clock.h"

const struct opt schedlog_nothing_opts[] = {
	{ 'f', "force", NULL, OPT_NOTHING, 0, "no file is read" },
	{ 0 },
};

static int on_task(struct sink *sink, const struct task_event *t)
{
	return syms_task(((struct schedlog *)sink)->syms, t);
}

static int on_round(struct sink *sink)
{
	struct schedlog *log = (struct schedlog *)sink;

	if (log->syms)
		syms_pin(log->syms);
	return fflush(log->run.out.stream) ? -errno : 0;
}

uint32_t schedlog_frames(struct schedlog *log, const struct sample *s, const struct frame **ret_frames)
{
	uint32_t begin;

	*ret_frames = NULL;
	if (!log->syms || !sample_leaf(s))
		return 0;
	stack_resolve(log->syms, s, &log->stack);
	stack_losses(&log->stack, 1, log->run.profile.losses);
	begin = schedlog_stack_begin(log->stack.frames, log->stack.n);
	*ret_frames = log->stack.frames + begin;
	return log->stack.n - begin;
}

static int open_syms(struct schedlog *log, struct err *err)
{
	struct syms_cfg cfg = { .exited_max = SYMS_STREAM_EXITED, .servers = SERVERS_ASK };

	log->run.sink.task = on_task;
	return live_syms(&cfg, &log->ksym, &log->syms, err);
}

static int begin(void *arg, struct err *err)
{
	struct schedlog *log = arg;
	struct run *run = arg;
	int ret = measure_scan(log->target, false, &run->sink, &run->profile, err);

	log->start_ns = now_ns();
	stat_out_fresh(&run->out);
	return ret ? ret : log->begin(log);
}

static int end(void *arg, const struct session *session)
{
	struct schedlog *log = arg;
	struct run *run = arg;
	const struct target *t = log->target;
	int ret;

	(void)session;
	if (log->syms)
		names_note(log->syms, &run->profile);
	ret = log->end ? log->end(log) : 0;
	if (!log->source.self && !t->pids.n && !t->tids.n && !target_is_command(t))
		profile_note(&run->profile, "skep's own switches are left out (--self shows them)");
	return ret;
}

static int measure(struct schedlog *log, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { begin, end };
	struct session_cfg cfg = { .target = log->target, .nr_sources = 1 };

	if (log->syms && walk_by_tables(&log->walks)) {
		cfg.unwind = walk_cfg(&log->walks, syms_guide(log->syms));
		if (!cfg.unwind.guide)
			return -ENOMEM;
	}
	cfg.sources[0] = src_schedlog_new(&log->source);
	return run_session(&log->run, &cfg, &hooks, ret_status, err);
}

int schedlog_run(struct schedlog *log, struct err *err)
{
	int status = 0, ret = target_check(log->target, err);

	if (ret)
		return ret;
	log->run.profile = (struct profile){ .event = "sched_switch", .unit = "switches" };
	log->run.sink.round = on_round;
	log->source.bpf_stats = log->h->receipt;
	log->out.out = log->out.out ? log->out.out : "-";
	log->out.nothing = "no matching task was switched";
	ret = run_open(&log->run, &log->out, err);
	if (!ret && log->source.stacks)
		ret = open_syms(log, err);
	if (!ret)
		ret = measure(log, &status, err);
	syms_free(log->syms);
	ksym_close(log->ksym);
	ret = run_close(&log->run, ret, err);
	return ret ? ret : run_end(&log->run, log->h, status, err);
}
