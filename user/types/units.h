/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The units of a file's DWARF and the code in them, by libdw. libdw answers by walking DIEs, so we walk each unit once, when an
 * address in it is first requested, and keep the ranges of its functions and of what is inlined into them. The table of units is
 * our own too: .debug_aranges is missing in what clang and rustc make.
 */
#ifndef SKEP_TYPES_UNITS_H
#define SKEP_TYPES_UNITS_H

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/dwarffile.h"
#include "util/spans.h"
#include "util/vec.h"

#define NO_SCOPE UINT32_MAX

/* A function, or a call of one that was inlined. */
struct scope {
	Dwarf_Die die;
	uint64_t low;
	uint32_t outer; /* NO_SCOPE: it is a function */
};

enum unit_types {
	UNIT_TYPES_UNKNOWN, /* nobody has looked */
	UNIT_TYPES_NONE,
	UNIT_TYPES_SOME,
};

/* Where the files that its units were split into (.dwo) are looked for, and how much of them there was. */
struct split {
	char *dir; /* of the file */
	struct dwarffile_limits limits;
};

struct unit {
	Dwarf_Die die;	/* of the file itself: ranges and lines */
	Dwarf_Die tree; /* once indexed, where the functions are: another file's with split DWARF */
	bool is_indexed;
	enum unit_types types; /* for dwarf.c */
	struct split *split; /* of its file; borrowed */
	VEC(struct scope) scopes;
	struct spans spans; /* what: index in scopes */
};

struct units {
	Elf *elf;
	Dwarf *dwarf;
	struct split *split;
	VEC(struct unit) units;
	struct spans spans; /* what: index in units */
};

/*
 * Opens the DWARF of fd, kept by the caller until units_close. 0, -ENODATA when there is none, -EFBIG: more than limits
 * allow, or -ENOMEM.
 */
int units_open(int fd, struct dwarffile_limits *limits, struct units *ret_units);
void units_close(struct units *units);

/* The unit with code at vaddr, or NULL. */
struct unit *units_find(const struct units *units, uint64_t vaddr);

/* Fills scopes and spans of unit, the first time. */
void unit_index(struct unit *unit);

/* The innermost scope at vaddr, an index in scopes, or NO_SCOPE. */
uint32_t unit_scope(struct unit *unit, uint64_t vaddr);

/* The tree of a unit whose functions and types are in a .dwo file. False: it is all here, or that file is not. dir: of units. */
bool unit_split(Dwarf_CU *cu, struct split *split, Dwarf_Die *ret_tree);

/* Whether the last string of each section of them has an end. libdw reads on without one (before 0.189). */
bool dwarf_has_strings(Dwarf *dwarf);

/* The string of an attribute, as abstract_origin and specification say too; NULL: none. Lives until units_close. */
const char *die_string(Dwarf_Die *die, unsigned int name);

/* As the symbol table would have it, or NULL: a C function has only its plain name. */
const char *die_linkage_name(Dwarf_Die *die);
#endif
#endif
