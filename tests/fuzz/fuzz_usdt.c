/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ELF bytes to USDT probes: every text is read to its end. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf.h"
#include "types/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int touch(void *arg, const struct usdt *probe)
{
	size_t *left = arg, n = strlen(probe->provider) + strlen(probe->name) + strlen(probe->args);

	if (n > *left)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file elf;

	if (elf_open_mem(data, size, &elf))
		return 0;
	usdt_each(&elf, touch, &size);
	elf_close(&elf);
	return 0;
}
