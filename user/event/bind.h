/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SELECT: what the names of an expression are at one place that is probed: a tree of reads and numbers that needs no names and
 * types any more, and how its result is shown. capture/gen.h makes a program of it.
 */
#ifndef SKEP_EVENT_BIND_H
#define SKEP_EVENT_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "event/expr.h"
#include "event/format.h"
#include "event/probe.h"
#include "row.h"
#include "types/ctype.h"
#include "util/vec.h"

#define BIND_NAME_MAX 64
#define BIND_TEXT_MAX 127 /* of a text that is compared: longer ones are not compared */

enum bound_kind {
	BOUND_NONE,
	BOUND_NUMBER,  /* num */
	BOUND_ARG,     /* register for integers `num` of the call, from 0 on */
	BOUND_SP,      /* the stack pointer where the function was entered */
	BOUND_REG,     /* register `num`, by its DWARF number */
	BOUND_RET,     /* what the function returns */
	BOUND_RECORD,  /* size bytes at num of a tracepoint's record */
	BOUND_RECORD_LOC, /* the address of what 32 bits at num of the record say; op 1: counted from their end on */
	BOUND_RECORD_AT, /* the address of byte num of the record */
	BOUND_BUILTIN, /* num: enum builtin */
	BOUND_LOAD,    /* size bytes of memory at a + num */
	BOUND_CUT,     /* the lower size bytes of a */
	BOUND_BITS,    /* `bits` bits of a from bit num on */
	BOUND_SWAP,    /* the lower size bytes of a, turned round */
	BOUND_UNARY,   /* op a */
	BOUND_BINARY,  /* a op b */
	BOUND_MATCH,   /* does the text at address a, of `bits` bytes at most (0: unknown), match the literal of size bytes? op */
	BOUND_MATCH_COMM, /* the same for the thread's name */
};

enum builtin {
	BUILTIN_PID,
	BUILTIN_TID,
	BUILTIN_CPU,
	BUILTIN_CGROUP,
	BUILTIN_UID,
	BUILTIN_GID,
	BUILTIN_TIME,	 /* CLOCK_MONOTONIC, ns */
	BUILTIN_LATENCY, /* of a call that returns, ns */
	BUILTIN_DEPTH,	 /* frames of the stack */
	BUILTIN_COMM,
	BUILTINS
};

struct bound {
	uint8_t kind, op;
	bool is_signed; /* loads and cuts: extended with the sign; comparisons, divisions and shifts likewise */
	uint8_t size;
	uint8_t bits;
	uint32_t a, b;
	uint64_t num;
	const char *literal; /* BOUND_MATCH: in the expression's text */
};

struct bound_arg {
	char name[BIND_NAME_MAX];
	uint32_t node;
	uint8_t show; /* enum value_kind. VALUE_TEXT: what is read is the text at the node's address */
	bool is_comm; /* VALUE_TEXT: it is the thread's name */
	uint32_t text_max; /* VALUE_TEXT: of an array's bytes and one for a NUL; 0: not known */
	uint32_t count;	   /* VALUE_TEXT: node of how many bytes it has; 0: to its NUL */
	uint32_t bytes;	   /* VALUE_RECORD: of the record, without the data of its locations... */
	uint32_t texts;	   /* ...which so many fields have */
	uint64_t enum_id;  /* in types */
	struct ctypes *types;
};

/* Of one place. Texts of literals are in the spec's text, or its filter's. */
struct bound_probe {
	VEC(struct bound) nodes; /* [0] is unused */
	struct bound_arg args[PROBE_ARGS_MAX];
	int nr_args;
	uint32_t filter;    /* 0: none */
	bool needs_entry;   /* of a return: what the call was entered with */
	bool needs_latency; /* likewise when */
	bool needs_depth;
};

struct bind_env {
	enum probe_kind kind;
	bool is_return;
	const char *what;		     /* "tcp_sendmsg", for messages */
	struct ctypes *types;		     /* NULL: none */
	const struct cfunc *func;	     /* NULL: not known: arg0, arg1... */
	const char *no_func;		     /* why it is not */
	bool at_addr;			     /* func's are the variables of one address (types/srcline.h) */
	const struct format *format;	     /* of a tracepoint */
	struct ctypes *(*kernel_types)(void *arg); /* where records and casts name structs of the kernel; may return NULL */
	void *arg;
	const struct lasting *lasting; /* the probe of tracefs whose values are named; NULL: none */
	const char *usdt_args; /* of the note; NULL: no USDT */
	uint32_t nr_regs;      /* integer registers that arg0... stand for */
};

/*
 * Arguments and filters of a spec, there. 0, or -errno with err filled and a caret: a name that is not there (those that are, in the
 * hint), a member of what has none, a comparison of a text with a number. The caller frees it in either case.
 */
int bind_probe(const struct probe_spec *spec, const struct bind_env *env, struct bound_probe *ret_probe, struct err *err);
void bind_free(struct bound_probe *probe);

/* One more expression, with its own text (--by, --hist), among the probe's arguments. 0 or -errno likewise. */
int bind_more(const struct exprs *exprs, const struct expr_arg *arg, const struct bind_env *env, struct bound_probe *probe, struct err *err);

#endif
