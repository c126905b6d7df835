/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of a file, joined as those of a live run; what is not wanted of it is left out here, as the kernel's side does. */
#include <errno.h>
#include <stddef.h>

#include "capture/calljoin.h"
#include "capture/cost.h"
#include "cmd/trace_record.h"
#include "cmd/trace_select.h"
#include "util/clock.h"
#include "util/outfile.h"

struct replaying {
	struct sink records, samples; /* records: first */
	struct trace_replay *r;
	struct run *run;
	struct calljoin join;
	uint64_t left_out;
};

static bool result_is_wanted(const struct trace_cfg *cfg, const struct sample *s)
{
	int error = call_error(s->call);

	if (s->time_ns - s->call->start_ns < cfg->min_ns)
		return false;
	if (cfg->results & TRACE_ERRNOS)
		return cfg->errnos[error / 64] >> (error % 64) & 1;
	return cfg->results & (error ? TRACE_FAILED : TRACE_DONE);
}

static bool is_wanted(const struct trace_cfg *cfg, const struct sample *s)
{
	const struct call_event *e = s->call;

	switch (e->kind) {
	case CALL_LOST:
		return true;
	case CALL_SIGNAL:
		return trace_has_signal(cfg, e->nr);
	case CALL_URING:
		return cfg->uring && result_is_wanted(cfg, s);
	case CALL_FAULT:
		return cfg->faults & (e->args[TRACE_FAULT_FLAGS] & TRACE_FAULT_MAJOR ? FAULTS_MAJOR : FAULTS_MINOR);
	default:
		return trace_has_call(cfg, e->abi, e->nr) && result_is_wanted(cfg, s);
	}
}

static int pass_sample(struct sink *sink, const struct sample *s)
{
	struct replaying *r = (struct replaying *)((char *)sink - offsetof(struct replaying, samples));
	const struct trace_cfg *cfg = r->r->wanted;
	struct call_event e = *s->call;
	struct sample of = *s;

	of.call = &e;
	if (e.kind == CALL_GONE) { /* the call that it ends in is an event of its own, without a result */
		bool is_shown = trace_has_call(cfg, e.abi, e.nr) && cfg->results & TRACE_UNFINISHED && !cfg->min_ns;

		r->left_out += e.in_call && !is_shown;
		e.in_call &= is_shown;
	} else if (!is_wanted(cfg, s)) {
		r->left_out++;
		return 0;
	}
	return r->run->sink.sample(&r->run->sink, &of);
}

static int take_record(struct sink *sink, const void *record, size_t size)
{
	struct replaying *r = (struct replaying *)sink;

	return calljoin_take(&r->join, record, size, &r->samples);
}

int trace_replay_open(struct trace_replay *r, struct call_style *style, bool has_text, const char *out, struct err *err)
{
	int ret;

	if (same_file(r->path, out))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite the file that -i reads", out);
	ret = calllog_open(r->path, &r->reader, err);
	if (ret)
		return ret;
	r->meta = *calllog_meta(r->reader);
	if (has_text && style->text > r->meta.text)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-s %u: '%s' has %u bytes of each string", style->text, r->path, r->meta.text);
	if (style->is_whole && !r->meta.is_whole)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-v: '%s' was recorded without it", r->path);
	style->text = has_text ? style->text : r->meta.text;
	style->is_whole = r->meta.is_whole; /* what is counted without -v was read instead */
	style->is_elsewhere = !r->meta.is_here;
	return 0;
}

/* What the file has, and what of it is not as its ledger says. */
static void fill_profile(const struct replaying *r, bool has_end, struct profile *p)
{
	uint64_t damaged = r->join.damaged;

	p->losses[LOSS_FILE_DAMAGED] += damaged;
	if (!has_end) {
		p->seen = p->kept = r->join.delivered;
		calljoin_note(r->join.entries_lost, p);
	} else if (p->kept != r->join.delivered) {
		profile_note(p, "the file says that it has %llu calls and signals, and has %llu", (unsigned long long)p->kept,
			     (unsigned long long)r->join.delivered);
	}
	if (r->left_out)
		profile_note(p, "%llu calls and signals of the file are not shown: others were selected", (unsigned long long)r->left_out);
}

int trace_replay_run(void *replay, struct run *run, struct err *err)
{
	struct trace_replay *r = replay;
	struct replaying at = { .records = { .raw = take_record }, .samples = { .sample = pass_sample }, .r = r, .run = run };
	struct profile *p = &run->profile;
	uint64_t begin_ns = now_ns();
	bool has_end = false;
	int ret;

	p->title = r->meta.title;
	ret = calllog_read(r->reader, &at.records, p, &has_end, err);
	if (!ret)
		ret = calljoin_end(&at.join, &at.samples);
	if (!ret) {
		fill_profile(&at, has_end, p);
		cost_since(begin_ns, &p->receipt);
	}
	calljoin_free(&at.join);
	if (ret && ret != -EPIPE && ferror(run->out.stream)) {
		run->out.failed = ret; /* the close reports it, with the file's name */
		ret = 0;
	}
	return ret;
}

void trace_replay_close(struct trace_replay *r)
{
	calllog_free(r->reader);
}
