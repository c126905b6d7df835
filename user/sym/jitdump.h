/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * jit-PID.dump: code that a JIT made, with names and source lines (linux tools/perf/Documentation/jitdump-specification.txt). The file
 * is foreign: any size, any bytes. An address may be of different code over time.
 */
#ifndef SKEP_SYM_JITDUMP_H
#define SKEP_SYM_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct jitdump;

#define JITDUMP_FILE_BYTES (256u << 20)

/* Borrowed from the dump. */
struct jitdump_code {
	uint64_t addr, size; /* size is not 0, and ends below 2^64 */
	uint64_t time_ns;    /* since when it is there, CLOCK_MONOTONIC */
	uint64_t index;	     /* the JIT's own number of it */
	const char *name;
	const uint8_t *bytes;
	size_t first_line, nr_lines;
};

/* A copy of bytes is read: as far as they are whole records. 0, -EBADMSG: no dump of a known version, or -ENOMEM. */
int jitdump_parse(const void *bytes, size_t n, struct jitdump **ret_dump);

/* Of a plain file that its user, we or root own. 0, or -errno with the reason in err. */
int jitdump_open(const char *path, struct jitdump **ret_dump, struct err *err);
void jitdump_free(struct jitdump *dump); /* NULL is nothing */

uint16_t jitdump_machine(const struct jitdump *dump); /* EM_... */

/* The code at addr at that time; NULL: none. Code that came later is taken where there was none yet: clocks may differ. */
const struct jitdump_code *jitdump_find(const struct jitdump *dump, uint64_t time_ns, uint64_t addr);

/* The source line of an address in it. ret_file is the dump's. False: not known. */
bool jitdump_line(const struct jitdump *dump, const struct jitdump_code *code, uint64_t addr, const char **ret_file, uint32_t *ret_line);

#endif
