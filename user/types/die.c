/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One type at a time, read where it lies. Everything may refer to everything: each walk counts its steps. */
#include "types/die.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LANG_C17 0x2c /* newer than some of the headers that skep is built with; dwarfstd.org/languages.html */
#define LANG_C23 0x3e

#define OFFSET_BITS 48
#define DIM_BITS 4
#define FILE_BITS 11
#define IN_TYPES (1ull << 63) /* in .debug_types, of DWARF 4 */
#define FILE_AT (OFFSET_BITS + DIM_BITS)

#define ARRAYS_MAX 8	    /* of arrays that have other arrays in them by names */
#define BASE_SIZE_MAX 64    /* of what has no parts: a vector */
#define FIELD_BITS_MAX 64
#define MEMBER_SIZE 8	    /* of a pointer to a member, Itanium C++ ABI 2.3 */
#define MEMBER_FUNC_SIZE 16 /* the same of a member function */

static struct dwarf_types *own(struct ctypes *types)
{
	return (struct dwarf_types *)types;
}

uint64_t die_id(struct dwarf_types *d, Dwarf_Die *die)
{
	Dwarf *file = dwarf_cu_getdwarf(die->cu);
	Dwarf_Off at = dwarf_dieoffset(die);
	Dwarf_Half version = 0;
	uint8_t type = 0;
	size_t i = 0;

	while (i < d->files.n && d->files.data[i] != file)
		i++;
	if (!file || i >> FILE_BITS || at >> OFFSET_BITS || dwarf_cu_info(die->cu, &version, &type, NULL, NULL, NULL, NULL, NULL))
		return NO_TYPE;
	if (i == d->files.n) {
		if (vec_reserve(&d->files))
			return NO_TYPE;
		d->files.data[d->files.n++] = file;
	}
	return at | (uint64_t)i << FILE_AT | (version < 5 && type == DW_UT_type ? IN_TYPES : 0);
}

int die_of(struct dwarf_types *d, uint64_t id, Dwarf_Die *ret_die, unsigned int *ret_dim)
{
	Dwarf_Off at = id & ((1ull << OFFSET_BITS) - 1);
	size_t i = id >> FILE_AT & ((1u << FILE_BITS) - 1);

	*ret_dim = id >> OFFSET_BITS & ((1u << DIM_BITS) - 1);
	if (id == NO_TYPE || i >= d->files.n)
		return -ENOENT;
	return (id & IN_TYPES ? dwarf_offdie_types : dwarf_offdie)(d->files.data[i], at, ret_die) ? 0 : -ENOENT;
}

bool die_ref(Dwarf_Die *die, unsigned int name, Dwarf_Die *ret_die)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) && dwarf_formref_die(&attr, ret_die);
}

uint64_t die_type(struct dwarf_types *d, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type, definition;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return 0;
	if (!dwarf_formref_die(&attr, &type))
		return NO_TYPE;
	/* A stand-in for what is in a unit of its own. */
	return die_id(d, die_ref(&type, DW_AT_signature, &definition) ? &definition : &type);
}

uint64_t die_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, &n) ? n : 0;
}

bool die_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	bool flag;

	return dwarf_attr(die, name, &attr) && !dwarf_formflag(&attr, &flag) && flag;
}

bool die_is_c(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return true;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case LANG_C17:
	case LANG_C23:
	case DW_LANG_ObjC:
	case DW_LANG_Mips_Assembler:
	case -1: /* not present: a unit of types that dwz has made */
		return true;
	default:
		return false;
	}
}

bool die_next(Dwarf_Die *die)
{
	const void *last = die->addr;

	return !dwarf_siblingof(die, die) && die->addr > last;
}

enum ctype_kind die_kind(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return CTYPE_STRUCT;
	case DW_TAG_union_type:
		return CTYPE_UNION;
	case DW_TAG_enumeration_type:
		return CTYPE_ENUM;
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
	case DW_TAG_base_type:
	case DW_TAG_unspecified_type:
		return CTYPE_OTHER;
	default:
		return CTYPE_VOID;
	}
}

/* Bytes that are counted with have the compiler's type of characters; as btf_ctype.c has it. */
static bool is_number(const char *name)
{
	static const char *const names[] = { "u8",	"__u8", "uint8_t", "__uint8_t", "u_int8_t", "s8",
					     "__s8",	"int8_t", "__int8_t" };

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* A type without its typedefs and qualifiers. */
struct proper {
	Dwarf_Die die;
	uint64_t id, number; /* number: the innermost typedef that says that a char is one, or 0 */
	unsigned int dim;
	int tag; /* DW_TAG_invalid: void */
};

static int peel(struct dwarf_types *d, uint64_t id, struct proper *ret)
{
	*ret = (struct proper){ .tag = DW_TAG_invalid };
	for (int steps = 0; steps < DIE_STEPS_MAX; steps++) {
		Dwarf_Attribute attr;

		ret->id = id;
		if (!id) {
			ret->tag = DW_TAG_invalid;
			return 0;
		}
		if (die_of(d, id, &ret->die, &ret->dim))
			return -ENOENT;
		ret->tag = dwarf_tag(&ret->die);
		switch (ret->tag) {
		case DW_TAG_invalid:
			return -ENOENT;
		case DW_TAG_typedef:
			if (is_number(die_string(&ret->die, DW_AT_name)))
				ret->number = id;
			break;
		case DW_TAG_subrange_type: /* Ada, Pascal: an integer of less values */
			if (!dwarf_attr(&ret->die, DW_AT_type, &attr))
				return 0;
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_immutable_type:
		case DW_TAG_packed_type:
		case DW_TAG_shared_type:
		case DW_TAG_template_alias:
			break;
		default:
			return 0;
		}
		id = die_type(d, &ret->die);
	}
	return -ENOENT;
}

unsigned int die_dims(Dwarf_Die *array, uint64_t ret_dims[DIE_DIMS_MAX])
{
	unsigned int n = 0;
	Dwarf_Die child;
	Dwarf_Attribute attr;
	Dwarf_Word bound;

	if (!dwarf_child(array, &child)) {
		do {
			int tag = dwarf_tag(&child);

			if (tag != DW_TAG_subrange_type && tag != DW_TAG_enumeration_type)
				continue;
			ret_dims[n] = die_number(&child, DW_AT_count);
			/* In C the last index, from 0 on; -1 of an array of none. Otherwise it is not constant. */
			if (!ret_dims[n] && dwarf_attr(&child, DW_AT_upper_bound, &attr) && !dwarf_formudata(&attr, &bound))
				ret_dims[n] = bound + 1 - die_number(&child, DW_AT_lower_bound);
			n++;
		} while (n < DIE_DIMS_MAX && die_next(&child));
	}
	if (!n)
		ret_dims[n++] = 0;
	return n;
}

static int describe(struct dwarf_types *d, const struct proper *p, int arrays, struct ctype *ret);

static int describe_array(struct dwarf_types *d, const struct proper *p, int arrays, struct ctype *ret)
{
	uint64_t dims[DIE_DIMS_MAX], size;
	Dwarf_Die die = p->die;
	unsigned int n = die_dims(&die, dims);
	struct proper of;
	struct ctype t;

	if (p->dim >= n || arrays == ARRAYS_MAX || peel(d, die_type(d, &die), &of) || describe(d, &of, arrays + 1, &t))
		return -ENOENT;
	size = t.size;
	for (unsigned int i = p->dim; i < n; i++)
		if (__builtin_mul_overflow(size, dims[i], &size))
			return -ENOENT;
	ret->kind = CTYPE_ARRAY;
	ret->size = size;
	ret->nr = dims[p->dim];
	ret->to = p->dim + 1 < n ? p->id + (1ull << OFFSET_BITS) : die_type(d, &die);
	/* A vector: it does not lie where an array would. */
	if (die_flag(&die, DW_AT_GNU_vector) && size <= BASE_SIZE_MAX)
		ret->kind = CTYPE_FLOAT;
	return 0;
}

static void describe_base(const struct proper *p, struct ctype *ret)
{
	Dwarf_Die die = p->die;
	uint64_t encoding = die_number(&die, DW_AT_encoding);

	ret->kind = CTYPE_INT;
	if (ret->size > BASE_SIZE_MAX)
		ret->size = 0;
	switch (encoding) {
	case DW_ATE_boolean:
		ret->kind = CTYPE_BOOL;
		break;
	case DW_ATE_float:
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		ret->kind = CTYPE_FLOAT;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		ret->is_signed = true;
		break;
	default:
		break;
	}
	if (ret->size == 1 && !p->number &&
	    (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF))
		ret->kind = CTYPE_CHAR;
	else if (p->number && ret->kind == CTYPE_INT)
		ret->id = p->number;
	if (!ret->size)
		ret->kind = encoding == DW_ATE_void ? CTYPE_VOID : CTYPE_OTHER;
}

/* What is negative has a form that says so: in data1, 200 is 200. */
static int64_t enumerator_value(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Sword value;

	if (!dwarf_attr(die, DW_AT_const_value, &attr))
		return 0;
	if (dwarf_whatform(&attr) != DW_FORM_sdata && dwarf_whatform(&attr) != DW_FORM_implicit_const)
		return (int64_t)die_number(die, DW_AT_const_value);
	return dwarf_formsdata(&attr, &value) ? 0 : value;
}

static bool is_enum_signed(struct dwarf_types *d, Dwarf_Die *die)
{
	uint64_t encoding = die_number(die, DW_AT_encoding);
	struct proper of;
	Dwarf_Die child;

	if (!encoding && !peel(d, die_type(d, die), &of) && of.tag == DW_TAG_base_type)
		encoding = die_number(&of.die, DW_AT_encoding);
	if (encoding || dwarf_child(die, &child))
		return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	/* Before DWARF 3 nothing says so: one that is negative makes it so. */
	while (enumerator_value(&child) >= 0 && die_next(&child))
		;
	return enumerator_value(&child) < 0;
}

/* Structs, unions and enums, defined elsewhere or not at all. */
static void describe_tagged(struct dwarf_types *d, const struct proper *p, struct ctype *ret)
{
	Dwarf_Die die = p->die, definition;

	if (die_flag(&die, DW_AT_declaration)) {
		if (die_definition(d, &die, &definition))
			return;
		die = definition;
		ret->id = die_id(d, &die);
	}
	ret->size = die_number(&die, DW_AT_byte_size);
	ret->kind = die_kind(&die);
	if (ret->kind != CTYPE_ENUM)
		return;
	ret->is_signed = is_enum_signed(d, &die);
	if (!ret->size || ret->size > sizeof(uint64_t))
		ret->kind = CTYPE_OTHER;
}

static uint64_t pointer_size(const struct proper *p)
{
	Dwarf_Die die = p->die, unit;
	uint64_t size = die_number(&die, DW_AT_byte_size);
	uint8_t address_size = 0;

	if (!size && dwarf_diecu(&die, &unit, &address_size, NULL))
		size = address_size;
	return size && size <= sizeof(uint64_t) ? size : sizeof(uint64_t);
}

static int describe(struct dwarf_types *d, const struct proper *p, int arrays, struct ctype *ret)
{
	struct ctype t = { .kind = CTYPE_OTHER, .id = p->id };
	Dwarf_Die die = p->die, to;
	const char *name;
	int ret_code = 0;

	if (p->tag != DW_TAG_invalid)
		t.size = die_number(&die, DW_AT_byte_size);
	switch (p->tag) {
	case DW_TAG_invalid:
		t.kind = CTYPE_VOID;
		break;
	case DW_TAG_base_type:
	case DW_TAG_subrange_type:
		describe_base(p, &t);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		t.kind = CTYPE_PTR;
		t.size = pointer_size(p);
		t.to = die_type(d, &die);
		break;
	case DW_TAG_unspecified_type: /* C++: of nullptr */
		name = die_string(&die, DW_AT_name);
		t.kind = name && strstr(name, "nullptr") ? CTYPE_PTR : CTYPE_VOID;
		t.size = t.kind == CTYPE_PTR ? pointer_size(p) : 0;
		break;
	case DW_TAG_ptr_to_member_type:
		t.size = MEMBER_SIZE;
		if (die_ref(&die, DW_AT_type, &to) && dwarf_tag(&to) == DW_TAG_subroutine_type)
			t.size = MEMBER_FUNC_SIZE;
		break;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		t.kind = CTYPE_FUNC;
		t.size = 0;
		break;
	case DW_TAG_array_type:
		ret_code = describe_array(d, p, arrays, &t);
		break;
	default:
		t.size = 0;
		describe_tagged(d, p, &t);
		break;
	}
	if (!ret_code)
		*ret = t;
	return ret_code;
}

int die_get(struct ctypes *types, uint64_t id, struct ctype *ret_type)
{
	struct dwarf_types *d = own(types);
	struct proper p;
	int ret = peel(d, id, &p);

	return ret ? ret : describe(d, &p, 0, ret_type);
}

/* Bytes from the begin of a struct on; 0 of a union's. False: not constant, which a virtual base class's is not. */
static bool member_offset(Dwarf_Die *die, uint64_t *ret_bytes)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	*ret_bytes = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr) || !dwarf_formudata(&attr, ret_bytes))
		return true;
	/* DWARF 2 */
	if (dwarf_whatform(&attr) != DW_FORM_block1 || dwarf_getlocation(&attr, &ops, &n) || n != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*ret_bytes = ops[0].number;
	return true;
}

static bool is_member(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	uint64_t bytes;

	switch (dwarf_tag(die)) {
	case DW_TAG_member:
		/* Not those that are static. */
		return !die_flag(die, DW_AT_external) && !die_flag(die, DW_AT_declaration) &&
		       !dwarf_attr(die, DW_AT_const_value, &attr) && member_offset(die, &bytes);
	case DW_TAG_inheritance:
		return !die_number(die, DW_AT_virtuality) && member_offset(die, &bytes);
	default:
		return false;
	}
}

static bool is_enumerator(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_enumerator;
}

/* The i-th child that is one of those. */
static int child_at(struct dwarf_types *d, uint64_t id, Dwarf_Die *die, uint32_t i, bool (*is)(Dwarf_Die *), Dwarf_Die *ret_child)
{
	struct cursor *c = &d->cursors[id % NR_CURSORS];
	Dwarf_Die child;
	uint32_t at = 0;

	if (c->is_set && c->id == id && c->i <= i) {
		child = c->die;
		at = c->i;
	} else if (dwarf_child(die, &child)) {
		return -ENOENT;
	}
	do {
		if (!is(&child) || at++ < i)
			continue;
		*c = (struct cursor){ id, i, child, id != NO_TYPE };
		*ret_child = child;
		return 0;
	} while (die_next(&child));
	return -ENOENT;
}

/* The die of a type whose children are requested. */
static int parent_of(struct dwarf_types *d, uint64_t id, struct proper *ret)
{
	Dwarf_Die definition;
	int err = peel(d, id, ret);

	if (err || ret->tag == DW_TAG_invalid)
		return -ENOENT;
	if (!die_flag(&ret->die, DW_AT_declaration))
		return 0;
	if (die_definition(d, &ret->die, &definition))
		return -ENOENT;
	ret->die = definition;
	ret->id = die_id(d, &definition);
	return 0;
}

/* Where a bit field begins: DWARF 4 counts from the struct's begin, DWARF 2 from the last bit of an integer around it. */
static void place_bits(struct dwarf_types *d, Dwarf_Die *die, struct cmember *m)
{
	uint64_t bits = die_number(die, DW_AT_bit_size), size = die_number(die, DW_AT_byte_size);
	Dwarf_Attribute attr;
	struct ctype t;

	if (!bits)
		return;
	m->bits = bits < FIELD_BITS_MAX ? (uint32_t)bits : FIELD_BITS_MAX;
	if (dwarf_attr(die, DW_AT_data_bit_offset, &attr)) {
		m->bit_at += die_number(die, DW_AT_data_bit_offset);
	} else if (dwarf_attr(die, DW_AT_bit_offset, &attr)) {
		if (!size && !die_get(&d->types, m->type, &t))
			size = t.size;
		m->bit_at += size * 8 - die_number(die, DW_AT_bit_offset) - bits;
	}
}

int die_member(struct ctypes *types, uint64_t id, uint32_t i, struct cmember *ret_member)
{
	struct dwarf_types *d = own(types);
	struct cmember m = { .bits = 0 };
	struct proper p;
	Dwarf_Die child;
	const char *name;
	uint64_t bytes;

	if (parent_of(d, id, &p) || child_at(d, p.id, &p.die, i, is_member, &child) || !member_offset(&child, &bytes))
		return -ENOENT;
	name = dwarf_tag(&child) == DW_TAG_member ? die_string(&child, DW_AT_name) : NULL;
	snprintf(m.name, sizeof(m.name), "%s", name ? name : "");
	m.type = die_type(d, &child);
	m.bit_at = bytes * 8;
	place_bits(d, &child, &m);
	*ret_member = m;
	return 0;
}

int die_enumerator(struct ctypes *types, uint64_t id, uint32_t i, struct cenumerator *ret_enumerator)
{
	struct dwarf_types *d = own(types);
	struct proper p;
	Dwarf_Die child;
	const char *name;

	if (parent_of(d, id, &p) || child_at(d, p.id, &p.die, i, is_enumerator, &child))
		return -ENOENT;
	name = die_string(&child, DW_AT_name);
	snprintf(ret_enumerator->name, sizeof(ret_enumerator->name), "%s", name ? name : "");
	ret_enumerator->value = enumerator_value(&child);
	return 0;
}
#endif
