/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/dataaddr.h"

#include <linux/perf_event.h>

#include "sym/syms.h"

#define CACHE_LINE_BYTES 64ull

bool sample_is_kernel(const struct sample *s)
{
	if (s->fields)
		return (s->fields->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	return s->chains[CHAIN_KERNEL].n;
}

static enum data_map map_of(struct syms *syms, const struct sample *s, uint64_t addr)
{
	struct space *space;
	const struct mapping *m;

	m = syms_mapping(syms, s->pid, s->time_ns, addr, &space);
	if (!m)
		return DATA_NOWHERE;
	if (m->obj->kind == OBJECT_ANON)
		return DATA_ANON;
	return m->is_data && m->is_shared ? DATA_SHARED : DATA_FILE;
}

void syms_data_address(struct syms *syms, const struct sample *s, bool with_line, struct data_address *ret)
{
	bool is_kernel = sample_is_kernel(s);

	ret->addr = s->fields && s->fields->has & PERF_SAMPLE_ADDR ? s->fields->addr : 0;
	ret->is_kernel = is_kernel;
	syms_resolve(syms, s->pid, s->time_ns, ret->addr, is_kernel, false, &ret->at, 1);
	if (!with_line)
		return;
	syms_resolve(syms, s->pid, s->time_ns, ret->addr & ~(CACHE_LINE_BYTES - 1), is_kernel, false, &ret->line, 1);
	if (is_kernel)
		ret->map = ret->at.kind == FRAME_UNKNOWN ? DATA_NOWHERE : DATA_FILE;
	else
		ret->map = map_of(syms, s, ret->addr);
}
