/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names and lines of what units.c finds at an address. */
#include "sym/lines.h"

#include <stdlib.h>

#include "sym/sym.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "types/units.h"

struct lines {
	struct units units;
};

bool syms_have_lines(void)
{
	return true;
}

struct lines *lines_open(int fd, struct dwarffile_limits *limits)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	if (units_open(fd, limits, &lines->units) || !lines->units.spans.n) {
		lines_free(lines);
		return NULL;
	}
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	units_close(&lines->units);
	free(lines);
}

static const char *name_of(Dwarf_Die *die)
{
	const char *name = die_linkage_name(die);

	if (!name)
		name = die_string(die, DW_AT_name);
	return name ? name : "[unknown]";
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
	f->dir = die_string(&unit->die, DW_AT_comp_dir);
	if (!dwarf_lineno(line, &number) && number > 0)
		f->line = (uint32_t)number;
}

int lines_find(struct lines *lines, uint64_t vaddr, bool inlines, struct line_frame *ret_frames, int max)
{
	struct unit *unit = units_find(&lines->units, vaddr);
	uint32_t at;
	int n = 0;

	if (!unit || max < 1)
		return 0;
	ret_frames[0] = (struct line_frame){ 0 };
	source_line(unit, vaddr, &ret_frames[0]);
	if (!inlines)
		return 1;
	at = unit_scope(unit, vaddr);
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

struct lines *lines_open(int fd, struct dwarffile_limits *limits)
{
	(void)fd;
	(void)limits;
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
