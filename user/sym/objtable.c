/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel gets the size of an object's text once, and its rows on each request for rows that it does not have. By then the file
 * may be deleted or replaced.
 */
#include "sym/objtable.h"

#include <errno.h>

#define PART_PAGES 16u /* that are compiled together: of libLLVM that is 0.07 ms, and 55 for all of it */
#define FAILS_MAX 16   /* after so many the rows of an object are not tried again */
#define SPARSE_MAX 4u  /* text takes at most so many times its file, and a bit */
#define SPARSE_BYTES (1u << 20)

static int put_table(struct unwind_store *store, const struct unwind_rules *rules, const struct unwind_table *table, uint32_t page,
		     uint32_t nr)
{
	int ret = store->rules(store, rules->data, rules->n);

	return ret ? ret : store->rows(store, page, table->pages, nr, table->rows);
}

/* Room for as many pages as obj->parts says. */
static int make_pages(struct object *obj, const struct elf_file *elf, struct unwind_store *store)
{
	bool is_absurd = (uint64_t)obj->parts.nr_pages * UNWIND_PAGE_BYTES > elf->size * SPARSE_MAX + SPARSE_BYTES;
	int ret = is_absurd ? -ENOEXEC : store->pages(store, obj->parts.nr_pages, &obj->table_page);

	obj->table_state = ret == -ENOSPC ? TABLE_FULL : ret ? TABLE_NONE : TABLE_TOLD;
	return ret;
}

/* What cannot be had in parts is read to know how long it is: its rows are here then. */
static int open_whole(const struct objtable_place *at, struct object *obj, const struct elf_file *elf, const struct elf_file *debug,
		      struct unwind_store *store)
{
	struct unwind_table table;
	int ret = unwind_table_read(elf, debug, at->objects->rules, &table);

	if (ret)
		return ret;
	obj->parts = (struct unwind_parts){ .vaddr = table.vaddr, .nr_pages = table.nr_pages };
	if (!make_pages(obj, elf, store))
		put_table(store, at->objects->rules, &table, obj->table_page, table.nr_pages);
	unwind_table_free(&table);
	return 0;
}

/* For now, or for ever? */
static bool is_final(struct object *obj, int ret)
{
	return ret == -ENOEXEC || ret == -ENOTSUP || ret == -ESTALE || ++obj->nr_table_fails >= FAILS_MAX;
}

void objtable_open(const struct objtable_place *at, struct object *obj, struct unwind_store *store)
{
	struct object_file file;
	int ret = object_file_open(at->objects, obj, at->pid, at->start, at->end, &file);

	if (ret) {
		if (is_final(obj, ret))
			obj->table_state = TABLE_NONE;
		return;
	}
	object_ask(at->objects, obj, &file.elf, at->pid);
	obj->has_parts = !unwind_parts_find(&file.elf, &obj->parts);
	if (obj->has_parts)
		make_pages(obj, &file.elf, store);
	else
		ret = open_whole(at, obj, &file.elf, object_file_debug(at->objects, obj, at->pid, &file), store);
	if (ret && (ret == -ENOENT || is_final(obj, ret)))
		obj->table_state = TABLE_NONE;
	object_file_close(obj, &file);
}

/* What cannot be read has no known rules: stacks end there, with that reason. */
static int put_unknown(struct object *obj, uint32_t first, uint32_t nr, struct unwind_store *store)
{
	static const uint32_t row = UNWIND_CFA_UNKNOWN << UNWIND_ROW_SHIFT;
	struct unwind_page pages[PART_PAGES];

	for (uint32_t i = 0; i < nr; i++)
		pages[i] = (struct unwind_page){ 0, 1 };
	return store->rows(store, obj->table_page + first, pages, nr, &row);
}

static int fill(const struct objtable_place *at, const struct object *obj, struct object_file *file, uint32_t first, uint32_t nr,
		struct unwind_store *store)
{
	struct unwind_table table;
	int ret = obj->has_parts ? unwind_parts_read(&file->elf, &obj->parts, first, nr, at->objects->rules, &table) :
				   unwind_table_read(&file->elf, object_file_debug(at->objects, obj, at->pid, file), at->objects->rules,
						     &table);

	if (ret)
		return ret;
	if (obj->has_parts)
		ret = put_table(store, at->objects->rules, &table, obj->table_page + first, nr);
	else if (table.vaddr == obj->parts.vaddr && table.nr_pages == obj->parts.nr_pages)
		ret = put_table(store, at->objects->rules, &table, obj->table_page, table.nr_pages);
	else
		ret = -ESTALE;
	unwind_table_free(&table);
	return ret;
}

int objtable_fill(const struct objtable_place *at, struct object *obj, uint32_t page, struct unwind_store *store)
{
	uint32_t first = page - page % PART_PAGES, left = obj->parts.nr_pages - first, nr = left < PART_PAGES ? left : PART_PAGES;
	struct object_file file;
	int ret = object_file_open(at->objects, obj, at->pid, at->start, at->end, &file);

	if (!ret) {
		ret = fill(at, obj, &file, first, nr, store);
		object_file_close(obj, &file);
	}
	if (ret)
		return is_final(obj, ret) ? put_unknown(obj, first, nr, store) : ret;
	obj->nr_table_fails = 0;
	return 0;
}
