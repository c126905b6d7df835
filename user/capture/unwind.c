/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables only grow: what a walker may be reading is never moved. Mappings of an address space are written elsewhere before the one
 * look-up that publishes them changes, and their former place is used again only when no walk can still be there.
 */
#include "capture/unwind.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/cost.h"
#include "capture/rings.h"
#include "util/clock.h"
#include "util/hash.h"
#include "util/vec.h"

#define CHAIN_BUCKETS 16384u
#define CHAINS_MAX 65536u /* that are kept: several sums may have one stack, and a sample that is lost has none */
#define RUN_LEAST 3u	  /* log2 of the fewest mappings that room is made for */
#define RUN_CLASSES 10u	  /* up to all of a block */
#define RUN_REST_NS 1000000000ull

enum { MAP_ROWS, MAP_PAGES, MAP_RULES, MAP_MAPS, MAP_SPACES, MAP_RESTS, NR_MAPS };

static const struct {
	const char *name;
	enum bpf_map_type type;
	uint32_t key_size, value_size, max;
} shapes[NR_MAPS] = {
	[MAP_ROWS] = { "unwind_rows", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), UNWIND_BLOCK_ROWS * sizeof(uint32_t), UNWIND_BLOCKS },
	[MAP_PAGES] = { "unwind_pages", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct unwind_page), UNWIND_PAGES_MAX },
	[MAP_RULES] = { "unwind_rules", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct unwind_rule), UNWIND_RULES_MAX },
	[MAP_MAPS] = { "unwind_maps", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), UNWIND_BLOCK_MAPS * sizeof(struct unwind_map), UNWIND_MAP_BLOCKS },
	[MAP_SPACES] = { "unwind_spaces", BPF_MAP_TYPE_HASH, sizeof(struct unwind_space_key), sizeof(struct unwind_space), UNWIND_SPACES_MAX },
	[MAP_RESTS] = { "unwind_rests", BPF_MAP_TYPE_RINGBUF, 0, 0, UNWIND_RESTS_BYTES },
};

/* A walk that was finished here. */
struct chain {
	struct chain *next;
	uint64_t id;
	uint32_t n, end;
	uint64_t ips[];
};

/* Room for 1 << class mappings. */
struct run {
	uint64_t free_ns; /* since when */
	uint32_t first;
};

struct unwinder {
	struct unwind_store store; /* first: a pointer to it is one to us */
	struct unwind_guide *guide;
	int fds[NR_MAPS];
	void *views[NR_MAPS]; /* of those that are arrays */
	uint32_t nr_rows, nr_pages, nr_rules, nr_maps;
	VEC(struct run) free[RUN_CLASSES]; /* oldest first */
	struct rings rests;
	struct chain *chains[CHAIN_BUCKETS];
	struct chain *order[CHAINS_MAX]; /* as they came, from nr_walked % CHAINS_MAX on */
	uint64_t nr_walked;
	bool is_full; /* of tables, or of mappings */
	uint64_t whole[STACK_MAX_FRAMES];
};

static size_t view_bytes(int i)
{
	return (size_t)shapes[i].max * shapes[i].value_size;
}

static int put_rules(struct unwind_store *store, const struct unwind_rule *rules, uint32_t n)
{
	struct unwinder *u = (struct unwinder *)store;
	struct unwind_rule *view = u->views[MAP_RULES];

	if (n > UNWIND_RULES_MAX)
		return -ENOSPC;
	if (n > u->nr_rules)
		memcpy(view + u->nr_rules, rules + u->nr_rules, (n - u->nr_rules) * sizeof(*rules));
	u->nr_rules = n > u->nr_rules ? n : u->nr_rules;
	return 0;
}

static int put_table(struct unwind_store *store, const struct unwind_page *pages, uint32_t nr_pages, const uint32_t *rows, uint32_t *ret_page)
{
	struct unwinder *u = (struct unwinder *)store;
	struct unwind_page *to = (struct unwind_page *)u->views[MAP_PAGES] + u->nr_pages;
	uint32_t *all = u->views[MAP_ROWS];
	uint32_t at = u->nr_rows;

	u->is_full |= nr_pages > UNWIND_PAGES_MAX - u->nr_pages;
	if (nr_pages > UNWIND_PAGES_MAX - u->nr_pages)
		return -ENOSPC;
	for (uint32_t i = 0; i < nr_pages; i++) {
		uint32_t nr = pages[i].nr;

		if (at % UNWIND_BLOCK_ROWS + nr > UNWIND_BLOCK_ROWS)
			at += UNWIND_BLOCK_ROWS - at % UNWIND_BLOCK_ROWS;
		u->is_full |= nr > UNWIND_BLOCKS * UNWIND_BLOCK_ROWS - at;
		if (nr > UNWIND_BLOCKS * UNWIND_BLOCK_ROWS - at)
			return -ENOSPC;
		memcpy(all + at, rows + pages[i].row, nr * sizeof(*rows));
		to[i] = (struct unwind_page){ .row = at, .nr = nr };
		at += nr;
	}
	*ret_page = u->nr_pages;
	u->nr_pages += nr_pages;
	u->nr_rows = at;
	return 0;
}

static uint32_t run_class(uint32_t n)
{
	uint32_t class = 0;

	while (1u << (class + RUN_LEAST) < n)
		class++;
	return class;
}

static void run_free(struct unwinder *u, const struct unwind_space *space)
{
	uint32_t class = run_class(space->nr);

	if (!space->nr || vec_reserve(&u->free[class]))
		return;
	u->free[class].data[u->free[class].n++] = (struct run){ now_ns(), space->first };
}

/* Runs are as long as their place is aligned: none crosses the end of a block. */
static int run_alloc(struct unwinder *u, uint32_t n, uint32_t *ret_first)
{
	uint32_t class = run_class(n), size = 1u << (class + RUN_LEAST), at;

	if (class >= RUN_CLASSES)
		return -ENOSPC;
	if (u->free[class].n && u->free[class].data[0].free_ns + RUN_REST_NS < now_ns()) {
		*ret_first = u->free[class].data[0].first;
		memmove(u->free[class].data, u->free[class].data + 1, --u->free[class].n * sizeof(struct run));
		return 0;
	}
	at = (u->nr_maps + size - 1) & ~(size - 1);
	if (at + size > UNWIND_MAP_BLOCKS * UNWIND_BLOCK_MAPS) {
		u->is_full = true;
		return -ENOSPC;
	}
	u->nr_maps = at + size;
	*ret_first = at;
	return 0;
}

static void forget_space(struct unwind_store *store, const struct unwind_space_key *key)
{
	struct unwinder *u = (struct unwinder *)store;
	struct unwind_space had;

	if (bpf_map_lookup_elem(u->fds[MAP_SPACES], key, &had) || bpf_map_delete_elem(u->fds[MAP_SPACES], key))
		return;
	run_free(u, &had);
}

static int put_space(struct unwind_store *store, const struct unwind_space_key *key, const struct unwind_map *maps, uint32_t n)
{
	struct unwinder *u = (struct unwinder *)store;
	struct unwind_space had = { 0 }, space = { .nr = n };
	int ret = run_alloc(u, n, &space.first);

	if (ret)
		return ret;
	memcpy((struct unwind_map *)u->views[MAP_MAPS] + space.first, maps, n * sizeof(*maps));
	bpf_map_lookup_elem(u->fds[MAP_SPACES], key, &had);
	if (bpf_map_update_elem(u->fds[MAP_SPACES], key, &space, BPF_ANY)) {
		ret = errno == E2BIG ? -ENOSPC : -errno;
		u->is_full |= ret == -ENOSPC;
		run_free(u, &space);
		return ret;
	}
	run_free(u, &had);
	return 0;
}

static int make_map(struct unwinder *u, int i, struct err *err)
{
	bool is_array = shapes[i].type == BPF_MAP_TYPE_ARRAY;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = is_array ? BPF_F_MMAPABLE : 0);
	int fd = bpf_map_create(shapes[i].type, shapes[i].name, shapes[i].key_size, shapes[i].value_size, shapes[i].max, &opts);

	if (fd < 0)
		return err_exit(err, fd, EXIT_CANNOT, "cannot make room for unwinding tables: %s", strerror(-fd));
	u->fds[i] = fd;
	if (!is_array)
		return 0;
	u->views[i] = mmap(NULL, view_bytes(i), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (u->views[i] == MAP_FAILED) {
		u->views[i] = NULL;
		return err_exit(err, -errno, EXIT_CANNOT, "cannot map the unwinding tables: %s", strerror(errno));
	}
	return 0;
}

int unwinder_new(struct unwind_guide *guide, struct unwinder **ret_unwinder, struct err *err)
{
	struct unwinder *u = calloc(1, sizeof(*u));
	int ret = 0;

	if (!u)
		return err_set(err, -ENOMEM, "out of memory");
	u->store = (struct unwind_store){ .rules = put_rules, .table = put_table, .space = put_space, .forget = forget_space };
	u->guide = guide;
	for (int i = 0; i < NR_MAPS; i++)
		u->fds[i] = -1;
	for (int i = 0; i < NR_MAPS && !ret; i++)
		ret = make_map(u, i, err);
	if (!ret)
		ret = rings_watch(&u->rests, u->fds[MAP_RESTS], err);
	if (ret) {
		unwinder_free(u);
		return ret;
	}
	*ret_unwinder = u;
	return 0;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		free(u->order[i]);
	rings_close(&u->rests);
	for (uint32_t i = 0; i < RUN_CLASSES; i++)
		vec_free(&u->free[i]);
	for (int i = 0; i < NR_MAPS; i++) {
		if (u->views[i])
			munmap(u->views[i], view_bytes(i));
		if (u->fds[i] >= 0)
			close(u->fds[i]);
	}
	free(u);
}

int unwinder_lend(const struct unwinder *u, struct bpf_object *obj)
{
	struct bpf_map *map;
	int ret = 0;

	for (int i = 0; i < NR_MAPS && !ret; i++) {
		map = bpf_object__find_map_by_name(obj, shapes[i].name);

		if (map)
			ret = u ? bpf_map__reuse_fd(map, u->fds[i]) : bpf_map__set_autocreate(map, false);
	}
	map = u ? NULL : bpf_object__find_map_by_name(obj, "unwind_scratch");
	if (!ret && map)
		ret = bpf_map__set_autocreate(map, false);
	return ret;
}

bool unwinder_has(const struct bpf_map *map)
{
	for (int i = 0; i < NR_MAPS; i++)
		if (!strcmp(bpf_map__name(map), shapes[i].name))
			return true;
	return false;
}

int unwinder_fd(const struct unwinder *u)
{
	return rings_fd(&u->rests);
}

int unwinder_collect(struct unwinder *u)
{
	return rings_collect(&u->rests);
}

static void drop_chain(struct unwinder *u, struct chain *c)
{
	struct chain **at;

	if (!c)
		return;
	for (at = &u->chains[hash_u64(c->id) % CHAIN_BUCKETS]; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	free(c);
}

static int walk_rest(void *arg, const void *record, size_t size)
{
	struct unwinder *u = arg;
	const struct unwind_rest *rest = record;
	uint64_t ips[STACK_MAX_FRAMES];
	uint32_t n, end, bucket, room;
	struct chain *c;

	if (size < sizeof(*rest) || rest->bytes > size - sizeof(*rest) || rest->nr > STACK_MAX_FRAMES)
		return 0;
	room = STACK_MAX_FRAMES - rest->nr;
	n = u->guide->walk(u->guide, rest, rest + 1, ips, room, &end);
	c = malloc(sizeof(*c) + n * sizeof(*ips));
	if (!c)
		return -ENOMEM;
	bucket = hash_u64(rest->id) % CHAIN_BUCKETS;
	*c = (struct chain){ .next = u->chains[bucket], .id = rest->id, .n = n, .end = end };
	memcpy(c->ips, ips, n * sizeof(*ips));
	u->chains[bucket] = c;
	drop_chain(u, u->order[u->nr_walked % CHAINS_MAX]);
	u->order[u->nr_walked++ % CHAINS_MAX] = c;
	return 0;
}

int unwinder_walk(struct unwinder *u)
{
	int ret = rings_deliver(&u->rests, walk_rest, u);

	if (!ret)
		u->guide->sync(u->guide, &u->store);
	return ret;
}

static const struct chain *find_chain(const struct unwinder *u, uint64_t id)
{
	const struct chain *c = u->chains[hash_u64(id) % CHAIN_BUCKETS];

	while (c && c->id != id)
		c = c->next;
	return c;
}

static enum stack_stop stop_of(uint32_t end)
{
	static const enum stack_stop stops[UNWIND_ENDS] = {
		[UNWIND_ROOT] = STOP_WHOLE,	    [UNWIND_DEPTH] = STOP_DEPTH,       [UNWIND_NO_STACK] = STOP_NO_STACK,
		[UNWIND_NO_CODE] = STOP_NO_CODE,    [UNWIND_NO_RULE] = STOP_NO_RULE,   [UNWIND_BAD_RULE] = STOP_BAD_RULE,
		[UNWIND_ASTRAY] = STOP_ASTRAY,	    [UNWIND_COMPAT] = STOP_COMPAT,     [UNWIND_ASK] = STOP_NOT_ASKED,
		[UNWIND_NO_ROOM] = STOP_NOT_ASKED,
	};

	return end < UNWIND_ENDS ? stops[end] : STOP_UNREADABLE;
}

uint32_t unwinder_stack(struct unwinder *u, const uint64_t *ips, uint32_t n, const uint64_t **ret_ips, enum stack_stop *ret_stop)
{
	uint64_t mark = n ? ips[n - 1] : 0;
	uint32_t code = mark >> UNWIND_MARK_SHIFT & UNWIND_MARK_CODE;
	const struct chain *c;

	*ret_ips = ips;
	*ret_stop = n == STACK_MAX_FRAMES ? STOP_DEPTH : STOP_WHOLE;
	if (!(mark & UNWIND_MARK))
		return n;
	n--;
	*ret_stop = stop_of(code);
	if (code != UNWIND_ASK)
		return n;
	c = find_chain(u, mark & UNWIND_MARK_ID);
	if (!c)
		return n;
	*ret_stop = stop_of(c->end);
	if (n + c->n > STACK_MAX_FRAMES)
		return n;
	memcpy(u->whole, ips, n * sizeof(*ips));
	memcpy(u->whole + n, c->ips, c->n * sizeof(*ips));
	n += c->n;
	*ret_ips = u->whole;
	return n;
}

void unwinder_profile(const struct unwinder *u, struct profile *profile)
{
	for (int i = 0; i < NR_MAPS; i++)
		profile->receipt.map_bytes += cost_of_map(u->fds[i]);
	if (u->is_full)
		profile_note(profile, "no more room for unwinding tables in the kernel: %llu stacks were walked in user space",
			     (unsigned long long)u->nr_walked);
}
