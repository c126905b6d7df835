/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What went through sockets: told in sums, added by key and round; what interfaces counted beyond; printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "model/net.h"
#include "render/rows/net.h"

/* A socket of process pid that has sent n packets of 128 bytes, 100 without headers. */
static struct net_flow flow(uint64_t cookie, uint32_t pid, uint64_t n)
{
	struct net_flow f = { .cookie = cookie, .first_ns = 1, .family = AF_INET, .protocol = 17, .port = 5, .peer_port = 7 };

	f.owner = (struct net_owner){ .id = pid, .tgid = pid, .pid = pid, .is_target = 1, .comm = "name" };
	f.ways[NET_TX] = (struct net_count){ n, 128 * n, 100 * n, 0, 0 };
	return f;
}

static void add(struct net_table *t, const struct net_flow *f, bool is_last)
{
	struct net_sample s = { .flow = f, .owner = &f->owner, .is_last = is_last, .netns = 1, .peer_addr = f->peer_addr };

	memcpy(s.ways, f->ways, sizeof(s.ways));
	memcpy(s.total, f->ways, sizeof(s.total));
	assert_int_equal(net_table_add(t, &s), 0);
}

static void test_rounds(void **state)
{
	struct net_flow a = flow(1, 10, 5), b = flow(2, 10, 1), c = flow(3, 11, 4);
	struct net_table t;

	(void)state;
	assert_int_equal(net_table_init(&t, NET_BY_COMM | NET_BY_PID, true), 0);
	add(&t, &a, false);
	add(&t, &b, true);
	add(&t, &c, false);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.rows.n, 2);
	assert_int_equal(t.rows.data[0].key.pid, 10);
	assert_int_equal(t.rows.data[0].ways[NET_TX].packets, 6);
	assert_int_equal(t.rows.data[0].sockets, 2);
	/* Sums again: what is new, and of one that has ended nothing is kept */
	a.ways[NET_TX].packets = 7;
	add(&t, &a, false);
	add(&t, &c, false);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.rows.n, 1);
	assert_int_equal(t.rows.data[0].ways[NET_TX].packets, 2);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.rows.n, 0);
	add(&t, &b, true); /* the same cookie would be another's */
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.rows.data[0].ways[NET_TX].packets, 1);
	net_table_free(&t);
}

/* Of part: who had it before; the owner's own is in its sample. */
static void add_part(struct net_table *t, const struct net_flow *f, const struct net_owner *o, uint64_t n)
{
	struct net_sample s = { .flow = f, .owner = o, .netns = 1, .peer_addr = f->peer_addr };

	s.ways[NET_TX] = (struct net_count){ n, 128 * n, 100 * n, 0, 0 };
	memcpy(s.total, f->ways, sizeof(s.total));
	assert_int_equal(net_table_add(t, &s), 0);
}

static uint64_t packets_of(const struct net_table *t, uint32_t pid)
{
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.data[i].key.pid == pid)
			return t->rows.data[i].ways[NET_TX].packets;
	return 0;
}

static void test_owners(void **state)
{
	struct net_flow a = flow(1, 10, 10), b = flow(1, 11, 10);
	struct net_table t;

	(void)state;
	assert_int_equal(net_table_init(&t, NET_BY_PID, true), 0);
	add(&t, &a, false);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(packets_of(&t, 10), 10);
	/* It becomes another's, who takes what came last: that was told already */
	add(&t, &b, false);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(packets_of(&t, 11), 0);
	/* 7 more by the second, 3 more by the first, by parts */
	a.ways[NET_TX] = (struct net_count){ 20, 20 * 128, 2000, 0, 0 };
	b.ways[NET_TX] = a.ways[NET_TX];
	add_part(&t, &b, &a.owner, 13);
	add_part(&t, &b, &b.owner, 17);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(packets_of(&t, 10), 3);
	assert_int_equal(packets_of(&t, 11), 7);
	net_table_free(&t);
}

static void test_many(void **state)
{
	struct net_table t;

	(void)state;
	assert_int_equal(net_table_init(&t, NET_BY_PID, true), 0);
	for (uint64_t i = 1; i <= 200000; i++) {
		struct net_flow f = flow(i, 1 + i % 1000, 1);

		add(&t, &f, true);
	}
	assert_int_equal(net_table_round(&t, NET_BY_PACKETS), 0);
	assert_int_equal(t.rows.n, 1000);
	assert_int_equal(t.rows.data[999].ways[NET_TX].packets, 200);
	assert_true(t.told_places < 4096); /* as much as lives at one time */
	net_table_free(&t);
}

/* Packets of 1 kB and more are one to lo when they are handed on whole. */
static void test_no_socket(void **state)
{
	struct net_device d = { .netns = 1, .iface = "lo", .packets = { 8, 8 }, .bytes = { 1100, 1100 } };
	struct net_flow a = flow(1, 10, 5);
	struct net_table t;

	(void)state;
	assert_int_equal(net_table_init(&t, NET_BY_PID, true), 0);
	add(&t, &a, false);
	assert_int_equal(net_table_add_device(&t, &d), 0);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.rows.n, 2);
	assert_int_equal(t.rows.data[1].key.what, NET_OF_NO_SOCKET);
	assert_int_equal(t.rows.data[1].ways[NET_TX].packets, 3);
	assert_int_equal(t.rows.data[1].ways[NET_TX].ip_bytes, 1100 - 5 * 128);
	assert_int_equal(t.rows.data[1].ways[NET_RX].packets, 8);
	/* 40 more in 4 large ones: the interface counts 4 */
	a.ways[NET_TX].packets += 40;
	a.ways[NET_TX].fewer_packets = 36;
	d.packets[NET_TX] += 4;
	add(&t, &a, false);
	assert_int_equal(net_table_add_device(&t, &d), 0);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.rows.n, 1);
	assert_int_equal(t.beyond[NET_TX], 0);
	/* Two that no interface saw */
	a.ways[NET_TX].packets += 2;
	add(&t, &a, false);
	assert_int_equal(net_table_add_device(&t, &d), 0);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.beyond[NET_TX], 2);
	net_table_free(&t);
}

static void test_drops(void **state)
{
	static const char *const reasons[] = { "A", "B", "C", "D", "E" };
	struct net_flow a = flow(1, 10, 5);
	struct net_table t;

	(void)state;
	assert_int_equal(net_table_init(&t, NET_BY_PID, true), 0);
	add(&t, &a, false);
	for (uint32_t i = 0; i < 5; i++) {
		struct net_dropped d = { .flow = &a, .code = i, .reason = reasons[i], .packets = i + 1 };

		assert_int_equal(net_table_add_dropped(&t, &d, d.reason), 0);
		assert_int_equal(net_table_add_dropped(&t, &d, d.reason), 0); /* sums, told twice */
	}
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	assert_int_equal(t.rows.n, 1);
	assert_int_equal(t.rows.data[0].drops, 15);
	assert_string_equal(t.rows.data[0].reasons[0].reason, "A");
	assert_string_equal(t.rows.data[0].reasons[3].reason, "...");
	assert_int_equal(t.rows.data[0].reasons[3].packets, 9);
	net_table_free(&t);
}

static char *printed(const struct net_table *t, const struct net_view *view)
{
	size_t size;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(render_net(f, t, view), 0);
	fclose(f);
	return text;
}

static void test_print(void **state)
{
	struct net_view view = { .by = NET_BY_COMM | NET_BY_PID | NET_BY_REMOTE, .round_ns = 1000000000 };
	struct net_flow a = flow(1, 10, 5);
	struct net_table t;
	char *text;

	(void)state;
	strcpy(a.owner.comm, "a\033,\"b");
	a.peer_addr[0] = 0x0100007f;
	assert_int_equal(net_table_init(&t, view.by, true), 0);
	add(&t, &a, false);
	assert_int_equal(net_table_round(&t, NET_BY_BYTES), 0);
	text = printed(&t, &view);
	assert_non_null(strstr(text, "a\\x1b,\"b"));
	assert_non_null(strstr(text, "127.0.0.1"));
	free(text);
	view.separator = ",";
	text = printed(&t, &view);
	assert_non_null(strstr(text, "5,500,640,0,0,0,500,0,0,0,0,1,0,\"a\\x1b,\"\"b\",10,127.0.0.1\n"));
	free(text);
	view.json = true;
	text = printed(&t, &view);
	assert_non_null(strstr(text, "\"tx_packets\":5,\"tx_bytes\":500,\"tx_ip_bytes\":640"));
	free(text);
	net_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds), cmocka_unit_test(test_owners), cmocka_unit_test(test_many),  cmocka_unit_test(test_no_socket),
		cmocka_unit_test(test_drops),  cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
