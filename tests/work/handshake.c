/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections from a network device of its own. Two CPUs hand over what ends the handshake and the first bytes at once, so that either may
 * make the connection. Prints how many packets came in by the device.
 * usage: handshake CONNECTIONS. Makes the interface handshake0 in the network namespace that it runs in. 77: no such device here
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "work.h"

#define SERVER 0x0a4f0001 /* 10.79.0.1 */
#define PORT 7000
#define BYTES 10
#define AGAIN_MS 100

struct packet {
	struct iphdr ip;
	struct tcphdr tcp;
	char data[BYTES];
} __attribute__((packed));

static int device, connections;
static long handed;
static struct packet ack, data;
static volatile int round_nr, done_nr; /* of the two threads */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint16_t checksum(const void *p, size_t n, uint32_t sum)
{
	uint16_t word;

	for (size_t i = 0; i < n; i += 2) {
		memcpy(&word, (const char *)p + i, 2);
		sum += word;
	}
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static struct packet packet(int port, uint32_t seq, uint32_t ack_seq, size_t bytes)
{
	struct packet p = { .ip = { .version = 4, .ihl = 5, .tot_len = htons(sizeof(p) - BYTES + bytes), .ttl = 64, .protocol = IPPROTO_TCP,
				    .saddr = htonl(SERVER + 1), .daddr = htonl(SERVER) },
			    .tcp = { .source = htons(port), .dest = htons(PORT), .seq = htonl(seq), .ack_seq = htonl(ack_seq), .doff = 5,
				     .window = htons(16384), .syn = !ack_seq, .ack = !!ack_seq } };

	p.ip.check = checksum(&p.ip, sizeof(p.ip), 0);
	p.tcp.check = checksum((char *)&p + offsetof(struct iphdr, saddr), 8 + sizeof(p.tcp) + bytes, htons(IPPROTO_TCP) + htons(sizeof(p.tcp) + bytes));
	return p;
}

static void hand_over(const struct packet *p)
{
	if (write(device, p, ntohs(p->ip.tot_len)) < 0)
		die("write");
	__sync_fetch_and_add(&handed, 1);
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void a_moment(unsigned int *state)
{
	for (volatile int i = rand_r(state) % 300; i > 0; i--)
		;
}

static void *hand_over_data(void *unused)
{
	unsigned int state = 1;

	(void)unused;
	on_cpu(1);
	for (int i = 1; i <= connections; i++) {
		while (round_nr < i)
			;
		a_moment(&state);
		hand_over(&data);
		done_nr = i;
	}
	return NULL;
}

/* The number that the server's answer to a SYN acknowledges next. */
static uint32_t answer_to(int port)
{
	struct packet syn = packet(port, 1000, 0, 0), p;

	for (;;) {
		struct pollfd can = { .fd = device, .events = POLLIN };

		hand_over(&syn);
		while (poll(&can, 1, AGAIN_MS) > 0)
			if (read(device, &p, sizeof(p)) >= 40 && p.ip.protocol == IPPROTO_TCP && p.tcp.dest == htons(port) && p.tcp.syn)
				return ntohl(p.tcp.seq) + 1;
	}
}

static void connect_once(int listener, int nr)
{
	struct linger at_once = { .l_onoff = 1 };
	static unsigned int state = 2;
	int port = 10000 + nr, s;
	struct pollfd can;
	char bytes[BYTES];
	uint32_t next = answer_to(port);

	ack = packet(port, 1001, next, 0);
	data = packet(port, 1001, next, BYTES);
	__sync_synchronize();
	round_nr = nr;
	a_moment(&state);
	hand_over(&ack);
	while (done_nr < nr)
		;
	s = accept(listener, NULL, NULL);
	can = (struct pollfd){ .fd = s, .events = POLLIN };
	while (poll(&can, 1, AGAIN_MS) == 0) /* the data may be dropped where both come at once */
		hand_over(&data);
	if (s < 0 || read(s, bytes, BYTES) != BYTES)
		die("read");
	setsockopt(s, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(s);
}

int main(int argc, char **argv)
{
	struct ifreq name = { .ifr_name = "handshake0", .ifr_flags = IFF_TUN | IFF_NO_PI };
	struct sockaddr_in server = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(SERVER), .sin_port = htons(PORT) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	pthread_t other;

	connections = atoi(argv[argc - 1]);
	device = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (device < 0 || ioctl(device, TUNSETIFF, &name) < 0)
		return 77;
	if (system("ip addr add 10.79.0.1/24 dev handshake0 && ip link set handshake0 up"))
		return 1;
	if (bind(listener, (void *)&server, sizeof(server)) < 0 || listen(listener, 128) < 0)
		die("listen");
	pthread_create(&other, NULL, hand_over_data, NULL);
	on_cpu(0);
	for (int i = 1; i <= connections; i++)
		connect_once(listener, i);
	pthread_join(other, NULL);
	printf("%ld\n", handed);
	return 0;
}
