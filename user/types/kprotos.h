/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prototypes of kernel functions by name, from the BTF of the kernel and its modules. Files are opened and indexed when they are
 * first requested: 3 ms for the kernel's, then a look-up takes less than 1 us.
 */
#ifndef SKEP_TYPES_KPROTOS_H
#define SKEP_TYPES_KPROTOS_H

#include <stdint.h>

#include "types/ctype.h"

struct kprotos;

/* Opens nothing yet. 0 or -ENOMEM. */
int kprotos_open(struct kprotos **ret_kprotos);
/* dir instead of /sys/kernel/btf, for tests: its vmlinux, and a file of each module's name. Borrowed until kprotos_close. */
int kprotos_open_at(const char *dir, struct kprotos **ret_kprotos);
void kprotos_close(struct kprotos *k);

/*
 * The function of a module, or of the core (NULL, "vmlinux"). ret_types lives until kprotos_close; ret_btf_id is the function's,
 * as the kernel counts them in that file. With is_ambiguous set several functions have that name: the first one is returned.
 * 0, or
 * -ENOENT      the types of the core, or of that module, have no such function
 * -EREMCHG     an optimised copy (".isra.0", ".constprop.0", ".part.0", ".cold"): its parameters need not be those of the source
 * -EOPNOTSUPP  the kernel, or that module, has no BTF
 * -EBADMSG     what it has is none
 * -ENOMEM, or -errno of opening the file.
 * A suffix that leaves parameters alone (".llvm.1", ".lto_priv.0") is looked up without it. System calls' __x64_sys_* take the one
 * struct pt_regs * that BTF says.
 */
int kprotos_func(struct kprotos *k, const char *module, const char *name, struct cfunc *ret_func, struct ctypes **ret_types,
		 uint32_t *ret_btf_id);

/* The types of the core or a module, for casts and sizes. 0 or as kprotos_func(). */
int kprotos_types(struct kprotos *k, const char *module, struct ctypes **ret_types);

#endif
