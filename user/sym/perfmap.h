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

/* Looks for the map of pid. offline: only in the host's /tmp. NULL: no memory. */
struct perfmap *perfmap_new(const char *proc_root, uint32_t pid, bool offline);
void perfmap_free(struct perfmap *map);

/* Reads what is new in the file, if it changed. Cheap when not (one stat). */
void perfmap_refresh(struct perfmap *map);

/* Takes in text, as if it had been appended to the file; the last line needs its newline. 0 or -ENOMEM. */
int perfmap_text(struct perfmap *map, const char *text, size_t n);

/* The name of addr and where its code starts; not NUL-terminated. NULL: none. */
const char *perfmap_find(struct perfmap *map, uint64_t addr, uint64_t *ret_start, size_t *ret_len);

/* "/tmp/perf-123.map", as the process itself would call it. */
const char *perfmap_path(const struct perfmap *map);

#endif
