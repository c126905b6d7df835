/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's own figures of what our programs and maps take. */
#include "capture/cost.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/clock.h"

static uint64_t before;

void cost_before(uint64_t before_ns)
{
	before = before_ns;
}

void cost_of_self(struct receipt *r)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	r->own_cpu_ns = (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ull +
			(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ull;
	r->own_cpu_ns -= r->own_cpu_ns > before ? before : 0;
	r->peak_rss_bytes = ru.ru_maxrss * 1024ull;
}

void cost_since(uint64_t start_ns, struct receipt *r)
{
	cost_of_self(r);
	r->wall_ns = now_ns() - start_ns;
	r->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Kernel memory of a map: the kernel's own figure in fdinfo. */
void cost_of_map(int fd, struct receipt *r)
{
	unsigned long long value = 0;
	char path[64], line[128];
	FILE *f;

	if (r->is_not_wanted || r->no_maps)
		return;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &value) == 1)
			break;
	fclose(f);
	r->map_bytes += value;
}

/* Zeroes where the kernel did not measure it. */
void cost_of_prog(int fd, struct receipt *r)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (r->is_not_wanted || bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	r->bpf_ns += info.run_time_ns;
	r->bpf_runs += info.run_cnt;
}

uint64_t cost_of_misses(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &size) ? 0 : info.recursion_misses;
}
