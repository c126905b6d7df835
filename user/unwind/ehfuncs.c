/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "unwind/ehfuncs.h"

#include <errno.h>
#include <stdlib.h>

#include "elf/elfpack.h"
#include "unwind/ehtable.h"

int ehfuncs_read(const struct elf_file *elf, struct spans *ret_spans)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".eh_frame");
	struct cfi_fde fde;
	struct cfi cfi;
	uint64_t size;
	char *bytes;
	int ret;

	if (!sec || !elf->is64 || (elf->machine != EM_X86_64 && elf->machine != EM_AARCH64))
		return 0;
	ret = elfpack_read_sec(elf, sec, &bytes, &size);
	if (ret)
		return ret;
	cfi_init(&cfi, eh_machine(elf), bytes, size, sec->addr);
	while ((ret = cfi_next(&cfi, &fde)) && ret != -ENOMEM) {
		if (ret < 0 || fde.end <= fde.start || !eh_text(elf, fde.start, fde.end))
			continue;
		ret = spans_add(ret_spans, fde.start, fde.end, 0);
		if (ret)
			break;
	}
	cfi_free(&cfi);
	free(bytes);
	return ret ? ret : spans_seal(ret_spans);
}
