/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel functions: one that is named is looked for in kallsyms (40 ms), since kernels before 6.6 take the first of its name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/site.h"
#include "event/tracepoints.h"
#include "sym/kfuncs.h"
#include "types/kprotos.h"
#include "util/glob.h"
#include "util/near.h"

static const char *why_no_proto(int ret)
{
	return ret == -EREMCHG	    ? "an optimised copy, whose arguments may differ from its source" :
	       ret == -ENOENT	    ? "the kernel's types (BTF) have no such function" :
	       ret == -EOPNOTSUPP   ? "the kernel has no types for it (BTF)" :
				      strerror(-ret);
}

static bool has_plain_args(struct ctypes *types, const struct cfunc *f)
{
	struct ctype t;

	for (uint32_t i = 0; i < f->nr_params; i++)
		if (f->params[i].place != CPLACE_REG || f->params[i].n != i || types->get(types, f->params[i].type, &t) || t.size > 8 ||
		    t.kind == CTYPE_STRUCT || t.kind == CTYPE_UNION)
			return false;
	return !f->is_variadic && !f->result_in_memory && f->nr_params <= 6;
}

/* "sched_switch" is no function, but t:sched:sched_switch. */
static bool hint_tracepoint(const char *name, struct err *err)
{
	bool is_call = !strncmp(name, "sys_enter_", 10) || !strncmp(name, "sys_exit_", 9);
	struct err none = {};
	struct event event;
	char glob[128], full[128];

	if (name[strcspn(name, "*?[:,")] || snprintf(glob, sizeof(glob), "%s:%s", is_call ? "syscalls" : "*", name) >= (int)sizeof(glob) ||
	    event_parse(glob, &event, 1, &none) != 1 || !tracepoint_name(&event, full, sizeof(full)))
		return false;
	err_hint(err, "a tracepoint is written so: t:%s", full);
	return true;
}

static void hint_near(const char *name, struct err *err)
{
	struct kfuncs funcs;
	struct near near;

	if (hint_tracepoint(name, err) || kfuncs_load("*", &funcs))
		return;
	near_init(&near, name, strlen(name));
	for (size_t i = 0; i < funcs.all.n; i++)
		near_offer(&near, funcs.all.data[i].name, strlen(funcs.all.data[i].name));
	if (near_is_close(&near))
		near_hint(&near, err);
	else
		err_hint(err, "skep list 'k:GLOB' shows functions");
	kfuncs_free(&funcs);
}

int site_kernel_refused(const char *name, int ret, struct err *err)
{
	char why[512] = "";

	if (kfuncs_why_not(name, why, sizeof(why)))
		return err_exit(err, ret, EXIT_CANNOT, "cannot attach to '%s': %s", name,
				ret == -EINVAL ? "the kernel allows no probe there" : strerror(-ret));
	err_exit(err, ret, EXIT_USAGE, "cannot probe '%s': %s", name, why);
	if (!strcmp(why, "no such function"))
		hint_near(name, err);
	return ret;
}

/*
 * Is it there, and once? Kernels before 6.6 take the first of several functions of a name, and BTF says nothing of them. Where its text
 * cannot be probed, attaching will say so.
 */
static bool is_there(const char *name)
{
	char why[512] = "";

	return kfuncs_why_not(name, why, sizeof(why)) ||
	       (strcmp(why, "no such function") && !strstr(why, "inlined") && !strstr(why, "only optimised") && !strstr(why, "functions of that name"));
}

static int add(struct site_list *list, const struct probe_spec *spec, const struct site_cfg *cfg, struct site *site, struct err *err)
{
	struct bind_env env = { .kind = PROBE_KERNEL, .is_return = spec->is_return, .what = site->name, .nr_regs = SITE_ARG_REGS };
	struct cfunc func;
	int ret;

	/* One function alone can have a trampoline, which needs its type. */
	if (site_wants_types(spec, cfg) || !list->is_glob) {
		if (!list->kprotos && kprotos_open(&list->kprotos))
			return -ENOMEM;
		ret = kprotos_func(list->kprotos, site->module, site->name, &func, &env.types, &site->btf_id);
		if (ret == -ENOMEM)
			return ret;
		if (!ret && func.is_ambiguous)
			env.no_func = "several functions of that name have different arguments";
		else if (ret)
			env.no_func = why_no_proto(ret);
		else if (spec->has_offset)
			env.no_func = "in the middle of a function its arguments may have moved";
		if (!env.no_func) {
			env.func = &func;
			site->nr_params = func.nr_params;
			site->has_plain_args = has_plain_args(env.types, &func);
		} else {
			site->btf_id = 0;
			if (!env.types)
				kprotos_types(list->kprotos, NULL, &env.types);
		}
	}
	return site_add(list, spec, cfg, &env, site, err);
}

static int add_matches(struct site_list *list, const struct probe_spec *spec, const struct site_cfg *cfg, struct err *err)
{
	struct kfuncs funcs;
	int ret = kfuncs_load(spec->name, &funcs);

	if (ret)
		return err_exit(err, ret, EXIT_CANNOT, "neither ftrace's list of functions nor /proc/kallsyms can be read: %s",
				ret == -ENODATA ? "the latter is empty" : strerror(-ret));
	for (size_t i = 0; i < funcs.all.n && !ret; i++) {
		const struct kfunc *f = &funcs.all.data[i];
		struct site site = { .name = strpool_add(list->pool, f->name), .module = f->module ? strpool_add(list->pool, f->module) : NULL };
		char why[64];

		if (*spec->group && !glob_match(spec->group, f->module ? f->module : "vmlinux", strlen(f->module ? f->module : "vmlinux")))
			continue;
		if (!site.name || (f->module && !site.module)) {
			ret = -ENOMEM;
		} else if (f->copies > 1) {
			snprintf(why, sizeof(why), "there are %u functions of that name", f->copies);
			ret = site_refuse(list, f->name, why);
		} else {
			ret = add(list, spec, cfg, &site, err);
		}
	}
	if (!ret && !list->all.n && !list->refused.n)
		ret = expr_bad(&spec->exprs, "bad probe", spec->name_at, err, "no kernel function matches");
	kfuncs_free(&funcs);
	return ret;
}

int sites_find_kernel(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *list, struct err *err)
{
	struct site site = { .name = strpool_add(list->pool, spec->name) };

	if (list->is_glob)
		return add_matches(list, spec, cfg, err);
	if (!site.name)
		return -ENOMEM;
	if (*spec->group && strcmp(spec->group, "vmlinux")) {
		site.module = strpool_add(list->pool, spec->group);
		if (!site.module)
			return -ENOMEM;
	}
	if (spec->is_address) {
		struct bind_env env = { .kind = PROBE_KERNEL, .is_return = spec->is_return, .what = site.name, .nr_regs = SITE_ARG_REGS,
					.no_func = "an address has no arguments" };

		return site_add(list, spec, cfg, &env, &site, err);
	}
	if (!site.module && !is_there(site.name))
		return site_kernel_refused(site.name, -ENOENT, err);
	return add(list, spec, cfg, &site, err);
}
