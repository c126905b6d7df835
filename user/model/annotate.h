/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: samples by the instruction that they hit. In: functions and addresses in them, then a function's instructions. Out: each
 * instruction with what was sampled on it, source lines by weight, arrows of the jumps inside the function. Pure.
 */
#ifndef SKEP_MODEL_ANNOTATE_H
#define SKEP_MODEL_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/map.h"
#include "util/vec.h"

/* The identity of a function. Pointers are compared, never followed. */
struct annotate_key {
	const void *series; /* samples of different events are never added up */
	const void *id;	    /* of the object */
	uint64_t start;	    /* in it */
};

struct annotate_func {
	struct annotate_key key;
	uint64_t weight, count;
	size_t first_hit, nr_hits; /* from annotate_end() on */
};

/* An address of a function, and the samples there. */
struct annotate_hit {
	uint64_t addr, weight, count;
	uint32_t func;
};

struct annotate {
	VEC(struct annotate_func) funcs;
	VEC(struct annotate_hit) hits; /* from annotate_end() on by function, then by address */
	struct map func_index, hit_index;
};

void annotate_free(struct annotate *a);

/* The number of a function; it is a new one when that is the former number of functions. -ENOMEM. */
int64_t annotate_func(struct annotate *a, const struct annotate_key *key);

/* `count` samples at addr of a function. 0 or -ENOMEM. */
int annotate_add(struct annotate *a, uint32_t func, uint64_t addr, uint64_t weight, uint64_t count);

/* After the last sample. */
void annotate_end(struct annotate *a);

/* Numbers of the functions of a series, hottest first, into ret_order, which has room for all. Returns how many. */
size_t annotate_order(const struct annotate *a, const void *series, uint32_t *ret_order);

#define ANNOTATE_NOWHERE UINT32_MAX

struct annotate_insn {
	uint64_t addr;
	uint32_t bytes;
	uint32_t line;	  /* 0: not known */
	const char *file; /* interned, or NULL */
	size_t text;	  /* where it starts in annotate_code.text */
	uint64_t target;  /* of is_jump */
	bool is_jump;	  /* to a known address */
	uint64_t weight, count;
};

/* A jump inside the function, by numbers of instructions. */
struct annotate_arrow {
	uint32_t from, to;
	uint8_t lane; /* 0 is next to the instructions */
};

#define ANNOTATE_LANES 8
#define ANNOTATE_ARROW_MAX 2048 /* instructions; a longer jump has no arrow */

struct annotate_line {
	const char *file; /* NULL: by instruction */
	uint32_t line;
	uint64_t addr; /* the hottest instruction of it */
	uint64_t weight, count, top_weight;
};

struct annotate_code {
	VEC(struct annotate_insn) insns; /* by address */
	VEC(char) text;
	uint64_t outside_weight, outside_count; /* on no instruction of it */
	VEC(struct annotate_arrow) arrows;
	VEC(struct annotate_line) lines; /* hottest first; those without samples are left out */
	uint8_t nr_lanes;
};

void annotate_code_free(struct annotate_code *code);

/* Appends an instruction, whose text is copied. 0 or -ENOMEM. */
int annotate_code_add(struct annotate_code *code, const struct annotate_insn *insn, const char *text);

/*
 * Once all instructions are there: counts hits, in the order of their addresses, on the instructions that hold them, and fills lines
 * and arrows. 0 or -ENOMEM.
 */
int annotate_code_merge(struct annotate_code *code, const struct annotate_hit *hits, size_t n);

/* The instruction that holds addr, or ANNOTATE_NOWHERE. */
uint32_t annotate_code_find(const struct annotate_code *code, uint64_t addr);

/* The part of an arrow's picture that is in the row of an instruction: nr_lanes + 2 characters and a NUL. */
void annotate_arrow_row(const struct annotate_code *code, uint32_t insn, char ret_text[ANNOTATE_LANES + 3]);

#endif
