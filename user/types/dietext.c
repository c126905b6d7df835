/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types as text. C declarations read inside out: the walk from the outermost type to the innermost builds the declarator, and what
 * names the innermost type comes first.
 */
#include "types/die.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 4   /* of functions that take functions */
#define STEPS_MAX 1024 /* in one text: functions that take themselves would never end */
#define DECL_MAX 512  /* of one declarator */

/* A text that is cut at its room, and remembers how long it would be. */
struct text {
	char *buf;
	size_t size, len;
};

struct writer {
	struct dwarf_types *d;
	unsigned int steps; /* that may still be taken */
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->len < t->size ? t->buf + t->len : NULL, t->len < t->size ? t->size - t->len : 0, fmt, ap);
	va_end(ap);
	t->len += n > 0 ? (size_t)n : 0;
}

static __attribute__((format(printf, 2, 3))) void prepend(char *decl, const char *fmt, ...)
{
	char old[DECL_MAX];
	struct text t = { decl, DECL_MAX, 0 };
	va_list ap;
	int n;

	memcpy(old, decl, DECL_MAX);
	va_start(ap, fmt);
	n = vsnprintf(decl, DECL_MAX, fmt, ap);
	va_end(ap);
	t.len = n > 0 ? (size_t)n : 0;
	put(&t, "%s", old);
}

/* What stands around the declarator of an array or a function: parentheses when a pointer's star begins it. */
static void wrap_pointer(char *decl)
{
	struct text t = { decl, DECL_MAX, 0 };

	if (decl[0] != '*' && decl[0] != '&')
		return;
	prepend(decl, "(");
	t.len = strlen(decl);
	put(&t, ")");
}

static const char *qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
		return "const";
	case DW_TAG_volatile_type:
		return "volatile";
	case DW_TAG_restrict_type:
		return "restrict";
	case DW_TAG_atomic_type:
		return "_Atomic";
	default:
		return NULL;
	}
}

static const char *star(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	default:
		return NULL;
	}
}

static const char *keyword(Dwarf_Die *die)
{
	if (!die_is_c(die))
		return "";
	switch (die_kind(die)) {
	case CTYPE_STRUCT:
		return "struct ";
	case CTYPE_UNION:
		return "union ";
	case CTYPE_ENUM:
		return "enum ";
	default:
		return "";
	}
}

static void put_decl(struct writer *w, uint64_t id, int depth, struct text *out);

static void put_params(struct writer *w, Dwarf_Die *func, int depth, struct text *out)
{
	const char *comma = "";
	Dwarf_Die child;

	put(out, "(");
	if (!dwarf_child(func, &child)) {
		do {
			int tag = dwarf_tag(&child);

			if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
				continue;
			put(out, "%s", comma);
			comma = ", ";
			if (tag == DW_TAG_formal_parameter)
				put_decl(w, die_type(w->d, &child), depth + 1, out);
			else
				put(out, "...");
		} while (w->steps && out->len < out->size && die_next(&child));
	}
	put(out, *comma ? ")" : "void)");
}

static void add_dims(Dwarf_Die *array, unsigned int from, char *decl)
{
	struct text t = { decl, DECL_MAX, strlen(decl) };
	uint64_t dims[DIE_DIMS_MAX];
	unsigned int n = die_dims(array, dims);

	for (unsigned int i = from; i < n; i++)
		if (dims[i])
			put(&t, "[%llu]", (unsigned long long)dims[i]);
		else
			put(&t, "[]");
}

/* One step inwards: adds to decl what the type of this DIE does to it. False: it is the innermost, which has a name. */
static bool wrap(struct writer *w, Dwarf_Die *die, unsigned int dim, int depth, char *decl, struct text *first)
{
	int tag = dwarf_tag(die);
	const char *name = die_string(die, DW_AT_name);
	Dwarf_Die of;
	struct text t = { decl, DECL_MAX, 0 };

	/* Rust and Go name their pointers. */
	if (star(tag) && !name) {
		prepend(decl, "%s", star(tag));
	} else if (qualifier(tag)) {
		if (die_ref(die, DW_AT_type, &of) && star(dwarf_tag(&of)))
			prepend(decl, *decl ? "%s " : "%s", qualifier(tag));
		else
			put(first, "%s ", qualifier(tag));
	} else if (tag == DW_TAG_ptr_to_member_type) {
		name = die_ref(die, DW_AT_containing_type, &of) ? die_string(&of, DW_AT_name) : NULL;
		prepend(decl, "%s::*", name ? name : "");
		if (die_ref(die, DW_AT_type, &of) && dwarf_tag(&of) == DW_TAG_subroutine_type) {
			prepend(decl, "(");
			t.len = strlen(decl);
			put(&t, ")");
		}
	} else if (tag == DW_TAG_array_type && !name) {
		wrap_pointer(decl);
		add_dims(die, dim, decl);
	} else if (tag == DW_TAG_subroutine_type && !name) {
		wrap_pointer(decl);
		t.len = strlen(decl);
		put_params(w, die, depth, &t);
	} else {
		return false;
	}
	return true;
}

static void put_decl(struct writer *w, uint64_t id, int depth, struct text *out)
{
	char decl[DECL_MAX] = "", first_text[64] = "";
	struct text first = { first_text, sizeof(first_text), 0 };
	const char *name = "void", *word = "";
	Dwarf_Die die;

	for (int steps = 0; id; steps++) {
		unsigned int dim;

		if (steps == DIE_STEPS_MAX || depth > DEPTH_MAX || !w->steps || die_of(w->d, id, &die, &dim)) {
			name = "...";
			break;
		}
		w->steps--;
		if (!wrap(w, &die, dim, depth, decl, &first)) {
			name = die_string(&die, DW_AT_name);
			word = keyword(&die);
			break;
		}
		id = die_type(w->d, &die);
	}
	put(out, "%s%s%s%s%s", first_text, word, name && *name ? name : "{...}", *decl ? " " : "", decl);
}

size_t die_text(struct ctypes *types, uint64_t id, char *buf, size_t size)
{
	struct writer w = { (struct dwarf_types *)types, STEPS_MAX };
	struct text out = { buf, size, 0 };

	if (size)
		buf[0] = '\0';
	put_decl(&w, id, 0, &out);
	return out.len;
}
#endif
