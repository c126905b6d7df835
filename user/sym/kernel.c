/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of kernel text. In: kallsyms and TASK_KSYM; out: name, module, start. */
#include "sym/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sym/kallsyms.h"
#include "util/file.h"
#include "util/hash.h"

#define REREAD_FIRST_MS 1000	 /* kallsyms takes 50 ms: so often may a miss ask for it ... */
#define REREAD_LAST_MS 64000	 /* ... and, when that never helps, no more than this */
#define KSYM_UNREGISTER 1u	 /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define KSYM_BACK_STEPS 64	 /* of overlapping programs over time */
#define BPF_OBJ "[bpf]"
#define MODULES_MAX 8192u
#define PADDING "__pfx_"
#define KERNEL_SYMBOL_MAX 768

int kernel_init(struct kernel *k, const struct syms_cfg *cfg, struct strpool *pool)
{
	*k = (struct kernel){ .cfg = cfg, .pool = pool, .wait_ms = REREAD_FIRST_MS };
	k->core = strpool_add(pool, KERNEL_OBJ);
	k->bpf = strpool_add(pool, BPF_OBJ);
	if (cfg->kernel_symbol && cfg->offline) {
		k->text = cfg->kernel_addr(cfg->kernel_arg, "_text");
		k->etext = cfg->kernel_addr(cfg->kernel_arg, "_etext");
	}
	return k->core && k->bpf ? 0 : -ENOMEM;
}

void kernel_free(struct kernel *k)
{
	symtab_free(&k->tab);
	vec_free(&k->ksyms);
	vec_free(&k->modules);
	vec_free(&k->answers);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

struct line {
	uint64_t addr;
	const char *name, *module;
	size_t name_len, module_len;
	char type;
};

/* "ffffffff81000000 T _stext\t[module]": moves *p to the next line. */
static bool parse_line(const char **p, const char *end, struct line *l)
{
	const char *eol = memchr(*p, '\n', (size_t)(end - *p)), *s = *p, *tab;
	unsigned long long addr;

	if (!eol)
		eol = end;
	*p = eol < end ? eol + 1 : end;
	if (hex_parse(&s, eol, &addr) || eol - s < 4 || s[0] != ' ' || s[2] != ' ')
		return false;
	l->addr = addr;
	l->type = s[1];
	l->name = s + 3;
	tab = memchr(l->name, '\t', (size_t)(eol - l->name));
	l->name_len = (size_t)((tab ? tab : eol) - l->name);
	l->module = tab ? tab + 1 : NULL;
	l->module_len = tab ? (size_t)(eol - tab - 1) : 0;
	return true;
}

static bool is_name(const struct line *l, const char *name)
{
	return l->name_len == strlen(name) && !memcmp(l->name, name, l->name_len);
}

static unsigned int rank_of(char type)
{
	/* Upper case is global; w and W are weak. */
	return (type == 'T' ? RANK_GLOBAL : 0) | ((type | 0x20) != 'w' ? RANK_STRONG : 0);
}

static int add_line(struct kernel *k, const struct line *l)
{
	char text[1024];
	uint32_t at;
	int ret;

	if (l->name_len + l->module_len + 2 > sizeof(text) || !l->name_len)
		return 0;
	memcpy(text, l->name, l->name_len);
	text[l->name_len] = '\0';
	memcpy(text + l->name_len + 1, l->module ? l->module : "", l->module_len);
	ret = symtab_names(&k->tab, text, l->name_len + 1 + l->module_len, &at);
	/* Of several names the last one listed, as perf does (its sizes are made before it chooses). */
	if (!ret && k->tab.nr_raw && k->tab.raw[k->tab.nr_raw - 1].addr == l->addr)
		k->tab.nr_raw--;
	return ret ? ret : symtab_add(&k->tab, l->addr, 0, at, rank_of(l->type), SIZE_TO_NEXT);
}

static int parse_kallsyms(struct kernel *k, const char *p, const char *end)
{
	uint64_t any = 0;
	struct line l;
	int ret = 0;

	while (p < end && !ret) {
		if (!parse_line(&p, end, &l))
			continue;
		any |= l.addr;
		if (!l.module && (is_name(&l, "_text") || (!k->text && is_name(&l, "_stext"))))
			k->text = l.addr;
		if (!l.module && (is_name(&l, "_etext") || is_name(&l, "_einittext"))) {
			k->etext = is_name(&l, "_etext") ? l.addr : k->etext;
			ret = symtab_add(&k->tab, l.addr, 0, 0, 0, SIZE_STOP);
			continue;
		}
		if (!strchr("tTwW", l.type))
			continue;
		/* Of a file, these are not those that ran then: it has records of its own for them. */
		if (k->cfg->offline && !k->cfg->kallsyms && l.module && l.module_len == sizeof(BPF_OBJ) - 1 && !memcmp(l.module, BPF_OBJ, l.module_len)) {
			ret = symtab_add(&k->tab, l.addr, 0, 0, 0, SIZE_STOP);
			continue;
		}
		/* 47% of a 6.x kernel's symbols: the padding before functions that kCFI and ftrace want. */
		if (l.name_len > sizeof(PADDING) && !memcmp(l.name, PADDING, sizeof(PADDING) - 1))
			continue;
		ret = add_line(k, &l);
	}
	k->is_hidden = !any;
	return ret;
}

static int read_kptr_restrict(const char *root)
{
	char path[PATH_MAX], *text;
	int value;
	size_t n;

	snprintf(path, sizeof(path), "%s/sys/kernel/kptr_restrict", root);
	if (file_read(path, 0, PATH_MAX, &text, &n))
		return -1;
	value = *text >= '0' && *text <= '9' ? *text - '0' : -1;
	free(text);
	return value;
}

static void read_kallsyms(struct kernel *k)
{
	const char *root = k->cfg->proc_root ? k->cfg->proc_root : "/proc";
	uint32_t nothing;
	char *text;
	size_t n;

	k->is_read = true;
	k->read_ms = now_ms();
	if (k->cfg->kallsyms ? kallsyms_file(k->cfg->kallsyms, &text, &n) : kallsyms_read(root, &text, &n))
		return; /* what was read before stays */
	symtab_free(&k->tab);
	/* Offset 0 is the empty name of a SIZE_STOP. */
	if (symtab_names(&k->tab, "", 0, &nothing) || parse_kallsyms(k, text, text + n) || k->is_hidden ||
	    symtab_seal(&k->tab))
		symtab_free(&k->tab);
	if (k->is_hidden)
		k->kptr_restrict = read_kptr_restrict(root);
	free(text);
}

/* The first of n rows, each `size` bytes with its address first, that is above addr. */
static size_t first_above(const void *rows, size_t n, size_t size, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t at;

		memcpy(&at, (const char *)rows + mid * size, sizeof(at));
		if (at <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static size_t ksym_after(const struct kernel *k, uint64_t addr)
{
	return first_above(k->ksyms.data, k->ksyms.n, sizeof(struct ksym), addr);
}

static int add_ksym(struct kernel *k, const struct task_event *t)
{
	const char *name = strpool_add(k->pool, t->path ? t->path : "");
	size_t at = ksym_after(k, t->addr);

	if (!name)
		return -ENOMEM;
	for (size_t i = at; i-- && k->ksyms.data[i].addr == t->addr;) {
		struct ksym *s = &k->ksyms.data[i];

		if (t->flags & KSYM_UNREGISTER)
			s->to_ns = s->to_ns > t->time_ns ? t->time_ns : s->to_ns;
		else if (s->name == name && s->len == t->len && s->to_ns == UINT64_MAX)
			return 0;
	}
	if (t->flags & KSYM_UNREGISTER)
		return 0;
	if (vec_reserve(&k->ksyms))
		return -ENOMEM;
	memmove(k->ksyms.data + at + 1, k->ksyms.data + at, (k->ksyms.n - at) * sizeof(*k->ksyms.data));
	k->ksyms.data[at] = (struct ksym){ t->addr, t->len, t->time_ns, UINT64_MAX, name };
	k->ksyms.n++;
	return 0;
}

/* "[ext4]" of "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz"; what has brackets stays. NULL: no memory. */
static const char *module_name(struct kernel *k, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strstr(name, ".ko");
	char text[KERNEL_SYMBOL_MAX];

	if (*path == '[')
		return strpool_add(k->pool, path);
	snprintf(text, sizeof(text), "[%.*s]", end ? (int)(end - name) : (int)strlen(name), name);
	for (char *p = text; (p = strchr(p, '-'));)
		*p = '_';
	return strpool_add(k->pool, text);
}

static size_t module_after(const struct kernel *k, uint64_t addr)
{
	return first_above(k->modules.data, k->modules.n, sizeof(struct kernel_map), addr);
}

static const struct kernel_map *find_module(const struct kernel *k, uint64_t addr)
{
	size_t i = module_after(k, addr);

	return i && addr < k->modules.data[i - 1].end ? &k->modules.data[i - 1] : NULL;
}

static int add_module(struct kernel *k, const struct task_event *t)
{
	struct kernel_map m = { t->addr, t->len > UINT64_MAX - t->addr ? UINT64_MAX : t->addr + t->len, module_name(k, t->path), NULL };
	size_t at = module_after(k, t->addr);

	m.shown = k->cfg->perf_objects && t->build_id_size ? strpool_add(k->pool, t->path) : m.obj;
	if (!m.obj || !m.shown)
		return -ENOMEM;
	if (at && k->modules.data[at - 1].start == m.start) {
		k->modules.data[at - 1] = m;
		return 0;
	}
	if (k->modules.n >= MODULES_MAX)
		return 0;
	if (vec_reserve(&k->modules))
		return -ENOMEM;
	memmove(k->modules.data + at + 1, k->modules.data + at, (k->modules.n - at) * sizeof(m));
	k->modules.data[at] = m;
	k->modules.n++;
	return 0;
}

int kernel_task(struct kernel *k, const struct task_event *t)
{
	if (t->what == TASK_KSYM)
		return add_ksym(k, t);
	if (!t->path || !k->cfg->offline)
		return 0;
	if (t->what == TASK_BUILD_ID) {
		origin_kernel_map(k->origin, t, 0, 0);
		return 0;
	}
	if (strncmp(t->path, KERNEL_OBJ, sizeof(KERNEL_OBJ) - 1) != 0)
		return add_module(k, t);
	if (k->origin->is_open && !k->cfg->kernel_symbol && !k->is_read)
		read_kallsyms(k);
	origin_kernel_map(k->origin, t, k->text, k->etext);
	k->map_start = t->addr;
	k->map_end = t->len > UINT64_MAX - t->addr ? UINT64_MAX : t->addr + t->len;
	/* perf's way to store where KASLR had put the recorded kernel: pgoff is the address of _text. */
	if (t->pgoff)
		k->recorded_text = t->pgoff;
	return 0;
}

static const struct ksym *find_ksym(const struct kernel *k, uint64_t time_ns, uint64_t addr)
{
	const struct ksym *other = NULL;
	size_t i = ksym_after(k, addr);

	for (int steps = 0; i-- && steps < KSYM_BACK_STEPS; steps++) {
		const struct ksym *s = &k->ksyms.data[i];

		if (addr - s->addr >= s->len)
			continue;
		if (s->from_ns <= time_ns && time_ns < s->to_ns)
			return s;
		other = other ? other : s;
	}
	return other;
}

static bool is_core(const struct kernel *k, uint64_t addr)
{
	return k->text && addr >= k->text && addr < k->etext;
}

static const char *find_symbol(struct kernel *k, uint64_t addr, uint64_t *ret_start)
{
	const char *name = symtab_find(&k->tab, addr, ret_start);

	/* Modules and BPF programs may have come since. */
	if (name || is_core(k, addr) || k->is_hidden || k->cfg->offline || now_ms() - k->read_ms < k->wait_ms)
		return name;
	read_kallsyms(k);
	name = symtab_find(&k->tab, addr, ret_start);
	if (name)
		k->wait_ms = REREAD_FIRST_MS;
	else if (k->wait_ms < REREAD_LAST_MS)
		k->wait_ms *= 2;
	return name;
}

uint64_t kernel_slide(const struct kernel *k)
{
	return k->cfg->offline && k->recorded_text && k->text ? k->text - k->recorded_text : 0;
}

static uint32_t *stretch_of(struct kernel *k, uint64_t addr)
{
	return &k->stretches[hash_u64(addr >> KERNEL_STRETCH_BITS) & (KERNEL_STRETCH_SLOTS - 1)];
}

/* NULL: it was not asked for. */
static const struct kernel_answer *known_answer(struct kernel *k, uint64_t addr)
{
	const struct kernel_answer *a;

	for (uint32_t i = *stretch_of(k, addr); i; i = a->next) {
		a = &k->answers.data[i - 1];
		if (addr - a->start < a->end - a->start)
			return a;
	}
	return NULL;
}

/* Without memory it is asked for again. */
static void keep_answer(struct kernel *k, uint64_t addr, uint64_t start, uint64_t end, const char *name)
{
	uint32_t *last = stretch_of(k, addr);

	if (!name || addr - start >= end - start || vec_reserve(&k->answers))
		return;
	k->answers.data[k->answers.n++] = (struct kernel_answer){ start, end, name, *last };
	*last = (uint32_t)k->answers.n;
}

/*
 * The kernel says the first of several names of one address; kallsyms' last one is what others show. They differ in system calls without
 * arguments (arch/x86/include/asm/syscall_wrapper.h, and arm64's).
 */
static const char *last_name(struct kernel *k, const char *name, uint64_t start)
{
	static const char first[] = "__do_sys_", *const last[] = { "__x64_sys_", "__arm64_sys_" };
	char text[KERNEL_SYMBOL_MAX];

	if (strncmp(name, first, sizeof(first) - 1) != 0)
		return name;
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++) {
		snprintf(text, sizeof(text), "%s%s", last[i], name + sizeof(first) - 1);
		if (k->cfg->kernel_addr(k->cfg->kernel_arg, text) == start)
			return strpool_add(k->pool, text);
	}
	return name;
}

/* "name+0x12/0x34 [module]". Names may hold a '+', so the last one counts. */
static bool ask(struct kernel *k, uint64_t addr, const char **ret_name, const char **ret_obj, uint64_t *ret_start, uint64_t *ret_end)
{
	char text[KERNEL_SYMBOL_MAX], obj[KERNEL_SYMBOL_MAX], *plus, *module, *end;
	unsigned long long offset, size;
	const char *s;

	if (k->cfg->kernel_symbol(k->cfg->kernel_arg, addr, text, sizeof(text)))
		return false;
	module = strstr(text, " [");
	end = module ? module : text + strlen(text);
	*end = '\0';
	plus = strrchr(text, '+');
	if (!plus || plus == text || strncmp(plus, "+0x", 3))
		return false;
	s = plus + 3;
	if (hex_parse(&s, end, &offset) || strncmp(s, "/0x", 3))
		return false;
	s += 3;
	if (hex_parse(&s, end, &size) || offset >= size)
		size = offset + 1;
	*plus = '\0';
	*ret_name = strpool_add(k->pool, text);
	*ret_start = addr - offset;
	*ret_end = *ret_start + size;
	if (!module) {
		if (*ret_name)
			*ret_name = last_name(k, *ret_name, *ret_start);
		keep_answer(k, addr, *ret_start, *ret_end, *ret_name);
		return *ret_name;
	}
	module += 2;
	snprintf(obj, sizeof(obj), "[%.*s]", (int)strcspn(module, "] "), module);
	*ret_obj = strpool_add(k->pool, obj);
	return *ret_name && *ret_obj;
}

/* The same by kallsyms. */
static bool look_up(struct kernel *k, uint64_t addr, const char **ret_name, const char **ret_obj, uint64_t *ret_start, uint64_t *ret_end)
{
	const char *name = find_symbol(k, addr, ret_start);

	if (!name)
		return false;
	*ret_name = strpool_add(k->pool, name);
	*ret_end = symtab_end(&k->tab, *ret_start);
	name += strlen(name) + 1;
	if (*name)
		*ret_obj = strpool_add(k->pool, name);
	if (is_core(k, addr))
		keep_answer(k, addr, *ret_start, *ret_end, *ret_name);
	return *ret_name && *ret_obj;
}

/* Of a recording: NULL where its maps do not say. */
static const char *whose(const struct kernel *k, uint64_t addr, const struct kernel_map *module)
{
	if (module)
		return module->shown;
	if (!k->cfg->offline || (!k->map_end && !k->origin->other_kernel))
		return k->core;
	return addr >= k->map_start && addr < k->map_end ? k->core : NULL;
}

uint64_t kernel_map_bytes(const struct kernel *k, uint64_t addr)
{
	const struct kernel_map *module = find_module(k, addr);

	if (module)
		return module->end - module->start;
	return addr >= k->map_start && addr < k->map_end ? k->map_end - k->map_start : 0;
}

bool kernel_find(struct kernel *k, uint64_t time_ns, uint64_t addr, const char **ret_name, const char **ret_obj,
		 uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t slide = kernel_slide(k), start, end, unused;
	const struct kernel_map *module = k->modules.n ? find_module(k, addr) : NULL;
	const struct kernel_answer *known = module ? NULL : known_answer(k, addr + slide);
	const struct ksym *s;
	const char *name, *obj;

	ret_end = ret_end ? ret_end : &unused;
	if (known) {
		*ret_name = known->name;
		*ret_obj = k->core;
		*ret_start = known->start - slide;
		*ret_end = known->end - slide;
		return true;
	}
	s = k->ksyms.n ? find_ksym(k, time_ns, addr) : NULL;
	if (s) {
		*ret_name = s->name;
		*ret_obj = k->bpf;
		*ret_start = s->addr;
		*ret_end = s->addr + s->len;
		return true;
	}
	*ret_obj = whose(k, addr, module);
	/* After another boot modules and BPF programs are elsewhere. */
	if ((k->origin->other_kernel && !k->cfg->kallsyms) || (slide && *ret_obj != k->core))
		return false;
	if (!k->cfg->kernel_symbol && !k->is_read) {
		read_kallsyms(k);
		slide = kernel_slide(k);
	}
	obj = k->core;
	if (!(k->cfg->kernel_symbol ? ask(k, addr + slide, &name, &obj, &start, &end) : look_up(k, addr + slide, &name, &obj, &start, &end)))
		return false;
	/* The module of that place has gone, and another one come. */
	if (module && obj != module->obj)
		return false;
	*ret_name = name;
	*ret_obj = module ? module->shown : obj;
	*ret_start = start - slide;
	*ret_end = end - slide;
	return true;
}
