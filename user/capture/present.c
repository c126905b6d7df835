/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One perf_event_open(2) an event; errors are those of its manual page. */
#include "capture/present.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/refusal.h"
#include "event/pmu.h"

static int try_open(const struct event *e, bool user_only)
{
	struct perf_event_attr attr = { .disabled = 1 };
	struct event tried = *e;
	int fd;

	tried.exclude_kernel = tried.exclude_hv = user_only;
	fd = kernel_open_named(&tried, &attr, 0, -1, -1, 0);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int is_cpu(void *arg, const char *pmu, uint32_t type)
{
	(void)arg;
	return type == PERF_TYPE_RAW || !strncmp(pmu, "cpu_", 4) || !strncmp(pmu, "armv8", 5);
}

/* The PMU of the CPU itself, which hardware and cache events need. */
static bool has_cpu_pmu(void)
{
	static int has = -1;

	if (has < 0)
		has = pmu_each(is_cpu, NULL);
	return has;
}

int event_present(const struct event *e, char *why, size_t size)
{
	bool hardware = e->type == PERF_TYPE_HARDWARE || e->type == PERF_TYPE_HW_CACHE;
	int ret = try_open(e, false);
	char level[16] = "?";
	FILE *file;

	if (ret == -EACCES || ret == -EPERM) {
		ret = try_open(e, true);
		if (!ret && event_kernel_only(e))
			ret = -EACCES; /* it would read 0 */
	}
	switch (ret) {
	case 0:
		break;
	case -ENOENT:
	case -EINVAL:
	case -EOPNOTSUPP:
	case -ENODEV:
		snprintf(why, size, "not on this machine: %s",
			 hardware && !has_cpu_pmu() ? "no PMU" : hardware ? "its PMU does not count it" : "the kernel does not know it");
		break;
	case -EACCES:
	case -EPERM:
		file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
		if (file && fgets(level, sizeof(level), file))
			level[strcspn(level, "\n")] = '\0';
		if (file)
			fclose(file);
		snprintf(why, size, "needs root: kernel.perf_event_paranoid is %s", level);
		break;
	default:
		snprintf(why, size, "not available: %s", strerror(-ret));
	}
	return ret;
}
