/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of functions: where a sampled address is in its object, and the bytes and source lines there. Of files, the vDSO, the kernel
 * (its image, /proc/kcore, or its memory) and what JITs dumped.
 */
#ifndef SKEP_SYM_CODE_H
#define SKEP_SYM_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct syms;
struct object;
struct lines;
struct jitdump;
struct jitdump_code;
struct code_reader;

enum code_kind {
	CODE_NOWHERE, /* nothing is known of the address */
	CODE_OBJECT,  /* a file or the vDSO */
	CODE_KERNEL,  /* of modules, too */
	CODE_BPF,
	CODE_JIT,
};

/* Strings are interned. Addresses are the object's (ELF); of the kernel and of JITs as they were sampled. */
struct code_place {
	enum code_kind kind;
	struct object *obj; /* CODE_OBJECT, CODE_NOWHERE; or NULL */
	const void *id;	    /* the identity of the object ... */
	uint64_t key;	    /* ... and this their functions */
	const char *name;   /* of the function; NULL: it has none, and start and end are not known */
	const char *obj_name;
	uint64_t addr, start, end;
	uint32_t pid;	  /* the first process that ran it */
	uint64_t time_ns; /* and when */
	const struct jitdump *dump; /* CODE_JIT */
	const struct jitdump_code *jit;
};

struct code_cfg {
	const char *vmlinux; /* the kernel's image; NULL: searched for */
	bool no_vmlinux;     /* none is used */
	bool no_lines;	     /* source lines are not wanted: to open debug information takes long */
	/* Reads memory of the running kernel, where there is no /proc/kcore: 0 or -errno. NULL: not possible. */
	int (*read_kernel)(void *arg, uint64_t addr, void *buf, size_t n);
	void *read_arg;
};

/* syms and what cfg points to outlive it. NULL: no memory. */
struct code_reader *code_reader_new(struct syms *syms, const struct code_cfg *cfg);
void code_reader_free(struct code_reader *r);

/* Where ip of process pid was at that time; kernel: it is kernel text. Places live as long as the reader. */
void code_place(struct code_reader *r, uint32_t pid, uint64_t time_ns, uint64_t ip, bool kernel, struct code_place *ret_place);

/* The whole of a function. */
struct code {
	uint16_t machine; /* EM_... */
	uint8_t *bytes;	  /* malloc'ed */
	uint64_t n, addr;
	const char *source; /* where they are from; NULL: the object's file */
	struct lines *lines; /* borrowed; or NULL */
	uint64_t to_lines;   /* is added to an address to have that of lines */
	const struct code_place *place;
};

/*
 * 0; -errno with err filled, whose text is a reason ("no file has the build id of the one that ran") and whose hint says what to do.
 * place outlives ret_code.
 */
int code_read(struct code_reader *r, const struct code_place *place, struct code *ret_code, struct err *err);
void code_free(struct code *code);

/* The source line of an address; false: not known. ret_file is interned. */
bool code_line(struct code_reader *r, const struct code *code, uint64_t addr, const char **ret_file, uint32_t *ret_line);

/* The function that an address of a place's object is in, interned, and how far; NULL: not known. */
const char *code_name(struct code_reader *r, const struct code_place *place, uint64_t addr, uint64_t *ret_off);

#endif
