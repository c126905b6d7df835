/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_strace.h"

#include <errno.h>
#include <string.h>

#include "cmd/trace_set.h"

#define QUIET_OF_ENDS 2 /* -qq */

static int set_quiet(void *base, const char *text, struct err *err)
{
	struct trace_strace *o = base;

	if (text)
		return trace_quiet(text, &o->has_no_ends, err);
	o->quiet++;
	o->has_no_ends |= o->quiet >= QUIET_OF_ENDS;
	return 0;
}

static int set_pids(void *base, const char *text, struct err *err)
{
	struct trace_strace *o = base;

	if (!strcmp(text, "comm")) {
		o->has_comm = true;
		return 0;
	}
	if (strcmp(text, "pidns"))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad --decode-pids '%s': comm", text);
	return err_exit(err, -EINVAL, EXIT_USAGE, "--decode-pids=pidns is not needed: lines have the numbers of the PID namespace that skep runs in");
}

const struct opt trace_strace_opts[] = {
	{ 'f', "follow-forks", NULL, OPT_COUNT, offsetof(struct trace_strace, forks), "wait for children that outlive COMMAND (they are always followed); -ff: also --output-separately" },
	{ 0, "output-separately", NULL, OPT_FLAG, offsetof(struct trace_strace, separate), "with -o FILE: the lines of each thread go to FILE.TID" },
	{ 'A', "output-append-mode", NULL, OPT_FLAG, offsetof(struct trace_strace, append), "with -o FILE: add to what the file has" },
	{ 'n', "syscall-number", NULL, OPT_FLAG, offsetof(struct trace_strace, has_number), "begin each call with its number" },
	{ 'Y', NULL, NULL, OPT_FLAG, offsetof(struct trace_strace, has_comm), "show the name of a thread after its number: [pid 1234<make>]" },
	{ 0, "always-show-pid", NULL, OPT_FLAG, offsetof(struct trace_strace, has_pids), "begin each line with the number of its thread, also where there is but one" },
	{ 0, "decode-pids", "comm", OPT_CALL, 0, "the same", set_pids },
	{ 'q', "quiet", "[=SET]", OPT_CALL, 0, "no notes; -qq, or SET that has exit: no ends of threads either", set_quiet, true, .lone_letter = true },
	{ 'w', "summary-wall-clock", NULL, OPT_FLAG, offsetof(struct trace_strace, as_it_is), "accepted for strace's users: -c always has the time from entry to return" },
	{ 0, "seccomp-bpf", NULL, OPT_FLAG, offsetof(struct trace_strace, as_it_is), "accepted for strace's users: calls that are not selected are never stopped" },
	{ 0 },
};

const struct opt_rule trace_strace_rules[] = {
	{ "output-append-mode", .needs = "output" },
	{ "output-append-mode|syscall-number|Y|always-show-pid|decode-pids", .not_with = "summary|summary-only", .why = "sums have no lines" },
	{ "syscall-number|Y|decode-pids", .not_with = "format=csv|format=json|fields", .why = "it changes lines of text" },
	{ 0 },
};

#define ITS_TIME "is strace's: here -t are threads"
#define NO_CHANGE "is not supported: skep changes nothing in what it traces"
#define NO_SET "is not supported: it is for all calls here"
#define NO_DUMP "is not supported: buffers are shown as arguments"
#define WHOLE_BUFFERS "-e read,write -s 32766 -xx"

const struct opt_other trace_others[] = {
	{ "-tt", ITS_TIME, "--absolute-timestamps=us" },
	{ "-ttt", ITS_TIME, "--absolute-timestamps=unix,us" },
	{ "--cpu", "is not supported: a call may be made on any CPU", "-c --by cpu has a row for each CPU" },
	{ "-E", "is not supported", "-- env NAME=VALUE COMMAND" },
	{ "--env", "is not supported", "-- env NAME=VALUE COMMAND" },
	{ "--user", "is --as here: -u selects tasks", "--as USER" },
	{ "--argv0", "is not supported", "-- bash -c 'exec -a NAME COMMAND'" },
	{ "--attach", "is --pid here", "-p PID" },
	{ "-b", "is not supported: a process is traced until it ends", "--comm NAME: only as long as it has this name" },
	{ "--detach-on", "is not supported: a process is traced until it ends", "--comm NAME: only as long as it has this name" },
	{ "-D", "is not supported: skep starts COMMAND and passes its exit status on", "-p PID leaves a program its parent" },
	{ "--daemonize", "is not supported: skep starts COMMAND and passes its exit status on", "-p PID leaves a program its parent" },
	{ "-I", "is not supported: Ctrl-C goes to COMMAND and ends the run", "-p PID of a program that runs elsewhere" },
	{ "--interruptible", "is not supported: Ctrl-C goes to COMMAND and ends the run", "-p PID of a program that runs elsewhere" },
	{ "--kill-on-exit", "is not supported: skep stops COMMAND when the run ends, and no process of -p", "--duration TIME" },
	{ "--abbrev", NO_SET, "-v shows all members and elements" },
	{ "--verbose", NO_SET, "-v shows all members and elements" },
	{ "--raw", NO_SET, "-X raw" },
	{ "--read", NO_DUMP, WHOLE_BUFFERS },
	{ "--write", NO_DUMP, WHOLE_BUFFERS },
	{ "--kvm", "is not supported", "skep stat -e 'kvm:*'" },
	{ "--inject", NO_CHANGE, "strace -e inject=" },
	{ "--fault", NO_CHANGE, "strace -e fault=" },
	{ "--instruction-pointer", "is not supported: lines have no addresses of code", "skep record -e 'syscalls:sys_enter_*' -g" },
	{ "-N", "is not supported: arguments have no names", "man 2 openat has them" },
	{ "--arg-names", "is not supported: arguments have no names", "man 2 openat has them" },
	{ "-O", "is not needed: the kernel takes the times, and no tracer runs between them", "-c" },
	{ "--summary-syscall-overhead", "is not needed: the kernel takes the times, and no tracer runs between them", "-c" },
	{ "--syscall-limit", "is not supported", "-o - COMMAND | head -n LIMIT" },
	{ "--secontext", "is not supported", "ls -Z shows the contexts of files" },
	{ "-d", "is not supported", "skep -vv trace" },
	{ "--debug", "is not supported", "skep -vv trace" },
	{ "-V", "is not supported", "skep --version" },
	{ "--version", "is not supported", "skep --version" },
	{ "--tips", "is not supported", "man skep-trace" },
	{ 0 }
};
