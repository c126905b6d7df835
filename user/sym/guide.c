/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tells the kernel's walker about processes, and only about those that it sampled: its first sample in an address space, and in an
 * object, is a request. The stack of a request is walked here, so no stack waits for its tables.
 */
#include <stdlib.h>
#include <string.h>

#include "sym/objtable.h"
#include "sym/syms.h"
#include "unwind/walk.h"
#include "util/clock.h"

/* After this many walks of a process that left its mappings, the kernel ends such walks itself. */
#define NOWHERE_MAX 8

#define FILLS_MAX 3 /* of a part, until a page of it is there */

struct guide {
	struct unwind_guide guide; /* first: a pointer to it is one to us */
	struct syms *syms;
	struct unwind_rules rules;
	VEC(uint32_t) pids;		 /* whose mappings are to be reported */
	VEC(struct unwind_space_key) gone; /* what those processes were before an exec */
	VEC(struct unwind_map) maps;
};

/* One walk over a copy of a stack. */
struct walk {
	struct guide *guide;
	struct unwind_store *store;
	struct space *space;
	const struct unwind_rest *rest;
	const uint8_t *stack;
};

static void report_later(struct guide *g, struct space *space)
{
	if (space->is_stale || vec_reserve(&g->pids))
		return;
	g->pids.data[g->pids.n++] = space->pid;
	space->is_stale = true;
}

/* Does it take the place of other code? */
static bool replaces(const struct space *space, const struct mapping *m)
{
	const struct mapset *set = space->epochs[space->nr_epochs - 1].live;

	for (uint32_t i = 0; set && i < set->n && set->data[i].start < m->end; i++)
		if (set->data[i].end > m->start && (set->data[i].obj != m->obj || set->data[i].pgoff - set->data[i].start != m->pgoff - m->start))
			return true;
	return false;
}

void guide_note(struct syms *syms, struct space *space, const struct mapping *m)
{
	if (!syms->guide || !space->in_kernel)
		return;
	if (m && !space->replaced_ns && replaces(space, m))
		space->replaced_ns = m->from_ns;
	report_later(syms->guide, space);
}

/* The kernel has the mappings of now. */
static void count_replaced(struct guide *g, struct space *space)
{
	uint64_t now = now_ns();

	if (!space->replaced_ns)
		return;
	g->guide.nr_replaced++;
	g->guide.replaced_ns += now > space->replaced_ns ? now - space->replaced_ns : 0;
	space->replaced_ns = 0;
}

/* The kernel met it under this key. */
static void met(struct guide *g, struct space *space, const struct unwind_space_key *key)
{
	if (space->in_kernel && memcmp(&space->key, key, sizeof(*key))) {
		if (!vec_reserve(&g->gone))
			g->gone.data[g->gone.n++] = space->key;
		space->in_kernel = false;
	}
	if (memcmp(&space->key, key, sizeof(*key)) != 0)
		space->nr_nowhere = 0;
	space->key = *key;
	report_later(g, space);
}

static bool has_code_of_file(const struct object *obj)
{
	return obj->kind == OBJECT_FILE || obj->kind == OBJECT_VDSO || obj->kind == OBJECT_MEMFD;
}

/* [uprobes] and [uprobes-trampoline], of which the kernel's events have 15 bytes: no frame there is the program's. */
static bool is_probes(const struct object *obj)
{
	return obj->kind == OBJECT_OTHER && !strncmp(obj->path, "[uprobes", strlen("[uprobes"));
}

/* A recorded file that is not here, or is another one now: whether its code keeps frame pointers is not known. */
static bool is_missing(const struct syms *syms, const struct object *obj)
{
	return syms->cfg.offline && obj->state == OBJECT_FAILED && (obj->kind == OBJECT_FILE || obj->kind == OBJECT_VDSO);
}

/* The number of the rule of a byte of an object: 0, or an enum stack_stop. Its part of the table is compiled if it is not there. */
static int find_number(const struct walk *w, const struct objtable_place *at, struct object *obj, uint64_t off, uint32_t *ret_number)
{
	uint32_t page = (uint32_t)(off >> UNWIND_PAGE_SHIFT), nr;
	const uint32_t *rows;

	/* The rest of a part may push its begin out of a store that is small. */
	for (int tries = 0; w->store->find(w->store, obj->table_page + page, &rows, &nr); tries++)
		if (tries == FILLS_MAX || objtable_fill(at, obj, page, w->store))
			return STOP_NOT_ASKED;
	*ret_number = unwind_rows_find(rows, nr, (uint32_t)off & (UNWIND_PAGE_BYTES - 1));
	return 0;
}

static int find_rule(void *arg, uint64_t ip, struct unwind_rule *ret_rule)
{
	const struct walk *w = arg;
	const struct mapping *m = w->space ? maps_lookup(w->space, w->rest->time_ns, ip) : NULL;
	struct object *obj = m ? m->obj : NULL;
	struct objtable_place at;
	uint32_t number = 0;
	uint64_t vaddr, off;
	int end;

	if (!m || is_probes(obj))
		return STOP_NO_CODE;
	at = (struct objtable_place){ &w->guide->syms->objects, w->rest->pid, m->start, m->end };
	if (is_missing(w->guide->syms, obj))
		return STOP_NO_RULE;
	if (has_code_of_file(obj) && obj->table_state == TABLE_NEW)
		objtable_open(&at, obj, w->store);
	if (obj->table_state == TABLE_FULL)
		return STOP_NOT_ASKED;
	if (is_missing(w->guide->syms, obj))
		return STOP_NO_RULE;
	*ret_rule = unwind_rule_fp;
	if (obj->table_state != TABLE_TOLD || !object_vaddr(obj, ip - m->start + m->pgoff, &vaddr))
		return 0;
	/* What the table does not reach is as code without one. */
	off = vaddr - obj->parts.vaddr;
	if (off >= (uint64_t)obj->parts.nr_pages << UNWIND_PAGE_SHIFT)
		return 0;
	end = find_number(w, &at, obj, off, &number);
	*ret_rule = w->guide->rules.data[number];
	return end || number ? end : STOP_NO_RULE;
}

static int read_word(void *arg, uint64_t addr, uint64_t *ret_word)
{
	const struct walk *w = arg;
	const struct unwind_rest *rest = w->rest;
	uint64_t at = addr - rest->regs.sp + rest->below;

	/* Compilers do not say that a register is no longer there once it was popped. */
	if (!rest->below && rest->regs.sp - addr - 1 < UNWIND_RED_ZONE)
		return 1;
	if (at > rest->bytes || rest->bytes - at < sizeof(*ret_word))
		return -1;
	memcpy(ret_word, w->stack + at, sizeof(*ret_word));
	for (int i = 0; rest->trampoline && *ret_word == rest->trampoline && i < UNWIND_RETURNS_SENT; i++) {
		if (rest->returns[i].at == addr) {
			*ret_word = rest->returns[i].ip;
			break;
		}
	}
	return 0;
}

/* unwind_settle() of bpf/lib/unwindprobe.bpf.h, where the kernel has no table: a return address as it was before the breakpoint is taken for one. */
static void settle(struct unwind_facts *facts, const uint64_t *leaf, struct unwind_regs *regs)
{
	struct unwind_regs before;
	struct unwind_rule rule;
	uint64_t ra;
	uint32_t end;

	regs->lost &= ~UNWIND_UNSETTLED;
	before = *regs;
	before.ip--;
	if (unwind_frames(facts, &before, leaf, &ra, 1, &end) == 1 && find_rule(facts->arg, ra - 1, &rule) != STOP_NO_CODE)
		regs->ip--;
}

static uint32_t walk(struct unwind_guide *guide, struct unwind_store *store, const struct unwind_rest *rest, const void *stack,
		     uint64_t *ret_ips, uint32_t max, uint32_t *ret_end)
{
	struct guide *g = (struct guide *)guide;
	/* 0: of a process that has no number here */
	struct walk w = { g, store, rest->pid ? syms_space(g->syms, rest->pid) : NULL, rest, stack };
	struct unwind_facts facts = { &w, find_rule, read_word };
	struct unwind_regs regs = rest->regs;
	uint64_t leaf[UNWIND_LEAF_REGS];
	uint32_t n;

	memcpy(leaf, rest->leaf, sizeof(leaf));
	if (w.space)
		met(g, w.space, &rest->space);
	if (regs.lost & UNWIND_UNSETTLED)
		settle(&facts, leaf, &regs);
	n = unwind_frames(&facts, &regs, regs.lost & UNWIND_LOST_LEAF ? NULL : leaf, ret_ips, max, ret_end);
	if (w.space && *ret_end == STOP_NO_CODE)
		w.space->nr_nowhere++;
	return n;
}

static struct unwind_map map_of(const struct space *space, const struct mapping *m)
{
	struct unwind_map map = { .start = m->start, .end = m->end };
	const struct object *obj = m->obj;
	uint32_t kind = UNWIND_MAP_FP;
	uint64_t vaddr;

	if (obj->table_state == TABLE_TOLD && object_code_vaddr(obj, m->pgoff, m->end - m->start, &vaddr)) {
		kind = UNWIND_MAP_TABLE;
		map.bias = m->start - (vaddr - obj->parts.vaddr);
		map.page = obj->table_page;
		map.nr_pages = obj->parts.nr_pages;
	} else if (has_code_of_file(obj) && obj->table_state != TABLE_NONE && !(obj->state == OBJECT_NEW && obj->nr_tries && obj->tried_pid == space->pid)) {
		kind = UNWIND_MAP_ASK; /* but not about a file that could not be had */
	} else if (is_probes(obj)) {
		kind = UNWIND_MAP_PROBE;
	}
	map.nr_pages |= kind << UNWIND_KIND_SHIFT;
	return map;
}

/* The mappings of a space, with the gaps between them if they are to be reported. Returns how many; 0: nothing, or no memory. */
static uint32_t list_maps(struct guide *g, const struct space *space)
{
	const struct mapset *set = space->epochs[space->nr_epochs - 1].live;
	uint32_t nr = set ? set->n : 0, n = 0;
	bool with_gaps = space->nr_nowhere >= NOWHERE_MAX && 2 * nr < UNWIND_BLOCK_MAPS;
	struct unwind_map *maps;
	uint64_t at = 0;

	g->maps.n = 0;
	maps = vec_take(&g->maps, 2 * nr + 1);
	if (!maps)
		return 0;
	for (uint32_t i = 0; i < nr; i++) {
		const struct mapping *m = &set->data[i];

		if (with_gaps && m->start > at)
			maps[n++] = (struct unwind_map){ at, m->start, 0, 0, UNWIND_MAP_NONE << UNWIND_KIND_SHIFT };
		maps[n++] = map_of(space, m);
		at = m->end;
	}
	if (with_gaps && at < UINT64_MAX)
		maps[n++] = (struct unwind_map){ at, UINT64_MAX, 0, 0, UNWIND_MAP_NONE << UNWIND_KIND_SHIFT };
	return n;
}

static void report_space(struct guide *g, struct unwind_store *store, struct space *space)
{
	uint32_t n = space->is_exited ? 0 : list_maps(g, space);

	space->is_stale = false;
	/* In the midst of an exec nothing is mapped yet: what comes is reported */
	space->in_kernel = n && !store->space(store, &space->key, g->maps.data, n);
	if (!space->in_kernel)
		store->forget(store, &space->key);
	count_replaced(g, space);
}

static void sync(struct unwind_guide *guide, struct unwind_store *store)
{
	struct guide *g = (struct guide *)guide;

	for (size_t i = 0; i < g->gone.n; i++)
		store->forget(store, &g->gone.data[i]);
	g->gone.n = 0;
	for (size_t i = 0; i < g->pids.n; i++) {
		struct space *space = maps_find(&g->syms->maps, g->pids.data[i]);

		if (space)
			report_space(g, store, space);
	}
	g->pids.n = 0;
}

struct unwind_guide *syms_guide(struct syms *syms)
{
	struct guide *g;

	if (syms->guide)
		return &syms->guide->guide;
	g = calloc(1, sizeof(*g));
	if (!g || unwind_rules_init(&g->rules)) {
		free(g);
		return NULL;
	}
	g->guide = (struct unwind_guide){ .walk = walk, .sync = sync };
	g->syms = syms;
	syms->objects.rules = &g->rules;
	syms->guide = g;
	return &g->guide;
}

void guide_free(struct guide *g)
{
	if (!g)
		return;
	unwind_rules_free(&g->rules);
	vec_free(&g->pids);
	vec_free(&g->gone);
	vec_free(&g->maps);
	free(g);
}
