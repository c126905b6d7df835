/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Build ids of mapped files and of the kernel. */
#include "sym/buildid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf.h"
#include "sym/object.h"
#include "sym/sym.h"
#include "util/file.h"

#define NOTES_FILE "/sys/kernel/notes"
#define NOTES_MAX_BYTES (64u << 10)

struct build_ids {
	struct syms_cfg cfg;
	struct strpool *pool;
	struct objects objects;
};

int build_ids_new(struct build_ids **ret_ids)
{
	struct build_ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	ids->pool = strpool_new();
	if (!ids->pool) {
		free(ids);
		return -ENOMEM;
	}
	ids->objects = (struct objects){ .cfg = &ids->cfg, .pool = ids->pool };
	*ret_ids = ids;
	return 0;
}

void build_ids_free(struct build_ids *ids)
{
	if (!ids)
		return;
	objects_free(&ids->objects);
	strpool_free(ids->pool);
	free(ids);
}

/* Leaves the object OBJECT_READ, without its descriptor: looked up once. */
static void read_id(struct build_ids *ids, struct object *obj)
{
	struct elf_file elf;
	int n = -1;

	if (!elf_open_fd(obj->fd, &elf)) {
		n = elf_build_id(&elf, obj->build_id, sizeof(obj->build_id));
		elf_close(&elf);
	}
	obj->build_id_size = n > 0 ? n : 0;
	close(obj->fd);
	obj->fd = -1;
	ids->objects.nr_fds--;
	obj->state = OBJECT_READ;
}

uint8_t build_id_of(struct build_ids *ids, const struct task_event *t, uint8_t *ret_id)
{
	struct object *obj = objects_get(&ids->objects, t);

	if (!obj || obj->kind != OBJECT_FILE)
		return 0;
	if (obj->state == OBJECT_NEW && object_open(&ids->objects, obj, t->pid, t->addr, t->addr + t->len))
		read_id(ids, obj);
	memcpy(ret_id, obj->build_id, obj->build_id_size);
	return obj->build_id_size;
}

uint8_t build_id_kernel(uint8_t *ret_id)
{
	char *notes;
	size_t n;
	int size;

	if (file_read(NOTES_FILE, 0, NOTES_MAX_BYTES, &notes, &n))
		return 0;
	size = elf_note_build_id(notes, n, ret_id, BUILD_ID_MAX);
	free(notes);
	return size > 0 ? size : 0;
}
