/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is compiled a few pages at a time is what all of it is at once, in real objects. SKEP_OBJECTS=N takes N objects of the system
 * instead of a handful. And parts of objects that are broken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_objects.h"
#include "unwind/ehframe.h"
#include "util/hash.h"

#define SHOWN_MAX 20
#define PART_MAX_PAGES 64

static struct unwind_rules rules;
static struct counts {
	uint64_t objects, without_parts, parts, pages, differ;
} counts;

static bool is_same_page(const struct unwind_table *a, uint32_t i, const struct unwind_table *b, uint32_t k)
{
	const struct unwind_page *p = &a->pages[i], *q = &b->pages[k];

	return p->nr == q->nr && (!p->nr || !memcmp(a->rows + p->row, b->rows + q->row, p->nr * sizeof(*a->rows)));
}

static void check_part(const char *path, const struct elf_file *elf, const struct unwind_parts *parts, const struct unwind_table *whole,
		       uint32_t page, uint32_t nr)
{
	struct unwind_table part;

	assert_int_equal(unwind_parts_read(elf, parts, page, nr, &rules, &part), 0);
	assert_int_equal(part.vaddr, parts->vaddr + (uint64_t)page * UNWIND_PAGE_BYTES);
	assert_int_equal(part.nr_pages, nr);
	for (uint32_t i = 0; i < nr; i++) {
		counts.pages++;
		if (is_same_page(&part, i, whole, page + i))
			continue;
		if (counts.differ++ < SHOWN_MAX)
			print_message("%s: page %u of %u, at %" PRIx64 ", in a part of %u from %u: %u rows, %u in the whole\n", path, page + i,
				      parts->nr_pages, parts->vaddr + (uint64_t)(page + i) * UNWIND_PAGE_BYTES, nr, page, part.pages[i].nr,
				      whole->pages[page + i].nr);
	}
	unwind_table_free(&part);
	counts.parts++;
}

static void check_object(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_table whole;
	struct unwind_parts parts;
	struct elf_file elf;

	if (fd < 0)
		return;
	if (elf_open_fd(fd, &elf)) {
		close(fd);
		return;
	}
	if ((elf.type == ET_DYN || elf.type == ET_EXEC) && !unwind_table_read(&elf, NULL, &rules, &whole)) {
		counts.objects++;
		if (unwind_parts_find(&elf, &parts)) {
			counts.without_parts++;
		} else {
			if (parts.vaddr != whole.vaddr || parts.nr_pages != whole.nr_pages)
				print_message("%s: %" PRIx64 " %u, whole: %" PRIx64 " %u\n", path, parts.vaddr, parts.nr_pages, whole.vaddr,
					      whole.nr_pages);
			assert_int_equal(parts.vaddr, whole.vaddr);
			assert_int_equal(parts.nr_pages, whole.nr_pages);
			for (uint32_t page = 0, nr; page < parts.nr_pages; page += nr) {
				nr = 1 + hash_pair(page, counts.objects) % PART_MAX_PAGES;
				nr = nr < parts.nr_pages - page ? nr : parts.nr_pages - page;
				check_part(path, &elf, &parts, &whole, page, nr);
			}
		}
		unwind_table_free(&whole);
	}
	elf_close(&elf);
	close(fd);
}

static void test_objects(void **state)
{
	const char *wide = getenv("SKEP_OBJECTS");

	(void)state;
	assert_int_equal(unwind_rules_init(&rules), 0);
	objects_each(check_object, &counts.objects);
	print_message("%" PRIu64 " objects, %" PRIu64 " without parts; %" PRIu64 " parts, %" PRIu64 " pages, %" PRIu64 " differ\n", counts.objects,
		      counts.without_parts, counts.parts, counts.pages, counts.differ);
	unwind_rules_free(&rules);
	assert_true(counts.parts > (wide ? counts.objects : 0));
	assert_true(wide || !counts.without_parts);
	assert_int_equal(counts.differ, 0);
}

/* Bytes of the search table and of what it leads to are changed at random: a part is whatever it is, or there is none. */
static void test_broken(void **state)
{
	struct unwind_parts parts;
	struct unwind_table table;
	struct elf_file self, elf;
	char *good, *copy;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t nr_found = 0;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(elf_open_fd(fd, &self), 0);
	assert_int_equal(elf_read(&self, 0, self.size, &good), 0);
	copy = malloc(self.size);
	assert_non_null(copy);
	assert_int_equal(unwind_rules_init(&rules), 0);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		const struct elf_seg *hdr = NULL;

		for (uint32_t i = 0; i < self.nr_segs; i++)
			if (self.segs[i].type == PT_GNU_EH_FRAME)
				hdr = &self.segs[i];
		assert_non_null(hdr);
		memcpy(copy, good, self.size);
		for (uint64_t k = 0; k < 1 + seed % 20; k++) {
			uint64_t at = hdr->off + 12 + hash_pair(seed, k) % (hdr->filesz * 4);

			copy[at < self.size ? at : self.size - 1] ^= (char)(1u << hash_pair(k, seed) % 8);
		}
		assert_int_equal(elf_open_mem(copy, self.size, &elf), 0);
		if (!unwind_parts_find(&elf, &parts)) {
			for (uint32_t page = 0; page < parts.nr_pages && page < 4096; page += 16) {
				uint32_t nr = parts.nr_pages - page < 16 ? parts.nr_pages - page : 16;

				if (unwind_parts_read(&elf, &parts, page, nr, &rules, &table))
					continue;
				nr_found++;
				assert_int_equal(table.nr_pages, nr);
				for (uint32_t i = 0; i < nr; i++)
					assert_true((uint64_t)table.pages[i].row + table.pages[i].nr <= table.nr_rows);
				unwind_table_free(&table);
			}
		}
		elf_close(&elf);
	}
	assert_true(nr_found > 0);
	unwind_rules_free(&rules);
	free(good);
	free(copy);
	elf_close(&self);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_objects), cmocka_unit_test(test_broken) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
