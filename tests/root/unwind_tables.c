/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of all that this process maps, where tests/root/unwind.bpf.c looks for them. */
#include "unwind.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROW_BLOCKS 64
#define PAGES_MAX 65536u
#define OBJECTS_MAX 64
#define RESTS_BYTES (1u << 20)

struct unwind_bpf *skel;
struct unwind_rules rules;
struct object objects[OBJECTS_MAX];
uint32_t nr_objects;
static uint32_t nr_pages, nr_rows;
static struct unwind_map *maps; /* lists, one behind the other */

void die(const char *what)
{
	fprintf(stderr, "unwind: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void *map_of(const struct bpf_map *map, size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (mem == MAP_FAILED)
		die(bpf_map__name(map));
	return mem;
}

/* The rows of a page lie in one block. */
static void publish_table(const struct unwind_table *t, struct unwind_page *pages, uint32_t *rows)
{
	for (uint32_t i = 0; i < t->nr_pages; i++) {
		const struct unwind_page *p = &t->pages[i];

		if (nr_rows % UNWIND_BLOCK_ROWS + p->nr > UNWIND_BLOCK_ROWS)
			nr_rows += UNWIND_BLOCK_ROWS - nr_rows % UNWIND_BLOCK_ROWS;
		if (nr_rows + p->nr > ROW_BLOCKS * UNWIND_BLOCK_ROWS || nr_pages == PAGES_MAX)
			die("too many rows");
		memcpy(rows + nr_rows, t->rows + p->row, p->nr * sizeof(*rows));
		pages[nr_pages++] = (struct unwind_page){ nr_rows, p->nr };
		nr_rows += p->nr;
	}
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

static void read_objects(void)
{
	struct unwind_page *pages = map_of(skel->maps.unwind_pages, PAGES_MAX * sizeof(*pages));
	uint32_t *rows = map_of(skel->maps.unwind_rows, ROW_BLOCKS * UNWIND_BLOCK_ROWS * sizeof(*rows));
	struct unwind_rule *to = map_of(skel->maps.unwind_rules, UNWIND_RULES_MAX * sizeof(*to));
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, pgoff;
	char line[512], perms[8], path[256];

	while (f && nr_objects < OBJECTS_MAX && fgets(line, sizeof(line), f)) {
		struct object *o = &objects[nr_objects];

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, perms, &pgoff, path) != 5 || perms[2] != 'x' ||
		    (*path == '[' && strcmp(path, "[vdso]")))
			continue;
		read_object(path, start, end, pgoff, o);
		o->map.page = nr_pages;
		o->map.nr_pages = o->table.nr_pages | UNWIND_MAP_TABLE << UNWIND_KIND_SHIFT;
		publish_table(&o->table, pages, rows);
		nr_objects++;
	}
	fclose(f);
	memcpy(to, rules.data, rules.n * sizeof(*to));
	maps = map_of(skel->maps.unwind_maps, UNWIND_BLOCK_MAPS * sizeof(*maps));
}

void tables_open(void)
{
	skel = unwind_bpf__open();
	if (!skel || unwind_rules_init(&rules))
		die("open");
	bpf_map__set_max_entries(skel->maps.unwind_rows, ROW_BLOCKS);
	bpf_map__set_max_entries(skel->maps.unwind_pages, PAGES_MAX);
	bpf_map__set_max_entries(skel->maps.unwind_rests, RESTS_BYTES);
	if (unwind_bpf__load(skel))
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
	static uint32_t next;
	struct unwind_space space = { .first = next, .nr = nr_objects };

	for (uint32_t i = 0; i < nr_objects; i++)
		maps[next + i] = objects[i].map;
	if (more.end)
		maps[next + space.nr++] = more;
	qsort(maps + next, space.nr, sizeof(*maps), by_start);
	next += space.nr;
	if (bpf_map_update_elem(bpf_map__fd(skel->maps.unwind_spaces), key, &space, BPF_ANY))
		die("unwind_spaces");
}
