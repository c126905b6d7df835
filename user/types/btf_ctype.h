/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BTF as the C types of ctype.h; ids are BTF's. What is broken (loops of typedefs, arrays that have themselves in them) is -ENOENT.
 * Integers are CTYPE_CHAR when they are called "char" of any signedness, not when they are u8 or s8 (__u8, uint8_t, ...): the id of
 * such a number is its typedef's, so that it stays one. Declared only (FWD) is CTYPE_OTHER. Bit fields of more than 64 bits are cut
 * at 64.
 */
#ifndef SKEP_TYPES_BTF_CTYPE_H
#define SKEP_TYPES_BTF_CTYPE_H

#include "types/btf.h"
#include "types/ctype.h"

/*
 * btf is borrowed until btf_ctypes_free(), and so is base: the types of what btf goes on from, where find() looks last, or NULL.
 * The first find() makes an index of names. 0 or -ENOMEM.
 */
int btf_ctypes_new(const struct btf_types *btf, struct ctypes *base, struct ctypes **ret_types);
void btf_ctypes_free(struct ctypes *types);

/* The prototype of the function (BTF_KIND_FUNC) id with its parameters' places; types: btf_ctypes_new()'s. 0 or -ENOENT. */
int btf_ctypes_func(struct ctypes *types, uint32_t id, struct cfunc *ret_func);

#endif
