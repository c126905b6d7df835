/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What went through sockets: sums since the run began, taken apart by owner, key and round; what interfaces counted beyond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "capture/source/netrows.h"
#include "model/table.h"

/* Rows by key, of rounds. */
struct net {
	struct sink sink; /* first */
	struct net_rows rows;
	struct table table;
};

#define BY_PID (1ull << NET_COL_PID)
#define BY_COMM (1ull << NET_COL_COMM)

static int take(struct sink *sink, const struct row *row)
{
	return table_add(&((struct net *)sink)->table, row);
}

static void begin(struct net *n, uint64_t keys, bool is_whole)
{
	n->sink = (struct sink){ .row = take };
	assert_int_equal(net_rows_init(&n->rows, net_keys(keys), is_whole), 0);
	assert_int_equal(table_init(&n->table, &net_schema, net_keys(keys)), 0);
	n->rows.sink = &n->sink;
}

static void end_round(struct net *n, int sort)
{
	assert_int_equal(net_rows_end(&n->rows), 0);
	assert_int_equal(table_round(&n->table, sort), 0);
}

static void end(struct net *n)
{
	net_rows_free(&n->rows);
	table_free(&n->table);
}

static size_t nr_rows(const struct net *n)
{
	return n->table.sorted.n;
}

static uint64_t of_row(const struct net *n, size_t row, int column)
{
	assert_true(row < nr_rows(n));
	return n->table.sorted.data[row].values[column].num;
}

/* A socket of process pid that has sent n packets of 128 bytes, 100 without headers. */
static struct net_flow flow(uint64_t cookie, uint32_t pid, uint64_t n)
{
	struct net_flow f = { .cookie = cookie, .first_ns = 1, .family = AF_INET, .protocol = 17, .port = 5, .peer_port = 7 };

	f.owner = (struct net_owner){ .id = pid, .tgid = pid, .pid = pid, .is_target = 1, .comm = "name" };
	f.ways[NET_TX] = (struct net_count){ n, 128 * n, 100 * n, 0, 0 };
	return f;
}

static void add(struct net *t, const struct net_flow *f, bool is_last)
{
	struct net_sample s = { .flow = f, .owner = &f->owner, .is_last = is_last, .netns = 1, .peer_addr = f->peer_addr };

	memcpy(s.ways, f->ways, sizeof(s.ways));
	memcpy(s.total, f->ways, sizeof(s.total));
	assert_int_equal(net_rows_add(&t->rows, &s), 0);
}

static void test_rounds(void **state)
{
	struct net_flow a = flow(1, 10, 5), b = flow(2, 10, 1), c = flow(3, 11, 4);
	struct net t;

	(void)state;
	begin(&t, BY_COMM | BY_PID, true);
	add(&t, &a, false);
	add(&t, &b, true);
	add(&t, &c, false);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(nr_rows(&t), 2);
	assert_int_equal(of_row(&t, 0, NET_COL_PID), 10);
	assert_int_equal(of_row(&t, 0, NET_COL_TX_PACKETS), 6);
	assert_int_equal(of_row(&t, 0, NET_COL_SOCKETS), 2);
	/* Sums again: what is new, and of one that has ended nothing is kept */
	a.ways[NET_TX].packets = 7;
	add(&t, &a, false);
	add(&t, &c, false);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(nr_rows(&t), 1);
	assert_int_equal(of_row(&t, 0, NET_COL_TX_PACKETS), 2);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(nr_rows(&t), 0);
	add(&t, &b, true); /* the same cookie would be another's */
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(of_row(&t, 0, NET_COL_TX_PACKETS), 1);
	end(&t);
}

/* Of part: who had it before; the owner's own is in its sample. */
static void add_part(struct net *t, const struct net_flow *f, const struct net_owner *o, uint64_t n)
{
	struct net_sample s = { .flow = f, .owner = o, .netns = 1, .peer_addr = f->peer_addr };

	s.ways[NET_TX] = (struct net_count){ n, 128 * n, 100 * n, 0, 0 };
	memcpy(s.total, f->ways, sizeof(s.total));
	assert_int_equal(net_rows_add(&t->rows, &s), 0);
}

static uint64_t packets_of(const struct net *t, uint32_t pid)
{
	for (size_t i = 0; i < nr_rows(t); i++)
		if (of_row(t, i, NET_COL_PID) == pid)
			return of_row(t, i, NET_COL_TX_PACKETS);
	return 0;
}

static void test_owners(void **state)
{
	struct net_flow a = flow(1, 10, 10), b = flow(1, 11, 10);
	struct net t;

	(void)state;
	begin(&t, BY_PID, true);
	add(&t, &a, false);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(packets_of(&t, 10), 10);
	/* It becomes another's, who takes what came last: that was told already */
	add(&t, &b, false);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(packets_of(&t, 11), 0);
	/* 7 more by the second, 3 more by the first, by parts */
	a.ways[NET_TX] = (struct net_count){ 20, 20 * 128, 2000, 0, 0 };
	b.ways[NET_TX] = a.ways[NET_TX];
	add_part(&t, &b, &a.owner, 13);
	add_part(&t, &b, &b.owner, 17);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(packets_of(&t, 10), 3);
	assert_int_equal(packets_of(&t, 11), 7);
	end(&t);
}

static void test_many(void **state)
{
	struct net t;

	(void)state;
	begin(&t, BY_PID, true);
	for (uint64_t i = 1; i <= 200000; i++) {
		struct net_flow f = flow(i, 1 + i % 1000, 1);

		add(&t, &f, true);
	}
	end_round(&t, NET_COL_PACKETS);
	assert_int_equal(nr_rows(&t), 1000);
	assert_int_equal(of_row(&t, 999, NET_COL_TX_PACKETS), 200);
	assert_true(t.rows.known.cap < 4096 && t.rows.known_index.nr_slots < 4096); /* as much as lives at one time */
	end(&t);
}

/* Packets of 1 kB and more are one to lo when they are handed on whole. */
static void test_no_socket(void **state)
{
	struct net_device d = { .netns = 1, .iface = "lo", .packets = { 8, 8 }, .bytes = { 1100, 1100 } };
	struct net_flow a = flow(1, 10, 5);
	struct net t;

	(void)state;
	begin(&t, BY_PID, true);
	add(&t, &a, false);
	assert_int_equal(net_rows_add_device(&t.rows, &d), 0);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(nr_rows(&t), 2);
	assert_string_equal(t.table.sorted.data[1].label, "(no socket)");
	assert_int_equal(of_row(&t, 1, NET_COL_TX_PACKETS), 3);
	assert_int_equal(of_row(&t, 1, NET_COL_TX_IP_BYTES), 1100 - 5 * 128);
	assert_int_equal(of_row(&t, 1, NET_COL_RX_PACKETS), 8);
	/* 40 more in 4 large ones: the interface counts 4 */
	a.ways[NET_TX].packets += 40;
	a.ways[NET_TX].fewer_packets = 36;
	d.packets[NET_TX] += 4;
	add(&t, &a, false);
	assert_int_equal(net_rows_add_device(&t.rows, &d), 0);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(nr_rows(&t), 1);
	assert_int_equal(t.rows.beyond, 0);
	/* Two that no interface saw */
	a.ways[NET_TX].packets += 2;
	add(&t, &a, false);
	assert_int_equal(net_rows_add_device(&t.rows, &d), 0);
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(t.rows.beyond, 2);
	end(&t);
}

static void test_drops(void **state)
{
	static const char *const reasons[] = { "A", "B", "C", "D", "E" };
	struct net_flow a = flow(1, 10, 5);
	struct net t;

	(void)state;
	begin(&t, BY_PID, true);
	add(&t, &a, false);
	for (uint32_t i = 0; i < 5; i++) {
		struct net_dropped d = { .flow = &a, .code = i, .reason = reasons[i], .packets = i + 1 };

		assert_int_equal(net_rows_add_dropped(&t.rows, &d), 0);
		assert_int_equal(net_rows_add_dropped(&t.rows, &d), 0); /* the same sums again */
	}
	end_round(&t, NET_COL_BYTES);
	assert_int_equal(nr_rows(&t), 1);
	assert_int_equal(of_row(&t, 0, NET_COL_DROPS), 15);
	assert_string_equal(t.table.sorted.data[0].values[NET_COL_REASONS].reasons[0].name, "A");
	assert_string_equal(t.table.sorted.data[0].values[NET_COL_REASONS].reasons[3].name, "...");
	assert_int_equal(t.table.sorted.data[0].values[NET_COL_REASONS].reasons[3].n, 9);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds), cmocka_unit_test(test_owners), cmocka_unit_test(test_many),  cmocka_unit_test(test_no_socket),
		cmocka_unit_test(test_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
