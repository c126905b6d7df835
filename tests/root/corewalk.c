/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks all threads of a core file by the tables of what it has mapped, in user space, by the source of the kernel's walker. Prints
 * "TID END ADDRESS...", END "root" or a number of enum stack_stop, "?" behind an address that is of no file.
 * usage: corewalk CORE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/procfs.h>
#include <sys/user.h>
#include <unistd.h>

#include "unwind/ehframe.h"
#include "elf/elf.h"
#include "unwind/walk.h"

#define FRAMES_MAX 4096
#define FILES_MAX 1024
#define NOTE_ALIGN 4

/* A line of NT_FILE, or the vdso. */
struct file {
	uint64_t start, end, off;
	const char *path;
	int fd;
	struct elf_file elf;
	struct unwind_table table;
	enum { NEW, READ, NONE } state;
};

static int core_fd;
static struct elf_file core;
static struct unwind_rules rules;
static struct file files[FILES_MAX];
static uint32_t nr_files;

static void die(const char *what)
{
	fprintf(stderr, "corewalk: %s: %s\n", what, strerror(errno));
	exit(2);
}

static const struct elf_seg *seg_of(uint64_t addr)
{
	for (uint32_t i = 0; i < core.nr_segs; i++)
		if (core.segs[i].type == PT_LOAD && addr - core.segs[i].vaddr < core.segs[i].memsz)
			return &core.segs[i];
	return NULL;
}

static struct file *file_of(uint64_t addr)
{
	for (uint32_t i = 0; i < nr_files; i++)
		if (addr - files[i].start < files[i].end - files[i].start)
			return &files[i];
	return NULL;
}

static void open_file(struct file *f)
{
	if (f->path && f->fd < 0)
		f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
}

static int read_at(int fd, uint64_t off, uint64_t *ret_word)
{
	return pread(fd, ret_word, sizeof(*ret_word), (off_t)off) == sizeof(*ret_word) ? 0 : -1;
}

/* What a core leaves out is as in the file. */
static int read_word(void *arg, uint64_t addr, uint64_t *ret_word)
{
	const struct elf_seg *seg = seg_of(addr);
	struct file *f;

	(void)arg;
	if (seg && addr - seg->vaddr + sizeof(*ret_word) <= seg->filesz)
		return read_at(core_fd, seg->off + addr - seg->vaddr, ret_word);
	f = file_of(addr);
	if (!f || !f->path)
		return -1;
	open_file(f);
	return read_at(f->fd, f->off + addr - f->start, ret_word);
}

/* Files that are mapped in parts are read for each. */
static void read_table(struct file *f)
{
	char *vdso;

	f->state = NONE;
	open_file(f);
	if (f->path) {
		if (f->fd < 0 || elf_open_fd(f->fd, &f->elf))
			return;
	} else {
		const struct elf_seg *seg = seg_of(f->start);

		if (!seg || elf_read(&core, seg->off, seg->filesz, &vdso) || elf_open_mem(vdso, seg->filesz, &f->elf))
			die("vdso");
	}
	if (!unwind_table_read(&f->elf, NULL, &rules, &f->table))
		f->state = READ;
}

/* gdb leaves code out that is as in its file. */
static bool is_code(uint64_t ip, const struct file *f)
{
	const struct elf_seg *seg = seg_of(ip);
	uint64_t off;

	if (seg)
		return seg->flags & PF_X;
	if (!f || f->fd < 0)
		return false;
	off = ip - f->start + f->off;
	for (uint32_t i = 0; i < f->elf.nr_segs; i++) {
		seg = &f->elf.segs[i];
		if (seg->type == PT_LOAD && (seg->flags & PF_X) && off - seg->off < seg->filesz)
			return true;
	}
	return false;
}

/* What a table does not reach is as code without one: by frame pointers. */
static int find_rule(void *arg, uint64_t ip, struct unwind_rule *ret_rule)
{
	struct file *f = file_of(ip);
	uint32_t number;
	uint64_t vaddr;

	(void)arg;
	if (f && f->state == NEW)
		read_table(f);
	if (!is_code(ip, f))
		return STOP_NO_CODE;
	if (!f || f->state != READ || !elf_off_to_vaddr(f->elf.segs, f->elf.nr_segs, ip - f->start + f->off, &vaddr) ||
	    vaddr - f->table.vaddr >= (uint64_t)f->table.nr_pages << UNWIND_PAGE_SHIFT) {
		*ret_rule = unwind_rule_fp;
		return 0;
	}
	number = unwind_table_find(&f->table, vaddr);
	*ret_rule = rules.data[number];
	return number ? 0 : STOP_NO_RULE;
}

static void walk(const struct elf_prstatus *status)
{
	const struct unwind_facts facts = { NULL, find_rule, read_word };
	struct user_regs_struct r;
	static uint64_t ips[FRAMES_MAX];
	uint32_t n, end;

	memcpy(&r, status->pr_reg, sizeof(r));
	uint64_t leaf[UNWIND_LEAF_REGS] = { r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
					    r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip };
	struct unwind_regs regs = { .ip = r.rip, .sp = r.rsp, .bp = r.rbp, .bx = r.rbx, .is_exact = r.orig_rax == -1ull };

	ips[0] = r.rip;
	n = 1 + unwind_frames(&facts, &regs, leaf, ips + 1, FRAMES_MAX - 1, &end);
	if (end == STOP_WHOLE)
		printf("%d root", status->pr_pid);
	else
		printf("%d %u", status->pr_pid, end);
	for (uint32_t i = 0; i < n; i++)
		printf(" %lx%s", ips[i], file_of(ips[i]) ? "" : "?");
	putchar('\n');
}

static void add_file(uint64_t start, uint64_t end, uint64_t off, const char *path)
{
	if (nr_files == FILES_MAX)
		die("too many files");
	files[nr_files++] = (struct file){ .start = start, .end = end, .off = off, .path = path, .fd = -1 };
}

/* NT_FILE: how many, page size, (start, end, offset in pages) of each, then their paths. fs/binfmt_elf.c */
static void add_files(const uint64_t *words, size_t size)
{
	uint64_t n = words[0], page = words[1];
	const char *path = (const char *)(words + 2 + 3 * n);

	if (n > FILES_MAX || path > (const char *)words + size)
		die("files");
	for (words += 2; n--; words += 3, path += strlen(path) + 1)
		add_file(words[0], words[1], words[2] * page, path);
}

static void add_vdso(const uint64_t *words, size_t size)
{
	for (size_t i = 0; i + 1 < size / sizeof(*words); i += 2) {
		const struct elf_seg *seg = words[i] == AT_SYSINFO_EHDR ? seg_of(words[i + 1]) : NULL;

		if (seg)
			add_file(seg->vaddr, seg->vaddr + seg->memsz, 0, NULL);
	}
}

/* Of all notes: first what is mapped, then the threads. */
static void read_notes(const char *notes, size_t size, int is_thread)
{
	const Elf64_Nhdr *n;
	const void *data;

	for (size_t at = 0; at + sizeof(*n) <= size;) {
		n = (const void *)(notes + at);
		at += sizeof(*n) + (n->n_namesz + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
		data = notes + at;
		at += (n->n_descsz + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
		if (at > size)
			die("notes");
		if (is_thread && n->n_type == NT_PRSTATUS && n->n_descsz >= sizeof(struct elf_prstatus))
			walk(data);
		else if (!is_thread && n->n_type == NT_FILE)
			add_files(data, n->n_descsz);
		else if (!is_thread && n->n_type == NT_AUXV)
			add_vdso(data, n->n_descsz);
	}
}

int main(int argc, char **argv)
{
	core_fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (core_fd < 0 || elf_open_fd(core_fd, &core) || core.type != ET_CORE || unwind_rules_init(&rules))
		die("core");
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < core.nr_segs; i++) {
			char *notes;

			if (core.segs[i].type != PT_NOTE)
				continue;
			if (elf_read(&core, core.segs[i].off, core.segs[i].filesz, &notes))
				die("notes");
			read_notes(notes, core.segs[i].filesz, pass);
			if (pass)
				free(notes); /* of the first, paths are kept */
		}
	}
	return 0;
}
