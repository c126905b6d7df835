/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What crt.c and arm64.c look at code with. */
#ifndef SKEP_UNWIND_CRTCODE_H
#define SKEP_UNWIND_CRTCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "unwind/crt.h"

#define CRT_CODE_MAX_BYTES (1u << 20)

/* A piece of code, and who takes its rules. */
struct crt_code {
	const uint8_t *bytes;
	uint64_t n, vaddr;
	crt_each_fn *each;
	void *arg;
};

/* Is this string at that byte of it? */
#define HAS(code, at, text) crt_has(code, at, text, sizeof(text) - 1)
static inline bool crt_has(const struct crt_code *c, uint64_t at, const char *bytes, size_t n)
{
	return at <= c->n && n <= c->n - at && !memcmp(c->bytes + at, bytes, n);
}

/* The rule of [from, to) of it. Returns what each() does. */
static inline int crt_say(const struct crt_code *c, uint64_t from, uint64_t to, const struct unwind_rule *rule)
{
	return from < to ? c->each(c->arg, c->vaddr + from, c->vaddr + to, rule) : 0;
}

/*
 * The first code of c that a signal's handler returns to, by its bytes: the C library's, or a runtime's own. The byte before is what a
 * return address is looked up by. 0, or what each() returned.
 */
int crt_say_sigreturn(const struct crt_code *c);

/* Sections whose code is all of one kind. */
struct crt_kind {
	const char *section;
	int (*each)(const struct crt_code *c);
};

/* Has each of kinds[n] look at its section, where there is one; of c only each and arg are set. 0, or what the first said else. */
int crt_each_section(const struct elf_file *elf, const struct crt_kind *kinds, size_t n, struct crt_code c);

#endif
