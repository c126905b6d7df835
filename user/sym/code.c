/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Places, and the code and lines of objects. Those of the kernel are in kernelcode.c. */
#include "sym/code.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/codereader.h"
#include "sym/jitnames.h"
#include "sym/lines.h"
#include "sym/starts.h"
#include "sym/syms.h"
#include "util/hash.h"

#define NO_FUNCTION UINT64_MAX

static void place_kernel(struct code_reader *r, struct code_place *p)
{
	struct syms *syms = r->syms;
	const char *name = NULL, *obj = NULL;

	if (kernel_find(&syms->kernel, p->time_ns, p->addr, &name, &obj, &p->start, &p->end)) {
		p->name = name;
		p->key = p->start;
	}
	p->obj_name = obj ? obj : syms->obj_unknown;
	p->id = p->obj_name;
	p->kind = obj == syms->kernel.bpf ? CODE_BPF : CODE_KERNEL;
	if (!p->name && obj == syms->kernel.core)
		kernel_image_place(r, p);
}

static const char *name_of(struct code_reader *r, const char *raw)
{
	struct code_symbol *s = &r->names[hash_u64((uintptr_t)raw) % CODE_NAMES];

	if (s->raw != raw)
		*s = (struct code_symbol){ raw, syms_readable(r->syms, raw) };
	return s->name;
}

/* A function without a symbol is named by where it begins: "md5sum+0x3a10". */
static void place_nameless(struct code_reader *r, struct code_place *p)
{
	char name[NAME_MAX + 32];

	if (!starts_find(&r->syms->objects, p->obj, 0, p->addr, &p->start, &p->end))
		return;
	p->name = syms_intern(r->syms, starts_name(p->obj, p->start, name, sizeof(name)));
	p->key = p->start;
}

static void place_object(struct code_reader *r, const struct mapping *m, struct code_place *p)
{
	struct object *obj = m->obj;
	const char *raw;

	p->id = p->obj = obj;
	p->obj_name = obj->path;
	if (obj->state != OBJECT_READ || (obj->kind == OBJECT_VDSO && p->addr < VDSO32_END) ||
	    !object_vaddr(obj, p->addr - m->start + m->pgoff, &p->addr))
		return;
	p->kind = CODE_OBJECT;
	raw = symtab_find(&obj->tab, p->addr, &p->start);
	if (!raw) {
		place_nameless(r, p);
		return;
	}
	p->name = name_of(r, raw);
	p->key = p->start;
	p->end = symtab_whole_end(&obj->tab, p->start);
}

void code_place(struct code_reader *r, uint32_t pid, uint64_t time_ns, uint64_t ip, bool kernel, struct code_place *ret_place)
{
	struct syms *syms = r->syms;
	const struct mapping *m;
	struct space *space;

	*ret_place = (struct code_place){ .addr = ip, .key = NO_FUNCTION, .pid = pid, .time_ns = time_ns, .obj_name = syms->obj_unknown, .id = syms->obj_unknown };
	if (kernel) {
		place_kernel(r, ret_place);
		return;
	}
	m = syms_mapping(syms, pid, time_ns, ip, &space);
	if (m)
		place_object(r, m, ret_place);
	if (space && ret_place->kind == CODE_NOWHERE)
		jit_code_place(r, space, ret_place);
}

struct code_reader *code_reader_new(struct syms *syms, const struct code_cfg *cfg)
{
	struct code_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->syms = syms;
	r->cfg = *cfg;
	r->image.fd = r->core.fd = -1;
	return r;
}

void code_reader_free(struct code_reader *r)
{
	if (!r)
		return;
	kernel_image_close(&r->image);
	kernel_image_close(&r->core);
	jit_dumps_free(r);
	free(r);
}

/* Why an address has no function whose code could be shown. */
static int refuse_unnamed(struct code_reader *r, const struct code_place *p, struct err *err)
{
	char why[256];
	int ret;

	if (p->kind == CODE_KERNEL || p->kind == CODE_BPF) {
		err_set(err, -ENOENT, "the kernel's functions have no names here");
		err_hint(err, "root may see the running kernel's names; -k FILE has those of a recorded one");
		return -ENOENT;
	}
	if (p->obj && (p->obj->kind == OBJECT_ANON || p->obj->kind == OBJECT_MEMFD)) {
		err_set(err, -ENOENT, "the code is in no file");
		err_hint(err, "a JIT that writes jit-PID.dump (java: libperf-jvmti.so; node --perf-prof) can be shown");
		return -ENOENT;
	}
	if (p->kind == CODE_NOWHERE && p->obj && p->obj->kind == OBJECT_VDSO)
		return err_set(err, -ENOENT, "the vDSO is of another kernel than the one that runs, or of 32-bit processes");
	if (p->kind == CODE_OBJECT || !p->obj || p->obj->kind != OBJECT_FILE)
		return err_set(err, -ENOENT, "no symbol is known for the sampled addresses");
	ret = object_why(&r->syms->objects, p->obj, why, sizeof(why));
	err_set(err, ret ? ret : -ENOENT, "%s", why);
	if (ret == -ESTALE || ret == -ENOENT)
		err_hint(err, "put the file that ran at its path, or below --symfs DIRECTORY");
	return ret ? ret : -ENOENT;
}

static int read_object(struct code_reader *r, const struct code_place *p, struct code *code, struct err *err)
{
	struct objects *objects = &r->syms->objects;
	struct object *obj = p->obj;
	struct object_file file;
	char *bytes;
	int ret = object_file_open(objects, obj, 0, 0, 0, &file);

	if (ret)
		return err_set(err, ret, "the file cannot be opened again: %s", strerror(-ret));
	ret = elf_read_code(&file.elf, p->start, p->end - p->start, &bytes);
	code->machine = file.elf.machine;
	object_file_close(obj, &file);
	if (ret)
		return err_set(err, ret, ret == -ERANGE ? "the file has no code there" : "the file cannot be read: %s", strerror(-ret));
	code->bytes = (uint8_t *)bytes;
	code->n = p->end - p->start;
	code->lines = r->cfg.no_lines ? NULL : object_lines(objects, obj);
	if (obj->kind == OBJECT_VDSO)
		code->source = "the vDSO in skep's own memory: this kernel's";
	return 0;
}

int code_read(struct code_reader *r, const struct code_place *place, struct code *ret_code, struct err *err)
{
	*ret_code = (struct code){ .addr = place->start, .place = place };
	if (!place->name)
		return place->kind == CODE_JIT ? jit_refuse(place, err) : refuse_unnamed(r, place, err);
	if (place->end <= place->start)
		return err_set(err, -ERANGE, "the size of the function is not known");
	if (place->end - place->start > CODE_MAX_BYTES)
		return err_set(err, -ERANGE, "the function is larger than %u MB", CODE_MAX_BYTES >> 20);
	if (place->kind == CODE_JIT)
		return jit_code_read(place, ret_code, err);
	if (place->kind == CODE_KERNEL)
		return kernel_code_read(r, place, ret_code, err);
	if (place->kind == CODE_BPF)
		return err_set(err, -ENOTSUP, "BPF programs' code is not read: bpftool prog dump jited shows it while they are loaded");
	return read_object(r, place, ret_code, err);
}

void code_free(struct code *code)
{
	free(code->bytes);
	code->bytes = NULL;
}

bool code_line(struct code_reader *r, const struct code *code, uint64_t addr, const char **ret_file, uint32_t *ret_line)
{
	char path[PATH_MAX];
	struct line_frame at = { 0 };

	if (code->place->kind == CODE_JIT && code->place->jit && jitdump_line(code->place->dump, code->place->jit, addr, &at.file, ret_line)) {
		*ret_file = syms_intern(r->syms, at.file);
		return *ret_file;
	}
	if (!code->lines || lines_find(code->lines, addr + code->to_lines, false, &at, 1) < 1 || !at.file || !at.line)
		return false;
	if (at.file[0] != '/' && at.dir && snprintf(path, sizeof(path), "%s/%s", at.dir, at.file) < (int)sizeof(path))
		at.file = path;
	*ret_file = syms_intern(r->syms, at.file);
	*ret_line = at.line;
	return *ret_file;
}

const char *code_name(struct code_reader *r, const struct code_place *place, uint64_t addr, uint64_t *ret_off)
{
	const char *name;
	uint64_t start = 0;

	if (place->kind == CODE_KERNEL) {
		struct code_place at = { .addr = addr, .time_ns = place->time_ns };

		place_kernel(r, &at);
		name = at.name;
		start = at.start;
	} else if (place->kind == CODE_OBJECT) {
		name = symtab_find(&place->obj->tab, addr, &start);
		name = name ? syms_readable(r->syms, name) : NULL;
		if (!name && addr >= place->start && addr < place->end) {
			name = place->name;
			start = place->start;
		}
	} else if (place->kind == CODE_JIT && place->dump) {
		const struct jitdump_code *c = jitdump_find(place->dump, jitnames_time(r->syms, place->time_ns), addr);

		name = c ? syms_readable(r->syms, c->name) : NULL;
		start = c ? c->addr : 0;
	} else {
		return NULL;
	}
	*ret_off = name ? addr - start : 0;
	return name;
}
