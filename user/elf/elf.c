/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Headers, sections and notes of an ELF file. The caller owns the fd or the memory; we own the tables. */
#include "elf/elf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MAX_BYTES (512ull << 20) /* larger than any string table met so far (Chrome: 300 MB) */
#define SEGS_MAX 4096u
#define SECS_MAX (1u << 20)
#define NOTES_MAX_BYTES (1u << 20)

int elf_read_at(const struct elf_file *elf, uint64_t off, void *buf, size_t n)
{
	size_t done = 0;

	if (off > elf->size || n > elf->size - off)
		return -ERANGE;
	if (elf->fd < 0) {
		memcpy(buf, elf->mem + off, n);
		return 0;
	}
	while (done < n) {
		ssize_t got = pread(elf->fd, (char *)buf + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return -ERANGE; /* cut since it was opened */
		done += (size_t)got;
	}
	return 0;
}

int elf_read(const struct elf_file *elf, uint64_t off, uint64_t n, char **ret_bytes)
{
	char *p;
	int ret;

	if (n > READ_MAX_BYTES || off > elf->size || n > elf->size - off)
		return -ERANGE;
	p = malloc(n + 1);
	if (!p)
		return -ENOMEM;
	ret = elf_read_at(elf, off, p, n);
	if (ret) {
		free(p);
		return ret;
	}
	p[n] = '\0';
	*ret_bytes = p;
	return 0;
}

int elf_read_code(const struct elf_file *elf, uint64_t vaddr, uint64_t n, char **ret_bytes)
{
	for (uint32_t i = 0; i < elf->nr_segs; i++) {
		const struct elf_seg *s = &elf->segs[i];

		if (s->type == PT_LOAD && s->flags & PF_X && vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz &&
		    n <= s->filesz - (vaddr - s->vaddr))
			return elf_read(elf, s->off + (vaddr - s->vaddr), n, ret_bytes);
	}
	return -ERANGE;
}

int elf_read_sec(const struct elf_file *elf, const struct elf_sec *sec, char **ret_bytes)
{
	if (sec->type == SHT_NOBITS || (sec->flags & SHF_COMPRESSED))
		return -ENODATA;
	return elf_read(elf, sec->off, sec->size, ret_bytes);
}

static int read_segs(struct elf_file *elf, uint64_t off, uint32_t n, uint32_t entsize)
{
	size_t want = elf->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	char *raw;
	int ret;

	if (!n)
		return 0;
	if (n > SEGS_MAX || entsize != want)
		return -ENOEXEC;
	ret = elf_read(elf, off, (uint64_t)n * want, &raw);
	if (ret)
		return ret;
	elf->segs = calloc(n, sizeof(*elf->segs));
	if (!elf->segs) {
		free(raw);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct elf_seg *s = &elf->segs[i];

		if (elf->is64) {
			Elf64_Phdr p;

			memcpy(&p, raw + i * sizeof(p), sizeof(p));
			*s = (struct elf_seg){ p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz, p.p_type, p.p_flags };
		} else {
			Elf32_Phdr p;

			memcpy(&p, raw + i * sizeof(p), sizeof(p));
			*s = (struct elf_seg){ p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz, p.p_type, p.p_flags };
		}
	}
	elf->nr_segs = n;
	free(raw);
	return 0;
}

static void read_sec(const struct elf_file *elf, const char *raw, uint32_t i, struct elf_sec *s, uint32_t *ret_name)
{
	if (elf->is64) {
		Elf64_Shdr h;

		memcpy(&h, raw + i * sizeof(h), sizeof(h));
		*s = (struct elf_sec){ "",	     h.sh_flags, h.sh_addr, h.sh_offset, h.sh_size,
				       h.sh_entsize, h.sh_type,	 h.sh_link, h.sh_info };
		*ret_name = h.sh_name;
	} else {
		Elf32_Shdr h;

		memcpy(&h, raw + i * sizeof(h), sizeof(h));
		*s = (struct elf_sec){ "",	     h.sh_flags, h.sh_addr, h.sh_offset, h.sh_size,
				       h.sh_entsize, h.sh_type,	 h.sh_link, h.sh_info };
		*ret_name = h.sh_name;
	}
}

/* Section names come from a second pass, since the string table is a section itself. */
static int name_secs(struct elf_file *elf, const uint32_t *names, uint32_t strndx)
{
	uint64_t len;
	int ret;

	if (strndx >= elf->nr_secs)
		return 0;
	len = elf->secs[strndx].size;
	ret = elf_read_sec(elf, &elf->secs[strndx], &elf->shstr);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	for (uint32_t i = 0; i < elf->nr_secs; i++)
		if (names[i] < len)
			elf->secs[i].name = elf->shstr + names[i];
	return 0;
}

static int read_secs(struct elf_file *elf, uint64_t off, uint32_t n, uint32_t entsize, uint32_t strndx)
{
	size_t want = elf->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint32_t *names = NULL;
	struct elf_sec first;
	uint32_t name;
	char *raw;
	int ret;

	if (!off || entsize != want)
		return 0; /* no section table is legal */
	if (!n || strndx == SHN_XINDEX) {
		/* More than SHN_LORESERVE sections: the real numbers are in section 0. */
		ret = elf_read(elf, off, want, &raw);
		if (ret)
			return 0;
		read_sec(elf, raw, 0, &first, &name);
		free(raw);
		n = n ? n : (uint32_t)first.size;
		strndx = strndx == SHN_XINDEX ? first.link : strndx;
	}
	if (!n || n > SECS_MAX)
		return 0;
	ret = elf_read(elf, off, (uint64_t)n * want, &raw);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	elf->secs = calloc(n, sizeof(*elf->secs));
	names = calloc(n, sizeof(*names));
	if (!elf->secs || !names) {
		free(names);
		free(raw);
		return -ENOMEM;
	}
	elf->nr_secs = n;
	for (uint32_t i = 0; i < n; i++)
		read_sec(elf, raw, i, &elf->secs[i], &names[i]);
	free(raw);
	ret = name_secs(elf, names, strndx);
	free(names);
	return ret;
}

static int read_headers(struct elf_file *elf)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr h;
	int ret;

	if (elf_read_at(elf, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_DATA] != ELFDATA2LSB || (ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32))
		return -ENOEXEC;
	elf->is64 = ident[EI_CLASS] == ELFCLASS64;
	if (elf->is64) {
		if (elf_read_at(elf, 0, &h, sizeof(h)))
			return -ENOEXEC;
	} else {
		Elf32_Ehdr n;

		if (elf_read_at(elf, 0, &n, sizeof(n)))
			return -ENOEXEC;
		h = (Elf64_Ehdr){ .e_type = n.e_type,
				  .e_machine = n.e_machine,
				  .e_phoff = n.e_phoff,
				  .e_shoff = n.e_shoff,
				  .e_phentsize = n.e_phentsize,
				  .e_phnum = n.e_phnum,
				  .e_shentsize = n.e_shentsize,
				  .e_shnum = n.e_shnum,
				  .e_shstrndx = n.e_shstrndx };
	}
	elf->type = h.e_type;
	elf->machine = h.e_machine;
	ret = read_segs(elf, h.e_phoff, h.e_phnum, h.e_phentsize);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOEXEC;
	return read_secs(elf, h.e_shoff, h.e_shnum, h.e_shentsize, h.e_shstrndx);
}

static int open_any(int fd, const void *mem, uint64_t size, struct elf_file *ret_elf)
{
	struct elf_file elf = { .fd = fd, .mem = mem, .size = size };
	int ret = read_headers(&elf);

	if (ret)
		elf_close(&elf);
	else
		*ret_elf = elf;
	return ret;
}

int elf_open_fd(int fd, struct elf_file *ret_elf)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < 0)
		return -ENOEXEC;
	return open_any(fd, NULL, (uint64_t)st.st_size, ret_elf);
}

int elf_open_mem(const void *mem, size_t size, struct elf_file *ret_elf)
{
	return open_any(-1, mem, size, ret_elf);
}

void elf_close(struct elf_file *elf)
{
	free(elf->segs);
	free(elf->secs);
	free(elf->shstr);
	*elf = (struct elf_file){ .fd = -1 };
}

const struct elf_sec *elf_sec_by_name(const struct elf_file *elf, const char *name)
{
	for (uint32_t i = 0; i < elf->nr_secs; i++)
		if (elf->secs[i].type != SHT_NOBITS && !strcmp(elf->secs[i].name, name))
			return &elf->secs[i];
	return NULL;
}

const struct elf_sec *elf_sec_by_type(const struct elf_file *elf, uint32_t type)
{
	for (uint32_t i = 0; i < elf->nr_secs; i++)
		if (elf->secs[i].type == type)
			return &elf->secs[i];
	return NULL;
}

size_t elf_sym_size(const struct elf_file *elf)
{
	return elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

void elf_sym_at(const struct elf_file *elf, const char *bytes, size_t i, struct elf_sym *ret_sym)
{
	/* The bits of st_info are the same in both classes. */
	if (elf->is64) {
		Elf64_Sym s;

		memcpy(&s, bytes + i * sizeof(s), sizeof(s));
		*ret_sym = (struct elf_sym){ s.st_value, s.st_size, s.st_name, s.st_shndx,
					     ELF64_ST_TYPE(s.st_info), ELF64_ST_BIND(s.st_info),
					     ELF64_ST_VISIBILITY(s.st_other) };
	} else {
		Elf32_Sym s;

		memcpy(&s, bytes + i * sizeof(s), sizeof(s));
		*ret_sym = (struct elf_sym){ s.st_value, s.st_size, s.st_name, s.st_shndx,
					     ELF64_ST_TYPE(s.st_info), ELF64_ST_BIND(s.st_info),
					     ELF64_ST_VISIBILITY(s.st_other) };
	}
}

int elf_note_build_id(const char *notes, size_t size, uint8_t *ret_id, size_t max)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf32_Nhdr)) {
		Elf32_Nhdr n; /* the same in both classes */
		size_t name, desc;

		memcpy(&n, notes + at, sizeof(n));
		at += sizeof(n);
		if (n.n_namesz > size - at)
			return 0;
		name = at;
		desc = at + ((n.n_namesz + 3ull) & ~3ull);
		if (desc > size || n.n_descsz > size - desc)
			return 0;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && n.n_descsz) {
			size_t len = n.n_descsz < max ? n.n_descsz : max;

			memcpy(ret_id, notes + desc, len);
			return (int)len;
		}
		at = desc + ((n.n_descsz + 3ull) & ~3ull);
		if (at > size)
			return 0;
	}
	return 0;
}

static int build_id_at(const struct elf_file *elf, uint64_t off, uint64_t size, uint8_t *ret_id, size_t max)
{
	char *notes;
	int len;

	if (size > NOTES_MAX_BYTES || elf_read(elf, off, size, &notes))
		return 0;
	len = elf_note_build_id(notes, size, ret_id, max);
	free(notes);
	return len;
}

int elf_build_id(const struct elf_file *elf, uint8_t *ret_id, size_t max)
{
	int len;

	/* Sections first: in a separate debug file the offsets of segments point nowhere. */
	for (uint32_t i = 0; i < elf->nr_secs; i++) {
		if (elf->secs[i].type != SHT_NOTE)
			continue;
		len = build_id_at(elf, elf->secs[i].off, elf->secs[i].size, ret_id, max);
		if (len)
			return len;
	}
	for (uint32_t i = 0; i < elf->nr_segs; i++) {
		if (elf->segs[i].type != PT_NOTE)
			continue;
		len = build_id_at(elf, elf->segs[i].off, elf->segs[i].filesz, ret_id, max);
		if (len)
			return len;
	}
	return 0;
}

bool elf_vaddr_to_off(const struct elf_file *elf, uint64_t vaddr, uint64_t *ret_off)
{
	for (uint32_t i = 0; i < elf->nr_segs; i++) {
		const struct elf_seg *s = &elf->segs[i];

		if (s->type == PT_LOAD && vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz) {
			*ret_off = vaddr - s->vaddr + s->off;
			return true;
		}
	}
	return false;
}

bool elf_off_to_vaddr(const struct elf_seg *segs, uint32_t nr_segs, uint64_t off, uint64_t *ret_vaddr)
{
	const struct elf_seg *near = NULL;

	for (uint32_t i = 0; i < nr_segs; i++) {
		const struct elf_seg *s = &segs[i];

		if (s->type != PT_LOAD)
			continue;
		if (off >= s->off && off - s->off < s->filesz) {
			*ret_vaddr = off - s->off + s->vaddr;
			return true;
		}
		/* The rest of the last page is mapped too: of code, or of variables that the file has no bytes of. */
		if (off >= s->off && (s->flags & PF_X ? off - s->off < ((s->filesz + 0xfff) & ~0xfffull) + 0x1000 :
							off - s->off < s->memsz && (off & ~0xfffull) < s->off + s->filesz))
			near = s;
	}
	if (!near)
		return false;
	*ret_vaddr = off - near->off + near->vaddr;
	return true;
}
