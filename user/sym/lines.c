/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF by libdw. libdw answers by walking DIEs, so we walk each unit once, when an address in it is
 * first asked for, and keep the ranges of its functions and of what is inlined into them. The table
 * of units is our own too: .debug_aranges is missing in what clang and rustc make.
 */
#include "sym/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/sym.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "sym/spans.h"
#include "util/vec.h"

/* Limits for hostile files only. */
#define DEPTH_MAX 256
#define DIES_MAX (1u << 23)
#define RANGES_MAX (1u << 20)
#define UNITS_MAX (1u << 22)
#define NO_SCOPE UINT32_MAX

/* A function, or a call of one that was inlined. */
struct scope {
	Dwarf_Die die;
	uint64_t low;
	uint32_t outer; /* NO_SCOPE: it is a function */
};

struct unit {
	Dwarf_Die die;	/* of the file itself: ranges and lines */
	Dwarf_Die tree; /* where the functions are: another file's with split DWARF */
	bool is_indexed;
	VEC(struct scope) scopes;
	struct spans spans; /* what: index in scopes */
};

struct lines {
	Elf *elf;
	Dwarf *dwarf;
	VEC(struct unit) units;
	struct spans spans; /* what: index in units */
};

bool syms_have_lines(void)
{
	return true;
}

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

static int add_units(struct lines *lines)
{
	Dwarf_CU *cu = NULL;

	while (!dwarf_get_units(lines->dwarf, cu, &cu, NULL, NULL, NULL, NULL)) {
		struct unit unit = { 0 };
		uint64_t low = UINT64_MAX;
		Dwarf_Half version;
		uint8_t type;

		if (lines->units.n >= UNITS_MAX || vec_reserve(&lines->units))
			return -ENOMEM;
		/* Without the .dwo at hand, the skeleton still has the lines. */
		if (dwarf_cu_info(cu, &version, &type, &unit.die, &unit.tree, NULL, NULL, NULL))
			continue;
		if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial)
			continue;
		if (type != DW_UT_skeleton || !unit.tree.addr)
			unit.tree = unit.die;
		if (add_ranges(&unit.die, &lines->spans, (uint32_t)lines->units.n, &low))
			return -ENOMEM;
		lines->units.data[lines->units.n++] = unit;
	}
	return spans_seal(&lines->spans);
}

struct lines *lines_open(int fd)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	elf_version(EV_CURRENT);
	/* ELF_C_READ copies; a mapping would end us with SIGBUS if someone cut the file. */
	lines->elf = elf_begin(fd, ELF_C_READ, NULL);
	lines->dwarf = lines->elf ? dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
	if (!lines->dwarf || add_units(lines) || !lines->spans.n) {
		lines_free(lines);
		return NULL;
	}
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->units.n; i++) {
		vec_free(&lines->units.data[i].scopes);
		vec_free(&lines->units.data[i].spans);
	}
	vec_free(&lines->units);
	vec_free(&lines->spans);
	dwarf_end(lines->dwarf);
	elf_end(lines->elf);
	free(lines);
}

struct walk {
	struct unit *unit;
	uint32_t nr_dies;
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

		if (++walk->nr_dies > DIES_MAX)
			return 0;
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

static void index_unit(struct unit *unit)
{
	struct walk walk = { unit, 0 };

	unit->is_indexed = true;
	if (index_children(&walk, &unit->tree, NO_SCOPE, 0) || spans_seal(&unit->spans))
		unit->spans.n = 0;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	/* Following abstract_origin and specification, which is where inlined calls have their names. */
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr)) {
		name = dwarf_formstring(&attr);
		if (name && *name)
			return name;
	}
	name = dwarf_attr_integrate(die, DW_AT_name, &attr) ? dwarf_formstring(&attr) : NULL;
	return name && *name ? name : "[unknown]";
}

static void call_site(struct unit *unit, Dwarf_Die *die, struct line_frame *f)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_attr(die, DW_AT_call_line, &attr) && !dwarf_formudata(&attr, &value))
		f->line = (uint32_t)value;
	if (dwarf_attr(die, DW_AT_call_file, &attr) && !dwarf_formudata(&attr, &value) &&
	    !dwarf_getsrcfiles(&unit->die, &files, &n) && value < n)
		f->file = dwarf_filesrc(files, value, NULL, NULL);
}

static void source_line(struct unit *unit, uint64_t vaddr, struct line_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, vaddr);
	int number;

	if (!line)
		return;
	f->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number) && number > 0)
		f->line = (uint32_t)number;
}

int lines_find(struct lines *lines, uint64_t vaddr, bool inlines, struct line_frame *ret_frames, int max)
{
	const struct span *span = spans_find(&lines->spans, vaddr);
	struct unit *unit;
	uint32_t at;
	int n = 0;

	if (!span || max < 1)
		return 0;
	unit = &lines->units.data[span->what];
	ret_frames[0] = (struct line_frame){ 0 };
	source_line(unit, vaddr, &ret_frames[0]);
	if (!inlines)
		return 1;
	if (!unit->is_indexed)
		index_unit(unit);
	span = spans_find(&unit->spans, vaddr);
	at = span ? span->what : NO_SCOPE;
	while (at != NO_SCOPE && n < max - 1) {
		struct scope *s = &unit->scopes.data[at];

		if (s->outer == NO_SCOPE)
			break;
		ret_frames[n].name = name_of(&s->die);
		ret_frames[n].entry = s->low;
		ret_frames[++n] = (struct line_frame){ 0 };
		call_site(unit, &s->die, &ret_frames[n]);
		at = s->outer;
	}
	return n + 1;
}
#else
bool syms_have_lines(void)
{
	return false;
}

struct lines *lines_open(int fd)
{
	(void)fd;
	return NULL;
}

void lines_free(struct lines *lines)
{
	(void)lines;
}

int lines_find(struct lines *lines, uint64_t vaddr, bool inlines, struct line_frame *ret_frames, int max)
{
	(void)lines;
	(void)vaddr;
	(void)inlines;
	(void)ret_frames;
	(void)max;
	return 0;
}
#endif
