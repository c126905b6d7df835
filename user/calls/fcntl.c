/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* fcntl(): the command decides on what it takes, and on what its result is. */
#include <fcntl.h>

#include "calls/decode.h"

/* A struct flock, or the struct flock64 of 32-bit callers. */
struct lock {
	int16_t type, whence;
	int64_t start, len;
	int32_t pid;
};

static bool get_lock(const struct decode *d, uint64_t addr, bool is_64, struct lock *ret)
{
	struct __attribute__((packed)) {
		int16_t type, whence;
		int32_t start, len, pid;
	} l32;
	struct __attribute__((packed)) {
		int16_t type, whence;
		int64_t start, len;
		int32_t pid;
	} packed;
	struct flock l;

	if (!d->is_compat) {
		if (!memory_get(d, addr, &l, sizeof(l)))
			return false;
		*ret = (struct lock){ l.l_type, l.l_whence, l.l_start, l.l_len, l.l_pid };
	} else if (is_64) {
		if (!memory_get(d, addr, &packed, sizeof(packed)))
			return false;
		*ret = (struct lock){ packed.type, packed.whence, packed.start, packed.len, packed.pid };
	} else {
		if (!memory_get(d, addr, &l32, sizeof(l32)))
			return false;
		*ret = (struct lock){ l32.type, l32.whence, l32.start, l32.len, l32.pid };
	}
	return true;
}

static void put_lock(struct decode *d, uint64_t addr, bool is_64, bool is_get)
{
	struct lock l;

	if ((is_get && d->is_failed) || !get_lock(d, addr, is_64, &l)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{l_type=");
	put_one(d, &names_lock_types, (uint16_t)l.type);
	out_text(d->o, ", l_whence=");
	put_one(d, &names_whence, (uint16_t)l.whence);
	out_form(d->o, ", l_start=%lld, l_len=%lld", (long long)l.start, (long long)l.len);
	if (is_get)
		out_form(d->o, ", l_pid=%d", l.pid);
	out_char(d->o, '}');
}

/* struct f_owner_ex */
static void put_owner(struct decode *d, uint64_t addr, bool is_get)
{
	int32_t owner[2];

	if ((is_get && d->is_failed) || !memory_get(d, addr, owner, sizeof(owner))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{type=");
	put_one(d, &names_owner_types, (uint32_t)owner[0]);
	out_form(d->o, ", pid=%d}", owner[1]);
}

static void put_argument(struct decode *d, uint32_t command, uint64_t v)
{
	switch (command) {
	case F_SETFD:
		put_flags(d, &names_fd_flags, (uint32_t)v);
		break;
	case F_SETFL:
		put_open_flags(d, (uint32_t)v);
		break;
	case F_SETLK: case F_SETLKW:
		put_lock(d, v, false, false);
		break;
	case F_GETLK:
		put_lock(d, v, false, true);
		break;
	case F_OFD_SETLK: case F_OFD_SETLKW: case 13: case 14: /* F_SETLK64, F_SETLKW64 */
		put_lock(d, v, true, false);
		break;
	case F_OFD_GETLK: case 12: /* F_GETLK64 */
		put_lock(d, v, true, true);
		break;
	case 15: /* F_SETOWN_EX */
		put_owner(d, v, false);
		break;
	case 16: /* F_GETOWN_EX */
		put_owner(d, v, true);
		break;
	case F_DUPFD: case F_DUPFD_CLOEXEC: case F_SETOWN: case 1031: /* F_SETPIPE_SZ */
		out_signed(d->o, (int32_t)v);
		break;
	case 10: /* F_SETSIG */
		put_signal(d, v);
		break;
	case 1026: /* F_NOTIFY */
		put_flags(d, &names_notify_flags, v);
		break;
	case 1033: /* F_ADD_SEALS */
		put_flags(d, &names_seals, v);
		break;
	case 1024: /* F_SETLEASE */
		put_one(d, &names_lock_types, v);
		break;
	default:
		out_hex(d->o, v);
	}
}

/* The command and what it takes. */
void print_fcntl(struct decode *d, unsigned i)
{
	uint32_t command = d->e->args[i];

	put_one(d, &names_fcntl_commands, command);
	switch (command) {
	case F_GETFD: case F_GETFL: case F_GETOWN:
	case 11: case 1025: case 1032: case 1034: /* F_GETSIG, F_GETLEASE, F_GETPIPE_SZ, F_GET_SEALS */
		return;
	}
	out_text(d->o, ", ");
	put_argument(d, command, d->e->args[i + 1]);
}

/* "0x1 (flags FD_CLOEXEC)" */
void put_fcntl_result(struct decode *d)
{
	uint32_t command = d->e->args[1];
	int64_t ret = d->e->ret;
	const char *lease;

	switch (command) {
	case F_DUPFD: case F_DUPFD_CLOEXEC:
		put_fd(d, ret);
		return;
	case F_GETFL:
		out_hex(d->o, ret);
		out_text(d->o, " (flags ");
		put_open_flags(d, (uint32_t)ret);
		out_char(d->o, ')');
		return;
	case F_GETFD: case 1034: /* F_GET_SEALS */
		out_hex(d->o, ret);
		if (!ret)
			return;
		out_text(d->o, command == F_GETFD ? " (flags " : " (seals ");
		put_flags(d, command == F_GETFD ? &names_fd_flags : &names_seals, ret);
		out_char(d->o, ')');
		return;
	case 1025: /* F_GETLEASE */
		lease = names_find(&names_lock_types, ret);
		out_hex(d->o, ret);
		if (lease)
			out_form(d->o, " (%s)", lease);
		return;
	case 11: /* F_GETSIG */
		out_signed(d->o, ret);
		if (!ret)
			return;
		out_text(d->o, " (");
		put_signal(d, ret);
		out_char(d->o, ')');
		return;
	}
	out_signed(d->o, ret);
}
