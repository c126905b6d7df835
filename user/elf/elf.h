/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reader of ELF files that may be hostile or change under us: every offset is checked against the
 * size at open, and bytes are copied by pread (a mapping of a file that is cut gives SIGBUS).
 * Little endian, 32 and 64 bit, widened to 64. Facts: System V gABI, elf(5).
 */
#ifndef SKEP_ELF_ELF_H
#define SKEP_ELF_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_seg {
	uint64_t off, vaddr, filesz, memsz;
	uint32_t type, flags;
};

struct elf_sec {
	const char *name; /* in elf_file.shstr, never NULL */
	uint64_t flags, addr, off, size, entsize;
	uint32_t type, link, info;
};

struct elf_file {
	int fd;		    /* -1: mem */
	const uint8_t *mem; /* borrowed */
	uint64_t size;
	bool is64;
	uint16_t type, machine;
	struct elf_seg *segs;
	struct elf_sec *secs;
	uint32_t nr_segs, nr_secs;
	char *shstr;
};

struct elf_sym {
	uint64_t value, size;
	uint32_t name;
	uint16_t shndx;
	uint8_t type, bind, visibility;
};

/* Both borrow what they read from until elf_close. 0, or -ENOEXEC (no ELF, or a broken one), -ENOMEM, -errno of the read. */
int elf_open_fd(int fd, struct elf_file *ret_elf);
int elf_open_mem(const void *mem, size_t size, struct elf_file *ret_elf);
void elf_close(struct elf_file *elf);

/* First section of this name that has bytes in the file, or NULL. */
const struct elf_sec *elf_sec_by_name(const struct elf_file *elf, const char *name);
const struct elf_sec *elf_sec_by_type(const struct elf_file *elf, uint32_t type);

/* Copies n bytes at off into malloc'ed memory followed by a NUL. -ERANGE when not inside the file or absurdly large. */
int elf_read(const struct elf_file *elf, uint64_t off, uint64_t n, char **ret_bytes);
int elf_read_at(const struct elf_file *elf, uint64_t off, void *buf, size_t n); /* the same, into n bytes of the caller's */
/* The n bytes of code at vaddr, likewise: -ERANGE when an executable segment does not have all of them in the file. */
int elf_read_code(const struct elf_file *elf, uint64_t vaddr, uint64_t n, char **ret_bytes);
int elf_read_sec(const struct elf_file *elf, const struct elf_sec *sec, char **ret_bytes);

/* The i-th entry of a symbol table's bytes. */
void elf_sym_at(const struct elf_file *elf, const char *bytes, size_t i, struct elf_sym *ret_sym);
size_t elf_sym_size(const struct elf_file *elf);

/* NT_GNU_BUILD_ID: writes at most max bytes and returns the size, 0 when there is none. */
int elf_build_id(const struct elf_file *elf, uint8_t *ret_id, size_t max);

/* The same for a block of notes (also /sys/kernel/notes). */
int elf_note_build_id(const char *notes, size_t size, uint8_t *ret_id, size_t max);

/* Virtual address to file offset, by the PT_LOAD that holds it; false: none of it is in the file. */
bool elf_vaddr_to_off(const struct elf_file *elf, uint64_t vaddr, uint64_t *ret_off);

/* File offset to virtual address by the PT_LOAD that holds it. */
bool elf_off_to_vaddr(const struct elf_seg *segs, uint32_t nr_segs, uint64_t off, uint64_t *ret_vaddr);

#endif
