/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracepoints of system calls, many at once: one program on raw_syscalls:sys_enter and one on sys_exit, whose records have the number
 * and the arguments at the same places as those of each call. For a few, their own tracepoints are cheaper: the program is not run for
 * every call.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "bpf/probe.h"
#include "capture/source/probe_parts.h"
#include "event/format.h"
#include "event/syscalls.h"

#define CALLS_LEAST 4

static const struct side {
	const char *prefix, *tracepoint;
} sides[] = { { "syscalls:sys_exit_", "raw_syscalls:sys_exit" }, { "syscalls:sys_enter_", "raw_syscalls:sys_enter" } };

/* SYSCALL_NR_MAX: a name that is in no table of ours. */
static uint32_t number_of(const char *name)
{
	for (uint32_t nr = 0; nr < SYSCALL_NR_MAX; nr++) {
		const char *is = syscall_name(SYSCALL_NATIVE, nr);

		if (is && !strcmp(is, name))
			return nr;
	}
	return SYSCALL_NR_MAX;
}

static uint32_t number_at(const struct probe_set *set, uint32_t site, const struct side *side)
{
	const char *name = probe_set_site(set, site, NULL)->name;
	size_t n = strlen(side->prefix);

	return strncmp(name, side->prefix, n) ? SYSCALL_NR_MAX : number_of(name + n);
}

static int attach_side(struct probe_set *set, const struct group *g, const struct side *side, struct err *err)
{
	struct probe_call_sites sites = { 0 };
	struct attach_place place = { 0 };
	struct format format;
	uint32_t n = 0, nr, row = set->nr_call_rows;
	int ret, fd;

	for (size_t i = 0; i < g->sites.n; i++) {
		nr = number_at(set, g->sites.data[i], side);
		if (nr == SYSCALL_NR_MAX || sites.site[nr])
			continue;
		sites.site[nr] = g->sites.data[i] + 1;
		n++;
	}
	if (n < CALLS_LEAST || row == PROBE_CALL_ROWS)
		return 0;
	ret = format_read(side->tracepoint, &format);
	place.tracepoint = format.id;
	format_free(&format);
	if (ret || !place.tracepoint)
		return 0;
	if (bpf_map_update_elem(set->calls_fd, &row, &sites, BPF_ANY))
		return err_set(err, -errno, "cannot set the table of system calls: %s", strerror(errno));
	fd = probe_load_calls(set, g, row, err);
	if (fd < 0)
		return fd;
	ret = attach_one(&set->attachments, ATTACH_TRACEPOINT, fd, &place, false, false);
	if (ret)
		return err_exit(err, ret, EXIT_CANNOT, "cannot attach to '%s': %s", side->tracepoint, strerror(-ret));
	set->nr_call_rows++;
	for (nr = 0; nr < SYSCALL_NR_MAX; nr++)
		if (sites.site[nr])
			set->served[sites.site[nr] - 1] = true;
	return 0;
}

/* The return first: a call whose entry is seen has its return seen. */
int probe_calls_attach(struct probe_set *set, const struct group *g, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides) && !ret; i++)
		ret = attach_side(set, g, &sides[i], err);
	return ret;
}
