/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of all that this process maps, where tests/root/unwind.bpf.c looks for them. */
#include "unwind.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/unwindstore.h"

#define OBJECTS_MAX 64
#define ROOM_BYTES (4u << 20)
#define RESTS_BYTES (1u << 20)

struct unwind_bpf *skel;
struct unwind_rules rules;
struct object objects[OBJECTS_MAX];
uint32_t nr_objects;
static struct unwind_store *store;

void die(const char *what)
{
	fprintf(stderr, "unwind: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* What a line of /proc/self/maps maps, if it is code. */
static void read_object(const char *path, uint64_t start, uint64_t end, uint64_t pgoff, struct object *o)
{
	bool is_vdso = !strcmp(path, "[vdso]");
	struct elf_file elf;
	uint64_t vaddr;
	int fd = is_vdso ? -1 : open(path, O_RDONLY | O_CLOEXEC);

	if (is_vdso ? elf_open_mem((void *)start, end - start, &elf) : fd < 0 || elf_open_fd(fd, &elf))
		die(path);
	if (!elf_off_to_vaddr(elf.segs, elf.nr_segs, pgoff, &vaddr) || unwind_table_read(&elf, NULL, &rules, &o->table))
		die(path);
	o->map = (struct unwind_map){ .start = start, .end = end, .bias = start - vaddr + o->table.vaddr };
	elf_close(&elf);
	if (fd >= 0)
		close(fd);
}

static void put_table(struct object *o)
{
	if (store->pages(store, o->table.nr_pages, &o->map.page))
		die("no room");
	o->map.nr_pages = o->table.nr_pages | UNWIND_MAP_TABLE << UNWIND_KIND_SHIFT;
}

void tables_fill(void)
{
	bool has_room = !store->rules(store, rules.data, rules.n);

	for (uint32_t i = 0; has_room && i < nr_objects; i++) {
		const struct unwind_table *t = &objects[i].table;

		has_room = !store->rows(store, objects[i].map.page, t->pages, t->nr_pages, t->rows);
	}
	if (!has_room || unwindstore_use(store).evicted_bytes % ROOM_BYTES)
		die("no room");
}

void tables_crowd(void)
{
	static const uint32_t rows[UNWIND_BLOCK_ROWS];
	static const struct unwind_page full = { .nr = UNWIND_BLOCK_ROWS };
	uint64_t evicted_bytes = unwindstore_use(store).evicted_bytes;
	uint32_t page;

	while (unwindstore_use(store).evicted_bytes < evicted_bytes + ROOM_BYTES)
		if (store->pages(store, 1, &page) || store->rows(store, page, &full, 1, rows))
			die("no room");
}

static void read_objects(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, pgoff;
	char line[512], perms[8], path[256];

	while (f && nr_objects < OBJECTS_MAX && fgets(line, sizeof(line), f)) {
		struct object *o = &objects[nr_objects];

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, perms, &pgoff, path) != 5 || perms[2] != 'x' ||
		    (*path == '[' && strcmp(path, "[vdso]")))
			continue;
		read_object(path, start, end, pgoff, o);
		put_table(o);
		nr_objects++;
	}
	fclose(f);
	tables_fill();
}

void tables_open(void)
{
	struct err err = { 0 };

	skel = unwind_bpf__open();
	if (!skel || unwind_rules_init(&rules))
		die("open");
	if (unwindstore_new(ROOM_BYTES, RESTS_BYTES, &store, &err))
		die(err.text);
	if (unwindstore_lend(store, skel->obj) || unwind_bpf__load(skel))
		die("load");
	read_objects();
}

static int by_start(const void *a, const void *b)
{
	const struct unwind_map *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

void tables_publish(const struct unwind_space_key *key, struct unwind_map more)
{
	struct unwind_map maps[OBJECTS_MAX + 1];
	uint32_t n = nr_objects;

	for (uint32_t i = 0; i < n; i++)
		maps[i] = objects[i].map;
	if (more.end)
		maps[n++] = more;
	qsort(maps, n, sizeof(*maps), by_start);
	if (store->space(store, key, maps, n))
		die("no room for mappings");
}
