/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of struct code_reader: for code.c and kernelcode.c only. */
#ifndef SKEP_SYM_CODEREADER_H
#define SKEP_SYM_CODEREADER_H

#include "elf/elf.h"
#include "sym/code.h"

#define CODE_MAX_BYTES (16u << 20) /* of a function */

/* A file with the kernel's code: its image, or /proc/kcore. Opened on first use. */
struct kernel_image {
	bool is_tried;
	int fd; /* -1: not open */
	struct elf_file elf;
	uint64_t text; /* of an image: where it has _text */
	struct lines *lines;
	struct err why; /* it is not open */
};

struct code_reader {
	struct syms *syms;
	struct code_cfg cfg;
	struct kernel_image image, core;
};

void kernel_image_close(struct kernel_image *image);

/* As code_read(), of kernel functions. */
int kernel_code_read(struct code_reader *r, const struct code_place *place, struct code *ret_code, struct err *err);

#endif
