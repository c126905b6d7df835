/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/objectfile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sym/origin.h"
#include "util/interrupt.h"
#include "util/text.h"

#define VDSO_MAX_BYTES (64u << 10)
#define DELETED " (deleted)"
#define OVERLAYFS_MAGIC 0x794c7630 /* linux/magic.h OVERLAYFS_SUPER_MAGIC */

size_t objectfile_path_bytes(const char *path)
{
	size_t n = strlen(path), d = sizeof(DELETED) - 1;

	return n > d && !strcmp(path + n - d, DELETED) ? n - d : n;
}

static const char *proc_root(const struct objects *objects)
{
	return objects->cfg->proc_root ? objects->cfg->proc_root : "/proc";
}

static bool build_id_agrees(const struct object *obj, int fd)
{
	uint8_t id[BUILD_ID_MAX];
	struct elf_file elf;
	int n;

	if (elf_open_fd(fd, &elf))
		return false;
	n = elf_build_id(&elf, id, sizeof(id));
	elf_close(&elf);
	/* Kernels give 20 bytes with zeros at the end for shorter ids. */
	return n > 0 && n <= obj->build_id_size && !memcmp(id, obj->build_id, (size_t)n);
}

/* Is it the file that was mapped, and not another one that took its name (or its process's pid)? */
static bool is_the_file(const struct object *obj, int fd, bool is_host)
{
	struct statfs fs;
	struct stat st;

	if (obj->build_id_size)
		return build_id_agrees(obj, fd);
	if (!obj->ino)
		return true;
	if (fstat(fd, &st) < 0)
		return false;
	/* btrfs and overlayfs show another device in maps than in stat, overlayfs another inode too. */
	if (st.st_ino == obj->ino)
		return !is_host || major(st.st_dev) == 0 || st.st_dev == makedev(obj->maj, obj->min);
	return !is_host && objectfile_path_bytes(obj->path) == strlen(obj->path) && !fstatfs(fd, &fs) &&
	       fs.f_type == OVERLAYFS_MAGIC;
}

/* Opens path; gives an fd only if it is the file. */
static int open_checked(const struct object *obj, const char *path, bool is_host, bool any)
{
	int fd = regular_open(path);

	if (fd >= 0 && !any && !is_the_file(obj, fd, is_host)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* Where the file is on this machine, if it is there; false: too long. */
static bool host_path(const struct objects *objects, const struct object *obj, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s%.*s", objects->cfg->symfs ? objects->cfg->symfs : "", (int)objectfile_path_bytes(obj->path),
			obj->path) < PATH_MAX;
}

/* With --symfs the user says where the files of that machine are. */
static bool is_elsewhere(const struct objects *objects)
{
	return objects->origin && objects->origin->other_machine && !objects->cfg->symfs;
}

int object_why(const struct objects *objects, const struct object *obj, char *text, size_t size)
{
	char path[PATH_MAX];
	int fd = host_path(objects, obj, path) ? regular_open(path) : -ENAMETOOLONG, ret = fd;

	if (fd < 0) {
		snprintf(text, size, "the file cannot be opened: %s", strerror(-fd));
		return ret;
	}
	if (is_elsewhere(objects) && !obj->build_id_size) {
		snprintf(text, size, "the recording is of another machine and does not have the build id of the file");
		close(fd);
		return -ESTALE;
	}
	ret = obj->build_id_size && !build_id_agrees(obj, fd) ? -ESTALE : 0;
	snprintf(text, size, ret ? "the file has another build id than the one that ran" : "the file has no symbols that can be read");
	close(fd);
	return ret;
}

/* The link says where the file was: enough identity where inodes are not to be trusted. */
static bool link_agrees(const struct object *obj, const char *link)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target));

	return n > 0 && (size_t)n == strlen(obj->path) && !memcmp(target, obj->path, (size_t)n);
}

static int open_by_process(const struct objects *objects, const struct object *obj, uint32_t pid, uint64_t start,
			   uint64_t end)
{
	int plain = (int)objectfile_path_bytes(obj->path), fd;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%u/map_files/%" PRIx64 "-%" PRIx64, proc_root(objects), pid, start, end);
	fd = open_checked(obj, path, false, false);
	if (fd == -ESTALE && link_agrees(obj, path))
		fd = open_checked(obj, path, false, !obj->build_id_size);
	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/%u/root%.*s", proc_root(objects), pid, plain, obj->path) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open_checked(obj, path, false, false);
	if (fd >= 0)
		return fd;
	/* A deleted program can still be read as long as it runs. */
	snprintf(path, sizeof(path), "%s/%u/exe", proc_root(objects), pid);
	return obj->ino || obj->build_id_size ? open_checked(obj, path, false, false) : -ENOENT;
}

/* What perf record and perf buildid-cache keep: $HOME/.debug/.build-id/xx/yy.../elf. */
static int open_cached(const struct object *obj)
{
	const char *home = getenv("HOME");
	char path[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];

	if (!home)
		return -ENOENT;
	text_hex(hex, obj->build_id, obj->build_id_size);
	if (snprintf(path, sizeof(path), "%s/.debug/.build-id/%.2s/%s/elf", home, hex, hex + 2) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return open_checked(obj, path, false, false);
}

int objectfile_open(const struct objects *objects, const struct object *obj, uint32_t pid, uint64_t start, uint64_t end)
{
	char plain[PATH_MAX];
	int fd = -ENOENT;

	if (!objects->cfg->offline && pid)
		fd = open_by_process(objects, obj, pid, start, end);
	if (fd < 0 && obj->kind == OBJECT_FILE && host_path(objects, obj, plain)) {
		/* Of a recording made here without a build id perf trusts the path, and so do we: inodes of overlays are not those of maps. */
		if (obj->build_id_size || obj->ino || !is_elsewhere(objects))
			fd = open_checked(obj, plain, true, objects->cfg->offline && !obj->build_id_size && !is_elsewhere(objects));
	}
	return fd < 0 && obj->build_id_size ? open_cached(obj) : fd;
}

/* Our own vDSO is the one of every process of this kernel and word size. */
int objectfile_vdso(struct elf_file *ret_elf)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: the kernel gives an integer */
	Elf64_Ehdr h;
	uint64_t size;

	if (!image)
		return -ENOENT;
	memcpy(&h, image, sizeof(h));
	/* It has no size anywhere, but its section headers are last (kernel: vdso2c keeps them). */
	size = h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize;
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || size > VDSO_MAX_BYTES)
		return -ENOEXEC;
	return elf_open_mem(image, size, ret_elf);
}

bool objectfile_may_wait(const struct objects *objects)
{
	return objects->cfg->servers == SERVERS_WAIT && (objects->cfg->offline || interrupts_stage_now() == INTERRUPT_FINISH);
}

int objectfile_debug(struct objects *objects, const struct object *obj, const struct elf_file *elf,
		      uint32_t pid, struct elf_file *ret_debug)
{
	const char *dir = objects->cfg->debug_dir ? objects->cfg->debug_dir : "/usr/lib/debug";
	enum debugfile_servers servers = objects->cfg->servers;
	const char *roots[3];
	char root[PATH_MAX], path[PATH_MAX];
	size_t n = 0;
	int fd;

	if (obj->kind != OBJECT_FILE)
		return -ENOENT;
	snprintf(root, sizeof(root), "%s/%u/root", proc_root(objects), pid);
	if (objects->cfg->symfs)
		roots[n++] = objects->cfg->symfs;
	roots[n++] = "";
	if (pid && !objects->cfg->offline)
		roots[n++] = root;
	snprintf(path, sizeof(path), "%.*s", (int)objectfile_path_bytes(obj->path), obj->path);
	if (servers == SERVERS_WAIT && !objectfile_may_wait(objects))
		servers = SERVERS_ASK;
	fd = debugfile_open(elf, path, dir, roots, n, servers, &objects->debug_limits);
	if (fd < 0)
		return fd;
	if (elf_open_fd(fd, ret_debug)) {
		close(fd);
		return -ENOEXEC;
	}
	return fd;
}
