/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Perf map text in two pieces, the second as if appended later; what is found must hold the address. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap_limits limits = PERFMAP_LIMITS;
	struct perfmap *map = perfmap_new("/nonexistent", 1u << 31, true, &limits);
	const char *text = (const char *)data;
	const uint8_t *eol = size ? memchr(data + size / 2, '\n', size - size / 2) : NULL;
	size_t half = eol ? (size_t)(eol - data) + 1 : size;

	if (!map)
		return 0;
	perfmap_text(map, text, half);
	for (uint64_t at = 0; at < 0x200; at += 7) {
		uint64_t start;
		size_t n;

		if (perfmap_find(map, at, &start, &n) && (start > at || !n))
			abort();
		if (at == 0x100 - 0x100 % 7)
			perfmap_text(map, text + half, size - half);
	}
	perfmap_free(map);
	return 0;
}
