/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BTF bytes to the prototypes of their functions, to C types and to less BTF, alone and as a module's on top of themselves. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "types/btf.h"
#include "types/btf_ctype.h"
#include "types/btf_subset.h"

#define FUNCS_MAX 100
#define TYPES_MAX 300
#define PARTS_MAX 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
	const struct btf_types *btf;
	struct ctypes *types;
	int left;
};

static int each_member(void *arg, const struct cmember *m)
{
	int *left = arg;

	if (!m->name[0] || !memchr(m->name, '\0', sizeof(m->name)))
		abort();
	return --*left < 0;
}

static void walk(struct ctypes *types, uint64_t id)
{
	struct cenumerator e;
	struct cmember m, found;
	struct ctype c, again;
	char text[256];
	uint64_t other;
	int left = PARTS_MAX;

	types->name(types, id, text, sizeof(text));
	if (types->get(types, id, &c))
		return;
	/* What is found by the id of the type proper is that type. */
	if (types->get(types, c.id, &again) || again.kind != c.kind || again.id != c.id || again.size != c.size)
		abort();
	if ((c.kind == CTYPE_OTHER || c.kind == CTYPE_FUNC || c.kind == CTYPE_VOID) && c.size)
		abort();
	for (uint32_t i = 0; i < PARTS_MAX && !types->member(types, id, i, &m); i++) {
		if (m.bits > 64)
			abort();
		types->get(types, m.type, &again);
		/* A named member is found by its name, though it may be another of that name; cut names are not all told. */
		if (m.name[0] && strlen(m.name) < sizeof(m.name) - 1 && ctype_member(types, id, m.name, strlen(m.name), &found))
			abort();
		types->find(types, CTYPE_OTHER, m.name, strlen(m.name), &other);
	}
	ctype_member(types, id, "not there", 9, &found);
	ctype_each_member(types, id, each_member, &left);
	for (uint32_t i = 0; i < PARTS_MAX && !types->enumerator(types, id, i, &e); i++)
		types->find(types, CTYPE_ENUM, e.name, strlen(e.name), &other);
	/* To the end of arrays and pointers, as expressions do; pointers may go round. */
	for (int steps = 0; steps < PARTS_MAX && (c.kind == CTYPE_PTR || c.kind == CTYPE_ARRAY); steps++)
		if (types->get(types, c.to, &c))
			break;
	/* An array cannot: each of its elements is a part of it. */
	for (int steps = 0; c.kind == CTYPE_ARRAY && !types->get(types, c.to, &c); steps++)
		if (steps > 100)
			abort();
}

static int print(void *arg, const char *name, uint32_t id)
{
	struct run *r = arg;
	struct cfunc func;
	char text[512];

	if (strlen(name) && btf_prototype(r->btf, id, text, sizeof(text)) && !memchr(text, '\0', sizeof(text)))
		abort();
	btf_parameters(r->btf, id, text, sizeof(text));
	btf_result(r->btf, id, text, 1);
	for (uint32_t i = 0; i < 4 && btf_parameter(r->btf, id, i, text, sizeof(text)); i++)
		;
	if (!btf_ctypes_func(r->types, id, &func)) {
		if (func.nr_params > CPARAMS_MAX)
			abort();
		walk(r->types, func.result);
	}
	return --r->left < 0;
}

static void read_types(const struct btf_types *btf, struct ctypes *types)
{
	struct run run = { btf, types, FUNCS_MAX };

	btf_each_func(btf, print, &run);
	for (uint64_t id = 0; id < TYPES_MAX; id++)
		walk(types, id);
	walk(types, UINT64_MAX);
}

/* What is made of anything is BTF again, whole. */
static void make_subset(const struct btf_types *btf)
{
	struct btf_types *few;
	void *bytes;
	size_t size;
	int ret = btf_subset(btf, btf, &bytes, &size);

	if (ret == -E2BIG)
		return;
	if (ret)
		abort();
	if (btf_open_mem(bytes, size, NULL, &few))
		abort();
	btf_close(few);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf_types *base, *module;
	struct ctypes *types, *of_module;

	if (btf_open_mem(data, size, NULL, &base))
		return 0;
	if (btf_ctypes_new(base, NULL, &types))
		abort();
	read_types(base, types);
	make_subset(base);
	if (!btf_open_mem(data, size, base, &module)) {
		if (btf_ctypes_new(module, types, &of_module))
			abort();
		read_types(module, of_module);
		btf_ctypes_free(of_module);
		btf_close(module);
	}
	btf_ctypes_free(types);
	btf_close(base);
	return 0;
}
