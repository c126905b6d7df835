/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few of the kernel's types that the relocations of a BPF object look at, as BTF of their own: libbpf reads all of the kernel's, in
 * pieces of a page, and compares each name with each that it looks for, which is most of the time to load an object.
 */
#ifndef SKEP_TYPES_BTF_SUBSET_H
#define SKEP_TYPES_BTF_SUBSET_H

#include <stddef.h>

struct btf_types;

/*
 * Types of kernel that have the name of a type of object, less what follows "___" (the flavour, libbpf.rst), and all that they hold by
 * value; what they point to is void, which relocations of fields, sizes and values of enums do not look at. Ids are not the kernel's.
 * ret_bytes: malloc'ed. 0, -ENOMEM, or -E2BIG for more than 64 MiB (a kernel's are 30 KB).
 */
int btf_subset(const struct btf_types *kernel, const struct btf_types *object, void **ret_bytes, size_t *ret_size);

#endif
