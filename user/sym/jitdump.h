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
#include <sys/stat.h>

#include "util/err.h"

struct jitdump;

#define JITDUMP_FILE_BYTES (4ull << 30) /* so much of a file is read */
#define JITDUMP_CODE_BYTES (512ull << 20) /* of memory, with the code */

enum jitdump_keep {
	JITDUMP_CODE = 1,
	JITDUMP_LINES = 2,
};

/* Borrowed from the dump. */
struct jitdump_code {
	uint64_t addr, size; /* size is not 0, and ends below 2^64 */
	uint64_t time_ns;    /* since when it is there, CLOCK_MONOTONIC */
	uint64_t index;	     /* the JIT's own number of it */
	const char *name;
	const uint8_t *bytes; /* with JITDUMP_CODE; else NULL */
	size_t first_line, nr_lines;
};

/* An empty one, to be read; keep: bits of enum jitdump_keep. NULL: no memory. */
struct jitdump *jitdump_new(unsigned int keep);

/*
 * Reads what the file has more since the last time, as far as it is whole records. Codes that were found before may move. What they take in
 * memory is subtracted from bytes_left, and no more is taken. 0; -EBADMSG: it is no dump of a known version, or what follows is no record;
 * -EFBIG: larger than what is read; -ENOMEM; -errno. What was read stays.
 */
int jitdump_read(struct jitdump *dump, int fd, uint64_t *bytes_left);

/* All of bytes, which may be freed, with code and lines, as far as they are whole records. 0, -EBADMSG, -ENOMEM. */
int jitdump_parse(const void *bytes, size_t n, struct jitdump **ret_dump);

/*
 * Opens a plain file that owner, who runs skep, or root own, and no symbolic link: an fd, which the caller closes, and what fstat(2) says of it in
 * ret_st. Less than 0: -errno; -EPERM: it is none such.
 */
int jitdump_open_fd(const char *path, uid_t owner, struct stat *ret_st);

/* All of such a file, with code and lines. 0, or -errno with the reason in err. */
int jitdump_open(const char *path, struct jitdump **ret_dump, struct err *err);
void jitdump_free(struct jitdump *dump); /* NULL is nothing */

/* What its readings have subtracted from bytes_left. */
uint64_t jitdump_charged(const struct jitdump *dump);

uint16_t jitdump_machine(const struct jitdump *dump); /* EM_... */

struct jitdump_state {
	uint64_t offset; /* read so far */
	uint32_t nr_codes, nr_bad; /* records of code; and those that contradict themselves, which are left out */
	bool is_cut;	    /* the file goes on with a record that is not whole */
	bool is_broken;	    /* or with what is none: nothing after it is read */
	bool has_own_times; /* its times are those of no clock: all count as 0 */
	uint64_t first_ns; /* the earliest time of the codes that the last reading found; UINT64_MAX: none */
	uint64_t nr_replaced; /* codes at addresses of others: what is there depends on the time */
};

void jitdump_state(const struct jitdump *dump, struct jitdump_state *ret_state);

/* The code at addr at that time; NULL: none. Code that came later is taken where there was none yet: JITs write it down after it has begun to run. */
const struct jitdump_code *jitdump_find(const struct jitdump *dump, uint64_t time_ns, uint64_t addr);

/* The source line of an address in it. ret_file is the dump's. False: not known. */
bool jitdump_line(const struct jitdump *dump, const struct jitdump_code *code, uint64_t addr, const char **ret_file, uint32_t *ret_line);

#endif
