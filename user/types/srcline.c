/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines are those where a statement begins; where a variable is, is a register, or memory at a constant from one. */
#include "types/srcline.h"

#include <errno.h>

#include <string.h>

bool srcline_is_file(const char *path, const char *end)
{
	size_t n = path ? strlen(path) : 0, len = strlen(end);

	return n >= len && !strcmp(path + n - len, end) && (n == len || path[n - len - 1] == '/' || *end == '/');
}

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "types/die.h"

#define DEPTH_MAX 32
#define ADDRS_MAX 1024 /* of one line */
#define OFFSET_MAX INT32_MAX /* of a variable from its register: frames are smaller */

static const char *name_of(Dwarf_Die *die)
{
	const char *linked = die_linkage_name(die);

	return linked ? linked : die_string(die, DW_AT_name);
}

static uint32_t decl_line(Dwarf_Die *die)
{
	int line;

	return dwarf_decl_line(die, &line) || line < 0 ? 0 : (uint32_t)line;
}

/* The function with code at addr. */
static struct unit *function_at(struct dwarf_types *d, uint64_t addr, struct scope *ret_scope)
{
	struct unit *unit = units_find(&d->units, addr);
	uint32_t at = unit ? unit_scope(unit, addr) : NO_SCOPE;

	while (at != NO_SCOPE && unit->scopes.data[at].outer != NO_SCOPE)
		at = unit->scopes.data[at].outer;
	if (at == NO_SCOPE)
		return NULL;
	*ret_scope = unit->scopes.data[at];
	return unit;
}

/* The first of the table that begins where the line of addr does. */
static Dwarf_Line *line_at(struct unit *unit, uint64_t addr)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, addr), *at;
	Dwarf_Addr begin, other;
	Dwarf_Lines *lines;
	size_t n;

	if (!line || dwarf_lineaddr(line, &begin) || dwarf_getsrclines(&unit->die, &lines, &n))
		return line;
	for (size_t i = 0; i < n; i++) {
		bool ends = false;

		at = dwarf_onesrcline(lines, i);
		if (at && !dwarf_lineaddr(at, &other) && other == begin && !dwarf_lineendsequence(at, &ends) && !ends)
			return at;
	}
	return line;
}

int srcline_at(struct dwarf_types *d, uint64_t addr, struct srcline_place *ret_place)
{
	struct srcline_place p = { 0 };
	struct scope scope;
	struct unit *unit = function_at(d, addr, &scope);
	Dwarf_Line *line = unit ? line_at(unit, addr) : NULL;
	Dwarf_Addr entry;
	int number;

	if (!unit)
		return -ENOENT;
	p.function = name_of(&scope.die);
	p.decl_line = decl_line(&scope.die);
	p.is_entry = !dwarf_entrypc(&scope.die, &entry) && entry == addr;
	p.file = dwarf_decl_file(&scope.die);
	if (line && !dwarf_lineno(line, &number) && number > 0)
		p.line = (uint32_t)number;
	if (line && !p.is_entry)
		p.file = dwarf_linesrc(line, NULL, NULL);
	if (!p.function || !p.file)
		return -ENOENT;
	*ret_place = p;
	return 0;
}

struct found {
	uint64_t addr;
	const char *function;
};

struct search {
	struct dwarf_types *dwarf;
	VEC(struct found) all;
	bool any_file; /* the file, or the function, is there */
};

static int add_found(struct search *s, uint64_t addr, const char *function)
{
	if (s->all.n == ADDRS_MAX)
		return 0;
	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.data[i].addr == addr)
			return 0;
	if (vec_reserve(&s->all))
		return -ENOMEM;
	s->all.data[s->all.n++] = (struct found){ addr, function };
	return 0;
}

/* Is the innermost code at addr that of the scope itself, and not of a function that was inlined there? */
static bool is_own(struct unit *unit, uint32_t scope, uint64_t addr)
{
	return unit_scope(unit, addr) == scope;
}

/* scope: NO_SCOPE: of the whole unit. */
static int search_lines(struct search *s, struct unit *unit, uint32_t scope, const char *file, bool is_end, uint32_t wanted)
{
	Dwarf_Lines *lines;
	struct scope outer;
	size_t n;
	int ret = 0;

	if (dwarf_getsrclines(&unit->die, &lines, &n))
		return 0;
	for (size_t i = 0; i < n && !ret; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		bool begins = false, ends = false;
		const char *path;
		Dwarf_Addr addr;
		int number;

		if (!line || dwarf_linebeginstatement(line, &begins) || !begins || dwarf_lineendsequence(line, &ends) || ends)
			continue;
		path = dwarf_linesrc(line, NULL, NULL);
		if (!path || (is_end ? !srcline_is_file(path, file) : strcmp(path, file) != 0))
			continue;
		s->any_file = true;
		if (dwarf_lineno(line, &number) || number < 0 || (uint32_t)number != wanted || dwarf_lineaddr(line, &addr))
			continue;
		if ((scope != NO_SCOPE && !is_own(unit, scope, addr)) || !function_at(s->dwarf, addr, &outer))
			continue;
		ret = add_found(s, addr, name_of(&outer.die));
	}
	return ret;
}

static bool is_called(Dwarf_Die *die, const char *name)
{
	const char *plain = die_string(die, DW_AT_name), *linked = die_linkage_name(die);

	return (plain && !strcmp(plain, name)) || (linked && !strcmp(linked, name));
}

static int search_function(struct search *s, struct unit *unit, const char *file, const char *function, uint32_t line)
{
	int ret = 0;

	unit_index(unit);
	for (uint32_t i = 0; i < unit->scopes.n && !ret; i++) {
		struct scope scope = unit->scopes.data[i];
		const char *path = is_called(&scope.die, function) ? dwarf_decl_file(&scope.die) : NULL;

		if (!path || (file && !srcline_is_file(path, file)))
			continue;
		s->any_file = true;
		ret = search_lines(s, unit, i, path, false, decl_line(&scope.die) + line);
	}
	return ret;
}

static int by_addr(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int srcline_addrs(struct dwarf_types *d, const char *file, const char *function, uint32_t line,
		 int (*each)(void *arg, uint64_t addr, const char *function), void *arg)
{
	struct search s = { .dwarf = d };
	int ret = 0;

	for (size_t i = 0; i < d->units.units.n && !ret; i++) {
		struct unit *unit = &d->units.units.data[i];

		ret = function ? search_function(&s, unit, file, function, line) : search_lines(&s, unit, NO_SCOPE, file, true, line);
	}
	if (!ret && !s.all.n)
		ret = -ENOENT;
	if (!ret)
		qsort(s.all.data, s.all.n, sizeof(*s.all.data), by_addr);
	for (size_t i = 0; i < s.all.n && !ret; i++)
		ret = each(arg, s.all.data[i].addr, s.all.data[i].function);
	vec_free(&s.all);
	return ret;
}

/* One operation: a register, or memory beside one. */
static bool place_of_op(const Dwarf_Op *op, enum cplace *ret_place, uint32_t *ret_reg, int64_t *ret_off)
{
	*ret_off = 0;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		*ret_place = CPLACE_DWARF_REG;
		*ret_reg = op->atom - DW_OP_reg0;
		return true;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*ret_place = CPLACE_DWARF_MEMORY;
		*ret_reg = op->atom - DW_OP_breg0;
		*ret_off = (int64_t)op->number;
		return true;
	}
	if ((op->atom == DW_OP_regx || op->atom == DW_OP_bregx) && op->number <= DW_OP_reg31 - DW_OP_reg0) {
		*ret_place = op->atom == DW_OP_regx ? CPLACE_DWARF_REG : CPLACE_DWARF_MEMORY;
		*ret_reg = (uint32_t)op->number;
		*ret_off = op->atom == DW_OP_bregx ? (int64_t)op->number2 : 0;
		return true;
	}
	return false;
}

/* Without that section libdw looks for the segment, and a broken file makes libelf leak then. */
static bool has_eh_frame(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (name && !strcmp(name, ".eh_frame"))
			return shdr.sh_type == SHT_PROGBITS;
	}
	return false;
}

/* The canonical frame address there, as a register and an offset. */
static bool frame_address(struct dwarf_types *d, uint64_t addr, uint32_t *ret_reg, int64_t *ret_off)
{
	Dwarf_CFI *tables[] = { dwarf_getcfi(d->units.dwarf), has_eh_frame(d->units.elf) ? dwarf_getcfi_elf(d->units.elf) : NULL };
	bool found = false;

	for (size_t i = 0; i < 2 && !found; i++) {
		Dwarf_Frame *frame = NULL;
		enum cplace place;
		Dwarf_Op *ops;
		size_t n;

		if (tables[i] && !dwarf_cfi_addrframe(tables[i], addr, &frame))
			found = !dwarf_frame_cfa(frame, &ops, &n) && n == 1 && place_of_op(ops, &place, ret_reg, ret_off) &&
				place == CPLACE_DWARF_MEMORY;
		free(frame);
	}
	if (tables[1])
		dwarf_cfi_end(tables[1]);
	return found;
}

static bool frame_base(struct dwarf_types *d, Dwarf_Die *function, uint64_t addr, uint32_t *ret_reg, int64_t *ret_off)
{
	Dwarf_Attribute attr;
	enum cplace place;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attr) || dwarf_getlocation_addr(&attr, addr, &ops, &n, 1) != 1 || n != 1)
		return false;
	if (ops->atom == DW_OP_call_frame_cfa)
		return frame_address(d, addr, ret_reg, ret_off);
	return place_of_op(ops, &place, ret_reg, ret_off);
}

struct vars {
	struct dwarf_types *dwarf;
	Dwarf_Die function;
	uint64_t addr;
	struct cfunc *f;
};

static void place_var(struct vars *v, Dwarf_Die *die, struct cparam *p)
{
	Dwarf_Attribute attr;
	uint32_t reg = 0;
	int64_t base = 0;
	Dwarf_Op *ops;
	size_t n;

	p->place = CPLACE_NONE;
	if (!dwarf_attr_integrate(die, DW_AT_location, &attr) || dwarf_getlocation_addr(&attr, v->addr, &ops, &n, 1) != 1 || n != 1)
		return;
	if (ops->atom == DW_OP_fbreg) {
		if (!frame_base(v->dwarf, &v->function, v->addr, &reg, &base))
			return;
		p->place = CPLACE_DWARF_MEMORY;
		p->n = reg;
		p->off = (int64_t)((uint64_t)base + ops->number);
	} else if (!place_of_op(ops, &p->place, &p->n, &p->off)) {
		p->place = CPLACE_NONE;
	}
	if (p->off > OFFSET_MAX || p->off < -OFFSET_MAX)
		p->place = CPLACE_NONE;
}

static void add_var(struct vars *v, Dwarf_Die *die)
{
	const char *name = die_string(die, DW_AT_name);
	struct cparam *p = NULL;

	for (uint32_t i = 0; name && i < v->f->nr_params; i++)
		if (!strcmp(v->f->params[i].name, name))
			p = &v->f->params[i];
	if (!p && name && v->f->nr_params < CPARAMS_MAX)
		p = &v->f->params[v->f->nr_params++];
	if (!p) {
		v->f->is_cut |= !!name;
		return;
	}
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->type = die_type(v->dwarf, die);
	place_var(v, die, p);
}

static void add_vars(struct vars *v, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	if (depth == DEPTH_MAX || dwarf_child(scope, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable)
			add_var(v, &child);
		else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&child, v->addr) > 0)
			add_vars(v, &child, depth + 1);
	} while (die_next(&child));
}

int srcline_vars(struct dwarf_types *d, uint64_t addr, struct cfunc *ret_vars)
{
	struct cfunc f = { 0 };
	struct vars v = { .dwarf = d, .addr = addr, .f = &f };
	struct scope scope;

	if (d->is_foreign || !function_at(d, addr, &scope))
		return -ENOENT;
	v.function = scope.die;
	add_vars(&v, &v.function, 0);
	*ret_vars = f;
	return 0;
}
#else
int srcline_at(struct dwarf_types *dwarf, uint64_t addr, struct srcline_place *ret_place)
{
	(void)dwarf;
	(void)addr;
	(void)ret_place;
	return -ENOENT;
}

int srcline_addrs(struct dwarf_types *dwarf, const char *file, const char *function, uint32_t line,
		 int (*each)(void *arg, uint64_t addr, const char *function), void *arg)
{
	(void)dwarf;
	(void)file;
	(void)function;
	(void)line;
	(void)each;
	(void)arg;
	return -ENOENT;
}

int srcline_vars(struct dwarf_types *dwarf, uint64_t addr, struct cfunc *ret_vars)
{
	(void)dwarf;
	(void)addr;
	(void)ret_vars;
	return -ENOENT;
}
#endif
