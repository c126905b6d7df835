/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ELF bytes to prototypes: units, functions, their parameters' places, the types from there on, names, instructions. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sym/ufuncs.h"
#include "types/dwarf.h"
#include "types/srcline.h"
#include "unwind/insns.h"

#define FUNCS_MAX 64u
#define MEMBERS_MAX 64u
#define TYPES_MAX 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
	const struct elf_file *elf;
	struct dwarf_types *d;
	struct ctypes *types;
	uint32_t nr_funcs, nr_types;
};

static int count(void *arg, const struct cmember *m)
{
	if (strnlen(m->name, sizeof(m->name)) == sizeof(m->name))
		abort();
	return ++*(uint32_t *)arg > MEMBERS_MAX;
}

static void walk_type(struct walk *w, uint64_t id, int depth)
{
	struct cenumerator e;
	struct cmember m;
	struct ctype t;
	char text[100];
	uint32_t n = 0;
	size_t len = w->types->name(w->types, id, text, sizeof(text));

	if (strnlen(text, sizeof(text)) != (len < sizeof(text) ? len : sizeof(text) - 1))
		abort();
	if (w->types->get(w->types, id, &t) || depth == 8 || ++w->nr_types > TYPES_MAX)
		return;
	if (t.kind == CTYPE_PTR || t.kind == CTYPE_ARRAY)
		walk_type(w, t.to, depth + 1);
	for (uint32_t i = 0; i < MEMBERS_MAX && !w->types->enumerator(w->types, id, i, &e); i++)
		w->types->find(w->types, CTYPE_ENUM, e.name, strlen(e.name), &id);
	ctype_member(w->types, id, "x", 1, &m);
	ctype_each_member(w->types, id, count, &n);
	for (uint32_t i = 0; i < MEMBERS_MAX && !w->types->member(w->types, id, i, &m); i++)
		walk_type(w, m.type, depth + 1);
}

static int on_line(void *arg, uint64_t addr, const char *function)
{
	struct cfunc vars;

	(void)function;
	return srcline_vars(arg, addr, &vars) == -ENOMEM;
}

/* Lines and variables at a few of the function's addresses */
static void walk_lines(struct walk *w, const struct ufunc *func)
{
	struct srcline_place place;
	struct cfunc vars;

	for (uint64_t at = func->addr; at < func->addr + 8; at++) {
		if (!srcline_at(w->d, at, &place) && (!place.function || !place.file))
			abort();
		if (!srcline_vars(w->d, at, &vars) && vars.nr_params > CPARAMS_MAX)
			abort();
	}
	srcline_addrs(w->d, NULL, func->name, 1, on_line, w->d);
}

static int walk_func(void *arg, const struct ufunc *func)
{
	struct walk *w = arg;
	struct cfunc f;
	uint64_t rets[8];

	walk_lines(w, func);
	insns_rets(w->elf, func->addr, func->size, rets, 8);
	if (!dwarf_func(w->d, func->addr, &f)) {
		if (f.nr_params > CPARAMS_MAX)
			abort();
		walk_type(w, f.result, 0);
		for (uint32_t i = 0; i < f.nr_params; i++)
			walk_type(w, f.params[i].type, 0);
	}
	return ++w->nr_funcs > FUNCS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct walk w = { 0 };
	struct elf_file elf;
	uint64_t id;
	uint32_t calls;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (!elf_open_fd(fd, &elf)) {
		if (!dwarf_open(&elf, "fuzz", &w.d)) {
			w.elf = &elf;
			w.types = (struct ctypes *)w.d;
			ufuncs_each(&elf, "fuzz", walk_func, &w);
			if (!w.types->find(w.types, CTYPE_STRUCT, "node", 4, &id))
				walk_type(&w, id, 0);
			dwarf_find_inlined(w.d, "f", 1, &calls);
			srcline_addrs(w.d, "c", NULL, 2, on_line, w.d);
			dwarf_close(w.d);
		}
		elf_close(&elf);
	}
	close(fd);
	return 0;
}
