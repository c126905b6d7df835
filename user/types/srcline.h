/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Places in a program by lines of its source, and where its variables are there, from its DWARF by libdw. */
#ifndef SKEP_TYPES_SRCLINE_H
#define SKEP_TYPES_SRCLINE_H

#include "types/dwarf.h"

struct srcline_place {
	const char *function; /* of the source: plain, or as linked. They live as long as the dwarf */
	const char *file;
	uint32_t line, decl_line; /* of the address; of the function's head */
	bool is_entry;
};

/* Is end the path, or its end after a slash? */
bool srcline_is_file(const char *path, const char *end);

/* What is at an address of the file. 0, or -ENOENT. */
int srcline_at(struct dwarf_types *dwarf, uint64_t addr, struct srcline_place *ret_place);

/*
 * Calls each() for every address where a statement of a line begins, in the order of addresses. file: the end of its path, from a slash on
 * (NULL: any); function: the line is counted from its head, and only its code is meant (NULL: the file's own lines). 0, what each()
 * returned, -ENOENT: there is no such file, function or line, or -ENOMEM.
 */
int srcline_addrs(struct dwarf_types *dwarf, const char *file, const char *function, uint32_t line,
		 int (*each)(void *arg, uint64_t addr, const char *function), void *arg);

/*
 * Parameters and variables that can be read at an address, inner ones instead of outer ones of their name: with CPLACE_DWARF_REG,
 * CPLACE_DWARF_MEMORY, or CPLACE_NONE for those that have no place there. 0, or -ENOENT: there is no function.
 */
int srcline_vars(struct dwarf_types *dwarf, uint64_t addr, struct cfunc *ret_vars);

#endif
