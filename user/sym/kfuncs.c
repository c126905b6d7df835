/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both lists take the kernel longer to print (35 to 45 ms) than us to read: lines are matched in the read buffer, and
 * lines that do not match are dropped.
 */
#include "sym/kfuncs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "types/kprotos.h"
#include "util/file.h"
#include "util/glob.h"

#define FTRACE_NEW "/sys/kernel/tracing/available_filter_functions"
#define FTRACE_OLD "/sys/kernel/debug/tracing/available_filter_functions"
#define KALLSYMS "/proc/kallsyms"
#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"
#define BLACKLIST_MAX (16u << 20)
#define READ_BYTES (64u << 10)
#define COPIES_TOLD 3
#define NAME_BYTES 512 /* KSYM_NAME_LEN */

#define IN_SECTION "it is in a section that no probe may touch (entry, noinstr)"
#define BLACKLISTED "the kernel forbids probes on it (kprobe blacklist)"

/* Sections of text that kprobes and ftrace keep away from: asm-generic/sections.h; names as kallsyms has them. */
static const struct {
	const char *from, *to, *why;
} kept[] = {
	{ "__entry_text_start", "__entry_text_end", IN_SECTION },
	{ "__noinstr_text_start", "__noinstr_text_end", IN_SECTION },
	{ "__kprobes_text_start", "__kprobes_text_end", BLACKLISTED },
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

/* The lines that are whole; ret_left: bytes after the last of them. */
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

/* What keeps probes from a function of the core, as far as the addresses show; NULL: nothing. */
static const char *kept_by(const struct reader *r, const struct kfunc *f)
{
	if (f->module || !f->addr || !r->text.to)
		return NULL;
	if (f->addr < r->text.from || f->addr >= r->text.to)
		return "it is not in the kernel's text (code of its start, which is gone)";
	for (size_t i = 0; i < NR_KEPT; i++)
		if (f->addr >= r->kept[i].from && f->addr < r->kept[i].to)
			return kept[i].why;
	return NULL;
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
		if (!kept_by(r, &k->all.data[i]))
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

static int read_all(struct reader *r, int fd)
{
	char *buf = malloc(READ_BYTES);
	size_t left = 0;
	ssize_t got;
	int ret = buf ? 0 : -ENOMEM;

	while (!ret) {
		got = read(fd, buf + left, READ_BYTES - left);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			ret = got < 0 ? -errno : left ? read_line(r, buf, buf + left) : 0;
			break;
		}
		got += (ssize_t)left;
		ret = read_lines(r, buf, (size_t)got, &left);
		if (left == READ_BYTES)
			r->skipping = true;
		if (r->skipping)
			left = 0;
		memmove(buf, buf + got - left, left);
	}
	free(buf);
	return ret;
}

/* Read to its end, and there was nothing: what a sandbox puts in its place. */
static bool is_empty(int fd)
{
	return !lseek(fd, 0, SEEK_CUR);
}

int kfuncs_read(int fd, const char *glob, struct kfuncs *kfuncs)
{
	struct reader r = { .kfuncs = kfuncs, .glob = glob };
	int ret = read_all(&r, fd);

	if (!ret && kfuncs->from_kallsyms && is_empty(fd))
		ret = -ENODATA;
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

/* Lines "0xffffffff81000000-0xffffffff81000010\tname", of modules with " [module]" after it: fs of kernel/kprobes.c. */
static bool is_blacklisted(const char *text, size_t n, const struct kfunc *f)
{
	const char *at = text, *end = text + n, *eol;

	for (; at < end; at = eol + 1) {
		unsigned long long from, to;
		const char *name, *name_end;

		eol = memchr(at, '\n', (size_t)(end - at));
		if (!eol)
			eol = end;
		if (hex_parse(&at, eol, &from) || at == eol || *at++ != '-' || hex_parse(&at, eol, &to) || at == eol || *at != '\t')
			continue;
		name = at + 1;
		name_end = memchr(name, ' ', (size_t)(eol - name));
		/* Of static functions of one name it may be another: the name decides only where addresses are hidden. */
		if (f->addr && from ? f->addr >= from && f->addr < to :
				      is(name, (size_t)((name_end ? name_end : eol) - name), f->name))
			return true;
	}
	return false;
}

/* What is there of a name. */
struct found {
	struct kfunc first;
	unsigned nr, nr_copies;
	const char *copies[COPIES_TOLD + 1]; /* each name once, though there may be several of one */
};

static void count(const struct kfuncs *k, const char *name, struct found *found)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < k->all.n; i++) {
		const struct kfunc *f = &k->all.data[i];
		unsigned at = 0;

		if (!f->name[len] && !found->nr++)
			found->first = *f;
		if (f->name[len] != '.')
			continue;
		while (at < found->nr_copies && found->copies[at] != f->name)
			at++;
		if (at == found->nr_copies && at <= COPIES_TOLD)
			found->copies[found->nr_copies++] = f->name;
	}
}

static void say_copies(const struct found *found, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "only optimised copies of it are there: ");

	for (unsigned i = 0; i < found->nr_copies && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? ", " : "", i < COPIES_TOLD ? found->copies[i] : "...");
}

/* Of the one function of that name. */
static const char *forbidden_by(const struct reader *r, const struct kfunc *f, int blacklist_fd)
{
	const char *why = kept_by(r, f);
	char *text = NULL;
	size_t n = 0;

	if (!why && blacklist_fd >= 0 && !file_read_fd(blacklist_fd, READ_BYTES, BLACKLIST_MAX, &text, &n) &&
	    is_blacklisted(text, n, f))
		why = BLACKLISTED;
	free(text);
	return why;
}

static int say(const struct reader *r, const struct found *found, int blacklist_fd, bool in_btf, char *buf, size_t size)
{
	const char *why = NULL;

	if (found->nr > 1)
		snprintf(buf, size, "%u functions of that name", found->nr);
	else if (!found->nr && found->nr_copies)
		say_copies(found, buf, size);
	else if (!found->nr)
		snprintf(buf, size, "%s", in_btf ? "inlined or not built" : "no such function");
	else if ((why = forbidden_by(r, &found->first, blacklist_fd)))
		snprintf(buf, size, "%s", why);
	else
		return -ENODATA;
	return 0;
}

int kfuncs_why_read(int kallsyms_fd, int blacklist_fd, bool in_btf, const char *name, char *buf, size_t size)
{
	struct kfuncs k = { .pool = strpool_new(), .from_kallsyms = true };
	char glob[2 * NAME_BYTES + 2];
	struct reader r = { .kfuncs = &k, .glob = glob };
	struct found found = { .nr = 0 };
	bool empty = false;
	size_t n = 0;
	int ret = k.pool ? 0 : -ENOMEM;

	if (size)
		*buf = '\0';
	/* No symbol is as long as what is cut here. */
	for (const char *c = name; *c && n + 3 < sizeof(glob); c++) {
		if (strchr("*?[\\", *c))
			glob[n++] = '\\';
		glob[n++] = *c;
	}
	strcpy(glob + n, "*");
	if (!ret && *name && strlen(name) < NAME_BYTES) {
		ret = read_all(&r, kallsyms_fd);
		empty = !ret && is_empty(kallsyms_fd);
	}
	if (empty) {
		snprintf(buf, size, "unknown: " KALLSYMS " is empty");
	} else if (!ret) {
		count(&k, name, &found);
		ret = say(&r, &found, blacklist_fd, in_btf, buf, size);
	}
	kfuncs_free(&k);
	return ret;
}

static bool is_in_btf(const char *name)
{
	struct kprotos *k;
	struct ctypes *types;
	struct cfunc func;
	uint32_t id;
	bool is;

	if (kprotos_open(&k))
		return false;
	is = !kprotos_func(k, NULL, name, &func, &types, &id);
	kprotos_close(k);
	return is;
}

int kfuncs_why_not(const char *name, char *buf, size_t size)
{
	int kallsyms = open(KALLSYMS, O_RDONLY | O_CLOEXEC), blacklist, ret;

	if (kallsyms < 0) {
		ret = -errno;
		if (size)
			*buf = '\0';
		return ret;
	}
	blacklist = open(BLACKLIST, O_RDONLY | O_CLOEXEC);
	ret = kfuncs_why_read(kallsyms, blacklist, is_in_btf(name), name, buf, size);
	close(kallsyms);
	if (blacklist >= 0)
		close(blacklist);
	return ret;
}
