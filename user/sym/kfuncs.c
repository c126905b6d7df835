/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both lists take the kernel longer to print (35 to 45 ms) than us to read: lines are matched where they lie, as they come, and
 * nothing is kept of those that do not match.
 */
#include "sym/kfuncs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sym/file.h"
#include "util/glob.h"

#define FTRACE_NEW "/sys/kernel/tracing/available_filter_functions"
#define FTRACE_OLD "/sys/kernel/debug/tracing/available_filter_functions"
#define KALLSYMS "/proc/kallsyms"
#define READ_BYTES (64u << 10)

/* Sections of text that kprobes and ftrace keep away from: asm-generic/sections.h; names as kallsyms has them. */
static const struct {
	const char *from, *to;
} kept[] = {
	{ "__entry_text_start", "__entry_text_end" },
	{ "__noinstr_text_start", "__noinstr_text_end" },
	{ "__kprobes_text_start", "__kprobes_text_end" },
};
#define NR_KEPT (sizeof(kept) / sizeof(kept[0]))

/*
 * Padding before functions, labels of control flow integrity, static calls, and what ftrace prints in the place of a weak function
 * that another one took the place of (FTRACE_INVALID_FUNCTION, kernel/trace/ftrace.c).
 */
static const char *const prefixes[] = { "__pfx_", "__cfi_", "__SCT__", "__SCK__", "__ftrace_invalid_address__" };

struct range {
	uint64_t from, to;
};

struct reader {
	struct kfuncs *kfuncs;
	const char *glob;
	struct range text, kept[NR_KEPT];
	bool skipping; /* the rest of a line that is too long to be one */
};

static bool is(const char *name, size_t len, const char *text)
{
	return strlen(text) == len && !memcmp(name, text, len);
}

/* Is it a mark of the linker's? Then its address is noted. */
static bool is_mark(struct reader *r, const char *name, size_t len, const char *line, const char *end)
{
	unsigned long long addr;
	uint64_t *mark = NULL;

	if (name[0] != '_' || len < sizeof("_stext") - 1)
		return false;
	if (is(name, len, "_stext"))
		mark = &r->text.from;
	else if (is(name, len, "_etext"))
		mark = &r->text.to;
	for (size_t i = 0; i < NR_KEPT && name[1] == '_' && !mark; i++)
		mark = is(name, len, kept[i].from) ? &r->kept[i].from : is(name, len, kept[i].to) ? &r->kept[i].to : NULL;
	if (mark && !hex_parse(&line, end, &addr))
		*mark = addr;
	return mark;
}

static bool is_function(const char *name, size_t len)
{
	static const char cold[] = ".cold";

	for (size_t i = 0; name[0] == '_' && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (len > strlen(prefixes[i]) && !memcmp(name, prefixes[i], strlen(prefixes[i])))
			return false;
	return !memmem(name, len, cold, strlen(cold));
}

/* module: "[name]", or empty. */
static int add(struct reader *r, const char *name, size_t len, const char *module, size_t module_len, uint64_t addr)
{
	struct kfuncs *k = r->kfuncs;
	struct kfunc f = { .addr = addr, .copies = 1 };

	if (module_len >= 2 && module[0] == '[' && module[module_len - 1] == ']') {
		/* BPF programs and what the kernel writes at run time: [bpf], [__builtin__ftrace]. */
		if (is(module, module_len, "[bpf]") || !strncmp(module, "[__builtin__", strlen("[__builtin__")))
			return 0;
		f.module = strpool_addn(k->pool, module + 1, module_len - 2);
		if (!f.module)
			return -ENOMEM;
	}
	f.name = strpool_addn(k->pool, name, len);
	if (!f.name || vec_reserve(&k->all))
		return -ENOMEM;
	k->all.data[k->all.n++] = f;
	return 0;
}

/* "ffffffff81000000 T name\t[module]": the name, or NULL when it is no text. */
static const char *kallsyms_name(const char *line, const char *end)
{
	const char *at = line + 2 * sizeof(long);

	if (end - line < (ptrdiff_t)(2 * sizeof(long) + 4) || at[0] != ' ') { /* not of this kernel: a test's */
		at = memchr(line, ' ', (size_t)(end - line));
		if (!at || end - at < 4)
			return NULL;
	}
	if (at[2] != ' ' || ((at[1] | 0x20) != 't' && (at[1] | 0x20) != 'w'))
		return NULL;
	return at + 3;
}

/* Addresses are read where a name matches only. "name [module]" is ftrace's form. */
static int read_line(struct reader *r, const char *line, const char *end)
{
	const char *name = line, *name_end, *module;
	bool kallsyms = r->kfuncs->from_kallsyms;
	unsigned long long addr = 0;
	size_t len;

	if (kallsyms && !(name = kallsyms_name(line, end)))
		return 0;
	if (*name != '_' && !glob_may_begin(r->glob, *name))
		return 0;
	for (name_end = name; name_end < end && *name_end != '\t' && *name_end != ' '; name_end++)
		;
	for (module = name_end; module < end && (*module == '\t' || *module == ' '); module++)
		;
	len = (size_t)(name_end - name);
	if (kallsyms && is_mark(r, name, len, line, end))
		return 0;
	if (!len || !glob_match(r->glob, name, len) || !is_function(name, len) || memchr(name, '\0', len))
		return 0;
	if (kallsyms && hex_parse(&line, end, &addr))
		return 0;
	return add(r, name, len, module, (size_t)(end - module), addr);
}

/* The lines that are whole; ret_left: bytes behind the last of them. */
static int read_lines(struct reader *r, const char *bytes, size_t n, size_t *ret_left)
{
	const char *at = bytes, *end = bytes + n, *eol;
	int ret = 0;

	while (!ret && (eol = memchr(at, '\n', (size_t)(end - at)))) {
		ret = r->skipping ? 0 : read_line(r, at, eol);
		r->skipping = false;
		at = eol + 1;
	}
	*ret_left = (size_t)(end - at);
	return ret;
}

/* Core text that may be probed, as far as the addresses tell. */
static bool may_probe(const struct reader *r, const struct kfunc *f)
{
	if (f->module || !f->addr || !r->text.to)
		return true;
	if (f->addr < r->text.from || f->addr >= r->text.to)
		return false;
	for (size_t i = 0; i < NR_KEPT; i++)
		if (f->addr >= r->kept[i].from && f->addr < r->kept[i].to)
			return false;
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct kfunc *x = a, *y = b;
	int order = x->name == y->name ? 0 : strcmp(x->name, y->name);

	if (order || x->module == y->module)
		return order;
	return !x->module ? -1 : !y->module ? 1 : strcmp(x->module, y->module);
}

static void seal(struct reader *r)
{
	struct kfuncs *k = r->kfuncs;
	size_t n = 0;

	for (size_t i = 0; i < k->all.n; i++)
		if (may_probe(r, &k->all.data[i]))
			k->all.data[n++] = k->all.data[i];
	k->all.n = n;
	if (n)
		qsort(k->all.data, n, sizeof(*k->all.data), by_name);
	n = 0;
	for (size_t i = 0; i < k->all.n; i++) {
		struct kfunc *last = n ? &k->all.data[n - 1] : NULL, *f = &k->all.data[i];

		if (last && last->name == f->name && last->module == f->module)
			last->copies++;
		else
			k->all.data[n++] = *f;
	}
	k->all.n = n;
}

int kfuncs_read(int fd, const char *glob, struct kfuncs *kfuncs)
{
	struct reader r = { .kfuncs = kfuncs, .glob = glob };
	char *buf = malloc(READ_BYTES);
	size_t left = 0;
	ssize_t got;
	int ret = buf ? 0 : -ENOMEM;

	while (!ret) {
		got = read(fd, buf + left, READ_BYTES - left);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			ret = got < 0 ? -errno : left ? read_line(&r, buf, buf + left) : 0;
			break;
		}
		got += (ssize_t)left;
		ret = read_lines(&r, buf, (size_t)got, &left);
		if (left == READ_BYTES)
			r.skipping = true;
		if (r.skipping)
			left = 0;
		memmove(buf, buf + got - left, left);
	}
	free(buf);
	if (!ret)
		seal(&r);
	return ret;
}

int kfuncs_load(const char *glob, struct kfuncs *ret_kfuncs)
{
	struct kfuncs k = { .pool = strpool_new() };
	int fd, ret;

	if (!k.pool)
		return -ENOMEM;
	fd = open(FTRACE_NEW, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		fd = open(FTRACE_OLD, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		k.refused = -errno;
		k.from_kallsyms = true;
		fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	}
	ret = fd < 0 ? -errno : kfuncs_read(fd, glob, &k);
	if (fd >= 0)
		close(fd);
	if (ret)
		kfuncs_free(&k);
	else
		*ret_kfuncs = k;
	return ret;
}

void kfuncs_free(struct kfuncs *kfuncs)
{
	vec_free(&kfuncs->all);
	strpool_free(kfuncs->pool);
	kfuncs->pool = NULL;
}
