/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Machine code as text, by libcapstone: x86 (32 and 64 bit) and AArch64. In: bytes of code; out: an instruction after the other. */
#ifndef SKEP_UNWIND_DISASM_H
#define SKEP_UNWIND_DISASM_H

#include <stdbool.h>
#include <stdint.h>

enum disasm_kind { DISASM_OTHER, DISASM_JUMP, DISASM_CALL, DISASM_RET };

struct disasm_insn {
	uint64_t addr;
	const uint8_t *raw;
	uint32_t bytes;
	enum disasm_kind kind;
	const char *name;     /* "mov"; "(unknown)" of one that libcapstone lacks; "(bad)" of what begins none */
	const char *operands; /* "" for none. Of a direct jump or call without its target, but with what is before that: "x0, " */
	bool is_direct;	      /* target is where a jump or a call goes */
	bool has_data;	      /* target is what an operand relative to the instruction's address points to */
	uint64_t target;
};

struct disasm_code {
	uint16_t machine; /* EM_X86_64, EM_386, EM_AARCH64 */
	bool intel;	  /* x86: Intel's syntax, else AT&T's */
	const uint8_t *bytes;
	uint64_t n, addr; /* of the first byte */
};

/* True if this skep was built with libcapstone, and the library is there. */
bool disasm_works(void);

/*
 * Calls each() for every instruction; its strings are valid during the call. 0, what each() returned, -ENOTSUP (another machine, no
 * libcapstone) or -ENOMEM.
 */
int disasm_each(const struct disasm_code *code, int (*each)(void *arg, const struct disasm_insn *i), void *arg);

#endif
