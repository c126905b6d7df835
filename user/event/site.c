/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each place has its own types and registers: expressions are bound again at each. */
#include "event/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"
#include "event/lasting.h"
#include "event/tracepoints.h"
#include "event/usdtarg.h"
#include "types/dwarf.h"
#include "types/kprotos.h"
#include "util/glob.h"
#include "util/near.h"

int site_refuse(struct site_list *list, const char *name, const char *why)
{
	struct refused r = { strpool_add(list->pool, name), strpool_add(list->pool, why) };

	if (!r.name || !r.why || vec_reserve(&list->refused))
		return -ENOMEM;
	list->refused.data[list->refused.n++] = r;
	return 0;
}

/* A line a name: "size_t size". */
static const char *vars_of(struct site_list *list, const struct bind_env *env)
{
	char text[4096] = "", type[256];
	struct usdt_arg a;
	size_t n = 0;

	for (uint32_t i = 0; env->func && i < env->func->nr_params && n < sizeof(text); i++) {
		const struct cparam *p = &env->func->params[i];

		env->types->name(env->types, p->type, type, sizeof(type));
		n += snprintf(text + n, sizeof(text) - n, "%s%s%s%s\n", type, type[0] && type[strlen(type) - 1] == '*' ? "" : " ",
			      *p->name ? p->name : "(no name)", p->place == CPLACE_FLOAT || p->place == CPLACE_NONE ? "  (cannot be read)" : "");
	}
	for (size_t i = 0; env->format && i < env->format->fields.n && n < sizeof(text); i++) {
		const struct format_field *f = &env->format->fields.data[i];

		n += snprintf(text + n, sizeof(text) - n, "%s %s%s\n", f->type, f->name, f->array);
	}
	for (uint32_t i = 0; env->usdt_args && n < sizeof(text); i++) {
		int ret = usdt_arg(env->usdt_args, i, &a);

		if (ret == -ENOENT)
			break;
		n += ret ? snprintf(text + n, sizeof(text) - n, "arg%u  (cannot be read)\n", i) :
			   snprintf(text + n, sizeof(text) - n, "%c%u arg%u\n", a.is_signed ? 's' : 'u', 8 * a.size, i);
	}
	for (int i = 0; env->lasting && i < env->lasting->nr_args && n < sizeof(text); i++)
		n += snprintf(text + n, sizeof(text) - n, "%s = %s\n", env->lasting->args[i].name, env->lasting->args[i].fetch);
	if (env->is_return && env->func && env->func->result && n < sizeof(text)) {
		env->types->name(env->types, env->func->result, type, sizeof(type));
		n += snprintf(text + n, sizeof(text) - n, "%s ret\n", type);
	}
	if (!n && !env->func && !env->format && !env->usdt_args && !env->lasting)
		snprintf(text, sizeof(text), "arg0 to arg%u  (%s)\n", env->nr_regs - 1, env->no_func ? env->no_func : "no prototype");
	return strpool_add(list->pool, text);
}

int site_add(struct site_list *list, const struct probe_spec *spec, const struct site_cfg *cfg, const struct bind_env *env, struct site *site,
	     struct err *err)
{
	struct err own = { 0 };
	int ret = bind_probe(spec, env, &site->bound, &own);

	for (int i = 0; i < cfg->nr_extras && !ret; i++)
		ret = bind_more(cfg->extras[i].exprs, &cfg->extras[i].arg, env, &site->bound, &own);
	if (!ret && cfg->vars && !(site->vars = vars_of(list, env)))
		ret = -ENOMEM;
	if (!ret && vec_reserve(&list->all))
		ret = -ENOMEM;
	if (!ret) {
		list->all.data[list->all.n++] = *site;
		return 0;
	}
	bind_free(&site->bound);
	if (!list->is_glob || ret == -ENOMEM) {
		*err = own;
		return ret;
	}
	own.text[strcspn(own.text, "\n")] = '\0';
	return site_refuse(list, site->name, own.text);
}

static struct ctypes *kernel_types(void *arg)
{
	struct site_list *list = arg;
	struct ctypes *types = NULL;

	if (!list->kprotos && kprotos_open(&list->kprotos))
		return NULL;
	return kprotos_types(list->kprotos, NULL, &types) ? NULL : types;
}

static bool wants_record(const struct site *site)
{
	for (int i = 0; i < site->bound.nr_args; i++)
		if (site->bound.args[i].show == VALUE_RECORD)
			return true;
	return false;
}

/* The format is the site's from now on. */
static int keep_format(struct site *site, struct format *format)
{
	if (site->format) /* a glob's one before: this one was refused */
		return 0;
	site->format = malloc(sizeof(*site->format));
	if (!site->format)
		return -ENOMEM;
	*site->format = *format;
	*format = (struct format){ 0 };
	return 0;
}

/* Of a glob: a probe of tracefs is attached in another way, and has an operand of its own. */
static bool is_lasting(const char *name)
{
	struct lastings probes;
	bool is = !lastings_find(name, &probes);

	if (is)
		lastings_free(&probes);
	return is;
}

static int add_tracepoint(struct site_list *list, const struct probe_spec *spec, const struct site_cfg *cfg, const char *name, struct err *err)
{
	struct bind_env env = { .kind = PROBE_TRACEPOINT, .what = name, .kernel_types = kernel_types, .arg = list };
	struct site site = { .name = strpool_add(list->pool, name) };
	struct format format;
	int ret = site.name ? format_read(name, &format) : -ENOMEM;

	if (!site.name)
		return ret;
	if (list->is_glob && is_lasting(name)) {
		format_free(&format);
		return site_refuse(list, name, "it is a probe of tracefs: name it without a glob");
	}
	env.format = &format;
	site.tracepoint = format.id;
	if (ret) {
		format_free(&format);
		return list->is_glob ? site_refuse(list, name, strerror(-ret)) :
				       err_exit(err, ret, EXIT_CANNOT, "cannot read the fields of '%s': %s", name, strerror(-ret));
	}
	if (!strncmp(name, "syscalls:", strlen("syscalls:")))
		format_drop_dynamics(&format);
	ret = site_add(list, spec, cfg, &env, &site, err);
	if (!ret && list->all.n && wants_record(&list->all.data[list->all.n - 1]))
		ret = keep_format(&list->all.data[list->all.n - 1], &format);
	format_free(&format);
	return ret;
}

struct tracepoint_finder {
	const struct probe_spec *spec;
	const struct site_cfg *cfg;
	struct site_list *list;
	struct near near;
	uint64_t found;
	struct err *err;
};

static int on_other_tracepoint(void *arg, const char *name)
{
	struct tracepoint_finder *f = arg;

	near_offer(&f->near, name, strlen(name));
	return 0;
}

static int on_tracepoint(void *arg, const char *name)
{
	struct tracepoint_finder *f = arg;
	size_t group = strcspn(name, ":");

	if (!glob_match(f->spec->group, name, group) || !name[group] ||
	    !glob_match(f->spec->name, name + group + 1, strlen(name + group + 1)))
		return 0;
	f->found++;
	return add_tracepoint(f->list, f->spec, f->cfg, name, f->err);
}

static int find_tracepoints(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *list, struct err *err)
{
	struct tracepoint_finder f = { .spec = spec, .cfg = cfg, .list = list, .err = err };
	char text[2 * PROBE_NAME_MAX];
	int ret;

	snprintf(text, sizeof(text), "%s:%s", spec->group, spec->name);
	ret = tracepoint_each(on_tracepoint, &f);
	if ((ret == -ENOTDIR || ret == -EACCES) && !f.found)
		return tracefs_refused(ret, text, strlen(text), err);
	if (!ret && !f.found) {
		ret = expr_bad(&spec->exprs, "bad probe", spec->name_at, err, "no tracepoint matches");
		if (!probe_hint_perf(text, strlen(text), err)) {
			near_init(&f.near, text, strlen(text));
			tracepoint_each(on_other_tracepoint, &f);
			near_hint(&f.near, err);
		}
	}
	return ret;
}

/* The kernel took the probe, so that the places can be probed. */
static int find_lasting(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *list, struct err *err)
{
	int ret = 0;

	snprintf(list->path, sizeof(list->path), "%s", spec->path);
	for (size_t i = 0; i < spec->lasting->all.n && !ret; i++) {
		const struct lasting *l = &spec->lasting->all.data[i];
		const char *colon = l->is_user ? NULL : strchr(l->place, ':');
		struct bind_env env = { .kind = spec->kind, .is_return = spec->is_return, .what = spec->name, .lasting = l, .nr_regs = SITE_ARG_REGS };
		struct site site = { .name = strpool_add(list->pool, l->is_user ? spec->name : colon ? colon + 1 : l->place), .addr = l->offset,
				     .semaphore = l->semaphore };

		if (colon && !(site.module = strpool_addn(list->pool, l->place, colon - l->place)))
			return -ENOMEM;
		ret = site.name ? site_add(list, spec, cfg, &env, &site, err) : -ENOMEM;
	}
	return ret;
}

int sites_find(const struct probe_spec *spec, const struct site_cfg *cfg, struct site_list *ret_list, struct err *err)
{
	struct site_list *list = ret_list;
	int ret;

	*list = (struct site_list){ .pool = strpool_new() };
	if (!list->pool)
		return -ENOMEM;
	list->is_glob = glob_is(spec->name) || glob_is(spec->group);
	ret = spec->lasting		     ? find_lasting(spec, cfg, list, err) :
	      spec->kind == PROBE_TRACEPOINT ? find_tracepoints(spec, cfg, list, err) :
	      spec->kind == PROBE_KERNEL     ? sites_find_kernel(spec, cfg, list, err) :
					       sites_find_user(spec, cfg, list, err);
	if (!ret && !list->all.n) {
		err_exit(err, -ENOENT, EXIT_USAGE, "nothing that matches '%s' can be probed%s%s%s%s", spec->name,
			 list->refused.n ? ": " : "", list->refused.n ? list->refused.data[0].name : "", list->refused.n ? ": " : "",
			 list->refused.n ? list->refused.data[0].why : "");
		ret = -ENOENT;
	}
	return ret;
}

void sites_free(struct site_list *list)
{
	for (size_t i = 0; i < list->all.n; i++) {
		bind_free(&list->all.data[i].bound);
		if (list->all.data[i].format)
			format_free(list->all.data[i].format);
		free(list->all.data[i].format);
	}
	vec_free(&list->all);
	vec_free(&list->refused);
	strpool_free(list->pool);
	kprotos_close(list->kprotos);
	dwarf_close(list->dwarf);
	*list = (struct site_list){ 0 };
}
