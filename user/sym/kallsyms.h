/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of /proc/kallsyms. The kernel takes 35 to 45 ms to print it, however little of it is read, so a
 * command that will need it has it read beside its own start.
 */
#ifndef SKEP_SYM_KALLSYMS_H
#define SKEP_SYM_KALLSYMS_H

#include <stddef.h>

/* Starts to read root/kallsyms (NULL: /proc) in a thread, for the next kallsyms_read. Once per process. */
void kallsyms_prefetch(void);

/* The text, NUL-terminated; the caller frees. 0 or -errno. root: "/proc" or a test's. */
int kallsyms_read(const char *root, char **ret_text, size_t *ret_n);

/* The same of a copy; or the names that an image of the kernel has (vmlinux.h). */
int kallsyms_file(const char *path, char **ret_text, size_t *ret_n);

#endif
