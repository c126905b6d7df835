/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions and types of a program from its DWARF, by libdw. Types and the order of parameters are DWARF's; where a parameter is,
 * is the ABI's (cfunc_place): at -O0 DWARF names a place in the frame that is not written yet at the function's entry.
 */
#ifndef SKEP_TYPES_DWARF_H
#define SKEP_TYPES_DWARF_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf.h"
#include "types/ctype.h"

/*
 * Its first member is the struct ctypes of the types in it: cast the pointer. The first find(), and the first get() of a type that
 * its unit only declares, walk all units for an index of names. Names are as DWARF has them ("long unsigned int"), with all that
 * is around them ("geo::Point") or nothing of it; CTYPE_OTHER finds structs and enums too where the language is not C. References are
 * CTYPE_PTR, vectors CTYPE_FLOAT. Bytes called uint8_t, u8... are CTYPE_INT by their typedef's id, as in btf_ctype.h. Not seen: what
 * Rust's enums with values have in them, and virtual base classes.
 */
struct dwarf_types;

/*
 * Opens the DWARF of an open file, or that of its separate debug file. elf (a file, borrowed until dwarf_close), path: the file's,
 * absolute. 0, -ENODATA when there is none, -ENOTSUP when skep was built without libdw, or -ENOMEM.
 */
int dwarf_open(const struct elf_file *elf, const char *path, struct dwarf_types **ret_dwarf);
void dwarf_close(struct dwarf_types *dwarf);

/*
 * The prototype, with places, of the function that is entered at addr (of the file, not of a process). C++'s this is the first
 * parameter, and is named so. A compiler's clone (f.isra.0) has the parameters of the original: nobody can trust its places.
 * 0, -ENOENT, or -ENODATA when there are no types in its unit (-g1).
 */
int dwarf_func(struct dwarf_types *dwarf, uint64_t addr, struct cfunc *ret_func);

/*
 * What there is of functions of that name, plain ("push_back") or as linked: *ret_calls are inlined into others. Returns 1 when
 * there is one with code of its own, 0 when not; -ENOENT when neither, or -ENOMEM. Slow: it looks at all code of the file.
 */
int dwarf_find_inlined(struct dwarf_types *dwarf, const char *name, size_t len, uint32_t *ret_calls);

#endif
