/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The caller's memory, of which pieces were read. */
#include <string.h>

#include "calls/decode.h"

static const struct call_piece *find(const struct decode *d, uint64_t addr, size_t n, bool before)
{
	for (uint32_t i = d->e->nr_pieces; i-- > 0;) {
		const struct call_piece *p = &d->e->pieces[i];

		if (!p->is_fault && (!before || p->is_entry) && addr >= p->addr && addr - p->addr <= p->size && n <= p->size - (addr - p->addr))
			return p;
	}
	return NULL;
}

bool memory_get(const struct decode *d, uint64_t addr, void *to, size_t n)
{
	const struct call_piece *p = addr ? find(d, addr, n, false) : NULL;

	if (p)
		memcpy(to, (const char *)p->bytes + (addr - p->addr), n);
	return p;
}

bool memory_before(const struct decode *d, uint64_t addr, void *to, size_t n)
{
	const struct call_piece *p = addr ? find(d, addr, n, true) : NULL;

	if (p)
		memcpy(to, (const char *)p->bytes + (addr - p->addr), n);
	return p;
}

const char *memory_some(const struct decode *d, uint64_t addr, size_t n, size_t *ret_n)
{
	const struct call_piece *best = NULL;

	for (uint32_t i = d->e->nr_pieces; i-- > 0;) {
		const struct call_piece *p = &d->e->pieces[i];

		if (p->is_fault || addr < p->addr || addr - p->addr >= p->size)
			continue;
		if (!best || p->addr + p->size > best->addr + best->size)
			best = p;
		if (p->size - (addr - p->addr) >= n)
			break;
	}
	if (!best)
		return NULL;
	*ret_n = best->size - (addr - best->addr);
	if (*ret_n > n)
		*ret_n = n;
	return (const char *)best->bytes + (addr - best->addr);
}

bool memory_word(const struct decode *d, uint64_t addr, uint64_t *ret_word)
{
	*ret_word = 0; /* little-endian */
	return memory_get(d, addr, ret_word, word_bytes(d));
}
