/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Perf map files. Lines are kept as they come; for the search they are laid over each other into
 * disjoint ranges. Since a JIT appends all the time, the newest lines wait in a tail that is
 * searched one by one until it is worth a new layout.
 */
#include "sym/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sym/demangle.h"
#include "sym/looks.h"
#include "sym/owner.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/vec.h"

#define ENTRIES_MAX (1u << 20)
#define ENTRY_COST_BYTES (sizeof(struct entry) + sizeof(struct range) + 2 * sizeof(uint32_t)) /* its name apart */
#define AGAIN_MAX_BYTES (64u << 10) /* of a line still being written: read again with each piece of it */
#define REWRITTEN_MAX_BYTES (4u << 20) /* read anew in ... */
#define REWRITTEN_MS 1000u	       /* ... this time, and one file more */
#define TAIL_MIN 256u /* lines searched one by one */
#define TAIL_SHARE 16u /* or this part of all lines */
#define NR_FILES 2

struct entry {
	uint64_t start, end;
	size_t name;
	uint32_t len;
};

struct range {
	uint64_t start, end;
	uint32_t entry;
};

struct perfmap {
	char *files[NR_FILES]; /* where it may be: the process's own /tmp, then the host's */
	char path[PERFMAP_PATH_BYTES];
	uid_t owner;	/* of the process */
	bool is_seen;	/* a file was read */
	bool is_own;	/* and it was files[0] */
	bool is_cut;	/* there was more than the limits allow */
	struct looks looks;
	struct perfmap_limits *limits;
	uint64_t charged; /* of limits->bytes_left */
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
	uint64_t size;	/* of the file when it was read */
	uint64_t offset; /* after the last whole line taken in */
	VEC(struct entry) entries;
	size_t nr_solid; /* entries of whole lines; one more may be of a line still being written */
	VEC(struct range) ranges;
	size_t nr_laid; /* entries that ranges are made of */
	char *names;
	size_t names_len, names_cap;
};

struct perfmap *perfmap_new(const char *proc_root, uint32_t pid, bool offline, struct perfmap_limits *limits)
{
	struct perfmap *map = calloc(1, sizeof(*map));
	uint32_t nspid = pid;

	if (!map)
		return NULL;
	map->limits = limits;
	map->owner = geteuid();
	if (!offline)
		owner_read(proc_root, pid, &nspid, &map->owner);
	snprintf(map->path, sizeof(map->path), "/tmp/perf-%u.map", nspid);
	if (!offline && asprintf(&map->files[0], "%s/%u/root%s", proc_root, pid, map->path) < 0)
		map->files[0] = NULL;
	if (asprintf(&map->files[1], "/tmp/perf-%u.map", pid) < 0)
		map->files[1] = NULL;
	return map;
}

void perfmap_free(struct perfmap *map)
{
	if (!map)
		return;
	map->limits->bytes_left += map->charged;
	for (int i = 0; i < NR_FILES; i++)
		free(map->files[i]);
	vec_free(&map->entries);
	vec_free(&map->ranges);
	free(map->names);
	free(map);
}

const char *perfmap_path(const struct perfmap *map)
{
	return map->path;
}

static void set_cut(struct perfmap *map)
{
	map->limits->nr_cut += !map->is_cut;
	map->is_cut = true;
}

static int add_name(struct perfmap *map, const char *s, size_t n)
{
	if (map->names_cap - map->names_len < n) {
		size_t cap = map->names_cap ? map->names_cap * 2 : 64u << 10;
		char *p;

		while (cap - map->names_len < n)
			cap *= 2;
		p = realloc(map->names, cap);
		if (!p)
			return -ENOMEM;
		map->names = p;
		map->names_cap = cap;
	}
	memcpy(map->names + map->names_len, s, n);
	map->names_len += n;
	return 0;
}

/* A line that is none is left out, as perf does. */
static int add_line(struct perfmap *map, const char *p, const char *end)
{
	unsigned long long start, size;
	size_t n, at = map->names_len;

	if (hex_parse(&p, end, &start) || p == end || *p != ' ')
		return 0;
	while (p < end && *p == ' ')
		p++;
	if (hex_parse(&p, end, &size) || p == end || *p != ' ' || !size || start + size < start)
		return 0;
	p++;
	n = strnlen(p, (size_t)(end - p));
	if (n >= SYM_NAME_MAX_BYTES)
		n = SYM_NAME_MAX_BYTES - 1;
	if (!n)
		return 0;
	if (map->entries.n >= ENTRIES_MAX) {
		set_cut(map);
		return 0;
	}
	if (vec_reserve(&map->entries) || add_name(map, p, n))
		return -ENOMEM;
	map->entries.data[map->entries.n++] = (struct entry){ start, start + size, at, (uint32_t)n };
	return 0;
}

/* Takes in text; returns how much of it was whole lines, or -ENOMEM. */
static ssize_t add_text(struct perfmap *map, const char *text, size_t n)
{
	const char *p = text, *end = text + n, *eol;

	/* A line that was cut last time comes again, whole. */
	if (map->entries.n > map->nr_solid) {
		map->names_len = map->entries.data[map->nr_solid].name;
		map->entries.n = map->nr_solid;
		if (map->nr_laid > map->nr_solid)
			map->nr_laid = map->ranges.n = 0;
	}
	for (; p < end && (eol = memchr(p, '\n', (size_t)(end - p))); p = eol + 1)
		if (add_line(map, p, eol))
			return -ENOMEM;
	map->nr_solid = map->entries.n;
	if (p < end && add_line(map, p, end))
		return -ENOMEM;
	return p - text;
}

int perfmap_text(struct perfmap *map, const char *text, size_t n)
{
	ssize_t ret = add_text(map, text, n);

	return ret < 0 ? (int)ret : 0;
}

static void forget(struct perfmap *map)
{
	map->entries.n = map->ranges.n = 0;
	map->nr_solid = map->nr_laid = 0;
	map->names_len = 0;
	map->limits->bytes_left += map->charged;
	map->offset = map->charged = 0;
	map->is_cut = false;
}

/* Whoever writes a file over and over again must not have us read it as often. */
static bool may_read_anew(struct perfmap_limits *limits, uint64_t bytes)
{
	uint64_t now = looks_now_ms();

	if (now - limits->rewritten_ms >= REWRITTEN_MS) {
		limits->rewritten_ms = now;
		limits->rewritten_bytes = 0;
	}
	if (limits->rewritten_bytes > REWRITTEN_MAX_BYTES)
		return false;
	limits->rewritten_bytes += bytes < PERFMAP_FILE_BYTES ? bytes : PERFMAP_FILE_BYTES;
	return true;
}

/* Takes in what is after the offset, as far as the limits go; a line that they cut is left out. */
static void read_more(struct perfmap *map, int fd)
{
	size_t max = PERFMAP_FILE_BYTES - map->offset, n = 0;
	size_t had = map->entries.n;
	uint64_t cost;
	ssize_t used;
	char *text;

	if (max > map->limits->bytes_left)
		max = map->limits->bytes_left;
	if (lseek(fd, (off_t)map->offset, SEEK_SET) < 0)
		return;
	map->limits->nr_reads++;
	if (file_read_fd(fd, map->size - map->offset < max ? map->size - map->offset + 1 : max + 1, max + 1, &text, &n))
		return;
	if (n > max) {
		set_cut(map);
		while (n && text[n - 1] != '\n')
			n--;
	}
	used = add_text(map, text, n);
	if (used > 0)
		map->offset += (uint64_t)used;
	cost = (used > 0 ? (uint64_t)used : 0) + (map->entries.n > had ? map->entries.n - had : 0) * ENTRY_COST_BYTES;
	cost = cost < map->limits->bytes_left ? cost : map->limits->bytes_left;
	map->limits->bytes_left -= cost;
	map->charged += cost;
	free(text);
}

static void read_new(struct perfmap *map, int fd, const struct stat *st)
{
	bool is_same = map->is_seen && map->dev == st->st_dev && map->ino == st->st_ino;
	bool is_grown = is_same && (uint64_t)st->st_size > map->size;

	uint64_t again = is_grown ? map->size - map->offset : map->is_seen ? (uint64_t)st->st_size : 0;

	if (is_grown && map->is_cut)
		return;
	if (again > AGAIN_MAX_BYTES && !may_read_anew(map->limits, again))
		return;
	if (!is_grown)
		forget(map);
	map->is_seen = true;
	map->dev = st->st_dev;
	map->ino = st->st_ino;
	map->mtime = st->st_mtim;
	map->size = (uint64_t)st->st_size;
	read_more(map, fd);
	/* It may have grown since the stat; the next stat must not take that for new. */
	map->size = map->size > map->offset ? map->size : map->offset;
}

static bool is_unchanged(const struct perfmap *map, const struct stat *st)
{
	return map->is_seen && st->st_dev == map->dev && st->st_ino == map->ino &&
	       (uint64_t)st->st_size == map->size && st->st_mtim.tv_sec == map->mtime.tv_sec &&
	       st->st_mtim.tv_nsec == map->mtime.tv_nsec;
}

bool perfmap_is_due(const struct perfmap *map)
{
	return looks_are_due(&map->looks);
}

void perfmap_refresh(struct perfmap *map)
{
	bool is_foreign = false;

	looks_note(&map->looks);
	for (int i = 0; i < NR_FILES; i++) {
		struct stat st;
		int fd;

		if (!map->files[i] || lstat(map->files[i], &st) < 0)
			continue;
		if (!owner_wrote(map->owner, &st)) {
			is_foreign = true;
			continue;
		}
		/* The host's file of that name is another one when the process had its own /tmp. */
		if (i && map->is_own && (st.st_dev != map->dev || st.st_ino != map->ino))
			return;
		if (is_unchanged(map, &st))
			return;
		fd = open(map->files[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && owner_wrote(map->owner, &st)) {
			map->is_own = !i;
			read_new(map, fd, &st);
			close(fd);
			return;
		}
		close(fd);
	}
	if (is_foreign && !map->is_seen)
		memcpy(map->limits->foreign, map->path, sizeof(map->path));
}

static int compare_start(const void *pa, const void *pb, void *arg)
{
	const struct entry *entries = arg;
	uint64_t a = entries[*(const uint32_t *)pa].start, b = entries[*(const uint32_t *)pb].start;

	return a < b ? -1 : a > b;
}

/* A heap of entry indexes, the largest (the last line) on top. */
static void heap_push(uint32_t *heap, size_t n, uint32_t v)
{
	size_t i = n;

	while (i && heap[(i - 1) / 2] < v) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = v;
}

static void heap_pop(uint32_t *heap, size_t n)
{
	uint32_t v = heap[n - 1];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n - 1) {
		if (child + 1 < n - 1 && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= v)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = v;
}

static int add_range(struct perfmap *map, uint64_t start, uint64_t end, uint32_t entry)
{
	struct range *last = map->ranges.n ? &map->ranges.data[map->ranges.n - 1] : NULL;

	if (last && last->entry == entry && last->end == start) {
		last->end = end;
		return 0;
	}
	if (vec_reserve(&map->ranges))
		return -ENOMEM;
	map->ranges.data[map->ranges.n++] = (struct range){ start, end, entry };
	return 0;
}

/* One sweep from low to high addresses; in the heap is what covers the current one. O(n log n). */
static int sweep(struct perfmap *map, const uint32_t *order, uint32_t *heap)
{
	const struct entry *e = map->entries.data;
	size_t n = map->entries.n, in = 0, i = 0;
	uint64_t at = 0;

	map->ranges.n = 0;
	while (i < n || in) {
		uint64_t next;

		if (!in)
			at = e[order[i]].start;
		for (; i < n && e[order[i]].start <= at; i++)
			heap_push(heap, in++, order[i]);
		while (in && e[heap[0]].end <= at)
			heap_pop(heap, in--);
		if (!in)
			continue;
		next = e[heap[0]].end;
		if (i < n && e[order[i]].start < next)
			next = e[order[i]].start;
		if (add_range(map, at, next, heap[0]))
			return -ENOMEM;
		at = next;
	}
	return 0;
}

static void lay_out(struct perfmap *map)
{
	size_t n = map->entries.n;
	uint32_t *order = malloc((n + 1) * sizeof(*order)), *heap = malloc((n + 1) * sizeof(*heap));

	map->nr_laid = map->ranges.n = 0;
	for (size_t i = 0; order && i < n; i++)
		order[i] = (uint32_t)i;
	if (order && heap && n) {
		qsort_r(order, n, sizeof(*order), compare_start, map->entries.data);
		if (sweep(map, order, heap))
			map->ranges.n = 0;
		else
			map->nr_laid = n;
	}
	free(order);
	free(heap);
}

static const struct entry *find_entry(struct perfmap *map, uint64_t addr)
{
	size_t n = map->entries.n, tail = n - map->nr_laid, lo = 0, hi;

	if (tail > TAIL_MIN && tail > n / TAIL_SHARE) {
		lay_out(map);
		tail = n - map->nr_laid;
	}
	for (size_t i = n; i > n - tail; i--)
		if (addr >= map->entries.data[i - 1].start && addr < map->entries.data[i - 1].end)
			return &map->entries.data[i - 1];
	for (hi = map->ranges.n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (map->ranges.data[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == map->ranges.n || addr < map->ranges.data[lo].start)
		return NULL;
	return &map->entries.data[map->ranges.data[lo].entry];
}

const char *perfmap_find(struct perfmap *map, uint64_t addr, uint64_t *ret_start, size_t *ret_len)
{
	const struct entry *e = find_entry(map, addr);

	/* Samples come in batches, long after the JIT wrote their lines: one look serves many misses. */
	if (!e && looks_may_ask(&map->looks)) {
		perfmap_refresh(map);
		e = find_entry(map, addr);
	}
	if (!e)
		return NULL;
	*ret_start = e->start;
	*ret_len = e->len;
	return map->names + e->name;
}
