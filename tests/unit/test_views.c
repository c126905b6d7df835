/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What counts, sums, hits, sockets and lists look like in each format, against tests/golden: from rows that are made here, without a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "capture/byrows.h"
#include "capture/source/netrows.h"
#include "capture/source/sched.h"
#include "golden.h"
#include "model/counts.h"
#include "model/hit.h"
#include "model/table.h"
#include "render/events/hit.h"
#include "render/rows/doctor.h"
#include "render/rows/list.h"
#include "render/rows/rows.h"
#include "render/rows/stat.h"

#define START_NS 5000000000ull
#define MS 1000000ull
#define HOSTILE "n\033\"\xff,;\\"

/* What has printers of its own has these, rows have all of formats.def. */
enum form { TEXT, CSV, JSON, FORMS };
static const char *const formats[] = {
#define FORMAT(name, format) #name,
#include "render/rows/formats.def"
#undef FORMAT
};
static const char all_formats[] =
#define FORMAT(name, format) "|" #name
#include "render/rows/formats.def"
#undef FORMAT
	;
#define ROW_FORMS (sizeof(formats) / sizeof(formats[0]))

/* What is being rendered, and the file that it is compared with. */
struct page {
	FILE *out;
	char *text;
	size_t size;
	char name[64];
};

static void page_begin(struct page *page, const char *name, enum form form)
{
	snprintf(page->name, sizeof(page->name), "%s.%s", name, form == TEXT ? "txt" : formats[form]);
	page->out = open_memstream(&page->text, &page->size);
	assert_non_null(page->out);
}

static void page_end(struct page *page)
{
	assert_int_equal(fclose(page->out), 0);
	golden(page->name, page->text);
	free(page->text);
}

static const char *cgroup_path(void *arg, uint64_t id)
{
	(void)arg;
	return id == 77 ? "/system.slice/a\tb.service" : NULL;
}

static const struct rows_format *format_of(enum form form)
{
	return rows_format(formats[form]);
}

/* Counters: one that is scaled up, one that never ran, a PMU's with a unit and commas in its name. */

static struct event counters[4];
static const char *const not_missing[4], *const missing[4] = { [3] = "<not supported>" };

static void counters_init(void)
{
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		counters[i] = (struct event){ .scale = 0 };
	snprintf(counters[0].name, sizeof(counters[0].name), "task-clock");
	counters[0].type = 1;
	counters[0].config = 1;
	snprintf(counters[1].name, sizeof(counters[1].name), "page-faults");
	counters[1].type = 1;
	counters[1].config = 2;
	snprintf(counters[2].name, sizeof(counters[2].name), "msr/tsc,name=\"x\"/");
	counters[2].type = 10;
	counters[2].scale = 0.25;
	snprintf(counters[2].pmu_unit, sizeof(counters[2].pmu_unit), "Joules");
	snprintf(counters[3].name, sizeof(counters[3].name), "cycles");
}

static void read_counter(struct counts *c, uint16_t event, uint32_t cpu, uint32_t tid, const char *comm, uint64_t value, uint64_t running_ms)
{
	struct reading r = { .event = event, .cpu = cpu, .tid = tid, .comm = comm, .value = value, .enabled_ns = 200 * MS,
			     .running_ns = running_ms * MS };

	assert_int_equal(counts_add(c, &r), 0);
}

static void show_counts(const char *name, enum count_by by, int rounds, int runs, bool metric_only)
{
	static const char *const comms[] = { "bash", HOSTILE };

	for (enum form form = 0; form < FORMS; form++) {
		struct stat_cfg cfg = { .separator = form == CSV ? "," : NULL, .json = form == JSON, .runs = runs, .intervals = rounds > 1,
					.missing = runs > 1 ? not_missing : missing, .title = "'make -j " HOSTILE "'", .metric_only = metric_only };
		struct counts c;
		struct page page;

		counters_init();
		page_begin(&page, name, form);
		assert_int_equal(counts_init(&c, counters, 4, by), 0);
		if (runs < 2)
			render_stat_head(page.out, &c, &cfg);
		for (int n = 1; n <= rounds * runs; n++) {
			if (runs > 1)
				counts_run(&c);
			else
				counts_round(&c);
			for (uint32_t k = 0; k < 2; k++) {
				uint32_t cpu = by == COUNT_BY_CPU ? k : UINT32_MAX, tid = by == COUNT_BY_THREAD ? 100 + k : 0;

				read_counter(&c, 0, cpu, tid, tid ? comms[k] : NULL, n * (123456789 + 1000000 * k), 200);
				read_counter(&c, 1, cpu, tid, tid ? comms[k] : NULL, n * (1000 + k), 100);
				read_counter(&c, 2, cpu, tid, tid ? comms[k] : NULL, n * 1234567 + n * n, 200);
				read_counter(&c, 3, cpu, tid, tid ? comms[k] : NULL, 0, 0);
			}
			if (runs > 1)
				counts_end_run(&c, 0.25 * n, false);
			else
				assert_int_equal(render_stat_rows(page.out, &c, &cfg, 250 * MS, n * 250 * MS), 0);
		}
		if (runs > 1) {
			render_stat_head(page.out, &c, &cfg);
			assert_int_equal(render_stat_rows(page.out, &c, &cfg, 250 * MS, 0), 0);
		}
		render_stat_foot(page.out, &c, &cfg, 0.250123456, runs > 1 ? -1 : 0.2, 0.05);
		counts_free(&c);
		page_end(&page);
	}
}

static void test_stat(void **state)
{
	(void)state;
	show_counts("stat", COUNT_BY_NOTHING, 1, 1, false);
	show_counts("stat-cpus", COUNT_BY_CPU, 1, 1, false);
	show_counts("stat-threads", COUNT_BY_THREAD, 1, 1, false);
	show_counts("stat-intervals", COUNT_BY_NOTHING, 2, 1, false);
	show_counts("stat-runs", COUNT_BY_NOTHING, 1, 3, false);
	show_counts("stat-metrics", COUNT_BY_NOTHING, 2, 1, true);
	show_counts("stat-metrics-cpus", COUNT_BY_CPU, 1, 1, true);
}

/* Sums by key. */

static struct by_sum calls(uint64_t n, uint64_t errors, uint64_t each_ns)
{
	struct by_sum s = { .calls = n, .errors = errors, .total_ns = n * each_ns, .max_ns = 2 * each_ns, .not_min_ns = n ? ~(each_ns / 2) : 0 };

	s.slots[each_ns ? 63 - __builtin_clzll(each_ns) : 0] = n - n / 4;
	s.slots[each_ns ? 64 - __builtin_clzll(each_ns) : 1] = n / 4;
	return s;
}

/* comm NULL: the row of all that no room was for. */
struct sums {
	const char *call, *comm, *field;
	uint32_t pid;
	struct by_sum sum;
};

static void add_sums(struct table *t, const struct schema *schema, uint64_t keys, int nr_fields, const struct sums *s)
{
	struct byrow row;

	byrow_begin(&row, schema, NULL, 0, NULL);
	if (s->comm) {
		row.row.label = NULL;
		row.row.rank = 0;
		row.row.none &= ~keys;
		row.values[ROWS_COMM].text = s->comm;
		row.values[ROWS_PID].num = s->pid;
		row.values[ROWS_TID].num = s->pid + 1;
		row.values[ROWS_CPU].num = 3;
		row.values[ROWS_USER].num = s->pid % 2 ? 0 : 4294967290;
		row.values[ROWS_CGROUP].num = 70 + s->pid % 10;
		row.values[ROWS_EVENT].text = "sched:sched_switch";
		row.values[ROWS_SYSCALL].text = s->call;
		row.values[ROWS_ERRNO].num = s->pid % 2 ? 2 : 0;
		row.values[ROWS_START].num = 1234567890;
		for (int i = 0; i < nr_fields; i++)
			byrow_field(&row, i, i ? (struct value){ .num = (uint64_t)-1 } : (struct value){ .text = s->field });
	}
	byrow_add(&row, &s->sum);
	assert_int_equal(table_add(t, &row.row), 0);
}

static void show_sums(const char *name, struct byrows_cfg cfg, struct rows_view view, const struct sums *rows, size_t n, uint64_t interval_ns)
{
	for (enum form form = 0; form < ROW_FORMS; form++) {
		struct byrows_schema schema;
		struct table t;
		struct page page;

		view.keys = byrows_keys(cfg.offered, cfg.nr_fields);
		view.separator = ",";
		view.cgroup_path = cgroup_path;
		view.no_head = false;
		view.draws = cfg.values > BYROWS_LATENCY;
		page_begin(&page, name, form);
		byrows_schema(&schema, &cfg);
		rows_choose(&view, format_of(form), &schema.schema, NULL, 0);
		assert_int_equal(table_init(&t, &schema.schema, view.keys), 0);
		for (uint64_t round = 1; round <= (interval_ns ? 2 : 1); round++) {
			for (size_t i = 0; i < n; i++)
				for (uint64_t k = 0; k < round; k++) /* sums from the start on */
					add_sums(&t, &schema.schema, view.keys, cfg.nr_fields, &rows[i]);
			assert_int_equal(table_round(&t, schema.schema.sort), 0);
			view.since_start_ns = interval_ns * round;
			assert_int_equal(rows_render(page.out, format_of(form), &t, &view), 0);
			view.no_head = true;
		}
		table_free(&t);
		page_end(&page);
	}
}

static void test_by(void **state)
{
	const struct sums of_calls[] = {
		{ "read", "cat", NULL, 7, calls(1000, 0, 12345) },
		{ "openat", HOSTILE, NULL, 10, calls(7, 3, 2500000) },
		{ "futex", "", NULL, 11, calls(1, 1, 0) },
		{ .sum = calls(5, 0, 1000000000) },
	};
	const struct sums of_events[] = {
		{ NULL, "cat", "253:0", 7, (struct by_sum){ .calls = 12 } },
		{ NULL, "dd", "a," HOSTILE, 8, (struct by_sum){ .calls = 120 } },
	};
	const struct sums numbers[] = { { NULL, "cat", "x", 7, calls(100, 0, 700) }, { NULL, "dd", "y", 8, calls(9, 2, 40) } };
	struct byrows_cfg cfg = { .count = "calls", .offered = BY_COMM | BY_SYSCALL };
	struct rows_view view = { 0 };

	(void)state;
	show_sums("by", cfg, view, of_calls, 4, 0);
	show_sums("by-intervals", cfg, view, of_calls, 4, 500 * MS);
	view.top = 2;
	cfg.values = BYROWS_LATENCY;
	show_sums("latency-top", cfg, view, of_calls, 4, 0);
	view.top = 0;
	cfg.offered = BY_SYSCALL | BY_COMM | BY_PID | BY_TID | BY_CPU | BY_USER | BY_CGROUP | BY_ERRNO;
	show_sums("latency", cfg, view, of_calls, 4, 0);
	cfg = (struct byrows_cfg){ .count = "hits", .offered = BY_COMM | BY_EVENT, .fields = { "args.args->dev", "args.delta" },
				    .kinds = { VALUE_TEXT, VALUE_SIGNED }, .nr_fields = 2 };
	show_sums("by-fields", cfg, view, of_events, 2, 0);
	cfg = (struct byrows_cfg){ .count = "hits", .offered = BY_COMM, .fields = { "x", "y" }, .kinds = { VALUE_TEXT, VALUE_SIGNED }, .nr_fields = 2,
				    .values = BYROWS_NUMBERS };
	show_sums("probe-hist", cfg, view, numbers, 2, 0);
	cfg.values = BYROWS_DURATIONS;
	show_sums("probe-durations", cfg, view, numbers, 2, 500 * MS);
	cfg.values = BYROWS_NUMBERS;
	cfg.axis = (struct hist_axis){ true, 10, -5, 10 };
	show_sums("probe-linear", cfg, view, numbers, 2, 0);
	cfg.axis = (struct hist_axis){ 0 };
	cfg.is_unsigned = true;
	show_sums("probe-hist-unsigned", cfg, view, numbers, 2, 0);
}

/* The scheduler's sums. */

static void test_sched(void **state)
{
	static const char *const names[] = { "sched", "sched-intervals", "sched-hist", "sched-fields" };
	struct sched_sums tasks[3] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct sched_sums *s = &tasks[i];

		for (int k = 0; k < SCHED_STATES; k++)
			s->ns[k] = (1 + k + i) * (i == 2 ? 1000 : 12345678);
		s->waits = 10 * i;
		s->waited_ns = s->ns[SCHED_WAITING];
		s->wait_max_ns = i ? s->ns[SCHED_WAITING] / 2 : 0;
		s->wait_max_at_ns = i ? START_NS + 1500 * MS : 0;
		s->voluntary = 5 + i;
		s->involuntary = i;
		s->wakeups = 7;
		s->migrations = i;
		s->wait_slots[12] = 9 * i;
		s->wait_slots[20] = i;
		s->run_slots[15] = 3;
		s->off_slots[25] = 4;
	}
	for (size_t k = 0; k < 4; k++)
		for (enum form form = 0; form < ROW_FORMS; form++) {
			static const uint8_t fields[] = { ROWS_COMM, SCHED_COL_WAIT, ROWS_START, SCHED_COL_SWITCHES, SCHED_COL_MAX_AT, ROWS_TID };
			const uint64_t keys = rows_keys(BY_COMM | BY_PID | BY_TID), no_key = (1ull << ROWS_KEYS) - 1;
			struct rows_view view = { .keys = keys, .separator = "," };
			uint64_t slots[SCHED_HISTS][HIST_SLOTS];
			struct sched_schema schema;
			struct table t;
			struct page page;

			page_begin(&page, names[k], form);
			sched_schema(&schema, k == 2);
			rows_choose(&view, format_of(form), &schema.schema, fields, k == 3 ? sizeof(fields) : 0);
			assert_int_equal(table_init(&t, &schema.schema, keys), 0);
			for (uint64_t round = 1; round <= (k == 1 ? 2 : 1); round++) {
				for (uint32_t i = 0; i < 3; i++) {
					struct value values[SCHED_COLUMNS] = { [ROWS_COMM].text = i == 1 ? HOSTILE : "make", [ROWS_PID].num = 100 + i,
									       [ROWS_TID].num = 200 + i, [ROWS_START].num = 99 + i };
					struct row row = { .schema = &schema.schema, .values = values, .none = no_key & ~keys };

					if (i == 2)
						row = (struct row){ .schema = &schema.schema, .values = values, .none = no_key, .label = "(other)", .rank = 1 };
					sched_values(&tasks[i], 0, START_NS, slots, values);
					assert_int_equal(table_add(&t, &row), 0);
				}
				assert_int_equal(table_round(&t, schema.schema.sort), 0);
				view.since_start_ns = k == 1 ? 500 * MS * round : 0;
				assert_int_equal(rows_render(page.out, format_of(form), &t, &view), 0);
				view.no_head = true;
			}
			table_free(&t);
			page_end(&page);
		}
}

/* Sockets. */

static struct net_flow flow(uint64_t cookie, uint32_t pid, const char *comm, uint16_t family, uint8_t protocol, uint64_t n)
{
	struct net_flow f = { .cookie = cookie, .time_ns = START_NS + 900 * MS, .first_ns = START_NS + cookie * MS, .family = family,
			      .protocol = protocol, .port = 40000 + cookie, .peer_port = 443, .netns = 4026531840, .state = 1 };

	f.owner = (struct net_owner){ .id = pid, .tgid = pid, .pid = pid, .uid = pid % 2 ? 0 : 4294967290, .cgroup = 70 + pid % 10, .is_target = 1 };
	snprintf(f.owner.comm, sizeof(f.owner.comm), "%s", comm);
	f.addr[0] = 0x0100007f; /* 127.0.0.1, ::1 in the last word */
	f.peer_addr[0] = family == AF_INET ? 0x05000a0a : 0;
	f.peer_addr[3] = family == AF_INET6 ? 0x01000000 : 0;
	f.ways[NET_TX] = (struct net_count){ n, 128 * n, 100 * n, 0, 0 };
	f.ways[NET_RX] = (struct net_count){ 2 * n, 1500 * n, 1400 * n, 0, 0 };
	return f;
}

static struct net_sample sample_of(const struct net_flow *f, const char *iface)
{
	struct net_sample s = { .flow = f, .owner = &f->owner, .is_last = f->is_dead, .netns = f->netns, .peer_addr = f->peer_addr,
				.peer_port = f->peer_port, .iface = iface, .retransmits = f->cookie, .rtt_us = f->cookie * 700,
				.holders = f->cookie, .is_path = iface };

	memcpy(s.ways, f->ways, sizeof(s.ways));
	memcpy(s.total, f->ways, sizeof(s.total));
	return s;
}

static void flows_init(struct net_flow flows[4])
{
	flows[0] = flow(1, 101, "curl", AF_INET, 6, 12);
	flows[1] = flow(2, 107, HOSTILE, AF_INET6, 17, 123456789);
	flows[2] = flow(3, 0, "", AF_INET, 1, 3);
	flows[2].is_kernel = 1;
	flows[3] = flow(4, 110, "nginx: worker", AF_INET, 6, 7);
	flows[3].is_dead = 1;
	flows[3].end = NET_CLOSED_THERE;
	flows[3].is_shared = 1;
	flows[1].before = (struct net_tcp){ .sent = 10, .received = 5 };
}

/* Rows into a table, or printed as they come. */
struct page_sink {
	struct sink sink; /* first */
	struct table *table;
	struct page *page;
	const struct rows_format *format;
	const struct rows_view *view;
};

static int take_row(struct sink *sink, const struct row *row)
{
	return table_add(((struct page_sink *)sink)->table, row);
}

static int print_row(struct sink *sink, const struct row *row)
{
	const struct page_sink *p = (const struct page_sink *)sink;

	p->format->row(p->page->out, row, p->view);
	return 0;
}

static void test_net(void **state)
{
	static const char *const names[] = { "net", "net-intervals", "net-keys", "net-ifaces" };
	const struct net_device lo = { .netns = 4026531840, .iface = "lo", .packets = { 20, 30 }, .bytes = { 9000, 8000 } };
	struct net_flow flows[4];

	(void)state;
	flows_init(flows);
	for (size_t k = 0; k < 4; k++)
		for (enum form form = 0; form < ROW_FORMS; form++) {
			uint64_t asked = k < 2 ? 1 << NET_COL_COMM | 1 << NET_COL_PID : k < 3 ? (1 << NET_COL_START) - 1 : 1 << NET_COL_IFACE, keys = net_keys(asked);
			struct rows_view view = { .keys = keys, .separator = ",", .round_ns = 500 * MS, .cgroup_path = cgroup_path, .top = k ? 0 : 4 };
			struct net_dropped nobodys = { .code = 5, .reason = "TCP_CSUM", .packets = 3 };
			struct net_dropped dropped = { .flow = &flows[0], .code = 3, .reason = "NO_SOCKET", .packets = 2 };
			struct page_sink sink = { .sink.row = take_row };
			struct net_rows rows;
			struct table t;
			struct page page;

			page_begin(&page, names[k], form);
			rows_choose(&view, format_of(form), &net_schema, NULL, 0);
			assert_int_equal(table_init(&t, &net_schema, keys), 0);
			assert_int_equal(net_rows_init(&rows, keys, true), 0);
			rows.sink = &sink.sink;
			sink.table = &t;
			for (uint64_t round = 1; round <= (k == 1 ? 2 : 1); round++) {
				for (size_t i = 0; i < 4; i++) {
					struct net_sample s = sample_of(&flows[i], k >= 2 && i < 3 ? "eth0" : NULL);

					for (int way = 0; way < NET_WAYS; way++)
						s.ways[way].packets *= round, s.ways[way].bytes *= round, s.ways[way].ip_bytes *= round;
					memcpy(s.total, s.ways, sizeof(s.total));
					assert_int_equal(net_rows_add(&rows, &s), 0);
				}
				assert_int_equal(net_rows_add_dropped(&rows, &dropped), 0);
				assert_int_equal(net_rows_add_dropped(&rows, &nobodys), 0);
				assert_int_equal(net_rows_add_device(&rows, &lo), 0);
				assert_int_equal(net_rows_end(&rows), 0);
				assert_int_equal(table_round(&t, net_schema.sort), 0);
				view.since_start_ns = k == 1 ? 500 * MS * round : 0;
				assert_int_equal(rows_render(page.out, format_of(form), &t, &view), 0);
				view.no_head = true;
			}
			net_rows_free(&rows);
			table_free(&t);
			page_end(&page);
		}
}

static void test_connections(void **state)
{
	struct net_flow flows[4];

	(void)state;
	flows_init(flows);
	for (enum form form = 0; form < ROW_FORMS; form++) {
		struct rows_view view = { .keys = 1, .separator = "," };
		struct page page;
		struct page_sink sink = { { .row = print_row }, NULL, &page, format_of(form), &view };

		page_begin(&page, "conn", form);
		rows_choose(&view, sink.format, &net_conn_schema, NULL, 0);
		sink.format->head(page.out, &net_conn_schema, &view);
		for (size_t i = 0; i < 4; i++) {
			struct net_sample s = sample_of(&flows[i], NULL);

			assert_int_equal(net_conn_row(&s, START_NS, START_NS + 2000 * MS, &sink.sink), 0);
		}
		page_end(&page);
	}
}

static int name_of(void *arg, uint64_t addr, char *buf, size_t size)
{
	(void)arg;
	if (addr > 0x1000)
		return -1;
	snprintf(buf, size, addr == 0x10 ? "bpf_prog_0_x" : "tcp_v4_rcv+0x%llx", (unsigned long long)addr);
	return 0;
}

static void test_socket_events(void **state)
{
	(void)state;
	for (enum form form = 0; form < ROW_FORMS; form++) {
		struct rows_view view = { .keys = 1, .separator = "," };
		const struct net_names names = { name_of, NULL };
		struct page page;
		struct page_sink sink = { { .row = print_row }, NULL, &page, format_of(form), &view };

		page_begin(&page, "events", form);
		rows_choose(&view, sink.format, &net_event_schema, NULL, 0);
		sink.format->head(page.out, &net_event_schema, &view);
		for (uint32_t what = 0; what < NET_EVENTS; what++) {
			struct net_flow f = flow(what + 1, 100 + what, what % 2 ? "curl" : HOSTILE, what % 2 ? AF_INET : AF_INET6, what % 2 ? 6 : 17, 1);
			struct net_event e = { .time_ns = START_NS + what * 1234567, .first_ns = START_NS, .place = what % 2 ? 0xff : 0x2000,
					       .sent = 1000 * what, .received = 5, .owner = f.owner, .what = what, .family = f.family, .port = f.port,
					       .peer_port = f.peer_port, .protocol = f.protocol, .state = 1,
					       .end = what == NET_CLOSE ? NET_RESET : NET_OPEN, .nr_ips = what == NET_DROP ? 3 : 0,
					       .ips = { 0x10, 0x20, 0x3000 } };

			memcpy(e.addr, f.addr, sizeof(e.addr));
			memcpy(e.peer_addr, f.peer_addr, sizeof(e.peer_addr));
			assert_int_equal(net_event_row(&e, what == NET_DROP ? "NO_" HOSTILE : NULL, START_NS, &names, &sink.sink), 0);
		}
		page_end(&page);
	}
}

/* Hits of probes. */

static bool value_name(const struct rows_view *view, const struct row *row, size_t column, char *buf, size_t size)
{
	(void)view;
	snprintf(buf, size, "%s", row->schema->columns[column].kind == VALUE_ENUM ? "RED" : "vfs_read+0x1");
	return row->values[column].num != 3;
}

struct hit_value {
	const char *name;
	enum value_kind kind;
};

static void add_values(struct hit_site *site, const struct hit_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(hit_site_add(site, values[i].name, values[i].kind), 0);
}

static void test_hits(void **state)
{
	static const struct hit_value values[] = {
		{ "values.u", VALUE_NUMBER }, { "values.s", VALUE_SIGNED }, { "values.x", VALUE_HEX }, { "values.b", VALUE_FLAG },
		{ "values.c", VALUE_CHAR }, { "values.e", VALUE_ENUM }, { "values.t", VALUE_TEXT }, { "values.f", VALUE_SYMBOL },
		{ "values.ip", VALUE_IPV4 }, { "values.ns", VALUE_DURATION }, { "values.dev", VALUE_DEVICE }, { "values.gone", VALUE_TEXT },
	}, others[] = { { "values.x", VALUE_TEXT }, { "values.ret", VALUE_ENUM }, { "values.ret", VALUE_SYMBOL } };
	static const struct sample_value read[] = {
		{ .num = UINT64_MAX }, { .num = (uint64_t)-5 },	       { .num = 255 },	      { .num = 1 },		  { .num = 'c' },
		{ .num = 2 },	       { .text = "a\"b" HOSTILE },     { .num = 0xffffffff }, { .num = 0x0100007f },	  { .num = 1234567 },
		{ .num = 0x800010 },   { .is_fault = true },
	}, other[] = { { .text = "," }, { .num = 3 }, { .num = 3 } };
	static const size_t nr[] = { 12, 0, 3 };
	static struct hit_site sites[3], all;
	static struct hit_row row;

	(void)state;
	for (enum form form = 0; form < ROW_FORMS; form++) {
		const struct rows_view view = { .separator = ",", .name = value_name };
		const struct rows_format *format = form == TEXT ? &hit_text : format_of(form);
		struct page page;

		hit_site_init(&all, NULL);
		add_values(&all, values, 12);
		all.nr_values = 0;
		add_values(&all, others, 3);
		for (int i = 0; i < 3; i++) {
			hit_site_init(&sites[i], form == CSV ? &all : NULL);
			sites[i].title = i == 1 ? "sched:sched_switch" : i ? "k:f" : "kr:vfs_read";
			sites[i].call = i == 1 ? "sched:sched_switch" : i ? "f" : "vfs_read%return";
			add_values(&sites[i], i == 2 ? others : values, nr[i]);
		}
		page_begin(&page, "hits", form);
		format->head(page.out, &all.schema, &view);
		for (uint32_t i = 0; i < 3; i++) {
			const struct sample s = { .time_ns = START_NS + i * 123456789, .count = 1, .pid = 100, .tid = 100 + i, .cpu = i,
						  .comm = i ? HOSTILE : "cat", .site = i, .values = i == 2 ? other : read, .nr_values = nr[i] };

			hit_row(&sites[i], &s, START_NS, &row);
			format->row(page.out, &row.row, &view);
		}
		page_end(&page);
	}
}

/* Lists. */

static void show_list(const char *name, enum form form, bool verbose, bool privileged, int columns)
{
	static const struct member fields[] = { { "const char *", "filename" }, { "int", "flags" } };
	static const struct list_row rows[] = {
		{ .kind = LIST_HARDWARE, .name = "cycles", .alias = "cpu-cycles", .missing = "no PMU here", .details = 1 << LIST_NUMBER | 1 << LIST_UNIT,
		  .values = { [LIST_UNIT].text = "0x0", [LIST_NUMBER].num = 0 } },
		{ .kind = LIST_SOFTWARE, .name = "cpu-clock" },
		{ .kind = LIST_PMU, .name = "msr/tsc/", .note = "time " HOSTILE, .example = "skep stat -e msr/tsc/ -- true" },
		{ .kind = LIST_TRACEPOINT, .name = "syscalls:sys_enter_openat", .fields = { fields, 2 }, .has_fields = true },
		{ .kind = LIST_TRACEPOINT, .name = "x:" HOSTILE, .has_fields = true },
		{ .kind = LIST_KERNEL, .name = "vfs_read", .note = "[ext4]", .fields = { fields, 1 }, .has_fields = true },
	};
	static const char *const notes[] = { "3 functions cannot be probed" };
	struct list_out list;
	struct page page;

	page_begin(&page, name, form);
	list_begin(&list, page.out, format_of(form), verbose, privileged, columns);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		list_row(&list, &rows[i]);
	assert_int_equal(list_end(&list, notes, 1), 0);
	page_end(&page);
}

static void test_list(void **state)
{
	(void)state;
	show_list("list", TEXT, false, false, 80);
	show_list("list-pipe", TEXT, false, true, 0);
	show_list("list-verbose", TEXT, true, true, 100);
	show_list("list", CSV, true, true, 0);
	show_list("list", JSON, true, true, 0);
}

static void test_doctor(void **state)
{
	static const struct doctor_row rows[] = {
		{ { [DOCTOR_NAME].text = "bpf", [DOCTOR_HAS].num = 1, [DOCTOR_NEEDED].num = 1, [DOCTOR_USED_BY].text = "everything" } },
		{ { [DOCTOR_NAME].text = "cycles", [DOCTOR_USED_BY].text = "record -e cycles", [DOCTOR_INSTEAD].text = "cpu-clock",
		    [DOCTOR_WHY].text = "no PMU " HOSTILE, [DOCTOR_ENABLE].text = "sudo modprobe pmu" } },
		{ { [DOCTOR_NAME].text = "kprobes", [DOCTOR_USED_BY].text = "probe", [DOCTOR_WHY].text = "not in this kernel",
		    [DOCTOR_ENABLE].text = "sudo modprobe pmu" } },
		{ { [DOCTOR_NAME].text = "tracefs", [DOCTOR_NEEDED].num = 1, [DOCTOR_USED_BY].text = "list", [DOCTOR_WHY].text = "not mounted",
		    [DOCTOR_ENABLE].text = "mount -t tracefs none /sys/kernel/tracing" } },
	};
	const struct doctor_host host = { .release = "6.12.0-\"x\"", .machine = "x86_64" };

	(void)state;
	for (enum form form = 0; form < FORMS; form++) {
		struct page page;

		page_begin(&page, "doctor", form);
		assert_int_equal(render_doctor(page.out, format_of(form), &host, rows, 4), 0);
		page_end(&page);
	}
}

static void test_formats(void **state)
{
	(void)state;
	assert_string_equal(ROWS_FORMATS, all_formats + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat), cmocka_unit_test(test_by),	 cmocka_unit_test(test_sched),  cmocka_unit_test(test_net),
		cmocka_unit_test(test_connections), cmocka_unit_test(test_socket_events), cmocka_unit_test(test_hits), cmocka_unit_test(test_list),
		cmocka_unit_test(test_doctor), cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
