/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * openfiles: uses files of every kind through their descriptors, and prints "line TEXT" for each line that strace -yy has for them. Needs a
 * directory that it may write to as its own.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "work.h"

static char here[PATH_MAX];

static void line(const char *form, ...)
{
	va_list args;

	printf("line ");
	va_start(args, form);
	vprintf(form, args);
	va_end(args);
	putchar('\n');
}

static unsigned long inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

/* "UNIX-STREAM"; "UNIX" before Linux 5.15, which had one protocol for all of them. */
static const char *protocol(int fd)
{
	static char name[32];
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.sockprotoname", name, sizeof(name)) > 0 ? name : "?";
}

static void paths(void)
{
	int fd = open("plain", O_RDWR | O_CREAT | O_TRUNC, 0600), copy, odd;

	line("openat(AT_FDCWD<%s>, \"plain\", O_RDWR|O_CREAT|O_TRUNC, 0600) = %d<%s/plain>", here, fd, here);
	copy = dup2(fd, 100);
	line("dup2(%d<%s/plain>, 100) = %d<%s/plain>", fd, here, copy, here);
	close(copy);
	line("close(100<%s/plain>) = 0", here);
	fcntl(fd, F_DUPFD, 200);
	line("fcntl(%d<%s/plain>, F_DUPFD, 200) = 200<%s/plain>", fd, here, here);
	close(200);
	unlink("plain");
	write(fd, "x", 1);
	line("write(%d<%s/plain>(deleted), \"x\", 1) = 1", fd, here);
	close(fd);
	odd = open("od\n<d>", O_RDWR | O_CREAT, 0600);
	write(odd, "x", 1);
	line("write(%d<%s/od\\n\\74d\\76>, \"x\", 1) = 1", odd, here);
	unlink("od\n<d>");
	close(odd);
	fd = open("/dev/null", O_WRONLY);
	write(fd, "x", 1);
	line("write(%d</dev/null<char 1:3>>, \"x\", 1) = 1", fd);
	close(fd);
	write(-1, "x", 1);
	line("write(-1, \"x\", 1) = -1 EBADF (Bad file descriptor)");
}

/* More names than are read of a path: its end is shown. */
static void deep(void)
{
	enum { NAMES = 70 };
	char shown[NAMES * 2 + 1] = "";
	int fd;

	for (int i = 0; i < NAMES; i++) {
		if (mkdir("d", 0700) || chdir("d"))
			exit(1);
		if (i >= NAMES - 63)
			strcat(shown, "/d");
	}
	fd = open("f", O_RDWR | O_CREAT, 0600);
	write(fd, "x", 1);
	line("write(%d<...%s/f>, \"x\", 1) = 1", fd, shown);
	close(fd);
	unlink("f");
	for (int i = 0; i < NAMES; i++)
		if (chdir("..") || rmdir("d"))
			exit(1);
}

static void unnamed(void)
{
	struct epoll_event want = { .events = EPOLLIN };
	struct timeval now = { 0, 0 };
	int ends[2], epoll, memory;
	struct pollfd p;
	fd_set set;

	if (pipe2(ends, 0))
		exit(1);
	line("pipe2([%d<pipe:[%lu]>, %d<pipe:[%lu]>], 0) = 0", ends[0], inode(ends[0]), ends[1], inode(ends[1]));
	write(ends[1], "x", 1);
	p = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	poll(&p, 1, 0);
	line("poll([{fd=%d<pipe:[%lu]>, events=POLLIN}], 1, 0) = 1 ([{fd=%d, revents=POLLIN}])", p.fd, inode(p.fd), p.fd);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	syscall(SYS_select, ends[0] + 1, &set, NULL, NULL, &now);
	line("select(%d, [%d<pipe:[%lu]>], NULL, NULL, {tv_sec=0, tv_usec=0}) = 1 (in [%d], left {tv_sec=0, tv_usec=0})", ends[0] + 1, ends[0],
	     inode(ends[0]), ends[0]);
	epoll = epoll_create1(0);
	line("epoll_create1(0) = %d<anon_inode:[eventpoll]>", epoll);
	want.data.u64 = 0;
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &want);
	line("epoll_ctl(%d<anon_inode:[eventpoll]>, EPOLL_CTL_ADD, %d<pipe:[%lu]>, {events=EPOLLIN, data={u32=0, u64=0}}) = 0", epoll, ends[0],
	     inode(ends[0]));
	memory = memfd_create("of memory", 0);
	line("memfd_create(\"of memory\", 0) = %d</memfd:of memory>(deleted)", memory);
}

static void internet(int family, const char *name, const char *address)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT }, there6;
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } }, there4;
	bool is_six = family == AF_INET6;
	socklen_t n = is_six ? sizeof(six) : sizeof(four);
	struct sockaddr *here_at = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
	struct sockaddr *there_at = is_six ? (struct sockaddr *)&there6 : (struct sockaddr *)&there4;
	int server = socket(family, SOCK_STREAM, 0), client = socket(family, SOCK_STREAM, 0), accepted, port, peer;

	line("socket(%s, SOCK_STREAM, IPPROTO_IP) = %d<%s:[%lu]>", is_six ? "AF_INET6" : "AF_INET", server, name, inode(server));
	if (bind(server, here_at, n) || listen(server, 1) || getsockname(server, here_at, &n) || connect(client, here_at, n))
		exit(1);
	port = ntohs(is_six ? six.sin6_port : four.sin_port);
	line("listen(%d<%s:[%s:%d]>, 1) = 0", server, name, address, port);
	accepted = accept(server, there_at, &n);
	peer = ntohs(is_six ? there6.sin6_port : there4.sin_port);
	write(client, "x", 1);
	line("write(%d<%s:[%s:%d->%s:%d]>, \"x\", 1) = 1", client, name, address, peer, address, port);
	close(client);
	line("close(%d<%s:[%s:%d->%s:%d]>) = 0", client, name, address, peer, address, port);
	close(accepted);
	close(server);
}

static void local(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
	struct sockaddr_nl netlink = { .nl_family = AF_NETLINK };
	socklen_t n = sizeof(netlink);
	int ends[2], fd = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink(name.sun_path);
	if (bind(fd, (struct sockaddr *)&name, sizeof(name)) || listen(fd, 1) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(1);
	shutdown(fd, SHUT_RD);
	line("shutdown(%d<%s:[%lu,\"socket\"]>, SHUT_RD) = 0", fd, protocol(fd), inode(fd));
	write(ends[0], "x", 1);
	line("write(%d<%s:[%lu->%lu]>, \"x\", 1) = 1", ends[0], protocol(ends[0]), inode(ends[0]), inode(ends[1]));
	unlink(name.sun_path);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (bind(fd, (struct sockaddr *)&netlink, sizeof(netlink)) || getsockname(fd, (struct sockaddr *)&netlink, &n))
		exit(1);
	shutdown(fd, SHUT_RD);
	line("shutdown(%d<NETLINK:[ROUTE:%u]>, SHUT_RD) = -1 EOPNOTSUPP (Operation not supported)", fd, netlink.nl_pid);
}

/* Descriptors in memory; that of a process. */
static void in_memory(void)
{
	int null = open("/dev/null", O_WRONLY), ends[2], fds[2] = { null, -1 }, fd;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { "x", 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(1);
	memcpy(CMSG_DATA(&control.head), &null, sizeof(null));
	sendmsg(ends[0], &m, 0);
	line("sendmsg(%d<%s:[%lu->%lu]>, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"x\", iov_len=1}], msg_iovlen=1, msg_control=[{cmsg_len=20, "
	     "cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[%d</dev/null<char 1:3>>]}], msg_controllen=24, msg_flags=0}, 0) = 1",
	     ends[0], protocol(ends[0]), inode(ends[0]), inode(ends[1]), null);
	if (syscall(SYS_io_uring_register, null, 2 /* IORING_REGISTER_FILES */, fds, 2) < 0 && errno == EOPNOTSUPP)
		line("io_uring_register(%d</dev/null<char 1:3>>, IORING_REGISTER_FILES, [%d</dev/null<char 1:3>>, -1], 2) = -1 EOPNOTSUPP "
		     "(Operation not supported)", null, null);
	fd = syscall(SYS_pidfd_open, getpid(), 0);
	if (fd >= 0)
		line("pidfd_open(%d, 0) = %d<pid:%d>", getpid(), fd, getpid());
	close(fd);
	close(null);
}

int main(void)
{
	if (!getcwd(here, sizeof(here)))
		return 1;
	paths();
	deep();
	unnamed();
	internet(AF_INET, "TCP", "127.0.0.1");
	if (!access("/proc/net/if_inet6", R_OK) && socket(AF_INET6, SOCK_STREAM, 0) >= 0)
		internet(AF_INET6, "TCPv6", "[::1]");
	local();
	in_memory();
	fflush(stdout);
	return 0;
}
