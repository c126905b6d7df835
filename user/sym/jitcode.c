/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code that JITs dumped. A JIT maps the file that it writes, jit-PID.dump, as executable, so that recordings have its path; the code
 * itself runs in memory without a file.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/codereader.h"
#include "sym/jitnames.h"
#include "sym/syms.h"
#include "util/clock.h"
#include "util/hash.h"

#define AGAIN_NS 1000000000ull /* between looks at a file that grows */

static const char *find_path(const struct space *space)
{
	const struct mapset *live = space->epochs[space->nr_epochs - 1].live;

	for (uint32_t i = 0; live && i < live->n; i++)
		if (jitnames_is_dump(live->data[i].obj->path))
			return live->data[i].obj->path;
	return NULL;
}

/* A process that lives may see another root directory. */
static void open_dump(struct code_reader *r, struct process_dump *p)
{
	const struct syms_cfg *cfg = &r->syms->cfg;
	char path[PATH_MAX];
	struct jitdump **ret_dump = &p->dumps[p->nr_dumps];
	int ret = -ENOENT;

	if (!cfg->offline && snprintf(path, sizeof(path), "%s/%u/root%s", cfg->proc_root, p->pid, p->path) < (int)sizeof(path))
		ret = jitdump_open(path, ret_dump, &p->why);
	if (ret && snprintf(path, sizeof(path), "%s%s", cfg->symfs ? cfg->symfs : "", p->path) < (int)sizeof(path))
		ret = jitdump_open(path, ret_dump, &p->why);
	p->nr_dumps += !ret;
}

static struct process_dump *dump_of(struct code_reader *r, const struct space *space)
{
	struct process_dump *p = NULL;

	for (size_t i = r->dumps.n; i-- > 0 && !p;)
		if (r->dumps.data[i]->pid == space->pid)
			p = r->dumps.data[i];
	if (!p) {
		p = vec_reserve(&r->dumps) ? NULL : calloc(1, sizeof(*p));
		if (!p)
			return NULL;
		p->pid = space->pid;
		p->version = space->version - 1;
		r->dumps.data[r->dumps.n++] = p;
	}
	if (p->path || p->version == space->version)
		return p;
	p->version = space->version;
	p->path = find_path(space);
	return p;
}

/* A JIT that lives goes on writing. What was read before stays: places point to it. */
static bool read_again(struct code_reader *r, struct process_dump *p)
{
	uint64_t now = now_ns();

	if (p->nr_dumps == JIT_READS_MAX || (p->nr_tries && (r->syms->cfg.offline || now - p->read_ns < AGAIN_NS)))
		return false;
	p->read_ns = now;
	p->nr_tries++;
	open_dump(r, p);
	return true;
}

static bool find_code(const struct code_reader *r, struct process_dump *p, struct code_place *place)
{
	const struct jitdump_code *code = NULL;
	uint64_t time_ns = jitnames_time(r->syms, place->time_ns);

	for (uint32_t i = p->nr_dumps; i-- > 0 && !code;) {
		place->dump = p->dumps[i];
		code = jitdump_find(p->dumps[i], time_ns, place->addr);
	}
	if (!code)
		return false;
	place->jit = code;
	place->start = code->addr;
	place->end = code->addr + code->size;
	place->key = hash_pair(code->addr, code->index);
	return true;
}

void jit_code_place(struct code_reader *r, struct space *space, struct code_place *place)
{
	struct process_dump *p = dump_of(r, space);

	if (!p || !p->path)
		return;
	place->kind = CODE_JIT;
	place->id = p;
	place->obj_name = p->path;
	if (find_code(r, p, place) || (read_again(r, p) && find_code(r, p, place)))
		place->name = syms_readable(r->syms, place->jit->name);
}

int jit_refuse(const struct code_place *place, struct err *err)
{
	const struct process_dump *p = place->id;

	*err = p->why;
	return p->nr_dumps ? err_set(err, -ENOENT, "the JIT has not dumped the code at the sampled addresses") : -ENOENT;
}

int jit_code_read(const struct code_place *place, struct code *ret_code, struct err *err)
{
	ret_code->bytes = malloc(place->jit->size);
	if (!ret_code->bytes)
		return err_set(err, -ENOMEM, "out of memory");
	memcpy(ret_code->bytes, place->jit->bytes, place->jit->size);
	ret_code->n = place->jit->size;
	ret_code->machine = jitdump_machine(place->dump);
	return 0;
}

void jit_dumps_free(struct code_reader *r)
{
	for (size_t i = 0; i < r->dumps.n; i++) {
		for (uint32_t k = 0; k < r->dumps.data[i]->nr_dumps; k++)
			jitdump_free(r->dumps.data[i]->dumps[k]);
		free(r->dumps.data[i]);
	}
	vec_free(&r->dumps);
}
