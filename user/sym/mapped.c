/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tasks map and what becomes of it, for the resolver: files are opened while a process has them. */
#include <errno.h>
#include <sys/mman.h>

#include "elf/debuginfod.h"
#include "sym/jitnames.h"
#include "sym/syms.h"
#include "util/clock.h"

#define TRIM_NS 60000000000ull
#define PINNED_FDS_MAX 64u /* files opened by syms_pin whose symbols wait for the first use */

static int note_jit(struct syms *syms, struct space *space)
{
	if (space->has_anon)
		return 0;
	if (vec_reserve(&syms->jits))
		return -ENOMEM;
	syms->jits.data[syms->jits.n++] = space->pid;
	space->has_anon = true;
	return 0;
}

static int note_mmap(struct syms *syms, struct space *space, const struct task_event *t)
{
	struct mapping m = {
		.start = t->addr, .end = t->addr + t->len, .pgoff = t->pgoff, .from_ns = t->time_ns,
		.is_data = t->is_data, .is_shared = t->flags & MAP_SHARED,
	};
	int ret;

	if (t->len > UINT64_MAX - t->addr)
		m.end = UINT64_MAX;
	m.obj = objects_get(&syms->objects, t);
	if (!m.obj)
		return -ENOMEM;
	if (!m.is_data && (m.obj->kind == OBJECT_ANON || m.obj->kind == OBJECT_MEMFD) && note_jit(syms, space))
		return -ENOMEM;
	if (m.obj->kind == OBJECT_FILE && jitnames_is_dump(m.obj->path) && (note_jit(syms, space) || jitnames_note(syms, space, m.obj)))
		return -ENOMEM;
	if (m.obj->state == OBJECT_NEW && !syms->cfg.offline) {
		if (vec_reserve(&syms->pending))
			return -ENOMEM;
		syms->pending.data[syms->pending.n++] = (struct pending){ m.obj, m.start, m.end, t->pid };
	}
	guide_note(syms, space, &m);
	ret = maps_mmap(space, &m);
	if (!ret && !m.is_data && (m.obj->kind == OBJECT_FILE || m.obj->kind == OBJECT_MEMFD))
		maps_code(space, m.obj, t->is_program);
	return ret;
}

static int note_fork(struct syms *syms, const struct task_event *t)
{
	struct space *child;
	int ret;

	if (t->pid == t->ppid)
		return 0; /* a thread: same address space */
	ret = maps_fork(&syms->maps, t->ppid, t->pid, t->time_ns);
	if (ret)
		return ret;
	child = maps_find(&syms->maps, t->pid);
	if (!child || !child->has_anon)
		return 0;
	child->has_anon = false;
	return note_jit(syms, child);
}

static int note_task(struct syms *syms, const struct task_event *t)
{
	struct space *space;

	switch (t->what) {
	case TASK_FORK:
		return note_fork(syms, t);
	case TASK_MMAP:
		space = maps_get(&syms->maps, t->pid);
		return space ? note_mmap(syms, space, t) : -ENOMEM;
	case TASK_BUILD_ID:
		objects_build_id(&syms->objects, t);
		/* Stacks of any process may have the file. */
		for (uint32_t i = 0; syms->recent && i < RECENT_STACKS; i++)
			syms->recent[i].version = 0;
		return 0;
	case TASK_EXEC:
		space = maps_get(&syms->maps, t->pid);
		if (!space)
			return -ENOMEM;
		guide_note(syms, space, NULL);
		space->is_looked_at = false;
		return maps_exec(space, t->time_ns);
	case TASK_EXIT:
		space = t->pid == t->tid ? maps_find(&syms->maps, t->pid) : NULL;
		if (!space)
			return 0;
		guide_note(syms, space, NULL);
		return maps_exit(&syms->maps, space, t->time_ns);
	default:
		return 0;
	}
}

/* Nothing that its process maps changes. */
static bool is_of_thread(const struct task_event *t)
{
	return t->what == TASK_COMM || (t->what == TASK_FORK && t->pid == t->ppid) || (t->what == TASK_EXIT && t->pid != t->tid);
}

int syms_task(struct syms *syms, const struct task_event *t)
{
	struct space *space;
	int ret;

	if (t->kernel || t->what == TASK_KSYM)
		return kernel_task(&syms->kernel, t);
	ret = note_task(syms, t);
	space = maps_find(&syms->maps, t->pid);
	if (space && !is_of_thread(t)) {
		space->version = ++syms->versions;
		space->changed_ns = t->time_ns;
	}
	return ret;
}

/* Debug files that servers sent meanwhile: from here on their functions have names. */
static void take_debug_files(struct syms *syms)
{
	bool is_new = false;

	for (size_t i = 0; i < syms->objects.all.n; i++)
		if (syms->objects.all.data[i]->is_coming)
			is_new |= object_read_again(&syms->objects, syms->objects.all.data[i]);
	if (is_new)
		syms_forget_answers(syms);
}

static void mark(const struct mapping *m)
{
	m->obj->is_mapped = true;
}

/* A run of days meets programs without end: of files that no process has any more, names are not kept. */
static void trim(struct syms *syms)
{
	uint64_t now = now_ns();

	if (!syms->trimmed_ns)
		syms->trimmed_ns = now;
	if (now - syms->trimmed_ns < TRIM_NS)
		return;
	syms->trimmed_ns = now;
	maps_each(&syms->maps, mark);
	jitnames_trim(syms);
	for (size_t i = 0; i < syms->objects.all.n; i++) {
		struct object *obj = syms->objects.all.data[i];

		if (!obj->is_mapped)
			object_forget(&syms->objects, obj);
		obj->is_mapped = false;
	}
}

uint64_t syms_pin(struct syms *syms)
{
	uint64_t since_ns = 0, ns;
	size_t kept = 0;

	if (syms->cfg.servers != SERVERS_NOT && debuginfod_is_on() && debuginfod_news())
		take_debug_files(syms);
	for (size_t i = 0; i < syms->pending.n; i++) {
		const struct pending *p = &syms->pending.data[i];

		if (p->obj->state == OBJECT_NEW)
			object_open(&syms->objects, p->obj, p->pid, p->start, p->end);
		/* An open file cannot go away; reading it may wait until an address in it is looked up. */
		if (p->obj->state == OBJECT_OPEN && syms->objects.nr_fds > PINNED_FDS_MAX)
			object_read(&syms->objects, p->obj, p->pid);
	}
	syms->pending.n = 0;
	trim(syms);
	for (size_t i = 0; i < syms->jits.n; i++) {
		struct space *space = maps_find(&syms->maps, syms->jits.data[i]);

		if (!space || !space->has_anon)
			continue;
		ns = jitnames_pin(syms, space);
		since_ns = ns && (!since_ns || ns < since_ns) ? ns : since_ns;
		if (!space->perfmap)
			space->perfmap = perfmap_new(syms->cfg.proc_root, space->pid, syms->cfg.offline,
						     &syms->perfmap_limits);
		if (space->perfmap && (space->is_exited || perfmap_is_due(space->perfmap)))
			perfmap_refresh(space->perfmap);
		/* One last look was taken just now. */
		if (space->is_exited)
			space->has_anon = false;
		else
			syms->jits.data[kept++] = space->pid;
	}
	syms->jits.n = kept;
	return since_ns;
}
