/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parameters to registers: every ABI looks at the scalars that a type is made of, and each in its own way. */
#include "types/ctype.h"

#include <errno.h>
#include <string.h>

#ifdef __aarch64__
#define IS_AARCH64 true
#define GO_INTS 16u
#define GO_FLOATS 16u
#else
#define IS_AARCH64 false
#define GO_INTS 9u
#define GO_FLOATS 15u
#endif
#define C_INTS (IS_AARCH64 ? 8u : 6u)
#define C_FLOATS 8u

#define WORD 8u		/* bytes of a register, and of a slot of the stack */
#define STACK_FIRST 8u	/* after the return address */
#define PAIR 16u	/* bytes of two registers: more are never passed in them */
#define ALIGN_MAX 64u	/* of the largest vectors */
#define HFA_MAX 4u	/* AAPCS64 5.9.5: floats that are passed each in a register */

/* Limits for hostile files only. */
#define DEPTH_MAX 16
#define SCALARS_MAX 4096u

struct scalar {
	enum ctype_kind kind;
	uint64_t bit_at, size, align;
	uint32_t bits;	   /* of a bit field; 0: none */
	unsigned int regs; /* of floats: 2 of a complex one */
	bool is_x87;
};

struct walk {
	struct ctypes *types;
	int (*each)(void *arg, const struct scalar *s);
	void *arg;
	uint64_t elements_max; /* of an array; with more of them it is -E2BIG */
	uint32_t budget;
};

/* long double and _Float128 differ by name only, and where they are passed. */
static void classify_float(struct ctypes *types, uint64_t id, struct scalar *s)
{
	char name[64] = "";

	types->name(types, id, name, sizeof(name));
	s->is_x87 = !IS_AARCH64 && strstr(name, "long double");
	if (!strstr(name, "complex"))
		return;
	s->regs = IS_AARCH64 || s->size > WORD ? 2 : 1;
	s->align = s->size / 2;
}

static int scalars_at(struct walk *w, uint64_t id, uint64_t bit_at, uint32_t bits, int depth);

static int elements(struct walk *w, const struct ctype *array, uint64_t bit_at, int depth)
{
	struct ctype of;
	int ret = array->nr > w->elements_max ? -E2BIG : w->types->get(w->types, array->to, &of);

	for (uint64_t i = 0; !ret && of.size && i < array->nr; i++)
		ret = scalars_at(w, array->to, bit_at + i * of.size * 8, 0, depth);
	return ret;
}

/* Calls each() for every scalar in a type. 0, what each() returned, or -ENOENT when something in it is not known. */
static int scalars_at(struct walk *w, uint64_t id, uint64_t bit_at, uint32_t bits, int depth)
{
	struct scalar s = { .bit_at = bit_at, .bits = bits, .regs = 1 };
	struct cmember m;
	struct ctype t;
	int ret = w->types->get(w->types, id, &t);
	uint32_t n = 0;

	if (ret || depth == DEPTH_MAX || !w->budget)
		return -ENOENT;
	w->budget--;
	s.kind = t.kind;
	s.size = s.align = t.kind == CTYPE_FUNC ? WORD : t.size; /* Go has functions by value, which are pointers */
	switch (t.kind) {
	case CTYPE_STRUCT:
	case CTYPE_UNION:
		while (!ret && !w->types->member(w->types, t.id, n, &m)) {
			n++;
			ret = scalars_at(w, m.type, bit_at + m.bit_at, m.bits, depth + 1);
		}
		return ret;
	case CTYPE_ARRAY:
		return elements(w, &t, bit_at, depth + 1);
	case CTYPE_FLOAT:
		classify_float(w->types, t.id, &s);
		break;
	default:
		break;
	}
	if (!s.align || s.align & (s.align - 1) || s.align > ALIGN_MAX)
		s.align = 1;
	return s.size ? w->each(w->arg, &s) : -ENOENT;
}

static int each_scalar(struct ctypes *types, uint64_t id, uint64_t elements_max, int (*each)(void *, const struct scalar *),
		       void *arg)
{
	struct walk w = { types, each, arg, elements_max, SCALARS_MAX };

	return scalars_at(&w, id, 0, 0, 0);
}

/* How the parameters so far have used up what there is. */
struct places {
	struct ctypes *types;
	unsigned int ints, floats;
	uint64_t stack; /* bytes */
	bool is_lost;	/* one was of an unknown type */
};

static void put_stack(struct places *p, struct cparam *param, uint64_t size, uint64_t align)
{
	p->stack = (p->stack + align - 1) / align * align;
	/* Absurd sizes are a hostile file's; after them nothing has a place. */
	if (p->is_lost || size > INT32_MAX || p->stack > INT32_MAX) {
		p->is_lost = true;
		param->place = CPLACE_NONE;
		return;
	}
	param->place = CPLACE_STACK;
	param->n = (uint32_t)p->stack + STACK_FIRST;
	p->stack += size;
}

static void put_words(struct places *p, struct cparam *param, uint64_t size, uint64_t align)
{
	put_stack(p, param, (size + WORD - 1) / WORD * WORD, align < WORD ? WORD : align);
}

static void put_ints(struct places *p, struct cparam *param, unsigned int n)
{
	param->place = p->is_lost ? CPLACE_NONE : CPLACE_REG;
	param->n = p->ints;
	p->ints += n;
}

/* A pointer to it. */
static void put_reference(struct places *p, struct cparam *param)
{
	param->by_reference = true;
	if (p->ints < C_INTS)
		put_ints(p, param, 1);
	else
		put_words(p, param, WORD, WORD);
}

static void put_lost(struct places *p, struct cparam *param)
{
	param->place = CPLACE_NONE;
	p->is_lost = true;
}

/* The psABI's classes of the two words of a value. */
enum word_class {
	WORD_EMPTY,
	WORD_FLOAT_MORE, /* SSEUP: the rest of a register */
	WORD_FLOAT,
	WORD_INT,
};

struct shape {
	enum word_class words[2];
	uint64_t align, size; /* align: of what is in it, at least 1 */
	uint64_t float_size;  /* of each, if all are floats of one size; else 0 */
	unsigned int ints, floats, nr_floats;
	bool in_memory, is_x87;
};

static void add_class(struct shape *shape, uint64_t word, enum word_class class)
{
	if (word < 2 && shape->words[word] < class)
		shape->words[word] = class;
}

static int add_scalar(void *arg, const struct scalar *s)
{
	struct shape *shape = arg;
	uint64_t first = s->bit_at / (8 * WORD);
	bool is_float = s->kind == CTYPE_FLOAT;

	/* Packed: such a one is never in registers. */
	if (!s->bits && s->bit_at % (8 * s->align))
		shape->in_memory = true;
	if (!s->bits && s->align > shape->align)
		shape->align = s->align;
	shape->is_x87 |= s->is_x87;
	shape->float_size = is_float && (!shape->nr_floats || shape->float_size == s->size / s->regs) ? s->size / s->regs : 0;
	shape->nr_floats += is_float ? s->regs : 1;
	if (is_float) {
		add_class(shape, first, WORD_FLOAT);
		if (s->size > WORD)
			add_class(shape, first + 1, s->regs == 2 ? WORD_FLOAT : WORD_FLOAT_MORE);
	} else {
		add_class(shape, first, WORD_INT);
		add_class(shape, (s->bit_at + (s->bits ? s->bits : s->size * 8) - 1) / (8 * WORD), WORD_INT);
	}
	return 0;
}

/* -ENOENT: not known. */
static int shape_of(struct ctypes *types, uint64_t id, struct shape *ret)
{
	struct ctype t;
	int err = types->get(types, id, &t);

	*ret = (struct shape){ .align = 1 };
	if (err)
		return err;
	ret->size = t.size;
	err = each_scalar(types, id, UINT64_MAX, add_scalar, ret);
	/* One whose size is all that matters. */
	if (err && t.size > PAIR)
		err = 0;
	for (int i = 0; i < 2; i++) {
		ret->ints += ret->words[i] == WORD_INT;
		ret->floats += ret->words[i] == WORD_FLOAT;
	}
	/* Vectors of 32 and 64 bytes by themselves are in one register. */
	if (t.size > PAIR && !(t.kind == CTYPE_FLOAT && !ret->is_x87))
		ret->in_memory = true;
	return err;
}

static bool is_composite(const struct ctype *t)
{
	return t->kind == CTYPE_STRUCT || t->kind == CTYPE_UNION || t->kind == CTYPE_ARRAY;
}

static bool returns_in_memory(struct ctypes *types, const struct cfunc *func)
{
	struct shape shape;
	struct ctype t;

	if (types->get(types, func->result, &t) || !is_composite(&t))
		return false;
	if (func->is_rust || shape_of(types, func->result, &shape))
		return t.size > PAIR;
	if (IS_AARCH64)
		return t.size > PAIR && !(shape.float_size && shape.nr_floats <= HFA_MAX);
	return shape.in_memory;
}

static void place_sysv(struct places *p, struct cparam *param)
{
	struct shape shape;

	if (shape_of(p->types, param->type, &shape)) {
		put_lost(p, param);
	} else if (shape.in_memory || shape.is_x87) {
		put_words(p, param, shape.size, shape.align > WORD ? PAIR : WORD);
	} else if (!shape.ints && !shape.floats) {
		param->place = CPLACE_NONE; /* empty: it is nowhere */
	} else if (p->ints + shape.ints > C_INTS || p->floats + shape.floats > C_FLOATS) {
		put_words(p, param, shape.size, shape.align > WORD ? PAIR : WORD);
	} else if (!shape.floats) {
		put_ints(p, param, shape.ints);
	} else {
		param->place = shape.words[0] == WORD_FLOAT ? CPLACE_FLOAT : CPLACE_NONE;
		param->n = p->floats;
		p->floats += shape.floats;
		p->ints += shape.ints;
	}
}

/* AAPCS64 6.8.2, stage C. */
static void place_aapcs64(struct places *p, struct cparam *param)
{
	struct shape shape;
	unsigned int words;

	if (shape_of(p->types, param->type, &shape)) {
		put_lost(p, param);
		return;
	}
	words = (unsigned int)((shape.size + WORD - 1) / WORD);
	if (shape.float_size && shape.nr_floats <= HFA_MAX) {
		if (p->floats + shape.nr_floats <= C_FLOATS) {
			param->place = CPLACE_FLOAT;
			param->n = p->floats;
			p->floats += shape.nr_floats;
			return;
		}
		p->floats = C_FLOATS;
		put_words(p, param, shape.size, shape.align > WORD ? PAIR : WORD);
	} else if (shape.size > PAIR) {
		put_reference(p, param);
	} else if (!words) {
		param->place = CPLACE_NONE;
	} else {
		if (shape.align > WORD)
			p->ints += p->ints % 2;
		if (p->ints + words <= C_INTS) {
			put_ints(p, param, words);
			return;
		}
		p->ints = C_INTS;
		put_words(p, param, shape.size, shape.align > WORD ? PAIR : WORD);
	}
}

/* The scalars of a value, as rustc and Go count them. */
struct parts {
	unsigned int n, ints, floats;
	uint64_t bit_at[2];
	bool is_first_float;
	bool is_spread; /* not word by word as it lies in memory */
};

static int add_part(void *arg, const struct scalar *s)
{
	struct parts *parts = arg;
	unsigned int words = s->kind == CTYPE_FLOAT ? s->regs : (unsigned int)((s->size + WORD - 1) / WORD);

	if (s->size > PAIR)
		return -E2BIG;
	parts->is_spread |= s->bit_at != 8ull * WORD * (parts->ints + parts->floats);
	if (parts->n < 2)
		parts->bit_at[parts->n] = s->bit_at;
	if (!parts->n)
		parts->is_first_float = s->kind == CTYPE_FLOAT;
	parts->n++;
	*(s->kind == CTYPE_FLOAT ? &parts->floats : &parts->ints) += words;
	return 0;
}

static void put_parts(struct places *p, struct cparam *param, const struct parts *parts)
{
	if (parts->is_first_float) {
		param->place = CPLACE_FLOAT;
		param->n = p->floats;
		p->ints += parts->ints;
	} else {
		put_ints(p, param, parts->ints);
	}
	p->floats += parts->floats;
	if ((parts->is_spread && parts->n > 1) || (parts->floats && parts->ints && !parts->is_first_float))
		param->place = CPLACE_NONE;
}

/* All of it in registers, a scalar in each; or all on the stack, as arrays of several are. */
static void place_go(struct places *p, struct cparam *param)
{
	struct parts parts = { 0 };
	struct ctype t;
	int ret = p->types->get(p->types, param->type, &t);

	if (!ret)
		ret = each_scalar(p->types, param->type, 1, add_part, &parts);
	if (ret && ret != -E2BIG) {
		put_lost(p, param);
	} else if (!ret && !parts.n) {
		param->place = CPLACE_NONE;
	} else if (!ret && p->ints + parts.ints <= GO_INTS && p->floats + parts.floats <= GO_FLOATS) {
		put_parts(p, param, &parts);
	} else {
		/* The alignment of what was not counted to its end. */
		struct shape shape;

		put_stack(p, param, t.kind == CTYPE_FUNC ? WORD : t.size,
			  shape_of(p->types, param->type, &shape) || shape.align > WORD ? WORD : shape.align);
	}
}

/* Each scalar is a parameter of its own to LLVM: one may have found a register, and the other none. */
static void put_pair(struct places *p, struct cparam *param, const struct parts *parts)
{
	unsigned int left = p->ints < C_INTS ? C_INTS - p->ints : 0;

	if (p->floats + parts->floats > C_FLOATS) {
		put_lost(p, param);
	} else if (parts->ints <= left) {
		put_parts(p, param, parts);
	} else {
		put_words(p, param, (parts->ints - left) * WORD, WORD);
		if (left || parts->floats || parts->is_spread)
			param->place = CPLACE_NONE;
		p->ints = C_INTS;
		p->floats += parts->floats;
	}
}

/* Scalars and pairs of them by registers, a scalar in each; what is more, as an integer, or its address if it is larger. */
static void place_rust(struct places *p, struct cparam *param)
{
	struct parts parts = { 0 };
	struct ctype t;

	if (p->types->get(p->types, param->type, &t)) {
		put_lost(p, param);
		return;
	}
	if (!is_composite(&t)) {
		place_sysv(p, param);
		return;
	}
	if (!t.size) {
		param->place = CPLACE_NONE;
		return;
	}
	/* An enum with values has no members here: rustc may see one scalar in it, or two, or an address. */
	if (each_scalar(p->types, param->type, UINT64_MAX, add_part, &parts) || !parts.n) {
		if (t.size > PAIR)
			put_reference(p, param);
		else
			put_lost(p, param);
		return;
	}
	/* Fields are in any order in DWARF, but not in registers. */
	if (parts.n == 2 && parts.bit_at[0] == 8 * WORD && !parts.bit_at[1]) {
		parts.is_spread = false;
		parts.is_first_float ^= parts.floats == 1;
	}
	if (t.kind == CTYPE_STRUCT && t.size <= PAIR && parts.n <= 2) {
		put_pair(p, param, &parts);
	} else if (t.size > WORD) {
		put_reference(p, param);
	} else if (p->ints < C_INTS) {
		put_ints(p, param, 1);
	} else {
		put_words(p, param, WORD, WORD);
	}
}

void cfunc_place(struct ctypes *types, struct cfunc *func)
{
	struct places p = { .types = types };
	struct ctype result;

	/* AArch64 has x8 for the address of a result; Go returns in registers, or in what the caller left behind its arguments. */
	if (!func->is_go) {
		func->result_in_memory |= returns_in_memory(types, func);
		p.ints = func->result_in_memory && !IS_AARCH64;
		p.is_lost = types->get(types, func->result, &result) || (result.kind == CTYPE_OTHER && !result.size);
	}
	for (uint32_t i = 0; i < func->nr_params; i++) {
		struct cparam *param = &func->params[i];

		if (func->is_changed)
			param->place = CPLACE_NONE;
		else if (param->by_reference)
			put_reference(&p, param);
		else if (func->is_go)
			place_go(&p, param);
		else if (func->is_rust)
			place_rust(&p, param);
		else if (IS_AARCH64)
			place_aapcs64(&p, param);
		else
			place_sysv(&p, param);
	}
}
