/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions: units.c finds them, their parameters are read here, and cplace.c finds their places. */
#include "types/dwarf.h"

#include <errno.h>

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/debugfile.h"
#include "types/die.h"

#define DEBUG_DIR "/usr/lib/debug"
#define ORIGINS_MAX 8

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

static bool has_dwarf(const struct elf_file *elf)
{
	return elf_sec_by_name(elf, ".debug_info") || elf_sec_by_name(elf, ".zdebug_info");
}

int dwarf_open(const struct elf_file *elf, const char *path, struct dwarf_types **ret_dwarf)
{
	static const char *const roots[] = { "" };
	struct debugfile_limits limits = { 0 };
	struct dwarffile_limits size = { 0 };
	struct dwarf_types *d;
	int fd = elf->fd, own_fd = -1, ret;

	if (!has_dwarf(elf))
		fd = own_fd = debugfile_open(elf, path, DEBUG_DIR, roots, 1, SERVERS_WAIT, &limits);
	if (fd < 0)
		return -ENODATA;
	d = calloc(1, sizeof(*d));
	ret = d ? units_open(fd, &size, &d->units) : -ENOMEM;
	if (ret) {
		free(d);
		if (own_fd >= 0)
			close(own_fd);
		return ret;
	}
	d->types = (struct ctypes){ die_get, die_member, die_enumerator, die_find, die_text };
	d->fd = own_fd;
	d->is_foreign = !elf->is64 || elf->machine != MACHINE;
	*ret_dwarf = d;
	return 0;
}

void dwarf_close(struct dwarf_types *dwarf)
{
	if (!dwarf)
		return;
	die_names_free(&dwarf->names);
	vec_free(&dwarf->files);
	units_close(&dwarf->units);
	if (dwarf->fd >= 0)
		close(dwarf->fd);
	free(dwarf);
}

/* Where a function is entered: the first of its ranges, which need not be its lowest address (its cold part may be lower). */
static bool entered_at(Dwarf_Die *die, uint64_t addr)
{
	Dwarf_Addr base, low, high;
	Dwarf_Attribute attr;

	if (dwarf_attr(die, DW_AT_entry_pc, &attr) && !dwarf_formaddr(&attr, &low))
		return low == addr;
	return dwarf_ranges(die, 0, &base, &low, &high) > 0 && low == addr;
}

static struct unit *function_at(struct dwarf_types *d, uint64_t addr, Dwarf_Die *ret_die)
{
	struct unit *unit = units_find(&d->units, addr);
	uint32_t at = unit ? unit_scope(unit, addr) : NO_SCOPE;

	/* An outer scope comes before its inner ones. */
	while (at != NO_SCOPE && unit->scopes.data[at].outer != NO_SCOPE)
		at = unit->scopes.data[at].outer;
	if (at == NO_SCOPE || !entered_at(&unit->scopes.data[at].die, addr))
		return NULL;
	*ret_die = unit->scopes.data[at].die;
	return unit;
}

/* Go before 1.17 passes all on the stack; since then the producer has that word in it (cmd/link's dwarf.go). */
static void set_language(Dwarf_Die *die, struct cfunc *f)
{
	Dwarf_Die unit;
	const char *producer;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return;
	f->is_go = dwarf_srclang(&unit) == DW_LANG_Go;
	f->is_rust = dwarf_srclang(&unit) == DW_LANG_Rust;
	producer = f->is_go ? die_string(&unit, DW_AT_producer) : NULL;
	if (producer && strstr(producer, "Go cmd/") && !strstr(producer, "regabi"))
		f->is_changed = true;
	/* gccgo's functions are called as C's. */
	if (f->is_go && (!producer || !strstr(producer, "Go cmd/")))
		f->is_go = false;
}

static void add_param(struct dwarf_types *d, Dwarf_Die *die, struct cfunc *f)
{
	const char *name = die_string(die, DW_AT_name);
	struct cparam *p;

	if (f->nr_params == CPARAMS_MAX) {
		f->is_cut = true;
		return;
	}
	p = &f->params[f->nr_params++];
	snprintf(p->name, sizeof(p->name), "%s", name ? name : "");
	p->type = die_type(d, die);
	p->by_reference = die_by_reference(d, p->type);
}

static bool is_go_result(Dwarf_Die *param)
{
	Dwarf_Die origin;

	return die_flag(param, DW_AT_variable_parameter) ||
	       (die_ref(param, DW_AT_abstract_origin, &origin) && die_flag(&origin, DW_AT_variable_parameter));
}

/* True when it has parameters. */
static bool add_params(struct dwarf_types *d, Dwarf_Die *func, struct cfunc *f)
{
	uint32_t nr_results = 0;
	Dwarf_Die child;

	if (dwarf_child(func, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_unspecified_parameters) {
			f->is_variadic = true;
		} else if (tag == DW_TAG_formal_parameter && f->is_go && is_go_result(&child)) {
			f->result = nr_results++ ? 0 : die_type(d, &child);
		} else if (tag == DW_TAG_formal_parameter) {
			add_param(d, &child, f);
		}
	} while (die_next(&child));
	return f->nr_params || f->is_variadic || nr_results;
}

/* Whether types were recorded at all around a function without any: not with -g1 or -gline-tables-only. */
static bool has_types(struct unit *unit, Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;

	if (dwarf_attr_integrate(func, DW_AT_prototyped, &attr))
		return true;
	if (unit->types != UNIT_TYPES_UNKNOWN || dwarf_child(&unit->tree, &child))
		return unit->types == UNIT_TYPES_SOME;
	unit->types = UNIT_TYPES_NONE;
	do {
		int tag = dwarf_tag(&child);

		/* dwz puts them into units that are imported. */
		if (tag == DW_TAG_pointer_type || tag == DW_TAG_imported_unit || die_kind(&child) != CTYPE_VOID)
			unit->types = UNIT_TYPES_SOME;
	} while (unit->types == UNIT_TYPES_NONE && die_next(&child));
	return unit->types == UNIT_TYPES_SOME;
}

int dwarf_func(struct dwarf_types *dwarf, uint64_t addr, struct cfunc *ret_func)
{
	struct cfunc f = { .is_changed = dwarf->is_foreign };
	Dwarf_Die die, origin;
	struct unit *unit;
	bool has_params;

	unit = function_at(dwarf, addr, &die);
	if (!unit)
		return -ENOENT;
	set_language(&die, &f);
	/* LLVM's mark of a function that has lost parameters, or had them changed. */
	if (die_number(&die, DW_AT_calling_convention) == DW_CC_nocall)
		f.is_changed = true;
	f.result = die_type(dwarf, &die);
	f.result_in_memory = die_by_reference(dwarf, f.result);
	/* What was inlined elsewhere may have its parameters in the abstract one only. */
	has_params = add_params(dwarf, &die, &f);
	for (int i = 0; i < ORIGINS_MAX && !has_params; i++) {
		if (!die_ref(&die, DW_AT_abstract_origin, &origin) && !die_ref(&die, DW_AT_specification, &origin))
			break;
		die = origin;
		has_params = add_params(dwarf, &die, &f);
	}
	if (!has_params && !f.result && !f.is_go && !has_types(unit, &die))
		return -ENODATA;
	cfunc_place(&dwarf->types, &f);
	*ret_func = f;
	return 0;
}

static bool is_called(Dwarf_Die *die, const char *name, size_t len)
{
	const char *plain = die_string(die, DW_AT_name), *linked = die_linkage_name(die);

	return (plain && strlen(plain) == len && !memcmp(plain, name, len)) ||
	       (linked && strlen(linked) == len && !memcmp(linked, name, len));
}

int dwarf_find_inlined(struct dwarf_types *dwarf, const char *name, size_t len, uint32_t *ret_calls)
{
	uint32_t calls = 0;
	bool has_code = false;

	for (size_t i = 0; i < dwarf->units.units.n; i++) {
		struct unit *unit = &dwarf->units.units.data[i];

		unit_index(unit);
		for (size_t j = 0; j < unit->scopes.n; j++) {
			struct scope *s = &unit->scopes.data[j];

			if (!is_called(&s->die, name, len))
				continue;
			has_code |= s->outer == NO_SCOPE;
			calls += s->outer != NO_SCOPE;
		}
	}
	if (!calls && !has_code)
		return -ENOENT;
	*ret_calls = calls;
	return has_code;
}
#else
int dwarf_open(const struct elf_file *elf, const char *path, struct dwarf_types **ret_dwarf)
{
	(void)elf;
	(void)path;
	(void)ret_dwarf;
	return -ENOTSUP;
}

void dwarf_close(struct dwarf_types *dwarf)
{
	(void)dwarf;
}

int dwarf_func(struct dwarf_types *dwarf, uint64_t addr, struct cfunc *ret_func)
{
	(void)dwarf;
	(void)addr;
	(void)ret_func;
	return -ENOENT;
}

int dwarf_find_inlined(struct dwarf_types *dwarf, const char *name, size_t len, uint32_t *ret_calls)
{
	(void)dwarf;
	(void)name;
	(void)len;
	(void)ret_calls;
	return -ENOENT;
}
#endif
