/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ELF bytes to symbols: headers, symbol tables, MiniDebugInfo, PLT stubs, pclntab, build id, look-ups; of an odd size with variables, too. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf.h"
#include "elf/elfsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab tab = { .with_data = size & 1 };
	struct elf_file elf;
	uint8_t id[20];
	uint64_t at;

	if (elf_open_mem(data, size, &elf))
		return 0;
	elf_build_id(&elf, id, sizeof(id));
	if (elfsyms_load(&elf, &elf, &tab) >= 0) {
		for (uint32_t i = 0; i < tab.n && i < 100; i++) {
			const char *name = symtab_find(&tab, tab.addrs[i], &at);

			if (name && strlen(name) > tab.names_len)
				abort();
			if (name && symtab_is_data(&tab, at) && !(size & 1))
				abort();
		}
		symtab_find(&tab, 0, &at);
		symtab_find(&tab, UINT64_MAX, &at);
	}
	elf_off_to_vaddr(elf.segs, elf.nr_segs, size / 2, &at);
	symtab_free(&tab);
	elf_close(&elf);
	return 0;
}
