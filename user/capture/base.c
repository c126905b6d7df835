/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The way of every BPF object from its skeleton to the ledger. */
#include "capture/base.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bpf/target.h"
#include "capture/cost.h"
#include "capture/refusal.h"
#include "capture/unwindstore.h"
#include "capture/walker.h"

int base_open(struct base *base, const struct base_object *object, struct err *err)
{
	if (!object)
		return err_exit(err, -errno, EXIT_CANNOT, "cannot open the BPF object: %s", strerror(errno));
	base->object = *object;
	if (base->has_stats) {
		base->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME); /* 5.8; without it the receipt leaves BPF out */
		base->is_timed = base->stats_fd >= 0;
	}
	return 0;
}

int base_load(struct base *base, const struct place *place, struct err *err)
{
	const struct base_object *object = &base->object;
	int ret = 0;

	filter_set(&object->filter, place->target, base->has_idle);
	if (base->own)
		filter_leave_self(&object->filter, place);
	if (base->cgroup_ids)
		ret = filter_cgroup_ids(place->target, base->cgroup_ids, err);
	if (ret)
		return ret;
	ret = unwinder_lend(place->unwinder, *object->skeleton->obj);
	if (ret)
		return err_set(err, ret, "cannot share the unwinding tables: %s", strerror(-ret));
	ret = object_load(object->skeleton);
	if (ret)
		return kernel_load_refused(ret, base->what, err);
	return filter_start(&object->filter, place, err);
}

int base_attach(const struct bpf_program *prog, struct bpf_link **ret_link, struct err *err)
{
	if (!bpf_program__autoload(prog))
		return 0;
	*ret_link = bpf_program__attach(prog);
	return *ret_link ? 0 : err_exit(err, -errno, EXIT_CANNOT, "cannot attach to %s: %s", bpf_program__section_name(prog), strerror(errno));
}

static uint64_t missed_so_far(const struct base *base)
{
	uint64_t missed = 0;

	for (int i = 0; i < BASE_WATCHED_MAX; i++)
		if (base->watched[i])
			missed += cost_of_misses(bpf_program__fd(base->watched[i]));
	return missed;
}

void base_watch(struct base *base)
{
	base->missed_before = missed_so_far(base);
}

uint64_t base_missed(const struct base *base)
{
	return missed_so_far(base) - base->missed_before;
}

void base_arm(struct base *base)
{
	base_watch(base);
	__atomic_store_n(base->object.filter.run_armed, 1, __ATOMIC_RELEASE);
}

void base_disarm(struct base *base)
{
	__atomic_store_n(base->object.filter.run_armed, 0, __ATOMIC_RELEASE);
}

void base_take_part(struct base *base, double part)
{
	__atomic_store_n(base->object.filter.run_leave_out, (__u32)((1 - part) * UINT32_MAX), __ATOMIC_RELAXED);
}

void base_counts(const struct base *base, uint64_t ret_sum[COUNT_MAX])
{
	int cpus = libbpf_num_possible_cpus();
	__u64 (*per_cpu)[COUNT_MAX] = cpus > 0 ? calloc(cpus, sizeof(*per_cpu)) : NULL;
	__u32 zero = 0;

	memset(ret_sum, 0, COUNT_MAX * sizeof(*ret_sum));
	if (per_cpu && !bpf_map_lookup_elem(bpf_map__fd(base->object.counters), &zero, per_cpu))
		for (int cpu = 0; cpu < cpus; cpu++)
			for (int c = 0; c < COUNT_MAX; c++)
				ret_sum[c] += per_cpu[cpu][c];
	free(per_cpu);
}

static void note_own(const char *what, bool of_seen, uint64_t n, struct profile *profile)
{
	char comm[COMM_LEN] = "";

	prctl(PR_GET_NAME, comm);
	if (n && of_seen && profile->seen)
		profile_note(profile, "%llu %s of skep itself (%.1f %% of all) are left out; --comm %s shows only them", (unsigned long long)n, what,
			     100.0 * n / (n + profile->seen), comm);
	else if (n)
		profile_note(profile, "%llu %s of skep itself are left out; --comm %s shows only them", (unsigned long long)n, what, comm);
}

static void add_cost(const struct base *base, struct receipt *receipt)
{
	const struct bpf_object *object = *base->object.skeleton->obj;
	struct bpf_program *prog;
	struct bpf_map *map;

	bpf_object__for_each_program(prog, object)
		if (base->is_timed && bpf_program__fd(prog) >= 0)
			cost_of_prog(bpf_program__fd(prog), receipt);
	bpf_object__for_each_map(map, object)
		if (!unwindstore_has(map))
			cost_of_map(bpf_map__fd(map), receipt);
}

void base_profile(const struct base *base, const uint64_t sum[COUNT_MAX], struct profile *profile)
{
	for (int i = 0; i < LOSS_MAX; i++)
		profile->losses[i] += sum[i];
	profile->seen += sum[LOSS_BUDGET]; /* before anything else was counted */
	if (base->own)
		note_own(base->own, !base->own_is_apart, sum[COUNT_SELF], profile);
	add_cost(base, &profile->receipt);
}

void base_add_nested(const struct base *base, uint64_t missed, struct profile *profile)
{
	if (!(*base->object.filter.filter & ~FILTER_IDLE))
		profile->losses[LOSS_NESTED] += missed;
	else if (missed)
		profile_note(profile, "the kernel skipped %llu hits of any task while it handled another tracepoint or probe",
			     (unsigned long long)missed);
}

/* What NAME_bpf__destroy() does, for a skeleton of any type. */
void base_close(struct base *base)
{
	if (base->object.skel) {
		bpf_object__destroy_skeleton(base->object.skeleton);
		free(base->object.skel);
	}
	if (base->is_timed)
		close(base->stats_fd);
}
