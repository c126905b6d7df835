/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Look-ups in the kernel's own symbol table, answered in place. */
#ifndef SKEP_BPF_KSYM_H
#define SKEP_BPF_KSYM_H

#include <linux/types.h>

#define KSYM_TEXT_BYTES 640 /* KSYM_SYMBOL_LEN of Linux 6.1 and later, rounded up */
#define KSYM_NAME_BYTES 32

struct ksym_io {
	__u64 addr;		     /* of the question, or of the answer; 0: not known */
	char name[KSYM_NAME_BYTES];  /* the question, with its NUL */
	__u64 n;		     /* of ksym_code: bytes of memory, at most KSYM_TEXT_BYTES, into text */
	char text[KSYM_TEXT_BYTES];  /* "name+0x12/0x34 [module]", or a number where there is no symbol */
};

#endif
