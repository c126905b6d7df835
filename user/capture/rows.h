/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user side of keys and rows: bpf/lib/by.bpf.h and the maps `rows` and `other` of the objects that include it. */
#ifndef SKEP_CAPTURE_ROWS_H
#define SKEP_CAPTURE_ROWS_H

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/by.h"
#include "event/columns.h"
#include "row.h"
#include "sample.h"
#include "util/vec.h"

/* The columns that every schema of rows by such a key begins with. */
enum rows_column {
	ROWS_COMM, ROWS_PID, ROWS_TID, ROWS_CPU, ROWS_USER, ROWS_CGROUP, ROWS_EVENT, ROWS_SYSCALL, ROWS_ERRNO,
	ROWS_START, /* of the process or thread: numbers come again */
	ROWS_KEYS
};

#define ROWS_BY_ALL (BY_COMM | BY_PID | BY_TID | BY_CPU | BY_USER | BY_CGROUP | BY_EVENT | BY_SYSCALL | BY_ERRNO)

/* Fills them; those without a bit in `offered` (enum by_bit) are no words of --by. */
void rows_columns(struct column *ret_columns, uint32_t offered);

/* Reads --by: what is offered of these columns, and what `other` takes. Adds to *by (enum by_bit). 0, or -errno as columns_by() has it. */
int rows_parse_by(const char *text, uint32_t offered, const struct columns_other *other, uint32_t *by, struct err *err);

/* Bits of columns to those of the key in the kernel (enum by_bit), and back. */
uint32_t rows_by(uint64_t keys);
uint64_t rows_keys(uint32_t by);

/* Bits of the key columns that such a key lacks: all of them for 0. */
uint64_t rows_none(uint32_t by);

/* Makes it the row of all keys that the map had no room for: a label stands for its key. */
void rows_other(struct row *row);

/*
 * Puts the parts of a key into the values of these columns. Returns the bits of those that the key lacks. comm has room for
 * BY_COMM_LEN bytes and lives as long as the row. The caller adds the names of the event and the call, and the fields.
 */
uint64_t rows_values(const void *key, uint32_t by, const struct by_places *at, char *comm, struct value *ret_values);

/* Where the parts of such a key are: enum by_bit, and bit i of texts says that field i is text. Returns the key's bytes. */
size_t rows_layout(uint32_t by, int nr_fields, uint32_t texts, struct by_places *ret_at);

/*
 * Keys of tasks that have ended: their rows make room for others once they were delivered twice, the second time as they stay. Of
 * one map; at first all zero but for by and at.
 */
struct rows_ended {
	uint32_t by;
	bool is_outer; /* the keys hold PIDs of another namespace, so kill(2) cannot show which have ended: all rows stay */
	const struct by_places *at;
	VEC(char) now, before; /* keys of this walk and of the one before */
	void (*drop)(void *arg, const void *per_cpu); /* a row goes; may be NULL */
};
void rows_ended_free(struct rows_ended *ended);

struct rows {
	const struct bpf_map *rows, *other;
	void *arg;
	/* key NULL: what did not fit; per_cpu: a value for each possible CPU. 0, or what ends the walk. */
	int (*each)(void *arg, const void *key, const void *per_cpu);
	struct rows_ended *ended; /* NULL: all rows stay */
};

/* Walks the maps while programs add to them. What has left the map is not delivered any more. Returns 0, -ENOMEM, or what each() returned. */
int rows_walk(const struct rows *r);

#endif
