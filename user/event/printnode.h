/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of a print format share: printfmt.c parses, printeval.c computes, printtext.c makes the text. */
#ifndef SKEP_EVENT_PRINTNODE_H
#define SKEP_EVENT_PRINTNODE_H

#include "event/printfmt.h"
#include "util/vec.h"

#define PRINT_ARGS_MAX 64
#define PRINT_NODES_MAX 16384
#define PRINT_DEPTH_MAX 200
#define PRINT_NO_NODE 0 /* an argument without a value: "?" */
#define PRINT_SCRATCH 4096 /* of the texts of flags and arrays in one record */

enum print_kind {
	PRINT_NUMBER,	/* num */
	PRINT_LITERAL,	/* num: in the pool */
	PRINT_FIELD,	/* num: of the format; is_address: its bytes, not its value */
	PRINT_DYNAMIC,	/* likewise: the bytes of its location */
	PRINT_DYNAMIC_LEN,
	PRINT_UNARY,	/* op: ! ~ - */
	PRINT_BINARY,	/* op: a character, or one of enum print_op */
	PRINT_CHOICE,	/* a ? b : c */
	PRINT_CAST,	/* to size bytes; 0: to a pointer to num bytes each */
	PRINT_INDEX,	/* a[b]; *a has b 0 */
	PRINT_SYMBOLIC, /* the text of a: of the pairs from b on */
	PRINT_FLAGS,	/* likewise of its bits; num: what is between them, in the pool */
	PRINT_PAIR,	/* a: the value; num: its text in the pool; b: the next */
	PRINT_HEX,	/* a: bytes, b: how many; num: with blanks */
	PRINT_ARRAY,	/* a: bytes, b: how many, c: of so many bytes each */
	PRINT_MASK,	/* a: bytes of a bitmap; num: as a list */
};

enum print_op { PRINT_SHL = 128, PRINT_SHR, PRINT_LE, PRINT_GE, PRINT_EQ, PRINT_NE, PRINT_AND, PRINT_OR };

struct print_node {
	uint8_t kind, op, size;
	bool is_signed, is_address;
	uint32_t a, b, c;
	uint64_t num;
};

struct printfmt {
	const struct format *format;
	VEC(struct print_node) nodes; /* [0] is unused */
	VEC(char) pool;		      /* texts, each with its NUL */
	uint32_t text;		      /* the format's, in the pool */
	uint32_t args[PRINT_ARGS_MAX];
	int nr_args;
};

enum print_value_kind { PRINT_IS_NUMBER, PRINT_IS_BYTES, PRINT_IS_TEXT };

struct print_value {
	uint8_t kind;
	uint8_t size; /* of a number; of BYTES that of one element, 0: not known */
	bool is_signed;
	uint64_t num;
	const char *bytes; /* of the record, the pool or the scratch */
	size_t len;
};

struct print_run {
	const struct printfmt *print;
	const char *record;
	size_t bytes;
	char scratch[PRINT_SCRATCH];
	size_t used;
};

/* A number of 1 to 8 bytes at `at`. */
uint64_t print_load(const char *at, size_t size, bool is_signed);

/* num as C has it in `size` bytes. */
uint64_t print_cut(uint64_t num, size_t size, bool is_signed);

/* a op b of PRINT_BINARY, both numbers. */
struct print_value print_binary(uint8_t op, const struct print_value *a, const struct print_value *b);

struct print_value print_eval(struct print_run *run, uint32_t node);
struct print_value print_mask(struct print_run *run, const struct print_node *n); /* of PRINT_MASK */

struct print_type {
	uint8_t size; /* 0: a pointer, to `to` bytes each (0: not known) */
	bool is_signed;
	uint8_t to;
};

/* "struct page *", "unsigned long": what is in the brackets of a cast or sizeof. NULL: not a known type; else the end of it. */
const char *print_type_parse(const char *at, struct print_type *ret_type);

/* The next conversion of a format, from its % on. */
struct print_spec {
	bool left, plus, space, hash, zero;
	bool width_is_arg, precision_is_arg, has_precision;
	int width, precision;
	uint8_t size; /* of the number that is meant */
	char what;    /* d u x X o c s p % */
	char how[8];  /* of p: "S", "I6c" */
	size_t len;   /* of its text */
};

/* False: no such conversion. */
bool print_spec_parse(const char *at, struct print_spec *ret_spec);

#endif
