/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/kallsyms.h"
#include "sym/vmlinux.h"

const struct opt symbol_opts[] = {
	{ 0, "inline", NULL, OPT_FLAG, offsetof(struct symbol_options, inlines), "show inlined functions, too (slower)" },
	{ 0, "no-demangle", NULL, OPT_FLAG, offsetof(struct symbol_options, no_demangle), "names as they are in the symbol table" },
	{ 0, "addresses", NULL, OPT_FLAG, offsetof(struct symbol_options, addresses), "what has no symbol by its address, not by where its function begins" },
	{ 0, "symfs", "DIR", OPT_TEXT, offsetof(struct symbol_options, symfs), "look for programs, libraries and debug files below DIR" },
	{ 0, "kallsyms", "FILE", OPT_TEXT, offsetof(struct symbol_options, kallsyms), "names of the recorded kernel, saved from /proc/kallsyms there" },
	{ 'k', "vmlinux", "FILE", OPT_TEXT, offsetof(struct symbol_options, vmlinux), "names of the recorded kernel, from its image" },
	{ 0 },
};

const struct opt_rule symbol_rules[] = {
	{ "kallsyms", .not_with = "vmlinux" },
	{ 0 },
};

static int check_readable(const char *path, const char *option, struct err *err)
{
	return access(path, R_OK) ? err_set(err, -errno, "cannot read '%s' of '%s': %s", path, option, strerror(errno)) : 0;
}

/* Lines as "ffffffff81000000 T _text"; a copy that another user than root made has only zeroes. */
static int check_kallsyms(const char *path, struct err *err)
{
	uint64_t addr = 0;
	char *text, *end;
	size_t n;
	int ret = kallsyms_file(path, &text, &n);

	if (ret)
		return err_set(err, ret, "cannot read '%s' of '--kallsyms': %s", path, strerror(-ret));
	for (const char *at = text; at && !addr; at = strchr(at, '\n')) {
		at += *at == '\n';
		addr = strtoull(at, &end, 16);
		addr = *end == ' ' ? addr : 0;
	}
	free(text);
	if (addr)
		return 0;
	err_set(err, -EINVAL, "'%s' of '--kallsyms' has no addresses of kernel functions", path);
	err_hint(err, "copy /proc/kallsyms of the recorded machine, as root");
	return -EINVAL;
}

static int check_image(const char *path, struct err *err)
{
	char *text;
	size_t n;
	int ret = check_readable(path, "--vmlinux", err);

	if (ret)
		return ret;
	if (!vmlinux_is(path))
		return err_set(err, -ENOEXEC, "'%s' of '--vmlinux' is no ELF file, as vmlinux is", path);
	ret = vmlinux_names(path, &text, &n);
	if (ret)
		return err_set(err, ret, "'%s' of '--vmlinux' has no names of functions: %s", path, ret == -ENODATA ? "it is stripped" : strerror(-ret));
	free(text);
	return 0;
}

static int check_dir(const char *path, struct err *err)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "'%s' of '--symfs' is not a directory", path);
	return check_readable(path, "--symfs", err);
}

int symbol_options_apply(struct symbol_options *o, struct syms_cfg *cfg, struct err *err)
{
	int ret = 0;

	cfg->no_demangle = o->no_demangle;
	cfg->addresses = o->addresses;
	cfg->inlines = o->inlines;
	cfg->lines |= o->inlines;
	cfg->kallsyms = o->kallsyms;
	cfg->symfs = o->symfs;
	if (o->kallsyms)
		ret = check_kallsyms(o->kallsyms, err);
	if (o->vmlinux) {
		cfg->kallsyms = o->vmlinux;
		ret = check_image(o->vmlinux, err);
	}
	if (ret || !o->symfs)
		return ret;
	if (snprintf(o->debug_dir, sizeof(o->debug_dir), "%s/usr/lib/debug", o->symfs) >= (int)sizeof(o->debug_dir))
		return err_exit(err, -ENAMETOOLONG, EXIT_USAGE, "bad value of '--symfs': too long");
	cfg->debug_dir = o->debug_dir;
	return check_dir(o->symfs, err);
}
