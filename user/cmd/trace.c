/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep trace: each system call with its arguments, as strace writes it, without stopping the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/features.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/trace_record.h"
#include "cmd/trace_run.h"
#include "cmd/trace_select.h"
#include "cmd/trace_summary.h"
#include "util/log.h"

static struct call_style plan_style; /* of the one run of this process */

static void plan(enum syscall_abi table, uint32_t nr, struct trace_plan *ret_plan)
{
	call_plan(table, nr, &plan_style, ret_plan);
}

/* What the rules of options cannot say. */
static int check(struct trace_options *o, struct err *err)
{
	uint32_t results = o->source.results;

	if (measure_check_ring(o->ring_kb, err) || walk_check(&o->walks, err))
		return -EINVAL;
	if (o->sums.summary && o->events.nr_texts) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-c sums system calls only: '%s' is another event", o->events.texts[0]);
		err_hint(err, "skep stat -e EVENT counts it");
		return -EINVAL;
	}
	if (o->sums.summary && o->source.faults) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-c sums system calls only, and not the page faults of -F");
		err_hint(err, "skep stat -e minor-faults,major-faults counts them");
		return -EINVAL;
	}
	if (o->view.out && (*o->view.out == '|' || *o->view.out == '!')) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-o does not start a command: '%s'", o->view.out);
		err_hint(err, "-o - 2>notes | COMMAND; a file of that name: -o ./'%s'", o->view.out);
		return -EINVAL;
	}
	if (o->strace.separate && (!o->view.out || outfile_is_stdout(o->view.out) || !strcmp(o->view.out, "/dev/stderr")))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-ff needs -o FILE: the lines of each thread go to FILE.TID");
	if (o->strace.separate && (o->sums.summary || o->sums.with_summary || o->view.fields || (o->view.format && strcmp(o->view.format, "text"))))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-ff excludes -c, -C, --fields, csv and json: it is for lines of text");
	if ((o->ok && results != TRACE_DONE) || (o->failed && results != TRACE_FAILED))
		return err_exit(err, -EINVAL, EXIT_USAGE, "%s and -e status= exclude each other", o->ok ? "-z" : "-Z");
	if (o->events.nr_texts && (o->record || o->input))
		return err_exit(err, -EINVAL, EXIT_USAGE, "recordings have system calls only: '%s' is another event", o->events.texts[0]);
	if (o->strace.separate && o->record)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--record excludes -ff: give it with -i FILE");
	if (o->input)
		return 0;
	if (trace_is_uring(&o->source) && !feature(FEATURE_URING)->has) {
		err_exit(err, -EOPNOTSUPP, EXIT_CANNOT, "cannot show operations of io_uring: %s", feature(FEATURE_URING)->why);
		err_hint(err, "%s", feature(FEATURE_URING)->enable);
		return -EOPNOTSUPP;
	}
	return target_check(&o->target, err);
}

static int trace_with_sums(struct trace_options *o, const struct trace_sums_cfg *cfg, int *ret_status, struct err *err)
{
	struct trace_sums sums;
	int ret = trace_sums_init(&sums, cfg, err);

	ret = ret ? ret : trace_run(o, &sums, ret_status, err);
	trace_sums_free(&sums);
	return ret;
}

static int trace_main(void *cfg, char **operands, struct err *err)
{
	struct trace_options *o = cfg;
	const struct trace_sums_cfg sums = { &o->sums, &o->source, &o->view };
	int status = 0, ret;

	o->target.argv = operands[0] ? operands : NULL;
	trace_options_complete(o);
	if (o->strace.quiet)
		log_level = -1;
	o->source.plan = plan;
	plan_style = o->style;
	if (o->source.select) {
		o->source.uring = false; /* its operations are not selected so */
		plan_style.files = FILES_PATHS;
		trace_select_plans(&o->source);
	}
	ret = check(o, err);
	if (!ret && o->sums.summary)
		ret = trace_summary_run(&sums, &o->target, &o->h, &status, err);
	else if (!ret && o->record)
		ret = trace_record_run(&(struct trace_record){ o->record, &o->source, &o->target, &o->h, o->view.duration_ns, o->view.budget, o->style.is_whole }, &status, err);
	else if (!ret)
		ret = o->sums.with_summary ? trace_with_sums(o, &sums, &status, err) : trace_run(o, NULL, &status, err);
	target_free(&o->target);
	return ret ? ret : status;
}

const struct cmd cmd_trace = {
	.name = "trace",
	.summary = "each system call with its arguments, as strace writes it",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = trace_groups,
	.cfg_size = sizeof(struct trace_options),
	.examples = "skep trace ls                                       every call, on standard error\n"
		    "skep trace -e openat,read -- cat /etc/hostname\n"
		    "skep trace -e %network -p 1234 -T --duration 5      how long each takes\n"
		    "skep trace --failed -e %file -o missing.txt -- ls   what it looked for and did not find\n"
		    "skep trace -P '/etc/*' -y -- bash -lc true            whatever it does with files in /etc\n"
		    "skep trace -k -e %file -- ls                       from where in the program\n"
		    "skep trace -e %network -e sched:sched_switch -- curl localhost   and where it was switched out\n"
		    "skep trace --min-duration 10ms -a --duration 5\n"
		    "skep trace -o trace.txt --absolute-timestamps us -- make\n"
		    "skep trace -e io_uring -T -a --duration 5           what io_uring does, without calls\n"
		    "skep trace -c -- ls -R /etc                         how many calls, errors, and how long they took\n"
		    "skep trace -C -e %file -o files.txt -- make        lines, and the same table after them\n"
		    "skep trace --format json -o trace.json -- true\n"
		    "skep trace --record make.calls -- make               without a line, which costs the least\n"
		    "skep trace -i make.calls -T -e %file                lines of it\n",
	.run = trace_main,
	.others = trace_others,
};
