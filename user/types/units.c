/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walks go forward only, each DIE lies after the previous one: a hostile file can neither loop nor be walked twice. */
#include "types/units.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Limits for hostile files only. */
#define DEPTH_MAX 256
#define RANGES_MAX (1u << 20)
#define UNITS_MAX (1u << 22)
#define ORIGINS_MAX 16

/* Adds every range of die. 0 or -ENOMEM; *ret_low is the lowest, untouched when there is none. */
static int add_ranges(Dwarf_Die *die, struct spans *spans, uint32_t what, uint64_t *ret_low)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	for (uint32_t i = 0; i < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0; i++) {
		if (spans_add(spans, low, high, what))
			return -ENOMEM;
		if (low < *ret_low)
			*ret_low = low;
	}
	return 0;
}

bool dwarf_has_strings(Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		Elf_Data *data;

		if (!name || strstr(name, "offsets") || (!strstr(name, "debug_str") && !strstr(name, "debug_line_str")))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf && data->d_size && ((const char *)data->d_buf)[data->d_size - 1])
			return false;
	}
	return true;
}

static int add_units(struct units *units)
{
	Dwarf_CU *cu = NULL;

	while (!dwarf_get_units(units->dwarf, cu, &cu, NULL, NULL, NULL, NULL)) {
		struct unit unit = { .split = units->split };
		uint64_t low = UINT64_MAX;
		uint8_t type;

		if (units->units.n >= UNITS_MAX || vec_reserve(&units->units))
			return -ENOMEM;
		/* No sub-die yet: that would open every .dwo file. */
		if (dwarf_cu_info(cu, NULL, &type, &unit.die, NULL, NULL, NULL, NULL))
			continue;
		if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial)
			continue;
		if (add_ranges(&unit.die, &units->spans, (uint32_t)units->units.n, &low))
			return -ENOMEM;
		units->units.data[units->units.n++] = unit;
	}
	return spans_seal(&units->spans);
}

int units_open(int fd, struct dwarffile_limits *limits, struct units *ret_units)
{
	struct units units = { 0 };
	int ret = dwarffile_check(fd, limits);
	Dwarf *alt;

	if (ret)
		return ret == -EFBIG || ret == -ENOMEM ? ret : -ENODATA;
	units.split = calloc(1, sizeof(*units.split));
	if (!units.split || !(units.split->dir = dwarffile_dir(fd))) {
		free(units.split);
		return -ENOMEM;
	}
	ret = -ENODATA;
	elf_version(EV_CURRENT);
	/* ELF_C_READ copies; a mapping would end us with SIGBUS if someone cut the file. */
	units.elf = elf_begin(fd, ELF_C_READ, NULL);
	units.dwarf = units.elf ? dwarf_begin_elf(units.elf, DWARF_C_READ, NULL) : NULL;
	alt = units.dwarf ? dwarf_getalt(units.dwarf) : NULL;
	if (units.dwarf && dwarf_has_strings(units.dwarf) && (!alt || dwarf_has_strings(alt)))
		ret = add_units(&units);
	if (!ret && !units.units.n)
		ret = -ENODATA;
	if (ret)
		units_close(&units);
	else
		*ret_units = units;
	return ret;
}

void units_close(struct units *units)
{
	for (size_t i = 0; i < units->units.n; i++) {
		vec_free(&units->units.data[i].scopes);
		vec_free(&units->units.data[i].spans);
	}
	vec_free(&units->units);
	vec_free(&units->spans);
	dwarf_end(units->dwarf);
	elf_end(units->elf);
	if (units->split)
		free(units->split->dir);
	free(units->split);
}

struct unit *units_find(const struct units *units, uint64_t vaddr)
{
	const struct span *span = spans_find(&units->spans, vaddr);

	return span ? &units->units.data[span->what] : NULL;
}

struct walk {
	struct unit *unit;
	const void *last; /* DIE */
};

static bool may_hold_code(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* Rust puts methods of enums there */
	case DW_TAG_imported_unit:
		return true;
	default:
		return false;
	}
}

/* Adds the children of die, which lie in scope outer. -ENOMEM ends the walk. */
static int index_children(struct walk *walk, Dwarf_Die *die, uint32_t outer, int depth)
{
	struct unit *unit = walk->unit;
	Dwarf_Die child;
	int ret = 0;

	if (depth == DEPTH_MAX || dwarf_child(die, &child))
		return 0;
	do {
		int tag = dwarf_tag(&child);
		uint32_t inner = outer;

		if (child.addr <= walk->last)
			return 0;
		walk->last = child.addr;
		if (!may_hold_code(tag))
			continue;
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
			struct scope s = { child, UINT64_MAX, tag == DW_TAG_subprogram ? NO_SCOPE : outer };

			inner = (uint32_t)unit->scopes.n;
			if (vec_reserve(&unit->scopes) || add_ranges(&child, &unit->spans, inner, &s.low))
				return -ENOMEM;
			/* No code of its own: a declaration, or only ever inlined. Its children have none either. */
			if (s.low == UINT64_MAX)
				continue;
			unit->scopes.data[unit->scopes.n++] = s;
		}
		if (dwarf_haschildren(&child))
			ret = index_children(walk, &child, inner, depth + 1);
	} while (!ret && !dwarf_siblingof(&child, &child));
	return ret;
}

/* The path of a .dwo file is whatever somebody wrote there. */
static bool may_open_split(Dwarf_Die *die, struct split *split)
{
	const char *name = die_string(die, DW_AT_dwo_name);

	name = name ? name : die_string(die, DW_AT_GNU_dwo_name);
	return !name || dwarffile_may_open(split->dir, die_string(die, DW_AT_comp_dir), name, &split->limits);
}

bool unit_split(Dwarf_CU *cu, struct split *split, Dwarf_Die *ret_tree)
{
	Dwarf_Die die;
	uint8_t type;

	if (dwarf_cu_info(cu, NULL, &type, &die, NULL, NULL, NULL, NULL) || type != DW_UT_skeleton || !may_open_split(&die, split))
		return false;
	return !dwarf_cu_info(cu, NULL, &type, NULL, ret_tree, NULL, NULL, NULL) && type == DW_UT_skeleton && ret_tree->addr &&
	       dwarf_has_strings(dwarf_cu_getdwarf(ret_tree->cu));
}

void unit_index(struct unit *unit)
{
	struct walk walk = { unit, NULL };

	if (unit->is_indexed)
		return;
	unit->is_indexed = true;
	/* Without the .dwo at hand, the skeleton still has the lines. */
	if (!unit_split(unit->die.cu, unit->split, &unit->tree))
		unit->tree = unit->die;
	if (index_children(&walk, &unit->tree, NO_SCOPE, 0) || spans_seal(&unit->spans))
		unit->spans.n = 0;
}

uint32_t unit_scope(struct unit *unit, uint64_t vaddr)
{
	const struct span *span;

	unit_index(unit);
	span = spans_find(&unit->spans, vaddr);
	return span ? span->what : NO_SCOPE;
}

static int next_attr(Dwarf_Attribute *attr, void *arg)
{
	(void)attr;
	(void)arg;
	return DWARF_CB_OK;
}

/* libdw looks for a string's end only when it goes on after it: this does, after all attributes of die. */
static bool is_whole(Dwarf_Die *die)
{
	return dwarf_getattrs(die, next_attr, NULL, 0) == 1;
}

const char *die_string(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Die at = *die, origin;
	Dwarf_Attribute attr;
	const char *s;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		if (dwarf_attr(&at, name, &attr)) {
			s = dwarf_whatform(&attr) != DW_FORM_string || is_whole(&at) ? dwarf_formstring(&attr) : NULL;
			return s && *s ? s : NULL;
		}
		if (!dwarf_attr(&at, DW_AT_abstract_origin, &attr) && !dwarf_attr(&at, DW_AT_specification, &attr))
			return NULL;
		if (!dwarf_formref_die(&attr, &origin))
			return NULL;
		at = origin;
	}
	return NULL;
}

const char *die_linkage_name(Dwarf_Die *die)
{
	const char *name = die_string(die, DW_AT_linkage_name);

	return name ? name : die_string(die, DW_AT_MIPS_linkage_name);
}
#endif
