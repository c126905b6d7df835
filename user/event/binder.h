/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of binding share: bind.c walks expressions, bindname.c knows names and types, bindarg.c what is shown. */
#ifndef SKEP_EVENT_BINDER_H
#define SKEP_EVENT_BINDER_H

#include "event/bind.h"

enum operand_kind {
	OPERAND_NUMBER, /* node computes it */
	OPERAND_MEMORY, /* at address node + off, not read yet */
	OPERAND_REGS,   /* a struct in registers for integers from num on, at byte off */
	OPERAND_TEXT,   /* node is the address of a text */
	OPERAND_COMM,
	OPERAND_LITERAL, /* "..." of the expression: at, len */
};

struct operand {
	enum operand_kind kind;
	uint32_t node;
	int64_t off;
	uint32_t num;
	uint32_t text_max; /* of a text in an array: its bytes and one for a NUL; 0: it ends where it ends */
	uint32_t bit_at, bits; /* of a bit field: in the bytes at off */
	bool has_type;
	bool is_raw;	  /* a register of unknown type: it may be the address of a string */
	bool is_constant; /* num is not it: the node's is */
	struct ctype type;
	uint8_t show; /* enum value_kind, where the type does not say; VALUE_NUMBER else */
	uint32_t at, len;
};

struct binder {
	const struct exprs *exprs;
	const struct bind_env *env;
	struct bound_probe *probe;
	const char *what; /* "bad filter" */
	struct err *err;
	struct ctypes *kernel; /* asked for, once */
	bool asked_kernel;
};

int binder_bad(struct binder *b, size_t at, const char *why, ...) __attribute__((format(printf, 3, 4)));

/* A new node; its number or -errno. */
int binder_add(struct binder *b, size_t at, struct bound n);

const struct expr *binder_expr(const struct binder *b, uint32_t node);

/* An expression's value. 0 or -errno. */
int binder_bind(struct binder *b, uint32_t node, struct operand *ret_value);

/* Is it a text, or the address of one by its type? */
bool binder_is_text(struct binder *b, const struct operand *v);

/* Reads what is in memory or in a struct's registers: v is a number then. 0 or -errno. */
int binder_load(struct binder *b, size_t at, struct operand *v);

/* v, a text or a number that is the address of one, to the node of that address. 0 or -errno. */
int binder_text(struct binder *b, size_t at, struct operand *v);

/* Adds an argument to the probe. 0 or -errno. */
int binder_arg(struct binder *b, const struct expr_arg *a);

/* What a name is. 0 or -errno. */
int bind_name(struct binder *b, const struct expr *e, struct operand *ret_value);

/* What a value of a probe of tracefs is (event/lasting.h). 0 or -errno. */
struct lasting_arg;
int bind_lasting(struct binder *b, const struct lasting_arg *arg, struct operand *ret_value);

/* Adds all values of the probe of tracefs. 0 or -errno. */
int binder_lasting_args(struct binder *b);

/* "struct foo *", "u32": 0 or -errno. */
int bind_type(struct binder *b, size_t at, size_t len, struct ctype *ret_type);

/* Types of memory that is walked: the function's, or the kernel's. NULL: none. */
struct ctypes *binder_types(struct binder *b);

/* Ids of the types that need no type information: "u32", "char"; downwards from this one. */
#define BINDER_BASE_ID (UINT64_MAX - 1)
bool bind_base_type(uint64_t id, struct ctype *ret_type);

/* Is it a number or a pointer: one word? */
bool value_is_scalar(const struct ctype *t);

/* A number of so many bytes. */
struct operand operand_number(uint32_t node, unsigned size, bool is_signed);

#endif
