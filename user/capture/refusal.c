/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes of this kernel, and the errors and hints for its refusals. */
#include "capture/refusal.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btf.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bpf/stack.h"
#include "capture/sideband.h"
#include "util/log.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"

/* libbpf explains refusals on its own; its talk belongs to -vv. */
static int bpf_talk(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (log_level < 2 || (level == LIBBPF_DEBUG && log_level < 3))
		return 0;
	return vfprintf(stderr, fmt, ap);
}

void kernel_talk(void)
{
	libbpf_set_print(bpf_talk);
}

/* capget(2) in its 64-bit form. */
bool kernel_has_cap(int cap)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &head, data))
		return 0;
	return data[cap / 32].effective >> (cap % 32) & 1;
}

const char *kernel_setcap_command(const char *more)
{
	static char text[PATH_MAX + 128];
	char path[PATH_MAX] = "skep";
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? (size_t)n : strlen(path)] = '\0';
	snprintf(text, sizeof(text), "sudo setcap %scap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep '%s'", more, path);
	return text;
}

static void hint_privileges(struct err *err)
{
	err_hint(err, "run it with sudo, or once: %s", kernel_setcap_command(""));
}

/* Above 2, which only Debian's and Ubuntu's kernels know, CAP_PERFMON is not enough. */
void kernel_hint_perf(struct err *err)
{
	int paranoid = 2;
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");

	if (f && fscanf(f, "%d", &paranoid) != 1)
		paranoid = 2;
	if (f)
		fclose(f);
	if (paranoid > 2 && kernel_has_cap(CAP_PERFMON))
		err_hint(err, "this kernel needs CAP_SYS_ADMIN while kernel.perf_event_paranoid is %d: sysctl kernel.perf_event_paranoid=2",
			 paranoid);
	else if (kernel_has_cap(CAP_SYS_ADMIN))
		err_hint(err, "a seccomp filter (container?), lockdown or a security module blocks it");
	else
		hint_privileges(err);
}

bool kernel_may_load(const char **ret_missing)
{
	bool bpf = kernel_has_cap(CAP_BPF), perfmon = kernel_has_cap(CAP_PERFMON);

	*ret_missing = bpf ? "CAP_PERFMON" : perfmon ? "CAP_BPF" : "CAP_BPF and CAP_PERFMON";
	return kernel_has_cap(CAP_SYS_ADMIN) || (bpf && perfmon);
}

int kernel_check_net(struct err *err)
{
	if (kernel_has_cap(CAP_SYS_ADMIN) || kernel_has_cap(CAP_NET_ADMIN))
		return 0;
	err_exit(err, -EPERM, EXIT_CANNOT, "no privileges to count packets: CAP_NET_ADMIN missing");
	err_hint(err, "run it with sudo, or once: %s", kernel_setcap_command("cap_net_admin,"));
	return -EPERM;
}

/* What is in the place of the types where it is no BTF (linux/btf.h): NULL when it is. */
static const char *why_no_types(void)
{
	int fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC);
	uint16_t magic = 0;
	ssize_t n;

	if (fd < 0)
		return strerror(errno);
	n = read(fd, &magic, sizeof(magic));
	close(fd);
	return n < 0 ? strerror(errno) : !n ? "the file is empty" : n < 2 || magic != BTF_MAGIC ? "not a BTF file" : NULL;
}

int kernel_check(struct err *err)
{
	const char *missing;
	const char *why;
	int fd, ret;

	if (!kernel_may_load(&missing)) {
		err_exit(err, -EPERM, EXIT_CANNOT, "no privileges to load BPF programs: %s missing", missing);
		hint_privileges(err);
		return -EPERM;
	}
	errno = 0;
	why = why_no_types();
	if (why) {
		ret = errno == EMFILE ? -EMFILE : -ENODATA;
		err_exit(err, ret, EXIT_CANNOT, "cannot read the kernel's types in " BTF_FILE ": %s", why);
		if (ret != -EMFILE)
			err_hint(err, "skep needs a kernel built with CONFIG_DEBUG_INFO_BTF=y, and /sys mounted");
		return ret;
	}
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "skep_probe", 4, 4, 1, NULL);
	if (fd < 0) {
		ret = -errno;
		err_exit(err, ret, EXIT_CANNOT, "the kernel refuses bpf(): %s", strerror(-ret));
		if (ret == -EPERM)
			err_hint(err, "a seccomp filter or a user namespace (container?), lockdown, a security module, or before "
				      "5.11 the limit of locked memory (ulimit -l) blocks it");
		else if (ret == -ENOSYS)
			err_hint(err, "skep needs a kernel built with CONFIG_BPF_SYSCALL=y");
		return ret;
	}
	close(fd);
	return 0;
}

/* A shorter period is silently made this long: perf_swevent_start_hrtimer(), kernel/events/core.c. */
#define PRECISE_MOST 3 /* of attr.precise_ip */
#define CLOCK_PERIOD_MIN_NS 10000

int kernel_perf_event_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd, unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags | PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && attr->exclude_guest && (errno == EINVAL || errno == EOPNOTSUPP)) {
		attr->exclude_guest = 0; /* some PMUs know no guests */
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags | PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

int kernel_open_named(const struct event *e, struct perf_event_attr *attr, int pid, int cpu, int group_fd, unsigned long flags)
{
	int precise = e->precise_max ? PRECISE_MOST : e->precise, fd;

	attr->type = e->type;
	attr->size = sizeof(*attr);
	attr->config = e->config;
	attr->config1 = e->config1;
	attr->config2 = e->config2;
	attr->exclude_user = e->exclude_user;
	attr->exclude_kernel = e->exclude_kernel;
	attr->exclude_hv = e->exclude_hv;
	attr->exclude_idle = e->exclude_idle;
	attr->exclude_host = e->exclude_host;
	attr->exclude_guest = !e->guest;
	do {
		attr->precise_ip = precise;
		fd = kernel_perf_event_open(attr, pid, cpu, group_fd, flags);
	} while (fd < 0 && e->precise_max && precise-- > 0);
	return fd;
}

int kernel_event_open(const struct event *e, uint32_t cpu, int group_fd)
{
	struct perf_event_attr attr = {
		/* As the side band's: what the kernel says of this event goes into its buffer. */
		.sample_type = SIDEBAND_SAMPLE_TYPE,
		.sample_id_all = 1,
		.disabled = 1, /* until the program is attached: a sample of its own would land in that buffer */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.freq = e->freq,
	};

	if (event_is_clock(e) && !e->freq && e->period_or_freq < CLOCK_PERIOD_MIN_NS)
		return -ERANGE;
	attr.sample_period = e->period_or_freq; /* one union with sample_freq */
	/* Without it a program that walks stacks is refused, 5d99cb2c86775 "bpf: Fail PERF_EVENT_IOC_SET_BPF...". */
	if (e->precise || e->precise_max)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (e->has_addr) /* of some PMUs it is not there without */
		attr.sample_type |= PERF_SAMPLE_ADDR;
	return kernel_open_named(e, &attr, -1, cpu, group_fd, 0);
}

bool kernel_clock_instead(struct event *e, int pid, int cpu, char *note, size_t size)
{
	struct perf_event_attr attr = { .disabled = 1 };
	struct event clock = *e;
	int fd;

	if (e->kind != EVENT_COUNTER || e->type != PERF_TYPE_HARDWARE || e->config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	fd = kernel_open_named(e, &attr, pid, cpu, -1, 0);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 || (fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENXIO))
		return false;
	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_CPU_CLOCK;
	clock.unit = "ns";
	clock.precise = 0;
	clock.precise_max = false;
	snprintf(clock.name, sizeof(clock.name), "cpu-clock%s", e->exclude_kernel ? ":u" : e->exclude_user ? ":k" : "");
	snprintf(note, size, "event: %s, because this machine has no hardware '%s' (%s)", clock.name, e->name, strerror(-fd));
	*e = clock;
	return true;
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
		err_exit(err, ret, EXIT_CANNOT, "not permitted to open event '%s'", e->name);
		kernel_hint_perf(err);
		break;
	case EINVAL:
		f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
		if (f && fgets(max, sizeof(max), f))
			max[strcspn(max, "\n")] = '\0';
		if (f)
			fclose(f);
		err_exit(err, ret, EXIT_CANNOT, "the kernel refuses event '%s'%s", e->name,
			e->freq ? " at this frequency" : " with this period or these modifiers");
		if (e->freq)
			err_hint(err, "kernel.perf_event_max_sample_rate is %s", max);
		break;
	case ERANGE:
		err_exit(err, ret, EXIT_USAGE, "-c %llu is too short for '%s': the kernel samples clocks every %d ns at most",
			 (unsigned long long)e->period_or_freq, e->name, CLOCK_PERIOD_MIN_NS);
		break;
	case ENOSYS:
		err_exit(err, ret, EXIT_CANNOT, "perf_event_open() is not available");
		err_hint(err, "a seccomp filter (container?) refuses it, or the kernel was built without CONFIG_PERF_EVENTS");
		break;
	case EMFILE:
		err_set(err, ret, "too many open files for one event per CPU or thread");
		break;
	default:
		err_exit(err, ret, EXIT_CANNOT, "cannot open event '%s': %s", e->name, strerror(-ret));
	}
	return ret;
}

uint32_t kernel_max_frames(void)
{
	unsigned n = STACK_MAX_FRAMES;
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");

	if (f && fscanf(f, "%u", &n) != 1)
		n = STACK_MAX_FRAMES;
	if (f)
		fclose(f);
	return n;
}

int kernel_load_refused(int ret, const char *what, struct err *err)
{
	err_exit(err, ret, EXIT_CANNOT, "the kernel refuses %s: %s", what, strerror(-ret));
	switch (-ret) {
	case ENOMEM:
		err_hint(err, "no memory for its maps: use a smaller --max-stacks or -m, or a higher limit of the cgroup");
		break;
	case EPERM:
		err_hint(err, "lockdown, a seccomp filter (container?), a security module, or before 5.11 the limit of locked memory "
			      "(ulimit -l) blocks it");
		break;
	case EINVAL:
	case EACCES:
	case E2BIG:
		err_hint(err, "skep -vv shows the verifier's log");
		break;
	case ESRCH: /* of libbpf: the kernel's types, which were there, could not be loaded */
		err_exit(err, ret, EXIT_CANNOT, "no memory for the kernel's types, which %s needs", what);
		err_hint(err, "a higher limit of memory (ulimit -v, the cgroup's)");
		break;
	case EMFILE:
		break;
	default:
		err_hint(err, "skep -vv shows libbpf's messages");
	}
	return ret;
}
