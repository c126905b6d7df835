/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A ring buffer a CPU in a map of maps `rings`, and their records, which begin with their time (CLOCK_MONOTONIC, ns, 64 bits). */
#ifndef SKEP_CAPTURE_RINGS_H
#define SKEP_CAPTURE_RINGS_H

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "capture/source.h"
#include "capture/spool.h"
#include "util/vec.h"

struct ring_place {
	uint64_t time_ns, at; /* in bytes */
};

#define RINGS_HEAD_MAX 512u

/* The memory of a BPF_MAP_TYPE_RINGBUF (kernel/bpf/ringbuf.c, 457f44363a88): a page with our position, a page with the kernel's, the data. */
struct ring_map {
	uint64_t *consumer;	  /* up to where we have read */
	const uint64_t *producer; /* up to where there are records */
	const char *data;
	uint64_t mask; /* of places in the data */
};

/* Zeroed before its first use. */
struct rings {
	VEC(struct ring_map) maps;
	int epoll_fd; /* of them all; not open without any */
	VEC(int) fds;	 /* of a ring each that is our own */
	VEC(char) bytes; /* of records that arrived and were not delivered, each after its u64 size */
	VEC(struct ring_place) places;
	/* How many bytes of a record are in use, by its first `size` bytes, at most RINGS_HEAD_MAX. NULL: all. */
	size_t (*used)(const void *head, size_t size);
	uint64_t max_bytes; /* that are collected at once, and a record; the rest waits in the kernel. 0: all, however fast it comes */
	/* The records that are in the rings now are collected here, and the caller sorts them. NULL: in `bytes`, with those that arrive meanwhile. */
	struct spool *spool;
};

/* Copies n bytes at position `at` out of a ring of mask + 1 bytes, whose end they may cross. */
static inline void ring_copy(char *to, const char *data, uint64_t mask, uint64_t at, size_t n)
{
	uint64_t from = at & mask, first = mask + 1 - from;

	if (first > n)
		first = n;
	memcpy(to, data + from, first);
	memcpy(to + first, data, n - first);
}

/* Bytes of each ring, a power of two from least to most: of those of all CPUs of the place at most `all`, if that is not less than least each. */
uint64_t rings_share(uint64_t all, uint64_t least, uint64_t most, const struct place *place);

/* Before load: room for the CPUs of the place. */
void rings_size(struct bpf_map *map, const struct place *place);

/* After load: makes a ring of so many bytes for each of them. 0, or -errno with err filled. */
int rings_open(struct rings *r, const struct bpf_map *map, uint64_t bytes, const struct place *place, struct err *err);

/* Reads from this ring too, which is another's. 0, or -errno with err filled. */
int rings_watch(struct rings *r, int fd, struct err *err);

/* Readable when there is something to be read. */
int rings_fd(const struct rings *r);

/* Bytes in the ring that has the most of them. */
uint64_t rings_filled(const struct rings *r);

/* Takes what is in the rings. 0 or -errno. */
int rings_collect(struct rings *r);

/* Delivers the taken records in their order, and drops them. 0, or what each() returned. */
int rings_deliver(struct rings *r, int (*each)(void *arg, const void *record, size_t size), void *arg);

/*
 * Takes what is in the rings and delivers, in the order of time, what is not newer than until_ns. Of now, nothing older comes any more
 * but from a program that was preempted between its look at the clock and its record. 0, -errno, or what each() returned.
 */
int rings_drain(struct rings *r, uint64_t until_ns, int (*each)(void *arg, const void *record, size_t size), void *arg);

/* Adds their kernel memory. */
void rings_cost(const struct rings *r, struct receipt *receipt);

void rings_close(struct rings *r);

#endif
