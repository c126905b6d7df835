/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes of tracefs as perf probe --list prints them: an offset in a file becomes its function, and line, of the file as it is now. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/probe_def.h"
#include "elf/elf.h"
#include "sym/ufuncs.h"
#include "types/srcline.h"
#include "util/text.h"

struct nearest {
	uint64_t vaddr, addr;
	char name[PROBE_NAME_MAX];
};

static int on_function(void *arg, const struct ufunc *f)
{
	struct nearest *n = arg;

	if (f->is_func && f->addr <= n->vaddr && n->vaddr - f->addr < (f->size ? f->size : 1) && (!*n->name || f->addr > n->addr)) {
		n->addr = f->addr;
		snprintf(n->name, sizeof(n->name), "%s", f->name);
	}
	return 0;
}

#define FILE_SHOWN 30 /* bytes of a path's end, as perf has it */

/* "fs/open.c" */
static const char *short_file(const char *path)
{
	size_t n = strlen(path);
	const char *slash = n > FILE_SHOWN ? strchr(path + n - FILE_SHOWN, '/') : NULL;

	return n <= FILE_SHOWN ? path : slash ? slash + 1 : path + n - FILE_SHOWN;
}

/* What debug information has of the place: "foo@t.c", "foo%return@t.c", "foo:3@t.c". False: nothing. */
static bool put_source(FILE *out, const struct lasting *p, const struct elf_file *elf, uint64_t vaddr)
{
	struct dwarf_types *dwarf;
	struct srcline_place place;
	bool found;

	if (dwarf_open(elf, p->place, &dwarf))
		return false;
	found = !srcline_at(dwarf, vaddr, &place) && (place.is_entry || place.line >= place.decl_line);
	if (found) {
		text_print(out, place.function);
		if (!place.is_entry)
			fprintf(out, ":%u", place.line - place.decl_line);
		fputs(p->is_return ? "%return@" : "@", out);
		text_print(out, short_file(place.file));
	}
	dwarf_close(dwarf);
	return found;
}

/* By the symbol table: "foo", "foo+4". */
static bool put_symbol(FILE *out, const struct lasting *p, const struct elf_file *elf, uint64_t vaddr)
{
	struct nearest n = { .vaddr = vaddr };

	if (ufuncs_each(elf, p->place, on_function, &n) || !*n.name)
		return false;
	text_print(out, n.name);
	if (n.vaddr != n.addr)
		fprintf(out, "+%llu", (unsigned long long)(n.vaddr - n.addr));
	return true;
}

static void put_user(FILE *out, const struct lasting *p)
{
	struct elf_file elf;
	int fd = ufile_open(p->place, &elf);
	bool found = false;
	uint64_t vaddr;

	if (fd >= 0 && elf_off_to_vaddr(elf.segs, elf.nr_segs, p->offset, &vaddr)) {
		if (put_source(out, p, &elf, vaddr)) {
			elf_close(&elf);
			close(fd);
			return;
		}
		found = put_symbol(out, p, &elf, vaddr);
	}
	if (fd >= 0) {
		elf_close(&elf);
		close(fd);
	}
	if (!found)
		fprintf(out, "0x%llx", (unsigned long long)p->offset);
	if (p->is_return)
		fputs("%return", out);
}

void probe_show(const struct lasting *p)
{
	char full[2 * LASTING_NAME_MAX];

	snprintf(full, sizeof(full), "%s:%s", p->group, p->name);
	printf("  %-20s (on ", full);
	if (p->is_user) {
		put_user(stdout, p);
	} else {
		text_print(stdout, p->place);
		if (p->offset)
			printf(*p->place ? "+%llu" : "0x%llx", (unsigned long long)p->offset);
		if (p->is_return)
			fputs("%return", stdout);
	}
	if (p->is_user) {
		fputs(" in ", stdout);
		text_print(stdout, p->place);
	}
	for (int i = 0; i < p->nr_args; i++)
		printf("%s %s", i ? "" : " with", p->args[i].name);
	fputs(")\n", stdout);
}
