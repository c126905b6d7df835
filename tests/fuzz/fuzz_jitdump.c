/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A dump of a JIT's code: what is found must hold the address, all of its bytes must be there, and lines must end. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	volatile uint8_t sum = 0; /* has all bytes read */
	struct jitdump *d;

	if (jitdump_parse(data, size, &d))
		return 0;
	for (uint64_t at = 0x1000; at < 0x1100; at += 3) {
		const struct jitdump_code *c = jitdump_find(d, 150, at);
		const char *file;
		uint32_t line;

		if (!c)
			continue;
		if (at - c->addr >= c->size)
			abort();
		for (uint64_t i = 0; i < c->size; i++)
			sum += c->bytes[i];
		if (jitdump_line(d, c, at, &file, &line))
			sum += (uint8_t)strlen(file);
	}
	(void)sum;
	jitdump_free(d);
	return 0;
}
