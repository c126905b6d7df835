/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions and their types from BTF (Documentation/bpf/btf.rst): the kernel's own in /sys/kernel/btf/vmlinux, a
 * module's in a file that goes on where that ends. The bytes may be anything: every type and string is checked before use.
 */
#ifndef SKEP_TYPES_BTF_H
#define SKEP_TYPES_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_types;

/*
 * Opens a file; base (borrowed until btf_close): what its ids and strings go on from, or NULL. 0, -errno, or -EBADMSG for what is
 * no BTF. Of a file with a kind of a newer kernel's the types before it are read; as a base it is -EBADMSG.
 */
int btf_open(const char *path, const struct btf_types *base, struct btf_types **ret_btf);

/* The same for size bytes, borrowed until btf_close. */
int btf_open_mem(const void *bytes, size_t size, const struct btf_types *base, struct btf_types **ret_btf);
void btf_close(struct btf_types *btf);

/* Calls each() for the functions of this file, without those of base. Returns 0 or what each() returned. */
int btf_each_func(const struct btf_types *btf, int (*each)(void *arg, const char *name, uint32_t id), void *arg);

/* The first type of this file, without base's, of a BTF_KIND and a name: its id, or 0. */
uint32_t btf_find(const struct btf_types *btf, uint32_t kind, const char *name);

/* How many arguments a program on a tracepoint is given (of the typedef btf_trace_NAME, Linux 5.5); -1: no such tracepoint. */
int btf_tracepoint_args(const struct btf_types *btf, const char *tracepoint);

/* Is the i-th of them a pointer, by its own type? */
bool btf_tracepoint_has_pointer(const struct btf_types *btf, const char *tracepoint, uint32_t i);

/* Has a struct a member of this name? There may be no such struct. */
bool btf_has_member(const struct btf_types *btf, const char *name, const char *member);

/* Bytes of a struct; 0: it is empty, or there is none. */
uint32_t btf_struct_bytes(const struct btf_types *btf, const char *name);

/* The name of a value of an enum of 32 bits, valid until btf_close; NULL: it has none. */
const char *btf_enum_name(const struct btf_types *btf, const char *name, uint32_t value);

/* Where a variable that each CPU has is in a CPU's own memory, in bytes; -1: there is none, or it is not known. */
int64_t btf_percpu_offset(const struct btf_types *btf, const char *name);

/*
 * Writes a C declaration, cut at size, and returns its length (size or more when it is cut there): of the function
 * ("int f(struct sock *sk, size_t n)"), its parameters ("struct sock *sk, size_t n", "void") or its result. Empty when id is no
 * function. Names of 256 bytes, lists of parameters in parentheses of 512 and what is after 1024 declarations are cut too. All
 * that is cut ends in "..." there.
 */
size_t btf_prototype(const struct btf_types *btf, uint32_t id, char *buf, size_t size);
size_t btf_parameters(const struct btf_types *btf, uint32_t id, char *buf, size_t size);
size_t btf_result(const struct btf_types *btf, uint32_t id, char *buf, size_t size);

/* The same for any type without a name declared: "struct sock *"; "void" for 0. */
size_t btf_type_name(const struct btf_types *btf, uint32_t id, char *buf, size_t size);

/* The i-th parameter's name ("" for none), and its type into buf, cut likewise. NULL after the last. */
const char *btf_parameter(const struct btf_types *btf, uint32_t id, uint32_t i, char *buf, size_t size);

#endif
