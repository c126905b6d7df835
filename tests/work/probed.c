/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that are called with known arguments; each call is told as an object of JSON, a line each, its function in "fn".
 * probed user: functions of this program, USDT probes too. probed kernel: system calls on files, a socket, a timer.
 * probed load N [THREADS [CHILDREN]]: N calls of hit() and of getppid(2) in each of them. probed wait: "ready", then, once its
 * input ends, as user.
 * Numbers that JSON readers cannot hold are texts in hex.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define TIMES 5
#define THREADS_MAX 64

enum color { RED = 1, GREEN = 20, BLUE = -3 };

struct node {
	int id;
	char name[16];
	struct node *next;
	unsigned low : 3;
	signed mid : 5;
	unsigned high : 24;
	enum color color;
	union {
		unsigned whole;
		unsigned char bytes[4];
	};
	struct {
		short x, y;
	};
	int array[4];
	const char *label;
	bool on;
	double weight;
};

struct pair {
	int a, b;
};

struct wide {
	long a, b;
};

struct big {
	long v[4];
};

static volatile long sink;

/* cppcheck-suppress-begin unusedFunction */
NOINLINE void take_ints(signed char i8, unsigned char u8, short i16, unsigned short u16, int i32, unsigned u32)
{
	sink = i8 + u8 + i16 + u16 + i32 + u32;
}

NOINLINE void take_longs(long i64, unsigned long u64)
{
	sink = i64 + u64;
}

NOINLINE void take_text(const char *s, char c)
{
	sink = s[0] + c;
}

NOINLINE void take_node(struct node *n)
{
	sink = n->id;
}

NOINLINE void take_nodes(struct node **list, int i)
{
	sink = list[i]->id;
}

NOINLINE void take_two(struct pair *p, struct pair *q)
{
	sink = p->a + q->a;
}

NOINLINE void take_eight(int a, int b, int c, int d, int e, int f, int g, long h)
{
	sink = a + b + c + d + e + f + g + h;
}

NOINLINE void take_values(struct pair p, struct wide w, int after)
{
	sink = p.a + p.b + w.a + w.b + after;
}

NOINLINE void take_big(struct big b, int after)
{
	sink = b.v[0] + b.v[3] + after;
}

NOINLINE void take_bool(bool on, enum color color)
{
	sink = on + color;
}

NOINLINE void take_real(double d, int n, float f)
{
	sink = (long)d + n + (long)f;
}

NOINLINE void take_pid(int pid, int comm)
{
	sink = pid + comm;
}

NOINLINE int give_int(int n)
{
	return -n;
}

NOINLINE unsigned long give_long(unsigned n)
{
	return 0x8000000000000000ul + n;
}

NOINLINE const char *give_text(int n)
{
	static const char *const texts[] = { "zero", "one", "two", "three", "four" };

	return n < 0 ? NULL : texts[n % 5];
}

NOINLINE struct node *give_node(struct node *n)
{
	return n->next;
}

NOINLINE bool give_bool(int n)
{
	return n & 1;
}

NOINLINE double give_real(int n)
{
	return n / 2.0;
}

NOINLINE void give_nothing(int n)
{
	sink = n;
}

NOINLINE long deep(int k)
{
	long below = k ? deep(k - 1) : 0;

	sink = below;
	return below + k;
}

NOINLINE void slow(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&t, NULL);
}

NOINLINE void many(int thread, int i)
{
	sink = thread + i;
}

NOINLINE void hit(long i)
{
	sink = i;
}
/* cppcheck-suppress-end unusedFunction */

static inline __attribute__((always_inline)) void only_inlined(int n)
{
	sink = n * 3;
}

/* As <sys/sdt.h> would leave it; the operands are those of the asm statement around. */
#define NOTE(SEM, NAME, ARGS)                                                                      \
	"990: nop\n.pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f,994f-993f,3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, _.stapsdt.base, " SEM "\n"           \
	".asciz \"probed\"\n.asciz \"" NAME "\"\n.asciz \"" ARGS "\"\n994: .balign 4\n.popsection\n"     \
	".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"  \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection\n.endif\n"
#ifdef __x86_64__
#define WORD "%k"
#define CONST "$"
#else
#define WORD "%w"
#define CONST ""
#endif

volatile unsigned short guarded_semaphore __asm__("guarded_semaphore") __attribute__((section(".probes")));

static NOINLINE void plain_probe(int n, const char *s)
{
	short on_stack = n * 100;

	__asm__ volatile(NOTE("0", "plain", "-4@" WORD "0 8@%1 -2@%2 4@" CONST "77") : : "r"(n), "r"(s), "m"(on_stack));
}

static NOINLINE int guarded_probe(long n)
{
	int on = guarded_semaphore;

	if (on)
		__asm__ volatile(NOTE("guarded_semaphore", "guarded", "-8@%0") : : "r"(n));
	return on;
}

static struct node nodes[TIMES];

static void make_nodes(void)
{
	static const char *const labels[] = { "zero", "one", "two", "three", "four" };

	for (int i = 0; i < TIMES; i++) {
		struct node *n = &nodes[i];

		*n = (struct node){ .id = 100 + i, .next = &nodes[(i + 1) % TIMES], .low = i, .mid = -i, .high = 0x100000 + i, .color = i & 1 ? GREEN : BLUE,
				    .whole = 0x04030201u + i, .x = -i, .y = 1000 + i, .array = { i, i * 10, i * 100, -i }, .label = labels[i],
				    .on = i & 1, .weight = 0.5 };
		snprintf(n->name, sizeof(n->name), "node-%d", i);
	}
}

static const char *color_name(enum color c)
{
	return c == RED ? "RED" : c == GREEN ? "GREEN" : "BLUE";
}

static void call_numbers(int i)
{
	signed char i8 = -100 + i;
	unsigned char u8 = 200 + i;
	short i16 = -30000 - i;
	unsigned short u16 = 60000 + i;
	int i32 = -2000000000 + i;
	unsigned u32 = 4000000000u + i;
	long i64 = -(1l << 40) * (i + 1);
	unsigned long u64 = 0xfedcba9876543210ul + i;

	take_ints(i8, u8, i16, u16, i32, u32);
	printf("{\"fn\":\"take_ints\",\"i8\":%d,\"u8\":%d,\"i16\":%d,\"u16\":%d,\"i32\":%d,\"u32\":%u}\n", i8, u8, i16, u16, i32, u32);
	take_longs(i64, u64);
	printf("{\"fn\":\"take_longs\",\"i64\":%ld,\"u64\":\"0x%lx\"}\n", i64, u64);
	take_eight(i, -i, i * 2, i * 3, i * 4, i * 5, -600 - i, 700l + i);
	printf("{\"fn\":\"take_eight\",\"a\":%d,\"b\":%d,\"c\":%d,\"d\":%d,\"e\":%d,\"f\":%d,\"g\":%d,\"h\":%d}\n", i, -i, i * 2, i * 3, i * 4, i * 5,
	       -600 - i, 700 + i);
	take_real(i + 0.5, 30 + i, i * 2.5f);
	printf("{\"fn\":\"take_real\",\"n\":%d}\n", 30 + i);
	take_pid(-i, 5 + i);
	printf("{\"fn\":\"take_pid\",\"pid\":%d,\"comm\":%d}\n", -i, 5 + i);
	take_bool(i & 1, i == 2 ? RED : i & 1 ? GREEN : BLUE);
	printf("{\"fn\":\"take_bool\",\"on\":%s,\"color\":\"%s\"}\n", i & 1 ? "true" : "false", color_name(i == 2 ? RED : i & 1 ? GREEN : BLUE));
}

static void call_structs(int i)
{
	static const char *const texts[] = { "apple pie", "apple", "", "banana split", "a\tb\"c\\d" }, *const escaped[] = { "apple pie", "apple", "", "banana split", "a\\tb\\\"c\\\\d" };
	struct node *list[] = { &nodes[i], nodes[i].next }, *n = &nodes[i];
	struct pair p = { i, -i * 7 }, q = { 50 + i, 60 + i };
	struct wide w = { 1l << 33, -i };
	struct big b = { { i, 10 + i, 20 + i, -30 - i } };

	take_text(texts[i], 'a' + i);
	printf("{\"fn\":\"take_text\",\"s\":\"%s\",\"c\":\"%c\"}\n", escaped[i], 'a' + i);
	take_node(n);
	printf("{\"fn\":\"take_node\",\"n\":\"%p\",\"id\":%d,\"name\":\"%s\",\"next\":{\"id\":%d,\"name\":\"%s\",\"next\":{\"id\":%d}},\"low\":%d,\"mid\":%d,"
	       "\"high\":%d,\"color\":\"%s\",\"whole\":%u,\"bytes\":[%d,%d,%d,%d],\"x\":%d,\"y\":%d,\"array\":[%d,%d,%d,%d],\"label\":\"%s\",\"on\":%s}\n",
	       (void *)n, n->id, n->name, n->next->id, n->next->name, n->next->next->id, n->low, n->mid, n->high, color_name(n->color), n->whole,
	       n->bytes[0], n->bytes[1], n->bytes[2], n->bytes[3], n->x, n->y, n->array[0], n->array[1], n->array[2], n->array[3], n->label,
	       n->on ? "true" : "false");
	take_nodes(list, i & 1);
	printf("{\"fn\":\"take_nodes\",\"i\":%d,\"first\":%d,\"second\":%d,\"picked\":\"%s\"}\n", i & 1, list[0]->id, list[1]->id, list[i & 1]->name);
	take_two(&p, &q);
	printf("{\"fn\":\"take_two\",\"pa\":%d,\"qa\":%d}\n", p.a, q.a);
	take_values(p, w, 900 + i);
	printf("{\"fn\":\"take_values\",\"pa\":%d,\"pb\":%d,\"wa\":%ld,\"wb\":%ld,\"after\":%d}\n", p.a, p.b, w.a, w.b, 900 + i);
	take_big(b, 800 + i);
	printf("{\"fn\":\"take_big\",\"v\":[%ld,%ld,%ld,%ld],\"after\":%d}\n", b.v[0], b.v[1], b.v[2], b.v[3], 800 + i);
}

static void call_returns(int i)
{
	const char *text;
	struct node *node;

	printf("{\"fn\":\"give_int\",\"n\":%d,\"ret\":%d}\n", i * 7, give_int(i * 7));
	printf("{\"fn\":\"give_long\",\"n\":%u,\"ret\":\"0x%lx\"}\n", 40u + i, give_long(40 + i));
	text = give_text(i == 3 ? -1 : i);
	printf("{\"fn\":\"give_text\",\"n\":%d,\"ret\":%s%s%s}\n", i == 3 ? -1 : i, text ? "\"" : "", text ? text : "null", text ? "\"" : "");
	node = give_node(&nodes[i]);
	printf("{\"fn\":\"give_node\",\"id\":%d,\"ret\":%d,\"name\":\"%s\"}\n", nodes[i].id, node->id, node->name);
	printf("{\"fn\":\"give_bool\",\"n\":%d,\"ret\":%s}\n", i, give_bool(i) ? "true" : "false");
	give_real(i);
	give_nothing(i + 3);
	printf("{\"fn\":\"give_nothing\",\"n\":%d}\n", i + 3);
	only_inlined(i);
	slow(i * 1000);
	printf("{\"fn\":\"slow\",\"us\":%d}\n", i * 1000);
}

static void call_probes(int i)
{
	char text[32];
	int on;

	snprintf(text, sizeof(text), "request %d", i);
	plain_probe(i - 2, text);
	printf("{\"fn\":\"plain\",\"n\":%d,\"s\":\"%s\",\"stack\":%d,\"seven\":77}\n", i - 2, text, (i - 2) * 100);
	on = guarded_probe(-5 - i);
	if (on)
		printf("{\"fn\":\"guarded\",\"n\":%d}\n", -5 - i);
	printf("{\"fn\":\"semaphore\",\"on\":%d}\n", on);
}

static void *call_many(void *arg)
{
	for (int i = 0; i < 100; i++)
		many((int)(long)arg, i);
	return NULL;
}

static int user(void)
{
	pthread_t t[4];
	long sum = deep(6), k_sum = 0;

	for (int i = 0; i < TIMES; i++) {
		call_numbers(i);
		call_structs(i);
		call_returns(i);
		call_probes(i);
	}
	for (int k = 0; k <= 6; k++) {
		k_sum += k;
		printf("{\"fn\":\"deep\",\"k\":%d,\"ret\":%ld}\n", k, k_sum);
	}
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, call_many, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 400; i++)
		printf("{\"fn\":\"many\",\"thread\":%d,\"i\":%d}\n", i / 100, i % 100);
	printf("{\"fn\":\"process\",\"pid\":%d,\"uid\":%d}\n", getpid(), getuid());
	return sum != 21;
}

/* Texts that the kernel is given are touched first: a probe reads no page that is not there. */
static void files(void)
{
	static const int flags[] = { O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND };
	char name[32], buf[8192];

	memset(buf, 'x', sizeof(buf));
	for (int i = 0; i < 3; i++) {
		int fd, more = 1000 + i * 111;

		snprintf(name, sizeof(name), "probed.file%d", i);
		fd = syscall(SYS_openat, AT_FDCWD, name, flags[i], 0600);
		printf("{\"fn\":\"open\",\"name\":\"%s\",\"flags\":%d,\"mode\":%d,\"failed\":%s}\n", name, flags[i], 0600, fd < 0 ? "true" : "false");
		for (int k = 1; k < 3; k++) {
			printf("{\"fn\":\"write\",\"name\":\"%s\",\"count\":%d,\"ret\":%zd,\"before\":%d}\n", name, more * k, write(fd, buf, more * k),
			       k == 1 ? 0 : more);
		}
		if (i < 2 && !lseek(fd, 0, SEEK_SET)) {
			printf("{\"fn\":\"read\",\"name\":\"%s\",\"count\":8000,\"ret\":%zd}\n", name, read(fd, buf, 8000));
			printf("{\"fn\":\"read\",\"name\":\"%s\",\"count\":10,\"ret\":%zd}\n", name, read(fd, buf, 10));
		}
		close(fd);
		unlink(name);
	}
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "probed.none%d", i);
		printf("{\"fn\":\"open\",\"name\":\"%s\",\"flags\":0,\"mode\":0,\"failed\":%s}\n", name,
		       syscall(SYS_openat, AT_FDCWD, name, O_RDONLY) < 0 ? "true" : "false");
	}
}

static void sockets(void)
{
	static char buf[32768];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(to);
	int pipes[2], listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), server;

	memset(buf, 'y', sizeof(buf));
	if (!pipe(pipes)) {
		printf("{\"fn\":\"pipe\",\"count\":3333,\"ret\":%zd}\n", write(pipes[1], buf, 3333));
		printf("{\"fn\":\"pipe_read\",\"count\":4444,\"ret\":%zd}\n", read(pipes[0], buf, 4444));
	}
	if (bind(listener, (struct sockaddr *)&to, sizeof(to)) || listen(listener, 4) || getsockname(listener, (struct sockaddr *)&to, &size) ||
	    connect(client, (struct sockaddr *)&to, sizeof(to)))
		return;
	server = accept(listener, NULL, NULL);
	for (int i = 0; i < 4; i++) {
		int bytes = 100 + i * 5000;
		ssize_t ret = send(client, buf, bytes, 0);

		printf("{\"fn\":\"send\",\"port\":%d,\"size\":%d,\"ret\":%zd}\n", ntohs(to.sin_port), bytes, ret);
		while (ret > 0)
			ret -= recv(server, buf, sizeof(buf), 0);
	}
}

static int kernel(void)
{
	struct timespec t = { 0, 0 };

	files();
	sockets();
	for (int i = 0; i < 3; i++) {
		t.tv_nsec = 1234567 + i;
		syscall(SYS_nanosleep, &t, NULL);
		printf("{\"fn\":\"sleep\",\"ns\":%ld}\n", t.tv_nsec);
		kill(getpid(), 0);
		printf("{\"fn\":\"kill\",\"pid\":%d,\"sig\":0}\n", getpid());
	}
	for (int i = 0; i < 12; i++)
		syscall(SYS_getppid);
	printf("{\"fn\":\"getppid\",\"n\":12}\n{\"fn\":\"process\",\"pid\":%d,\"uid\":%d}\n", getpid(), getuid());
	return 0;
}

static long load_calls;

static void *call_load(void *arg)
{
	for (long i = 0; i < load_calls; i++) {
		hit(i);
		if (!arg)
			syscall(SYS_getppid);
	}
	return NULL;
}

static int load(int argc, char **argv)
{
	long threads = argc > 3 ? atol(argv[3]) : 0, children = argc > 4 ? atol(argv[4]) : 0;
	void *only_user = argc > 5 ? argv : NULL;
	pthread_t t[THREADS_MAX];

	load_calls = argc > 2 ? atol(argv[2]) : 1000;
	if (threads > THREADS_MAX)
		return 2;
	call_load(only_user);
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, call_load, only_user);
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	for (long i = 0; i < children; i++) {
		pid_t pid = fork();

		if (!pid) {
			call_load(only_user);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	printf("{\"fn\":\"hit\",\"n\":%ld}\n", load_calls * (1 + threads + children));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "user";
	char c;

	make_nodes();
	if (!strcmp(what, "wait")) {
		if (write(1, "{\"fn\":\"ready\"}\n", 15) == 15)
			while (read(0, &c, 1) > 0)
				;
		return user();
	}
	return !strcmp(what, "kernel") ? kernel() : !strcmp(what, "load") ? load(argc, argv) : user();
}
