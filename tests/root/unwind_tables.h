/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of this process, where tests/root/unwind.bpf.c looks for them. Whatever fails ends it. */
#ifndef SKEP_TESTS_UNWIND_TABLES_H
#define SKEP_TESTS_UNWIND_TABLES_H

#include "bpf/stack.h"
#include "sym/ehframe.h"
#include "unwind.skel.h"

struct object {
	struct unwind_table table;
	struct unwind_map map;
};

extern struct unwind_bpf *skel;
extern struct unwind_rules rules;
extern struct object objects[];
extern uint32_t nr_objects;

void die(const char *what);

/* Loads the programs, and tables of all that is mapped now. Of whom, is not known yet. */
void tables_open(void);

/* From now on these are the mappings of that process. */
void tables_publish(const struct unwind_space_key *key);

#endif
