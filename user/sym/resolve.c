/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The resolver of sym.h: puts address spaces, objects, perf maps and the kernel together, and
 * keeps the answers. An answer depends only on the object and what is in it, so that processes share it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/demangle.h"
#include "sym/jithint.h"
#include "sym/jitnames.h"
#include "sym/lines.h"
#include "sym/starts.h"
#include "sym/syms.h"
#include "util/hash.h"

#define CACHE_FIRST_SLOTS 4096u
#define CACHE_MAX_ENTRIES (256u << 10) /* about 30 MB; then it starts anew */
#define VSYSCALL_START 0xffffffffff600000ull
#define VSYSCALL_BYTES 0x1000u
#define NAME_UNKNOWN "[unknown]"
#define NO_FUNCTION UINT64_MAX /* stands for the start of what has no name */
#define NEW_ANSWERS_MAX 2u /* of one look-up */

int syms_new(const struct syms_cfg *cfg, struct syms **ret_syms, struct err *err)
{
	struct syms *syms;

	if ((cfg->lines || cfg->inlines) && !syms_have_lines())
		return err_exit(err, -ENOTSUP, EXIT_CANNOT,
				"cannot show inlined functions and source lines: this skep was built without libdw");
	syms = calloc(1, sizeof(*syms));
	if (!syms)
		return err_set(err, -ENOMEM, "cannot set up symbols: out of memory");
	syms->cfg = *cfg;
	syms->by_address = cfg->lines || cfg->inlines;
	syms->perfmap_limits = (struct perfmap_limits)PERFMAP_LIMITS;
	if (!syms->cfg.proc_root)
		syms->cfg.proc_root = "/proc";
	maps_init(&syms->maps, cfg->exited_max, cfg->exited_ns);
	syms->pool = cfg->pool ? cfg->pool : strpool_new();
	syms->cache_slots = CACHE_FIRST_SLOTS;
	syms->cache = calloc(syms->cache_slots, sizeof(*syms->cache));
	if (syms->pool) {
		syms->name_unknown = strpool_add(syms->pool, NAME_UNKNOWN);
		syms->obj_unknown = syms->name_unknown;
		syms->vsyscall = strpool_add(syms->pool, "[vsyscall]");
	}
	if (!syms->pool || !syms->cache || !syms->name_unknown || !syms->vsyscall || kernel_init(&syms->kernel, &syms->cfg, syms->pool)) {
		syms_free(syms);
		return err_set(err, -ENOMEM, "cannot set up symbols: out of memory");
	}
	origin_begin(&syms->origin, &syms->cfg);
	syms->kernel.origin = &syms->origin;
	syms->objects = (struct objects){ .cfg = &syms->cfg, .origin = &syms->origin, .pool = syms->pool };
	*ret_syms = syms;
	return 0;
}

void syms_free(struct syms *syms)
{
	if (!syms)
		return;
	maps_free(&syms->maps);
	objects_free(&syms->objects);
	kernel_free(&syms->kernel);
	guide_free(syms->guide);
	vec_free(&syms->frames);
	vec_free(&syms->pending);
	vec_free(&syms->jits);
	jitnames_free(syms);
	free(syms->cache);
	free(syms->recent);
	if (!syms->cfg.pool)
		strpool_free(syms->pool);
	free(syms);
}

const char *syms_intern(struct syms *syms, const char *text)
{
	return strpool_add(syms->pool, text);
}

void syms_forget_answers(struct syms *syms)
{
	memset(syms->cache, 0, syms->cache_slots * sizeof(*syms->cache));
	syms->cache_used = 0;
	syms->frames.n = 0;
}

static uint32_t answer_slot(const struct syms *syms, const struct object *obj, uint64_t vaddr)
{
	uint32_t i = (uint32_t)hash_u64(vaddr ^ (uint64_t)obj->id << 44);

	for (i &= syms->cache_slots - 1; syms->cache[i].obj; i = (i + 1) & (syms->cache_slots - 1))
		if (syms->cache[i].obj == obj && syms->cache[i].vaddr == vaddr)
			break;
	return i;
}

/* Room for a look-up's answers: doubles the table, or empties it when it is as large as may be. */
static int make_room(struct syms *syms)
{
	struct answer *old = syms->cache;
	uint32_t nr_old = syms->cache_slots;

	if ((syms->cache_used + NEW_ANSWERS_MAX) * 2 < syms->cache_slots)
		return 0;
	if (syms->cache_used >= CACHE_MAX_ENTRIES) {
		syms_forget_answers(syms);
		return 0;
	}
	syms->cache = calloc(nr_old * 2, sizeof(*syms->cache));
	if (!syms->cache) {
		syms->cache = old;
		return -ENOMEM;
	}
	syms->cache_slots = nr_old * 2;
	for (uint32_t i = 0; i < nr_old; i++)
		if (old[i].obj)
			syms->cache[answer_slot(syms, old[i].obj, old[i].vaddr)] = old[i];
	free(old);
	return 0;
}

const char *syms_readable(struct syms *syms, const char *raw)
{
	char *out = syms->cfg.no_demangle ? NULL : demangle(raw);
	const char *name = out ? strpool_add(syms->pool, out) :
				 strpool_addn(syms->pool, raw, strnlen(raw, SYM_NAME_MAX_BYTES - 1));

	free(out);
	return name ? name : syms->name_unknown;
}

/* Splits frames[0], the function, into itself and what is inlined into it there. Returns how many. */
static int add_lines(struct syms *syms, struct object *obj, uint64_t vaddr, struct frame *frames)
{
	struct line_frame at[LINES_FRAMES_MAX];
	struct frame function = frames[0];
	int n;

	if (!object_lines(&syms->objects, obj))
		return 1;
	n = lines_find(obj->lines, vaddr, syms->cfg.inlines, at, LINES_FRAMES_MAX);
	for (int i = 0; i < n; i++) {
		frames[i] = function;
		if (i < n - 1) {
			frames[i].kind = FRAME_INLINED;
			frames[i].name = syms_readable(syms, at[i].name);
			frames[i].addr = at[i].entry;
		}
		if (syms->cfg.lines && at[i].file) {
			frames[i].file = strpool_add(syms->pool, at[i].file);
			frames[i].line = at[i].line;
		}
	}
	return n ? n : 1;
}

/*
 * The frames of an address in an object that is read, for which make_room() was called: where they are in syms->frames, and how many, 0
 * without memory. Their addr is where in the object what they name starts. With source lines each address has its own; else all of a
 * function share one.
 */
static uint32_t answer(struct syms *syms, struct object *obj, uint32_t pid, uint64_t vaddr, uint32_t *ret_n)
{
	struct frame frames[LINES_FRAMES_MAX], *kept;
	uint64_t start = NO_FUNCTION;
	const char *raw = syms->by_address ? NULL : starts_function(&syms->objects, obj, pid, vaddr, &start);
	uint64_t key = syms->by_address ? vaddr : start;
	struct answer *known = &syms->cache[answer_slot(syms, obj, key)];
	int n = 1;

	if (known->obj) {
		*ret_n = known->n;
		return known->first;
	}
	*ret_n = 0;
	if (syms->by_address)
		raw = starts_function(&syms->objects, obj, pid, vaddr, &start);
	frames[0] = (struct frame){ .name = obj->unknown, .obj = obj->path, .kind = FRAME_UNKNOWN };
	if (!raw && start != NO_FUNCTION)
		starts_fill(&syms->objects, obj, start, &frames[0]);
	if (raw) {
		frames[0].name = syms_readable(syms, raw);
		frames[0].kind = FRAME_USER;
		frames[0].addr = start;
		frames[0].is_data = obj->tab.with_data && symtab_is_data(&obj->tab, start);
		if (syms->by_address)
			n = add_lines(syms, obj, vaddr, frames);
		frames[n - 1].is_root = symbol_is_root(frames[n - 1].name);
	}
	*known = (struct answer){ obj, key, (uint32_t)syms->frames.n, (uint32_t)n };
	kept = vec_take(&syms->frames, (size_t)n);
	if (!kept) {
		known->obj = NULL;
		return 0;
	}
	memcpy(kept, frames, (size_t)n * sizeof(*kept));
	syms->cache_used++;
	*ret_n = (uint32_t)n;
	return known->first;
}

/* A sink that hands what proc_scan_maps finds to a resolver. */
struct scan_sink {
	struct sink sink;
	struct syms *syms;
};

static int scan_task(struct sink *sink, const struct task_event *t)
{
	return syms_task(((struct scan_sink *)sink)->syms, t);
}

struct space *syms_space(struct syms *syms, uint32_t pid)
{
	struct space *space = maps_find(&syms->maps, pid);
	struct scan_sink s = { .sink = { .task = scan_task }, .syms = syms };

	if (syms->cfg.offline || (space && (space->is_scanned || space->nr_epochs > 1 || space->epochs[0].live)))
		return space;
	space = maps_get(&syms->maps, pid);
	if (!space)
		return NULL;
	space->is_scanned = true;
	proc_scan_maps(syms->cfg.proc_root, pid, &s.sink);
	return maps_find(&syms->maps, pid);
}

static int one_frame(struct frame *f, const char *name, const char *obj, uint64_t ip, uint64_t off, uint32_t kind)
{
	*f = (struct frame){ .name = name, .obj = obj, .kind = kind, .addr = ip, .pos = ip, .off = off };
	return 1;
}

const struct mapping *syms_mapping(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t addr, struct space **ret_space)
{
	struct space *space = *ret_space = syms_space(syms, pid);
	const struct mapping *m = space ? maps_lookup(space, time_ns, addr) : NULL;

	if (!m)
		return NULL;
	if (m->obj->state == OBJECT_NEW)
		object_open(&syms->objects, m->obj, pid, m->start, m->end);
	if (m->obj->state == OBJECT_OPEN)
		object_read(&syms->objects, m->obj, pid);
	if (object_await(&syms->objects, m->obj))
		syms_forget_answers(syms);
	return m;
}

/* A dump knows when code was where; a perf map has no times, and its last line wins. */
static bool find_jit(struct syms *syms, struct space *space, uint64_t time_ns, uint64_t at, uint64_t ip, struct frame *f)
{
	uint64_t start;
	const char *name, *path;
	size_t len;

	if (space->nr_jits && jitnames_find(syms, space, time_ns, at, ip, f))
		return true;
	if (syms->origin.other_machine)
		return false;
	if (!space->perfmap) {
		space->perfmap = perfmap_new(syms->cfg.proc_root, space->pid, syms->cfg.offline,
					     &syms->perfmap_limits);
		if (!space->perfmap)
			return false;
		perfmap_refresh(space->perfmap);
	}
	name = perfmap_find(space->perfmap, at, &start, &len);
	if (!name)
		return false;
	name = strpool_addn(syms->pool, name, len);
	path = strpool_add(syms->pool, perfmap_path(space->perfmap));
	return name && path && one_frame(f, name, path, ip, ip - start, FRAME_JIT);
}

/* pos: where in the file. */
static int unknown(struct syms *syms, const struct object *obj, uint64_t ip, uint64_t pos, struct frame *f)
{
	syms->stats.user_unknown++;
	if (!obj || !obj->tab.n)
		syms->stats.user_nosymtab++;
	one_frame(f, obj ? obj->unknown : syms->name_unknown, obj ? obj->path : syms->obj_unknown, ip, pos, FRAME_UNKNOWN);
	f->pos = pos;
	return 1;
}

static bool has_map_name(const struct object *obj)
{
	return !strcmp(obj->path, "//anon") || !strncmp(obj->path, "/dev/zero", strlen("/dev/zero")) ||
	       !strncmp(obj->path, "/anon_hugepage", strlen("/anon_hugepage"));
}

/* The name is there, whether the file is or not. */
static int unknown_jit(struct syms *syms, const struct object *obj, const struct space *space, uint64_t ip, uint64_t pos, struct frame *f)
{
	char path[64];
	const char *name;
	int n = unknown(syms, obj, ip, pos, f);

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", space->pid);
	name = strpool_add(syms->pool, path);
	f->obj = name ? name : f->obj;
	return n;
}

static int resolve_user(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t ip, bool caller,
			struct frame *ret_frames, int max)
{
	uint64_t at = ip - (caller && ip), off, pos, vaddr;
	struct space *space;
	const struct mapping *m = syms_mapping(syms, pid, time_ns, at, &space);
	struct object *obj = m ? m->obj : NULL;
	uint32_t first, n;

	syms->stats.user_frames++;
	if (!m && at - VSYSCALL_START < VSYSCALL_BYTES) {
		syms->stats.user_unknown++;
		return one_frame(ret_frames, syms->vsyscall, syms->vsyscall, ip, at - VSYSCALL_START, FRAME_UNKNOWN);
	}
	/* Memory that was made executable later is in no recorded mapping. */
	if (!m && space && space->nr_jits && jitnames_find(syms, space, time_ns, at, ip, ret_frames))
		return 1;
	if (!m) {
		if (space && space->has_anon)
			jithint_look(syms, space);
		return unknown(syms, NULL, ip, ip, ret_frames);
	}
	off = at - m->start + m->pgoff;
	pos = off + (ip - at);
	if (syms->cfg.perf_objects && obj->kind == OBJECT_ANON) /* whose offset perf takes for the address */
		pos = ip;
	if (!m->is_data && (obj->kind == OBJECT_ANON || (obj->kind == OBJECT_MEMFD && obj->state != OBJECT_READ)) &&
	    find_jit(syms, space, time_ns, at, ip, ret_frames)) {
		ret_frames->pos = pos;
		return 1;
	}
	if (!m->is_data && obj->kind == OBJECT_ANON)
		jithint_look(syms, space);
	if (syms->cfg.perf_objects && !m->is_data && obj->kind == OBJECT_ANON && has_map_name(obj))
		return unknown_jit(syms, obj, space, ip, pos, ret_frames);
	if (obj->state != OBJECT_READ || (obj->kind == OBJECT_VDSO && at < VDSO32_END) ||
	    !object_vaddr(obj, off, &vaddr) || make_room(syms))
		return unknown(syms, obj, ip, pos, ret_frames);
	first = answer(syms, obj, pid, vaddr, &n);
	/* A signal's handler returns to the first byte of code that nobody called. */
	if (caller && n && syms->frames.data[first + n - 1].kind == FRAME_UNKNOWN) {
		uint32_t nr_there, there = answer(syms, obj, pid, vaddr + 1, &nr_there);

		if (nr_there && syms->frames.data[there + nr_there - 1].kind != FRAME_UNKNOWN &&
		    syms->frames.data[there + nr_there - 1].addr == vaddr + 1) {
			first = there;
			n = nr_there;
			vaddr++;
			caller = false;
		}
	}
	if (!n)
		return unknown(syms, obj, ip, pos, ret_frames);
	/* What does not fit is the innermost: the function itself stays. */
	if (n > (uint32_t)max) {
		first += n - (uint32_t)max;
		n = (uint32_t)max;
	}
	for (uint32_t i = 0; i < n; i++) {
		ret_frames[i] = syms->frames.data[first + i];
		ret_frames[i].off = vaddr + caller - ret_frames[i].addr;
		ret_frames[i].addr = ip;
		ret_frames[i].pos = pos;
	}
	if (ret_frames[n - 1].kind == FRAME_UNKNOWN) {
		syms->stats.user_unknown++;
		syms->stats.user_nosymtab += !obj->tab.n;
	}
	obj->nr_early += obj->is_coming && (ret_frames[n - 1].kind == FRAME_UNKNOWN || ret_frames[n - 1].is_start);
	return (int)n;
}

static int resolve_kernel(struct syms *syms, uint64_t time_ns, uint64_t ip, bool caller, struct frame *ret_frame)
{
	uint64_t at = ip - (caller && ip), start;
	const char *name, *obj;

	syms->stats.kernel_frames++;
	if (kernel_find(&syms->kernel, time_ns, at, &name, &obj, &start, NULL)) {
		one_frame(ret_frame, name, obj, ip, ip - start, FRAME_KERNEL);
	} else {
		syms->stats.kernel_unknown++;
		one_frame(ret_frame, obj ? obj : syms->name_unknown, obj ? obj : syms->obj_unknown, ip, ip, FRAME_UNKNOWN);
	}
	ret_frame->is_kernel = true;
	return 1;
}

int syms_resolve(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t ip, bool kernel, bool caller,
		 struct frame *ret_frames, int max)
{
	if (max < 1)
		return 0;
	syms->stats.lookups++;
	if (syms->cfg.frames)
		return syms->cfg.frames(syms->cfg.frames_arg, ip, ret_frames, max);
	return kernel ? resolve_kernel(syms, time_ns, ip, caller, ret_frames) :
			resolve_user(syms, pid, time_ns, ip, caller, ret_frames, max);
}

/* How many of the outermost addresses two stacks have in common. A leaf and a caller with one address differ: they are looked up in different ways. */
static uint32_t same_callers(const struct recent_stack *last, const uint64_t *ips, uint32_t n)
{
	const uint64_t *last_ips = last->ips + RECENT_FRAMES_MAX - last->n;
	uint32_t max = n < last->n ? n : last->n, same = 0;

	while (same < max && ips[n - 1 - same] == last_ips[last->n - 1 - same])
		same++;
	return same && same == max && n != last->n ? same - 1 : same;
}

uint32_t syms_resolve_stack(struct syms *syms, uint32_t pid, uint64_t time_ns, const uint64_t *ips, uint32_t n, struct frame *ret_frames)
{
	struct space *space = syms->cfg.offline && !syms->by_address && n <= RECENT_FRAMES_MAX ? maps_find(&syms->maps, pid) : NULL;
	struct recent_stack *last;
	uint32_t same;

	if (!space || time_ns < space->changed_ns || jitnames_by_time(syms, space))
		return 0;
	if (!syms->recent && !(syms->recent = calloc(RECENT_STACKS, sizeof(*syms->recent))))
		return 0;
	last = &syms->recent[pid % RECENT_STACKS];
	same = last->version == space->version ? same_callers(last, ips, n) : 0;
	last->version = space->version;
	last->n = n;
	for (uint32_t i = 0; i < n - same; i++) {
		uint32_t at = RECENT_FRAMES_MAX - n + i;

		last->ips[at] = ips[i];
		resolve_user(syms, pid, time_ns, ips[i], i > 0, &last->frames[at], 1);
	}
	memcpy(ret_frames, last->frames + RECENT_FRAMES_MAX - n, n * sizeof(*ret_frames));
	return n;
}

bool syms_by_time(struct syms *syms, uint32_t pid)
{
	struct space *space = syms->jitfiles.n ? maps_find(&syms->maps, pid) : NULL;

	return space && jitnames_by_time(syms, space);
}

void syms_stats(const struct syms *syms, struct syms_stats *ret_stats)
{
	*ret_stats = syms->stats;
	ret_stats->objects = syms->objects.all.n;
	ret_stats->user_early = syms->objects.nr_early;
	ret_stats->symbols = syms->objects.nr_symbols + syms->kernel.tab.n;
	ret_stats->debugfiles_unchecked = syms->objects.debug_limits.nr_unchecked;
	ret_stats->dwarf_refused = syms->objects.dwarf_limits.nr_refused;
	if (syms->cfg.servers != SERVERS_NOT && debuginfod_is_on())
		debuginfod_stats(&ret_stats->servers);
	ret_stats->perfmaps_cut = syms->perfmap_limits.nr_cut;
	ret_stats->perfmap_foreign = *syms->perfmap_limits.foreign ? syms->perfmap_limits.foreign : NULL;
	ret_stats->objects_missing = objects_missing(&syms->objects, &ret_stats->missing);
	ret_stats->kernel_hidden = syms->kernel.is_hidden;
	ret_stats->kptr_restrict = syms->kernel.kptr_restrict;
	ret_stats->kernel_mismatch = syms->origin.other_kernel && !syms->cfg.kallsyms && !syms->cfg.frames;
	ret_stats->kernel_not_said = syms->origin.is_open;
	ret_stats->other_machine = syms->origin.other_machine;
	ret_stats->recorded = syms->cfg.recorded;
}
