/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends and receives by loopback, and prints what each process did: "PID TX_PACKETS TX_BYTES RX_PACKETS RX_BYTES", packets 0 where the
 * kernel decides how many there are.
 * usage: sockets udp4|udp6 N BYTES        one process sends N datagrams, another receives them
 *        sockets tcp4|tcp6 N BYTES        N connections, each with so many bytes to the server and half of them back
 *        sockets fork N BYTES             the same, each connection served by a child of who accepted it
 *        sockets pass N BYTES             N datagrams by one process, then N by another that it passed its socket to
 *        sockets turns N BYTES            two processes send by one socket in turns, N each
 *        sockets refused N                N connections to where nobody listens
 *        sockets many N                   N connections one after another, a byte each
 *        sockets held N BYTES             one datagram by a socket that N more processes have open
 *        sockets late N BYTES             a connection: once, and N times more when a line comes in; half comes back
 *        sockets deaf N BYTES             N datagrams to a socket with little room, which are received when all are sent
 *        sockets flood N BYTES            N datagrams to itself, one at a time, in CPU time: "NS" of one sent and received
 *        sockets stream N BYTES           the same by a connection: "NS" for each so many bytes
 *        sockets reuse FD N BYTES         N datagrams by the connected socket that is FD
 *        sockets reset N BYTES            one socket connected N times, each time with so many bytes, and ended by a reset
 *        sockets open N                   a datagram each by N sockets that stay open
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define LINES_MAX 1024
#define BYTES_MAX 60000

struct line {
	int pid;
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
};

static struct line *lines; /* shared by all */
static char bytes[BYTES_MAX];

static struct line *mine(void)
{
	for (int i = 0; i < LINES_MAX; i++)
		if (lines[i].pid == getpid())
			return &lines[i];
		else if (__sync_bool_compare_and_swap(&lines[i].pid, 0, getpid()))
			return &lines[i];
	exit(1);
}

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

/* A socket bound to loopback, and where it is. */
static int bound(int family, int type, struct sockaddr_storage *at, socklen_t *size)
{
	struct sockaddr_in6 *six = (void *)at;
	struct sockaddr_in *four = (void *)at;
	int fd = socket(family, type, 0), room = 8 << 20;

	must(fd >= 0, "socket");
	memset(at, 0, sizeof(*at));
	if (family == AF_INET6) {
		*six = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
		*size = sizeof(*six);
	} else {
		*four = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		*size = sizeof(*four);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	must(!bind(fd, (void *)at, *size), "bind");
	must(!getsockname(fd, (void *)at, size), "getsockname");
	return fd;
}

/* Each datagram is answered by a pipe: none is dropped for want of room. */
static void receive(int fd, int n, int said)
{
	struct line *l = mine();

	for (int i = 0; i < n; i++) {
		ssize_t got = recv(fd, bytes, sizeof(bytes), 0);

		must(got > 0, "recv");
		l->rx_packets++;
		l->rx_bytes += (uint64_t)got;
		must(write(said, "", 1) == 1, "write");
	}
}

static void send_all(int fd, int n, size_t size, const struct sockaddr_storage *to, socklen_t to_size, int heard)
{
	struct line *l = mine();
	char c;

	for (int i = 0; i < n; i++) {
		must(sendto(fd, bytes, size, 0, (const void *)to, to_size) == (ssize_t)size, "sendto");
		l->tx_packets++;
		l->tx_bytes += size;
		must(read(heard, &c, 1) == 1, "read");
	}
}

/* Returns the child that receives n. */
static pid_t receiver(int fd, int n, int said)
{
	pid_t pid = fork();

	if (pid == 0) {
		receive(fd, n, said);
		_exit(0);
	}
	return pid;
}

static void udp(int family, int n, size_t size)
{
	struct sockaddr_storage to, from;
	socklen_t to_size, from_size;
	int in = bound(family, SOCK_DGRAM, &to, &to_size), out = bound(family, SOCK_DGRAM, &from, &from_size), said[2];

	must(!pipe(said), "pipe");
	receiver(in, n, said[1]);
	close(in);
	send_all(out, n, size, &to, to_size, said[0]);
	wait(NULL);
}

static void read_all(int fd, size_t n)
{
	struct line *l = mine();

	while (n) {
		ssize_t got = read(fd, bytes, n < sizeof(bytes) ? n : sizeof(bytes));

		must(got > 0, "read");
		l->rx_bytes += (uint64_t)got;
		n -= (size_t)got;
	}
}

static void write_all(int fd, size_t n)
{
	struct line *l = mine();

	while (n) {
		ssize_t sent = write(fd, bytes, n < sizeof(bytes) ? n : sizeof(bytes));

		must(sent > 0, "write");
		l->tx_bytes += (uint64_t)sent;
		n -= (size_t)sent;
	}
}

static void serve_one(int fd, size_t size)
{
	char c;

	read_all(fd, size);
	write_all(fd, size / 2);
	while (read(fd, &c, 1) > 0)
		;
	close(fd);
}

static void serve(int listener, int n, size_t size, int forks)
{
	for (int i = 0; i < n; i++) {
		int fd = accept(listener, NULL, NULL);

		must(fd >= 0, "accept");
		if (!forks) {
			serve_one(fd, size);
		} else if (fork() == 0) {
			serve_one(fd, size);
			_exit(0);
		}
		close(fd);
	}
	while (wait(NULL) > 0)
		;
}

static void tcp(int family, int n, size_t size, int forks)
{
	struct sockaddr_storage to;
	socklen_t to_size;
	int listener = bound(family, SOCK_STREAM, &to, &to_size);

	must(!listen(listener, 64), "listen");
	if (fork() == 0) {
		serve(listener, n, size, forks);
		_exit(0);
	}
	close(listener);
	for (int i = 0; i < n; i++) {
		int fd = socket(family, SOCK_STREAM, 0);

		must(!connect(fd, (void *)&to, to_size), "connect");
		write_all(fd, size);
		read_all(fd, size / 2);
		close(fd);
	}
	wait(NULL);
}

static void refused(int n)
{
	struct sockaddr_storage to;
	socklen_t to_size;
	int nobody = bound(AF_INET, SOCK_STREAM, &to, &to_size), failed = 0;

	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		failed += connect(fd, (void *)&to, to_size) != 0;
		close(fd);
	}
	close(nobody);
	mine();
	must(failed == n, "refused");
}

static void pass(int n, size_t size)
{
	char room[CMSG_SPACE(sizeof(int))] = { 0 }, c = 0;
	struct iovec iov = { &c, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct sockaddr_storage to, from;
	socklen_t to_size, from_size;
	int in = bound(AF_INET, SOCK_DGRAM, &to, &to_size), said[2], pair[2], out;

	must(!pipe(said) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "pipe");
	receiver(in, 2 * n, said[1]);
	close(in);
	if (fork() == 0) {
		must(recvmsg(pair[1], &msg, 0) == 1, "recvmsg");
		memcpy(&out, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(out));
		send_all(out, n, size, &to, to_size, said[0]);
		_exit(0);
	}
	out = bound(AF_INET, SOCK_DGRAM, &from, &from_size);
	send_all(out, n, size, &to, to_size, said[0]);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &out, sizeof(out));
	must(sendmsg(pair[0], &msg, 0) == 1, "sendmsg");
	close(out);
	while (wait(NULL) > 0)
		;
}

static void turns(int n, size_t size)
{
	struct sockaddr_storage to, from;
	socklen_t to_size, from_size;
	int in = bound(AF_INET, SOCK_DGRAM, &to, &to_size), out = bound(AF_INET, SOCK_DGRAM, &from, &from_size), said[2], turn[2][2];
	char c = 0;

	must(!pipe(said) && !pipe(turn[0]) && !pipe(turn[1]), "pipe");
	receiver(in, 2 * n, said[1]);
	close(in);
	for (int k = 0; k < 2; k++) {
		if (fork())
			continue;
		for (int i = 0; i < n; i++) {
			must(read(turn[k][0], &c, 1) == 1, "read");
			send_all(out, 1, size, &to, to_size, said[0]);
			must(write(turn[1 - k][1], &c, 1) == 1, "write");
		}
		_exit(0);
	}
	must(write(turn[0][1], &c, 1) == 1, "write");
	close(out);
	while (wait(NULL) > 0)
		;
}

static void held(int n, size_t size)
{
	struct sockaddr_storage to, from;
	socklen_t to_size, from_size;
	int in = bound(AF_INET, SOCK_DGRAM, &to, &to_size), out = bound(AF_INET, SOCK_DGRAM, &from, &from_size), said[2], children[32];

	must(!pipe(said) && n <= 32, "pipe");
	for (int i = 0; i < n; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			pause();
			_exit(0);
		}
	}
	receiver(in, 1, said[1]);
	send_all(out, 1, size, &to, to_size, said[0]);
	printf("%d\n", getpid());
	fflush(stdout);
	usleep(500000);
	for (int i = 0; i < n; i++)
		kill(children[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* Says what it is first; the server echoes half of each. */
static void late(int n, size_t size)
{
	struct sockaddr_storage to;
	socklen_t to_size;
	int listener = bound(AF_INET, SOCK_STREAM, &to, &to_size), fd = socket(AF_INET, SOCK_STREAM, 0);
	char line;

	must(!listen(listener, 1), "listen");
	if (fork() == 0) {
		fd = accept(listener, NULL, NULL);
		for (int i = 0; i <= n; i++) {
			read_all(fd, size);
			write_all(fd, size / 2);
		}
		_exit(0);
	}
	must(!connect(fd, (void *)&to, to_size), "connect");
	for (int i = 0; i <= n; i++) {
		write_all(fd, size);
		read_all(fd, size / 2);
		if (i)
			continue;
		printf("%d\n", getpid());
		fflush(stdout);
		must(read(STDIN_FILENO, &line, 1) == 1, "read");
	}
	sleep(2);
	exit(0);
}

static void reuse(int fd, int n, size_t size)
{
	for (int i = 0; i < n; i++)
		if (send(fd, bytes, size, 0) != (ssize_t)size)
			i--; /* nobody is there, which is told once for each that was sent before */
	exit(0);
}

static void reset(int n, size_t size)
{
	struct sockaddr nowhere = { .sa_family = AF_UNSPEC };
	struct sockaddr_storage to;
	socklen_t to_size;
	int listener = bound(AF_INET, SOCK_STREAM, &to, &to_size), out = socket(AF_INET, SOCK_STREAM, 0), in;

	must(!listen(listener, 1), "listen");
	for (int i = 0; i < n; i++) {
		must(!connect(out, (void *)&to, to_size), "connect");
		in = accept(listener, NULL, NULL);
		must(in >= 0, "accept");
		write_all(out, size);
		read_all(in, size);
		must(!connect(out, &nowhere, sizeof(nowhere)), "disconnect");
		close(in);
	}
}

static void deaf(int n, size_t size)
{
	struct sockaddr_storage to, from;
	socklen_t to_size, from_size;
	int in = bound(AF_INET, SOCK_DGRAM, &to, &to_size), out = bound(AF_INET, SOCK_DGRAM, &from, &from_size), room = 200000;
	struct line *l = mine();

	setsockopt(in, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	for (int i = 0; i < n; i++) {
		must(sendto(out, bytes, size, 0, (void *)&to, to_size) == (ssize_t)size, "sendto");
		l->tx_packets++;
		l->tx_bytes += size;
	}
	while (recv(in, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
		l->rx_packets++;
		l->rx_bytes += size;
	}
}

static void open_many(int n)
{
	struct sockaddr_storage to, from;
	socklen_t to_size, from_size;
	int in = bound(AF_INET, SOCK_DGRAM, &to, &to_size);
	struct line *l = mine();

	for (int i = 0; i < n; i++) {
		int out = bound(AF_INET, SOCK_DGRAM, &from, &from_size);

		must(sendto(out, bytes, 1, 0, (void *)&to, to_size) == 1, "sendto");
		must(recv(in, bytes, sizeof(bytes), 0) == 1, "recv");
		l->tx_packets++;
		l->tx_bytes++;
		l->rx_packets++;
		l->rx_bytes++;
	}
}

/* ns of each turn, of this thread's CPU: what interrupts do in its time is in it */
static void print_turn(double from_s, int n)
{
	printf("%.1f\n", (cpu_s() - from_s) * 1e9 / n);
	exit(0);
}

static void flood(int n, size_t size)
{
	struct sockaddr_storage to;
	socklen_t to_size;
	int in = bound(AF_INET, SOCK_DGRAM, &to, &to_size);
	double from_s;

	must(!connect(in, (void *)&to, to_size), "connect");
	from_s = cpu_s();
	for (int i = 0; i < n; i++) {
		must(send(in, bytes, size, 0) == (ssize_t)size, "send");
		must(recv(in, bytes, sizeof(bytes), 0) == (ssize_t)size, "recv");
	}
	print_turn(from_s, n);
}

static void stream(int n, size_t size)
{
	struct sockaddr_storage to;
	socklen_t to_size;
	int listener = bound(AF_INET, SOCK_STREAM, &to, &to_size), out = socket(AF_INET, SOCK_STREAM, 0), in;
	double from_s;

	must(!listen(listener, 1) && !connect(out, (void *)&to, to_size), "connect");
	in = accept(listener, NULL, NULL);
	from_s = cpu_s();
	for (int i = 0; i < n; i++) {
		write_all(out, size);
		read_all(in, size);
	}
	print_turn(from_s, n);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;
	size_t size = argc > 3 ? (size_t)atol(argv[3]) : 1;

	lines = mmap(NULL, LINES_MAX * sizeof(*lines), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (lines == MAP_FAILED || n <= 0)
		return 2;
	if (!strcmp(what, "udp4") || !strcmp(what, "udp6"))
		udp(what[3] == '6' ? AF_INET6 : AF_INET, n, size);
	else if (!strcmp(what, "tcp4") || !strcmp(what, "tcp6"))
		tcp(what[3] == '6' ? AF_INET6 : AF_INET, n, size, 0);
	else if (!strcmp(what, "fork"))
		tcp(AF_INET, n, size, 1);
	else if (!strcmp(what, "pass"))
		pass(n, size);
	else if (!strcmp(what, "turns"))
		turns(n, size);
	else if (!strcmp(what, "refused"))
		refused(n);
	else if (!strcmp(what, "held"))
		held(n, size);
	else if (!strcmp(what, "late"))
		late(n, size);
	else if (!strcmp(what, "deaf"))
		deaf(n, size);
	else if (!strcmp(what, "reuse") && argc == 5)
		reuse(n, atoi(argv[3]), (size_t)atol(argv[4]));
	else if (!strcmp(what, "reset"))
		reset(n, size);
	else if (!strcmp(what, "flood"))
		flood(n, size);
	else if (!strcmp(what, "stream"))
		stream(n, size);
	else if (!strcmp(what, "open"))
		open_many(n);
	else if (!strcmp(what, "many"))
		tcp(AF_INET, n, 1, 0);
	else
		return 2;
	for (int i = 0; i < LINES_MAX && lines[i].pid; i++)
		printf("%d %llu %llu %llu %llu\n", lines[i].pid, (unsigned long long)lines[i].tx_packets, (unsigned long long)lines[i].tx_bytes,
		       (unsigned long long)lines[i].rx_packets, (unsigned long long)lines[i].rx_bytes);
	return 0;
}
