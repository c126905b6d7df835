/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Task events to a tree of threads. As in perf a process begins with the mappings of the one that made it, which an exec does not end.
 */
#include "cmd/report_tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/hash.h"
#include "util/log.h"
#include "util/map.h"
#include "util/strpool.h"
#include "util/text.h"
#include "util/vec.h"

#define NO_TASK UINT32_MAX
#define PREFIX_WIDTH 32
#define PROCESS_MAPS_MAX (1u << 16) /* vm.max_map_count is about that */
#define MAPS_MAX (1u << 20) /* of all processes: each has those of the one that made it, too */
#define LEVEL_MAX 1000 /* deeper ones are not further to the right */

struct mapping {
	uint64_t start, end, offset, inode;
	uint32_t prot, flags;
	const char *path;
};

struct task {
	uint32_t pid, tid;
	int parent_tid; /* -1: not known */
	const char *comm;
	VEC(struct mapping) maps; /* of a process, by address */
	uint32_t first_child, next;
};

struct tasks {
	struct sink sink; /* first: the sink functions find the rest by it */
	struct strpool *pool;
	VEC(struct task) all;
	struct map by_tid;
	bool with_maps;
	size_t nr_maps; /* of all */
	uint64_t nr_left; /* beyond the limits */
};

static struct task *find(struct tasks *t, uint32_t tid)
{
	int64_t i = map_find(&t->by_tid, hash_u64(tid));

	return i < 0 ? NULL : &t->all.data[i];
}

/* The task with this ID, made if new; NULL: no memory. */
static struct task *get(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct task *task = find(t, tid);
	char comm[16];

	if (task)
		return task;
	if (map_add(&t->by_tid, hash_u64(tid), t->all.n) || !(task = vec_take(&t->all, 1)))
		return NULL;
	snprintf(comm, sizeof(comm), ":%d", (int)tid);
	*task = (struct task){ .pid = pid, .tid = tid, .parent_tid = -1, .comm = strpool_add(t->pool, comm) };
	return task->comm ? task : NULL;
}

/* Is there room for one more mapping of this process? Else it is counted. */
static bool has_room(struct tasks *t, const struct task *task)
{
	bool room = t->nr_maps < MAPS_MAX && task->maps.n < PROCESS_MAPS_MAX;

	t->nr_left += !room;
	return room;
}

/* The first mapping that ends after addr: they are in order, and none covers another. */
static size_t first_after(const struct task *task, uint64_t addr)
{
	size_t low = 0, high = task->maps.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (task->maps.data[mid].end > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* What it covers is no longer mapped. */
static int map_put(struct tasks *t, struct task *task, const struct mapping *new)
{
	size_t at = first_after(task, new->start), end = at, n = task->maps.n;
	struct mapping *m;

	while (end < n && task->maps.data[end].start < new->end)
		end++;
	if (end == at && !has_room(t, task))
		return 0;
	if (vec_reserve(&task->maps))
		return -ENOMEM;
	m = task->maps.data;
	memmove(&m[at + 1], &m[end], (n - end) * sizeof(*m));
	m[at] = *new;
	task->maps.n = n - (end - at) + 1;
	t->nr_maps = t->nr_maps - n + task->maps.n;
	return 0;
}

static int take_mapping(struct tasks *t, struct task *task, const struct task_event *e)
{
	struct mapping m = { .start = e->addr, .offset = e->pgoff, .inode = e->ino, .prot = e->prot, .flags = e->flags,
			     .path = strpool_add(t->pool, e->path) };

	if (!m.path)
		return -ENOMEM;
	return __builtin_add_overflow(e->addr, e->len, &m.end) ? 0 : map_put(t, task, &m);
}

static int take_map(struct tasks *t, const struct task_event *e)
{
	struct task *task = get(t, e->pid, e->pid);

	if (!task)
		return -ENOMEM;
	return t->with_maps ? take_mapping(t, task, e) : 0;
}

static int take_fork(struct tasks *t, const struct task_event *e)
{
	struct task *child = get(t, e->pid, e->tid), *parent;

	if (!child)
		return -ENOMEM;
	child->pid = e->pid;
	t->nr_maps -= child->maps.n;
	child->maps.n = 0;
	child->parent_tid = e->ptid == e->tid ? -1 : (int)e->ptid;
	parent = find(t, e->ptid);
	if (parent)
		child->comm = parent->comm;
	parent = e->pid == e->ppid ? NULL : find(t, e->ppid);
	for (size_t i = 0; parent && i < parent->maps.n; i++) {
		if (!has_room(t, child))
			continue;
		if (vec_reserve(&child->maps))
			return -ENOMEM;
		child->maps.data[child->maps.n++] = parent->maps.data[i];
		t->nr_maps++;
	}
	return 0;
}

static int take_comm(struct tasks *t, const struct task_event *e)
{
	struct task *task = get(t, e->pid, e->tid);
	const char *comm = strpool_add(t->pool, e->comm);

	if (!task || !comm)
		return -ENOMEM;
	task->comm = comm;
	return 0;
}

static int take_task(struct sink *sink, const struct task_event *e)
{
	struct tasks *t = (struct tasks *)sink;

	if (e->kernel)
		return 0;
	switch (e->what) {
	case TASK_MMAP:
		return take_map(t, e);
	case TASK_COMM:
	case TASK_EXEC:
		return take_comm(t, e);
	case TASK_FORK:
		return take_fork(t, e);
	default:
		return 0;
	}
}

static int by_tid(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Children under their parents, by ID; the others in a list that begins with what is returned. */
static uint32_t make_tree(struct tasks *t)
{
	uint32_t roots = NO_TASK;

	qsort(t->all.data, t->all.n, sizeof(*t->all.data), by_tid);
	for (size_t i = 0; i < t->all.n; i++)
		t->all.data[i].first_child = t->all.data[i].next = NO_TASK;
	for (size_t i = t->all.n; i-- > 0;) {
		struct task key = { .tid = (uint32_t)t->all.data[i].parent_tid }, *parent = NULL;
		uint32_t *list = &roots;

		if (t->all.data[i].parent_tid >= 0)
			parent = bsearch(&key, t->all.data, t->all.n, sizeof(key), by_tid);
		if (parent)
			list = &parent->first_child;
		t->all.data[i].next = *list;
		*list = (uint32_t)i;
	}
	return roots;
}

static void print_maps(const struct task *task, int level, FILE *out)
{
	for (size_t i = 0; i < task->maps.n; i++) {
		const struct mapping *m = &task->maps.data[i];

		fprintf(out, "%*s%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ", PREFIX_WIDTH + level, "", m->start, m->end,
			m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-', m->prot & PROT_EXEC ? 'x' : '-',
			m->flags & MAP_SHARED ? 's' : 'p', m->offset, m->inode);
		text_print(out, m->path);
		fputc('\n', out);
	}
}

/* In preorder, without recursion: the way back is that of the parents' IDs. */
static int print_tree(const struct tasks *t, uint32_t at, bool mmaps, FILE *out)
{
	VEC(uint32_t) above = { 0 };
	int ret = 0;

	fprintf(out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	while (at != NO_TASK) {
		const struct task *task = &t->all.data[at], *process = task;
		int level = above.n < LEVEL_MAX ? (int)above.n : LEVEL_MAX;

		fprintf(out, "  %8d %8d %8d |%*s", (int)task->pid, (int)task->tid, task->parent_tid, level, "");
		text_print(out, task->comm);
		fputc('\n', out);
		if (mmaps && task->pid != task->tid)
			process = bsearch(&(struct task){ .tid = task->pid }, t->all.data, t->all.n, sizeof(*task), by_tid);
		if (mmaps && process)
			print_maps(process, level, out);
		if (task->first_child != NO_TASK) {
			if (vec_reserve(&above)) {
				ret = -ENOMEM;
				break;
			}
			above.data[above.n++] = at;
			at = task->first_child;
			continue;
		}
		for (at = task->next; at == NO_TASK && above.n;)
			at = t->all.data[above.data[--above.n]].next;
	}
	vec_free(&above);
	return ret;
}

int report_tasks(struct data_reader *reader, bool mmaps, FILE *out, struct err *err)
{
	struct tasks t = { .sink = { .task = take_task }, .pool = strpool_new(), .with_maps = mmaps };
	struct task *idle = t.pool ? get(&t, 0, 0) : NULL;
	int ret = -ENOMEM;

	if (idle && (idle->comm = strpool_add(t.pool, "swapper")))
		ret = data_reader_run(reader, &t.sink, err);
	if (!ret || ret == -EBADMSG)
		ret = print_tree(&t, make_tree(&t), mmaps, out) ? -ENOMEM : ret;
	if (ret == -ENOMEM)
		err_set(err, ret, "out of memory");
	if (t.nr_left)
		log_note("%llu mappings are left out: skep report shows %u of a process, and %u in all", (unsigned long long)t.nr_left,
			 PROCESS_MAPS_MAX, MAPS_MAX);
	for (size_t i = 0; i < t.all.n; i++)
		vec_free(&t.all.data[i].maps);
	vec_free(&t.all);
	map_free(&t.by_tid);
	if (t.pool)
		strpool_free(t.pool);
	return ret;
}
