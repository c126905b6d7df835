/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known of files, and waiting for them. */
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "calls/decode.h"

static void put_moment(struct decode *d, const char *name, int64_t sec, uint32_t nsec)
{
	out_form(d->o, ", %s=%lld", name, (long long)sec);
	put_moment_comment(d, sec, nsec, 9);
	out_form(d->o, ", %s_nsec=%u", name, nsec);
}

static bool is_device(uint32_t mode)
{
	return S_ISCHR(mode) || S_ISBLK(mode);
}

void print_stat_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	struct stat s;

	if (d->is_compat || !memory_get(d, addr, &s, sizeof(s))) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '{');
	if (d->style->is_whole) {
		out_text(d->o, "st_dev=");
		put_dev(d, s.st_dev);
		out_form(d->o, ", st_ino=%llu, ", (unsigned long long)s.st_ino);
	}
	out_text(d->o, "st_mode=");
	put_mode(d, s.st_mode);
	if (d->style->is_whole)
		out_form(d->o, ", st_nlink=%llu, st_uid=%u, st_gid=%u, st_blksize=%llu, st_blocks=%llu", (unsigned long long)s.st_nlink, s.st_uid,
			 s.st_gid, (unsigned long long)s.st_blksize, (unsigned long long)s.st_blocks);
	if (is_device(s.st_mode)) {
		out_text(d->o, ", st_rdev=");
		put_dev(d, s.st_rdev);
	} else {
		out_text(d->o, ", st_size=");
		out_decimal(d->o, s.st_size);
	}
	if (d->style->is_whole) {
		put_moment(d, "st_atime", s.st_atim.tv_sec, s.st_atim.tv_nsec);
		put_moment(d, "st_mtime", s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
		put_moment(d, "st_ctime", s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
		out_char(d->o, '}');
	} else {
		out_text(d->o, ", ...}");
	}
}

static void put_statx_time(struct decode *d, const char *name, const struct statx_timestamp *t)
{
	out_form(d->o, ", %s={tv_sec=%lld, tv_nsec=%u}", name, (long long)t->tv_sec, t->tv_nsec);
	put_moment_comment(d, t->tv_sec, t->tv_nsec, 9);
}

#define STATX_MNT_ID_BIT 0x1000 /* STATX_MNT_ID */

void print_statx_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	struct statx s;

	if (!memory_get(d, addr, &s, sizeof(s))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{stx_mask=");
	put_flags(d, &names_statx_mask, s.stx_mask);
	if (d->style->is_whole)
		out_form(d->o, ", stx_blksize=%u", s.stx_blksize);
	out_text(d->o, ", stx_attributes=");
	put_flags(d, &names_statx_attributes, s.stx_attributes);
	if (d->style->is_whole)
		out_form(d->o, ", stx_nlink=%u, stx_uid=%u, stx_gid=%u", s.stx_nlink, s.stx_uid, s.stx_gid);
	out_text(d->o, ", stx_mode=");
	put_mode(d, s.stx_mode);
	if (d->style->is_whole)
		out_form(d->o, ", stx_ino=%llu", (unsigned long long)s.stx_ino);
	out_form(d->o, ", stx_size=%llu", (unsigned long long)s.stx_size);
	if (d->style->is_whole) {
		out_form(d->o, ", stx_blocks=%llu, stx_attributes_mask=", (unsigned long long)s.stx_blocks);
		put_flags(d, &names_statx_attributes, s.stx_attributes_mask);
		if (s.stx_mask & STATX_ATIME)
			put_statx_time(d, "stx_atime", &s.stx_atime);
		if (s.stx_mask & STATX_BTIME)
			put_statx_time(d, "stx_btime", &s.stx_btime);
		if (s.stx_mask & STATX_CTIME)
			put_statx_time(d, "stx_ctime", &s.stx_ctime);
		if (s.stx_mask & STATX_MTIME)
			put_statx_time(d, "stx_mtime", &s.stx_mtime);
		out_form(d->o, ", stx_rdev_major=%u, stx_rdev_minor=%u, stx_dev_major=%u, stx_dev_minor=%u", s.stx_rdev_major, s.stx_rdev_minor,
			 s.stx_dev_major, s.stx_dev_minor);
		if (s.stx_mask & STATX_MNT_ID_BIT)
			out_form(d->o, ", stx_mnt_id=%#llx", (unsigned long long)s.stx_mnt_id);
		out_char(d->o, '}');
	} else {
		out_text(d->o, ", ...}");
	}
}

void print_statfs_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i];
	struct statfs s;

	if (d->is_compat || !memory_get(d, addr, &s, sizeof(s))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{f_type=");
	put_one(d, &names_file_systems, (uint32_t)s.f_type);
	out_form(d->o, ", f_bsize=%lld, f_blocks=%llu, f_bfree=%llu, f_bavail=%llu", (long long)s.f_bsize, (unsigned long long)s.f_blocks,
		 (unsigned long long)s.f_bfree, (unsigned long long)s.f_bavail);
	out_form(d->o, ", f_files=%llu, f_ffree=%llu, f_fsid={val=[%#x, %#x]}, f_namelen=%lld, f_frsize=%lld, f_flags=",
		 (unsigned long long)s.f_files, (unsigned long long)s.f_ffree, s.f_fsid.__val[0], s.f_fsid.__val[1], (long long)s.f_namelen,
		 (long long)s.f_frsize);
	put_flags(d, &names_statfs_flags, s.f_flags);
	out_char(d->o, '}');
}

/* poll(): what is waited for. What has come is in the result. */
void print_poll(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], n = (uint32_t)d->e->args[i + 1];
	struct pollfd p;

	if (!n && addr) {
		out_text(d->o, "[]");
		return;
	}
	if (!memory_get(d, addr, &p, sizeof(p))) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint64_t k = 0; k < n; k++) {
		if (k)
			out_text(d->o, ", ");
		if ((!d->style->is_whole && k >= d->style->text) || k >= TRACE_PIECE_MAX / sizeof(p)) {
			out_text(d->o, "...");
			break;
		}
		if (!memory_get(d, addr + k * sizeof(p), &p, sizeof(p))) {
			put_unread(d, addr + k * sizeof(p));
			break;
		}
		out_text(d->o, "{fd=");
		put_fd(d, p.fd);
		if (p.fd >= 0) {
			out_text(d->o, ", events=");
			put_flags(d, &names_poll_flags, (uint16_t)p.events);
		}
		out_char(d->o, '}');
	}
	out_char(d->o, ']');
}

/* " ([{fd=3, revents=POLLIN}])", and of ppoll() what is left of its time */
void put_poll_result(struct decode *d, bool has_left)
{
	uint64_t addr = d->e->args[0], n = (uint32_t)d->e->args[1];
	struct pollfd p;
	unsigned shown = 0;

	if (!d->e->ret) {
		out_text(d->o, " (Timeout)");
		return;
	}
	out_text(d->o, " ([");
	for (uint64_t k = 0; k < n && memory_get(d, addr + k * sizeof(p), &p, sizeof(p)); k++) {
		if (!p.revents)
			continue;
		if (shown++)
			out_text(d->o, ", ");
		if (!d->style->is_whole && shown > d->style->text) {
			out_text(d->o, "...");
			break;
		}
		out_text(d->o, "{fd=");
		out_signed(d->o, p.fd);
		out_text(d->o, ", revents=");
		put_flags(d, &names_poll_flags, (uint16_t)p.revents);
		out_char(d->o, '}');
	}
	out_char(d->o, ']');
	if (has_left && d->e->args[2]) {
		out_text(d->o, ", left ");
		put_timespec(d, d->e->args[2], time_bytes(d));
	}
	out_char(d->o, ')');
}

#define EPOLL_DATA (EPOLL_BYTES - 8)

static bool put_epoll_event(struct decode *d, uint64_t addr)
{
	uint32_t events, data[2], at = d->is_compat ? 4 : EPOLL_DATA;

	if (!memory_get(d, addr, &events, 4) || !memory_get(d, addr + at, data, 8))
		return false;
	out_text(d->o, "{events=");
	put_flags(d, &names_epoll_flags, events);
	out_form(d->o, ", data={u32=%u, u64=%llu}}", data[0], (unsigned long long)data[0] | (unsigned long long)data[1] << 32);
	return true;
}

void print_epoll_event(struct decode *d, unsigned i)
{
	/* EPOLL_CTL_DEL takes none */
	if ((uint32_t)d->e->args[1] == 2 || !put_epoll_event(d, d->e->args[i]))
		put_addr(d, d->e->args[i]);
}

void print_epoll_events(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], bytes = d->is_compat ? 12 : EPOLL_BYTES;

	if (d->is_failed) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (int64_t k = 0; k < d->e->ret; k++) {
		if (k)
			out_text(d->o, ", ");
		if ((!d->style->is_whole && k >= d->style->text) || !put_epoll_event(d, addr + k * bytes)) {
			out_text(d->o, "...");
			break;
		}
	}
	out_char(d->o, ']');
}

#define FDS_MAX 8192 /* of a set that is read: FD_SET_BYTES */

struct fds {
	uint64_t bits[FDS_MAX / 64];
	uint32_t n;
};

/* A set, as it was before the call, or as it is. */
static bool get_fds(const struct decode *d, uint64_t addr, bool before, struct fds *ret)
{
	int32_t n = d->e->args[0];
	uint64_t bytes, align = d->is_compat ? 4 : 8;

	*ret = (struct fds){ .n = n < 0 ? 0 : n > FDS_MAX ? FDS_MAX : n };
	bytes = (ret->n + 7) / 8;
	bytes = (bytes + align - 1) & ~(align - 1);
	if (!bytes)
		return false;
	return before ? memory_before(d, addr, ret->bits, bytes) : memory_get(d, addr, ret->bits, bytes);
}

/* Returns how many there were. */
static unsigned put_fds(struct decode *d, const struct fds *set, bool has_files)
{
	unsigned shown = 0;

	for (uint32_t fd = 0; fd < set->n; fd++)
		if (set->bits[fd / 64] >> (fd % 64) & 1) {
			if (shown++)
				out_char(d->o, ' ');
			out_decimal(d->o, fd);
			if (has_files)
				put_file(d, fd, true);
		}
	return shown;
}

/* select(): a set as it was before */
void print_fd_set(struct decode *d, unsigned i)
{
	struct fds set;

	if (!get_fds(d, d->e->args[i], true, &set)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_char(d->o, '[');
	put_fds(d, &set, true);
	out_char(d->o, ']');
}

/* " (in [3], left {tv_sec=0, tv_usec=5})" */
void put_select_result(struct decode *d, bool is_timespec)
{
	static const char *const names[] = { "in [", "out [", "except [" };
	struct fds set;
	bool any = false;

	if (!d->e->ret) {
		out_text(d->o, " (Timeout)");
		return;
	}
	out_text(d->o, " (");
	for (unsigned k = 0; k < 3; k++) {
		size_t begin = d->o->n;

		if (!get_fds(d, d->e->args[1 + k], false, &set))
			continue;
		out_text(d->o, any ? ", " : "");
		out_text(d->o, names[k]);
		if (!put_fds(d, &set, false)) {
			d->o->n = begin;
			continue;
		}
		out_char(d->o, ']');
		any = true;
	}
	if (d->e->args[4]) {
		out_text(d->o, any ? ", left " : "left ");
		if (is_timespec)
			put_timespec(d, d->e->args[4], time_bytes(d));
		else
			put_timeval(d, d->e->args[4]);
	}
	out_char(d->o, ')');
}

/* The time that select() leaves changed. */
static void put_time_before(struct decode *d, uint64_t addr, unsigned word, const char *second)
{
	int64_t t[2];
	int32_t t32[2];

	if (word == 8 && memory_before(d, addr, t, sizeof(t)))
		out_form(d->o, "{tv_sec=%lld, %s=%llu}", (long long)t[0], second, (unsigned long long)t[1]);
	else if (word == 4 && memory_before(d, addr, t32, sizeof(t32)))
		out_form(d->o, "{tv_sec=%d, %s=%u}", t32[0], second, (unsigned)t32[1]);
	else
		put_addr(d, addr);
}

void print_timeval_before(struct decode *d, unsigned i)
{
	put_time_before(d, d->e->args[i], word_bytes(d), "tv_usec");
}

void print_timespec_before(struct decode *d, unsigned i)
{
	put_time_before(d, d->e->args[i], time_bytes(d), "tv_nsec");
}

/* pselect6(): a struct of a sigset's address and size */
void print_sigset_arg(struct decode *d, unsigned i)
{
	uint64_t pair[2], bits;

	if (!memory_word(d, d->e->args[i], &pair[0]) || !memory_word(d, d->e->args[i] + word_bytes(d), &pair[1])) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_text(d->o, "{sigmask=");
	if (memory_get(d, pair[0], &bits, sizeof(bits)))
		put_sigset(d, bits);
	else
		put_addr(d, pair[0]);
	out_form(d->o, ", sigsetsize=%llu}", (unsigned long long)pair[1]);
}

/* struct open_how, which may grow: its size is the next argument. */
void print_open_how(struct decode *d, unsigned i)
{
	uint64_t how[3], addr = d->e->args[i], size = d->e->args[i + 1];

	if (size < sizeof(how) || !memory_get(d, addr, how, sizeof(how))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{flags=");
	put_open_flags(d, how[0]);
	if (how[0] & (O_CREAT | __O_TMPFILE) || how[1]) {
		out_text(d->o, ", mode=");
		out_octal(d->o, how[1], 2);
	}
	out_text(d->o, ", resolve=");
	put_flags(d, &names_resolve_flags, how[2]);
	if (size > sizeof(how))
		put_rest(d, addr, sizeof(how), size);
	out_char(d->o, '}');
}

/* preadv2(): after both words of the offset, of which one is shown. */
void print_rwf_flags(struct decode *d, unsigned i)
{
	put_flags(d, &names_rwf_flags, (uint32_t)d->e->args[i + 1]);
}

#define HUGE_SHIFT 26 /* MFD_HUGE_SHIFT: the size of a huge page, as a power of two */

void print_memfd(struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i], huge = flags >> HUGE_SHIFT & 0x3f, others = flags & ~(0x3fu << HUGE_SHIFT);

	if (others || !huge)
		put_flags(d, &names_memfd_flags, others);
	if (!huge)
		return;
	out_text(d->o, others ? "|" : "");
	if (d->style->names == NAMES_ABBREV)
		out_form(d->o, "%u<<MFD_HUGE_SHIFT", huge);
	else if (d->style->names == NAMES_RAW)
		out_form(d->o, "%#x", huge << HUGE_SHIFT);
	else
		out_form(d->o, "%#x /* %u<<MFD_HUGE_SHIFT */", huge << HUGE_SHIFT, huge);
}

/* How far to ask the file's server stands first, also if it is the default. */
void print_statx_flags(struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i];

	if (d->style->names == NAMES_RAW) {
		out_hex(d->o, flags);
		return;
	}
	put_flags(d, &names_statx_sync, flags & 0x6000);
	names_more_flags(d->o, &names_at_flags, flags & ~0x6000u, true);
}
