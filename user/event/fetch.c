/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel follows pointers and adds constants, and does nothing else: all other operators are refused. */
#include "event/fetch.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16
#define WORD 8

/* Names of registers as the kernel's regs_query_register_offset() has them. */
#ifdef __x86_64__
static const char *const by_dwarf[] = { "ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "ip" };
static const char *const by_arg[] = { "di", "si", "dx", "cx", "r8", "r9" };
static const char *const by_go_arg[] = { "ax", "bx", "cx", "di", "si", "r8", "r9", "r10", "r11" };
#else
static const char *const by_dwarf[] = { "x0",  "x1",  "x2",	"x3",  "x4",  "x5",  "x6",  "x7",	 "x8",	"x9",  "x10", "x11", "x12", "x13", "x14", "x15",
				      "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp" };
static const char *const by_arg[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" };
static const char *const by_go_arg[] = { "x0", "x1", "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
				       "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15" };
#endif
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct writer {
	const struct bound_probe *probe;
	bool is_go;
	char *buf;
	size_t size, n;
	int depth;
};

static const struct bound *node_of(const struct writer *w, uint32_t node)
{
	return &w->probe->nodes.data[node];
}

static void put(struct writer *w, const char *text)
{
	if (w->n < w->size)
		w->n += snprintf(w->buf + w->n, w->size - w->n, "%s", text);
}

static void put_num(struct writer *w, const char *form, long long num)
{
	if (w->n < w->size)
		w->n += snprintf(w->buf + w->n, w->size - w->n, form, num);
}

static bool put_register(struct writer *w, const char *const *names, size_t nr_names, uint64_t i)
{
	if (i >= nr_names)
		return false;
	put(w, "%");
	put(w, names[i]);
	return true;
}

/* A base and what is added to it. */
static uint32_t base_of(const struct writer *w, uint32_t node, int64_t *off)
{
	for (int i = 0; i < DEPTH_MAX; i++) {
		const struct bound *n = node_of(w, node);

		if (n->kind != BOUND_BINARY || n->op != OP_ADD || node_of(w, n->b)->kind != BOUND_NUMBER)
			break;
		*off = (int64_t)((uint64_t)*off + node_of(w, n->b)->num);
		node = n->a;
	}
	return node;
}

static bool put_word(struct writer *w, uint32_t node);

/* The memory at a node's value plus off. */
static bool put_memory(struct writer *w, uint32_t node, int64_t off)
{
	node = base_of(w, node, &off);
	if (node_of(w, node)->kind == BOUND_NUMBER) {
		put_num(w, "@0x%llx", (long long)(node_of(w, node)->num + (uint64_t)off));
		return true;
	}
	put_num(w, "%+lld(", off);
	if (!put_word(w, node))
		return false;
	put(w, ")");
	return true;
}

/* A value of 8 bytes. */
static bool put_word(struct writer *w, uint32_t node)
{
	const struct bound *n = node_of(w, node);

	if (w->depth++ == DEPTH_MAX)
		return false;
	switch (n->kind) {
	case BOUND_ARG:
		return w->is_go ? put_register(w, by_go_arg, COUNT(by_go_arg), n->num) : put_register(w, by_arg, COUNT(by_arg), n->num);
	case BOUND_REG:
		return put_register(w, by_dwarf, COUNT(by_dwarf), n->num);
	case BOUND_SP:
		put(w, "%sp");
		return true;
	case BOUND_RET:
		put(w, "$retval");
		return true;
	case BOUND_NUMBER:
		put_num(w, "\\%lld", (long long)n->num);
		return true;
	case BOUND_LOAD:
		return n->size == WORD && put_memory(w, n->a, (int64_t)n->num);
	case BOUND_CUT:
		return n->size == WORD && put_word(w, n->a);
	default:
		return false;
	}
}

bool fetch_is_type(const char *type)
{
	static const char *const words[] = { "string", "ustring", "symbol", "symstr", "char", "s", "u", "x" };
	static const char *const widths[] = { "8", "16", "32", "64" };
	size_t n = strcspn(type, "[");
	int end = 0;

	if (type[n]) { /* an array: x8[16] */
		sscanf(type + n, "[%*u]%n", &end);
		if (!end || type[n + end])
			return false;
	}
	for (size_t i = 0; i < COUNT(words); i++)
		if (strlen(words[i]) == n && !memcmp(words[i], type, n))
			return true;
	for (size_t i = 0; i < COUNT(widths); i++)
		if (n && strchr("sux", *type) && strlen(widths[i]) == n - 1 && !memcmp(widths[i], type + 1, n - 1))
			return true;
	end = 0;
	sscanf(type, "b%*u@%*u/%*u%n", &end);
	return end && !type[end];
}

static void put_type(struct writer *w, const char *type, unsigned bytes, bool is_signed)
{
	bool is_letter = *type && !type[1];

	put(w, ":");
	if (*type && !is_letter) {
		put(w, type);
		return;
	}
	put(w, is_letter ? type : is_signed ? "s" : "x");
	put_num(w, "%lld", 8 * bytes);
}

static bool put_bits(struct writer *w, const struct bound *n, const char *type)
{
	const struct bound *of = node_of(w, n->a);
	char own[64];

	if (of->kind != BOUND_LOAD || n->is_signed || !put_memory(w, of->a, (int64_t)of->num))
		return false;
	snprintf(own, sizeof(own), "b%u@%llu/%u", n->bits, (unsigned long long)n->num, 8 * of->size);
	put_type(w, *type && type[1] ? type : own, 0, false);
	return true;
}

static bool is_text(const char *type)
{
	return !strcmp(type, "string") || !strcmp(type, "ustring");
}

static bool put_arg(struct writer *w, const struct bound_arg *a, const char *type)
{
	const struct bound *n = node_of(w, a->node);

	if (a->is_comm) {
		put(w, "$comm");
		return true;
	}
	/* An array of characters is at the address; another text is a pointer, whose number perf shows. */
	if (is_text(type) || (a->show == VALUE_TEXT && n->kind == BOUND_BINARY)) {
		if (!put_memory(w, a->node, 0))
			return false;
		put_type(w, type[0] && type[1] ? type : "string", 0, false);
		return true;
	}
	if (n->kind == BOUND_BITS)
		return put_bits(w, n, type);
	if (n->kind == BOUND_LOAD) {
		if (!put_memory(w, n->a, (int64_t)n->num))
			return false;
		put_type(w, type, n->size, n->is_signed);
		return true;
	}
	if (!put_word(w, n->kind == BOUND_CUT ? n->a : a->node))
		return false;
	put_type(w, type, n->kind == BOUND_CUT ? n->size : WORD, n->kind == BOUND_CUT ? n->is_signed : a->show == VALUE_SIGNED);
	return true;
}

int fetch_text(const struct bound_probe *probe, int i, const char *type, bool is_go, char *buf, size_t size, struct err *err)
{
	struct writer w = { probe, is_go, buf, size, 0, 0 };

	if (put_arg(&w, &probe->args[i], type) && w.n < size)
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "'%s' cannot be fetched by a probe that stays: the kernel adds constants and follows pointers only",
		 probe->args[i].name);
	err_hint(err, "skep probe PROBE computes any expression");
	return -EINVAL;
}
