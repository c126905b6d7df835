/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep list u:FILE:GLOB and usdt:FILE:GLOB. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/list.h"
#include "sym/demangle.h"
#include "sym/ufuncs.h"
#include "types/usdt.h"
#include "util/strpool.h"
#include "util/vec.h"

#define NAME_BYTES 8192 /* of a path and a symbol: what is longer is left out */
#define HEX_BYTES 24

struct site {
	const char *provider, *name, *args; /* interned */
	uint64_t addr, semaphore;
};

struct program {
	struct list_run *run;
	const struct list_query *query;
	struct strpool *pool;
	VEC(struct site) sites;
};

static int add_func(void *arg, const struct ufunc *f)
{
	struct program *p = arg;
	struct list_row row = { .kind = LIST_USER };
	char name[NAME_BYTES], addr[HEX_BYTES];
	char *readable = demangle(f->name);

	if (list_wants(p->run, LIST_USER, f->name, readable) &&
	    snprintf(name, sizeof(name), "u:%s:%s", p->query->path, f->name) < (int)sizeof(name)) {
		snprintf(addr, sizeof(addr), "0x%" PRIx64, f->addr);
		row.name = name;
		row.note = readable;
		list_text(&row, LIST_ADDRESS, addr);
		list_number(&row, LIST_SIZE, f->size);
		if (readable)
			list_text(&row, LIST_DEMANGLED, readable);
		list_row(&p->run->out, &row);
	}
	free(readable);
	return 0;
}

static int add_site(void *arg, const struct usdt *u)
{
	struct program *p = arg;
	struct site s = { strpool_add(p->pool, u->provider), strpool_add(p->pool, u->name), strpool_add(p->pool, u->args), u->addr,
			  u->semaphore };

	if (!s.provider || !s.name || !s.args || vec_reserve(&p->sites))
		return -ENOMEM;
	p->sites.data[p->sites.n++] = s;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	order = order ? order : strcmp(x->name, y->name);
	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* n sites of one name; the arguments of the first stand for all. */
static void print_probe(struct program *p, const struct site *s, size_t n)
{
	struct list_row row = { .kind = LIST_USDT };
	char name[NAME_BYTES], full[NAME_BYTES], addr[HEX_BYTES], semaphore[HEX_BYTES];

	if (snprintf(name, sizeof(name), "%s:%s", s->provider, s->name) >= (int)sizeof(name) ||
	    snprintf(full, sizeof(full), "usdt:%s:%s", p->query->path, name) >= (int)sizeof(full) ||
	    !list_wants(p->run, LIST_USDT, name, s->name))
		return;
	row.name = full;
	row.note = *s->args ? s->args : NULL;
	list_text(&row, LIST_PROVIDER, s->provider);
	if (*s->args)
		list_text(&row, LIST_ARGUMENTS, s->args);
	snprintf(addr, sizeof(addr), "0x%" PRIx64, s->addr);
	list_text(&row, LIST_ADDRESS, addr);
	if (s->semaphore) {
		snprintf(semaphore, sizeof(semaphore), "0x%" PRIx64, s->semaphore);
		list_text(&row, LIST_SEMAPHORE, semaphore);
	}
	list_number(&row, LIST_SITES, n);
	list_row(&p->run->out, &row);
}

static int list_probes(struct program *p, const struct elf_file *elf)
{
	int ret;

	p->pool = strpool_new();
	ret = p->pool ? usdt_each(elf, add_site, p) : -ENOMEM;
	if (p->sites.n)
		qsort(p->sites.data, p->sites.n, sizeof(*p->sites.data), by_name);
	for (size_t i = 0, n; i < p->sites.n && ret != -ENOMEM; i += n) {
		const struct site *s = &p->sites.data[i];

		for (n = 1; i + n < p->sites.n && s[n].provider == s->provider && s[n].name == s->name; n++)
			;
		print_probe(p, s, n);
	}
	vec_free(&p->sites);
	strpool_free(p->pool);
	return ret;
}

/* A file that cannot be listed is the user's mistake, and said at once. */
static int refuse(const struct list_query *q, int ret, struct err *err)
{
	bool usdt = q->kinds & 1u << LIST_USDT;
	const char *why = ret == -ENOEXEC ? "it is not an ELF file" :
			  ret == -ENODATA ? usdt ? "it has no USDT probes" : "it has no symbols" :
			  ret == -EBADMSG ? "its notes are damaged" : strerror(-ret);

	return err_exit(err, ret, ret == -EACCES ? EXIT_CANNOT : EXIT_FAILED, "cannot list '%s': %s", q->path, why);
}

int list_program(struct list_run *run, struct list_query *query, struct err *err)
{
	struct program p = { .run = run, .query = query };
	struct elf_file elf;
	int fd = ufile_open(query->path, &elf), ret;

	if (fd < 0)
		return refuse(query, fd, err);
	ret = query->kinds & 1u << LIST_USDT ? list_probes(&p, &elf) : ufuncs_each(&elf, query->path, add_func, &p);
	elf_close(&elf);
	close(fd);
	if (ret == -EBADMSG && query->nr) {
		list_note(run, "the notes of '%s' are damaged: the list is not complete", query->path);
		ret = 0;
	}
	return ret ? refuse(query, ret, err) : 0;
}
