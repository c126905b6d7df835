/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sorted symbols and their search. */
#include "elf/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RAW_MAX (1u << 26)
#define NAMES_LEAST_BYTES 4096u
#define LAST_MASK 0xfffull
#define OUTER_MAX_STEPS 64 /* hostile files nest deeper; nobody else does */

void symtab_free(struct symtab *tab)
{
	free(tab->addrs);
	free(tab->entries);
	free(tab->guide);
	free(tab->raw);
	free(tab->names);
	*tab = (struct symtab){ 0 };
}

int symtab_names(struct symtab *tab, const char *bytes, size_t n, uint32_t *ret_at)
{
	size_t need = tab->names_len + n + 1;

	if (n >= UINT32_MAX || need > UINT32_MAX)
		return -E2BIG;
	if (need > tab->names_cap) {
		/* The first block is mostly a whole string table, and little is added to it: no slack for it, then an eighth. */
		size_t cap = tab->names_cap ? need + need / 8 + NAMES_LEAST_BYTES : need;
		char *p = realloc(tab->names, cap);

		if (!p)
			return -ENOMEM;
		tab->names = p;
		tab->names_cap = cap;
	}
	memcpy(tab->names + tab->names_len, bytes, n);
	tab->names[tab->names_len + n] = '\0';
	*ret_at = (uint32_t)tab->names_len;
	tab->names_len = need;
	return 0;
}

int symtab_add(struct symtab *tab, uint64_t addr, uint64_t size, uint32_t name, unsigned int rank,
	       enum symbol_size how)
{
	if (tab->nr_raw == tab->cap_raw) {
		uint32_t cap = tab->cap_raw ? tab->cap_raw * 2 : 1024;
		struct symtab_raw *p;

		if (cap > RAW_MAX)
			return -E2BIG;
		p = realloc(tab->raw, cap * sizeof(*p));
		if (!p)
			return -ENOMEM;
		tab->raw = p;
		tab->cap_raw = cap;
	}
	tab->raw[tab->nr_raw] = (struct symtab_raw){ addr, size, name, (uint8_t)rank, (uint8_t)how, false };
	tab->nr_raw++;
	return 0;
}

static unsigned int underscores(const char *s)
{
	unsigned int n = 0;

	while (s[n] == '_')
		n++;
	return n;
}

/* True if a is the better name. perf 6.1 takes the longest last (seen with three aliases of one function). */
static bool is_better(const struct symtab *tab, const struct symtab_raw *a, const struct symtab_raw *b)
{
	const char *x = tab->names + a->name, *y = tab->names + b->name;
	unsigned int ux, uy;
	size_t nx, ny;

	if (a->rank != b->rank)
		return a->rank > b->rank;
	ux = underscores(x);
	uy = underscores(y);
	if (ux != uy)
		return ux < uy;
	nx = strlen(x);
	ny = strlen(y);
	return nx > ny;
}

#define DIGIT_BITS 11

/*
 * By address; of equals the one that was added first stays first. A radix sort by the bits in which addresses differ: of 100,000 symbols a
 * quarter of qsort's time, which was a third of the time that reading an object's symbols takes.
 */
static int sort_raw(struct symtab *tab)
{
	struct symtab_raw *from = tab->raw, *to;
	uint64_t differ = 0;
	bool sorted = true;

	for (uint32_t i = 1; i < tab->nr_raw; i++) {
		differ |= from[i].addr ^ from[0].addr;
		sorted = sorted && from[i - 1].addr <= from[i].addr;
	}
	if (sorted)
		return 0;
	to = malloc(tab->nr_raw * sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (unsigned int shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
		uint32_t starts[(1 << DIGIT_BITS) + 1] = { 0 }, mask = (1 << DIGIT_BITS) - 1;
		struct symtab_raw *swap = from;

		if (!(differ >> shift & mask))
			continue;
		for (uint32_t i = 0; i < tab->nr_raw; i++)
			starts[(from[i].addr >> shift & mask) + 1]++;
		for (uint32_t i = 1; i <= mask; i++)
			starts[i] += starts[i - 1];
		for (uint32_t i = 0; i < tab->nr_raw; i++)
			to[starts[from[i].addr >> shift & mask]++] = from[i];
		from = to;
		to = swap;
	}
	free(to);
	tab->raw = from;
	tab->cap_raw = tab->nr_raw;
	return 0;
}

static uint64_t end_of(const struct symtab_raw *r, uint64_t next)
{
	uint64_t end;

	switch (r->how) {
	case SIZE_TO_NEXT:
		return next < r->addr ? UINT64_MAX : next;
	case SIZE_KNOWN:
		return __builtin_add_overflow(r->addr, r->size, &end) ? UINT64_MAX : end;
	case SIZE_EXACT:
		return r->addr == UINT64_MAX ? UINT64_MAX : r->addr + 1;
	default:
		return r->addr;
	}
}

/* Keeps the best of each address, in place. */
static void unique(struct symtab *tab)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < tab->nr_raw; i++) {
		struct symtab_raw *last = n ? &tab->raw[n - 1] : NULL;

		if (!last || last->addr != tab->raw[i].addr)
			tab->raw[n++] = tab->raw[i];
		else if (last->how == SIZE_STOP || (tab->raw[i].how != SIZE_STOP && is_better(tab, &tab->raw[i], last)))
			*last = tab->raw[i];
	}
	tab->nr_raw = n;
}

/* Divides the addresses into stretches, one for every two symbols: where these are spread evenly, a search is among a few of them. */
static int make_guide(struct symtab *tab)
{
	uint64_t span = tab->n ? tab->addrs[tab->n - 1] - tab->addrs[0] : 0;
	uint32_t nr, i = 0;

	for (tab->guide_shift = 0; span >> tab->guide_shift > tab->n / 2;)
		tab->guide_shift++;
	nr = (uint32_t)(span >> tab->guide_shift) + 1;
	free(tab->guide);
	tab->guide = malloc((nr + 1) * sizeof(*tab->guide));
	if (!tab->guide)
		return -ENOMEM;
	for (uint32_t at = 0; at < nr; at++) {
		while (i < tab->n && (tab->addrs[i] - tab->addrs[0]) >> tab->guide_shift < at)
			i++;
		tab->guide[at] = i;
	}
	tab->guide[nr] = tab->n;
	tab->guide_last = nr - 1;
	return 0;
}

int symtab_seal(struct symtab *tab)
{
	uint32_t *stack, depth = 0;

	if (sort_raw(tab))
		return -ENOMEM;
	unique(tab);
	free(tab->addrs);
	free(tab->entries);
	tab->n = 0;
	tab->addrs = malloc((tab->nr_raw + 1) * sizeof(*tab->addrs));
	tab->entries = malloc((tab->nr_raw + 1) * sizeof(*tab->entries));
	stack = malloc((tab->nr_raw + 1) * sizeof(*stack));
	if (!tab->addrs || !tab->entries || !stack) {
		free(stack);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < tab->nr_raw; i++) {
		const struct symtab_raw *r = &tab->raw[i];
		/* The last one gets the rest of its page and one more, as perf has it. */
		uint64_t next = i + 1 < tab->nr_raw ? tab->raw[i + 1].addr : (r->addr | LAST_MASK) + 1 + LAST_MASK;
		uint64_t size = end_of(r, next) - r->addr;

		while (depth) {
			uint32_t top = stack[depth - 1];
			uint64_t in = r->addr - tab->addrs[top], left = tab->entries[top].size - in;

			if (in < tab->entries[top].size) {
				/* A function without a size ends where the one around it ends; a mere label is part of that. */
				if (r->how == SIZE_TO_NEXT)
					size = !(r->rank & RANK_FUNC) ? 0 : left < size ? left : size;
				break;
			}
			depth--;
		}
		tab->addrs[i] = r->addr;
		tab->entries[i] = (struct symtab_entry){ size > UINT32_MAX ? UINT32_MAX : (uint32_t)size, r->name,
							 (depth && r->how != SIZE_STOP ? stack[depth - 1] + 1 : 0) & INT32_MAX,
							 r->is_data };
		if (r->how == SIZE_STOP)
			depth = 0;
		else
			stack[depth++] = i;
	}
	tab->n = tab->nr_raw;
	free(stack);
	if (make_guide(tab)) {
		tab->n = 0; /* nothing is found without it */
		return -ENOMEM;
	}
	free(tab->raw);
	tab->raw = NULL;
	tab->nr_raw = tab->cap_raw = 0;
	return 0;
}

/* Which of the symbols that begin at addr or before it is the last. addr: not below the first. */
static uint32_t last_from(const struct symtab *tab, uint64_t addr)
{
	uint64_t at = (addr - tab->addrs[0]) >> tab->guide_shift;
	const uint64_t *base;
	uint32_t i, n;

	if (at > tab->guide_last)
		return tab->n - 1;
	/* The last symbol before this stretch may reach into it. */
	i = tab->guide[at] ? tab->guide[at] - 1 : 0;
	n = tab->guide[at + 1] - i;
	/* Branch-free halving: the compiler makes a conditional move of it. */
	for (base = tab->addrs + i; n > 1;) {
		uint32_t half = n / 2;

		base += base[half] <= addr ? half : 0;
		n -= half;
	}
	return (uint32_t)(base - tab->addrs);
}

const char *symtab_find(const struct symtab *tab, uint64_t addr, uint64_t *ret_start)
{
	uint32_t i;

	if (!tab->n || addr < tab->addrs[0])
		return NULL;
	i = last_from(tab, addr);
	for (int step = 0; step < OUTER_MAX_STEPS; step++) {
		const struct symtab_entry *e = &tab->entries[i];

		if (addr - tab->addrs[i] < e->size) {
			*ret_start = tab->addrs[i];
			return tab->names + e->name;
		}
		if (!e->outer)
			return NULL;
		i = e->outer - 1;
	}
	return NULL;
}

bool symtab_is_data(const struct symtab *tab, uint64_t start)
{
	return tab->n && start >= tab->addrs[0] && tab->entries[last_from(tab, start)].is_data;
}

uint64_t symtab_end(const struct symtab *tab, uint64_t start)
{
	uint32_t i;
	uint64_t end;

	if (!tab->n || start < tab->addrs[0])
		return start;
	i = last_from(tab, start);
	end = tab->addrs[i] + tab->entries[i].size;
	return i + 1 < tab->n && tab->addrs[i + 1] < end ? tab->addrs[i + 1] : end;
}

uint64_t symtab_whole_end(const struct symtab *tab, uint64_t start)
{
	uint32_t i;

	if (!tab->n || start < tab->addrs[0])
		return start;
	i = last_from(tab, start);
	return tab->addrs[i] + tab->entries[i].size;
}
