/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * operations [WHAT]: has io_uring do operations whose number and results are known. Prints "line TEXT" for each as skep trace writes it, and
 * "count NAME OPERATIONS ERRORS" at the end. WHAT: each (one after the other, the default), polled (the same by a thread of the kernel), many
 * (100 at once), repeated (one with three results), pending (one that does not end), same (two with the same user_data at a time),
 * refused (which the kernel finds not valid), silent (without completions), late (one that ends after 1.5 s).
 * Exits 77 where there is no io_uring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

#define ENTRIES 128
#define BAD_FD 999

static struct {
	int fd;
	bool is_polled;
	unsigned *sq_tail, *sq_flags, *sq_array, *cq_head, *cq_tail, mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

struct completion {
	unsigned long long user_data;
	int res;
};

static struct {
	const char *name;
	unsigned n, errors;
} counts[256];
static unsigned long long next_data = 0x1000;

static void *map(size_t size, off_t at)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, at);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static void open_ring(unsigned flags, unsigned features)
{
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 1000 /* ms */ };
	char *sq, *cq;

	ring.fd = syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (ring.fd < 0) {
		printf("no io_uring: %s\n", strerror(errno));
		exit(77);
	}
	ring.is_polled = flags & IORING_SETUP_SQPOLL;
	if ((p.features & features) != features) {
		printf("no such operation\n");
		exit(77);
	}
	sq = map(p.sq_off.array + p.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
	cq = map(p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	ring.sqes = map(p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	ring.sq_tail = (void *)(sq + p.sq_off.tail);
	ring.sq_flags = (void *)(sq + p.sq_off.flags);
	ring.sq_array = (void *)(sq + p.sq_off.array);
	ring.mask = p.sq_entries - 1;
	ring.cq_head = (void *)(cq + p.cq_off.head);
	ring.cq_tail = (void *)(cq + p.cq_off.tail);
	ring.cq_mask = p.cq_entries - 1;
	ring.cqes = (void *)(cq + p.cq_off.cqes);
}

/* The entry after `ahead` others; entries are in no order in the ring's array, as they may be. */
static struct io_uring_sqe *entry(unsigned ahead, int opcode)
{
	unsigned at = *ring.sq_tail + ahead, slot = (at * 7 + 3) & ring.mask;
	struct io_uring_sqe *sqe = &ring.sqes[slot];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = opcode;
	sqe->user_data = next_data++;
	ring.sq_array[at & ring.mask] = slot;
	return sqe;
}

static void submit(unsigned n, unsigned wait)
{
	unsigned flags = wait ? IORING_ENTER_GETEVENTS : 0;

	__atomic_store_n(ring.sq_tail, *ring.sq_tail + n, __ATOMIC_SEQ_CST);
	if (ring.is_polled && __atomic_load_n(ring.sq_flags, __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP)
		flags |= IORING_ENTER_SQ_WAKEUP;
	if (!ring.is_polled || flags)
		while (syscall(SYS_io_uring_enter, ring.fd, ring.is_polled ? 0 : n, wait, flags, NULL, 0) < 0 && errno == EINTR)
			;
}

static struct completion take(void)
{
	struct io_uring_cqe *cqe;
	struct completion c;

	while (__atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE) == *ring.cq_head)
		syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	cqe = &ring.cqes[*ring.cq_head & ring.cq_mask];
	c = (struct completion){ cqe->user_data, cqe->res };
	__atomic_store_n(ring.cq_head, *ring.cq_head + 1, __ATOMIC_RELEASE);
	return c;
}

static void count(int opcode, const char *name, int result)
{
	counts[opcode].name = name;
	counts[opcode].n++;
	counts[opcode].errors += result < 0;
}

/* args: with a comma after each, or empty */
static void line(const char *name, unsigned long long user_data, int result, const char *args)
{
	printf("line io_uring: IORING_OP_%s(%suser_data=%#llx) = ", name, args, user_data);
	if (result < 0)
		printf("-1 %s (%s)\n", strerrorname_np(-result), strerror(-result));
	else
		printf("%d\n", result);
}

/* Submits the next entry, waits for its end, and says what it was. */
static int done(int opcode, const char *name, const char *form, ...)
{
	struct completion cqe;
	char args[200] = "";
	va_list ap;

	va_start(ap, form);
	vsnprintf(args, sizeof(args), form, ap);
	va_end(ap);
	submit(1, 1);
	cqe = take();
	line(name, cqe.user_data, cqe.res, args);
	count(opcode, name, cqe.res);
	return cqe.res;
}

static void read_and_write(void)
{
	int file = open("/proc/self/exe", O_RDONLY), null = open("/dev/null", O_WRONLY);
	struct io_uring_sqe *s = entry(0, IORING_OP_READ);
	static char buf[4096];

	s->fd = file;
	s->addr = (unsigned long)buf;
	s->len = sizeof(buf);
	s->off = 64;
	done(IORING_OP_READ, "READ", "fd=%d, addr=%p, len=4096, off=64, ", file, buf);
	for (int i = 0; i < 3; i++) {
		s = entry(0, IORING_OP_WRITE);
		s->fd = null;
		s->addr = (unsigned long)buf;
		s->len = 100 + i;
		done(IORING_OP_WRITE, "WRITE", "fd=%d, addr=%p, len=%d, ", null, buf, 100 + i);
	}
	s = entry(0, IORING_OP_READ);
	s->fd = BAD_FD;
	s->addr = (unsigned long)buf;
	s->len = 1;
	done(IORING_OP_READ, "READ", "fd=%d, addr=%p, len=1, ", BAD_FD, buf);
	s = entry(0, IORING_OP_READ);
	s->fd = null;
	s->flags = IOSQE_ASYNC;
	s->addr = (unsigned long)buf;
	s->len = 1;
	done(IORING_OP_READ, "READ", "fd=%d, addr=%p, len=1, flags=IOSQE_ASYNC, ", null, buf);
}

static void open_and_close(void)
{
	static const char path[] = "/dev/null";
	struct io_uring_sqe *s = entry(0, IORING_OP_OPENAT);
	int fd;

	s->fd = AT_FDCWD;
	s->addr = (unsigned long)path;
	fd = done(IORING_OP_OPENAT, "OPENAT", "fd=AT_FDCWD, addr=%p, ", path);
	s = entry(0, IORING_OP_CLOSE);
	s->fd = fd;
	done(IORING_OP_CLOSE, "CLOSE", "fd=%d, ", fd);
}

static void send_and_receive(void)
{
	static char text[] = "hello";
	struct io_uring_sqe *s;
	int fds[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
	s = entry(0, IORING_OP_SEND);
	s->fd = fds[0];
	s->addr = (unsigned long)text;
	s->len = 5;
	done(IORING_OP_SEND, "SEND", "fd=%d, addr=%p, len=5, ", fds[0], text);
	s = entry(0, IORING_OP_RECV);
	s->fd = fds[1];
	s->addr = (unsigned long)text;
	s->len = 5;
	done(IORING_OP_RECV, "RECV", "fd=%d, addr=%p, len=5, ", fds[1], text);
}

static void timeout(void)
{
	static struct __kernel_timespec soon = { 0, 100000000 };
	struct io_uring_sqe *s = entry(0, IORING_OP_TIMEOUT);

	s->addr = (unsigned long)&soon;
	s->len = 1;
	done(IORING_OP_TIMEOUT, "TIMEOUT", "addr=%p, len=1, ", &soon);
}

static void each(void)
{
	entry(0, IORING_OP_NOP);
	done(IORING_OP_NOP, "NOP", "%s", "");
	read_and_write();
	open_and_close();
	send_and_receive();
	timeout();
}

static void many(void)
{
	for (unsigned i = 0; i < 100; i++)
		entry(i, IORING_OP_NOP);
	submit(100, 100);
	for (unsigned i = 0; i < 100; i++) {
		struct completion cqe = take();

		line("NOP", cqe.user_data, cqe.res, "");
		count(IORING_OP_NOP, "NOP", cqe.res);
	}
}

/* A descriptor that becomes readable three times. */
static void repeated(void)
{
	struct io_uring_sqe *s = entry(0, IORING_OP_POLL_ADD);
	unsigned long long data = s->user_data;
	char args[64], buf[8];
	int fds[2];

	if (pipe(fds))
		exit(1);
	s->fd = fds[0];
	s->len = IORING_POLL_ADD_MULTI;
	s->poll32_events = POLLIN;
	snprintf(args, sizeof(args), "fd=%d, len=1, op_flags=0x1, ", fds[0]);
	submit(1, 0);
	for (int i = 0; i < 3; i++) {
		struct completion cqe;

		if (write(fds[1], "x", 1) != 1)
			exit(1);
		cqe = take();
		if (read(fds[0], buf, sizeof(buf)) != 1)
			exit(1);
		printf("line io_uring: IORING_OP_POLL_ADD(%suser_data=%#llx) = %d (IORING_CQE_F_MORE)\n", args, data, cqe.res);
		count(IORING_OP_POLL_ADD, "POLL_ADD", cqe.res);
	}
	s = entry(0, IORING_OP_POLL_REMOVE);
	s->addr = data;
	submit(1, 2);
	for (int i = 0; i < 2; i++) {
		struct completion cqe = take();

		if (cqe.user_data == data) {
			line("POLL_ADD", data, cqe.res, args);
			count(IORING_OP_POLL_ADD, "POLL_ADD", cqe.res);
		} else {
			snprintf(buf, sizeof(buf), "%#llx", data);
			printf("line io_uring: IORING_OP_POLL_REMOVE(addr=%#llx, user_data=%#llx) = %d\n", data, cqe.user_data, cqe.res);
			count(IORING_OP_POLL_REMOVE, "POLL_REMOVE", cqe.res);
		}
	}
}

static void pending(void)
{
	struct io_uring_sqe *s = entry(0, IORING_OP_POLL_ADD);
	int fds[2];

	if (pipe(fds))
		exit(1);
	s->fd = fds[0];
	s->poll32_events = POLLIN;
	submit(1, 0);
	printf("line io_uring: IORING_OP_POLL_ADD(fd=%d, op_flags=0x1, user_data=%#llx)\n", fds[0], (unsigned long long)s->user_data);
	fflush(stdout);
	pause(); /* until skep ends it */
}

/* Two of different kinds: the second ends first. */
static void same(void)
{
	static struct __kernel_timespec soon = { 0, 50000000 };
	struct io_uring_sqe *s = entry(0, IORING_OP_TIMEOUT);
	struct completion cqe;

	s->addr = (unsigned long)&soon;
	s->len = 1;
	s->user_data = 0x77;
	entry(1, IORING_OP_NOP)->user_data = 0x77;
	submit(2, 2);
	cqe = take();
	line("NOP", 0x77, cqe.res, "");
	count(IORING_OP_NOP, "NOP", cqe.res);
	cqe = take();
	printf("line io_uring: IORING_OP_TIMEOUT(addr=%p, len=1, user_data=0x77) = -1 ETIME (Timer expired)\n", (void *)&soon);
	count(IORING_OP_TIMEOUT, "TIMEOUT", cqe.res);
}

static void refused(void)
{
	struct io_uring_sqe *s = entry(0, 200);

	s->fd = 5;
	done(200, "0xc8", "fd=5, ");
	s = entry(0, IORING_OP_NOP);
	s->flags = 0x80;
	done(IORING_OP_NOP, "NOP", "flags=0x80 /* IOSQE_??? */, ");
	s = entry(0, IORING_OP_SEND);
	s->fd = BAD_FD;
	s->len = 7;
	done(IORING_OP_SEND, "SEND", "fd=%d, len=7, ", BAD_FD);
}

static void silent(void)
{
	for (unsigned i = 0; i < 5; i++) {
		struct io_uring_sqe *s = entry(i, IORING_OP_NOP);

		s->flags = i < 4 ? IOSQE_CQE_SKIP_SUCCESS : 0;
		if (i < 4)
			printf("line io_uring: IORING_OP_NOP(flags=IOSQE_CQE_SKIP_SUCCESS, user_data=%#llx) = ?\n", (unsigned long long)s->user_data);
	}
	submit(5, 1);
	line("NOP", next_data - 1, take().res, "");
	count(IORING_OP_NOP, "NOP", 0);
}

static void late(void)
{
	static struct __kernel_timespec later = { 1, 500000000 };
	struct io_uring_sqe *s = entry(0, IORING_OP_TIMEOUT);

	s->addr = (unsigned long)&later;
	s->len = 1;
	submit(1, 0);
	line("TIMEOUT", s->user_data, -ETIME, "");
	fflush(stdout);
	take();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "each";

	open_ring(strcmp(what, "polled") ? 0 : IORING_SETUP_SQPOLL, strcmp(what, "silent") ? 0 : IORING_FEAT_CQE_SKIP);
	if (!strcmp(what, "each") || !strcmp(what, "polled"))
		each();
	else if (!strcmp(what, "many"))
		many();
	else if (!strcmp(what, "repeated"))
		repeated();
	else if (!strcmp(what, "pending"))
		pending();
	else if (!strcmp(what, "same"))
		same();
	else if (!strcmp(what, "refused"))
		refused();
	else if (!strcmp(what, "silent"))
		silent();
	else if (!strcmp(what, "late"))
		late();
	for (int i = 0; i < 256; i++)
		if (counts[i].n)
			printf("count %s %u %u\n", counts[i].name, counts[i].n, counts[i].errors);
	fflush(stdout);
	return 0;
}
