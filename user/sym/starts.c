/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/starts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sym/object.h"
#include "unwind/ehfuncs.h"

bool starts_find(struct objects *objects, struct object *obj, uint32_t pid, uint64_t vaddr, uint64_t *ret_start, uint64_t *ret_end)
{
	const struct span *span;
	struct object_file file;

	if (obj->kind == OBJECT_VDSO || obj->state != OBJECT_READ)
		return false;
	if (!obj->starts_tried) {
		obj->starts_tried = true;
		if (!object_file_open(objects, obj, pid, 0, 0, &file)) {
			if (ehfuncs_read(&file.elf, &obj->starts))
				vec_free(&obj->starts);
			object_file_close(obj, &file);
		}
	}
	span = obj->starts.n ? spans_find(&obj->starts, vaddr) : NULL;
	if (!span)
		return false;
	*ret_start = span->low;
	*ret_end = span->high;
	return true;
}

const char *starts_name(const struct object *obj, uint64_t vaddr, char *text, size_t size)
{
	size_t n = strlen(obj->unknown);
	bool has_brackets = n > 2 && obj->unknown[0] == '[' && obj->unknown[n - 1] == ']';

	snprintf(text, size, "%.*s+0x%llx", (int)(has_brackets ? n - 2 : n), obj->unknown + has_brackets, (unsigned long long)vaddr);
	return text;
}

const char *starts_function(struct objects *objects, struct object *obj, uint32_t pid, uint64_t vaddr, uint64_t *ret_start)
{
	const char *raw = symtab_find(&obj->tab, vaddr, ret_start);
	uint64_t end, start;

	if (raw || objects->cfg->perf_objects)
		return raw;
	if (objects->cfg->addresses) {
		*ret_start = vaddr;
		return NULL;
	}
	if (!starts_find(objects, obj, pid, vaddr, ret_start, &end))
		return NULL;
	/* A symbol without a size, or with too small a one, has the name of what is described. */
	raw = symtab_find(&obj->tab, *ret_start, &start);
	return raw && start == *ret_start ? raw : NULL;
}

void starts_fill(const struct objects *objects, const struct object *obj, uint64_t start, struct frame *f)
{
	char text[NAME_MAX + sizeof("+0x") + 2 * sizeof(start)];
	const char *name = strpool_add(objects->pool, starts_name(obj, start, text, sizeof(text)));

	f->name = name ? name : f->name;
	if (objects->cfg->addresses)
		return;
	f->addr = start;
	f->kind = FRAME_USER;
	f->is_start = true;
}
