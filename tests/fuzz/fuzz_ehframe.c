/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ELF bytes to tables for unwinding: entries, programs, expressions, overlaps, pages; and what the kernel relies on in a table. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "unwind/bare.h"
#include "unwind/ehframe.h"

#define PART_PAGES 16u
#define PAGES_MAX 256u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int is_so)
{
	if (!is_so)
		abort();
}

static void check_page(const struct unwind_table *t, const struct unwind_rules *rules, uint32_t i)
{
	const struct unwind_page *page = &t->pages[i];
	uint64_t vaddr = t->vaddr + (uint64_t)i * UNWIND_PAGE_BYTES;

	must(page->nr <= UNWIND_BLOCK_ROWS);
	must((uint64_t)page->row + page->nr <= t->nr_rows);
	must(page->nr || unwind_table_find(t, vaddr) == UNWIND_CFA_NONE);
	for (uint32_t k = 0; k < page->nr; k++) {
		uint32_t row = t->rows[page->row + k], low = row & UNWIND_ROW_LOW, number = row >> UNWIND_ROW_SHIFT;

		must(k ? low > (t->rows[page->row + k - 1] & UNWIND_ROW_LOW) : !low);
		must(low < UNWIND_PAGE_BYTES && number < rules->n);
		must(unwind_table_find(t, vaddr + low) == number);
	}
}

static int check_bare(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	must(arg && start < end && rule->cfa < UNWIND_CFA_MAX);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_rules rules;
	struct unwind_table table;
	struct unwind_parts parts;
	const struct elf_sec *text;
	struct elf_file elf;

	if (elf_open_mem(data, size, &elf))
		return 0;
	must(!unwind_rules_init(&rules));
	if (!unwind_table_read(&elf, &elf, &rules, &table)) {
		for (uint32_t i = 0; i < table.nr_pages; i++)
			check_page(&table, &rules, i);
		for (uint32_t i = 0; i < rules.n; i++)
			must(rules.data[i].cfa < UNWIND_CFA_MAX && (rules.data[i].ra & ~UNWIND_SIGNAL) <= UNWIND_IN_LINK);
		unwind_table_find(&table, 0);
		unwind_table_find(&table, UINT64_MAX);
		unwind_table_free(&table);
	}
	if (!unwind_parts_find(&elf, &parts)) {
		for (uint32_t page = 0; page < parts.nr_pages && page < PAGES_MAX; page += PART_PAGES) {
			uint32_t left = parts.nr_pages - page, nr = left < PART_PAGES ? left : PART_PAGES;

			if (unwind_parts_read(&elf, &parts, page, nr, &rules, &table))
				continue;
			must(table.nr_pages == nr && table.vaddr == parts.vaddr + (uint64_t)page * UNWIND_PAGE_BYTES);
			for (uint32_t i = 0; i < nr; i++)
				check_page(&table, &rules, i);
			unwind_table_free(&table);
		}
	}
	bare_each(&elf, NULL, 0, check_bare, &elf);
	text = elf_sec_by_name(&elf, ".text");
	if (text) {
		struct bare_described middle = { text->addr + text->size / 3, text->addr + text->size / 2 };

		bare_each(&elf, &middle, 1, check_bare, &elf);
	}
	unwind_rules_free(&rules);
	elf_close(&elf);
	return 0;
}
