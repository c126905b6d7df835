/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SELECT: expressions over what a probe sees, as C and bpftrace's users write them: `sk->__sk_common.skc_dport`,
 * `(struct foo *)arg1`, `comm == "curl" && size > 1M`. Text to a tree of nodes; what names mean is event/bind.h's.
 */
#ifndef SKEP_EVENT_EXPR_H
#define SKEP_EVENT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/vec.h"

#define EXPR_NODES_MAX 512
#define EXPR_DEPTH_MAX 48

enum expr_kind {
	EXPR_NUMBER,   /* num */
	EXPR_TEXT,     /* "..." without the quotes: at, len */
	EXPR_NAME,     /* at, len; a leading $ is not in it */
	EXPR_MEMBER,   /* a.NAME or a->NAME: both do either */
	EXPR_INDEX,    /* a[b] */
	EXPR_DEREF,    /* *a */
	EXPR_CAST,     /* (TYPE)a; the type's text: at, len */
	EXPR_CONTAINER, /* container_of(a, TYPE, MEMBER); the type's text: at, len; the member's: num (at), b (len) */
	EXPR_NTOH,     /* ntohs(a), ntohl(a): num is 2 or 4 bytes */
	EXPR_RECORD,   /* *: all fields of a tracepoint */
	EXPR_UNARY,    /* op a */
	EXPR_BINARY,   /* a op b */
};

enum expr_op {
	OP_NONE,
	OP_OR, OP_AND, OP_NOT,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
	OP_GLOB, OP_NOT_GLOB, /* a ~ "pattern" */
	OP_BIT_OR, OP_BIT_XOR, OP_BIT_AND, OP_SHL, OP_SHR,
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD,
	OP_NEG, OP_INVERT,
};

/* Node numbers; 0 is none. */
struct expr {
	uint8_t kind, op;
	uint32_t a, b;
	uint32_t at, len; /* where in the text; of an operator where it stands */
	uint64_t num;
	uint32_t billionths; /* of a number without a unit, with exprs.decimals: to be added to it */
};

struct exprs {
	const char *text; /* borrowed; messages point into it */
	VEC(struct expr) nodes; /* [0] is unused */
	bool decimals; /* numbers may have some without a unit, too */
	bool has_spaces; /* they, and not commas, are between arguments */
};

/* An argument: what is read, how it is shown, and its name. */
struct expr_arg {
	uint32_t node;
	uint32_t type_at, type_len; /* ":x64" without the colon; 0: as its type is */
	uint32_t count;		    /* node of how many bytes a text has, ":string:count"; 0: to its NUL */
	uint32_t name_at, name_len; /* "NAME=" before it; 0: the expression's own text */
	uint32_t at, len;	    /* of the expression's text */
};

/*
 * From text + *at on: one expression, and *at moves past it. Returns its node, or -errno with err filled and a caret. what: "bad
 * filter".
 */
int expr_parse(struct exprs *exprs, size_t *at, const char *what, struct err *err);

/* An argument for all fields of a tracepoint, as if "*" were at byte `at`. 0 or -errno likewise. */
int expr_add_record(struct exprs *exprs, size_t at, struct expr_arg *ret_arg, struct err *err);

/* "[NAME=]EXPR[:TYPE[:COUNT]]". 0 or -errno likewise. */
int expr_parse_arg(struct exprs *exprs, size_t *at, struct expr_arg *ret_arg, struct err *err);

/* "bad filter: WHY" with a caret at byte `at` of the text. Returns -EINVAL. */
int expr_bad(const struct exprs *exprs, const char *what, size_t at, struct err *err, const char *why, ...)
	__attribute__((format(printf, 5, 6)));

#endif
