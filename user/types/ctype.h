/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The C types that expressions walk, whatever says what they are: the kernel's BTF or a program's DWARF. An id is the reader's
 * own name for a type; 0 is void. Names are cut where they do not fit.
 */
#ifndef SKEP_TYPES_CTYPE_H
#define SKEP_TYPES_CTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTYPE_NAME_MAX 128
#define CPARAMS_MAX 32

enum ctype_kind {
	CTYPE_VOID,
	CTYPE_INT, /* characters too */
	CTYPE_CHAR, /* an integer of one byte that text is made of */
	CTYPE_BOOL,
	CTYPE_ENUM,
	CTYPE_FLOAT,
	CTYPE_PTR,
	CTYPE_STRUCT, /* classes too */
	CTYPE_UNION,
	CTYPE_ARRAY,
	CTYPE_FUNC,
	CTYPE_OTHER, /* declared only, or of an unknown kind: no size */
};

/* A type without its typedefs and qualifiers. */
struct ctype {
	enum ctype_kind kind;
	bool is_signed;
	uint64_t id;   /* of the type proper */
	uint64_t size; /* in bytes; of an array the whole */
	uint64_t to;   /* CTYPE_PTR: what it points to; CTYPE_ARRAY: of one element */
	uint64_t nr;   /* CTYPE_ARRAY: how many; 0: not known */
};

struct cmember {
	char name[CTYPE_NAME_MAX]; /* empty: an anonymous struct or union, whose members are the outer one's */
	uint64_t type;
	uint64_t bit_at; /* from the begin of the struct on, little endian */
	uint32_t bits;	 /* of a bit field; 0: none */
};

struct cenumerator {
	char name[CTYPE_NAME_MAX];
	int64_t value;
};

/* First member of each reader's own struct. Functions return 0, or -ENOENT for what is not there. */
struct ctypes {
	int (*get)(struct ctypes *types, uint64_t id, struct ctype *ret_type);
	/* The i-th of a struct or union (a base class too, without a name), or of an enum. */
	int (*member)(struct ctypes *types, uint64_t id, uint32_t i, struct cmember *ret_member);
	int (*enumerator)(struct ctypes *types, uint64_t id, uint32_t i, struct cenumerator *ret_enumerator);
	/* A type by its tag or typedef's name: kind CTYPE_STRUCT, _UNION, _ENUM for tags, CTYPE_OTHER for typedefs and base types. */
	int (*find)(struct ctypes *types, enum ctype_kind kind, const char *name, size_t len, uint64_t *ret_id);
	/* As C declares it, "struct sock *". Returns its length as snprintf() does. */
	size_t (*name)(struct ctypes *types, uint64_t id, char *buf, size_t size);
};

/* Where a function finds a parameter when it is entered. */
enum cplace {
	CPLACE_REG,   /* in the n-th register for integers of the ABI, from 0 on; larger ones in the next ones too */
	CPLACE_STACK, /* n bytes after the return address's place: n = 8 is the first word */
	CPLACE_FLOAT, /* in a vector register, which nobody can read */
	CPLACE_NONE,  /* the ABI puts it where we do not know */
	CPLACE_DWARF_REG,    /* not at the entry, but at one address: register n, by its DWARF number */
	CPLACE_DWARF_MEMORY, /* likewise: in memory at that register + off */
};

struct cparam {
	char name[CTYPE_NAME_MAX]; /* empty: it has none */
	uint64_t type;
	enum cplace place;
	uint32_t n;
	int64_t off; /* CPLACE_DWARF_MEMORY */
	bool by_reference; /* the place has the address of it: C++ objects with constructors, larger ones on AArch64 and in Rust */
};

/*
 * A prototype. With a result that is returned in memory its hidden pointer has taken the first register. Of Go's functions the
 * result is set when there is just one.
 */
struct cfunc {
	struct cparam params[CPARAMS_MAX];
	uint32_t nr_params; /* those after CPARAMS_MAX are left out */
	uint64_t result;    /* 0: void */
	bool is_variadic, is_cut;
	bool is_ambiguous;     /* other functions of that name have other prototypes: this is the first one's */
	bool result_in_memory; /* the return value is its address */
	bool is_go, is_rust;   /* called by that language's own convention */
	bool is_changed;       /* the compiler has called it otherwise than it was declared: no place is known */
};

/*
 * The member of that name, also of anonymous members and base classes, bit_at being counted from the outermost begin. 0 or
 * -ENOENT.
 */
int ctype_member(struct ctypes *types, uint64_t id, const char *name, size_t len, struct cmember *ret_member);

/*
 * Calls each() for all that have a name of their own or by way of anonymous ones, in their order, bit_at as above: those too that a
 * derived class hides. Returns 0 or what each() returned. Both stop at members nested or repeated beyond any program's.
 */
int ctype_each_member(struct ctypes *types, uint64_t id, int (*each)(void *arg, const struct cmember *m), void *arg);

/*
 * Sets place and n of all parameters from their types: integers and pointers in the registers for integers, floats in theirs,
 * larger structs on the stack. Sets by_reference and result_in_memory too where the types say so; where they are set they stay
 * (only C++ knows). After a parameter of an unknown type, registers are CPLACE_NONE.
 *
 * System V psABI of x86-64, 3.2.3: n counts rdi rsi rdx rcx r8 r9. AAPCS64: x0 to x7; what is on the stack is counted as if the
 * link register were there. Go (cmd/compile/abi-internal.md, from 1.17 on): n counts rax rbx rcx rdi rsi r8 r9 r10 r11, on arm64
 * r0 to r15; older ones are is_changed. Rust has promised nothing: this is what rustc 1.95 does (rustc_ty_utils/src/abi.rs).
 */
void cfunc_place(struct ctypes *types, struct cfunc *func);

#endif
