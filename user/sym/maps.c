/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address spaces over time. Owns spaces, epochs and mapping tables; objects belong to others. */
#include "sym/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/perfmap.h"
#include "util/hash.h"

#define EXITED_MAX 65536u     /* at 0.75 KB each */
#define OLD_MAX 65536u	      /* replaced mappings kept per epoch: a JIT may replace for ever */
#define EPOCHS_MAX 4096u      /* a shell that does nothing but exec itself */

static void put_set(struct mapset *set)
{
	if (!set || --set->refs)
		return;
	free(set->data);
	free(set);
}

static void free_epoch(struct epoch *e)
{
	put_set(e->live);
	free(e->old);
}

static void free_space(struct space *space)
{
	if (!space)
		return;
	for (uint32_t i = 0; i < space->nr_epochs; i++)
		free_epoch(&space->epochs[i]);
	free(space->epochs);
	perfmap_free(space->perfmap);
	free(space);
}

void maps_init(struct maps *maps, uint32_t exited_max, uint64_t exited_ns)
{
	*maps = (struct maps){ .exited_max = exited_max ? exited_max : EXITED_MAX, .exited_ns = exited_ns };
}

void maps_free(struct maps *maps)
{
	for (size_t i = 0; i < maps->all.n; i++)
		free_space(maps->all.data[i]);
	vec_free(&maps->all);
	map_free(&maps->by_pid);
	vec_free(&maps->exited);
	*maps = (struct maps){ 0 };
}

struct space *maps_find(struct maps *maps, uint32_t pid)
{
	int64_t i;

	if (maps->last && maps->last->pid == pid)
		return maps->last;
	i = map_find(&maps->by_pid, hash_u64(pid));
	if (i < 0)
		return NULL;
	maps->last = maps->all.data[i];
	return maps->last;
}

static void remove_space(struct maps *maps, struct space *space)
{
	struct space *last = maps->all.data[--maps->all.n];
	int64_t i = map_find(&maps->by_pid, hash_u64(space->pid));

	map_remove(&maps->by_pid, hash_u64(space->pid), (size_t)i, hash_u64(last->pid));
	maps->all.data[i] = last;
	if (maps->last == space)
		maps->last = NULL;
	free_space(space);
}

struct space *maps_get(struct maps *maps, uint32_t pid)
{
	struct space *space = maps_find(maps, pid);

	if (space)
		return space;
	space = vec_reserve(&maps->all) ? NULL : calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	space->epochs = calloc(1, sizeof(*space->epochs));
	if (!space->epochs || map_add(&maps->by_pid, hash_u64(pid), maps->all.n)) {
		free_space(space);
		return NULL;
	}
	space->nr_epochs = 1;
	space->pid = pid;
	maps->all.data[maps->all.n++] = space;
	maps->last = space;
	return space;
}

static struct mapset *new_set(uint32_t cap)
{
	struct mapset *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->refs = 1;
	set->cap = cap;
	set->data = malloc(cap * sizeof(*set->data));
	if (!set->data) {
		free(set);
		return NULL;
	}
	return set;
}

/* Makes e->live private, with room for three more (a replaced mapping leaves two rests). */
static int own_live(struct epoch *e)
{
	struct mapset *old = e->live, *set;

	if (old && old->refs == 1) {
		struct mapping *p;

		if (old->cap - old->n >= 3)
			return 0;
		p = realloc(old->data, old->cap * 2 * sizeof(*p));
		if (!p)
			return -ENOMEM;
		old->data = p;
		old->cap *= 2;
		return 0;
	}
	set = new_set(old && old->n > 8 ? old->n + old->n / 2 : 12);
	if (!set)
		return -ENOMEM;
	if (old) {
		memcpy(set->data, old->data, old->n * sizeof(*set->data));
		set->n = old->n;
		put_set(old);
	}
	e->live = set;
	return 0;
}

/* Index of the first mapping that ends after addr. */
static uint32_t first_after(const struct mapset *set, uint64_t addr)
{
	uint32_t lo = 0, hi = set ? set->n : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (set->data[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int keep_old(struct epoch *e, const struct mapping *m, uint64_t to_ns)
{
	/* Nothing can have run in a mapping that was replaced in the moment it was made. */
	if (m->from_ns >= to_ns)
		return 0;
	if (e->nr_old == e->cap_old) {
		uint32_t cap = e->cap_old ? e->cap_old * 2 : 8;
		struct old_mapping *p;

		if (cap > OLD_MAX) {
			memmove(e->old, e->old + e->nr_old / 2, (e->nr_old - e->nr_old / 2) * sizeof(*e->old));
			e->nr_old -= e->nr_old / 2;
		} else {
			p = realloc(e->old, cap * sizeof(*p));
			if (!p)
				return -ENOMEM;
			e->old = p;
			e->cap_old = cap;
		}
	}
	e->old[e->nr_old++] = (struct old_mapping){ *m, to_ns };
	return 0;
}

int maps_mmap(struct space *space, const struct mapping *m)
{
	struct epoch *e = &space->epochs[space->nr_epochs - 1];
	struct mapping put[3];
	struct mapset *set;
	uint32_t i, j, n = 0;
	int ret;

	if (m->end <= m->start)
		return 0;
	ret = own_live(e);
	if (ret)
		return ret;
	set = e->live;
	i = first_after(set, m->start);
	for (j = i; j < set->n && set->data[j].start < m->end; j++) {
		ret = keep_old(e, &set->data[j], m->from_ns);
		if (ret)
			return ret;
	}
	/* What sticks out at either side stays mapped. */
	if (j > i && set->data[i].start < m->start) {
		put[n] = set->data[i];
		put[n++].end = m->start;
	}
	put[n++] = *m;
	if (j > i && set->data[j - 1].end > m->end) {
		put[n] = set->data[j - 1];
		put[n].pgoff += m->end - put[n].start;
		put[n++].start = m->end;
	}
	memmove(set->data + i + n, set->data + j, (set->n - j) * sizeof(*set->data));
	memcpy(set->data + i, put, n * sizeof(*put));
	set->n += n - (j - i);
	return 0;
}

/* A new last epoch that shares live (may be NULL). */
static int add_epoch(struct space *space, uint64_t time_ns, struct mapset *live)
{
	struct epoch *last = &space->epochs[space->nr_epochs - 1], *p;

	/* An epoch without any event is re-used: no sample can be of an exec before any mmap. */
	if (!last->live && !last->nr_old) {
		last->from_ns = space->nr_epochs > 1 ? time_ns : last->from_ns;
		last->live = live;
		last->program = NULL;
		return 0;
	}
	if (space->nr_epochs == EPOCHS_MAX) {
		free_epoch(&space->epochs[0]);
		memmove(space->epochs, space->epochs + 1, (EPOCHS_MAX - 1) * sizeof(*p));
		space->nr_epochs--;
	} else {
		p = realloc(space->epochs, (space->nr_epochs + 1) * sizeof(*p));
		if (!p)
			return -ENOMEM;
		space->epochs = p;
	}
	space->epochs[space->nr_epochs++] = (struct epoch){ .from_ns = time_ns, .live = live };
	return 0;
}

int maps_exec(struct space *space, uint64_t time_ns)
{
	space->is_exited = false;
	space->has_anon = false;
	/* The file /tmp/perf-PID.map is of the new program from now on; the old names are kept until it changes. */
	return add_epoch(space, time_ns, NULL);
}

/* False: not yet, the kernel's walker must know first. */
static bool forget(struct maps *maps, const struct exited *e)
{
	struct space *space = maps_find(maps, e->pid);
	uint32_t n = 0;

	if (!space)
		return true;
	if (space->is_exited && space->exited_ns == e->time_ns) {
		if (space->in_kernel)
			return false;
		remove_space(maps, space);
		return true;
	}
	/* Another process has its number. */
	while (n + 1 < space->nr_epochs && space->epochs[n].from_ns <= e->time_ns)
		free_epoch(&space->epochs[n++]);
	memmove(space->epochs, space->epochs + n, (space->nr_epochs - n) * sizeof(*space->epochs));
	space->nr_epochs -= n;
	return true;
}

/* Is the oldest that ended to be dropped, n being kept? */
static bool is_past(const struct maps *maps, size_t n, uint64_t time_ns)
{
	uint64_t since_ns = maps->exited.data[maps->exited_at].time_ns;

	return n > maps->exited_max || (maps->exited_ns && time_ns > since_ns && time_ns - since_ns > maps->exited_ns);
}

int maps_exit(struct maps *maps, struct space *space, uint64_t time_ns)
{
	space->is_exited = true;
	space->exited_ns = time_ns;
	if (vec_reserve(&maps->exited))
		return -ENOMEM;
	maps->exited.data[maps->exited.n++] = (struct exited){ space->pid, time_ns };
	/* One that the kernel still knows waits at the end of the queue. */
	for (size_t n = maps->exited.n - maps->exited_at; n && is_past(maps, n, time_ns); n--) {
		struct exited e = maps->exited.data[maps->exited_at++];

		if (forget(maps, &e))
			continue;
		if (vec_reserve(&maps->exited))
			return -ENOMEM;
		maps->exited.data[maps->exited.n++] = e;
	}
	if (maps->exited_at > maps->exited_max) {
		maps->exited.n -= maps->exited_at;
		memmove(maps->exited.data, maps->exited.data + maps->exited_at, maps->exited.n * sizeof(*maps->exited.data));
		maps->exited_at = 0;
	}
	return 0;
}

int maps_fork(struct maps *maps, uint32_t ppid, uint32_t pid, uint64_t time_ns)
{
	struct space *child = maps_get(maps, pid), *parent;
	struct mapset *live = NULL;
	int ret;

	if (!child)
		return -ENOMEM;
	parent = maps_find(maps, ppid);
	if (parent && parent != child)
		live = parent->epochs[parent->nr_epochs - 1].live;
	if (live)
		live->refs++;
	ret = add_epoch(child, time_ns, live);
	if (ret) {
		put_set(live);
		return ret;
	}
	if (child->is_exited) {
		/* A recycled pid: another process, another perf map. */
		perfmap_free(child->perfmap);
		child->perfmap = NULL;
		child->nr_jits = 0;
		child->is_exited = false;
	}
	if (parent && parent != child)
		child->epochs[child->nr_epochs - 1].program = parent->epochs[parent->nr_epochs - 1].program;
	child->has_anon = parent && parent->has_anon;
	if (parent && parent != child && parent->nr_jits) {
		memcpy(child->jits, parent->jits, sizeof(child->jits));
		child->nr_jits = parent->nr_jits;
	}
	/* What the parent has is all there is to know, unless we know nothing of the parent either. */
	child->is_scanned = live != NULL;
	return 0;
}

static const struct mapping *find_live(const struct epoch *e, uint64_t ip)
{
	uint32_t i = first_after(e->live, ip);

	if (!e->live || i == e->live->n || ip < e->live->data[i].start)
		return NULL;
	return &e->live->data[i];
}

static const struct mapping *find_in_epoch(const struct epoch *e, uint64_t time_ns, uint64_t ip)
{
	const struct mapping *m = find_live(e, ip);

	if (m && m->from_ns <= time_ns)
		return m;
	for (uint32_t i = e->nr_old; i--;) {
		const struct old_mapping *o = &e->old[i];

		if (o->m.from_ns <= time_ns && time_ns < o->to_ns && ip >= o->m.start && ip < o->m.end)
			return &o->m;
	}
	/* Made a little later than the sample says: better than nothing, since nothing else was there. */
	return m;
}

static const struct epoch *epoch_at(const struct space *space, uint64_t time_ns)
{
	uint32_t i = space->nr_epochs;

	while (--i && space->epochs[i].from_ns > time_ns)
		;
	return &space->epochs[i];
}

void maps_code(struct space *space, struct object *obj, bool is_program)
{
	struct epoch *e = &space->epochs[space->nr_epochs - 1];

	e->program = e->program && !is_program ? e->program : obj;
}

struct object *maps_program(const struct space *space, uint64_t time_ns)
{
	return epoch_at(space, time_ns)->program;
}

const struct mapping *maps_lookup(const struct space *space, uint64_t time_ns, uint64_t ip)
{
	const struct mapping *m = find_in_epoch(epoch_at(space, time_ns), time_ns, ip);

	/* A sample without a time may be of any epoch: the last that knows the address. */
	for (uint32_t i = space->nr_epochs; !m && !time_ns && i--;)
		m = find_live(&space->epochs[i], ip);
	return m;
}

void maps_each(const struct maps *maps, void (*each)(const struct mapping *m))
{
	for (size_t i = 0; i < maps->all.n; i++) {
		const struct space *space = maps->all.data[i];

		for (uint32_t k = 0; k < space->nr_epochs; k++) {
			const struct epoch *e = &space->epochs[k];

			for (uint32_t j = 0; e->live && j < e->live->n; j++)
				each(&e->live->data[j]);
			for (uint32_t j = 0; j < e->nr_old; j++)
				each(&e->old[j].m);
		}
	}
}
