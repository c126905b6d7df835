/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One file of BTF per module, opened once, whether that went well or not. */
#include "types/kprotos.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/btf.h"
#include "types/btf_ctype.h"
#include "types/btf_read.h"

#define BTF_DIR "/sys/kernel/btf"
#define CORE "vmlinux"

struct file {
	char *name;
	int ret; /* of opening it */
	struct btf_types *btf;
	struct ctypes *types;
	struct btf_names funcs;
};

struct kprotos {
	const char *dir;
	VEC(struct file) files; /* the core's first */
};

int kprotos_open_at(const char *dir, struct kprotos **ret_kprotos)
{
	struct kprotos *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->dir = dir;
	*ret_kprotos = k;
	return 0;
}

int kprotos_open(struct kprotos **ret_kprotos)
{
	return kprotos_open_at(BTF_DIR, ret_kprotos);
}

static void close_file(struct file *f)
{
	btf_names_free(&f->funcs);
	btf_ctypes_free(f->types);
	btf_close(f->btf);
	free(f->name);
}

void kprotos_close(struct kprotos *k)
{
	if (!k)
		return;
	while (k->files.n)
		close_file(&k->files.data[--k->files.n]);
	vec_free(&k->files);
	free(k);
}

static int read_file(const struct kprotos *k, const struct file *core, struct file *f)
{
	char path[PATH_MAX];
	int ret;

	if (!*f->name || *f->name == '.' || strchr(f->name, '/') ||
	    snprintf(path, sizeof(path), "%s/%s", k->dir, f->name) >= (int)sizeof(path))
		return -EOPNOTSUPP;
	ret = btf_open(path, core ? core->btf : NULL, &f->btf);
	if (!ret)
		ret = btf_ctypes_new(f->btf, core ? core->types : NULL, &f->types);
	if (!ret)
		ret = btf_names_build(f->btf, 1u << BTF_KIND_FUNC, &f->funcs);
	return ret == -ENOENT ? -EOPNOTSUPP : ret;
}

static int open_file(struct kprotos *k, const char *name, const struct file **ret_file)
{
	struct file *core = k->files.n ? &k->files.data[0] : NULL, f = { 0 };

	for (size_t i = 0; i < k->files.n; i++)
		if (!strcmp(k->files.data[i].name, name)) {
			*ret_file = &k->files.data[i];
			return k->files.data[i].ret;
		}
	if (core && core->ret)
		return core->ret;
	f.name = strdup(name);
	if (!f.name || vec_reserve(&k->files)) {
		free(f.name);
		return -ENOMEM;
	}
	core = k->files.n ? &k->files.data[0] : NULL;
	f.ret = read_file(k, core, &f);
	k->files.data[k->files.n++] = f;
	*ret_file = &k->files.data[k->files.n - 1];
	return f.ret;
}

static int file_of(struct kprotos *k, const char *module, const struct file **ret_file)
{
	int ret = open_file(k, CORE, ret_file);

	return ret || !module ? ret : open_file(k, module, ret_file);
}

/* The name without what the compiler or linker added to it. 0, or -EREMCHG for a copy with other parameters. */
static int plain_length(const char *name, size_t *ret_len)
{
	static const char *const harmless[] = { ".llvm.", ".lto_priv." };
	const char *dot = strchr(name, '.');

	if (!dot)
		return 0;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		size_t n = strlen(harmless[i]);

		if (strncmp(dot, harmless[i], n) || !dot[n] || dot[n + strspn(dot + n, "0123456789")])
			continue;
		*ret_len = (size_t)(dot - name);
		return 0;
	}
	return -EREMCHG;
}

static bool same_prototype(const struct btf_types *btf, uint32_t a, uint32_t b)
{
	struct btf_type func[2], proto[2];
	const char *more[2];

	if (!btf_func_at(btf, a, &func[0], &proto[0], &more[0]) || !btf_func_at(btf, b, &func[1], &proto[1], &more[1]))
		return false;
	return func[0].type == func[1].type ||
	       (proto[0].type == proto[1].type && BTF_INFO_VLEN(proto[0].info) == BTF_INFO_VLEN(proto[1].info) &&
		!memcmp(more[0], more[1], BTF_INFO_VLEN(proto[0].info) * sizeof(struct btf_param)));
}

int kprotos_func(struct kprotos *k, const char *module, const char *name, struct cfunc *ret_func, struct ctypes **ret_types,
		 uint32_t *ret_btf_id)
{
	const struct file *file;
	uint32_t at = 0, id, other;
	size_t len = strlen(name);
	int ret = file_of(k, module, &file);

	if (ret)
		return ret;
	/* A name with a suffix in BTF itself has the copy's own prototype. */
	id = btf_names_next(&file->funcs, name, len, &at);
	if (!id) {
		ret = plain_length(name, &len);
		if (ret)
			return ret;
		id = btf_names_next(&file->funcs, name, len, &at);
	}
	ret = id ? btf_ctypes_func(file->types, id, ret_func) : -ENOENT;
	if (ret)
		return ret;
	while (!ret_func->is_ambiguous && (other = btf_names_next(&file->funcs, name, len, &at)))
		ret_func->is_ambiguous = !same_prototype(file->btf, id, other);
	*ret_types = file->types;
	*ret_btf_id = id;
	return 0;
}

int kprotos_types(struct kprotos *k, const char *module, struct ctypes **ret_types)
{
	const struct file *file;
	int ret = file_of(k, module, &file);

	if (!ret)
		*ret_types = file->types;
	return ret;
}
