/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of DWARF share: a program that was built, and its functions and types as text. */
#ifndef SKEP_TESTS_TEST_DWARF_H
#define SKEP_TESTS_TEST_DWARF_H

#include "tests/unit/test_sym.h"

#include "sym/ufuncs.h"
#include "types/dwarf.h"
#include "unwind/insns.h"

struct prog {
	const char *path;
	struct elf_file elf;
	int fd;
	struct dwarf_types *d;
	struct ctypes *t;
	struct cfunc f; /* the last one asked for */
};

static UNUSED void open_prog(struct prog *p, const char *name)
{
	int ret;

	*p = (struct prog){ .path = in_scratch(name) };
	p->fd = ufile_open(p->path, &p->elf);
	assert_true(p->fd >= 0);
	ret = dwarf_open(&p->elf, p->path, &p->d);
	assert_int_equal(ret, 0);
	p->t = (struct ctypes *)p->d;
}

static UNUSED void close_prog(struct prog *p)
{
	dwarf_close(p->d);
	elf_close(&p->elf);
	close(p->fd);
}

struct wanted {
	const char *name;
	uint64_t addr, size;
};

/* A name with what ends it: mangled ones are looked for by a part. */
static UNUSED int find_func(void *arg, const struct ufunc *func)
{
	struct wanted *w = arg;

	if (strcmp(func->name, w->name) && (w->name[0] != '*' || !strstr(func->name, w->name + 1)))
		return 0;
	w->addr = func->addr;
	w->size = func->size;
	return 1;
}

static UNUSED struct wanted find(struct prog *p, const char *name)
{
	struct wanted w = { .name = name };

	assert_int_equal(ufuncs_each(&p->elf, p->path, find_func, &w), 1);
	return w;
}

static UNUSED const struct cfunc *func(struct prog *p, const char *name)
{
	int ret = dwarf_func(p->d, find(p, name).addr, &p->f);

	if (ret)
		print_error("%s\n", name);
	assert_int_equal(ret, 0);
	return &p->f;
}

/* The parameters of the last function as one text: "name:type@place n", "&" in front of an address. */
static UNUSED const char *params(struct prog *p, const char *name)
{
	static const char *const places[] = { "reg", "stack", "float", "none" };
	static char text[4096];
	const struct cfunc *f = func(p, name);
	size_t at = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < f->nr_params; i++) {
		const struct cparam *c = &f->params[i];
		char type[256];

		p->t->name(p->t, c->type, type, sizeof(type));
		at += (size_t)sprintf(text + at, "%s%s:%s@%s%s", i ? ", " : "", c->name, type, c->by_reference ? "&" : "",
				      places[c->place]);
		if (c->place == CPLACE_REG || c->place == CPLACE_STACK)
			at += (size_t)sprintf(text + at, "%u", c->n);
	}
	sprintf(text + at, "%s", f->is_variadic ? ", ..." : "");
	return text;
}

static UNUSED const char *type_name(struct prog *p, uint64_t id)
{
	static char text[256];
	size_t len = p->t->name(p->t, id, text, sizeof(text));

	assert_int_equal(len, strlen(text));
	return text;
}

static UNUSED struct ctype get(struct prog *p, uint64_t id)
{
	struct ctype t;

	assert_int_equal(p->t->get(p->t, id, &t), 0);
	return t;
}

static UNUSED uint64_t tag(struct prog *p, enum ctype_kind kind, const char *name)
{
	uint64_t id;

	assert_int_equal(p->t->find(p->t, kind, name, strlen(name), &id), 0);
	return id;
}

static UNUSED struct cmember member(struct prog *p, uint64_t id, const char *name)
{
	struct cmember m;
	int ret = ctype_member(p->t, id, name, strlen(name), &m);

	if (ret)
		print_error("%s\n", name);
	assert_int_equal(ret, 0);
	return m;
}

#endif
