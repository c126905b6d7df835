/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * /tmp/perf-PID.map: names that a JIT gives to its code, "START SIZE name" a line, hexadecimal
 * (linux tools/perf/Documentation/jit-interface.txt). The file grows while the process lives and
 * is foreign text: any size, any bytes. Of lines that overlap, the last one wins.
 */
#ifndef SKEP_SYM_PERFMAP_H
#define SKEP_SYM_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfmap;

#define PERFMAP_PATH_BYTES 32
#define PERFMAP_FILE_BYTES (64u << 20) /* of one file; node's and the JVM's have a few MB */
#define PERFMAP_ALL_BYTES (256ull << 20) /* of memory for all of them */

/*
 * What the maps of one resolver, and the dumps of jitnames.h, may take together: anyone can write such a file, of any size, and
 * rewrite it all the time. Starts as PERFMAP_LIMITS.
 */
struct perfmap_limits {
	uint64_t bytes_left;
	uint64_t rewritten_bytes, rewritten_ms; /* read for a second time, since when */
	uint64_t nr_reads, nr_cut; /* files read (also: what was appended); maps that are not whole */
	char foreign[PERFMAP_PATH_BYTES]; /* one that belongs to somebody else, or is no plain file; "": none */
};

#define PERFMAP_LIMITS { .bytes_left = PERFMAP_ALL_BYTES }

/* Looks for the map of pid. offline: only in the host's /tmp. NULL: no memory. limits outlives the map. */
struct perfmap *perfmap_new(const char *proc_root, uint32_t pid, bool offline, struct perfmap_limits *limits);
void perfmap_free(struct perfmap *map);

/*
 * True when the file is to be read again without a name that is missing: before the first look, then after an eighth of the time since that
 * look, or after 5 s. The names of a process that ends are at most so old.
 */
bool perfmap_is_due(const struct perfmap *map);

/* Reads what is new in the file, if it changed and the limits allow. Cheap when not (one stat). */
void perfmap_refresh(struct perfmap *map);

/* Reads text as if it had been appended to the file; the last line needs its newline. 0 or -ENOMEM. */
int perfmap_text(struct perfmap *map, const char *text, size_t n);

/* The name of addr and where its code starts; not NUL-terminated. NULL: none. Looks at the file again, now and then. */
const char *perfmap_find(struct perfmap *map, uint64_t addr, uint64_t *ret_start, size_t *ret_len);

/* "/tmp/perf-123.map", as the process itself would call it. */
const char *perfmap_path(const struct perfmap *map);

#endif
