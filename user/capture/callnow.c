/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/callnow.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/file.h"

#define PAGE 4096ull
#define ELF_CLASS_AT 4 /* of e_ident: 1 is 32-bit */

/* Bytes of a process from an address on, up to the first page that is not there; returns how many. */
static uint32_t read_memory(uint32_t pid, uint64_t addr, char *to, uint32_t n)
{
	uint32_t done = 0;

	while (done < n) {
		uint64_t at = addr + done, part = PAGE - at % PAGE;
		struct iovec local = { to + done, part < n - done ? part : n - done };
		struct iovec remote = { (void *)(uintptr_t)at, local.iov_len };
		ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);

		if (got <= 0)
			break;
		done += got;
	}
	return done;
}

/* NULL: there is no room for it, or nothing to be read. */
static const struct call_piece *add_piece(struct callnow *now, uint32_t pid, uint64_t addr, uint64_t n, bool is_text)
{
	struct call_piece *p = &now->pieces[now->event.nr_pieces];
	uint32_t room = sizeof(now->bytes) - now->nr_bytes, want = n < room ? n : room, got;
	char *to = now->bytes + now->nr_bytes;

	if (now->event.nr_pieces == CALLNOW_PIECES || !addr || !want)
		return NULL;
	got = read_memory(pid, addr, to, want);
	*p = (struct call_piece){ .addr = addr, .bytes = to, .size = got, .is_entry = true };
	if (is_text) {
		const char *end = memchr(to, '\0', got);

		p->is_fault = !end && got < want; /* a text that ends with its page is none */
		p->size = end ? end - to + 1 : got;
	} else {
		p->is_fault = got < want;
	}
	now->nr_bytes += (p->size + 7) & ~7u;
	now->event.nr_pieces++;
	return p;
}

static uint64_t word_at(const void *bytes, bool is_compat)
{
	uint64_t word = 0;

	memcpy(&word, bytes, is_compat ? 4 : 8);
	return word;
}

static void add_iovec(struct callnow *now, uint32_t pid, uint64_t addr, uint64_t n, uint32_t max)
{
	bool is_compat = now->event.abi == SYSCALL_COMPAT;
	unsigned word = is_compat ? 4 : 8;
	const struct call_piece *array = n <= TRACE_IOVECS_MAX ? add_piece(now, pid, addr, n * 2 * word, false) : NULL;

	for (uint64_t i = 0; array && !array->is_fault && i < n; i++) {
		const char *at = (const char *)array->bytes + i * 2 * word;
		uint64_t bytes = word_at(at + word, is_compat);

		add_piece(now, pid, word_at(at, is_compat), bytes < max ? bytes : max, false);
	}
}

static void add_file(struct callnow *now, uint32_t pid, int fd)
{
	struct call_piece *p = &now->pieces[now->event.nr_pieces];
	char *to = now->bytes + now->nr_bytes, path[64];
	struct trace_file *f = (void *)to;
	struct stat st;
	ssize_t n;

	if (now->event.nr_pieces == CALLNOW_PIECES || sizeof(now->bytes) - now->nr_bytes < sizeof(*f) + TRACE_PATH_MAX + 8)
		return;
	if (fd == AT_FDCWD)
		snprintf(path, sizeof(path), "/proc/%u/cwd", pid);
	else
		snprintf(path, sizeof(path), "/proc/%u/fd/%d", pid, fd);
	n = readlink(path, to + sizeof(*f), TRACE_PATH_MAX);
	if (n <= 0 || stat(path, &st))
		return;
	*f = (struct trace_file){ .inode = st.st_ino, .mode = st.st_mode, .flags = TRACE_FILE_LINK,
				  .device = (uint32_t)major(st.st_rdev) << 20 | minor(st.st_rdev) };
	*p = (struct call_piece){ .addr = TRACE_FILE_AT(fd), .bytes = f, .size = sizeof(*f) + n, .is_entry = true };
	now->nr_bytes += (p->size + 7) & ~7u;
	now->event.nr_pieces++;
}

/* What is known before the call returns. */
static void add_step(struct callnow *now, uint32_t pid, const struct trace_step *s, uint32_t text)
{
	const uint64_t *args = now->event.args;
	uint64_t n = s->length == LENGTH_ARG && s->length_at < TRACE_ARGS ? args[s->length_at] : 1;
	uint64_t max = s->max ? s->max : text + (s->read == TRACE_TEXT ? 2 : 1), addr;

	if (s->from || s->arg >= TRACE_ARGS || s->when & TRACE_IF_DONE || s->length == LENGTH_RET)
		return;
	addr = args[s->arg];
	switch (s->read) {
	case TRACE_TEXT:
		add_piece(now, pid, addr, max, true);
		break;
	case TRACE_BYTES:
		n = n > TRACE_PIECE_MAX ? TRACE_PIECE_MAX : n * s->unit;
		add_piece(now, pid, addr, n < max ? n : max, false);
		break;
	case TRACE_FILE:
		add_file(now, pid, addr);
		break;
	case TRACE_IOVEC:
		add_iovec(now, pid, addr, n, max);
		break;
	}
}

static bool is_compat(uint32_t pid)
{
	char path[64], ident[ELF_CLASS_AT + 1] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, ident, sizeof(ident)) < (ssize_t)sizeof(ident))
		ident[ELF_CLASS_AT] = 0;
	close(fd);
	return ident[ELF_CLASS_AT] == 1;
}

bool callnow_read(uint32_t pid, uint32_t tid, void (*plan)(enum syscall_abi table, uint32_t nr, struct trace_plan *ret_plan), uint32_t text,
		  struct callnow *ret_now)
{
	struct call_event *e = &ret_now->event;
	unsigned long long a[TRACE_ARGS];
	struct trace_plan steps;
	char path[64];
	int n = 0;
	long nr;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/syscall", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	/* "NR ARG... SP PC", "running", or "-1 SP PC" of one that waits elsewhere: fs/proc/base.c, proc_pid_syscall() */
	n = fscanf(f, "%ld %llx %llx %llx %llx %llx %llx", &nr, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5]);
	fclose(f);
	if (n != 1 + TRACE_ARGS || nr < 0 || nr >= SYSCALL_NR_MAX)
		return false;
	ret_now->nr_bytes = 0;
	*e = (struct call_event){ .kind = CALL_WAITS, .abi = is_compat(pid) ? SYSCALL_COMPAT : SYSCALL_NATIVE, .nr = nr, .pieces = ret_now->pieces };
	for (int i = 0; i < TRACE_ARGS; i++)
		e->args[i] = a[i];
	plan(e->abi, e->nr, &steps);
	for (int i = 0; i < TRACE_STEPS && steps.steps[i].read; i++)
		add_step(ret_now, pid, &steps.steps[i], text);
	return true;
}

#define PF_IO_WORKER 0x10 /* include/linux/sched.h, from 5.12 on */

/* Is it a thread that the kernel made for io_uring? It makes no calls, but has registers of the call in which it was made. */
static bool is_worker(uint32_t pid, const char *tid)
{
	char path[96], line[512];
	unsigned flags = 0;
	const char *fields;

	snprintf(path, sizeof(path), "/proc/%u/task/%.16s/stat", pid, tid);
	return !file_stat_fields(path, line, sizeof(line), &fields) && sscanf(fields, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && flags & PF_IO_WORKER;
}

int callnow_threads(uint32_t pid, int (*each)(void *arg, uint32_t tid), void *arg)
{
	const struct dirent *entry;
	char path[32];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!ret && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !is_worker(pid, entry->d_name))
			ret = each(arg, strtoul(entry->d_name, NULL, 10));
	closedir(dir);
	return ret;
}
