/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's own figures of what our programs and maps take. */
#include "capture/cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "capture/unwindstore.h"

void cost_of_self(struct receipt *r)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	r->own_cpu_ns = (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000000ull +
			(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000ull;
	r->peak_rss_bytes = ru.ru_maxrss * 1024ull;
}

/* Kernel memory of a map: the kernel's own figure in fdinfo. */
uint64_t cost_of_map(int fd)
{
	unsigned long long value = 0;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &value) == 1)
			break;
	fclose(f);
	return value;
}

/* Zeroes where the kernel was not asked to measure it. */
void cost_of_prog(int fd, struct receipt *r)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	r->bpf_ns += info.run_time_ns;
	r->bpf_runs += info.run_cnt;
}

void cost_of_object(struct bpf_object *obj, bool timed, struct receipt *r)
{
	struct bpf_program *prog;
	struct bpf_map *map;

	bpf_object__for_each_program(prog, obj)
		if (timed && bpf_program__fd(prog) >= 0)
			cost_of_prog(bpf_program__fd(prog), r);
	bpf_object__for_each_map(map, obj)
		r->map_bytes += unwindstore_has(map) ? 0 : cost_of_map(bpf_map__fd(map));
}

void cost_of_losses(const struct bpf_map *counters, uint64_t ret_sum[COUNT_MAX])
{
	int cpus = libbpf_num_possible_cpus();
	__u64 (*per_cpu)[COUNT_MAX] = cpus > 0 ? calloc(cpus, sizeof(*per_cpu)) : NULL;
	__u32 zero = 0;

	memset(ret_sum, 0, COUNT_MAX * sizeof(*ret_sum));
	if (per_cpu && !bpf_map_lookup_elem(bpf_map__fd(counters), &zero, per_cpu))
		for (int cpu = 0; cpu < cpus; cpu++)
			for (int c = 0; c < COUNT_MAX; c++)
				ret_sum[c] += per_cpu[cpu][c];
	free(per_cpu);
}

uint64_t cost_of_misses(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &size) ? 0 : info.recursion_misses;
}

void cost_add_misses(uint64_t missed, bool is_filtered, struct profile *profile)
{
	if (!is_filtered)
		profile->losses[LOSS_NESTED] += missed;
	else if (missed)
		profile_note(profile, "%llu hits of any task were inside the handling of a tracepoint or probe, where the kernel skips them",
			     (unsigned long long)missed);
}
