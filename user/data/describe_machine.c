/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What perf report -I adds: the recorded machine's CPUs, nodes, caches and blocks of memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "data/describe.h"

#define CACHE_VERSION 1
#define MEM_VERSION 1
#define BITS_MAX (1u << 20) /* blocks of a node: with the smallest ones 128 TB */
#define WORD_BITS 64

/* A list of strings, a line each. title NULL: they are only passed. False: damaged. */
static bool take_list(struct description *d, struct span *s, const char *title, int *ret_failed)
{
	const char *text;
	uint32_t nr;
	size_t n;

	if (!take_u32(s, &nr))
		return false;
	while (nr--) {
		if (!take_string(s, &text, &n))
			return false;
		if (!title)
			continue;
		fprintf(d->out, "%s : ", title);
		describe_text(d, text, n);
		*ret_failed |= describe_end(d);
	}
	return true;
}

/* Sockets, threads, and of each CPU its core and socket; in newer files the dies after these. perf prints dies before threads. */
int describe_cpus(struct description *d, struct span s, uint32_t nr_cpus)
{
	struct span threads, ids, dies;
	uint32_t core, socket, die;
	int failed = 0;
	bool has_dies;

	if (!take_list(d, &s, "sibling sockets", &failed))
		return failed;
	threads = s;
	if (!take_list(d, &s, NULL, &failed))
		return failed;
	ids = s;
	for (uint32_t i = 0; i < nr_cpus; i++)
		if (!take_u32(&s, &core) || !take_u32(&s, &socket))
			return failed;
	has_dies = s.n && take_list(d, &s, "sibling dies   ", &failed);
	dies = s;
	take_list(d, &threads, "sibling threads", &failed);
	for (uint32_t i = 0; i < nr_cpus && take_u32(&ids, &core) && take_u32(&ids, &socket); i++) {
		fprintf(d->out, "CPU %u: Core ID %d, ", i, (int)core);
		if (has_dies && take_u32(&dies, &die))
			fprintf(d->out, "Die ID %d, ", (int)die);
		fprintf(d->out, "Socket ID %d", (int)socket);
		failed |= describe_end(d);
	}
	return failed;
}

int topology_sockets(struct span s, uint32_t nr_cpus, int **ret_sockets, uint32_t *ret_n)
{
	uint32_t core, socket, n = 0;
	int *sockets, failed = 0;

	*ret_sockets = NULL;
	*ret_n = 0;
	if (!take_list(NULL, &s, NULL, &failed) || !take_list(NULL, &s, NULL, &failed))
		return 0;
	nr_cpus = nr_cpus < s.n / sizeof(uint64_t) ? nr_cpus : (uint32_t)(s.n / sizeof(uint64_t));
	sockets = calloc(nr_cpus + 1, sizeof(*sockets));
	if (!sockets)
		return -ENOMEM;
	while (n < nr_cpus && take_u32(&s, &core) && take_u32(&s, &socket))
		sockets[n++] = (int)socket;
	*ret_sockets = sockets;
	*ret_n = n;
	return 0;
}

int describe_nodes(struct description *d, struct span s)
{
	uint64_t total, unused;
	uint32_t nr, node;
	const char *text;
	int failed = 0;
	size_t n;

	if (!take_u32(&s, &nr))
		return 0;
	while (nr-- && take_u32(&s, &node) && take_u64(&s, &total) && take_u64(&s, &unused) && take_string(&s, &text, &n)) {
		fprintf(d->out, "node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB", node, total, unused);
		failed |= describe_end(d);
		fprintf(d->out, "node%u cpu list : ", node);
		describe_text(d, text, n);
		failed |= describe_end(d);
	}
	return failed;
}

int describe_caches(struct description *d, struct span s)
{
	uint32_t version, nr, level, other;
	const char *type, *size, *cpus;
	size_t type_n, size_n, cpus_n;
	int failed;

	if (!take_u32(&s, &version) || version != CACHE_VERSION || !take_u32(&s, &nr))
		return 0;
	fputs("CPU cache info:", d->out);
	failed = describe_end(d);
	while (nr-- && take_u32(&s, &level) && take_u32(&s, &other) && take_u32(&s, &other) && take_u32(&s, &other) &&
	       take_string(&s, &type, &type_n) && take_string(&s, &size, &size_n) && take_string(&s, &cpus, &cpus_n)) {
		fprintf(d->out, " L%u %-15.*s %8.*s [", level, (int)type_n, type, (int)size_n, size);
		describe_text(d, cpus, cpus_n);
		fputc(']', d->out);
		failed |= describe_end(d);
	}
	return failed;
}

/* "24G" */
static void size_text(struct description *d, uint64_t bytes)
{
	static const char units[] = "BKMG";
	int unit = 0;

	for (; unit < 3 && bytes >= 1024; unit++)
		bytes /= 1024;
	fprintf(d->out, "%" PRIu64 "%c", bytes, units[unit]);
}

static bool bit(struct span s, uint64_t i)
{
	return get_u64(s.p + i / WORD_BITS * sizeof(uint64_t)) >> i % WORD_BITS & 1;
}

/* "0-23,32-199" of the bits that are set. */
static void bits_text(struct description *d, struct span s, uint64_t nr)
{
	const char *sep = "";

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t first = i;

		if (!bit(s, i))
			continue;
		while (i + 1 < nr && bit(s, i + 1))
			i++;
		fprintf(d->out, i > first ? "%s%" PRIu64 "-%" PRIu64 : "%s%" PRIu64, sep, first, i);
		sep = ",";
	}
}

int describe_memory(struct description *d, struct span s)
{
	uint64_t version, block, nr, node, unused, bits, set;
	int failed;

	if (!take_u64(&s, &version) || version != MEM_VERSION || !take_u64(&s, &block) || !take_u64(&s, &nr))
		return 0;
	fprintf(d->out, "memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):", nr, block);
	failed = describe_end(d);
	while (nr-- && take_u64(&s, &node) && take_u64(&s, &unused) && take_u64(&s, &bits) && bits <= BITS_MAX) {
		struct span map = s;
		const uint8_t *p;

		if (!take(&s, (bits + WORD_BITS - 1) / WORD_BITS * sizeof(uint64_t), &p))
			break;
		set = 0;
		for (uint64_t i = 0; i < bits; i++)
			set += bit(map, i);
		fprintf(d->out, " %3" PRIu64 " [", node);
		size_text(d, set * block);
		fputs("]: ", d->out);
		bits_text(d, map, bits);
		failed |= describe_end(d);
	}
	return failed;
}
