/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of struct code_reader: for code.c and kernelcode.c only. */
#ifndef SKEP_SYM_CODEREADER_H
#define SKEP_SYM_CODEREADER_H

#include "elf/elf.h"
#include "elf/symtab.h"
#include "sym/code.h"
#include "sym/jitdump.h"
#include "sym/maps.h"
#include "util/vec.h"

#define CODE_MAX_BYTES (4u << 20) /* of a function: a hundred times that in memory */

/* A file with the kernel's code: its image, or /proc/kcore. Opened on first use. */
struct kernel_image {
	bool is_tried;
	int fd; /* -1: not open */
	struct elf_file elf;
	uint64_t text; /* of an image: where it has _text */
	struct symtab tab; /* of an image; empty until has_tab */
	bool has_tab;
	struct lines *lines;
	struct err why; /* it is not open */
};

#define JIT_READS_MAX 8
#define CODE_NAMES 256u

/* What a process's JIT dumped. */
struct process_dump {
	uint32_t pid;
	uint64_t version;     /* of the space when it was looked for */
	const char *path;     /* interned; NULL: none is mapped */
	struct jitdump *dumps[JIT_READS_MAX]; /* as often as it was read */
	uint32_t nr_dumps, nr_tries;
	uint64_t read_ns;
	struct err why; /* it could not */
};

struct code_reader {
	struct syms *syms;
	struct code_cfg cfg;
	struct kernel_image image, core;
	VEC(struct process_dump *) dumps;
	struct code_symbol {
		const char *raw, *name;
	} names[CODE_NAMES]; /* by raw: every sample asks for one, and demangling takes a microsecond */
};

void kernel_image_close(struct kernel_image *image);

/* The function at a place in the recorded kernel's own text, by its image, where the running kernel does not know it: fills place. */
bool kernel_image_place(struct code_reader *r, struct code_place *place);

/* As code_read(), of kernel functions. */
int kernel_code_read(struct code_reader *r, const struct code_place *place, struct code *ret_code, struct err *err);

/* Looks for an address in the dump of a process; fills place where it is there, or may be. */
void jit_code_place(struct code_reader *r, struct space *space, struct code_place *place);
int jit_code_read(const struct code_place *place, struct code *ret_code, struct err *err);
int jit_refuse(const struct code_place *place, struct err *err); /* fills err for a place without a name */
void jit_dumps_free(struct code_reader *r);

#endif
