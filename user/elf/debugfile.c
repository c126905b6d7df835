/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The search for separate debug files, in the order of gdb's manual ("Debugging Information in Separate Files"). */
#include "elf/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "elf/debuginfod.h"
#include "sample.h"
#include "util/text.h"

#define CRC_CHUNK_BYTES (256u << 10)
#define CRC_FILE_BYTES (1ull << 30) /* larger ones have a build id: what links them has had one since 2008 */
#define CRC_ALL_BYTES (2ull << 30)  /* of all files of a run; a GB takes a second */

int regular_open(const char *path)
{
	struct stat st;
	int fd;

	/* stat first: opening some devices has effects. */
	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static int open_joined(const char *root, const char *dir, const char *sub, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s%s%s", root, dir, sub, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return regular_open(path);
}

static bool has_build_id(int fd, const uint8_t *id, int size)
{
	uint8_t other[BUILD_ID_MAX];
	struct elf_file elf;
	bool same;

	if (elf_open_fd(fd, &elf))
		return false;
	same = elf_build_id(&elf, other, sizeof(other)) == size && !memcmp(id, other, (size_t)size);
	elf_close(&elf);
	return same;
}

/* The same fd if its file has the build id; else it is closed, and -ENOENT. Less than 0 at first: it could not be opened. */
static int keep_if(int fd, const uint8_t *id, int size)
{
	if (fd >= 0 && has_build_id(fd, id, size))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

static int by_build_id(const struct elf_file *elf, const char *debug_dir, const char *const *roots, size_t n)
{
	char name[sizeof("/.build-id/xx/.debug") + 2 * BUILD_ID_MAX], hex[2 * BUILD_ID_MAX + 1];
	uint8_t id[BUILD_ID_MAX];
	int size = elf_build_id(elf, id, sizeof(id));

	if (size < 2)
		return -ENOENT;
	text_hex(hex, id, (size_t)size);
	sprintf(name, "/.build-id/%.2s/%s.debug", hex, hex + 2);
	for (size_t i = 0; i < n; i++) {
		int fd = keep_if(open_joined(roots[i], debug_dir, "", name), id, size);

		if (fd >= 0)
			return fd;
	}
	return -ENOENT;
}

/* An fd of what is there, if it has the build id, or -ENOENT. */
static int open_if(const char *path, const uint8_t *id, int size)
{
	return keep_if(regular_open(path), id, size);
}

/* What others have fetched: perf's cache, and that of debuginfod's clients, which is read also without a server. */
static int by_caches(const struct elf_file *elf)
{
	char path[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	const char *home = getenv("HOME");
	uint8_t id[BUILD_ID_MAX];
	int size = elf_build_id(elf, id, sizeof(id)), fd = -ENOENT, ret = 0;

	if (size < 2)
		return -ENOENT;
	text_hex(hex, id, (size_t)size);
	if (home && snprintf(path, sizeof(path), "%s/.debug/.build-id/%.2s/%s/debug", home, hex, hex + 2) < (int)sizeof(path))
		fd = open_if(path, id, size);
	for (unsigned int i = 0; fd < 0 && ret != -ENOENT; i++) {
		ret = debuginfod_cached(i, hex, path, sizeof(path));
		if (!ret)
			fd = open_if(path, id, size);
	}
	return fd;
}

static int by_servers(const struct elf_file *elf, enum debugfile_servers servers)
{
	uint8_t id[BUILD_ID_MAX];
	const char *path;
	int size, ret;

	if (servers == SERVERS_NOT || !debuginfod_is_on())
		return -ENOENT;
	size = elf_build_id(elf, id, sizeof(id));
	ret = debuginfod_find(id, size, servers == SERVERS_WAIT, &path);
	if (ret)
		return ret;
	ret = open_if(path, id, size);
	if (ret < 0)
		debuginfod_refuse(path);
	return ret;
}

static bool has_crc(int fd, uint32_t want, struct debugfile_limits *limits)
{
	uint64_t at = 0, size;
	uLong crc = crc32(0, NULL, 0);
	unsigned char *buf;
	struct stat st;

	if (fstat(fd, &st) || st.st_size <= 0)
		return false;
	size = (uint64_t)st.st_size;
	if (size > CRC_FILE_BYTES || size > CRC_ALL_BYTES - limits->checked_bytes) {
		limits->nr_unchecked++;
		return false;
	}
	limits->checked_bytes += size;
	buf = malloc(CRC_CHUNK_BYTES);
	while (buf && at < size) {
		ssize_t got = pread(fd, buf, size - at < CRC_CHUNK_BYTES ? size - at : CRC_CHUNK_BYTES, (off_t)at);

		if (got <= 0)
			break;
		crc = crc32(crc, buf, (uInt)got);
		at += (uint64_t)got;
	}
	free(buf);
	return at == size && crc == want;
}

/* .gnu_debuglink: a file name, padded with NULs to 4, and the CRC32 of that file. */
static int by_debuglink(const struct elf_file *elf, const char *path, const char *debug_dir, const char *const *roots,
			size_t n, struct debugfile_limits *limits)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".gnu_debuglink");
	char dir[PATH_MAX], under[PATH_MAX + 16], *link;
	const char *slash = strrchr(path, '/');
	int fd = -ENOENT;
	size_t len, crc_at;
	uint32_t crc;

	if (!sec || !slash || (size_t)(slash - path) >= sizeof(dir) || elf_read_sec(elf, sec, &link))
		return -ENOENT;
	len = strlen(link);
	crc_at = (len + 4) & ~(size_t)3;
	if (!len || strchr(link, '/') || crc_at + sizeof(crc) > sec->size) {
		free(link);
		return -ENOENT;
	}
	memcpy(&crc, link + crc_at, sizeof(crc));
	memcpy(dir, path, (size_t)(slash - path));
	dir[slash - path] = '\0';
	for (size_t i = 0; i < n && fd < 0; i++) {
		const char *tries[][2] = { { dir, "/" }, { dir, "/.debug/" }, { debug_dir, under } };

		snprintf(under, sizeof(under), "%s/", dir);
		for (size_t j = 0; j < sizeof(tries) / sizeof(*tries) && fd < 0; j++) {
			fd = open_joined(roots[i], tries[j][0], tries[j][1], link);
			if (fd >= 0 && !has_crc(fd, crc, limits)) {
				close(fd);
				fd = -ENOENT;
			}
		}
	}
	free(link);
	return fd < 0 ? -ENOENT : fd;
}

int debugfile_open(const struct elf_file *elf, const char *path, const char *debug_dir, const char *const *roots,
		   size_t n, enum debugfile_servers servers, struct debugfile_limits *limits)
{
	int fd = by_build_id(elf, debug_dir, roots, n);

	if (fd < 0)
		fd = by_debuglink(elf, path, debug_dir, roots, n, limits);
	if (fd < 0)
		fd = by_caches(elf);
	return fd < 0 ? by_servers(elf, servers) : fd;
}
