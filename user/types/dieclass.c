/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which objects of C++ are passed by their address: those that only their constructors may copy (Itanium C++ ABI, 3.1.2.3). clang
 * marks each such class; for GCC's output the special members of a class decide.
 */
#include "types/die.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <string.h>

#define LANG_CXX17 0x2b /* newer than some of the headers that skep is built with; dwarfstd.org/languages.html */
#define LANG_CXX20 0x2e

/* Limits for hostile files only. */
#define DEPTH_MAX 12
#define CLASSES_MAX 256u

struct looking {
	struct dwarf_types *d;
	uint32_t budget;
};

static bool is_cxx(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_CXX17:
	case LANG_CXX20:
		return true;
	default:
		return false;
	}
}

/* A constructor's one parameter besides this, when it is a reference to the class. */
static bool takes_own_reference(struct looking *l, Dwarf_Die *func, uint64_t class)
{
	Dwarf_Die child;
	uint32_t nr_others = 0;
	bool found = false;

	if (dwarf_child(func, &child))
		return false;
	do {
		Dwarf_Die type;
		struct ctype to;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter || die_flag(&child, DW_AT_artificial))
			continue;
		nr_others++;
		if (!die_ref(&child, DW_AT_type, &type) ||
		    (dwarf_tag(&type) != DW_TAG_reference_type && dwarf_tag(&type) != DW_TAG_rvalue_reference_type))
			continue;
		found |= !die_get(&l->d->types, die_type(l->d, &type), &to) && to.id == class;
	} while (die_next(&child));
	return found && nr_others == 1;
}

/* A member function that a compiler would not have written so. */
static bool is_special(struct looking *l, Dwarf_Die *func, const char *class_name, uint64_t class)
{
	const char *name = die_string(func, DW_AT_name);

	if (die_number(func, DW_AT_virtuality))
		return true;
	if (!name || die_flag(func, DW_AT_artificial) || die_flag(func, DW_AT_deleted) ||
	    die_number(func, DW_AT_defaulted) == DW_DEFAULTED_in_class)
		return false;
	if (name[0] == '~')
		return true;
	/* A template's constructors lack the arguments in <>. */
	return class_name && !strncmp(name, class_name, strlen(name)) && strchr("<", class_name[strlen(name)]) &&
	       takes_own_reference(l, func, class);
}

static bool is_class_special(struct looking *l, uint64_t id, int depth)
{
	Dwarf_Die class, child;
	struct ctype t;
	unsigned int dim;
	uint64_t convention;

	for (int i = 0; !die_get(&l->d->types, id, &t) && t.kind == CTYPE_ARRAY && i < DIE_DIMS_MAX; i++)
		id = t.to;
	if (die_get(&l->d->types, id, &t) || (t.kind != CTYPE_STRUCT && t.kind != CTYPE_UNION) ||
	    die_of(l->d, t.id, &class, &dim) || !is_cxx(&class) || depth == DEPTH_MAX || !l->budget)
		return false;
	l->budget--;
	convention = die_number(&class, DW_AT_calling_convention);
	if (convention == DW_CC_pass_by_reference || convention == DW_CC_pass_by_value)
		return convention == DW_CC_pass_by_reference;
	if (dwarf_child(&class, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && is_special(l, &child, die_string(&class, DW_AT_name), t.id))
			return true;
		if (tag == DW_TAG_inheritance && die_number(&child, DW_AT_virtuality))
			return true;
		if ((tag == DW_TAG_inheritance || (tag == DW_TAG_member && !die_flag(&child, DW_AT_external))) &&
		    is_class_special(l, die_type(l->d, &child), depth + 1))
			return true;
	} while (die_next(&child));
	return false;
}

bool die_by_reference(struct dwarf_types *d, uint64_t type)
{
	struct looking l = { d, CLASSES_MAX };
	struct ctype t;

	return !die_get(&d->types, type, &t) && t.kind != CTYPE_ARRAY && is_class_special(&l, type, 0);
}
#endif
