/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a file to a filled fold and profile. */
#include "cmd/replay.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/cost.h"
#include "cmd/live.h"
#include "cmd/measure.h"
#include "cmd/offcpu.h"
#include "sym/buildid.h"
#include "sym/kallsyms.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/num.h"

static const char *unit_of(const struct event *e)
{
	if (e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK))
		return "ns";
	if (!strcmp(e->name, OFFCPU_EVENT)) /* skep record --off-cpu, perf record --off-cpu */
		return "ns";
	return e->unit ? e->unit : "events";
}

static void set_title(struct profile *p, const char *path, const struct data_meta *meta)
{
	static char title[1024];
	size_t n = snprintf(title, sizeof(title), "%s", path);

	if (meta->argc)
		n += snprintf(title + n, sizeof(title) - n, ":");
	for (int i = 0; i < meta->argc && n < sizeof(title); i++)
		n += snprintf(title + n, sizeof(title) - n, " %s", meta->argv[i]);
	p->title = title;
}

int replay_event_index(const char *text, int *ret_index, struct err *err)
{
	uint64_t value;

	if (num_u64(text, INT_MAX, &value))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--event-index': expected a number", text);
	*ret_index = value;
	return 0;
}

static bool is_dummy(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && e->config == PERF_COUNT_SW_DUMMY;
}

static int find_offcpu(const char *path, const struct data_meta *meta, struct err *err)
{
	for (int i = 0; i < meta->nr_events; i++)
		if (!strcmp(meta->events[i].name, OFFCPU_EVENT))
			return i;
	err_exit(err, -ENOENT, EXIT_FAILED, "'%s' has no event '%s'", path, OFFCPU_EVENT);
	err_hint(err, "skep record --off-cpu");
	return -ENOENT;
}

/* Time off the CPUs, or all time: events in ns, of which there must be both kinds. */
static int pick_time(const char *path, const struct data_meta *meta, struct fold *fold, struct err *err)
{
	int off = find_offcpu(path, meta, err), clocks = 0;

	if (off < 0)
		return off;
	fold->profile->is_time = 1;
	if (fold->only_event == REPLAY_OFFCPU) {
		fold->only_event = off;
		return 0;
	}
	for (int i = 0; i < meta->nr_events; i++) {
		const struct event *e = &meta->events[i];

		if (i == off || is_dummy(e))
			continue;
		if (strcmp(unit_of(e), "ns"))
			return err_exit(err, -EINVAL, EXIT_FAILED, "'%s' counts no time: --wall cannot add it up", e->name);
		if (e->exclude_user || e->exclude_kernel)
			return err_exit(err, -EINVAL, EXIT_FAILED, "'%s' counts the time in %s only: --wall cannot add it up", e->name,
					e->exclude_user ? "the kernel" : "user space");
		clocks++;
	}
	if (clocks != 1)
		return err_exit(err, -EINVAL, EXIT_FAILED, "'%s' has %d clocks beside '%s': --wall needs one", path, clocks, OFFCPU_EVENT);
	fold->only_event = -1;
	fold->off_event = off;
	return 0;
}

/* Several events cannot be added up: the first is shown unless another was asked for. */
static int pick_event(const char *path, const struct data_meta *meta, struct fold *fold, struct err *err)
{
	int nr = 0, first = 0;

	if (fold->only_event <= REPLAY_OFFCPU)
		return pick_time(path, meta, fold, err);
	/* perf records side-band events of a dummy, which has no samples. */
	for (int i = meta->nr_events - 1; i >= 0; i--) {
		if (is_dummy(&meta->events[i]))
			continue;
		nr++;
		first = i;
	}
	if (fold->only_event < 0)
		fold->only_event = first;
	if (fold->only_event >= meta->nr_events)
		return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' has %d events: no event %d", path, meta->nr_events,
				fold->only_event);
	if (nr > 1)
		log_note("note: '%s' has %d events, this is number %d: '%s' (--event-index N)", path, nr,
			 fold->only_event, meta->events[fold->only_event].name);
	return 0;
}

static void tell_gaps(const char *path, const struct data_meta *meta, struct profile *p)
{
	if (meta->truncated)
		log_note("note: '%s' ends in the middle (interrupted recording?): everything up to there is shown", path);
	if (meta->skipped)
		log_note("note: %llu records of unknown type, or damaged, were skipped", (unsigned long long)meta->skipped);
	if (!meta->callchain)
		profile_note(p, "recorded without call chains: only where each sample was");
	if (meta->stack_dumps)
		log_note("note: this recording holds stack dumps (--call-graph dwarf), which skep does not unwind: "
			 "user stacks end after one frame");
}

static void fill_profile(const char *path, const struct data_meta *meta, struct fold *fold)
{
	struct profile *p = fold->profile;
	uint64_t whole = 0;

	set_title(p, path, meta);
	p->event = fold->only_event < 0 ? "wall-clock time" : meta->events[fold->only_event].name;
	p->unit = fold->only_event < 0 ? "ns" : unit_of(&meta->events[fold->only_event]);
	p->is_time |= !strcmp(p->event, OFFCPU_EVENT);
	p->other_index = fold->other_event;
	p->other_event = fold->other_event < 0 ? NULL : meta->events[fold->other_event].name;
	p->duration_ns = fold->last_ns - fold->first_ns;
	p->losses[LOSS_THROTTLED] += meta->throttled;
	for (int i = 0; i < LOSS_MAX; i++)
		whole += loss_is_whole(i) ? p->losses[i] : 0;
	p->kept = fold->folded;
	p->seen = p->kept + whole;
}

/* Names of the recorded kernel, if it runs: it is asked for those that are met. kallsyms, which lists all, is read beside the file. */
static void ask_kernel(struct syms_cfg *cfg, struct ksym_asker **ret_asker)
{
	uint8_t id[BUILD_ID_MAX];
	int size = build_id_kernel(id);

	if (size == cfg->kernel_build_id_size && !memcmp(id, cfg->kernel_build_id, (size_t)size) && !ksym_open(ret_asker)) {
		if (ksym_addr(*ret_asker, "_text")) {
			live_kernel_names(cfg, *ret_asker);
			return;
		}
		ksym_close(*ret_asker);
		*ret_asker = NULL;
	}
	kallsyms_prefetch();
}

int replay_run(const char *path, struct syms_cfg *cfg, struct fold *fold, struct data_reader **ret_reader, struct ksym_asker **ret_asker,
	       struct err *err)
{
	const struct data_meta *meta;
	uint64_t start_ns = now_ns();
	struct data_reader *r;
	int ret;

	ret = data_reader_open(path, &r, err);
	if (ret)
		return ret;
	meta = data_reader_meta(r);
	cfg->offline = true;
	memcpy(cfg->kernel_build_id, meta->kernel_build_id, sizeof(cfg->kernel_build_id));
	cfg->kernel_build_id_size = meta->kernel_build_id_size;
	ask_kernel(cfg, ret_asker);
	ret = pick_event(path, meta, fold, err);
	if (!ret)
		ret = syms_new(cfg, &fold->syms, err);
	if (!ret)
		ret = data_reader_run(r, &fold->sink, err);
	if (ret == -EBADMSG && fold->folded) {
		profile_note(fold->profile, "%s: what stands before that is shown", err->text);
		ret = 0;
	}
	if (ret) {
		data_reader_close(r);
		return ret;
	}
	tell_gaps(path, meta, fold->profile);
	fill_profile(path, meta, fold);
	fold_note(fold);
	cost_of_self(&fold->profile->receipt);
	fold->profile->receipt.wall_ns = now_ns() - start_ns;
	fold->profile->receipt.cpus = sysconf(_SC_NPROCESSORS_ONLN);
	*ret_reader = r;
	return 0;
}
