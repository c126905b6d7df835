/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects: found by identity, opened through /proc while a process has them mapped, read once. */
#include "sym/object.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/debuginfod.h"
#include "elf/elfsyms.h"
#include "sym/lines.h"
#include "sym/objectfile.h"
#include "sym/origin.h"
#include "util/hash.h"
#include "util/interrupt.h"
#include "util/text.h"

#define TRIES_MAX 16	      /* processes tried for a file before it is given up */
#define KEPT_FDS_MAX 128u     /* files kept open for their line tables, or for more of their unwinding tables */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* What was read of its file; its fields are not reset. */
static void free_content(struct object *obj)
{
	lines_free(obj->lines);
	close_fd(&obj->fd);
	close_fd(&obj->debug_fd);
	free(obj->segs);
	symtab_free(&obj->tab);
	vec_free(&obj->starts);
}

void objects_free(struct objects *objects)
{
	for (size_t i = 0; i < objects->all.n; i++) {
		struct object *obj = objects->all.data[i];

		free_content(obj);
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
	size_t n = objectfile_path_bytes(path), at = n;
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
		obj->id_text = NULL;
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
	fd = objectfile_open(objects, obj, pid, start, end);
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
		fd = obj->fd >= 0 ? obj->fd : objectfile_open(objects, obj, pid, start, end);
		if (fd < 0)
			return -ENOENT;
	}
	ret = fd < 0 ? objectfile_vdso(&ret_file->elf) : elf_open_fd(fd, &ret_file->elf);
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
	file->debug_fd = objectfile_debug(objects, obj, &file->elf, pid, &file->debug);
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

static void read_own_id(struct objects *objects, struct object *obj, uint32_t pid)
{
	struct object_file file;

	obj->id_pid = pid;
	if (object_file_open(objects, obj, pid, 0, 0, &file))
		return;
	obj->id_tried = true;
	obj->own_id_size = (uint8_t)elf_build_id(&file.elf, obj->own_id, sizeof(obj->own_id));
	object_file_close(obj, &file);
}

const char *object_id(struct objects *objects, struct object *obj, uint32_t pid)
{
	char hex[2 * BUILD_ID_MAX + 1];
	const uint8_t *id;
	uint8_t n;

	if (obj->id_text)
		return obj->id_text;
	if (!obj->build_id_size && !obj->own_id_size && !obj->id_tried && obj->id_pid != pid && obj->state != OBJECT_FAILED)
		read_own_id(objects, obj, pid);
	id = obj->build_id_size ? obj->build_id : obj->own_id;
	n = obj->build_id_size ? obj->build_id_size : obj->own_id_size;
	if (!n)
		return "";
	text_hex(hex, id, n);
	obj->id_text = strpool_add(objects->pool, hex);
	return obj->id_text;
}

void object_read(struct objects *objects, struct object *obj, uint32_t pid)
{
	struct elf_file elf, debug;
	int debug_fd = -1, n;

	if (obj->state != OBJECT_OPEN)
		return;
	obj->state = OBJECT_FAILED;
	if (obj->kind == OBJECT_VDSO ? objectfile_vdso(&elf) : elf_open_fd(obj->fd, &elf)) {
		objects->nr_fds -= obj->fd >= 0;
		close_fd(&obj->fd);
		return;
	}
	if (lacks(objects, &elf))
		debug_fd = objectfile_debug(objects, obj, &elf, pid, &debug);
	obj->is_coming = debug_fd == -EAGAIN;
	if (objects->cfg->build_ids && !obj->build_id_size) {
		obj->own_id_size = (uint8_t)elf_build_id(&elf, obj->own_id, sizeof(obj->own_id));
		obj->id_tried = true;
	}
	obj->tab.with_data = objects->cfg->data;
	n = elfsyms_load(&elf, debug_fd >= 0 ? &debug : NULL, &obj->tab);
	take_segs(obj, &elf);
	elf_close(&elf);
	if (debug_fd >= 0)
		elf_close(&debug);
	keep_fds(objects, obj, debug_fd);
	if (n < 0) {
		symtab_free(&obj->tab);
		objects->nr_fds -= (obj->fd >= 0) + (obj->debug_fd >= 0);
		close_fd(&obj->fd);
		close_fd(&obj->debug_fd);
		return;
	}
	objects->nr_symbols += (uint64_t)n;
	obj->state = OBJECT_READ;
}

bool object_read_again(struct objects *objects, struct object *obj)
{
	struct symtab tab = { .with_data = objects->cfg->data };
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
		n = elfsyms_load(&file.elf, debug, &tab);
		if (n < 0)
			symtab_free(&tab);
	}
	if (n >= 0) {
		objects->nr_symbols += (uint64_t)tab.n - obj->tab.n;
		objects->nr_early += obj->nr_early;
		obj->nr_early = 0;
		symtab_free(&obj->tab);
		obj->tab = tab;
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

bool object_await(struct objects *objects, struct object *obj)
{
	if (!obj->is_coming || obj->is_awaited || !objectfile_may_wait(objects))
		return false;
	obj->is_awaited = true;
	return object_read_again(objects, obj);
}

void object_ask(struct objects *objects, struct object *obj, const struct elf_file *elf, uint32_t pid)
{
	struct elf_file debug;
	int fd;

	if (objects->cfg->servers == SERVERS_NOT || !debuginfod_is_on() || !lacks(objects, elf))
		return;
	fd = objectfile_debug(objects, obj, elf, pid, &debug);
	if (fd < 0)
		return;
	elf_close(&debug);
	close(fd);
}

void object_forget(struct objects *objects, struct object *obj)
{
	if (obj->state != OBJECT_OPEN && obj->state != OBJECT_READ)
		return;
	objects->nr_fds -= (obj->fd >= 0) + (obj->debug_fd >= 0);
	free_content(obj);
	obj->tab = (struct symtab){ 0 };
	obj->segs = NULL;
	obj->nr_segs = 0;
	obj->lines = NULL;
	obj->lines_tried = obj->starts_tried = obj->is_coming = obj->is_awaited = false;
	obj->nr_tries = 0;
	obj->nr_early = 0;
	obj->tried_pid = 0;
	obj->state = OBJECT_NEW;
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
