/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of build/work/unwind share. What is broken, beside the walks themselves, ends it. */
#ifndef SKEP_TESTS_UNWIND_H
#define SKEP_TESTS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/stack.h"
#include "unwind/ehframe.h"
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

/* Has other rows push theirs out of the kernel's maps; and puts those in again. */
void tables_crowd(void);
void tables_fill(void);

/* From now on these are the mappings of that process; and one more, if it does not end at 0. */
void tables_publish(const struct unwind_space_key *key, struct unwind_map more);

#define FRAMES_MAX 512

extern struct unwind_space_key key; /* ours, once it is known */
extern int nr_bad, nr_same;

/* Runs it in this thread. */
void run(const struct bpf_program *prog);

/* Are the kernel's frames those of backtrace() at a place, whose own is the first? If not, says why. */
bool is_same(const __u64 *ips, uint32_t nr, void *const *want, int n, char *why, size_t size);

/* Counts it; what differs is printed. */
void judge(bool same, const char *what, int number, const char *why);

/* Recursion of n functions, the innermost of which calls at_bottom(what, all). */
extern void (*at_bottom)(const char *what, int number);
int deeper(int n, int all, const char *what);

/* Learns whose space this is: of the rest that the kernel asks for as long as it does not know. */
void meet(void);

void asks(void);
void evicted(void);
void unmapped(void);

#endif
