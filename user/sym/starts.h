/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that no symbol names, told apart by where they begin: what .eh_frame describes as one piece of code. A stripped program keeps that, since
 * exceptions and debuggers need it.
 */
#ifndef SKEP_SYM_STARTS_H
#define SKEP_SYM_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct object;
struct objects;

/*
 * The function of an object that is read around an ELF address. The file is opened anew the first time, by process pid if that helps (0: none).
 * False: its file is gone, or does not describe that code.
 */
bool starts_find(struct objects *objects, struct object *obj, uint32_t pid, uint64_t vaddr, uint64_t *ret_start, uint64_t *ret_end);

/* "cc1+0x7e9e00"; returns text. */
const char *starts_name(const struct object *obj, uint64_t vaddr, char *text, size_t size);

/*
 * The symbol of the function around vaddr of an object that is read, and where it begins. NULL: no symbol; *ret_start is where it begins if that
 * is known, or vaddr itself with syms_cfg.addresses, and else left as it was.
 */
const char *starts_function(struct objects *objects, struct object *obj, uint32_t pid, uint64_t vaddr, uint64_t *ret_start);

/* Fills a frame without a symbol, of which that start is known. */
void starts_fill(const struct objects *objects, const struct object *obj, uint64_t start, struct frame *frame);

#endif
