/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a file to filled views and a profile. */
#include "cmd/replay.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/live.h"
#include "cmd/measure.h"
#include "util/clock.h"
#include "util/num.h"

int replay_event_index(const char *text, int *ret_index, struct err *err)
{
	uint64_t value;

	if (num_u64(text, INT_MAX, &value))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--event-index': expected a number", text);
	*ret_index = value;
	return 0;
}

/* Which events have no samples, as far as there is room for their names. */
static void note_empty(const struct replay *r, const struct data_meta *meta, struct profile *p)
{
	char names[NOTE_BYTES / 2] = "";
	size_t n = 0;
	int nr = 0;

	for (int i = 0; i < r->nr_events; i++) {
		if (r->view_of[i] != i || r->slots[i])
			continue;
		if (!nr++ || n + strlen(meta->events[i].name) + sizeof("', ''") < sizeof(names))
			n += snprintf(names + n, sizeof(names) - n, "%s'%.64s'", n ? ", " : "", meta->events[i].name);
	}
	if (nr == 1)
		profile_note(p, "one event of the file has no samples: %s", names);
	else if (nr)
		profile_note(p, "%d events of the file have no samples: %s", nr, names);
}

/* What the file lost is of no event in particular: it stands with the first. */
static void fill_view(struct replay *r, struct replay_view *v, bool first)
{
	struct profile *p = &v->profile, *total = &r->total;
	uint64_t whole;

	p->title = total->title;
	p->duration_ns = v->at.last_ns - v->at.first_ns;
	if (!p->duration_ns)
		p->duration_ns = data_reader_meta(r->file.reader)->duration_ns;
	for (int i = 0; i < LOSS_MAX; i++) {
		uint64_t file = first ? total->losses[i] : 0;

		total->losses[i] += p->losses[i];
		p->losses[i] += file;
	}
	whole = profile_lost(p);
	for (uint32_t i = 0; i < total->nr_notes && first; i++)
		profile_note(p, "%s", total->notes[i]);
	p->has_no_files = total->has_no_files;
	names_note(r->pic->names.syms, p);
	for (uint32_t i = 0; i < p->nr_notes; i++)
		profile_note(total, "%s", p->notes[i]);
	p->kept = v->at.folded;
	p->seen = p->kept + whole;
	total->kept += p->kept;
	total->seen += p->seen;
}

static void note_branches(struct replay *r)
{
	uint64_t samples, empty;

	branches_counts(r->by_branch, &samples, &empty);
	profile_note(&r->total, "the table counts branches: those of %llu samples, of which %llu have none", (unsigned long long)samples,
		     (unsigned long long)empty);
}

static int read_all(struct replay *r, struct syms_cfg *cfg, struct err *err)
{
	int ret = recording_open(&r->file, r->path, &r->pic->names, &r->pic->ksym, cfg, err);

	if (ret)
		return ret;
	if (data_reader_meta(r->file.reader)->is_stat) {
		err_set(err, -ENODATA, "'%s' has counts, not samples", r->path);
		err_hint(err, "skep stat report -i FILE");
		return -ENODATA;
	}
	if (r->file.labels && !data_reader_summed(r->file.reader)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "the samples in '%s' have no labels, such as host or unit", r->path);
		err_hint(err, "profiles of skep agent have: --store DIR");
		return -EINVAL;
	}
	if (r->file.needs_cgroup && data_reader_summed(r->file.reader)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "of profiles there are no rows by cgroup");
		err_hint(err, "their label is for picking: --label cgroup=PATTERN; the key unit is the service, scope or slice");
		return -EINVAL;
	}
	if (cfg->code && (ret = recording_needs_samples(&r->file, r->path, err)))
		return ret;
	r->pic->names.may_hold = true;
	ret = r->opened ? r->opened(r->opened_arg, r->file.reader, err) : 0;
	r->pic->names.may_sum &= !data_reader_summed(r->file.reader); /* it is summed, and addresses are those of the file at hand */
	if (!ret)
		ret = replay_views_choose(r, err);
	if (r->places) /* they are of the stack that is shown */
		places_insert(r->places, &r->pic->names);
	if (!ret && r->branches && !(r->by_branch = branches_insert(&r->pic->names, r->named_only)))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret && r->pick)
		ret = pick_open(r->pick, r->file.reader, err);
	if (r->pickstack) /* filters see the whole stack */
		pickstack_insert(r->pickstack, &r->pic->names);
	if (r->pick)
		pick_insert(r->pick, &r->pic->names);
	if (r->pic->names.leaf_only && !r->pic->names.no_kernel && !r->pickstack) /* else the leaf may be a caller */
		data_reader_leaf_only(r->file.reader);
	if (r->watch)
		data_reader_watch(r->file.reader, r->watch, r->watch_arg);
	if (!ret)
		ret = data_reader_run(r->file.reader, &r->pic->names.sink, err);
	if ((!ret || ret == -EBADMSG) && names_end(&r->pic->names))
		ret = err_set(err, -ENOMEM, "out of memory");
	return ret;
}

int replay_run(struct replay *r, struct syms_cfg *cfg, struct err *err)
{
	const struct data_meta *meta;
	uint64_t start_ns = now_ns();
	int ret = read_all(r, cfg, err);

	if (ret == -EBADMSG && r->slots && replay_views_end(r) == 0 && r->views.data[0]->at.folded) {
		recording_damaged(&r->total, err);
		ret = 0;
	} else if (!ret && replay_views_end(r)) {
		ret = err_set(err, -ENOMEM, "out of memory");
	}
	if (ret)
		return ret;
	meta = data_reader_meta(r->file.reader);
	if (meta->left_out && !r->views.data[0]->at.folded)
		return err_exit(err, -ENODATA, EXIT_FAILED, "no stack of that time has these labels (%llu have others)", (unsigned long long)meta->left_out);
	if (r->file.span && r->file.span->url && r->file.span->nr_labels && !r->views.data[0]->at.folded)
		return err_exit(err, -ENODATA, EXIT_FAILED, "no stack of that time has these labels");
	if ((r->file.needs_pid && meta->without_pid) || (r->file.needs_tid && meta->without_tid)) {
		err_exit(err, -ENODATA, EXIT_FAILED, "samples in '%s' do not say their %s", r->path, r->file.needs_tid ? "thread" : "process");
		err_hint(err, "profiles have comm, unit, exe and other labels; numbers of processes where they were asked for: skep agent --pids");
		return -ENODATA;
	}
	recording_end(&r->file, start_ns, &r->total);
	if (!meta->callchain && !r->leaves && !r->branches)
		profile_note(&r->total, "the file has no call chains: only the sampled functions are shown");
	if (r->by_branch)
		note_branches(r);
	r->total.title = recording_title(r->path, meta, r->title, sizeof(r->title));
	if (r->views.data[0]->at.folded)
		note_empty(r, meta, &r->total);
	r->total.event = r->views.data[0]->profile.event;
	for (size_t i = 0; i < r->views.n; i++) {
		fill_view(r, r->views.data[i], i == 0);
		r->views.data[i]->profile.receipt = r->total.receipt;
	}
	return 0;
}

#define SUMMED_KEYS (KEY_BIT(KEY_COMM) | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | KEY_BIT(KEY_DSO) | KEY_BIT(KEY_SYM) | KEY_BIT(KEY_EVENT))

bool replay_may_sum(const struct replay *r)
{
	const struct report_request *q = r->request;
	struct report_layout l;
	struct err err;

	if (r->pick || r->pickstack || r->places || q->latency || report_layout_parse(&l, q, &err))
		return false;
	return report_layout_other(&l, SUMMED_KEYS) == KEY_MAX;
}

void replay_close(struct replay *r)
{
	branches_free(r->by_branch);
	replay_views_free(r);
	recording_close(&r->file);
}
