/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A segment of a store (data/store.h) as rows of three tables: what each stack is, once by a hash of 128 bits; how often it was seen, by
 * host, service, event and labels; and what the segment says of itself. Addresses are left out: equal paths through equal functions of equal
 * files are one stack on all machines.
 */
#ifndef SKEP_PUSH_BATCH_H
#define SKEP_PUSH_BATCH_H

#include "data/store.h"
#include "push/rowbinary.h"

#define BATCH_HASH_BYTES 16

/* Columns, as rows have them. */
#define BATCH_STACK_COLUMNS "hash, functions, objects, builds, kinds"
#define BATCH_SAMPLE_COLUMNS "time, seconds, host, store, service, event, unit, comm, cgroup, container, container_name, image, exe, build, stack, count, value"
#define BATCH_COLUMNS "time, seconds, host, store, event, unit, samples, value, stacks, notes"

/* The kind of a frame, in the column kinds. */
enum batch_kind { BATCH_USER, BATCH_KERNEL, BATCH_INLINED };

/* The hash of a stack, which the caller knows of or does not: true, and its row is left out. */
typedef bool batch_knows(void *arg, const unsigned char *hash);

/* Whose segments they are: two machines of one name have stores of their own. */
struct batch_from {
	const char *host, *store; /* store: struct store's id */
};

struct batch {
	struct rows_out stacks, samples, head; /* in RowBinary */
	char *service; /* of the first row of samples; NULL: there is none */
	VEC(unsigned char) hashes; /* BATCH_HASH_BYTES for each row of stacks */
};

/*
 * seg: whose n bytes, of malloc(), are the batch's from now on. Equal bytes make equal rows. 0; -ENOMEM; -EBADMSG and others with err filled:
 * it is damaged. batch_free() in any case.
 */
int batch_make(struct batch *b, const struct segment *seg, char *bytes, size_t n, const struct batch_from *from, batch_knows *knows, void *arg,
	       struct err *err);
void batch_free(struct batch *b);

#endif
