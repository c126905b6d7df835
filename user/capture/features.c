/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known of this kernel. The words for a refusal are here, once, for every command. */
#include "capture/features.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/refusal.h"
#include "capture/tries.h"

const struct feature_row feature_rows[FEATURE_MAX] = {
	[FEATURE_BPF] = { "bpf", "everything but counters and samples of your own programs", NULL, true },
	[FEATURE_BTF] = { "btf", "everything but stat of counters", NULL, true },
	[FEATURE_JIT] = { "jit", "speed of all programs", "the interpreter", false },
	[FEATURE_RINGBUF] = { "ringbuf", "flame, record, net", NULL, true },
	[FEATURE_BATCH] = { "map batches", "flame", "one call for each entry", false },
	[FEATURE_GROWING_HASH] = { "growing hashes", "flame, record: memory for the stacks that were met", "memory for 8192 of them", false },
	[FEATURE_PERF_EVENT] = { "perf events", "flame, record, stat", NULL, true },
	[FEATURE_CYCLES] = { "hardware cycles", "flame, record, stat", "cpu-clock", false },
	[FEATURE_PERF_PROG] = { "programs on events", "flame, record", NULL, true },
	[FEATURE_OWN_EVENTS] = { "events of own tasks", "flame, record, stat without BPF: your own programs", NULL, false },
	[FEATURE_RAW_TP] = { "raw tracepoints", "-p, -t, COMMAND where BPF programs count; stat of tracepoints", NULL, true },
	[FEATURE_TP_BTF] = { "BTF tracepoints", "sched, net, flame --off-cpu, stat of system calls", NULL, false },
	[FEATURE_SYSCALL_BTF] = { "unpreempted calls", "stat of system calls by BTF tracepoints", "perf's tracepoints, slower", false },
	[FEATURE_TP_UNPREEMPTED] = { "unpreempted hooks", "trace: ends of threads by raw tracepoints", "perf's tracepoints", false },
	[FEATURE_URING] = { "io_uring operations", "trace: operations of io_uring", "system calls only", false },
	[FEATURE_TRACEFS] = { "tracefs", "stat of tracepoints by globs", NULL, false },
	[FEATURE_KPROBE] = { "kprobe", "probe: kernel functions", NULL, false },
	[FEATURE_KPROBE_MULTI] = { "kprobe.multi", "probe: many kernel functions at once", "kprobe", false },
	[FEATURE_FENTRY] = { "fentry", "probe: one kernel function, the cheapest way", "kprobe", false },
	[FEATURE_UPROBE] = { "uprobe", "probe: functions of programs, USDT", NULL, false },
	[FEATURE_UPROBE_MULTI] = { "uprobe.multi", "probe: many functions of programs at once", "uprobe", false },
	[FEATURE_COOKIE] = { "attach cookies", "probe: one program for many places", "a program for each place", false },
	[FEATURE_BPF_LOOP] = { "bpf_loop", "long loops (no command yet)", "bounded loops", false },
	[FEATURE_FIND_VMA] = { "bpf_find_vma", "trace -F: the file that an address is of", "addresses", false },
	[FEATURE_KSYM] = { "kernel symbols by BPF", "flame, record", "/proc/kallsyms, 40 ms slower", false },
	[FEATURE_TASK_STORAGE] = { "task storage", "stat --latency, sched, flame --off-cpu", "a hash of threads", false },
	[FEATURE_BPF_STATS] = { "BPF statistics", "--receipt: time in the kernel", NULL, false },
	[FEATURE_TASK_ITER] = { "task iterator", "sched, net, flame --off-cpu; inside a container: its process numbers", NULL, false },
	[FEATURE_PIDFD] = { "pidfd", "noticing at once that a target has ended", "a check every 0.1 s", false },
	[FEATURE_CGROUP2] = { "cgroup v2", "-G", NULL, false },
	[FEATURE_KALLSYMS] = { "kernel addresses", "names of kernel functions", NULL, false },
	[FEATURE_PTRACE] = { "other users' maps", "names in processes that already run", NULL, false },
};

static struct feature_state states[FEATURE_MAX];
static bool known[FEATURE_MAX], fell_back[FEATURE_MAX];

void probe_why(struct feature_state *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
}

void probe_enable(struct feature_state *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->enable, sizeof(s->enable), fmt, ap);
	va_end(ap);
}

void probe_read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (f && fgets(buf, size, f))
		buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* Why a call that needs privileges was refused, as far as that can be known from outside. */
static void forbidden(struct feature_state *s, int ret, const struct attempt *p)
{
	char lockdown[128];

	if (!kernel_has_cap(p->cap) && !kernel_has_cap(CAP_SYS_ADMIN)) {
		probe_why(s, "%s is missing", p->cap_name);
		probe_enable(s, "sudo, or once: %s", kernel_setcap_command(""));
		return;
	}
	probe_read_line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	if (strstr(lockdown, "[confidentiality]"))
		probe_why(s, "the kernel is locked down (confidentiality)");
	else
		probe_why(s, "%s, although %s is there: a seccomp filter, a security module or the kernel's own policy", strerror(-ret),
			  p->cap_name);
}

static void learn(enum feature f, int ret)
{
	const struct attempt *p = &attempts[f];
	struct feature_state *s = &states[f];

	known[f] = true;
	s->has = ret >= 0;
	if (s->has)
		return;
	probe_why(s, "%s", strerror(-ret));
	if ((ret == -EPERM || ret == -EACCES) && p->cap)
		forbidden(s, ret, p);
	else if (p->since)
		probe_enable(s, "%s", p->since);
	if (ret == -EINVAL || ret == -EOPNOTSUPP || ret == -ENOSYS)
		probe_why(s, "not known to this kernel");
	if (p->explain)
		p->explain(s, ret);
}

const struct feature_state *feature(enum feature f)
{
	if (!known[f]) {
		kernel_talk();
		learn(f, attempts[f].make());
	}
	return &states[f];
}

bool feature_tried(enum feature f, int ret)
{
	if (!known[f])
		learn(f, ret);
	fell_back[f] |= !states[f].has && feature_rows[f].instead;
	return states[f].has;
}

bool feature_use(enum feature f)
{
	feature(f);
	return feature_tried(f, 0); /* known by now */
}

bool feature_fell_back(enum feature f)
{
	return fell_back[f];
}
