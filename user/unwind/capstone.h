/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libcapstone, opened when it is needed: its tables are 3 MB and 80,000 relocations, which every start of skep would have. */
#ifndef SKEP_UNWIND_CAPSTONE_H
#define SKEP_UNWIND_CAPSTONE_H

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>

struct capstone {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm_iter) *next;
	__typeof__(cs_option) *option;
	__typeof__(cs_insn_group) *group;
	__typeof__(cs_insn_name) *insn_name;
};

/* NULL: the library is not installed. */
const struct capstone *capstone_open(void);
#endif

#endif
