/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers by what they mean. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "calls/decode.h"

void put_addr(struct decode *d, uint64_t addr)
{
	if (addr)
		out_hex(d->o, addr);
	else
		out_text(d->o, "NULL");
}

void put_unread(struct decode *d, uint64_t addr)
{
	out_text(d->o, "... /* ");
	out_hex(d->o, addr);
	out_text(d->o, " */");
}

void put_fd(struct decode *d, int fd)
{
	out_signed(d->o, fd);
	if (fd >= 0) /* AT_FDCWD is none here */
		put_file(d, fd, false);
}

void put_dirfd(struct decode *d, int fd)
{
	if (fd == AT_FDCWD && d->style->names == NAMES_ABBREV)
		out_text(d->o, "AT_FDCWD");
	else
		out_signed(d->o, fd);
	if (fd == AT_FDCWD && d->style->names == NAMES_VERBOSE)
		out_text(d->o, " /* AT_FDCWD */");
	put_file(d, fd, false);
}

void put_one(struct decode *d, const struct names *names, uint64_t value)
{
	names_one(d->o, names, value, d->style->names);
}

void put_flags(struct decode *d, const struct names *names, uint64_t value)
{
	names_flags(d->o, names, value, d->style->names);
}

void put_mode(struct decode *d, uint32_t mode)
{
	const char *type = names_find(&names_file_types, mode & S_IFMT);

	if (d->style->names == NAMES_RAW || !mode) {
		out_octal(d->o, mode, 2);
		return;
	}
	if (d->style->names == NAMES_VERBOSE) {
		out_octal(d->o, mode, 2);
		out_text(d->o, " /* ");
	}
	if (type) {
		out_text(d->o, type);
		out_text(d->o, mode & S_ISUID ? "|S_ISUID" : "");
		out_text(d->o, mode & S_ISGID ? "|S_ISGID" : "");
		out_text(d->o, mode & S_ISVTX ? "|S_ISVTX" : "");
		out_char(d->o, '|');
		mode &= ~(S_IFMT | S_ISUID | S_ISGID | S_ISVTX);
	}
	out_octal(d->o, mode, 2);
	if (d->style->names == NAMES_VERBOSE)
		out_text(d->o, " */");
}

void put_dev(struct decode *d, uint64_t dev)
{
	if (d->style->names != NAMES_ABBREV)
		out_hex(d->o, dev);
	if (d->style->names == NAMES_RAW)
		return;
	out_text(d->o, d->style->names == NAMES_VERBOSE ? " /* makedev(" : "makedev(");
	out_hex(d->o, major(dev));
	out_text(d->o, ", ");
	out_hex(d->o, minor(dev));
	out_text(d->o, d->style->names == NAMES_VERBOSE ? ") */" : ")");
}

void put_errno(struct decode *d, int64_t n)
{
	int64_t error = n < 0 ? -n : n;
	const char *name = error && error <= SYSCALL_ERRNO_MAX && d->style->names != NAMES_RAW ? call_error_name(error) : NULL;

	if (!name || d->style->names == NAMES_VERBOSE)
		out_signed(d->o, n);
	if (name)
		out_form(d->o, d->style->names == NAMES_VERBOSE ? " /* %s%s */" : "%s%s", n < 0 ? "-" : "", name);
}

void put_id(struct decode *d, uint32_t id)
{
	if (id == UINT32_MAX)
		out_text(d->o, "-1");
	else
		out_decimal(d->o, id);
}

void print_int(struct decode *d, unsigned i)
{
	out_signed(d->o, (int32_t)d->e->args[i]);
}

void print_uint(struct decode *d, unsigned i)
{
	out_decimal(d->o, (uint32_t)d->e->args[i]);
}

void print_long(struct decode *d, unsigned i)
{
	out_signed(d->o, d->is_compat ? (int32_t)d->e->args[i] : (int64_t)d->e->args[i]);
}

void print_ulong(struct decode *d, unsigned i)
{
	out_decimal(d->o, d->e->args[i]);
}

void print_hex(struct decode *d, unsigned i)
{
	out_hex(d->o, d->e->args[i]);
}

void print_hex32(struct decode *d, unsigned i)
{
	out_hex(d->o, (uint32_t)d->e->args[i]);
}

void print_addr(struct decode *d, unsigned i)
{
	put_addr(d, d->e->args[i]);
}

void print_fd(struct decode *d, unsigned i)
{
	put_fd(d, d->e->args[i]);
}

void print_fd_before(struct decode *d, unsigned i)
{
	out_signed(d->o, (int32_t)d->e->args[i]);
	put_file(d, d->e->args[i], true);
}

void print_dirfd(struct decode *d, unsigned i)
{
	put_dirfd(d, d->e->args[i]);
}

void print_id(struct decode *d, unsigned i)
{
	put_id(d, d->e->args[i]);
}

void print_dev(struct decode *d, unsigned i)
{
	put_dev(d, (uint32_t)d->e->args[i]);
}

void print_umode(struct decode *d, unsigned i)
{
	out_octal(d->o, (uint16_t)d->e->args[i], 2); /* umode_t */
}

/* With the file's type. */
void print_file_mode(struct decode *d, unsigned i)
{
	put_mode(d, (uint16_t)d->e->args[i]);
}

void print_one(struct decode *d, unsigned i)
{
	put_one(d, d->names, (uint32_t)d->e->args[i]);
}

void print_flags(struct decode *d, unsigned i)
{
	put_flags(d, d->names, (uint32_t)d->e->args[i]);
}

/* Of flags in all of a word. */
void print_flags_word(struct decode *d, unsigned i)
{
	put_flags(d, d->names, d->e->args[i]);
}

void put_decimal_name(struct decode *d, const struct names *names, int64_t value)
{
	const char *name = names_find(names, value);

	out_signed(d->o, value);
	if (d->style->names != NAMES_RAW)
		out_form(d->o, " /* %s */", name ? name : names->unknown);
}

void put_name_or_decimal(struct decode *d, const struct names *names, int64_t value)
{
	const char *name = d->style->names == NAMES_ABBREV ? names_find(names, value) : NULL;

	if (name)
		out_text(d->o, name);
	else
		put_decimal_name(d, names, value);
}

void put_wide_hex(struct decode *d, uint64_t value, unsigned width)
{
	if (value)
		out_form(d->o, "0x%0*llx", (int)width - 2, (unsigned long long)value);
	else
		out_form(d->o, "%0*u", (int)width, 0);
}

void put_open_flags(struct decode *d, uint64_t flags)
{
	const char *access = names_find(&names_access_mode, flags & O_ACCMODE);

	if (d->style->names == NAMES_RAW) {
		out_hex(d->o, flags);
		return;
	}
	if (d->style->names == NAMES_VERBOSE) {
		out_hex(d->o, flags);
		out_text(d->o, " /* ");
	}
	out_text(d->o, access ? access : "O_ACCMODE");
	names_more_flags(d->o, &names_open_flags, flags & ~(uint64_t)O_ACCMODE, true);
	if (d->style->names == NAMES_VERBOSE)
		out_text(d->o, " */");
}

void print_open_flags(struct decode *d, unsigned i)
{
	put_open_flags(d, (uint32_t)d->e->args[i]);
}

#define TMPFILE_BIT 0x400000 /* of O_TMPFILE: the other is O_DIRECTORY */

/* The mode of a file that is made: only with O_CREAT or O_TMPFILE in the argument before. */
bool has_open_mode(const struct decode *d, unsigned i)
{
	uint32_t flags = d->e->args[i - 1];

	return flags & (O_CREAT | TMPFILE_BIT);
}

/* mknod(): only with a mode of a device in the argument before. */
bool has_device(const struct decode *d, unsigned i)
{
	uint32_t mode = d->e->args[i - 1];

	return S_ISCHR(mode) || S_ISBLK(mode);
}

void print_flags64(struct decode *d, unsigned i)
{
	put_flags(d, d->names, d->is_compat ? (uint32_t)d->e->args[i] : d->e->args[i]);
}

void print_offset64(struct decode *d, unsigned i)
{
	out_signed(d->o, d->is_compat ? (int64_t)(d->e->args[i] | d->e->args[i + 1] << 32) : (int64_t)d->e->args[i]);
}

/* _llseek(): the halves of the offset, where the new one goes, and from where it counts */
void print_llseek(struct decode *d, unsigned i)
{
	const uint64_t *a = &d->e->args[i];
	uint64_t position;

	out_signed(d->o, (int64_t)(a[0] << 32 | (uint32_t)a[1]));
	out_text(d->o, ", ");
	if (!d->is_failed && memory_get(d, a[2], &position, sizeof(position)))
		out_form(d->o, "[%llu]", (unsigned long long)position);
	else
		put_addr(d, a[2]);
	out_text(d->o, ", ");
	put_one(d, d->names, (uint32_t)a[3]);
}

/* mmap2(): in pages */
void print_pages(struct decode *d, unsigned i)
{
	out_hex(d->o, (uint64_t)(uint32_t)d->e->args[i] << 12);
}

/* An argument that is a number the kernel writes to, "[3]". */
static void put_pointed(struct decode *d, uint64_t addr, unsigned bytes, bool is_signed)
{
	uint64_t value = 0;

	if (!memory_get(d, addr, &value, bytes)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	if (is_signed)
		out_signed(d->o, bytes == 4 ? (int32_t)value : (int64_t)value);
	else
		out_decimal(d->o, value);
	out_char(d->o, ']');
}

void print_int_out(struct decode *d, unsigned i)
{
	put_pointed(d, d->e->args[i], 4, true);
}

void print_uint_out(struct decode *d, unsigned i)
{
	put_pointed(d, d->e->args[i], 4, false);
}

/* io_setup() */
void print_handle_at(struct decode *d, unsigned i)
{
	uint64_t handle;

	if (!memory_word(d, d->e->args[i], &handle)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_char(d->o, '[');
	put_addr(d, handle);
	out_char(d->o, ']');
}

/* Of the caller's word. */
void print_word_at(struct decode *d, unsigned i)
{
	put_pointed(d, d->e->args[i], word_bytes(d), true);
}

/* An offset that the call moves: "[0] => [100]" */
static void put_offset_moved(struct decode *d, unsigned i, void (*put)(struct out *o, uint64_t n))
{
	uint64_t addr = d->e->args[i], was, is;

	if (!addr || !memory_before(d, addr, &was, 8)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	put(d->o, was);
	out_char(d->o, ']');
	if (!d->is_failed && memory_get(d, addr, &is, 8) && is != was) {
		out_text(d->o, " => [");
		put(d->o, is);
		out_char(d->o, ']');
	}
}

static void put_signed(struct out *o, uint64_t n)
{
	out_signed(o, n);
}

void print_offset_moved(struct decode *d, unsigned i)
{
	put_offset_moved(d, i, put_signed);
}

/* sendfile(): without a sign */
void print_offset_sent(struct decode *d, unsigned i)
{
	put_offset_moved(d, i, out_decimal);
}

/* pipe(): both ends */
void print_fd_pair(struct decode *d, unsigned i)
{
	int fds[2];

	if (!memory_get(d, d->e->args[i], fds, sizeof(fds))) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_char(d->o, '[');
	put_fd(d, fds[0]);
	out_text(d->o, ", ");
	put_fd(d, fds[1]);
	out_char(d->o, ']');
}

#define GROUPS_MAX 65536 /* NGROUPS_MAX */

/* A list of ids, as many as the argument before says. */
void print_groups_in(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], n = (uint32_t)d->e->args[i - 1];
	uint32_t id;

	if (!n || n > GROUPS_MAX || !memory_get(d, addr, &id, 4)) {
		if (addr && !n)
			out_text(d->o, "[]");
		else
			put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint64_t k = 0; k < n; k++) {
		if (k)
			out_text(d->o, ", ");
		if (!d->style->is_whole && k >= d->style->text && !memory_ends(d, addr + k * 4, 4)) {
			out_text(d->o, "...");
			break;
		}
		if (!memory_get(d, addr + k * 4, &id, 4)) {
			put_unread(d, addr + k * 4);
			break;
		}
		put_id(d, id);
	}
	out_char(d->o, ']');
}

void print_groups_out(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], n = d->e->ret;
	uint32_t id;

	if (!addr || (n && !memory_get(d, addr, &id, 4))) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint64_t k = 0; k < n && memory_get(d, addr + k * 4, &id, 4); k++) {
		if (k)
			out_text(d->o, ", ");
		put_id(d, id);
	}
	out_char(d->o, ']');
}

/* A set of CPUs: "[0 1]"; of sched_getaffinity() as many bytes as it returned */
void put_cpus(struct decode *d, uint64_t addr, uint64_t bytes)
{
	uint64_t set[128] = { 0 };
	uint64_t known = bytes < sizeof(set) ? bytes : sizeof(set);
	bool any = false;

	if (!addr || (known && !memory_get(d, addr, set, known))) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint64_t cpu = 0; cpu < known * 8; cpu++)
		if (set[cpu / 64] >> (cpu % 64) & 1) {
			if (any)
				out_char(d->o, ' ');
			out_decimal(d->o, cpu);
			any = true;
		}
	if (known < bytes)
		out_text(d->o, any ? " ..." : "...");
	out_char(d->o, ']');
}

void print_cpus_in(struct decode *d, unsigned i)
{
	put_cpus(d, d->e->args[i], (uint32_t)d->e->args[i - 1]);
}

void print_cpus_out(struct decode *d, unsigned i)
{
	put_cpus(d, d->e->args[i], d->e->ret);
}
