/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What elfsyms finds, before a symtab chooses among the names of one address. */
#include "sym/ufuncs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/debugfile.h"
#include "elf/elfsyms.h"
#include "elf/symtab.h"

#define DEBUG_DIR "/usr/lib/debug"

int ufile_open(const char *path, struct elf_file *ret_elf)
{
	int fd = regular_open(path), ret;

	if (fd < 0)
		return fd;
	ret = elf_open_fd(fd, ret_elf);
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

struct named {
	const char *name;
	const struct symtab_raw *raw;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->raw->addr < y->raw->addr ? -1 : x->raw->addr > y->raw->addr;
}

static int each_sorted(const struct symtab *tab, int (*each)(void *arg, const struct ufunc *func), void *arg)
{
	struct named *all = calloc(tab->nr_raw, sizeof(*all));
	uint32_t n = 0;
	int ret = all ? 0 : -ENOMEM;

	for (uint32_t i = 0; all && i < tab->nr_raw; i++)
		if (tab->raw[i].how != SIZE_STOP)
			all[n++] = (struct named){ tab->names + tab->raw[i].name, &tab->raw[i] };
	if (n)
		qsort(all, n, sizeof(*all), by_name);
	for (uint32_t i = 0; i < n && !ret; i++) {
		struct ufunc f = { all[i].name, all[i].raw->addr, all[i].raw->size, all[i].raw->rank & RANK_FUNC };

		if (!i || by_name(&all[i - 1], &all[i]))
			ret = each(arg, &f);
	}
	free(all);
	return ret;
}

int ufuncs_each(const struct elf_file *elf, const char *path, int (*each)(void *arg, const struct ufunc *func), void *arg)
{
	static const char *const roots[] = { "" };
	struct elf_file debug;
	struct debugfile_limits limits = { 0 };
	struct symtab tab = {};
	int fd = -ENOENT, ret;

	if (!elfsyms_has_symtab(elf))
		fd = debugfile_open(elf, path, DEBUG_DIR, roots, 1, SERVERS_NOT, &limits);
	if (fd >= 0 && elf_open_fd(fd, &debug)) {
		close(fd);
		fd = -ENOENT;
	}
	ret = elfsyms_collect(elf, fd >= 0 ? &debug : NULL, &tab);
	if (fd >= 0) {
		elf_close(&debug);
		close(fd);
	}
	if (!ret)
		ret = tab.nr_raw ? each_sorted(&tab, each, arg) : -ENODATA;
	symtab_free(&tab);
	return ret;
}

bool ufunc_is_go(const struct elf_file *elf)
{
	/* The last: position-independent programs. */
	return elf_sec_by_name(elf, ".go.buildinfo") || elf_sec_by_name(elf, ".gopclntab") ||
	       elf_sec_by_name(elf, ".data.rel.ro.gopclntab");
}
