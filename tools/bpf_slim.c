/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bpf_slim OBJECT: takes from a BPF object, in place, what loading does not need, two fifths of it. These are the lines of source, and
 * their numbers, in its type information, which the kernel shows in the verifier's log only, and labels. What is left is types, the types of
 * functions and what CO-RE relocates. Formats: Documentation/bpf/btf.rst; the head of .BTF.ext and its records as in libbpf's src/btf.c and
 * src/libbpf_internal.h.
 */
#include <bpf/btf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ext_head {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len;
	uint32_t func_off, func_len, line_off, line_len, relo_off, relo_len;
};

#define ACCESS_STR_AT 2 /* of a record of CO-RE, in words: after the instruction and the type */

static void fail(const char *what)
{
	fprintf(stderr, "bpf_slim: %s\n", what);
	exit(1);
}

static uint32_t moved(struct btf *to, const struct btf *from, uint32_t str)
{
	int at = btf__add_str(to, btf__str_by_offset(from, str));

	if (at < 0)
		fail("no memory for a name");
	return (uint32_t)at;
}

/* The words of a part, from the size of its records on: each section's name and, with has_names, a name in each record are those of `to`. */
static void move_names(struct btf *to, const struct btf *from, uint32_t *words, uint32_t bytes, int has_names)
{
	uint32_t n = bytes / sizeof(*words), size = n ? words[0] / sizeof(*words) : 0, at = 1;

	while (at + 2 <= n) {
		uint32_t nr = words[at + 1];

		words[at] = moved(to, from, words[at]);
		at += 2;
		for (uint32_t i = 0; i < nr && at + size <= n; i++, at += size)
			if (has_names)
				words[at + ACCESS_STR_AT] = moved(to, from, words[at + ACCESS_STR_AT]);
	}
}

/* The same without lines; the caller frees it. */
static char *slim_ext(struct btf *to, const struct btf *from, const char *ext, size_t size, size_t *ret_size)
{
	struct ext_head head;
	char *out = malloc(size);

	if (!out || size < sizeof(head))
		fail("no .BTF.ext");
	memcpy(&head, ext, sizeof(head));
	if (head.hdr_len < sizeof(head) || (uint64_t)head.hdr_len + head.func_off + head.func_len > size ||
	    (uint64_t)head.hdr_len + head.relo_off + head.relo_len > size)
		fail(".BTF.ext is not what it should be");
	memcpy(out + sizeof(head), ext + head.hdr_len + head.func_off, head.func_len);
	memcpy(out + sizeof(head) + head.func_len, ext + head.hdr_len + head.relo_off, head.relo_len);
	move_names(to, from, (uint32_t *)(out + sizeof(head)), head.func_len, 0);
	move_names(to, from, (uint32_t *)(out + sizeof(head) + head.func_len), head.relo_len, 1);
	head.hdr_len = sizeof(head);
	head.func_off = head.line_len = 0;
	head.line_off = head.relo_off = head.func_len;
	memcpy(out, &head, sizeof(head));
	*ret_size = sizeof(head) + head.func_len + head.relo_len;
	return out;
}

/* Calls each for the sections of this type. */
static void each_section(Elf *elf, uint32_t type, void (*each)(Elf_Data *data, void *arg), void *arg)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type)
			each(elf_getdata(scn, NULL), arg);
}

struct symbols {
	uint32_t *new_index; /* of each symbol; 0: it goes, but for the first */
	int is_counting;     /* or renumbering */
};

static void visit_relocs(Elf_Data *data, void *arg)
{
	struct symbols *syms = arg;
	GElf_Rel rel;

	for (int i = 0; gelf_getrel(data, i, &rel); i++) {
		uint32_t sym = GELF_R_SYM(rel.r_info);

		if (syms->is_counting) {
			syms->new_index[sym] = 1;
			continue;
		}
		rel.r_info = GELF_R_INFO(syms->new_index[sym], GELF_R_TYPE(rel.r_info));
		gelf_update_rel(data, i, &rel);
	}
}

/* Labels inside functions are local symbols without a type. */
static void drop_labels(Elf *elf)
{
	struct symbols syms = { .is_counting = 1 };
	Elf_Scn *scn = NULL;
	Elf_Data *table = NULL;
	uint32_t kept = 0, locals = 0;
	GElf_Shdr shdr;
	GElf_Sym sym;

	while (!table && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			table = elf_getdata(scn, NULL);
	syms.new_index = table ? calloc(table->d_size / sizeof(Elf64_Sym), sizeof(*syms.new_index)) : NULL;
	if (!syms.new_index)
		fail("no symbols");
	each_section(elf, SHT_REL, visit_relocs, &syms);
	for (int i = 0; gelf_getsym(table, i, &sym); i++) {
		int is_local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;

		if (i && is_local && GELF_ST_TYPE(sym.st_info) == STT_NOTYPE && !syms.new_index[i])
			continue;
		locals += is_local;
		syms.new_index[i] = kept;
		gelf_update_sym(table, (int)kept++, &sym);
	}
	table->d_size = kept * sizeof(Elf64_Sym);
	elf_flagdata(table, ELF_C_SET, ELF_F_DIRTY);
	shdr.sh_info = locals;
	gelf_update_shdr(scn, &shdr);
	syms.is_counting = 0;
	each_section(elf, SHT_REL, visit_relocs, &syms);
	free(syms.new_index);
}

static Elf_Data *section(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && !strcmp(elf_strptr(elf, names, shdr.sh_name), name))
			return elf_getdata(scn, NULL);
	return NULL;
}

static void put(Elf_Data *data, const void *bytes, size_t size)
{
	data->d_buf = (void *)bytes;
	data->d_size = size;
	elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 && elf_version(EV_CURRENT) != EV_NONE ? open(argv[1], O_RDWR) : -1;
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_RDWR, NULL);
	Elf_Data *types = elf ? section(elf, ".BTF") : NULL, *ext = types ? section(elf, ".BTF.ext") : NULL;
	struct btf *from = ext ? btf__new(types->d_buf, (uint32_t)types->d_size) : NULL, *to = btf__new_empty();
	size_t ext_size;
	char *slim;
	const void *raw;
	uint32_t size;

	if (!from || !to)
		fail("usage: bpf_slim OBJECT, one with .BTF and .BTF.ext");
	btf__set_pointer_size(to, btf__pointer_size(from));
	if (btf__add_btf(to, from) != 1)
		fail("types cannot be copied");
	slim = slim_ext(to, from, ext->d_buf, ext->d_size, &ext_size);
	raw = btf__raw_data(to, &size);
	if (!raw)
		fail("no memory");
	put(types, raw, size);
	put(ext, slim, ext_size);
	drop_labels(elf);
	if (elf_update(elf, ELF_C_WRITE) < 0)
		fail(elf_errmsg(-1));
	elf_end(elf);
	free(slim);
	btf__free(from);
	btf__free(to);
	return close(fd) != 0;
}
