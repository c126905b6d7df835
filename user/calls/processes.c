/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How processes are made and scheduled. */
#include <errno.h>
#include <sched.h>

#include "calls/decode.h"

static void put_clone_flags(struct decode *d, uint64_t flags)
{
	uint32_t sig = flags & 0xff;

	if (flags & ~0xffull)
		put_flags(d, &names_clone_flags, flags & ~0xffull);
	if (sig) {
		if (flags & ~0xffull)
			out_char(d->o, '|');
		put_signal(d, sig);
	} else if (!flags) {
		out_char(d->o, '0');
	}
}

/* clone(): its arguments have their names, and stand in the order of the manual. */
void print_clone(struct decode *d, unsigned i)
{
	const uint64_t *a = d->e->args;
	uint64_t flags = a[0];
#ifdef __x86_64__
	uint64_t child_tid = d->is_compat ? a[4] : a[3], tls = d->is_compat ? a[3] : a[4];
#else
	uint64_t child_tid = a[4], tls = a[3];
#endif
	int32_t tid;

	(void)i;
	out_text(d->o, "child_stack=");
	put_addr(d, a[1]);
	out_text(d->o, ", flags=");
	put_clone_flags(d, flags);
	if (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD)) {
		out_text(d->o, ", parent_tid="); /* CLONE_PIDFD writes there, too */
		if (!d->is_failed && memory_get(d, a[2], &tid, 4))
			out_form(d->o, "[%d]", tid);
		else
			put_addr(d, a[2]);
	}
	if (flags & CLONE_SETTLS) {
		out_text(d->o, ", tls=");
		out_hex(d->o, tls);
	}
	if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		out_text(d->o, ", child_tidptr=");
		put_addr(d, child_tid);
	}
}

#define CLONE_ARGS_BYTES 88 /* struct clone_args: include/uapi/linux/sched.h */
#define CLONE_ARGS_LEAST 64
#define SET_TID_MAX 32

/* What a caller has beyond the members that are known, if there is anything: the kernel wants zeroes there. Returns whether there was. */
static bool put_beyond(struct decode *d, uint64_t addr, uint64_t from, uint64_t size, const char *before)
{
	uint64_t n = (size < 4096 ? size : 4096) - from, last = n, shown;
	const char *bytes;
	size_t has;

	bytes = memory_some(d, addr + from, n, &has);
	if (!bytes || has < n) {
		out_form(d->o, "%s???", before);
		return true;
	}
	while (last && !bytes[last - 1])
		last--;
	if (!last)
		return false;
	shown = n < d->style->text ? n : d->style->text;
	out_form(d->o, "%s/* bytes %llu..%llu */ \"", before, (unsigned long long)from, (unsigned long long)(from + n - 1));
	out_escape(d->o, bytes, shown, 2);
	out_text(d->o, n > shown ? "\"..." : "\"");
	return true;
}

static void put_set_tid(struct decode *d, uint64_t addr, uint64_t n)
{
	out_text(d->o, ", set_tid=");
	if (!addr || !n || n > SET_TID_MAX)
		put_addr(d, addr);
	else
		put_array(d, addr, n, 4, put_int_element, false);
	out_form(d->o, ", set_tid_size=%llu", (unsigned long long)n);
}

static void put_clone_args(struct decode *d, const uint64_t *a, bool has_cgroup)
{
	out_text(d->o, "{flags=");
	put_flags(d, &names_clone3_flags, a[0]);
	if (a[0] & CLONE_PIDFD) {
		out_text(d->o, ", pidfd=");
		put_addr(d, a[1]);
	}
	if (a[0] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		out_text(d->o, ", child_tid=");
		put_addr(d, a[2]);
	}
	if (a[0] & CLONE_PARENT_SETTID) {
		out_text(d->o, ", parent_tid=");
		put_addr(d, a[3]);
	}
	out_text(d->o, ", exit_signal=");
	if (a[4] < INT32_MAX)
		put_signal(d, a[4]);
	else
		out_decimal(d->o, a[4]);
	out_text(d->o, ", stack=");
	put_addr(d, a[5]);
	out_text(d->o, ", stack_size=");
	out_hex(d->o, a[6]);
	if (a[0] & CLONE_SETTLS) {
		out_text(d->o, ", tls=");
		put_addr(d, a[7]);
	}
	if (a[8] || a[9])
		put_set_tid(d, a[8], a[9]);
	if (has_cgroup && (a[10] || a[0] & 0x200000000ull)) /* CLONE_INTO_CGROUP */
		out_form(d->o, ", cgroup=%llu", (unsigned long long)a[10]);
}

/* A number that the kernel has written, or where it did not. */
static void put_written(struct decode *d, const char *before, const char *name, uint64_t addr)
{
	int32_t n;

	out_form(d->o, "%s%s=", before, name);
	if (memory_get(d, addr, &n, 4))
		out_form(d->o, "[%d]", n);
	else
		put_addr(d, addr);
}

/* struct clone_args, and what the kernel has written through it */
void print_clone3(struct decode *d, unsigned i)
{
	uint64_t a[11] = { 0 }, addr = d->e->args[i], size = d->e->args[i + 1], known = size < CLONE_ARGS_BYTES ? size : CLONE_ARGS_BYTES;
	const char *before = " => {";

	if (known < CLONE_ARGS_LEAST || !memory_get(d, addr, a, known)) {
		put_addr(d, addr);
		return;
	}
	put_clone_args(d, a, known > CLONE_ARGS_BYTES - 8);
	if (size > known)
		put_beyond(d, addr, known, size, ", ");
	out_char(d->o, '}');
	if (d->is_failed)
		return;
	if (a[0] & CLONE_PIDFD) {
		put_written(d, before, "pidfd", a[1]);
		before = ", ";
	}
	if (a[0] & CLONE_PARENT_SETTID) {
		put_written(d, before, "parent_tid", a[3]);
		before = ", ";
	}
	if (size > known && put_beyond(d, addr, known, size, before))
		before = ", ";
	out_text(d->o, before[0] == ',' ? "}" : "");
}

void print_sched_param(struct decode *d, unsigned i)
{
	int32_t priority;

	if (memory_get(d, d->e->args[i], &priority, 4))
		out_form(d->o, "[%d]", priority);
	else
		put_addr(d, d->e->args[i]);
}

struct sched_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t low, high;
};
#define SCHED_ATTR_FIRST 48 /* bytes of its first version */
#define KEEP_POLICY 8
#define KEEP_PARAMS 0x10

/* bytes: that are known of it; is_set: of sched_setattr(), where members that are not used are left out */
static void put_sched_attr(struct decode *d, const struct sched_attr *a, uint32_t bytes, bool is_set)
{
	out_form(d->o, "{size=%u", a->size);
	if (bytes < SCHED_ATTR_FIRST)
		return;
	if (!is_set || (int32_t)a->policy < 0 || !(a->flags & (KEEP_POLICY | KEEP_PARAMS))) {
		out_text(d->o, ", sched_policy=");
		put_one(d, &names_schedulers, a->policy);
	}
	out_text(d->o, ", sched_flags=");
	put_flags(d, &names_sched_flags, a->flags);
	if (!is_set || !(a->flags & KEEP_PARAMS))
		out_form(d->o, ", sched_nice=%d, sched_priority=%u, sched_runtime=%llu, sched_deadline=%llu, sched_period=%llu", a->nice,
			 a->priority, (unsigned long long)a->runtime, (unsigned long long)a->deadline, (unsigned long long)a->period);
	if (bytes >= sizeof(*a))
		out_form(d->o, ", sched_util_min=%u, sched_util_max=%u", a->low, a->high);
}

/* sched_setattr(): the kernel writes the size that it knows where that is too much for it */
void print_sched_attr(struct decode *d, unsigned i)
{
	uint32_t was = 0, is, size, bytes;
	uint64_t addr = d->e->args[i];
	struct sched_attr a = { 0 };

	if (!memory_before(d, addr, &was, 4)) {
		put_addr(d, addr);
		return;
	}
	size = was ? was : SCHED_ATTR_FIRST;
	bytes = size < sizeof(a) ? size : sizeof(a);
	if (bytes >= SCHED_ATTR_FIRST && !memory_get(d, addr, &a, bytes)) {
		put_addr(d, addr);
		return;
	}
	a.size = was;
	put_sched_attr(d, &a, bytes, true);
	out_text(d->o, size > bytes ? ", ...}" : "}");
	if (call_error(d->e) == E2BIG && memory_get(d, addr, &is, 4))
		out_form(d->o, " => {size=%u}", is);
}

void print_sched_attr_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	uint32_t bytes = d->e->args[i + 1];
	struct sched_attr a = { 0 };

	if (bytes > sizeof(a))
		bytes = sizeof(a);
	if (d->is_failed || !bytes || !memory_get(d, addr, &a, bytes)) {
		put_addr(d, addr);
		return;
	}
	put_sched_attr(d, &a, a.size, false);
	out_char(d->o, '}');
}

/* The type of a comparison, and what it compares. */
void print_kcmp(struct decode *d, unsigned i)
{
	uint64_t first = d->e->args[i + 1], second = d->e->args[i + 2];
	uint32_t type = d->e->args[i], slot[3];

	put_one(d, &names_kcmp_types, type);
	if (type >= 1 && type <= 6) /* KCMP_VM... KCMP_SYSVSEM */
		return;
	out_text(d->o, ", ");
	if (type > 7) {
		out_hex(d->o, first);
		out_text(d->o, ", ");
		out_hex(d->o, second);
		return;
	}
	out_signed(d->o, (int32_t)first); /* of another process: not its file here */
	out_text(d->o, ", ");
	if (type == 0) /* KCMP_FILE */
		out_signed(d->o, (int32_t)second);
	else if (memory_get(d, second, slot, sizeof(slot)))
		out_form(d->o, "{efd=%d, tfd=%d, toff=%u}", (int)slot[0], (int)slot[1], slot[2]);
	else
		put_addr(d, second);
}

/* A class and its data: include/uapi/linux/ioprio.h */
void put_ioprio(struct decode *d, uint32_t priority)
{
	out_text(d->o, "IOPRIO_PRIO_VALUE(");
	put_one(d, &names_ioprio_classes, priority >> 13);
	out_form(d->o, ", %u)", priority & 0x1fff);
}

void print_ioprio(struct decode *d, unsigned i)
{
	if (d->style->names != NAMES_ABBREV)
		out_signed(d->o, (int32_t)d->e->args[i]);
	if (d->style->names == NAMES_RAW)
		return;
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* " : "");
	put_ioprio(d, d->e->args[i]);
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " */" : "");
}
