/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects: found by identity, opened through /proc while a process has them mapped, read once. */
#include "sym/object.h"

#include <errno.h>
#include <fcntl.h>
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

#include "elf/debugfile.h"
#include "elf/debuginfod.h"
#include "elf/elfsyms.h"
#include "sym/lines.h"
#include "sym/origin.h"
#include "util/hash.h"
#include "util/interrupt.h"

#define TRIES_MAX 16	      /* processes tried for a file before it is given up */
#define KEPT_FDS_MAX 128u     /* files kept open for their line tables, or for more of their unwinding tables */
#define VDSO_MAX_BYTES (64u << 10)
#define DELETED " (deleted)"
#define OVERLAYFS_MAGIC 0x794c7630 /* linux/magic.h OVERLAYFS_SUPER_MAGIC */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void objects_free(struct objects *objects)
{
	for (size_t i = 0; i < objects->all.n; i++) {
		struct object *obj = objects->all.data[i];

		lines_free(obj->lines);
		close_fd(&obj->fd);
		close_fd(&obj->debug_fd);
		free(obj->segs);
		symtab_free(&obj->tab);
		vec_free(&obj->starts);
		free(obj);
	}
	vec_free(&objects->all);
	map_free(&objects->index);
	*objects = (struct objects){ 0 };
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static size_t len_without_deleted(const char *path)
{
	size_t n = strlen(path), d = sizeof(DELETED) - 1;

	return n > d && !strcmp(path + n - d, DELETED) ? n - d : n;
}

static enum object_kind kind_of(const char *path)
{
	static const char *const anon[] = { "//anon", "[anon", "/dev/zero", "[heap]",	 "[stack",
					    "/SYSV",  "/anon_hugepage", "anon_inode:", "/dev/shm/.anon" };

	if (starts(path, "[vdso]"))
		return OBJECT_VDSO;
	if (starts(path, "/memfd:"))
		return OBJECT_MEMFD;
	for (size_t i = 0; i < sizeof(anon) / sizeof(*anon); i++)
		if (starts(path, anon[i]))
			return OBJECT_ANON;
	return *path == '/' ? OBJECT_FILE : OBJECT_OTHER;
}

static const char *name_unknown(struct strpool *pool, const char *path)
{
	size_t n = len_without_deleted(path), at = n;
	char text[NAME_MAX + 3];

	if (*path == '[')
		return strpool_add(pool, path);
	while (at && path[at - 1] != '/')
		at--;
	if (at == n)
		return strpool_add(pool, "[unknown]");
	snprintf(text, sizeof(text), "[%.*s]", (int)(n - at > NAME_MAX ? NAME_MAX : n - at), path + at);
	return strpool_add(pool, text);
}

static bool is_same(const struct object *obj, const struct task_event *t, const char *path)
{
	if (obj->path != path || obj->maj != t->maj || obj->min != t->min || obj->ino != t->ino)
		return false;
	/* /proc/PID/maps has no generation. */
	if (obj->ino_generation && t->ino_generation && obj->ino_generation != t->ino_generation)
		return false;
	if (t->ino && (!obj->build_id_size || !t->build_id_size))
		return true;
	return obj->build_id_size == t->build_id_size && !memcmp(obj->build_id, t->build_id, t->build_id_size);
}

struct object *objects_get(struct objects *objects, const struct task_event *t)
{
	const char *path = strpool_add(objects->pool, t->path && *t->path ? t->path : "//anon");
	uint64_t hash = hash_pair(t->ino, (uintptr_t)path);
	struct object *obj;

	map_each(i, &objects->index, hash)
		if (is_same(objects->all.data[i], t, path))
			return objects->all.data[i];
	if (!path || vec_reserve(&objects->all))
		return NULL;
	obj = calloc(1, sizeof(*obj));
	if (!obj)
		return NULL;
	obj->path = path;
	obj->unknown = name_unknown(objects->pool, path);
	if (!obj->unknown || map_add(&objects->index, hash, objects->all.n)) {
		free(obj);
		return NULL;
	}
	obj->kind = kind_of(path);
	obj->id = objects->all.n;
	obj->fd = obj->debug_fd = -1;
	obj->maj = t->maj;
	obj->min = t->min;
	obj->ino = t->ino;
	obj->ino_generation = t->ino_generation;
	obj->build_id_size = t->build_id_size > BUILD_ID_MAX ? BUILD_ID_MAX : t->build_id_size;
	memcpy(obj->build_id, t->build_id, obj->build_id_size);
	if (obj->kind == OBJECT_ANON || obj->kind == OBJECT_OTHER)
		obj->state = OBJECT_FAILED;
	objects->all.data[objects->all.n++] = obj;
	return obj;
}

void objects_build_id(struct objects *objects, const struct task_event *t)
{
	const char *path = strpool_add(objects->pool, t->path);

	for (size_t i = 0; i < objects->all.n && path; i++) {
		struct object *obj = objects->all.data[i];

		if (obj->path != path || obj->kind != OBJECT_FILE || obj->build_id_size || (obj->state != OBJECT_NEW && !obj->nr_tries))
			continue;
		obj->build_id_size = t->build_id_size;
		memcpy(obj->build_id, t->build_id, obj->build_id_size);
		if (obj->state == OBJECT_FAILED) {
			obj->state = OBJECT_NEW;
			obj->nr_tries = 0;
		}
	}
}

uint64_t objects_missing(const struct objects *objects, const char **ret_path)
{
	uint64_t n = 0;

	for (size_t i = 0; i < objects->all.n; i++) {
		const struct object *obj = objects->all.data[i];

		if (obj->kind != OBJECT_FILE || !obj->nr_tries || obj->state == OBJECT_OPEN || obj->state == OBJECT_READ)
			continue;
		*ret_path = obj->path;
		n++;
	}
	return n;
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
	return !is_host && len_without_deleted(obj->path) == strlen(obj->path) && !fstatfs(fd, &fs) &&
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
	return snprintf(path, PATH_MAX, "%s%.*s", objects->cfg->symfs ? objects->cfg->symfs : "", (int)len_without_deleted(obj->path),
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
	int plain = (int)len_without_deleted(obj->path), fd;
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
	char path[PATH_MAX];
	int at;

	if (!home)
		return -ENOENT;
	at = snprintf(path, sizeof(path), "%s/.debug/.build-id/%02x/", home, obj->build_id[0]);
	if (at < 0 || at + 2 * BUILD_ID_MAX + (int)sizeof("/elf") > (int)sizeof(path))
		return -ENAMETOOLONG;
	for (int i = 1; i < obj->build_id_size; i++)
		at += sprintf(path + at, "%02x", obj->build_id[i]);
	strcpy(path + at, "/elf");
	return open_checked(obj, path, false, false);
}

/* pid 0: no process has it. Less than 0: not to be had. */
static int open_file(const struct objects *objects, const struct object *obj, uint32_t pid, uint64_t start, uint64_t end)
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

bool object_open(struct objects *objects, struct object *obj, uint32_t pid, uint64_t start, uint64_t end)
{
	int fd;

	if (obj->state != OBJECT_NEW)
		return obj->state == OBJECT_OPEN || obj->state == OBJECT_READ;
	if (obj->kind == OBJECT_VDSO) {
		obj->state = objects->origin && objects->origin->other_kernel ? OBJECT_FAILED : OBJECT_OPEN;
		return obj->state == OBJECT_OPEN;
	}
	if (obj->nr_tries && obj->tried_pid == pid)
		return false;
	obj->tried_pid = pid;
	fd = open_file(objects, obj, pid, start, end);
	if (fd < 0) {
		if (++obj->nr_tries == TRIES_MAX || objects->cfg->offline)
			obj->state = OBJECT_FAILED;
		return false;
	}
	obj->fd = fd;
	objects->nr_fds++;
	obj->state = OBJECT_OPEN;
	return true;
}

/* Our own vDSO is the one of every process of this kernel and word size. */
static int open_vdso(struct elf_file *ret_elf)
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

static int open_debug(struct objects *objects, const struct object *obj, const struct elf_file *elf,
		      uint32_t pid, struct elf_file *ret_debug)
{
	const char *dir = objects->cfg->debug_dir ? objects->cfg->debug_dir : "/usr/lib/debug";
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
	snprintf(path, sizeof(path), "%.*s", (int)len_without_deleted(obj->path), obj->path);
	objects->debug_limits.servers = objects->cfg->servers;
	if (objects->cfg->servers == SERVERS_WAIT && !objects->cfg->offline && interrupts_stage_now() != INTERRUPT_FINISH)
		objects->debug_limits.servers = SERVERS_ASK;
	fd = debugfile_open(elf, path, dir, roots, n, &objects->debug_limits);
	if (fd < 0)
		return fd;
	if (elf_open_fd(fd, ret_debug)) {
		close(fd);
		return -ENOEXEC;
	}
	return fd;
}

static bool wants_lines(const struct objects *objects)
{
	return objects->cfg->lines || objects->cfg->inlines || objects->cfg->code;
}

/* Keeps the open files for libdw, as long as there are not too many of them. */
static void keep_fds(struct objects *objects, struct object *obj, int debug_fd)
{
	if (wants_lines(objects) && objects->nr_fds + (debug_fd >= 0) <= KEPT_FDS_MAX) {
		obj->debug_fd = debug_fd;
		objects->nr_fds += debug_fd >= 0;
		return;
	}
	if (debug_fd >= 0)
		close(debug_fd);
	/* More parts of its table will be wanted, and the file may be gone then. */
	if (obj->table_state == TABLE_TOLD && objects->nr_fds <= KEPT_FDS_MAX)
		return;
	if (obj->fd >= 0)
		objects->nr_fds--;
	close_fd(&obj->fd);
}

static bool lacks(const struct objects *objects, const struct elf_file *elf)
{
	return wants_lines(objects) ? !elf_sec_by_name(elf, ".debug_info") : !elfsyms_has_symtab(elf);
}

/* The segments outlive the file. */
static void take_segs(struct object *obj, struct elf_file *elf)
{
	free(obj->segs);
	obj->segs = elf->segs;
	obj->nr_segs = elf->nr_segs;
	elf->segs = NULL;
}

int object_file_open(struct objects *objects, struct object *obj, uint32_t pid, uint64_t start, uint64_t end,
		     struct object_file *ret_file)
{
	int fd = -1, ret;

	if (obj->state == OBJECT_NEW && !object_open(objects, obj, pid, start, end))
		return -ENOENT;
	if (obj->kind != OBJECT_VDSO) {
		fd = obj->fd >= 0 ? obj->fd : open_file(objects, obj, pid, start, end);
		if (fd < 0)
			return -ENOENT;
	}
	ret = fd < 0 ? open_vdso(&ret_file->elf) : elf_open_fd(fd, &ret_file->elf);
	if (ret) {
		if (fd >= 0 && fd != obj->fd)
			close(fd);
		return ret;
	}
	ret_file->debug_fd = -1;
	return 0;
}

const struct elf_file *object_file_debug(struct objects *objects, const struct object *obj, uint32_t pid,
					 struct object_file *file)
{
	file->debug_fd = open_debug(objects, obj, &file->elf, pid, &file->debug);
	return file->debug_fd >= 0 ? &file->debug : NULL;
}

void object_file_close(struct object *obj, struct object_file *file)
{
	int fd = file->elf.fd;

	if (!obj->segs)
		take_segs(obj, &file->elf);
	elf_close(&file->elf);
	if (fd >= 0 && fd != obj->fd)
		close(fd);
	if (file->debug_fd < 0)
		return;
	elf_close(&file->debug);
	close(file->debug_fd);
}

void object_read(struct objects *objects, struct object *obj, uint32_t pid)
{
	struct elf_file elf, debug;
	int debug_fd = -1, n;

	if (obj->state != OBJECT_OPEN)
		return;
	obj->state = OBJECT_FAILED;
	if (obj->kind == OBJECT_VDSO ? open_vdso(&elf) : elf_open_fd(obj->fd, &elf)) {
		objects->nr_fds -= obj->fd >= 0;
		close_fd(&obj->fd);
		return;
	}
	if (lacks(objects, &elf))
		debug_fd = open_debug(objects, obj, &elf, pid, &debug);
	obj->is_coming = debug_fd == -EAGAIN;
	if (objects->cfg->build_ids && !obj->build_id_size)
		obj->own_id_size = (uint8_t)elf_build_id(&elf, obj->own_id, sizeof(obj->own_id));
	obj->tab.with_data = objects->cfg->data;
	n = elfsyms_load(&elf, debug_fd >= 0 ? &debug : NULL, &obj->tab);
	take_segs(obj, &elf);
	elf_close(&elf);
	if (debug_fd >= 0)
		elf_close(&debug);
	keep_fds(objects, obj, debug_fd);
	if (n < 0) {
		symtab_free(&obj->tab);
		return;
	}
	objects->nr_symbols += (uint64_t)n;
	obj->state = OBJECT_READ;
}

bool object_read_again(struct objects *objects, struct object *obj)
{
	struct object_file file;
	const struct elf_file *debug;
	int n = -ENOENT;

	if (object_file_open(objects, obj, obj->tried_pid, 0, 0, &file)) {
		obj->is_coming = false;
		return false;
	}
	debug = object_file_debug(objects, obj, obj->tried_pid, &file);
	obj->is_coming = file.debug_fd == -EAGAIN;
	if (debug) {
		symtab_free(&obj->tab);
		obj->tab = (struct symtab){ .with_data = objects->cfg->data };
		n = elfsyms_load(&file.elf, debug, &obj->tab);
		objects->nr_symbols += n > 0 ? (uint64_t)n : 0;
		lines_free(obj->lines);
		obj->lines = NULL;
		obj->lines_tried = false;
		if (wants_lines(objects) && obj->debug_fd < 0 && objects->nr_fds < KEPT_FDS_MAX &&
		    (obj->debug_fd = fcntl(file.debug_fd, F_DUPFD_CLOEXEC, 0)) >= 0)
			objects->nr_fds++;
	}
	object_file_close(obj, &file);
	return n >= 0;
}

void object_ask(struct objects *objects, struct object *obj, const struct elf_file *elf, uint32_t pid)
{
	struct elf_file debug;
	int fd;

	if (objects->cfg->servers == SERVERS_NOT || !debuginfod_is_on() || !lacks(objects, elf))
		return;
	fd = open_debug(objects, obj, elf, pid, &debug);
	if (fd < 0)
		return;
	elf_close(&debug);
	close(fd);
}

struct lines *object_lines(struct objects *objects, struct object *obj)
{
	if (obj->lines_tried)
		return obj->lines;
	obj->lines_tried = true;
	obj->lines = obj->debug_fd >= 0 ? lines_open(obj->debug_fd, &objects->dwarf_limits) : NULL;
	if (!obj->lines && obj->fd >= 0)
		obj->lines = lines_open(obj->fd, &objects->dwarf_limits);
	return obj->lines;
}

uint8_t objects_id(const struct objects *objects, const char *path, uint8_t *ret_id)
{
	for (size_t i = objects->all.n; i-- > 0;) {
		const struct object *obj = objects->all.data[i];
		uint8_t n = obj->build_id_size ? obj->build_id_size : obj->own_id_size;

		if (obj->path != path || !n)
			continue;
		memcpy(ret_id, obj->build_id_size ? obj->build_id : obj->own_id, n);
		return n;
	}
	return 0;
}

bool object_vaddr(const struct object *obj, uint64_t off, uint64_t *ret_vaddr)
{
	return elf_off_to_vaddr(obj->segs, obj->nr_segs, off, ret_vaddr);
}

bool object_code_vaddr(const struct object *obj, uint64_t off, uint64_t len, uint64_t *ret_vaddr)
{
	for (uint32_t i = 0; i < obj->nr_segs; i++) {
		const struct elf_seg *s = &obj->segs[i];

		if (s->type != PT_LOAD || !(s->flags & PF_X) || (s->off - off >= len && off - s->off >= s->filesz))
			continue;
		*ret_vaddr = s->vaddr - (s->off - off);
		return true;
	}
	return false;
}
