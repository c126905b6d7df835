/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep stat --by and --latency: system calls summed in the kernel by what the user names. */
#include "cmd/stat_by.h"

#include <errno.h>
#include <string.h>

#include "capture/src_callsby.h"
#include "cmd/stat_out.h"
#include "model/hists.h"
#include "render/hists.h"
#include "util/signals.h"

static const struct {
	const char *name;
	uint32_t bit;
} keys[] = {
	{ "syscall", BY_SYSCALL }, { "event", BY_SYSCALL }, { "comm", BY_COMM },     { "pid", BY_PID },	   { "tid", BY_TID },
	{ "cpu", BY_CPU },	   { "user", BY_USER },	    { "cgroup", BY_CGROUP }, { "errno", BY_ERRNO },
};
#define NR_KEYS (sizeof(keys) / sizeof(*keys))

struct by_run {
	struct sink sink;
	struct hists hists;
};

static int take(struct sink *sink, const struct hist_sample *h)
{
	return hists_add(&((struct by_run *)sink)->hists, h);
}

static int parse_keys(const char *text, uint32_t *ret_by, struct err *err)
{
	*ret_by = 0;
	for (const char *at = text;; at++) {
		size_t n = strcspn(at, ","), i = 0;

		while (i < NR_KEYS && (strlen(keys[i].name) != n || strncmp(keys[i].name, at, n)))
			i++;
		if (i == NR_KEYS) {
			err_exit(err, -EINVAL, EXIT_USAGE, "bad key '%.*s' in --by", (int)n, at);
			err_hint(err, "keys are syscall, comm, pid, tid, cpu, user, cgroup, errno");
			return -EINVAL;
		}
		*ret_by |= keys[i].bit;
		at += n;
		if (!*at)
			return 0;
	}
}

int stat_by_run(const struct stat_by *o, const struct target *target, const struct event *events, int nr_events,
		struct profile *profile, int *ret_status, struct err *err)
{
	struct callsby_cfg cfg = { .events = events, .nr_events = nr_events, .latency = o->latency, .rows_max = o->rows_max };
	struct by_run run = { .sink = { .hist = take } };
	sigset_t mask;
	struct session_cfg session_cfg = { .target = target, .command_mask = &mask, .duration_ns = o->duration_ns };
	struct hists_cfg view = { .latency = o->latency, .json = o->json, .separator = o->separator, .top = o->top };
	struct session *session;
	struct stat_out out = { 0 };
	int ret = parse_keys(o->keys ? o->keys : "syscall", &cfg.by, err);

	if (ret || (ret = hists_init(&run.hists)))
		return ret;
	view.by = cfg.by;
	view.cgroup_path = target_cgroup_path;
	ret = stat_out_open(&out, o->out, o->append, false, err);
	if (ret)
		goto out;
	session_cfg.sources[0] = src_callsby_new(&cfg);
	session_cfg.nr_sources = 1;
	signals_hold(&mask);
	ret = session_cfg.sources[0] ? session_open(&session_cfg, &session, err) : -ENOMEM;
	if (ret)
		goto out;
	ret = session_run(session, &run.sink, err);
	if (!ret) {
		*ret_status = session_status(session);
		session_profile(session, profile);
		hists_sort(&run.hists, o->latency);
		ret = render_hists(out.stream, &run.hists, &view);
		if (!run.hists.rows.n)
			profile_note(profile, "none of these calls was made");
	}
	session_close(session);
out:
	ret = stat_out_close(&out, ret, err);
	hists_free(&run.hists);
	return ret;
}
