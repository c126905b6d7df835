/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sizes that sections declare, and the paths that libdw 0.188 would open, in its order (libdw/dwarf_getalt.c, libdw_find_split_unit.c). */
#include "elf/dwarffile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/debugfile.h"
#include "elf/elf.h"

#define UNPACKED_FILE_BYTES (2ull << 30)
#define UNPACKED_ALL_BYTES (4ull << 30)
#define UNPACKED_RATIO 64u /* debug information is packed to a third; deflate can do 1,032, zstd more */
#define UNPACKED_SMALL_BYTES (1u << 20)
#define ALTLINK_MAX_BYTES (PATH_MAX + 64u)
#define ZDEBUG "ZLIB" /* of .zdebug_*: then the size, 64 bits, big-endian */

static bool is_debug(const struct elf_sec *sec)
{
	return sec->type != SHT_NOBITS && (!strncmp(sec->name, ".debug_", 7) || !strncmp(sec->name, ".zdebug_", 8));
}

/* How large a section is once it is unpacked; UINT64_MAX: unknown. */
static uint64_t unpacked_bytes(const struct elf_file *elf, const struct elf_sec *sec)
{
	uint64_t size = 0;
	uint8_t head[12];
	Elf64_Chdr h64;
	Elf32_Chdr h32;

	if (sec->flags & SHF_COMPRESSED && elf->is64)
		return sec->size < sizeof(h64) || elf_read_at(elf, sec->off, &h64, sizeof(h64)) ? UINT64_MAX : h64.ch_size;
	if (sec->flags & SHF_COMPRESSED)
		return sec->size < sizeof(h32) || elf_read_at(elf, sec->off, &h32, sizeof(h32)) ? UINT64_MAX : h32.ch_size;
	if (sec->name[1] != 'z')
		return sec->size;
	if (sec->size < sizeof(head) || elf_read_at(elf, sec->off, head, sizeof(head)) || memcmp(head, ZDEBUG, 4))
		return UINT64_MAX;
	for (int i = 4; i < 12; i++)
		size = size << 8 | head[i];
	return size;
}

static int check_sections(const struct elf_file *elf, struct dwarffile_limits *limits)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < elf->nr_secs; i++) {
		const struct elf_sec *sec = &elf->secs[i];
		uint64_t n = is_debug(sec) ? unpacked_bytes(elf, sec) : 0;

		if (n > UNPACKED_FILE_BYTES - all || (n > UNPACKED_SMALL_BYTES && n / UNPACKED_RATIO > sec->size))
			return -EFBIG;
		all += n;
	}
	if (all > UNPACKED_ALL_BYTES - limits->bytes)
		return -EFBIG;
	limits->bytes += all;
	return 0;
}

static int check_file(const char *path, struct dwarffile_limits *limits)
{
	int fd = regular_open(path), ret;
	struct elf_file elf;

	if (fd < 0)
		return fd;
	ret = elf_open_fd(fd, &elf);
	if (!ret) {
		ret = check_sections(&elf, limits);
		elf_close(&elf);
	}
	close(fd);
	return ret == -ENOEXEC ? 0 : ret;
}

/* What is not there does no harm. */
static int check_named(const char *dir, const char *comp_dir, const char *name, struct dwarffile_limits *limits)
{
	char path[PATH_MAX];
	bool is_abs = *name == '/', in_abs = comp_dir && *comp_dir == '/';
	int n = snprintf(path, sizeof(path), "%s%s%s%s%s", is_abs || in_abs ? "" : dir, is_abs || in_abs || !*dir ? "" : "/",
			 is_abs || !comp_dir ? "" : comp_dir, is_abs || !comp_dir ? "" : "/", name);
	int ret = n < 0 || (size_t)n >= sizeof(path) ? -ENAMETOOLONG : check_file(path, limits);

	return ret == -ENOENT || ret == -ENOTDIR || ret == -EACCES ? 0 : ret;
}

static int check_alt(const struct elf_file *elf, int fd, struct dwarffile_limits *limits)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".gnu_debugaltlink");
	char *link, *dir;
	int ret;

	if (!sec)
		return 0;
	if (sec->size > ALTLINK_MAX_BYTES || elf_read_sec(elf, sec, &link))
		return -EFBIG;
	dir = dwarffile_dir(fd);
	ret = dir ? check_named(dir, NULL, link, limits) : -ENOMEM;
	free(dir);
	free(link);
	return ret ? -EFBIG : 0;
}

int dwarffile_check(int fd, struct dwarffile_limits *limits)
{
	struct elf_file elf;
	int ret = elf_open_fd(fd, &elf);

	if (ret)
		return ret;
	ret = check_sections(&elf, limits);
	if (!ret)
		ret = check_alt(&elf, fd, limits);
	limits->nr_refused += ret == -EFBIG;
	elf_close(&elf);
	return ret;
}

bool dwarffile_may_open(const char *dir, const char *comp_dir, const char *name, struct dwarffile_limits *limits)
{
	return !check_named(dir, NULL, name, limits) && (!comp_dir || !check_named(dir, comp_dir, name, limits));
}

char *dwarffile_dir(int fd)
{
	char link[32], path[PATH_MAX], *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return strdup(slash ? path : "");
}
