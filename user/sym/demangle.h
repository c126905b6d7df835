/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names as programmers wrote them: C++, Rust and D, by libiberty. */
#ifndef SKEP_SYM_DEMANGLE_H
#define SKEP_SYM_DEMANGLE_H

#define SYM_NAME_MAX_BYTES 4096u /* of a name, mangled or not */

/* The readable form, in malloc'ed memory, or NULL when name is not mangled (or skep was built without libiberty). */
char *demangle(const char *name);

#endif
