/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types by name. DWARF's own tables of names are rarely there, so the first look-up walks the types of all
 * units. The same type is in every unit that uses it: one entry is kept, a definition before a declaration.
 */
#include "types/die.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "util/hash.h"

#define NAMES_MAX (1u << 23)
#define DEPTH_MAX 64 /* of namespaces */

struct naming {
	struct dwarf_types *d;
	const void *last; /* DIE: see units.c */
};

/* 0 is the outermost scope. */
static uint64_t full_hash(uint64_t scope, const char *name, size_t len)
{
	uint64_t hash = hash_bytes(name, len);

	return scope ? hash_pair(scope, hash) : hash;
}

static uint64_t key(enum ctype_kind kind, uint64_t hash)
{
	return hash_pair(hash, kind);
}

static struct die_name *find(const struct die_names *names, uint64_t key)
{
	int64_t i = map_find(&names->index, key);

	return i < 0 ? NULL : &names->all.data[i];
}

static int add(struct die_names *names, uint64_t key, const struct die_name *name)
{
	struct die_name *s = find(names, key);

	if (!s) {
		if (names->all.n == NAMES_MAX || vec_reserve(&names->all) || map_add(&names->index, key, names->all.n))
			return -ENOMEM;
		names->all.data[names->all.n++] = *name;
	} else if (s->is_declared && !name->is_declared) {
		*s = *name;
	} else if (s->is_declared == name->is_declared) {
		s->is_ambiguous |= s->full != name->full;
	}
	return 0;
}

/* By its own name, and by that with all around it. */
static int add_type(struct naming *n, Dwarf_Die *die, uint64_t scope, enum ctype_kind kind)
{
	const char *text = die_string(die, DW_AT_name);
	struct die_name name = { .is_declared = die_flag(die, DW_AT_declaration) };
	uint64_t plain;
	int ret;

	if (!text)
		return 0;
	plain = full_hash(0, text, strlen(text));
	name.full = full_hash(scope, text, strlen(text));
	name.id = die_id(n->d, die);
	ret = add(&n->d->names, key(kind, plain), &name);
	return !ret && scope ? add(&n->d->names, key(kind, name.full), &name) : ret;
}

static int add_children(struct naming *n, Dwarf_Die *die, uint64_t scope, bool is_c, int depth)
{
	Dwarf_Die child;
	int ret = 0;

	if (depth == DEPTH_MAX || dwarf_child(die, &child))
		return 0;
	do {
		enum ctype_kind kind = die_kind(&child);
		int tag = dwarf_tag(&child);
		const char *name;

		if (child.addr <= n->last)
			return 0;
		n->last = child.addr;
		if (kind != CTYPE_VOID)
			ret = add_type(n, &child, scope, kind);
		if (!ret && !is_c && kind != CTYPE_VOID && kind != CTYPE_OTHER)
			ret = add_type(n, &child, scope, CTYPE_OTHER);
		if (ret || is_c || (tag != DW_TAG_namespace && tag != DW_TAG_module && kind != CTYPE_STRUCT))
			continue;
		name = die_string(&child, DW_AT_name);
		ret = add_children(n, &child, name ? full_hash(scope, name, strlen(name)) : scope, is_c, depth + 1);
	} while (!ret && !dwarf_siblingof(&child, &child));
	return ret;
}

static int add_file(struct dwarf_types *d, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	int ret = 0;

	while (!ret && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, NULL, NULL)) {
		struct naming n = { .d = d };
		Dwarf_Die tree;

		if (!unit_split(cu, d->units.split, &tree) && dwarf_cu_info(cu, NULL, NULL, &tree, NULL, NULL, NULL, NULL))
			continue;
		ret = add_children(&n, &tree, 0, die_is_c(&tree), 0);
	}
	return ret;
}

/* Without memory for all of them, those that there are. */
static void build(struct dwarf_types *d)
{
	Dwarf *shared = dwarf_getalt(d->units.dwarf);

	d->names.is_built = true;
	if (!add_file(d, d->units.dwarf) && shared)
		add_file(d, shared);
}

static const struct die_name *look_up(struct dwarf_types *d, enum ctype_kind kind, uint64_t hash)
{
	if (!d->names.is_built)
		build(d);
	return find(&d->names, key(kind, hash));
}

/* The name's parts, without the "::" in what is between <> and (). */
static uint64_t hash_of_path(const char *name, size_t len)
{
	uint64_t scope = 0;
	size_t from = 0;
	int depth = 0;

	for (size_t i = 0; i + 1 < len; i++) {
		depth += (name[i] == '<' || name[i] == '(') - (name[i] == '>' || name[i] == ')');
		if (depth || name[i] != ':' || name[i + 1] != ':')
			continue;
		if (i > from)
			scope = full_hash(scope, name + from, i - from);
		from = i + 2;
		i++;
	}
	return full_hash(scope, name + from, len - from);
}

int die_find(struct ctypes *types, enum ctype_kind kind, const char *name, size_t len, uint64_t *ret_id)
{
	struct dwarf_types *d = (struct dwarf_types *)types;
	const struct die_name *found = look_up(d, kind, hash_of_path(name, len));

	if (!found || found->id == NO_TYPE)
		return -ENOENT;
	*ret_id = found->id;
	return 0;
}

int die_definition(struct dwarf_types *d, Dwarf_Die *die, Dwarf_Die *ret_die)
{
	const char *name = die_string(die, DW_AT_name);
	const struct die_name *found;
	unsigned int dim;

	if (!name)
		return -ENOENT;
	found = look_up(d, die_kind(die), full_hash(0, name, strlen(name)));
	/* Where DIEs are is not known from themselves: of several namespaces' it could be any. */
	if (!found || found->is_declared || found->is_ambiguous || die_of(d, found->id, ret_die, &dim))
		return -ENOENT;
	return 0;
}

void die_names_free(struct die_names *names)
{
	vec_free(&names->all);
	map_free(&names->index);
}
#endif
