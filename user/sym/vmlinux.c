/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/vmlinux.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf.h"
#include "util/vec.h"

struct name {
	uint64_t addr;
	const char *text;
	char type; /* as kallsyms has it */
};

struct names {
	VEC(struct name) rows;
};

static int open_image(const char *path, struct elf_file *ret_elf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = fd < 0 ? -errno : elf_open_fd(fd, ret_elf);

	if (ret && fd >= 0)
		close(fd);
	return ret;
}

static void close_image(struct elf_file *elf)
{
	int fd = elf->fd;

	elf_close(elf);
	close(fd);
}

bool vmlinux_is(const char *path)
{
	char magic[SELFMAG];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) && !memcmp(magic, ELFMAG, SELFMAG);

	if (fd >= 0)
		close(fd);
	return is;
}

int vmlinux_build_id(const char *path, uint8_t *ret_id, size_t max)
{
	struct elf_file elf;
	int n;

	if (open_image(path, &elf))
		return 0;
	n = elf_build_id(&elf, ret_id, max);
	close_image(&elf);
	return n;
}

/* Functions, and where the kernel's text begins and ends. */
static char type_of(const struct elf_file *elf, const struct elf_sym *s, const char *name)
{
	static const char *const marks[] = { "_text", "_stext", "_etext", "_einittext" };
	bool is_global = s->bind != STB_LOCAL;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strcmp(name, marks[i]))
			return 'T';
	if (s->shndx == SHN_UNDEF || s->shndx >= elf->nr_secs || !(elf->secs[s->shndx].flags & SHF_EXECINSTR))
		return 0;
	if (s->type != STT_FUNC && s->type != STT_GNU_IFUNC && s->type != STT_NOTYPE)
		return 0;
	return s->bind == STB_WEAK ? 'W' : is_global ? 'T' : 't';
}

static int collect(struct names *names, const struct elf_file *elf, const char *symbols, size_t nr, const char *strings, uint64_t nr_bytes)
{
	for (size_t i = 0; i < nr; i++) {
		struct elf_sym s;
		char type;

		elf_sym_at(elf, symbols, i, &s);
		if (s.name >= nr_bytes || !strings[s.name] || strpbrk(strings + s.name, "\t\n"))
			continue;
		type = type_of(elf, &s, strings + s.name);
		if (!type || !s.value)
			continue;
		if (vec_reserve(&names->rows))
			return -ENOMEM;
		names->rows.data[names->rows.n++] = (struct name){ s.value, strings + s.name, type };
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->text, y->text);
}

static int print(struct names *names, char **ret_text, size_t *ret_n)
{
	FILE *out = open_memstream(ret_text, ret_n);

	if (!out)
		return -errno;
	qsort(names->rows.data, names->rows.n, sizeof(*names->rows.data), compare);
	for (size_t i = 0; i < names->rows.n; i++)
		fprintf(out, "%016" PRIx64 " %c %s\n", names->rows.data[i].addr, names->rows.data[i].type, names->rows.data[i].text);
	return fclose(out) ? -ENOMEM : 0;
}

static int read_names(const struct elf_file *elf, char **ret_text, size_t *ret_n)
{
	const struct elf_sec *table = elf_sec_by_type(elf, SHT_SYMTAB);
	const struct elf_sec *names_of = table && table->link < elf->nr_secs ? &elf->secs[table->link] : NULL;
	struct names names = { 0 };
	char *symbols = NULL, *strings = NULL;
	int ret;

	if (!names_of)
		return -ENODATA;
	ret = elf_read_sec(elf, table, &symbols);
	if (!ret)
		ret = elf_read_sec(elf, names_of, &strings);
	if (!ret)
		ret = collect(&names, elf, symbols, table->size / elf_sym_size(elf), strings, names_of->size);
	if (!ret)
		ret = names.rows.n ? print(&names, ret_text, ret_n) : -ENODATA;
	vec_free(&names.rows);
	free(symbols);
	free(strings);
	return ret;
}

int vmlinux_names(const char *path, char **ret_text, size_t *ret_n)
{
	struct elf_file elf;
	int ret = open_image(path, &elf);

	if (ret)
		return ret;
	ret = read_names(&elf, ret_text, ret_n);
	close_image(&elf);
	return ret;
}
