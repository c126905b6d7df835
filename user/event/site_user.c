/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions and USDT probes of a file. A name is the symbol's own or, without its parameters, what C++ and Rust call it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/site.h"
#include "event/upath.h"
#include "sym/demangle.h"
#include "sym/ufuncs.h"
#include "types/dwarf.h"
#include "types/srcline.h"
#include "types/usdt.h"
#include "unwind/insns.h"
#include "util/glob.h"
#include "util/hash.h"
#include "util/map.h"
#include "util/near.h"

#ifdef __x86_64__
#define NR_GO_REGS 9
#else
#define NR_GO_REGS 16
#endif
#define RETS_MAX 64

struct finder {
	struct site_list *list;
	const struct probe_spec *spec;
	const struct site_cfg *cfg;
	const struct elf_file *elf;
	struct err *err;
	struct near near;
	bool wants_near; /* nothing was found: a second pass is for similar names alone */
	struct map met; /* functions by address: the number of their site, from 1 on; 0: none */
	bool tried_dwarf;
	const char *no_dwarf;
	uint64_t found; /* functions that the name stands for, whatever became of them */
};

static void open_dwarf(struct finder *f)
{
	int ret;

	if (f->tried_dwarf)
		return;
	f->tried_dwarf = true;
	ret = dwarf_open(f->elf, f->list->path, &f->list->dwarf);
	if (ret)
		f->no_dwarf = ret == -ENODATA  ? "the file has no debug information that names arguments" :
			      ret == -EFBIG ? "its debug information is too large, or unpacks to more than 64 times its size" :
			      ret == -ENOTSUP ? "skep was built without libdw, which reads debug information" :
						"its debug information cannot be read";
}

static int why_not(struct finder *f, const char *name, const char *why)
{
	if (f->list->is_glob)
		return site_refuse(f->list, name, why);
	return err_exit(f->err, -EINVAL, EXIT_USAGE, "cannot probe '%s' in '%s': %s", name, f->list->path, why);
}

/*
 * The instruction under a probe is run elsewhere. With those of AVX-512 that goes wrong: strchrnul() of glibc gave wrong results
 * under a probe of any tool (6.18). They alone begin with this byte in 64-bit code (Intel SDM 2, 2.7).
 */
#define EVEX 0x62

static bool is_evex(const struct elf_file *elf, uint64_t off)
{
	char *byte;
	bool is = elf->is64 && elf->machine == EM_X86_64 && !elf_read(elf, off, 1, &byte);

	if (!is)
		return false;
	is = (uint8_t)*byte == EVEX;
	free(byte);
	return is;
}

static int add_place(struct finder *f, const struct bind_env *env, struct site *site, uint64_t vaddr)
{
	if (!elf_vaddr_to_off(f->elf, vaddr, &site->addr))
		return why_not(f, site->name, "it is not in the file's loaded parts");
	if (is_evex(f->elf, site->addr))
		return why_not(f, site->name, "its AVX-512 instruction would give wrong results under a probe");
	return site_add(f->list, f->spec, f->cfg, env, site, f->err);
}

/*
 * A return probe writes its own return address on the stack, which Go's runtime does not survive when it moves or looks at stacks
 * (golang/go#22008): each return instruction is probed instead.
 */
static int add_go_returns(struct finder *f, const struct bind_env *env, struct site *site, const struct ufunc *func)
{
	uint64_t rets[RETS_MAX];
	int n = func->size ? insns_rets(f->elf, func->addr, func->size, rets, RETS_MAX) : -ENODATA, ret = 0;

	if (n < 0)
		return why_not(f, site->name, n == -ENOTSUP ? "return probes break Go programs, and libcapstone is not there, "
							      "which finds the return instructions" :
							      "return probes break Go programs, and its return instructions are not found");
	if (!n)
		return why_not(f, site->name, "it has no return instruction");
	site->at_ret = true;
	for (int i = 0; i < n && !ret; i++) {
		struct site s = *site;
		const struct bound_probe *bound;

		ret = add_place(f, env, &s, rets[i]);
		bound = f->list->all.n ? &f->list->all.data[f->list->all.n - 1].bound : NULL;
		if (!ret && bound && (bound->needs_latency || bound->needs_entry))
			return err_exit(f->err, -EINVAL, EXIT_USAGE,
					"'%s' is a Go function: its arguments and its latency are not known when it returns", site->name);
	}
	return ret;
}

/* In the middle of a function arguments may have moved: debug information says where they are. */
static void use_vars(struct finder *f, uint64_t addr, struct cfunc *vars, struct bind_env *env)
{
	if (f->list->dwarf && !srcline_vars(f->list->dwarf, addr, vars)) {
		env->func = vars;
		env->at_addr = true;
	} else {
		env->no_func = "in the middle of a function its arguments may have moved";
	}
}

static bool in_file(struct finder *f, uint64_t addr)
{
	struct srcline_place place;

	open_dwarf(f);
	return f->list->dwarf && !srcline_at(f->list->dwarf, addr, &place) && srcline_is_file(place.file, f->spec->file);
}

/* A place without a symbol of its own: a line, or an address. */
static int add_addr(void *arg, uint64_t addr, const char *function)
{
	struct finder *f = arg;
	struct bind_env env = { .kind = PROBE_USER, .what = function, .nr_regs = f->list->is_go ? NR_GO_REGS : SITE_ARG_REGS };
	struct site site = { .name = strpool_add(f->list->pool, function), .symbol = addr };
	struct cfunc vars;

	if (!site.name)
		return -ENOMEM;
	f->found++;
	open_dwarf(f);
	env.types = (struct ctypes *)f->list->dwarf;
	use_vars(f, addr, &vars, &env);
	return add_place(f, &env, &site, addr);
}

static int find_line(struct finder *f)
{
	const struct probe_spec *s = f->spec;
	int ret;

	open_dwarf(f);
	if (!f->list->dwarf)
		return why_not(f, *s->name ? s->name : s->file, f->no_dwarf);
	ret = srcline_addrs(f->list->dwarf, *s->file ? s->file : NULL, *s->name ? s->name : NULL, s->line, add_addr, f);
	if (ret != -ENOENT)
		return ret;
	err_exit(f->err, -ENOENT, EXIT_USAGE, "cannot probe line %u of '%s%s%s' in '%s': no statement begins there, or there is no such code", s->line,
		 s->name, *s->name && *s->file ? "@" : "", s->file, f->list->path);
	return -ENOENT;
}

static int add_function(struct finder *f, const struct ufunc *func, const char *name)
{
	struct bind_env env = { .kind = PROBE_USER, .is_return = f->spec->is_return, .what = name,
				.nr_regs = f->list->is_go ? NR_GO_REGS : SITE_ARG_REGS };
	struct site site = { .name = strpool_add(f->list->pool, name), .symbol = func->addr };
	struct cfunc proto;
	int ret;

	if (!site.name)
		return -ENOMEM;
	if (site_wants_types(f->spec, f->cfg)) {
		open_dwarf(f);
		env.types = (struct ctypes *)f->list->dwarf;
		ret = f->list->dwarf ? dwarf_func(f->list->dwarf, func->addr, &proto) : -ENOENT;
		if (f->spec->has_offset)
			use_vars(f, func->addr + f->spec->offset, &proto, &env);
		else if (strstr(func->name, ".isra.") || strstr(func->name, ".constprop.") || strstr(func->name, ".part."))
			env.no_func = "an optimised copy, whose arguments may differ from its source";
		else if (ret)
			env.no_func = f->no_dwarf ? f->no_dwarf : "the debug information has no such function";
		else if (proto.is_changed)
			env.no_func = "the compiler changed how it is called";
		else
			env.func = &proto;
	}
	if (f->list->is_go && f->spec->is_return)
		return add_go_returns(f, &env, &site, func);
	if (f->spec->has_offset && func->size && f->spec->offset >= func->size)
		return err_exit(f->err, -EINVAL, EXIT_USAGE, "'%s' has %llu bytes: +%llu is past its end", name, (unsigned long long)func->size,
				(unsigned long long)f->spec->offset);
	if (f->spec->has_offset && func->size && insns_is_boundary(f->elf, func->addr, func->size, func->addr + f->spec->offset) == 0)
		return err_exit(f->err, -EINVAL, EXIT_USAGE, "'%s+%llu' is in the middle of an instruction", name,
				(unsigned long long)f->spec->offset);
	return add_place(f, &env, &site, func->addr + f->spec->offset);
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* A function of many names is one place, and called by the one with the fewest underscores, then the shortest: "realloc". */
static bool seen(const struct finder *f, uint64_t addr, const char *name)
{
	int64_t i = map_find(&f->met, hash_u64(addr));
	struct site *s = i > 0 ? &f->list->all.data[i - 1] : NULL;

	if (s && (underscores(name) < underscores(s->name) || (underscores(name) == underscores(s->name) && strlen(name) < strlen(s->name)))) {
		const char *better = strpool_add(f->list->pool, name);

		s->name = better ? better : s->name;
	}
	return i >= 0;
}

/* "ns::f" of "ns::f(int, char const*) const", "f" of "void f<int>(int)" stays "void f<int>". */
static size_t without_parameters(const char *readable)
{
	int depth = 0;
	size_t n = strlen(readable);

	/* From the end on: the bracket that opens the last pair. */
	while (n && readable[n - 1] != ')')
		n--;
	for (; n; n--) {
		depth += readable[n - 1] == ')';
		depth -= readable[n - 1] == '(';
		if (!depth)
			break;
	}
	return n ? n - 1 : strlen(readable);
}

static int on_function(void *arg, const struct ufunc *func)
{
	struct finder *f = arg;
	const char *wanted = f->spec->name;
	char *readable = NULL;
	size_t len = 0;
	int ret = 0;
	bool hit = f->list->is_glob ? func->is_func && glob_match(wanted, func->name, strlen(func->name)) : !strcmp(wanted, func->name);

	if (func->is_func && func->name[0] == '_' && (!hit || func->name[1] == 'Z' || func->name[1] == 'R')) {
		readable = demangle(func->name);
		len = readable ? without_parameters(readable) : 0;
		hit |= readable && (f->list->is_glob ? glob_match(wanted, readable, len) : strlen(wanted) == len && !memcmp(wanted, readable, len));
	}
	if (f->wants_near)
		near_offer(&f->near, readable ? readable : func->name, readable ? len : strlen(func->name));
	if (readable)
		readable[len] = '\0';
	if (hit && *f->spec->file && !in_file(f, func->addr))
		hit = false;
	if (hit && !f->wants_near && !seen(f, func->addr, readable ? readable : func->name)) {
		size_t before = f->list->all.n;

		f->found++;
		ret = add_function(f, func, readable ? readable : func->name);
		if (!ret)
			ret = map_add(&f->met, hash_u64(func->addr), f->list->all.n > before ? f->list->all.n : 0);
	}
	free(readable);
	return ret;
}

static int on_usdt(void *arg, const struct usdt *u)
{
	struct finder *f = arg;
	struct bind_env env = { .kind = PROBE_USDT, .usdt_args = u->args, .nr_regs = SITE_ARG_REGS };
	struct site site = { .symbol = u->addr };
	char name[2 * PROBE_NAME_MAX];

	if (f->wants_near)
		near_offer(&f->near, u->name, strlen(u->name));
	if (!glob_match(f->spec->group, u->provider, strlen(u->provider)) || !glob_match(f->spec->name, u->name, strlen(u->name)))
		return 0;
	snprintf(name, sizeof(name), "%.500s:%.500s", u->provider, u->name);
	site.name = strpool_add(f->list->pool, name);
	if (!site.name)
		return -ENOMEM;
	env.what = site.name;
	f->found++;
	if (u->semaphore && !elf_vaddr_to_off(f->elf, u->semaphore, &site.semaphore))
		return why_not(f, name, "its semaphore is not in the file");
	return add_place(f, &env, &site, u->addr);
}

static int each(struct finder *f)
{
	if (f->spec->is_address)
		return add_addr(f, f->spec->offset, f->spec->name);
	if (f->spec->has_line)
		return find_line(f);
	return f->spec->kind == PROBE_USDT ? usdt_each(f->elf, on_usdt, f) : ufuncs_each(f->elf, f->list->path, on_function, f);
}

static int none_found(struct finder *f, int ret)
{
	const char *what = f->spec->kind == PROBE_USDT ? "USDT probe" : "function";
	uint32_t calls = 0;

	if (ret == -ENODATA)
		return err_exit(f->err, ret, EXIT_USAGE, "cannot probe '%s': '%s' has no %s", f->spec->name, f->list->path,
				f->spec->kind == PROBE_USDT ? "USDT probes" : "symbols (it is stripped)");
	if (f->spec->kind == PROBE_USER && !f->list->is_glob) {
		open_dwarf(f);
		if (f->list->dwarf && !dwarf_find_inlined(f->list->dwarf, f->spec->name, strlen(f->spec->name), &calls) && calls)
			return err_exit(f->err, -ENOENT, EXIT_USAGE, "cannot probe '%s' in '%s': it is only inlined, at %u places", f->spec->name,
					f->list->path, calls);
	}
	expr_bad(&f->spec->exprs, "bad probe", f->spec->name_at, f->err, "'%s' has no such %s", f->list->path, what);
	f->wants_near = !f->list->is_glob;
	near_init(&f->near, f->spec->name, strlen(f->spec->name));
	if (f->wants_near)
		each(f);
	if (f->near.n)
		near_hint(&f->near, f->err);
	else
		err_hint(f->err, "skep list '%s:%s:*' shows them", f->spec->kind == PROBE_USDT ? "usdt" : "u", f->list->path);
	return -ENOENT;
}

int sites_find_user(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *list, struct err *err)
{
	struct finder f = { .list = list, .spec = spec, .cfg = cfg, .err = err };
	struct elf_file elf;
	int ret = upath_find(spec->path, cfg->pid, list->path, sizeof(list->path), err), fd;

	if (ret)
		return ret;
	fd = ufile_open(list->path, &elf);
	if (fd < 0)
		return err_exit(err, fd, fd == -EACCES ? EXIT_CANNOT : EXIT_USAGE, "cannot probe '%s': %s", spec->path,
				fd == -ENOEXEC ? "it is not an ELF file" : strerror(-fd));
	f.elf = &elf;
	list->is_go = ufunc_is_go(&elf);
	ret = each(&f);
	if (!f.found && (!ret || ret == -ENODATA))
		ret = none_found(&f, ret);
	else if (ret && !err->text[0])
		err_exit(err, ret, EXIT_FAILED, "cannot read the symbols of '%s': %s", list->path, strerror(-ret));
	map_free(&f.met);
	elf_close(&elf);
	close(fd);
	return ret;
}
