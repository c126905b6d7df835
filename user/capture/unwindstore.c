/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a walker may be reading is never overwritten. Mappings of an address space are written elsewhere before the one look-up that
 * publishes them changes, and their former place is used again only when no walk can still be there.
 */
#include "capture/unwindstore.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/cost.h"
#include "capture/load.h"
#include "capture/unwindsheets.h"
#include "util/clock.h"
#include "util/vec.h"

#define RUN_LEAST 3u	/* log2 of the fewest mappings that room is made for */
#define RUN_CLASSES 10u /* up to all of a block */
#define RUN_REST_NS 1000000000ull

enum { MAP_RULES, MAP_MAPS, MAP_SPACES, MAP_RESTS, NR_MAPS };
struct shape {
	const char *name;
	enum bpf_map_type type;
	uint32_t key_size, value_size;
	uint32_t max; /* 0: the ring's bytes */
};

#define RULES_BYTES (UNWIND_RULES_MAX * sizeof(struct unwind_rule))
#define BLOCK_BYTES (UNWIND_BLOCK_MAPS * sizeof(struct unwind_map))

static const struct shape shapes[NR_MAPS] = {
	[MAP_RULES] = { "unwind_rules", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct unwind_rule), UNWIND_RULES_MAX },
	[MAP_MAPS] = { "unwind_maps", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), BLOCK_BYTES, UNWIND_MAP_BLOCKS },
	[MAP_SPACES] = { "unwind_spaces", BPF_MAP_TYPE_HASH, sizeof(struct unwind_space_key), sizeof(struct unwind_space), UNWIND_SPACES_MAX },
	[MAP_RESTS] = { "unwind_rests", BPF_MAP_TYPE_RINGBUF, 0, 0, 0 },
};

/* Room for 1 << class mappings. */
struct run {
	uint64_t free_ns; /* since when */
	uint32_t first;
};

struct tables {
	struct unwind_store store; /* first: a pointer to it is one to us */
	struct unwind_sheets sheets;
	int fds[NR_MAPS];
	struct unwind_rule *rules; /* a view of the kernel's */
	struct unwind_map *blocks[UNWIND_MAP_BLOCKS]; /* views, of those that have mappings */
	uint32_t nr_rules, nr_maps;
	VEC(struct run) free[RUN_CLASSES]; /* oldest first */
	bool is_full; /* of mappings */
};

/* Of an array of the kernel's, from its byte `at` on. NULL, and errno. */
static void *view_open(const struct tables *t, int map, size_t at, size_t bytes)
{
	void *view = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->fds[map], (off_t)at);

	return view == MAP_FAILED ? NULL : view;
}

static void view_close(void *view, size_t bytes)
{
	if (view)
		munmap(view, bytes);
}

static int put_rules(struct unwind_store *store, const struct unwind_rule *rules, uint32_t n)
{
	struct tables *t = (struct tables *)store;

	if (n > UNWIND_RULES_MAX)
		return -ENOSPC;
	if (n > t->nr_rules)
		memcpy(t->rules + t->nr_rules, rules + t->nr_rules, (n - t->nr_rules) * sizeof(*rules));
	t->nr_rules = n > t->nr_rules ? n : t->nr_rules;
	return 0;
}

static int make_pages(struct unwind_store *store, uint32_t nr, uint32_t *ret_page)
{
	return unwind_sheets_pages(&((struct tables *)store)->sheets, nr, ret_page);
}

static int put_rows(struct unwind_store *store, uint32_t page, const struct unwind_page *pages, uint32_t nr, const uint32_t *rows)
{
	return unwind_sheets_rows(&((struct tables *)store)->sheets, page, pages, nr, rows);
}

static int find_rows(struct unwind_store *store, uint32_t page, const uint32_t **ret_rows, uint32_t *ret_nr)
{
	return unwind_sheets_find(&((struct tables *)store)->sheets, page, ret_rows, ret_nr);
}

static uint32_t run_class(uint32_t n)
{
	uint32_t class = 0;

	while (1u << (class + RUN_LEAST) < n)
		class++;
	return class;
}

static void run_free(struct tables *t, const struct unwind_space *space)
{
	uint32_t class = run_class(space->nr);

	if (!space->nr || vec_reserve(&t->free[class]))
		return;
	t->free[class].data[t->free[class].n++] = (struct run){ now_ns(), space->first };
}

/* Runs are as long as their place is aligned: none crosses the end of a block. */
static int run_alloc(struct tables *t, uint32_t n, uint32_t *ret_first)
{
	uint32_t class = run_class(n), size = 1u << (class + RUN_LEAST), at;

	if (class >= RUN_CLASSES)
		return -ENOSPC;
	if (t->free[class].n && t->free[class].data[0].free_ns + RUN_REST_NS < now_ns()) {
		*ret_first = t->free[class].data[0].first;
		memmove(t->free[class].data, t->free[class].data + 1, --t->free[class].n * sizeof(struct run));
		return 0;
	}
	at = (t->nr_maps + size - 1) & ~(size - 1);
	if (at + size > UNWIND_MAP_BLOCKS * UNWIND_BLOCK_MAPS) {
		t->is_full = true;
		return -ENOSPC;
	}
	t->nr_maps = at + size;
	*ret_first = at;
	return 0;
}

static void forget_space(struct unwind_store *store, const struct unwind_space_key *key)
{
	struct tables *t = (struct tables *)store;
	struct unwind_space had;

	if (bpf_map_lookup_elem(t->fds[MAP_SPACES], key, &had) || bpf_map_delete_elem(t->fds[MAP_SPACES], key))
		return;
	run_free(t, &had);
}

static int put_maps(struct tables *t, uint32_t first, const struct unwind_map *maps, uint32_t n)
{
	struct unwind_map **block = &t->blocks[first / UNWIND_BLOCK_MAPS];

	if (!*block)
		*block = view_open(t, MAP_MAPS, first / UNWIND_BLOCK_MAPS * BLOCK_BYTES, BLOCK_BYTES);
	if (!*block)
		return -errno;
	memcpy(*block + first % UNWIND_BLOCK_MAPS, maps, n * sizeof(*maps));
	return 0;
}

static int put_space(struct unwind_store *store, const struct unwind_space_key *key, const struct unwind_map *maps, uint32_t n)
{
	struct tables *t = (struct tables *)store;
	struct unwind_space had = { 0 }, space = { .nr = n };
	int ret = run_alloc(t, n, &space.first);

	if (ret)
		return ret;
	ret = put_maps(t, space.first, maps, n);
	if (ret) {
		run_free(t, &space);
		return ret;
	}
	bpf_map_lookup_elem(t->fds[MAP_SPACES], key, &had);
	if (bpf_map_update_elem(t->fds[MAP_SPACES], key, &space, BPF_ANY)) {
		ret = errno == E2BIG ? -ENOSPC : -errno;
		t->is_full |= ret == -ENOSPC;
		run_free(t, &space);
		return ret;
	}
	run_free(t, &had);
	return 0;
}

static int open_map(struct tables *t, int i, uint32_t rests_bytes)
{
	const struct shape *s = &shapes[i];
	uint32_t flags = s->type == BPF_MAP_TYPE_ARRAY ? BPF_F_MMAPABLE : s->type == BPF_MAP_TYPE_HASH ? object_hash_flags() : 0;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);

	t->fds[i] = bpf_map_create(s->type, s->name, s->key_size, s->value_size, s->max ? s->max : rests_bytes, &opts);
	return t->fds[i] < 0 ? t->fds[i] : 0;
}

int unwindstore_new(uint64_t bytes, uint32_t rests_bytes, struct unwind_store **ret_store, struct err *err)
{
	struct tables *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return err_set(err, -ENOMEM, "out of memory");
	t->store = (struct unwind_store){ .rules = put_rules, .pages = make_pages, .rows = put_rows, .find = find_rows,
					  .space = put_space, .forget = forget_space };
	for (int i = 0; i < NR_MAPS; i++)
		t->fds[i] = -1;
	ret = unwind_sheets_open(&t->sheets, bytes);
	for (int i = 0; i < NR_MAPS && !ret; i++)
		ret = open_map(t, i, rests_bytes);
	if (!ret && !(t->rules = view_open(t, MAP_RULES, 0, RULES_BYTES)))
		ret = -errno;
	if (ret) {
		unwindstore_free(&t->store);
		return err_exit(err, ret, EXIT_CANNOT, "cannot make room for unwinding tables: %s", strerror(-ret));
	}
	*ret_store = &t->store;
	return 0;
}

void unwindstore_free(struct unwind_store *store)
{
	struct tables *t = (struct tables *)store;

	if (!t)
		return;
	unwind_sheets_close(&t->sheets);
	for (uint32_t i = 0; i < RUN_CLASSES; i++)
		vec_free(&t->free[i]);
	view_close(t->rules, RULES_BYTES);
	for (uint32_t i = 0; i < UNWIND_MAP_BLOCKS; i++)
		view_close(t->blocks[i], BLOCK_BYTES);
	for (int i = 0; i < NR_MAPS; i++)
		if (t->fds[i] >= 0)
			close(t->fds[i]);
	free(t);
}

/* A map of that name and the fd that stands for it, i counted from 0: false: no more. */
static bool lent(const struct tables *t, int i, const char **ret_name, int *ret_fd)
{
	if (i < NR_MAPS) {
		*ret_name = shapes[i].name;
		*ret_fd = t ? t->fds[i] : -1;
	} else {
		*ret_name = i == NR_MAPS ? "unwind_rows" : "unwind_pages";
		*ret_fd = !t ? -1 : i == NR_MAPS ? t->sheets.rows_fd : t->sheets.pages_fd;
	}
	return i < NR_MAPS + 2;
}

int unwindstore_lend(const struct unwind_store *store, struct bpf_object *obj)
{
	const struct tables *t = (const struct tables *)store;
	struct bpf_map *map;
	const char *name;
	int ret = 0, fd;

	for (int i = 0; !ret && lent(t, i, &name, &fd); i++) {
		map = bpf_object__find_map_by_name(obj, name);
		if (map)
			ret = t ? bpf_map__reuse_fd(map, fd) : bpf_map__set_autocreate(map, false);
	}
	map = t ? NULL : bpf_object__find_map_by_name(obj, "unwind_scratch");
	return !ret && map ? bpf_map__set_autocreate(map, false) : ret;
}

bool unwindstore_has(const struct bpf_map *map)
{
	const char *name;
	int fd;

	for (int i = 0; lent(NULL, i, &name, &fd); i++)
		if (!strcmp(bpf_map__name(map), name))
			return true;
	return false;
}

int unwindstore_rests_fd(const struct unwind_store *store)
{
	return ((const struct tables *)store)->fds[MAP_RESTS];
}

void unwindstore_cost(struct unwind_store *store, struct receipt *receipt)
{
	struct tables *t = (struct tables *)store;

	receipt->map_bytes += unwind_sheets_bytes(&t->sheets);
	for (int i = 0; i < NR_MAPS; i++)
		cost_of_map(t->fds[i], receipt);
}

struct unwindstore_use unwindstore_use(struct unwind_store *store)
{
	struct tables *t = (struct tables *)store;

	return (struct unwindstore_use){ .evicted_bytes = t->sheets.evicted_bytes, .bytes = unwind_sheets_bytes(&t->sheets),
					 .room_bytes = t->sheets.row_bytes_max + t->sheets.page_bytes_max, .maps = t->nr_maps,
					 .room_maps = UNWIND_MAP_BLOCKS * UNWIND_BLOCK_MAPS, .is_full = t->is_full, .has_no_pages = t->sheets.is_full };
}
