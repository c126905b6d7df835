/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/objtable.h"

#include <errno.h>

#define PART_PAGES 16u /* that are compiled together: of libLLVM that is 0.07 ms, and 55 for all of it */

static int put_table(struct unwind_store *store, const struct unwind_rules *rules, const struct unwind_table *table, uint32_t page,
		     uint32_t first, uint32_t nr)
{
	int ret = store->rules(store, rules->data, rules->n);

	return ret ? ret : store->rows(store, page, table->pages + first, nr, table->rows);
}

/* Room for as many pages as obj->parts says. */
static int make_pages(struct object *obj, struct unwind_store *store)
{
	int ret = store->pages(store, obj->parts.nr_pages, &obj->table_page);

	obj->table_state = ret ? TABLE_NONE : TABLE_TOLD;
	return ret;
}

/* What cannot be had in parts is read to know how long it is: its rows are here then. */
static void open_whole(const struct objtable_place *at, struct object *obj, const struct elf_file *elf, const struct elf_file *debug,
		       struct unwind_store *store)
{
	struct unwind_table table;

	obj->table_state = TABLE_NONE;
	if (unwind_table_read(elf, debug, at->objects->rules, &table))
		return;
	obj->parts = (struct unwind_parts){ .vaddr = table.vaddr, .nr_pages = table.nr_pages };
	if (!make_pages(obj, store))
		put_table(store, at->objects->rules, &table, obj->table_page, 0, table.nr_pages);
	unwind_table_free(&table);
}

void objtable_open(const struct objtable_place *at, struct object *obj, struct unwind_store *store)
{
	struct object_file file;

	if (object_file_open(at->objects, obj, at->pid, at->start, at->end, &file)) {
		if (obj->state != OBJECT_NEW)
			obj->table_state = TABLE_NONE;
		return;
	}
	obj->has_parts = !unwind_parts_find(&file.elf, &obj->parts);
	if (obj->has_parts)
		make_pages(obj, store);
	else
		open_whole(at, obj, &file.elf, object_file_debug(at->objects, obj, at->pid, &file), store);
	object_file_close(obj, &file);
}

static int fill(const struct objtable_place *at, const struct object *obj, struct object_file *file, uint32_t page,
		struct unwind_store *store)
{
	uint32_t first = page - page % PART_PAGES, left = obj->parts.nr_pages - first, nr = left < PART_PAGES ? left : PART_PAGES;
	struct unwind_table table;
	int ret = obj->has_parts ? unwind_parts_read(&file->elf, &obj->parts, first, nr, at->objects->rules, &table) :
				   unwind_table_read(&file->elf, object_file_debug(at->objects, obj, at->pid, file), at->objects->rules,
						     &table);

	if (ret)
		return ret;
	if (obj->has_parts)
		ret = put_table(store, at->objects->rules, &table, obj->table_page + first, 0, nr);
	else if (table.vaddr == obj->parts.vaddr && table.nr_pages == obj->parts.nr_pages)
		ret = put_table(store, at->objects->rules, &table, obj->table_page + first, first, nr);
	else
		ret = -ESTALE;
	unwind_table_free(&table);
	return ret;
}

int objtable_fill(const struct objtable_place *at, struct object *obj, uint32_t page, struct unwind_store *store)
{
	struct object_file file;
	int ret = object_file_open(at->objects, obj, at->pid, at->start, at->end, &file);

	if (ret)
		return ret;
	ret = fill(at, obj, &file, page, store);
	object_file_close(obj, &file);
	return ret;
}
