/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values of such an array lie 8-byte aligned one after the other, the whole is rounded up to pages (kernel/bpf/arraymap.c). */
#include "capture/source/tallies.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/clock.h"

void tallies_size(struct bpf_map *map)
{
	bpf_map__set_max_entries(map, libbpf_num_possible_cpus());
}

int tallies_map(struct tallies *t, const struct bpf_map *map, struct err *err)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	t->stride = (bpf_map__value_size(map) + 7) & ~7ul;
	t->bytes = (t->stride * bpf_map__max_entries(map) + page - 1) & ~(page - 1);
	p = mmap(NULL, t->bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "cannot map the counts: %s", strerror(errno));
	t->base = p;
	return 0;
}

const void *tallies_of(const struct tallies *t, uint32_t cpu)
{
	return t->stride * (cpu + 1) <= t->bytes ? t->base + t->stride * cpu : NULL;
}

void tallies_start(struct tallies *t)
{
	t->start_ns = now_ns();
}

void tallies_stop(struct tallies *t)
{
	t->stop_ns = now_ns();
}

uint64_t tallies_counted_ns(const struct tallies *t)
{
	return (t->stop_ns ? t->stop_ns : now_ns()) - t->start_ns;
}

void tallies_unmap(struct tallies *t)
{
	if (t->base)
		munmap((void *)t->base, t->bytes);
}
