/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each attempt creates the smallest program, map, link or event of its kind and removes it again. */
#include "capture/tries.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/attach.h"
#include "capture/ksym.h"
#include "capture/load.h"
#include "capture/pidns.h"
#include "capture/refusal.h"
#include "event/tracepoints.h"
#include "target.h"
#include "types/btf.h"
#include "util/cpus.h"

/* Newer than some of the headers that skep is built with; uapi/linux/bpf.h. */
#define TRACE_KPROBE_MULTI 42
#define TRACE_UPROBE_MULTI 48
#define HELPER_ATTACH_COOKIE 174
#define HELPER_LOOP 181
#define HELPER_FIND_VMA 180

#define FUNCTION "vfs_read" /* on every kernel, and never inlined */

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

/* Closes what an attempt made. 0 or -errno. */
static int made(int fd)
{
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int make_map(enum bpf_map_type type, uint32_t key, uint32_t value, uint32_t entries)
{
	int fd = bpf_map_create(type, "skep_probe", key, value, entries, NULL);

	return fd < 0 ? -errno : fd;
}

static int try_bpf(void)
{
	return made(make_map(BPF_MAP_TYPE_ARRAY, 4, 4, 1));
}

static int try_btf(void)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return -errno;
	return object_kernel_types() ? 0 : -EBADMSG;
}

static void explain_btf(struct feature_state *s, int ret)
{
	probe_why(s, "/sys/kernel/btf/vmlinux: %s", strerror(-ret));
}

static int try_jit(void)
{
	char text[16];

	probe_read_line("/proc/sys/net/core/bpf_jit_enable", text, sizeof(text));
	return !text[0] ? -ENOENT : text[0] == '0' ? -ENOTSUP : 0;
}

static void explain_jit(struct feature_state *s, int ret)
{
	probe_why(s, ret == -ENOENT ? "net.core.bpf_jit_enable cannot be read here (a network namespace of its own?)" :
				      "programs are interpreted: several times slower");
}

static int try_ringbuf(void)
{
	return made(make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096));
}

static int try_batch(void)
{
	int fd = make_map(BPF_MAP_TYPE_HASH, 4, 4, 1), ret;
	__u32 cursor = 0, key, value, n = 1;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	if (fd < 0)
		return fd;
	ret = bpf_map_lookup_batch(fd, NULL, &cursor, &key, &value, &n, &opts) ? -errno : 0;
	close(fd);
	return ret == -ENOENT ? 0 : ret; /* what an empty hash answers */
}

/* A program that may interrupt the kernel's own allocation: older kernels refuse it a hash that allocates (34dd3bad1a6f, 6.1, relaxed it). */
static int try_growing_hash(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, map_opts, .map_flags = BPF_F_NO_PREALLOC);
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "skep_probe", 4, 4, 1, &map_opts), ret;
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		nothing[0],
		nothing[1],
	};

	if (map < 0)
		return -errno;
	ret = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "skep_probe", "GPL", insns, sizeof(insns) / sizeof(*insns), &opts);
	ret = made(ret < 0 ? -errno : ret);
	close(map);
	return ret;
}

static int open_event(uint32_t type, uint64_t config)
{
	struct event e = { .name = "probe", .type = type, .config = config, .freq = true, .period_or_freq = 1 };
	uint32_t *cpus;
	int n = cpus_online(&cpus), fd;

	if (n < 1)
		return -ENODEV;
	fd = kernel_event_open(&e, cpus[0], -1);
	free(cpus);
	return fd;
}

static int try_perf_event(void)
{
	return made(open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK));
}

static int try_cycles(void)
{
	return made(open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES));
}

static void explain_cycles(struct feature_state *s, int ret)
{
	if (ret == -ENOENT || ret == -EOPNOTSUPP || ret == -ENXIO)
		probe_why(s, "no PMU here, as in most virtual machines");
}

static int try_own_events(void)
{
	const struct event clock = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .exclude_kernel = true, .exclude_hv = true };
	struct perf_event_attr attr = { .disabled = 1 };

	return made(kernel_open_named(&clock, &attr, 0, -1, -1, 0));
}

static void explain_own_events(struct feature_state *s, int ret)
{
	if (ret == -EACCES)
		probe_enable(s, "sysctl kernel.perf_event_paranoid=2");
}

static int try_perf_prog(void)
{
	return made(load(BPF_PROG_TYPE_PERF_EVENT, 0, 0));
}

static int try_raw_tp(void)
{
	int prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0), link;

	if (prog < 0)
		return prog;
	link = bpf_raw_tracepoint_open("sched_process_fork", prog);
	link = link < 0 ? -errno : link;
	close(prog);
	return made(link);
}

/* Where a program is attached that finds its place by BTF: a function, or the type of a tracepoint's functions. */
static int tracing_id(enum bpf_attach_type attach, const char *name)
{
	const struct btf_types *types = object_kernel_types();
	char tracepoint[64];
	uint32_t id = 0;

	snprintf(tracepoint, sizeof(tracepoint), "btf_trace_%s", name);
	if (types)
		id = attach == BPF_TRACE_RAW_TP ? btf_find(types, BTF_KIND_TYPEDEF, tracepoint) : btf_find(types, BTF_KIND_FUNC, name);
	return id ? (int)id : -ENOENT;
}

/* Load and attach a program of that kind. */
static int attach_tracing(enum bpf_attach_type attach, const char *name)
{
	int id = tracing_id(attach, name), prog, link;

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

static int try_tp_btf(void)
{
	return made(attach_tracing(BPF_TRACE_RAW_TP, "sched_process_fork"));
}

/*
 * Programs on system calls can be sleepable from 7.2 on; from then on those that are not are preempted, and what other tasks
 * of the CPU call meanwhile is skipped. Found by loading a sleepable one.
 */
static int try_syscall_btf(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP, .prog_flags = BPF_F_SLEEPABLE);
	int id = tracing_id(BPF_TRACE_RAW_TP, "sys_enter"), ret, fd;

	if (id < 0)
		return id;
	ret = made(attach_tracing(BPF_TRACE_RAW_TP, "sys_enter"));
	if (ret)
		return ret;
	opts.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "skep_probe", "GPL", nothing, sizeof(nothing) / sizeof(*nothing), &opts);
	return made(fd) ? 0 : -EBUSY;
}

static void explain_syscall_btf(struct feature_state *s, int ret)
{
	if (ret == -EBUSY)
		probe_why(s, "programs on them are preempted: calls would be lost");
}

/*
 * From 7.0 on, a46023d5616e "tracing: Guard __DECLARE_TRACE() use of __DO_TRACE_CALL() with SRCU-fast", a program of any tracepoint where
 * tasks can be preempted may be, and what others do there meanwhile is skipped. That commit gave the kernel's struct its member.
 */
static int try_tp_unpreempted(void)
{
	const struct btf_types *types = object_kernel_types();

	return types && btf_has_member(types, "tp_transition_snapshot", "srcu_gp") ? -EBUSY : 0;
}

static void explain_tp_unpreempted(struct feature_state *s, int ret)
{
	if (ret == -EBUSY)
		probe_why(s, "programs on tracepoints are preempted: ends of threads would be lost");
}

/* Before 6.4 the first was io_uring_submit_sqe. */
static int try_uring(void)
{
	const struct btf_types *types = object_kernel_types();

	if (!types)
		return -EBADMSG;
	return btf_tracepoint_args(types, "io_uring_complete") > 0 && (btf_tracepoint_args(types, "io_uring_submit_req") > 0 ||
		btf_tracepoint_args(types, "io_uring_submit_sqe") > 0) ? 0 : -ENOENT;
}

static void explain_uring(struct feature_state *s, int ret)
{
	if (ret == -ENOENT)
		probe_why(s, "the kernel has no tracepoints of it");
}

static int try_fentry(void)
{
	return made(attach_tracing(BPF_TRACE_FENTRY, FUNCTION));
}

static void explain_fentry(struct feature_state *s, int ret)
{
	if (ret != -EPERM || !kernel_has_cap(CAP_SYS_ADMIN))
		return;
	probe_why(s, "this kernel refuses BPF trampolines");
	probe_enable(s, "%s", attempts[FEATURE_FENTRY].since);
}

static int try_tracefs(void)
{
	const char *path = tracefs_path();
	char events[64];

	if (!path)
		return -ENOENT;
	snprintf(events, sizeof(events), "%s/events", path);
	return access(events, R_OK | X_OK) ? -errno : 0;
}

static void explain_tracefs(struct feature_state *s, int ret)
{
	probe_why(s, "/sys/kernel/tracing: %s", ret == -EACCES ? "readable by root only" : "not mounted");
	if (ret == -EACCES)
		probe_enable(s, "sudo mount -o remount,mode=755 /sys/kernel/tracing");
}

/* A probe through its PMU, 4.17: e12f03d7031a "perf/core: Implement the 'perf_kprobe' PMU". */
static int open_probe(bool is_user, const char *where, uint64_t offset)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int type = attach_pmu(is_user), fd;

	if (type < 0)
		return -ENOENT;
	attr.type = type;
	attr.config1 = (uintptr_t)where;
	attr.config2 = offset;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int try_kprobe(void)
{
	return made(open_probe(false, FUNCTION, 0));
}

/* Where this file has a function of ours that hardly ever runs: the probe is really put there. Returns 0 if not known. */
static uint64_t own_offset(void)
{
	uint64_t start, end, offset, at = (uintptr_t)own_offset, found = 0;
	char line[4352];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) == 3 && at >= start && at < end)
			found = at - start + offset;
	if (f)
		fclose(f);
	return found;
}

static int try_uprobe(void)
{
	uint64_t offset = own_offset();

	return offset ? made(open_probe(true, "/proc/self/exe", offset)) : -ENOENT;
}

static void explain_probe(struct feature_state *s, int ret)
{
	if (ret == -ENOENT)
		probe_why(s, "not built into this kernel");
}

static int link_kprobes(int prog, const char *sym)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int link;

	opts.kprobe_multi.syms = &sym;
	opts.kprobe_multi.cnt = 1;
	link = bpf_link_create(prog, 0, TRACE_KPROBE_MULTI, &opts);
	return link < 0 ? -errno : link;
}

/* A kernel that knows it looks for the function first, which is enough; attaching takes much longer. 5.18 and 5.19 do not say. */
static int try_kprobe_multi(void)
{
	int prog = load(BPF_PROG_TYPE_KPROBE, TRACE_KPROBE_MULTI, 0), link;

	if (prog < 0)
		return prog;
	link = link_kprobes(prog, "no function has this name");
	if (link == -EINVAL)
		link = link_kprobes(prog, FUNCTION);
	close(prog);
	return link == -ESRCH ? 0 : made(link);
}

/* Newer than libbpf's structure: union bpf_attr.link_create with its uprobe_multi part, uapi/linux/bpf.h, Linux 6.6. */
struct uprobe_multi_attr {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 path, offsets, ref_ctr_offsets, cookies;
	__u32 cnt, multi_flags, pid, pad;
};

/* A directory is no file to probe: a kernel that knows the kind says EBADF. */
static int try_uprobe_multi(void)
{
	__u64 offset = 0;
	struct uprobe_multi_attr attr = { .attach_type = TRACE_UPROBE_MULTI, .path = (uintptr_t)"/", .offsets = (uintptr_t)&offset,
					  .cnt = 1 };
	int prog = load(BPF_PROG_TYPE_KPROBE, TRACE_UPROBE_MULTI, 0), link;

	if (prog < 0)
		return prog;
	attr.prog_fd = prog;
	link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	link = link < 0 ? -errno : link;
	close(prog);
	return link == -EBADF ? 0 : made(link);
}

/* libbpf's own probes do not distinguish a lack of privileges from one of the kernel. */
static bool can_bpf(void)
{
	return !feature(FEATURE_BPF)->has ? false : kernel_has_cap(CAP_SYS_ADMIN) || kernel_has_cap(CAP_PERFMON);
}

static int try_cookie(void)
{
	return !can_bpf() ? -EPERM : libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, HELPER_ATTACH_COOKIE, NULL) == 1 ? 0 : -EINVAL;
}

static int try_helper(enum bpf_prog_type type, int helper)
{
	return !can_bpf() ? -EPERM : libbpf_probe_bpf_helper(type, helper, NULL) == 1 ? 0 : -EINVAL;
}

static int try_bpf_loop(void)
{
	return try_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, HELPER_LOOP);
}

static int try_find_vma(void)
{
	return try_helper(BPF_PROG_TYPE_PERF_EVENT, HELPER_FIND_VMA);
}

static int try_ksym(void)
{
	struct ksym_asker *asker;
	int ret = ksym_open(&asker);

	if (!ret)
		ksym_close(asker);
	return ret;
}

static int try_task_storage(void)
{
	if (!can_bpf())
		return -EPERM;
	/* The map came with 5.11, for programs of security modules alone: this tries the helper of tracing */
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_task_storage_get, NULL) == 1 ? 0 : -EINVAL;
}

static int try_bpf_stats(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	return fd < 0 ? -errno : made(fd);
}

static int try_pidfd(void)
{
	int fd = syscall(SYS_pidfd_open, getpid(), 0);

	return fd < 0 ? -errno : made(fd);
}

static int try_cgroup2(void)
{
	char mount[1024];

	return target_cgroup_mount(mount, sizeof(mount));
}

static void explain_cgroup2(struct feature_state *s, int ret)
{
	(void)ret;
	probe_why(s, "no cgroup v2 hierarchy is mounted");
}

/* Any address but 0 in kallsyms? They end with the modules' and BPF's, so it is read to its end when all are hidden. */
static int try_kallsyms(void)
{
	char line[512];
	bool any = false;
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && !any && fgets(line, sizeof(line), f))
		any = strspn(line, "0") < 16 && line[0];
	if (f)
		fclose(f);
	return any ? 0 : -ENODATA;
}

static void explain_kallsyms(struct feature_state *s, int ret)
{
	char restrict_text[16];

	(void)ret;
	probe_read_line("/proc/sys/kernel/kptr_restrict", restrict_text, sizeof(restrict_text));
	probe_why(s, "/proc/kallsyms shows only zeros (kernel.kptr_restrict is %s%s)", restrict_text[0] ? restrict_text : "unknown",
		  kernel_has_cap(CAP_SYSLOG) ? "" : ", CAP_SYSLOG is missing");
	probe_enable(s, "%s%s", restrict_text[0] == '2' ? "sysctl kernel.kptr_restrict=1, and " : "sudo, or once: ",
		     kernel_setcap_command(""));
}

static int try_ptrace(void)
{
	return kernel_has_cap(CAP_SYS_PTRACE) ? 0 : -EPERM;
}

const struct attempt attempts[FEATURE_MAX] = {
	[FEATURE_BPF] = { try_bpf, CAP_BPF, "CAP_BPF", "a kernel with CONFIG_BPF_SYSCALL=y", NULL },
	[FEATURE_BTF] = { try_btf, 0, NULL, "a kernel with CONFIG_DEBUG_INFO_BTF=y, and /sys mounted", explain_btf },
	[FEATURE_JIT] = { try_jit, 0, NULL, "sysctl net.core.bpf_jit_enable=1", explain_jit },
	[FEATURE_RINGBUF] = { try_ringbuf, CAP_BPF, "CAP_BPF", "Linux 5.8", NULL },
	[FEATURE_BATCH] = { try_batch, CAP_BPF, "CAP_BPF", "Linux 5.6", NULL },
	[FEATURE_GROWING_HASH] = { try_growing_hash, CAP_PERFMON, "CAP_BPF and CAP_PERFMON", "Linux 6.1", NULL },
	[FEATURE_PERF_EVENT] = { try_perf_event, CAP_PERFMON, "CAP_PERFMON", "a kernel with CONFIG_PERF_EVENTS=y", NULL },
	[FEATURE_CYCLES] = { try_cycles, CAP_PERFMON, "CAP_PERFMON", NULL, explain_cycles },
	[FEATURE_PERF_PROG] = { try_perf_prog, CAP_PERFMON, "CAP_PERFMON", "a kernel with CONFIG_BPF_EVENTS=y", NULL },
	[FEATURE_OWN_EVENTS] = { try_own_events, CAP_PERFMON, "CAP_PERFMON", NULL, explain_own_events },
	[FEATURE_RAW_TP] = { try_raw_tp, CAP_PERFMON, "CAP_PERFMON", NULL, NULL },
	[FEATURE_TP_BTF] = { try_tp_btf, CAP_PERFMON, "CAP_PERFMON", "Linux 5.5", NULL },
	[FEATURE_SYSCALL_BTF] = { try_syscall_btf, CAP_PERFMON, "CAP_PERFMON", NULL, explain_syscall_btf },
	[FEATURE_TP_UNPREEMPTED] = { try_tp_unpreempted, 0, NULL, NULL, explain_tp_unpreempted },
	[FEATURE_URING] = { try_uring, 0, NULL, "a kernel with CONFIG_IO_URING=y", explain_uring },
	[FEATURE_TRACEFS] = { try_tracefs, 0, NULL, "mount -t tracefs tracefs /sys/kernel/tracing", explain_tracefs },
	[FEATURE_KPROBE] = { try_kprobe, CAP_PERFMON, "CAP_PERFMON", "a kernel with CONFIG_KPROBE_EVENTS=y", explain_probe },
	[FEATURE_KPROBE_MULTI] = { try_kprobe_multi, CAP_PERFMON, "CAP_PERFMON", "Linux 5.18 with CONFIG_FPROBE=y", NULL },
	[FEATURE_FENTRY] = { try_fentry, CAP_PERFMON, "CAP_PERFMON",
			     "a kernel with CONFIG_DYNAMIC_FTRACE=y on an architecture with trampolines", explain_fentry },
	[FEATURE_UPROBE] = { try_uprobe, CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "a kernel with CONFIG_UPROBE_EVENTS=y", explain_probe },
	[FEATURE_UPROBE_MULTI] = { try_uprobe_multi, CAP_PERFMON, "CAP_PERFMON", "Linux 6.6", NULL },
	[FEATURE_COOKIE] = { try_cookie, CAP_PERFMON, "CAP_BPF or CAP_PERFMON", "Linux 5.15", NULL },
	[FEATURE_BPF_LOOP] = { try_bpf_loop, CAP_PERFMON, "CAP_BPF or CAP_PERFMON", "Linux 5.17", NULL },
	[FEATURE_FIND_VMA] = { try_find_vma, CAP_PERFMON, "CAP_BPF or CAP_PERFMON", "Linux 5.17", NULL },
	[FEATURE_KSYM] = { try_ksym, CAP_PERFMON, "CAP_PERFMON", "Linux 5.16", NULL },
	[FEATURE_TASK_STORAGE] = { try_task_storage, CAP_PERFMON, "CAP_BPF or CAP_PERFMON", "Linux 5.13", NULL },
	[FEATURE_BPF_STATS] = { try_bpf_stats, CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "Linux 5.8", NULL },
	[FEATURE_TASK_ITER] = { pidns_try, CAP_PERFMON, "CAP_PERFMON", "Linux 5.8", NULL },
	[FEATURE_PIDFD] = { try_pidfd, 0, NULL, NULL, NULL },
	[FEATURE_CGROUP2] = { try_cgroup2, 0, NULL, "mount -t cgroup2 none /sys/fs/cgroup", explain_cgroup2 },
	[FEATURE_KALLSYMS] = { try_kallsyms, 0, NULL, "sysctl kernel.kptr_restrict=1, and CAP_SYSLOG", explain_kallsyms },
	[FEATURE_PTRACE] = { try_ptrace, CAP_SYS_PTRACE, "CAP_SYS_PTRACE", NULL, NULL },
};
