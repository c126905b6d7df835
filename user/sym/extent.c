/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sizes of functions and mappings, by the tables that named the frame. */
#include "sym/extent.h"

#include "sym/syms.h"

static void of_kernel(struct syms *syms, uint64_t time_ns, uint64_t at, struct extent *e)
{
	const char *name, *obj;
	uint64_t start, end;

	if (kernel_find(&syms->kernel, time_ns, at, &name, &obj, &start, &end))
		e->sym_bytes = end - start;
	e->map_bytes = kernel_map_bytes(&syms->kernel, at);
	if (!e->map_bytes)
		e->map_bytes = EXTENT_UNKNOWN;
}

static void of_user(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t at, struct extent *e)
{
	struct space *space;
	const struct mapping *m = syms_mapping(syms, pid, time_ns, at, &space);
	uint64_t vaddr, start;

	if (!m)
		return;
	e->map_bytes = m->end - m->start;
	if (m->obj->state == OBJECT_READ && object_vaddr(m->obj, at - m->start + m->pgoff, &vaddr) && symtab_find(&m->obj->tab, vaddr, &start))
		e->sym_bytes = symtab_whole_end(&m->obj->tab, start) - start;
}

struct extent syms_extent(struct syms *syms, uint32_t pid, uint64_t time_ns, const struct frame *f)
{
	struct extent e = { EXTENT_UNKNOWN, EXTENT_UNKNOWN };
	uint64_t at = f->addr - (f->off && f->addr); /* of a caller the call, which may be the last instruction of its function */

	if (f->kind == FRAME_MARK)
		return e;
	if (f->is_kernel)
		of_kernel(syms, time_ns, at, &e);
	else
		of_user(syms, pid, time_ns, at, &e);
	if (f->kind == FRAME_UNKNOWN)
		e.sym_bytes = EXTENT_UNKNOWN;
	return e;
}
