/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fleet STORE URL HOSTS MINUTES: profiles of a store as those of HOSTS machines, one a minute, sent to a server as skep agent --push sends them, by two
 * threads. Each machine has them in an order of its own. Prints profiles, seconds, bytes of the profiles, and when the first minute begins.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/store.h"
#include "push/batch.h"
#include "push/clickhouse.h"
#include "push/client.h"
#include "util/clock.h"
#include "util/file.h"

#define THREADS 2
#define BYTES_MAX (64u << 20)
#define MINUTE_S 60
#define STEP 7 /* a prime: neighbours begin with other profiles */

static struct store store;
static struct segments segments;
static atomic_uint next;
static unsigned int hosts, minutes;
static atomic_ullong sent_bytes;
static const char *url;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static void send_one(struct clickhouse *ch, unsigned int host, const struct segment *seg)
{
	int fd = openat(store.dir, seg->name, O_RDONLY);
	struct err err = { 0 };
	char name[32], *bytes;
	const struct batch_from from = { name, store.id };
	size_t n;

	if (fd < 0 || file_read_fd(fd, 1 << 16, BYTES_MAX, &bytes, &n))
		die(seg->name, strerror(errno));
	close(fd);
	snprintf(name, sizeof(name), "host-%04u", host);
	atomic_fetch_add(&sent_bytes, n);
	for (int ret = -EAGAIN; ret == -EAGAIN;) {
		char *copy = malloc(n);

		memcpy(copy, bytes, n);
		ret = clickhouse_send(ch, seg, copy, n, &from, false, &err);
		if (ret && ret != -EAGAIN)
			die(name, err.text);
	}
	free(bytes);
}

/* A machine's own client knows what it has sent: each host begins with nothing. */
static void *work(void *arg)
{
	struct err err = { 0 };

	for (unsigned int host; (host = atomic_fetch_add(&next, 1)) < hosts;) {
		struct clickhouse *ch;

		if (clickhouse_new(url, NULL, NULL, &ch, &err))
			die(url, err.text);
		for (unsigned int i = 0; i < minutes; i++) {
			struct segment seg = segments.all.data[(host * STEP + i) % segments.all.n];

			seg.start_s = segments.all.data[0].start_s / MINUTE_S * MINUTE_S + i * MINUTE_S;
			seg.end_s = seg.start_s + MINUTE_S;
			send_one(ch, host, &seg);
		}
		clickhouse_free(ch);
	}
	return arg;
}

int main(int argc, char **argv)
{
	const struct store_span whole = { 0 };
	struct err err = { 0 };
	pthread_t threads[THREADS];
	uint64_t start;

	if (argc != 5)
		die("fleet", "STORE URL HOSTS MINUTES");
	url = argv[2];
	hosts = (unsigned int)atoi(argv[3]);
	minutes = (unsigned int)atoi(argv[4]);
	if (client_library(&err) || store_open(&store, argv[1], false, &err))
		die(argv[1], err.text);
	if (store_list(&store, &whole, &segments) || !segments.all.n)
		die(argv[1], "has no profiles");
	start = now_ns();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u %.2f %llu %llu\n", hosts * minutes, (double)(now_ns() - start) / 1e9, (unsigned long long)sent_bytes,
	       (unsigned long long)segments.all.data[0].start_s / MINUTE_S * MINUTE_S);
	return 0;
}
