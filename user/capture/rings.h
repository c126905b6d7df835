/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A ring buffer a CPU in a map of maps `rings`, and their records, which begin with their time (CLOCK_MONOTONIC, ns, 64 bits). */
#ifndef SKEP_CAPTURE_RINGS_H
#define SKEP_CAPTURE_RINGS_H

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/source.h"
#include "util/vec.h"

struct ring_place {
	uint64_t time_ns, at; /* in bytes */
};

/* Zeroed before its first use. */
struct rings {
	struct ring_buffer *rb;
	VEC(int) fds;	 /* of a ring each */
	VEC(char) bytes; /* of records that arrived and were not delivered, each after its u64 size */
	VEC(struct ring_place) places;
	uint64_t max_bytes; /* that are collected at once, and a record; the rest waits in the kernel. 0: all, however fast it comes */
};

/* Before load: room for the CPUs of the place. */
void rings_size(struct bpf_map *map, const struct place *place);

/* After load: makes a ring of so many bytes for each of them. 0, or -errno with err filled. */
int rings_open(struct rings *r, const struct bpf_map *map, uint64_t bytes, const struct place *place, struct err *err);

/* Reads from this ring too, which is another's. 0, or -errno with err filled. */
int rings_watch(struct rings *r, int fd, struct err *err);

/* Readable when there is something to be read. */
int rings_fd(const struct rings *r);

/* Takes what is in the rings. 0 or -errno. */
int rings_collect(struct rings *r);

/* Delivers the taken records in their order, and drops them. 0, or what each() returned. */
int rings_deliver(struct rings *r, int (*each)(void *arg, const void *record, size_t size), void *arg);

/*
 * Takes what is in the rings and delivers, in the order of time, what is not newer than until_ns. Of now, nothing older comes any more
 * but from a program that was preempted between its look at the clock and its record. 0, -errno, or what each() returned.
 */
int rings_drain(struct rings *r, uint64_t until_ns, int (*each)(void *arg, const void *record, size_t size), void *arg);

/* Bytes of kernel memory. */
uint64_t rings_cost(const struct rings *r);

void rings_close(struct rings *r);

#endif
