/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/jitnames.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sym/jitdump.h"
#include "sym/owner.h"
#include "sym/syms.h"

struct jitfile {
	const struct object *obj;
	struct jitdump *dump; /* NULL: not opened yet */
	uint64_t looked_ms; /* CLOCK_MONOTONIC; 0: not yet */
	dev_t dev;
	ino_t ino; /* with dev: of the file that dump is of */
	uint64_t size; /* of it when it was read */
	bool is_over; /* it is not read again */
};

bool jitnames_is_dump(const char *path)
{
	const char *slash = strrchr(path, '/');
	unsigned int pid;
	int n = 0;

	return slash && !strncmp(slash, "/jit-", strlen("/jit-")) && sscanf(slash, "/jit-%u.dump%n", &pid, &n) == 1 && n && !slash[n];
}

int jitnames_note(struct syms *syms, struct space *space, const struct object *obj)
{
	struct jitfile *f = NULL;

	for (uint32_t i = 0; i < space->nr_jits; i++)
		if (space->jits[i]->obj == obj)
			return 0;
	for (size_t i = 0; i < syms->jitfiles.n && !f; i++)
		if (syms->jitfiles.data[i]->obj == obj)
			f = syms->jitfiles.data[i];
	if (!f) {
		if (vec_reserve(&syms->jitfiles) || !(f = calloc(1, sizeof(*f))))
			return -ENOMEM;
		f->obj = obj;
		syms->jitfiles.data[syms->jitfiles.n++] = f;
	}
	if (space->nr_jits == SPACE_JITS_MAX)
		memmove(space->jits, space->jits + 1, --space->nr_jits * sizeof(*space->jits));
	space->jits[space->nr_jits++] = f;
	return 0;
}

void jitnames_trim(struct syms *syms)
{
	for (size_t i = 0; i < syms->jitfiles.n; i++) {
		struct jitfile *f = syms->jitfiles.data[i];

		if (f->obj->is_mapped || !f->dump)
			continue;
		syms->perfmap_limits.bytes_left += jitdump_charged(f->dump);
		jitdump_free(f->dump);
		f->dump = NULL;
		f->is_over = false;
		f->size = 0;
	}
}

/* Through the process, whose root directory may be another, then here. Less than 0: -errno. */
static int open_file(const struct syms *syms, const struct jitfile *f, uint32_t pid, struct stat *ret_st)
{
	const struct syms_cfg *cfg = &syms->cfg;
	uid_t owner = geteuid();
	uint32_t nspid;
	char path[PATH_MAX];
	int fd = -ENOENT;

	if (!cfg->offline) {
		owner_read(cfg->proc_root, pid, &nspid, &owner);
		if (snprintf(path, sizeof(path), "%s/%u/root%s", cfg->proc_root, pid, f->obj->path) < (int)sizeof(path))
			fd = jitdump_open_fd(path, owner, ret_st);
	}
	if (fd >= 0 || fd == -EPERM || (syms->origin.other_machine && !cfg->symfs))
		return fd;
	if (snprintf(path, sizeof(path), "%s%s", cfg->symfs ? cfg->symfs : "", f->obj->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = jitdump_open_fd(path, owner, ret_st);
	/* Of a process that has ended the path may have been another file. */
	if (fd >= 0 && !cfg->offline && f->obj->ino && ret_st->st_ino != f->obj->ino) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

static void note_failure(struct syms *syms, const struct jitfile *f, int ret)
{
	struct jit_stats *s = &syms->stats.jit;

	if (ret == -EPERM)
		s->foreign = f->obj->path;
	else if (ret == -EBADMSG)
		s->broken = f->obj->path;
	else if (ret == -EFBIG)
		s->large = f->obj->path;
	else
		s->missing = f->obj->path;
	if (s->missing == f->obj->path)
		s->missing_errno = -ret;
}

/* Since when what was new in it has replaced code; UINT64_MAX: it has not. */
static uint64_t read_file(struct syms *syms, struct jitfile *f, int fd)
{
	unsigned int keep = syms->cfg.lines ? JITDUMP_LINES : 0;
	struct jitdump_state was = { 0 }, now;
	int ret;

	if (!f->dump && !(f->dump = jitdump_new(keep)))
		return UINT64_MAX;
	jitdump_state(f->dump, &was);
	ret = jitdump_read(f->dump, fd, &syms->perfmap_limits.bytes_left);
	jitdump_state(f->dump, &now);
	syms->stats.jit.codes += now.nr_codes - was.nr_codes;
	syms->stats.jit.replaced += now.nr_replaced - was.nr_replaced;
	syms->stats.jit.bad_records += now.nr_bad - was.nr_bad;
	/* A file that was just made may have no header yet. */
	f->is_over = now.is_broken || (ret && (ret != -EBADMSG || syms->cfg.offline));
	if (f->is_over)
		note_failure(syms, f, ret);
	else if (now.is_cut && syms->cfg.offline)
		syms->stats.jit.cut = f->obj->path;
	if (now.has_own_times)
		syms->stats.jit.without_times = f->obj->path;
	return now.nr_replaced != was.nr_replaced && !now.has_own_times ? now.first_ns : UINT64_MAX;
}

static uint64_t look(struct syms *syms, struct jitfile *f, uint32_t pid)
{
	uint64_t since_ns = UINT64_MAX;
	struct stat st;
	int fd;

	f->looked_ms = looks_now_ms();
	fd = open_file(syms, f, pid, &st);
	if (fd < 0) {
		if (!f->dump)
			note_failure(syms, f, fd);
		f->is_over = syms->cfg.offline || fd == -EPERM;
		return since_ns;
	}
	/* Another file, or one that begins anew, is another program's. */
	if (f->dump && (st.st_dev != f->dev || st.st_ino != f->ino || (uint64_t)st.st_size < f->size))
		f->is_over = true;
	else if (!f->dump || (uint64_t)st.st_size > f->size)
		since_ns = read_file(syms, f, fd);
	close(fd);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->size = (uint64_t)st.st_size;
	if (syms->stats.jit.missing == f->obj->path)
		syms->stats.jit.missing = NULL;
	return since_ns;
}

static bool may_look(const struct syms *syms, const struct jitfile *f, uint64_t after_ms)
{
	return !f->is_over && (!f->looked_ms || (!syms->cfg.offline && looks_now_ms() - f->looked_ms >= after_ms));
}

uint64_t jitnames_pin(struct syms *syms, struct space *space)
{
	uint64_t since_ns = UINT64_MAX, ns;

	for (uint32_t i = 0; i < space->nr_jits; i++) {
		if (!may_look(syms, space->jits[i], LOOKS_LEAST_MS) && (!space->is_exited || space->jits[i]->is_over))
			continue;
		ns = look(syms, space->jits[i], space->pid);
		since_ns = ns < since_ns ? ns : since_ns;
	}
	return since_ns == UINT64_MAX ? 0 : since_ns;
}

uint64_t jitnames_time(const struct syms *syms, uint64_t time_ns)
{
	const struct recorded *r = syms->cfg.recorded;

	return r && r->other_clock && *r->other_clock ? UINT64_MAX : time_ns;
}

static const struct jitdump_code *find_code(struct syms *syms, const struct space *space, uint64_t time_ns, uint64_t at,
					    const struct jitfile **ret_file)
{
	const struct jitdump_code *code = NULL;

	time_ns = jitnames_time(syms, time_ns);
	for (uint32_t i = space->nr_jits; i-- > 0 && !code;) {
		*ret_file = space->jits[i];
		code = (*ret_file)->dump ? jitdump_find((*ret_file)->dump, time_ns, at) : NULL;
	}
	return code;
}

/* Were any of the space's dumps read? */
static bool look_all(struct syms *syms, struct space *space)
{
	bool looked = false;

	for (uint32_t i = 0; i < space->nr_jits; i++) {
		if (!may_look(syms, space->jits[i], LOOKS_MS))
			continue;
		look(syms, space->jits[i], space->pid);
		looked = true;
	}
	return looked;
}

bool jitnames_find(struct syms *syms, struct space *space, uint64_t time_ns, uint64_t at, uint64_t ip, struct frame *f)
{
	const struct jitfile *file;
	const struct jitdump_code *code = find_code(syms, space, time_ns, at, &file);

	if (!code && look_all(syms, space))
		code = find_code(syms, space, time_ns, at, &file);
	if (!code)
		return false;
	*f = (struct frame){ .name = syms_readable(syms, code->name), .obj = file->obj->path, .kind = FRAME_JIT, .addr = ip, .pos = ip,
			     .off = ip - code->addr };
	if (syms->cfg.lines && jitdump_line(file->dump, code, at, &f->file, &f->line))
		f->file = syms_intern(syms, f->file);
	return true;
}

bool jitnames_by_time(struct syms *syms, struct space *space)
{
	struct jitdump_state state;
	bool is_replaced = false;

	if (!space->nr_jits)
		return false;
	look_all(syms, space);
	for (uint32_t i = 0; i < space->nr_jits && !is_replaced; i++) {
		if (!space->jits[i]->dump)
			continue;
		jitdump_state(space->jits[i]->dump, &state);
		is_replaced = state.nr_replaced && !state.has_own_times;
	}
	if (!is_replaced || jitnames_time(syms, 0) == 0)
		return is_replaced;
	syms->stats.jit.other_clock = true;
	return false;
}

void jitnames_free(struct syms *syms)
{
	for (size_t i = 0; i < syms->jitfiles.n; i++) {
		jitdump_free(syms->jitfiles.data[i]->dump);
		free(syms->jitfiles.data[i]);
	}
	vec_free(&syms->jitfiles);
}
