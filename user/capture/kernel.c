/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes of the kernel at hand, and what to tell the user when it says no. */
#include "capture/kernel.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/num.h"
#include "util/vec.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

struct cpu_vec {
	VEC(uint32_t) v;
};

static int add_cpu(void *arg, uint64_t cpu)
{
	struct cpu_vec *list = arg;

	if (vec_reserve(&list->v))
		return -ENOMEM;
	list->v.data[list->v.n++] = cpu;
	return 0;
}

int kernel_cpus(uint32_t **ret_cpus)
{
	struct cpu_vec list = {};
	char text[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int ret = 0;

	if (f && fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		ret = num_list(text, 1 << 16, add_cpu, &list);
	} else {
		long n = sysconf(_SC_NPROCESSORS_ONLN);

		for (long cpu = 0; cpu < n && !ret; cpu++)
			ret = add_cpu(&list, cpu);
	}
	if (f)
		fclose(f);
	if (ret) {
		vec_free(&list.v);
		return ret;
	}
	*ret_cpus = list.v.data;
	return list.v.n;
}

/* Is a capability in our effective set? 1, 0. capget(2) in its 64-bit form. */
static int have_cap(int cap)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data))
		return 0;
	return data[cap / 32].effective >> (cap % 32) & 1;
}

static void hint_privileges(struct err *err)
{
	err_hint(err, "run it with sudo, or once: sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep "
		      "\"$(command -v skep)\"");
}

int kernel_check(struct err *err)
{
	union bpf_attr attr;
	int fd, ret;

	if (!have_cap(CAP_SYS_ADMIN) && (!have_cap(CAP_BPF) || !have_cap(CAP_PERFMON))) {
		const char *missing = have_cap(CAP_BPF) ? "CAP_PERFMON" : have_cap(CAP_PERFMON) ? "CAP_BPF" : "CAP_BPF and CAP_PERFMON";

		err_exit(err, -EPERM, EXIT_CANNOT, "no privileges to load BPF programs: %s missing", missing);
		hint_privileges(err);
		return -EPERM;
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		ret = -errno;
		err_exit(err, ret, EXIT_CANNOT, "cannot read the kernel's types in /sys/kernel/btf/vmlinux: %s",
			 strerror(-ret));
		err_hint(err, "skep needs a kernel built with CONFIG_DEBUG_INFO_BTF=y, and /sys mounted");
		return ret;
	}
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 4;
	attr.max_entries = 1;
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd < 0) {
		ret = -errno;
		err_exit(err, ret, EXIT_CANNOT, "the kernel refuses bpf(): %s", strerror(-ret));
		if (ret == -EPERM)
			err_hint(err, "a seccomp filter (container?), lockdown or a security module is in the way");
		else if (ret == -ENOSYS)
			err_hint(err, "skep needs a kernel built with CONFIG_BPF_SYSCALL=y");
		return ret;
	}
	close(fd);
	return 0;
}

int kernel_event_open(const struct event *e, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = e->type,
		.size = sizeof(attr),
		.config = e->config,
		.config1 = e->config1,
		.config2 = e->config2,
		.sample_type = PERF_SAMPLE_IDENTIFIER,
		.exclude_user = e->exclude_user,
		.exclude_kernel = e->exclude_kernel,
		.exclude_hv = e->exclude_hv,
		.exclude_idle = e->exclude_idle,
		.precise_ip = e->precise,
		.freq = e->freq,
	};
	int fd;

	attr.sample_period = e->period_or_freq; /* one union with sample_freq */
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int kernel_event_refused(const struct event *e, int ret, struct err *err)
{
	char max[32] = "?";
	FILE *f;

	switch (-ret) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENXIO:
		err_exit(err, ret, EXIT_CANNOT, "event '%s' is not supported by this machine", e->name);
		err_hint(err, "a virtual machine often has no hardware counters: -e cpu-clock works everywhere");
		break;
	case EACCES:
	case EPERM:
		err_exit(err, ret, EXIT_CANNOT, "not permitted to sample '%s'", e->name);
		hint_privileges(err);
		break;
	case EINVAL:
		f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
		if (f && fgets(max, sizeof(max), f))
			max[strcspn(max, "\n")] = '\0';
		if (f)
			fclose(f);
		err_set(err, ret, "the kernel refuses event '%s'%s", e->name,
			e->freq ? " at this frequency" : " with this period or these modifiers");
		if (e->freq)
			err_hint(err, "kernel.perf_event_max_sample_rate is %s", max);
		break;
	case EMFILE:
		err_set(err, ret, "too many open files for one event per CPU");
		err_hint(err, "raise the limit: ulimit -n 65536");
		break;
	default:
		err_exit(err, ret, EXIT_CANNOT, "cannot open event '%s': %s", e->name, strerror(-ret));
	}
	return ret;
}
