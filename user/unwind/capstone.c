/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "unwind/capstone.h"

#ifdef HAVE_CAPSTONE
#include "util/library.h"

#define TEXT_OF(number) #number
#define SONAME(version) "libcapstone.so." TEXT_OF(version)

const struct capstone *capstone_open(void)
{
	static struct capstone c;
	const struct library_symbol symbols[] = {
		{ &c.open, "cs_open" },		  { &c.close, "cs_close" },	{ &c.malloc, "cs_malloc" },	  { &c.free, "cs_free" },
		{ &c.next, "cs_disasm_iter" },	  { &c.option, "cs_option" },	{ &c.group, "cs_insn_group" },	  { &c.insn_name, "cs_insn_name" },
	};
	static bool is_open;

	if (!is_open)
		is_open = library_open(SONAME(CS_API_MAJOR), symbols, sizeof(symbols) / sizeof(symbols[0]));
	return is_open ? &c : NULL;
}
#endif
