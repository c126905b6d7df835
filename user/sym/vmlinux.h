/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the kernel from its image, where there is no copy of /proc/kallsyms. The file may be hostile. */
#ifndef SKEP_SYM_VMLINUX_H
#define SKEP_SYM_VMLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool vmlinux_is(const char *path); /* an ELF file */

/* Its symbols of code as the lines of kallsyms, by address, which the caller frees. 0; -ENODATA: it has none; or another -errno. */
int vmlinux_names(const char *path, char **ret_text, size_t *ret_n);

/* NT_GNU_BUILD_ID: how many bytes; 0: it has none, or is no ELF file. */
int vmlinux_build_id(const char *path, uint8_t *ret_id, size_t max);

#endif
