/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes by doing: each makes the smallest program, map, link or event of its kind and takes it away again. A refusal
 * is put into words here, once, for every command.
 */
#include "capture/features.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/kernel.h"
#include "capture/ksym.h"
#include "util/cpus.h"

/* Newer than some of the headers that skep is built with; uapi/linux/bpf.h. */
#define TRACE_KPROBE_MULTI 42
#define TRACE_UPROBE_MULTI 48
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif
#define HELPER_ATTACH_COOKIE 174
#define HELPER_LOOP 181

#define FUNCTION "vfs_read" /* on every kernel, and never inlined */

const struct feature_row feature_rows[FEATURE_MAX] = {
	[FEATURE_BPF] = { "bpf", "everything", true },
	[FEATURE_BTF] = { "btf", "everything", true },
	[FEATURE_JIT] = { "jit", "speed of all programs", false },
	[FEATURE_RINGBUF] = { "ringbuf", "flame, record", true },
	[FEATURE_BATCH] = { "map batches", "flame: else one call an entry", false },
	[FEATURE_PERF_EVENT] = { "perf events", "flame, record", true },
	[FEATURE_CYCLES] = { "hardware cycles", "flame, record: else cpu-clock", false },
	[FEATURE_PERF_PROG] = { "programs on events", "flame, record", true },
	[FEATURE_RAW_TP] = { "raw tracepoints", "-p, -t, COMMAND", true },
	[FEATURE_TP_BTF] = { "BTF tracepoints", "typed arguments of tracepoints (no command yet)", false },
	[FEATURE_TRACEFS] = { "tracefs", "names of tracepoints (no command yet)", false },
	[FEATURE_KPROBE] = { "kprobe", "kernel functions (no command yet)", false },
	[FEATURE_KPROBE_MULTI] = { "kprobe.multi", "many kernel functions at once: else kprobe", false },
	[FEATURE_FENTRY] = { "fentry", "kernel functions: else kprobe", false },
	[FEATURE_UPROBE] = { "uprobe", "functions of programs (no command yet)", false },
	[FEATURE_UPROBE_MULTI] = { "uprobe.multi", "many functions of programs: else uprobe", false },
	[FEATURE_COOKIE] = { "attach cookies", "telling probes apart: else a program each", false },
	[FEATURE_BPF_LOOP] = { "bpf_loop", "long loops: else bounded ones", false },
	[FEATURE_KSYM] = { "kernel symbols by BPF", "flame, record: else /proc/kallsyms, 40 ms slower", false },
	[FEATURE_TASK_STORAGE] = { "task storage", "state of threads: else a hash", false },
	[FEATURE_BPF_STATS] = { "BPF statistics", "--receipt: time in the kernel", false },
	[FEATURE_PIDFD] = { "pidfd", "end of targets at once: else within 0.1 s", false },
	[FEATURE_CGROUP2] = { "cgroup v2", "-G", false },
	[FEATURE_KALLSYMS] = { "kernel addresses", "names of kernel functions", false },
	[FEATURE_PTRACE] = { "other users' maps", "names in processes that run already", false },
};

static void __attribute__((format(printf, 2, 3))) why(struct feature_state *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
}

static void __attribute__((format(printf, 2, 3))) enable(struct feature_state *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->enable, sizeof(s->enable), fmt, ap);
	va_end(ap);
}

/* First line of a small file without its newline; empty when it cannot be read. */
static void read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (f && fgets(buf, size, f))
		buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
}

/* Why a call that needs privileges said no, as far as that can be known from outside. */
static void refused(struct feature_state *s, int ret, int cap, const char *cap_name)
{
	char lockdown[128];

	why(s, "%s", strerror(-ret));
	if (ret != -EPERM && ret != -EACCES)
		return;
	if (!kernel_has_cap(cap) && !kernel_has_cap(CAP_SYS_ADMIN)) {
		why(s, "%s is missing", cap_name);
		enable(s, "sudo, or once: sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep skep");
		return;
	}
	read_line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	if (strstr(lockdown, "[confidentiality]"))
		why(s, "the kernel is locked down (confidentiality)");
	else
		why(s, "%s, although %s is there: a seccomp filter, a security module or the kernel's own policy", strerror(-ret),
		    cap_name);
}

/* return 0; */
static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* A descriptor or -errno. */
static int load(enum bpf_prog_type type, int attach, int btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int fd;

	opts.expected_attach_type = attach;
	opts.attach_btf_id = btf_id > 0 ? btf_id : 0;
	fd = bpf_prog_load(type, "skep_probe", "GPL", nothing, sizeof(nothing) / sizeof(*nothing), &opts);
	return fd < 0 ? -errno : fd;
}

/* Closes what a probe made. Returns whether it was made. */
static bool made(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void probe_bpf(struct feature_state *s)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "skep_probe", 4, 4, 1, NULL), ret = fd < 0 ? -errno : 0;

	s->has = made(fd);
	if (s->has)
		return;
	refused(s, ret, CAP_BPF, "CAP_BPF");
	if (ret == -ENOSYS)
		enable(s, "a kernel with CONFIG_BPF_SYSCALL=y");
}

static void probe_btf(struct feature_state *s)
{
	s->has = !access("/sys/kernel/btf/vmlinux", R_OK);
	if (s->has)
		return;
	why(s, "/sys/kernel/btf/vmlinux: %s", strerror(errno));
	enable(s, "a kernel with CONFIG_DEBUG_INFO_BTF=y, and /sys mounted");
}

static void probe_jit(struct feature_state *s)
{
	char text[16];

	read_line("/proc/sys/net/core/bpf_jit_enable", text, sizeof(text));
	s->has = text[0] && text[0] != '0';
	if (!text[0])
		why(s, "net.core.bpf_jit_enable is not shown here (a network namespace of its own?)");
	else if (!s->has)
		why(s, "programs are interpreted: several times slower");
	if (!s->has)
		enable(s, "sysctl net.core.bpf_jit_enable=1");
}

static void probe_ringbuf(struct feature_state *s)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "skep_probe", 0, 0, 4096, NULL), ret = fd < 0 ? -errno : 0;

	s->has = made(fd);
	if (!s->has)
		refused(s, ret, CAP_BPF, "CAP_BPF");
	if (ret == -EINVAL)
		enable(s, "Linux 5.8");
}

static void probe_batch(struct feature_state *s)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "skep_probe", 4, 4, 1, NULL);
	__u32 cursor = 0, key, value, n = 1;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	/* An empty hash answers ENOENT. */
	s->has = fd >= 0 && (!bpf_map_lookup_batch(fd, NULL, &cursor, &key, &value, &n, &opts) || errno == ENOENT);
	if (!s->has)
		why(s, "%s", strerror(errno));
	made(fd);
}

static int open_event(uint32_t type, uint64_t config)
{
	struct event e = { .name = "probe", .type = type, .config = config, .freq = true, .period_or_freq = 1 };
	uint32_t *cpus;
	int n = cpus_online(&cpus), fd;

	if (n < 1)
		return -ENODEV;
	fd = kernel_event_open(&e, cpus[0]);
	free(cpus);
	return fd;
}

static void probe_perf_event(struct feature_state *s)
{
	int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	char paranoid[16];

	s->has = made(fd);
	if (s->has)
		return;
	refused(s, fd, CAP_PERFMON, "CAP_PERFMON");
	read_line("/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
	if (fd == -ENOSYS)
		enable(s, "a kernel with CONFIG_PERF_EVENTS=y");
	else if (!paranoid[0])
		why(s, "no perf events in this kernel");
}

static void probe_cycles(struct feature_state *s)
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	s->has = made(fd);
	if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENXIO)
		why(s, "no PMU here, as in most virtual machines");
	else if (!s->has)
		refused(s, fd, CAP_PERFMON, "CAP_PERFMON");
}

static void probe_load(struct feature_state *s, enum bpf_prog_type type, int attach, const char *option)
{
	int fd = load(type, attach, 0);

	s->has = made(fd);
	if (s->has)
		return;
	refused(s, fd, CAP_PERFMON, "CAP_PERFMON");
	if (fd == -EINVAL)
		enable(s, "%s", option);
}

static void probe_perf_prog(struct feature_state *s)
{
	probe_load(s, BPF_PROG_TYPE_PERF_EVENT, 0, "a kernel with CONFIG_BPF_EVENTS=y");
}

static void probe_raw_tp(struct feature_state *s)
{
	int prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), link = prog;

	if (prog >= 0) {
		link = bpf_raw_tracepoint_open("sched_process_fork", prog);
		link = link < 0 ? -errno : link;
		close(prog);
	}
	s->has = made(link);
	if (!s->has)
		refused(s, link, CAP_PERFMON, "CAP_PERFMON");
}

/* Load and attach a program of the kind that finds its place by BTF. */
static int attach_tracing(enum bpf_attach_type attach, const char *name)
{
	int id = libbpf_find_vmlinux_btf_id(name, attach), prog, link;

	if (id < 0)
		return id;
	prog = load(BPF_PROG_TYPE_TRACING, attach, id);
	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open(NULL, prog);
	link = link < 0 ? -errno : link;
	close(prog);
	return link;
}

static void probe_tp_btf(struct feature_state *s)
{
	int fd = attach_tracing(BPF_TRACE_RAW_TP, "sched_process_fork");

	s->has = made(fd);
	if (!s->has)
		refused(s, fd, CAP_PERFMON, "CAP_PERFMON");
}

static void probe_fentry(struct feature_state *s)
{
	int fd = attach_tracing(BPF_TRACE_FENTRY, FUNCTION);

	s->has = made(fd);
	if (s->has)
		return;
	refused(s, fd, CAP_PERFMON, "CAP_PERFMON");
	if (fd == -EPERM && kernel_has_cap(CAP_SYS_ADMIN))
		why(s, "this kernel refuses BPF trampolines");
	enable(s, "a kernel with CONFIG_DYNAMIC_FTRACE=y on an architecture with trampolines");
}

static void probe_tracefs(struct feature_state *s)
{
	s->has = !access("/sys/kernel/tracing/events", R_OK | X_OK) || !access("/sys/kernel/debug/tracing/events", R_OK | X_OK);
	if (s->has)
		return;
	why(s, "/sys/kernel/tracing: %s", errno == EACCES ? strerror(errno) : "not mounted");
	enable(s, "mount -t tracefs tracefs /sys/kernel/tracing");
}

/* A probe through its PMU, 4.17: e12f03d7031a "perf/core: Implement the 'perf_kprobe' PMU". */
static int open_probe(const char *pmu, const char *where, uint64_t offset)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char path[96], type[16];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	read_line(path, type, sizeof(type));
	if (!type[0])
		return -ENOENT;
	attr.type = atoi(type);
	attr.config1 = (uintptr_t)where;
	attr.config2 = offset;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void probe_kprobe(struct feature_state *s)
{
	int fd = open_probe("kprobe", FUNCTION, 0);

	s->has = made(fd);
	if (s->has)
		return;
	refused(s, fd, CAP_PERFMON, "CAP_PERFMON");
	if (fd == -ENOENT) {
		why(s, "not built into this kernel");
		enable(s, "a kernel with CONFIG_KPROBE_EVENTS=y");
	}
}

static void probe_uprobe(struct feature_state *s)
{
	/* Any executable byte of any file will do: the first of our own code. */
	int fd = open_probe("uprobe", "/proc/self/exe", 0x1000);

	s->has = made(fd);
	if (s->has)
		return;
	refused(s, fd, CAP_SYS_ADMIN, "CAP_SYS_ADMIN");
	if (fd == -ENOENT) {
		why(s, "not built into this kernel");
		enable(s, "a kernel with CONFIG_UPROBE_EVENTS=y");
	}
}

static void probe_kprobe_multi(struct feature_state *s)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	const char *sym = FUNCTION;
	int prog = load(BPF_PROG_TYPE_KPROBE, TRACE_KPROBE_MULTI, 0), link = prog;

	if (prog >= 0) {
		opts.kprobe_multi.syms = &sym;
		opts.kprobe_multi.cnt = 1;
		link = bpf_link_create(prog, 0, TRACE_KPROBE_MULTI, &opts);
		link = link < 0 ? -errno : link;
		close(prog);
	}
	s->has = made(link);
	if (s->has)
		return;
	refused(s, link, CAP_PERFMON, "CAP_PERFMON");
	if (link == -EOPNOTSUPP || link == -EINVAL)
		enable(s, "Linux 5.18 with CONFIG_FPROBE=y");
}

/* Newer than libbpf's structure: union bpf_attr.link_create with its uprobe_multi part, uapi/linux/bpf.h, Linux 6.6. */
struct uprobe_multi_attr {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 path, offsets, ref_ctr_offsets, cookies;
	__u32 cnt, multi_flags, pid, pad;
};

/* A directory is no file to probe: a kernel that knows the kind says EBADF. */
static void probe_uprobe_multi(struct feature_state *s)
{
	__u64 offset = 0;
	struct uprobe_multi_attr attr = { .attach_type = TRACE_UPROBE_MULTI, .path = (uintptr_t)"/", .offsets = (uintptr_t)&offset,
					  .cnt = 1 };
	int prog = load(BPF_PROG_TYPE_KPROBE, TRACE_UPROBE_MULTI, 0), link;

	if (prog < 0) {
		refused(s, prog, CAP_PERFMON, "CAP_PERFMON");
		return;
	}
	attr.prog_fd = prog;
	link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	link = link < 0 ? -errno : link;
	s->has = link == -EBADF;
	made(link);
	close(prog);
	if (s->has)
		return;
	why(s, "not known to this kernel");
	enable(s, "Linux 6.6");
}

static void probe_helper(struct feature_state *s, enum bpf_prog_type type, int helper, const char *since)
{
	s->has = libbpf_probe_bpf_helper(type, helper, NULL) == 1;
	if (s->has)
		return;
	why(s, "not known to this kernel");
	enable(s, "%s", since);
}

static void probe_cookie(struct feature_state *s)
{
	probe_helper(s, BPF_PROG_TYPE_PERF_EVENT, HELPER_ATTACH_COOKIE, "Linux 5.15");
}

static void probe_bpf_loop(struct feature_state *s)
{
	probe_helper(s, BPF_PROG_TYPE_RAW_TRACEPOINT, HELPER_LOOP, "Linux 5.17");
}

static void probe_ksym(struct feature_state *s)
{
	struct ksym_asker *asker;
	int ret = ksym_open(&asker);

	s->has = !ret;
	if (s->has) {
		ksym_close(asker);
		return;
	}
	why(s, "%s", ret == -EINVAL ? "not known to this kernel" : strerror(-ret));
	enable(s, "Linux 5.16");
}

static void probe_task_storage(struct feature_state *s)
{
	s->has = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL) == 1;
	if (s->has)
		return;
	why(s, "not known to this kernel");
	enable(s, "Linux 5.11");
}

static void probe_bpf_stats(struct feature_state *s)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME), ret = fd < 0 ? -errno : 0;

	s->has = made(fd);
	if (!s->has)
		refused(s, ret, CAP_SYS_ADMIN, "CAP_SYS_ADMIN");
}

static void probe_pidfd(struct feature_state *s)
{
	int fd = syscall(SYS_pidfd_open, getpid(), 0);

	if (fd < 0)
		why(s, "%s", strerror(errno));
	s->has = made(fd);
}

static void probe_cgroup2(struct feature_state *s)
{
	char line[4096];
	FILE *f = fopen("/proc/self/mountinfo", "re");

	while (f && !s->has && fgets(line, sizeof(line), f))
		s->has = strstr(line, " - cgroup2 ");
	if (f)
		fclose(f);
	if (s->has)
		return;
	why(s, "no cgroup v2 hierarchy is mounted");
	enable(s, "mount -t cgroup2 none /sys/fs/cgroup");
}

/* Any address but 0 in kallsyms? They end with the modules' and BPF's, so it is read to its end when all are hidden. */
static bool any_address(void)
{
	char line[512];
	bool any = false;
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && !any && fgets(line, sizeof(line), f))
		any = strspn(line, "0") < 16 && line[0];
	if (f)
		fclose(f);
	return any;
}

static void probe_kallsyms(struct feature_state *s)
{
	char restrict_text[16];

	s->has = any_address();
	if (s->has)
		return;
	read_line("/proc/sys/kernel/kptr_restrict", restrict_text, sizeof(restrict_text));
	why(s, "/proc/kallsyms shows only zeros (kernel.kptr_restrict is %s%s)", restrict_text[0] ? restrict_text : "unknown",
	    kernel_has_cap(CAP_SYSLOG) ? "" : ", CAP_SYSLOG is missing");
	enable(s, "sysctl kernel.kptr_restrict=1, and CAP_SYSLOG");
}

static void probe_ptrace(struct feature_state *s)
{
	s->has = kernel_has_cap(CAP_SYS_PTRACE);
	if (s->has)
		return;
	why(s, "CAP_SYS_PTRACE is missing");
	enable(s, "sudo, or setcap cap_sys_ptrace+ep skep");
}

static void (*const probes[FEATURE_MAX])(struct feature_state *s) = {
	[FEATURE_BPF] = probe_bpf,
	[FEATURE_BTF] = probe_btf,
	[FEATURE_JIT] = probe_jit,
	[FEATURE_RINGBUF] = probe_ringbuf,
	[FEATURE_BATCH] = probe_batch,
	[FEATURE_PERF_EVENT] = probe_perf_event,
	[FEATURE_CYCLES] = probe_cycles,
	[FEATURE_PERF_PROG] = probe_perf_prog,
	[FEATURE_RAW_TP] = probe_raw_tp,
	[FEATURE_TP_BTF] = probe_tp_btf,
	[FEATURE_TRACEFS] = probe_tracefs,
	[FEATURE_KPROBE] = probe_kprobe,
	[FEATURE_KPROBE_MULTI] = probe_kprobe_multi,
	[FEATURE_FENTRY] = probe_fentry,
	[FEATURE_UPROBE] = probe_uprobe,
	[FEATURE_UPROBE_MULTI] = probe_uprobe_multi,
	[FEATURE_COOKIE] = probe_cookie,
	[FEATURE_BPF_LOOP] = probe_bpf_loop,
	[FEATURE_KSYM] = probe_ksym,
	[FEATURE_TASK_STORAGE] = probe_task_storage,
	[FEATURE_BPF_STATS] = probe_bpf_stats,
	[FEATURE_PIDFD] = probe_pidfd,
	[FEATURE_CGROUP2] = probe_cgroup2,
	[FEATURE_KALLSYMS] = probe_kallsyms,
	[FEATURE_PTRACE] = probe_ptrace,
};

const struct feature_state *feature(enum feature f)
{
	static struct feature_state states[FEATURE_MAX];
	static bool asked[FEATURE_MAX];

	if (!asked[f]) {
		kernel_talk();
		asked[f] = true;
		probes[f](&states[f]);
	}
	return &states[f];
}
