/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep list k:GLOB: names from ftrace or kallsyms, types from BTF. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list.h"
#include "sym/kfuncs.h"
#include "types/btf.h"
#include "util/glob.h"

#define BTF_DIR "/sys/kernel/btf/"
#define PARAMETERS_MAX 32
#define DECL_BYTES 2048
#define NAME_BYTES 600 /* of "k:" and KSYM_NAME_LEN */

/* Where the type of each function is. */
struct typed {
	const struct btf_types *btf; /* NULL: it has none */
	uint32_t id;
};

struct types {
	const struct kfuncs *funcs;
	const char *glob;
	struct typed *typed;	/* beside funcs->all */
	struct btf_types **files; /* that were opened, vmlinux first */
	size_t nr_files;
	const struct btf_types *btf; /* the file at hand, and its module; NULL: the core */
	const char *module;
};

static int add_type(void *arg, const char *name, uint32_t id)
{
	struct types *t = arg;
	size_t from = 0, to = t->funcs->all.n;

	if (!glob_match(t->glob, name, strlen(name)))
		return 0;
	while (from < to) {
		size_t mid = (from + to) / 2;

		if (strcmp(t->funcs->all.data[mid].name, name) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < t->funcs->all.n && !strcmp(t->funcs->all.data[from].name, name); from++)
		if (t->funcs->all.data[from].module == t->module)
			t->typed[from] = (struct typed){ t->btf, id };
	return 0;
}

/* One BTF file: "vmlinux" or a module's. */
static int open_types(struct types *t, const char *module)
{
	char path[128];
	int ret;

	if (snprintf(path, sizeof(path), BTF_DIR "%s", module ? module : "vmlinux") >= (int)sizeof(path) || (module && strchr(module, '/')))
		return -ENOENT;
	ret = btf_open(path, module ? t->files[0] : NULL, &t->files[t->nr_files]);
	if (ret)
		return ret;
	t->btf = t->files[t->nr_files++];
	t->module = module;
	return btf_each_func(t->btf, add_type, t);
}

static bool seen_module(const struct kfuncs *funcs, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (funcs->all.data[i].module == funcs->all.data[at].module)
			return true;
	return false;
}

/* Types of what was found; a module without BTF leaves its functions without. 0, or -errno of vmlinux. */
static int find_types(struct types *t)
{
	const struct kfuncs *funcs = t->funcs;
	size_t nr_modules = 0;
	int ret;

	for (size_t i = 0; i < funcs->all.n; i++)
		nr_modules += funcs->all.data[i].module && (!i || funcs->all.data[i].module != funcs->all.data[i - 1].module);
	t->typed = calloc(funcs->all.n + 1, sizeof(*t->typed));
	t->files = calloc(nr_modules + 1, sizeof(*t->files));
	if (!t->typed || !t->files)
		return -ENOMEM;
	ret = open_types(t, NULL);
	for (size_t i = 0; i < funcs->all.n && !ret; i++)
		if (funcs->all.data[i].module && !seen_module(funcs, i))
			open_types(t, funcs->all.data[i].module);
	return ret;
}

static void free_types(struct types *t)
{
	while (t->nr_files)
		btf_close(t->files[--t->nr_files]);
	free(t->files);
	free(t->typed);
}

static size_t parameters(const struct typed *typed, char types[][DECL_BYTES / 4], struct member *fields)
{
	const char *name;
	size_t n = 0;

	while (n < PARAMETERS_MAX && (name = btf_parameter(typed->btf, typed->id, (uint32_t)n, types[n], sizeof(types[n])))) {
		fields[n] = (struct member){ types[n], name };
		n++;
	}
	return n;
}

static void print_func(struct list_run *run, const struct kfunc *f, const struct typed *typed)
{
	static char types[PARAMETERS_MAX][DECL_BYTES / 4];
	struct member fields[PARAMETERS_MAX];
	char name[NAME_BYTES], note[DECL_BYTES], prototype[DECL_BYTES], result[DECL_BYTES / 4];
	struct list_row row = { .kind = LIST_KERNEL, .name = name, .note = note };
	int n = 0;

	if (snprintf(name, sizeof(name), "k:%s", f->name) >= (int)sizeof(name) || !list_wants(run, LIST_KERNEL, f->name, NULL))
		return;
	if (typed->btf) {
		note[n++] = '(';
		btf_parameters(typed->btf, typed->id, note + 1, sizeof(note) - 64);
		n += (int)strlen(note + 1);
		n += snprintf(note + n, sizeof(note) - (size_t)n, ")");
		row.has_fields = true;
		row.fields = (struct members){ fields, parameters(typed, types, fields) };
		btf_prototype(typed->btf, typed->id, prototype, sizeof(prototype));
		list_text(&row, LIST_PROTOTYPE, prototype);
		if (run->out.format->in != IN_TEXT) {
			btf_result(typed->btf, typed->id, result, sizeof(result));
			list_text(&row, LIST_RETURNS, result);
		}
	} else {
		n = snprintf(note, sizeof(note), "(no types in BTF)");
	}
	if (f->module) {
		snprintf(note + n, sizeof(note) - (size_t)n, "  [%.48s]", f->module);
		list_text(&row, LIST_MODULE, f->module);
	}
	if (f->copies > 1)
		list_number(&row, LIST_COPIES, f->copies);
	list_row(&run->out, &row);
}

int list_kernel(struct list_run *run, struct list_query *query, struct err *err)
{
	struct types types = { .glob = run->near || !query->glob ? "*" : query->glob };
	struct kfuncs funcs;
	int ret = kfuncs_load(types.glob, &funcs);

	if (ret == -ENOMEM)
		return err_set(err, ret, "out of memory");
	if (ret) {
		list_refuse(run, LIST_KERNEL, ret, ret == -ENODATA ? "ftrace's list cannot be read, and /proc/kallsyms is empty" :
			    "neither ftrace's list nor /proc/kallsyms can be read", NULL);
		return 0;
	}
	types.funcs = &funcs;
	if (funcs.from_kallsyms && funcs.all.n)
		list_note(run, "kernel functions come from /proc/kallsyms: some of them cannot be probed (available_filter_functions: %s)",
			  strerror(-funcs.refused));
	if (!run->near) {
		ret = find_types(&types);
		if (ret && ret != -ENOMEM)
			list_note(run, "kernel functions are shown without types: " BTF_DIR "vmlinux: %s", strerror(-ret));
	}
	for (size_t i = 0; i < funcs.all.n && ret != -ENOMEM; i++) {
		if (run->near)
			list_wants(run, LIST_KERNEL, funcs.all.data[i].name, NULL);
		else
			print_func(run, &funcs.all.data[i], &types.typed[i]);
	}
	free_types(&types);
	kfuncs_free(&funcs);
	return ret == -ENOMEM ? err_set(err, ret, "out of memory") : 0;
}
