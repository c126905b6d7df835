/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "unwind/capstone.h"

#ifdef HAVE_CAPSTONE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define TEXT_OF(number) #number
#define SONAME(version) "libcapstone.so." TEXT_OF(version)

const struct capstone *capstone_open(void)
{
	static struct capstone c;
	static bool is_open;
	void *lib;

	if (is_open)
		return &c;
	lib = dlopen(SONAME(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return NULL;
	c.open = (__typeof__(c.open))dlsym(lib, "cs_open");
	c.close = (__typeof__(c.close))dlsym(lib, "cs_close");
	c.malloc = (__typeof__(c.malloc))dlsym(lib, "cs_malloc");
	c.free = (__typeof__(c.free))dlsym(lib, "cs_free");
	c.next = (__typeof__(c.next))dlsym(lib, "cs_disasm_iter");
	c.option = (__typeof__(c.option))dlsym(lib, "cs_option");
	c.group = (__typeof__(c.group))dlsym(lib, "cs_insn_group");
	c.insn_name = (__typeof__(c.insn_name))dlsym(lib, "cs_insn_name");
	is_open = c.open && c.close && c.malloc && c.free && c.next && c.option && c.group && c.insn_name;
	return is_open ? &c : NULL;
}
#endif
