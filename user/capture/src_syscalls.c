/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tallies are mapped into our memory: a reading costs no call to the kernel, and nothing of the programs' time. */
#include "capture/src_syscalls.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/syscalls.h"
#include "capture/callhooks.h"
#include "capture/cost.h"
#include "capture/features.h"
#include "capture/filter.h"
#include "capture/kernel.h"
#include "event/syscalls.h"
#include "skel/syscalls.skel.h"
#include "util/clock.h"

struct src_syscalls {
	struct source source; /* first: a pointer to it is one to us */
	const struct event *events;
	int nr_events;
	struct syscalls_bpf *skel;
	const struct place *place;
	const char *tallies; /* a struct syscall_tally every `stride` bytes, one a CPU */
	size_t stride, bytes;
	uint64_t start_ns, stop_ns;
	struct callhooks hooks;
	uint64_t missed_before; /* start */
};

static bool wants(const struct src_syscalls *src, bool exits)
{
	for (int i = 0; i < src->nr_events; i++)
		if (src->events[i].kind == EVENT_SYSCALL && src->events[i].is_exit == exits)
			return true;
	return false;
}

/* Values of a mmapable array lie 8-byte aligned behind each other, the whole is rounded up to pages (kernel/bpf/arraymap.c). */
static int map_tallies(struct src_syscalls *src, int cpus, struct err *err)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	src->stride = (sizeof(struct syscall_tally) + 7) & ~7ul;
	src->bytes = (src->stride * cpus + page - 1) & ~(page - 1);
	p = mmap(NULL, src->bytes, PROT_READ, MAP_SHARED, bpf_map__fd(src->skel->maps.tallies), 0);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "cannot map the counts: %s", strerror(errno));
	src->tallies = p;
	return 0;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_syscalls *src = (struct src_syscalls *)source;
	int cpus = libbpf_num_possible_cpus(), ret;
	struct filter filter;

	src->place = place;
	src->skel = syscalls_bpf__open();
	if (!src->skel)
		return err_exit(err, -errno, EXIT_CANNOT, "cannot open the BPF object: %s", strerror(errno));
	bpf_map__set_max_entries(src->skel->maps.tallies, cpus);
	src->hooks = (struct callhooks)CALLHOOKS_OF(src->skel, feature_use(FEATURE_SYSCALL_BTF));
	callhooks_choose(&src->hooks, wants(src, false), wants(src, true));
	filter = (struct filter)FILTER_OF(src->skel);
	filter_set(&filter, place->target, false);
	ret = syscalls_bpf__load(src->skel);
	if (ret)
		return kernel_load_refused(ret, "the program that counts system calls", err);
	ret = map_tallies(src, cpus, err);
	if (!ret)
		ret = filter_start(&filter, place, err);
	return ret ? ret : callhooks_attach(&src->hooks, err);
}

static void start(struct source *source)
{
	struct src_syscalls *src = (struct src_syscalls *)source;

	src->missed_before = callhooks_missed(&src->hooks);
	src->start_ns = now_ns();
	__atomic_store_n(&src->skel->bss->run_armed, 1, __ATOMIC_RELEASE);
}

static void stop(struct source *source)
{
	struct src_syscalls *src = (struct src_syscalls *)source;

	__atomic_store_n(&src->skel->bss->run_armed, 0, __ATOMIC_RELEASE);
	src->stop_ns = now_ns();
}

static uint64_t value_of(const struct syscall_tally *t, const struct event *e)
{
	const uint64_t(*table)[SYSCALL_NR_MAX] = (const void *)(e->is_exit ? t->exit : t->enter);
	uint64_t sum = e->is_exit ? t->unknown_exit : t->unknown_enter;

	if (e->config < SYSCALL_NR_MAX)
		return table[e->abi][e->config];
	if (e->config != SYSCALL_ANY) { /* numbers in a table that have no name */
		for (int abi = 0; abi < SYSCALL_ABIS; abi++)
			for (int nr = 0; nr < SYSCALL_NR_MAX; nr++)
				sum += syscall_name(abi, nr) ? 0 : table[abi][nr];
		return sum;
	}
	for (int abi = 0; abi < SYSCALL_ABIS; abi++)
		for (int nr = 0; nr < SYSCALL_NR_MAX; nr++)
			sum += table[abi][nr];
	return sum;
}

static int deliver(struct source *source, struct sink *sink)
{
	struct src_syscalls *src = (struct src_syscalls *)source;
	uint64_t end = src->stop_ns ? src->stop_ns : now_ns();
	int ret = 0;

	for (uint32_t i = 0; i < src->place->nr_cpus; i++) {
		uint32_t cpu = src->place->cpus[i];
		const struct syscall_tally *t = (const void *)(src->tallies + src->stride * cpu);

		if (src->stride * (cpu + 1) > src->bytes)
			continue;
		for (int e = 0; e < src->nr_events && !ret; e++) {
			struct reading r = { .event = e, .cpu = cpu, .enabled_ns = end - src->start_ns, .running_ns = end - src->start_ns };

			if (src->events[e].kind != EVENT_SYSCALL)
				continue;
			r.value = value_of(t, &src->events[e]);
			ret = sink->reading(sink, &r);
		}
	}
	return ret;
}

static int finish(struct source *source, struct sink *sink, struct err *err)
{
	int ret = deliver(source, sink);

	return ret ? err_set(err, ret, "cannot read the counts: %s", strerror(-ret)) : 0;
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_syscalls *src = (const struct src_syscalls *)source;

	callhooks_note(callhooks_missed(&src->hooks) - src->missed_before, profile);
	cost_of_object(src->skel->obj, false, &profile->receipt);
}

static void close_source(struct source *source)
{
	struct src_syscalls *src = (struct src_syscalls *)source;

	if (src->tallies)
		munmap((void *)src->tallies, src->bytes);
	syscalls_bpf__destroy(src->skel);
	free(src);
}

struct source *src_syscalls_new(const struct event *events, int nr_events)
{
	struct src_syscalls *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.open = open_source,
		.start = start,
		.stop = stop,
		.snapshot = deliver,
		.finish = finish,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->events = events;
	src->nr_events = nr_events;
	return &src->source;
}
