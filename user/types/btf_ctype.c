/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types are read where they lie: nothing is kept but the index of names. */
#include "types/btf_ctype.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/btf_read.h"

#define BASE_SIZE_MAX 16 /* of what is no struct: __int128, long double */
#define FIELD_BITS_MAX 64

#define KIND(kind) (1u << (kind))
#define NAMED                                                                                                         \
	(KIND(BTF_KIND_STRUCT) | KIND(BTF_KIND_UNION) | KIND(BTF_KIND_ENUM) | KIND(KIND_ENUM64) | KIND(BTF_KIND_TYPEDEF) | \
	 KIND(BTF_KIND_INT) | KIND(BTF_KIND_FLOAT))

struct btf_ctypes {
	struct ctypes types; /* first: see ctype.h */
	const struct btf_types *btf;
	struct ctypes *base;
	struct btf_names names;
	bool has_names;
};

/* A type without its typedefs and qualifiers. */
struct proper {
	uint32_t id, number; /* number: the innermost typedef that says that a char is one, or 0 */
	uint32_t kind;	     /* BTF_KIND_UNKN: void */
	struct btf_type t;
	const char *more;
};

static const struct btf_ctypes *own(const struct ctypes *types)
{
	return (const struct btf_ctypes *)types;
}

/* Bytes that the kernel counts with have the compiler's type of characters. */
static bool is_number(const char *name)
{
	static const char *const names[] = { "u8", "__u8", "uint8_t", "u_int8_t", "s8", "__s8", "int8_t" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int peel(const struct btf_types *btf, uint64_t id, struct proper *ret)
{
	*ret = (struct proper){ 0 };
	for (int steps = 0; steps <= BTF_STEPS_MAX; steps++) {
		ret->id = (uint32_t)id;
		if (!id) {
			ret->kind = BTF_KIND_UNKN;
			return 0;
		}
		if (id > UINT32_MAX || !btf_type_at(btf, (uint32_t)id, &ret->t, &ret->more))
			return -ENOENT;
		ret->kind = BTF_INFO_KIND(ret->t.info);
		switch (ret->kind) {
		case BTF_KIND_TYPEDEF:
			if (is_number(btf_string_at(btf, ret->t.name_off)))
				ret->number = (uint32_t)id;
			break;
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case KIND_TYPE_TAG:
			break;
		default:
			return 0;
		}
		id = ret->t.type;
	}
	return -ENOENT;
}

/* Bytes of what is no array; 0: it has no size. */
static uint64_t size_of(const struct proper *p)
{
	switch (p->kind) {
	case BTF_KIND_PTR:
		return sizeof(void *);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return p->t.size;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
	case BTF_KIND_FLOAT:
		return p->t.size <= BASE_SIZE_MAX ? p->t.size : 0;
	default:
		return 0;
	}
}

static int get_array(const struct btf_types *btf, const struct proper *array, struct ctype *ret)
{
	struct proper p = *array;
	uint64_t size = 1;
	struct btf_array a;

	memcpy(&a, array->more, sizeof(a));
	ret->to = a.type;
	ret->nr = a.nelems;
	/* Arrays of arrays: to the innermost element. */
	for (int steps = 0; p.kind == BTF_KIND_ARRAY; steps++) {
		memcpy(&a, p.more, sizeof(a));
		if (steps > BTF_STEPS_MAX || __builtin_mul_overflow(size, a.nelems, &size) || peel(btf, a.type, &p))
			return -ENOENT;
	}
	return __builtin_mul_overflow(size, size_of(&p), &ret->size) ? -ENOENT : 0;
}

static uint32_t int_data(const struct proper *p)
{
	uint32_t data;

	memcpy(&data, p->more, sizeof(data));
	return data;
}

static enum ctype_kind int_kind(const struct btf_types *btf, const struct proper *p)
{
	if (BTF_INT_ENCODING(int_data(p)) & BTF_INT_BOOL)
		return CTYPE_BOOL;
	if (p->t.size == 1 && !p->number && strstr(btf_string_at(btf, p->t.name_off), "char"))
		return CTYPE_CHAR;
	return CTYPE_INT;
}

static int get(struct ctypes *types, uint64_t id, struct ctype *ret_type)
{
	const struct btf_types *btf = own(types)->btf;
	struct ctype c = { .kind = CTYPE_OTHER };
	struct proper p;
	int ret = peel(btf, id, &p);

	if (ret)
		return ret;
	c.id = p.id;
	c.size = size_of(&p);
	switch (p.kind) {
	case BTF_KIND_UNKN:
		c.kind = CTYPE_VOID;
		break;
	case BTF_KIND_INT:
		c.kind = c.size ? int_kind(btf, &p) : CTYPE_OTHER;
		c.is_signed = BTF_INT_ENCODING(int_data(&p)) & BTF_INT_SIGNED;
		c.id = p.number ? p.number : p.id;
		break;
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		c.kind = c.size ? CTYPE_ENUM : CTYPE_OTHER;
		c.is_signed = BTF_INFO_KFLAG(p.t.info);
		break;
	case BTF_KIND_FLOAT:
		c.kind = c.size ? CTYPE_FLOAT : CTYPE_OTHER;
		break;
	case BTF_KIND_PTR:
		c.kind = CTYPE_PTR;
		c.to = p.t.type;
		break;
	case BTF_KIND_STRUCT:
		c.kind = CTYPE_STRUCT;
		break;
	case BTF_KIND_UNION:
		c.kind = CTYPE_UNION;
		break;
	case BTF_KIND_ARRAY:
		c.kind = CTYPE_ARRAY;
		ret = get_array(btf, &p, &c);
		break;
	case BTF_KIND_FUNC_PROTO:
		c.kind = CTYPE_FUNC;
		break;
	default:
		break;
	}
	if (!ret)
		*ret_type = c;
	return ret;
}

static int member(struct ctypes *types, uint64_t id, uint32_t i, struct cmember *ret_member)
{
	const struct btf_types *btf = own(types)->btf;
	struct btf_member m;
	struct cmember c = { .bits = 0 };
	struct proper p, of;

	if (peel(btf, id, &p) || (p.kind != BTF_KIND_STRUCT && p.kind != BTF_KIND_UNION) || i >= BTF_INFO_VLEN(p.t.info))
		return -ENOENT;
	memcpy(&m, p.more + i * sizeof(m), sizeof(m));
	snprintf(c.name, sizeof(c.name), "%s", btf_string_at(btf, m.name_off));
	c.type = m.type;
	c.bit_at = m.offset;
	if (BTF_INFO_KFLAG(p.t.info)) {
		c.bits = BTF_MEMBER_BITFIELD_SIZE(m.offset);
		c.bit_at = BTF_MEMBER_BIT_OFFSET(m.offset);
	} else if (!peel(btf, m.type, &of) && of.kind == BTF_KIND_INT) {
		/* Before kind_flag (5.0) an integer's own type has which of its bits are the field: btf.rst, BTF_KIND_INT. */
		uint32_t data = int_data(&of);

		c.bit_at += BTF_INT_OFFSET(data);
		if (BTF_INT_OFFSET(data) || BTF_INT_BITS(data) != (uint64_t)of.t.size * 8)
			c.bits = BTF_INT_BITS(data);
	}
	c.bits = c.bits < FIELD_BITS_MAX ? c.bits : FIELD_BITS_MAX;
	*ret_member = c;
	return 0;
}

static int enumerator(struct ctypes *types, uint64_t id, uint32_t i, struct cenumerator *ret_enumerator)
{
	const struct btf_types *btf = own(types)->btf;
	struct proper p;
	uint32_t name;

	if (peel(btf, id, &p) || i >= BTF_INFO_VLEN(p.t.info))
		return -ENOENT;
	if (p.kind == BTF_KIND_ENUM) {
		struct btf_enum e;

		memcpy(&e, p.more + i * sizeof(e), sizeof(e));
		name = e.name_off;
		ret_enumerator->value = BTF_INFO_KFLAG(p.t.info) ? e.val : (int64_t)(uint32_t)e.val;
	} else if (p.kind == KIND_ENUM64) {
		uint32_t e[3]; /* struct btf_enum64: name, low half, high half */

		memcpy(e, p.more + i * sizeof(e), sizeof(e));
		name = e[0];
		ret_enumerator->value = (int64_t)((uint64_t)e[2] << 32 | e[1]);
	} else {
		return -ENOENT;
	}
	snprintf(ret_enumerator->name, sizeof(ret_enumerator->name), "%s", btf_string_at(btf, name));
	return 0;
}

static uint32_t kinds_of(enum ctype_kind kind)
{
	switch (kind) {
	case CTYPE_STRUCT:
		return KIND(BTF_KIND_STRUCT);
	case CTYPE_UNION:
		return KIND(BTF_KIND_UNION);
	case CTYPE_ENUM:
		return KIND(BTF_KIND_ENUM) | KIND(KIND_ENUM64);
	case CTYPE_OTHER:
		return KIND(BTF_KIND_TYPEDEF) | KIND(BTF_KIND_INT) | KIND(BTF_KIND_FLOAT);
	default:
		return 0;
	}
}

static int find(struct ctypes *types, enum ctype_kind kind, const char *name, size_t len, uint64_t *ret_id)
{
	struct btf_ctypes *b = (struct btf_ctypes *)types;
	uint32_t at = 0, id;

	if (!b->has_names) {
		int ret = btf_names_build(b->btf, NAMED, &b->names);

		if (ret)
			return ret;
		b->has_names = true;
	}
	while ((id = btf_names_next(&b->names, name, len, &at))) {
		struct btf_type t;
		const char *more;

		if (btf_type_at(b->btf, id, &t, &more) && kinds_of(kind) & KIND(BTF_INFO_KIND(t.info))) {
			*ret_id = id;
			return 0;
		}
	}
	return b->base ? b->base->find(b->base, kind, name, len, ret_id) : -ENOENT;
}

static size_t type_name(struct ctypes *types, uint64_t id, char *buf, size_t size)
{
	return btf_type_name(own(types)->btf, id <= UINT32_MAX ? (uint32_t)id : 0, buf, size);
}

int btf_ctypes_new(const struct btf_types *btf, struct ctypes *base, struct ctypes **ret_types)
{
	struct btf_ctypes *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->types = (struct ctypes){ get, member, enumerator, find, type_name };
	b->btf = btf;
	b->base = base;
	*ret_types = &b->types;
	return 0;
}

void btf_ctypes_free(struct ctypes *types)
{
	struct btf_ctypes *b = (struct btf_ctypes *)types;

	if (!b)
		return;
	btf_names_free(&b->names);
	free(b);
}

int btf_ctypes_func(struct ctypes *types, uint32_t id, struct cfunc *ret_func)
{
	const struct btf_types *btf = own(types)->btf;
	struct btf_type func, proto;
	struct btf_param p;
	const char *more;
	uint32_t n;

	if (!btf_func_at(btf, id, &func, &proto, &more))
		return -ENOENT;
	*ret_func = (struct cfunc){ .result = proto.type };
	n = BTF_INFO_VLEN(proto.info);
	if (n) {
		memcpy(&p, more + (n - 1) * sizeof(p), sizeof(p));
		ret_func->is_variadic = !p.type; /* btf.rst: the last of a variable number */
		n -= ret_func->is_variadic;
	}
	ret_func->is_cut = n > CPARAMS_MAX;
	ret_func->nr_params = n < CPARAMS_MAX ? n : CPARAMS_MAX;
	for (uint32_t i = 0; i < ret_func->nr_params; i++) {
		memcpy(&p, more + i * sizeof(p), sizeof(p));
		snprintf(ret_func->params[i].name, sizeof(ret_func->params[i].name), "%s", btf_string_at(btf, p.name_off));
		ret_func->params[i].type = p.type;
	}
	cfunc_place(types, ret_func);
	return 0;
}
