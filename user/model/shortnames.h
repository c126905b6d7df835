/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of two characters for threads, as perf sched map gives them: A0, B0 ... When there are no more, the oldest is another's. Pure. */
#ifndef SKEP_MODEL_SHORTNAMES_H
#define SKEP_MODEL_SHORTNAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "sample.h"

#define SHORTNAMES_MAX (52 * 62)
#define SHORTNAMES_HEADS 1024

struct shortname {
	uint32_t tid; /* 0: nobody's */
	uint16_t next; /* of its chain: one more than the index; 0: none */
	bool is_held;  /* by a CPU: not to be given away */
	char comm[COMM_LEN];
};

/* Zeroed before its first use. */
struct shortnames {
	struct shortname all[SHORTNAMES_MAX];
	uint16_t heads[SHORTNAMES_HEADS]; /* likewise */
	uint32_t next; /* to be given */
};

/* The name of a thread. *ret_is_new: the name was not printed for this thread yet. */
uint32_t shortname_of(struct shortnames *s, uint32_t tid, const char *comm, bool *ret_is_new);

/* The thread has ended: another one of its number is another one. */
void shortname_end(struct shortnames *s, uint32_t tid);

/* Its two characters. */
void shortname_text(uint32_t name, char ret_text[3]);

#endif
