/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Any bytes as code of each machine, in each syntax: instructions follow each other without a gap, and their text ends. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/disasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t next;
	size_t text;
};

static int look(void *arg, const struct disasm_insn *i)
{
	struct seen *s = arg;

	if (i->addr != s->next || !i->bytes)
		abort();
	s->next = i->addr + i->bytes;
	s->text += strlen(i->name) + strlen(i->operands);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64 };

	for (size_t k = 0; k < 2 * sizeof(machines) / sizeof(*machines) && size; k++) {
		struct disasm_code code = { machines[k / 2], k % 2, data, size, 0xffffffff81000000 };
		struct seen s = { code.addr, 0 };

		if (!disasm_each(&code, look, &s) && s.next != code.addr + size)
			abort();
	}
	return 0;
}
