/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sections that may be compressed (System V gABI, "Section Compression"): zlib, and zstd where it was built in. */
#ifndef SKEP_ELF_ELFPACK_H
#define SKEP_ELF_ELFPACK_H

#include "elf/elf.h"

/* The unpacked bytes of a section, malloc'ed. 0; -ENODATA: none in the file, or another method; -EBADMSG: broken; as elf_read. */
int elfpack_read_sec(const struct elf_file *elf, const struct elf_sec *sec, char **ret_bytes, uint64_t *ret_size);

#endif
