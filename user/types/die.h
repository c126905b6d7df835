/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types as DWARF's trees have them (DIEs), for dwarf.c. An id is a DIE's offset in its section, the index of the file that it is
 * in (its own, that which dwz shares, a .dwo file) and, of an array of arrays, which one.
 */
#ifndef SKEP_TYPES_DIE_H
#define SKEP_TYPES_DIE_H

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "types/ctype.h"
#include "types/units.h"
#include "util/map.h"
#include "util/vec.h"

#define DIE_STEPS_MAX 64 /* from a name to its type */
#define DIE_DIMS_MAX 15	 /* of an array */
#define NR_CURSORS 8
#define NO_TYPE UINT64_MAX

/* Where the last child of a type was found, so that the next one is found in one step. */
struct cursor {
	uint64_t id;
	uint32_t i;
	Dwarf_Die die;
	bool is_set;
};

struct die_name {
	uint64_t full; /* of the name with what is around it */
	uint64_t id;
	bool is_declared, is_ambiguous; /* only declared; of several by different full names */
};

struct die_names {
	VEC(struct die_name) all;
	struct map index; /* by kind and name */
	bool is_built;
};

struct dwarf_types {
	struct ctypes types; /* first: see ctype.h */
	int fd;		     /* of the separate debug file, or -1 */
	bool is_foreign;     /* of another machine than this: no place is known */
	struct units units;
	VEC(Dwarf *) files;
	struct cursor cursors[NR_CURSORS];
	struct die_names names;
};

/* NO_TYPE: nobody can name it. */
uint64_t die_id(struct dwarf_types *d, Dwarf_Die *die);

/* The DIE as id names it, of an array without the first *ret_dim dimensions. 0 or -ENOENT. */
int die_of(struct dwarf_types *d, uint64_t id, Dwarf_Die *ret_die, unsigned int *ret_dim);

/* The DIE that an attribute refers to, which abstract_origin or specification may have. */
bool die_ref(Dwarf_Die *die, unsigned int name, Dwarf_Die *ret_die);

/* The id of DW_AT_type: 0 (void) when there is none. */
uint64_t die_type(struct dwarf_types *d, Dwarf_Die *die);

/* A constant, or 0 when there is none. */
uint64_t die_number(Dwarf_Die *die, unsigned int name);
bool die_flag(Dwarf_Die *die, unsigned int name);
bool die_is_c(Dwarf_Die *die);

/* After *die in the file, which no sibling of a hostile file need be. */
bool die_next(Dwarf_Die *die);

/* How many elements an array has in each dimension (0: not known); returns how many dimensions, at least 1. */
unsigned int die_dims(Dwarf_Die *array, uint64_t ret_dims[DIE_DIMS_MAX]);

/* The functions of struct ctypes. */
int die_get(struct ctypes *types, uint64_t id, struct ctype *ret_type);
int die_member(struct ctypes *types, uint64_t id, uint32_t i, struct cmember *ret_member);
int die_enumerator(struct ctypes *types, uint64_t id, uint32_t i, struct cenumerator *ret_enumerator);
int die_find(struct ctypes *types, enum ctype_kind kind, const char *name, size_t len, uint64_t *ret_id);
size_t die_text(struct ctypes *types, uint64_t id, char *buf, size_t size);

/* The definition of what die only declares. 0 or -ENOENT. */
int die_definition(struct dwarf_types *d, Dwarf_Die *die, Dwarf_Die *ret_die);
void die_names_free(struct die_names *names);

/* Whether C++ passes such an object by its address. */
bool die_by_reference(struct dwarf_types *d, uint64_t type);

/* CTYPE_STRUCT, _UNION, _ENUM for what has a tag, CTYPE_OTHER for typedefs and base types; CTYPE_VOID for all else. */
enum ctype_kind die_kind(Dwarf_Die *die);
#endif
#endif
