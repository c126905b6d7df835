/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is there before the recording begins: /proc/PID/maps, the names of threads, kernel text and
 * modules, as task events with time 0, like perf's synthesized records.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sym/kallsyms.h"
#include "sym/kernel.h"
#include "sym/sym.h"
#include "util/file.h"

#define MAPS_HINT_BYTES (64u << 10)
#define MAPS_MAX_BYTES (256u << 20)
#define PATH_MAX_BYTES 4096u
#define VSYSCALL "[vsyscall]"
#define DEP_MAX_BYTES 2048 /* of a path in modules.dep */

static const char *root_or_default(const char *proc_root)
{
	return proc_root ? proc_root : "/proc";
}

/* The kernel writes a newline in a path as \012 and nothing else that way (seq_path with "\n"). */
static void copy_path(char *out, const char *s, size_t n)
{
	size_t j = 0;

	for (size_t i = 0; i < n && j < PATH_MAX_BYTES - 1; i++) {
		if (s[i] == '\\' && n - i >= 4 && !memcmp(s + i, "\\012", 4)) {
			out[j++] = '\n';
			i += 3;
		} else if (s[i]) {
			out[j++] = s[i];
		}
	}
	out[j] = '\0';
}

static bool skip(const char **p, const char *end, char c)
{
	if (*p == end || **p != c)
		return false;
	++*p;
	return true;
}

/* One line of maps (proc(5)): "start-end rwxp offset maj:min inode   path". */
static bool parse_maps_line(const char *p, const char *end, struct task_event *t, char *path)
{
	unsigned long long start, stop, off, maj, min, ino = 0;
	const char *perms;

	if (hex_parse(&p, end, &start) || !skip(&p, end, '-') || hex_parse(&p, end, &stop) || !skip(&p, end, ' '))
		return false;
	perms = p;
	if (end - p < 5 || stop <= start)
		return false;
	p += 4;
	if (!skip(&p, end, ' ') || hex_parse(&p, end, &off) || !skip(&p, end, ' ') || hex_parse(&p, end, &maj) ||
	    !skip(&p, end, ':') || hex_parse(&p, end, &min) || !skip(&p, end, ' '))
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		ino = ino * 10 + (unsigned long long)(*p - '0');
	while (p < end && *p == ' ')
		p++;
	t->addr = start;
	t->len = stop - start;
	t->pgoff = off;
	t->maj = (uint32_t)maj;
	t->min = (uint32_t)min;
	t->ino = ino;
	t->prot = (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
		  (perms[2] == 'x' ? PROT_EXEC : 0);
	t->flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	copy_path(path, p < end ? p : "//anon", p < end ? (size_t)(end - p) : strlen("//anon"));
	t->path = path;
	return true;
}

/* "start-end rwxp ...": four of five lines are of no code, which is seen before anything is parsed. */
static bool is_code(const char *p, const char *end)
{
	const char *perms = memchr(p, ' ', (size_t)(end - p));

	return perms && end - perms > 4 && perms[3] == 'x';
}

static int scan_maps(const char *text, size_t n, uint32_t pid, const char *program, struct sink *sink)
{
	const char *p = text, *end = text + n;
	char path[PATH_MAX_BYTES];
	int ret = 0;

	while (p < end && !ret) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		struct task_event t = { .what = TASK_MMAP, .pid = pid, .tid = pid };

		eol = eol ? eol : end;
		if (is_code(p, eol) && parse_maps_line(p, eol, &t, path)) {
			t.is_program = !strcmp(path, program);
			ret = sink->task(sink, &t);
		}
		p = eol < end ? eol + 1 : end;
	}
	return ret;
}

static int scan_comm(const char *root, uint32_t pid, uint32_t tid, struct sink *sink)
{
	struct task_event t = { .what = TASK_COMM, .pid = pid, .tid = tid };
	char path[PATH_MAX_BYTES], *text;
	size_t n;
	int ret;

	snprintf(path, sizeof(path), "%s/%u/task/%u/comm", root, pid, tid);
	if (file_read(path, COMM_LEN * 4, COMM_LEN * 4, &text, &n))
		return 0; /* ended meanwhile */
	if (n && text[n - 1] == '\n')
		n--;
	text[n < COMM_LEN ? n : COMM_LEN - 1] = '\0';
	t.comm = text;
	ret = sink->task(sink, &t);
	free(text);
	return ret;
}

static int scan_comms(const char *root, uint32_t pid, struct sink *sink)
{
	char path[PATH_MAX_BYTES];
	struct dirent *e;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%u/task", root, pid);
	dir = opendir(path);
	if (!dir)
		return errno == EACCES || errno == EPERM ? -EACCES : -ESRCH;
	while (!ret && (e = readdir(dir))) {
		unsigned long tid;
		char *end;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		tid = strtoul(e->d_name, &end, 10);
		if (!*end && tid <= UINT32_MAX)
			ret = scan_comm(root, pid, (uint32_t)tid, sink);
	}
	closedir(dir);
	return ret;
}

/*
 * ioctl PROCMAP_QUERY of /proc/PID/maps, from Linux 6.11 on (ed5d583a88a9, "fs/procfs: implement efficient VMA querying API for
 * /proc/<pid>/maps"): struct procmap_query of uapi/linux/fs.h, which older headers do not have.
 */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t start, end, map_flags, page_bytes, offset, inode;
	uint32_t maj, min, name_bytes, build_id_bytes;
	uint64_t name, build_id;
};

#define MAP_QUERY _IOWR('f', 17, struct map_query)
#define MAP_QUERY_EXECUTABLE 4u /* of flags and map_flags, as the next */
#define MAP_QUERY_READABLE 1u
#define MAP_QUERY_WRITABLE 2u
#define MAP_QUERY_SHARED 8u
#define MAP_QUERY_OR_NEXT 16u /* the mapping at addr, or the first one after it */

/* The page of old system calls is no mapping that can be asked for, and the same in all processes of 64 bits. */
static const struct task_event *vsyscall_page(void)
{
	static struct task_event page;
	static char name[PATH_MAX_BYTES];
	static bool is_known;
	char *text, *line;
	size_t n;

	if (!is_known && !file_read("/proc/self/maps", MAPS_HINT_BYTES, MAPS_MAX_BYTES, &text, &n)) {
		line = strstr(text, VSYSCALL "\n");
		while (line && line > text && line[-1] != '\n')
			line--;
		if (line && !parse_maps_line(line, line + strcspn(line, "\n"), &page, name))
			page.path = NULL;
		free(text);
	}
	is_known = true;
	return page.path ? &page : NULL;
}

/* Mappings of code, one by one: text of the four that are none is not made. -ENOTTY: the kernel cannot do it. */
static int query_maps(int fd, uint32_t pid, const char *program, struct sink *sink)
{
	char name[PATH_MAX_BYTES];
	uint64_t at = 0;
	int ret = 0;

	while (!ret) {
		struct map_query q = { .size = sizeof(q), .flags = MAP_QUERY_EXECUTABLE | MAP_QUERY_OR_NEXT, .addr = at, .name_bytes = sizeof(name),
				       .name = (uintptr_t)name };
		struct task_event t = { .what = TASK_MMAP, .pid = pid, .tid = pid, .path = name };

		if (ioctl(fd, MAP_QUERY, &q)) { /* no more, or the process has ended; else there is a name that is too long, or no such call */
			ret = errno == ENOENT || errno == ESRCH ? 0 : -ENOTTY;
			break;
		}
		if (!q.name_bytes)
			strcpy(name, "//anon");
		t.is_program = !strcmp(name, program);
		t.addr = q.start;
		t.len = q.end - q.start;
		t.pgoff = q.offset;
		t.maj = q.maj;
		t.min = q.min;
		t.ino = q.inode;
		t.prot = (q.map_flags & MAP_QUERY_READABLE ? PROT_READ : 0) | (q.map_flags & MAP_QUERY_WRITABLE ? PROT_WRITE : 0) | PROT_EXEC;
		t.flags = q.map_flags & MAP_QUERY_SHARED ? MAP_SHARED : MAP_PRIVATE;
		ret = sink->task(sink, &t);
		at = q.end;
	}
	if (!ret && at && vsyscall_page()) {
		struct task_event t = *vsyscall_page();

		t.what = TASK_MMAP;
		t.pid = t.tid = pid;
		ret = sink->task(sink, &t);
	}
	return ret;
}

/* -ENOTTY: it has to be read as text. */
static int query_process(const char *path, uint32_t pid, const char *program, struct sink *sink)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -ENOTTY;
	ret = query_maps(fd, pid, program, sink);
	close(fd);
	return ret;
}

int proc_scan_maps(const char *proc_root, uint32_t pid, struct sink *sink)
{
	char path[PATH_MAX_BYTES], program[PATH_MAX_BYTES], *text;
	ssize_t len;
	size_t n;
	int ret;

	if (!sink->task)
		return 0;
	snprintf(path, sizeof(path), "%s/%u/exe", root_or_default(proc_root), pid);
	len = readlink(path, program, sizeof(program) - 1);
	program[len > 0 ? len : 0] = '\0';
	snprintf(path, sizeof(path), "%s/%u/maps", root_or_default(proc_root), pid);
	ret = proc_root ? -ENOTTY : query_process(path, pid, program, sink);
	if (ret != -ENOTTY)
		return ret;
	ret = file_read(path, MAPS_HINT_BYTES, MAPS_MAX_BYTES, &text, &n);
	if (ret)
		return ret == -EACCES || ret == -EPERM ? -EACCES : ret == -ENOMEM ? ret : -ESRCH;
	ret = scan_maps(text, n, pid, program, sink);
	free(text);
	return ret;
}

int proc_scan(const char *proc_root, uint32_t pid, struct sink *sink)
{
	int ret = sink->task ? scan_comms(root_or_default(proc_root), pid, sink) : 0;

	return ret ? ret : proc_scan_maps(proc_root, pid, sink);
}

/* The address on the line that ends in " NAME\n", 0 if there is none. Modules' symbols end in "[module]". */
static uint64_t symbol_addr(const char *text, size_t n, const char *line_end)
{
	const char *p = memmem(text, n, line_end, strlen(line_end)), *start = p;
	unsigned long long addr;

	while (start && start > text && start[-1] != '\n')
		start--;
	return start && !hex_parse(&start, p, &addr) ? addr : 0;
}

/* Addresses of _text (or _stext) and _etext. */
static bool find_text(const char *root, uint64_t *ret_start, uint64_t *ret_end)
{
	char *text;
	size_t n;

	*ret_start = *ret_end = 0;
	if (kallsyms_read(root, &text, &n))
		return false;
	*ret_start = symbol_addr(text, n, " _text\n");
	if (!*ret_start)
		*ret_start = symbol_addr(text, n, " _stext\n");
	*ret_end = symbol_addr(text, n, " _etext\n");
	free(text);
	return *ret_start && *ret_end > *ret_start;
}

/* '-' in a module's file name is '_' in the kernel. */
static bool is_module_file(const char *path, size_t n, const char *module)
{
	size_t at = n, len = strlen(module);

	while (at && path[at - 1] != '/')
		at--;
	if (n - at < len + 3 || memcmp(path + at + len, ".ko", 3))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((path[at + i] == '-' ? '_' : path[at + i]) != module[i])
			return false;
	return true;
}

/* modules.dep has a line per module: "kernel/fs/ext4/ext4.ko.xz: its dependencies". */
static void module_path(const char *deps, size_t n, const char *release, const char *module, char *out)
{
	const char *p = deps, *end = deps + n;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p)), *colon;

		eol = eol ? eol : end;
		colon = memchr(p, ':', (size_t)(eol - p));
		if (colon && is_module_file(p, (size_t)(colon - p), module)) {
			int len = colon - p > DEP_MAX_BYTES ? DEP_MAX_BYTES : (int)(colon - p);

			snprintf(out, PATH_MAX_BYTES, "/lib/modules/%s/%.*s", release, len, p);
			return;
		}
		p = eol < end ? eol + 1 : end;
	}
	snprintf(out, PATH_MAX_BYTES, "[%s]", module);
}

struct module {
	uint64_t addr, size;
	char name[64];
};

static int compare_module(const void *pa, const void *pb)
{
	const struct module *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* /proc/modules: "name size refs deps state address". */
static size_t read_modules(const char *root, struct module **ret_modules)
{
	VEC(struct module) v = { 0 };
	char path[PATH_MAX_BYTES], *line = NULL;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/modules", root);
	f = fopen(path, "re");
	while (f && getline(&line, &cap, f) > 0 && !vec_reserve(&v)) {
		struct module *m = &v.data[v.n];
		unsigned long long addr, size;

		if (sscanf(line, "%63s %llu %*s %*s %*s %llx", m->name, &size, &addr) != 3 || !addr)
			continue;
		m->addr = addr;
		m->size = size;
		v.n++;
	}
	free(line);
	if (f)
		fclose(f);
	if (v.n)
		qsort(v.data, v.n, sizeof(*v.data), compare_module);
	*ret_modules = v.data;
	return v.n;
}

static int scan_modules(const char *root, struct sink *sink)
{
	char path[PATH_MAX_BYTES], *deps = NULL;
	struct module *modules;
	size_t n = read_modules(root, &modules), deps_n = 0;
	struct utsname u = { 0 };
	int ret = 0;

	if (n && !uname(&u)) {
		snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
		if (file_read(path, MAPS_HINT_BYTES, MAPS_MAX_BYTES, &deps, &deps_n))
			deps_n = 0;
	}
	for (size_t i = 0; i < n && !ret; i++) {
		struct task_event t = { .what = TASK_MMAP, .kernel = true, .pid = UINT32_MAX, .prot = PROT_EXEC };

		module_path(deps ? deps : "", deps_n, u.release, modules[i].name, path);
		t.addr = modules[i].addr;
		t.len = modules[i].size;
		t.path = path;
		ret = sink->task(sink, &t);
	}
	free(deps);
	free(modules);
	return ret;
}

int kernel_scan(const char *proc_root, uint64_t text, uint64_t etext, struct sink *sink)
{
	const char *root = root_or_default(proc_root);
	struct task_event t = { .what = TASK_MMAP, .kernel = true, .pid = UINT32_MAX, .prot = PROT_EXEC };
	int ret;

	/* Hidden addresses are zeros: nothing to report. */
	if (!sink->task || ((!text || etext <= text) && !find_text(root, &text, &etext)))
		return 0;
	t.addr = t.pgoff = text;
	t.len = etext - text;
	t.path = KERNEL_OBJ "_text";
	ret = sink->task(sink, &t);
	return ret ? ret : scan_modules(root, sink);
}
