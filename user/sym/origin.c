/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose a recording is: by build ids, by its own words, by where its kernel was. */
#include "sym/origin.h"

#include <string.h>
#include <sys/utsname.h>

#include "sym/buildid.h"

/* 1, 0, or -1: one of both is not known. */
static int same_build_id(const uint8_t *id, uint8_t size)
{
	uint8_t running[BUILD_ID_MAX];
	uint8_t n = size ? build_id_kernel(running) : 0;

	/* Kernels give 20 bytes with zeros at the end for shorter ids. */
	return !n ? -1 : size >= n && !memcmp(id, running, n);
}

static bool differs(const char *recorded, const char *here)
{
	return recorded && strcmp(recorded, here) != 0;
}

void origin_begin(struct origin *o, const struct syms_cfg *cfg)
{
	const struct recorded *r = cfg->recorded;
	int same = same_build_id(cfg->kernel_build_id, cfg->kernel_build_id_size);
	struct utsname u;

	*o = (struct origin){ .has_id = same >= 0, .other_kernel = same == 0 };
	if (!r || uname(&u))
		return;
	o->other_machine = differs(r->arch, u.machine) || differs(r->os_release, u.release) || differs(r->hostname, u.nodename);
	if (same >= 0)
		return;
	o->is_open = !r->os_release;
	o->other_kernel = o->is_open || differs(r->arch, u.machine) || differs(r->os_release, u.release);
	o->other_machine |= o->is_open;
}

void origin_kernel_map(struct origin *o, const struct task_event *t, uint64_t text, uint64_t etext)
{
	int same = same_build_id(t->build_id, t->build_id_size);

	if (same >= 0 && !o->has_id) {
		o->has_id = true;
		o->other_kernel = !same;
		o->other_machine = o->is_open ? !same : o->other_machine;
		o->is_open = false;
	}
	if (!o->is_open || !text || t->pgoff != text || t->len != etext - text)
		return;
	o->is_open = o->other_kernel = o->other_machine = false;
}
