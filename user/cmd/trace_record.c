/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_record.h"

#include <errno.h>
#include <unistd.h>

#include "cmd/honesty.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/outfile.h"

struct recording {
	const struct trace_record *o;
	struct calllog_writer *writer;
	struct source *source;
};

static int begin(void *arg, struct err *err)
{
	const struct recording *r = arg;
	struct calllog_meta meta = { .text = r->o->source->text, .is_whole = r->o->is_whole, .start_ns = now_ns(), .clock_ns = clock_ns(CLOCK_REALTIME) };

	(void)err;
	meta.first_tid = src_trace_first(r->source);
	snprintf(meta.title, sizeof(meta.title), "%s", command_line());
	return calllog_begin(r->writer, &meta);
}

static int check_stdout(const struct trace_record *o, struct err *err)
{
	if (!outfile_is_stdout(o->path))
		return 0;
	if (o->target->argv) {
		err_exit(err, -EINVAL, EXIT_USAGE, "--record cannot write to standard output: COMMAND may write there, too");
		err_hint(err, "--record FILE, or --duration without COMMAND");
		return -EINVAL;
	}
	if (isatty(STDOUT_FILENO))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--record does not write to a terminal: name a file");
	return 0;
}

int trace_record_nothing(const struct profile *p, struct err *err)
{
	if (p->seen)
		return err_set(err, -ENODATA, "no calls: all %llu were lost", (unsigned long long)p->seen);
	return err_set(err, -ENODATA, "no calls in %.3f s: the target made none of those that are selected", p->duration_ns / 1e9);
}

int trace_record_run(const struct trace_record *o, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { begin, NULL };
	struct profile p = { .title = command_line(), .event = "calls", .unit = "calls" };
	struct session_cfg cfg = { .target = o->target, .nr_sources = 1, .duration_ns = o->duration_ns, .budget = o->budget };
	struct recording r = { .o = o };
	int ret = check_stdout(o, err), status = 0;
	int64_t bytes;

	if (!ret)
		ret = calllog_create(o->path, &r.writer, err);
	if (ret)
		return ret;
	r.source = cfg.sources[0] = src_trace_new(o->source);
	ret = run_sink(calllog_sink(r.writer), &cfg, &hooks, &r, &p, &status, err);
	bytes = calllog_close(r.writer, ret, &p, err);
	if (bytes < 0)
		return (int)bytes;
	p.receipt.bytes_out = bytes;
	if (p.kept)
		log_note("wrote %s: %.3f MB, %llu calls", o->path, bytes / 1048576.0, (unsigned long long)p.kept);
	honesty_print(o->h, &p);
	if (!p.kept)
		return trace_record_nothing(&p, err);
	*ret_status = honesty_exit(o->h, &p, status, err);
	return *ret_status < 0 ? *ret_status : 0;
}
