/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/dataaddr.h"

#include <linux/perf_event.h>

#include "sym/syms.h"

#define CACHE_LINE_BYTES 64ull
#define OWNER_OBJECT (1ull << 32) /* beyond all process ids */
#define OWNER_KERNEL (2ull << 32)

static bool is_kernel(const struct sample *s)
{
	if (s->fields)
		return (s->fields->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	return s->chains[CHAIN_KERNEL].n;
}

/* Whose memory it is: that of one process, or of all that map the object. */
static void find_owner(struct syms *syms, const struct sample *s, struct data_address *d)
{
	struct space *space;
	const struct mapping *m = syms_mapping(syms, s->pid, s->time_ns, d->addr, &space);
	bool is_anon = m && m->obj->kind == OBJECT_ANON;

	d->line_at = d->line.addr;
	d->owner = s->pid;
	if (!m) {
		d->map = DATA_NOWHERE;
		return;
	}
	d->map = m->is_data && m->is_shared && m->obj->ino ? DATA_SHARED : is_anon ? DATA_ANON : DATA_FILE;
	if (d->map != DATA_ANON)
		d->owner = OWNER_OBJECT | m->obj->id;
	if (!is_anon)
		d->line_at = d->line.pos;
}

void syms_data_address(struct syms *syms, const struct sample *s, bool with_line, struct data_address *ret)
{
	ret->addr = s->fields && s->fields->has & PERF_SAMPLE_ADDR ? s->fields->addr : 0;
	ret->is_kernel = is_kernel(s);
	syms_resolve(syms, s->pid, s->time_ns, ret->addr, ret->is_kernel, false, &ret->at, 1);
	if (with_line)
		syms_resolve(syms, s->pid, s->time_ns, ret->addr & ~(CACHE_LINE_BYTES - 1), ret->is_kernel, false, &ret->line, 1);
	if (!ret->is_kernel) {
		find_owner(syms, s, ret);
		return;
	}
	ret->map = ret->at.obj == syms->obj_unknown ? DATA_NOWHERE : DATA_FILE;
	ret->line_at = ret->line.addr;
	ret->owner = OWNER_KERNEL;
}

void syms_code_address(struct syms *syms, const struct sample *s, struct frame *ret)
{
	syms_resolve(syms, s->pid, s->time_ns, s->ip, is_kernel(s), false, ret, 1);
}
