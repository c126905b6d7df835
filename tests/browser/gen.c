/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Profiles for the browser test, made with the real tree and renderers: gen small|views|hostile|big|huge|real html|svg.
 * The page goes to stdout. "small" is the tree whose truth drive.js knows, "views" a recording of three events with times, threads and
 * CPUs, "hostile" has names that are long or want out; "big" is 10,000 distinct stacks, "huge" more frames than a page keeps (or so many
 * as an argument says); "real" looks like a server, for the eye.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/slices.h"
#include "render/tree/render.h"
#include "sample.h"
#include "util/strpool.h"

#define MAX_FRAMES 128
#define PERIOD_NS 1000000u
#define BIG_STACKS 10000
#define REAL_STACKS 900
#define HUGE_FRAMES 600000u
#define MS_NS 1000000u
#define START_NS 5000000000u
#define LONG_NAME 10000
#define NR_VIEWS 3

static struct strpool *pool;
static struct tree trees[NR_VIEWS], *tree = trees;
static struct slices slices[NR_VIEWS], *sliced; /* the latter of the view that is filled, if it has times */

static struct frame frame_of(const char *word)
{
	static const char letters[] = "ukji?m"; /* enum frame_kind */
	const char *at = strchr(letters, word[0]);
	struct frame f = { .kind = at ? at - letters : FRAME_USER };
	char *copy = strdup(word + 2), *obj = strchr(copy, '|'), *file = obj ? strchr(obj + 1, '|') : NULL;

	if (obj)
		*obj++ = '\0';
	if (file) {
		*file++ = '\0';
		f.line = atoi(strchr(file, ':') + 1);
		*strchr(file, ':') = '\0';
		f.file = strpool_add(pool, file);
	}
	f.name = strpool_add(pool, copy);
	f.obj = obj ? strpool_add(pool, obj) : NULL;
	free(copy);
	return f;
}

/* words: "kind:name|obj|file:line", separated by newlines, outermost first */
static void stack_add(const char *words, unsigned int samples)
{
	struct frame frames[MAX_FRAMES];
	char *copy = strdup(words), *save = NULL;
	unsigned int n = 0;

	for (char *w = strtok_r(copy, "\n", &save); w && n < MAX_FRAMES; w = strtok_r(NULL, "\n", &save))
		frames[n++] = frame_of(w);
	if (tree_add(tree, frames, n, (uint64_t)samples * PERIOD_NS, samples))
		abort();
	free(copy);
}

struct who {
	const char *comm;
	uint32_t pid, tid, cpu;
};

/* One sample at so many ms from the start, worth so many; words without the process level. */
static void sample_add(const struct who *w, unsigned int at_ms, unsigned int worth_ms, const char *words)
{
	struct sample s = { .time_ns = START_NS + (uint64_t)at_ms * MS_NS, .weight = (uint64_t)worth_ms * MS_NS, .count = 1, .pid = w->pid, .tid = w->tid, .cpu = w->cpu };
	struct frame frames[MAX_FRAMES];
	char *copy = strdup(words), *save = NULL;
	unsigned int n = 1;

	frames[0] = (struct frame){ .kind = FRAME_MARK, .name = strpool_add(pool, w->comm) };
	for (char *word = strtok_r(copy, "\n", &save); word && n < MAX_FRAMES; word = strtok_r(NULL, "\n", &save))
		frames[n++] = frame_of(word);
	if (tree_add(tree, frames, n, s.weight, 1) || slices_add(sliced, &s, strpool_add(pool, w->comm), tree_last(tree)))
		abort();
	free(copy);
}

/*
 * 10 s. app's first thread computes for 5 s, then helps for 5 s; its second works from 2 s to 4 s; db, on the same CPU as that, queries from
 * 6 s to 9 s, then recurses. Off the CPUs: a pool of five that sleeps, of which one waits for a lock for 200 ms, and app, which reads for 2 s.
 */
static void fill_views(void)
{
	static const struct who app = { "app", 10, 10, 0 }, second = { "app-2", 10, 11, 1 }, db = { "db", 20, 20, 1 };

	for (unsigned int ms = 0; ms < 10000; ms += 10) {
		sample_add(&app, ms, 10, ms < 5000 ? "u:main|/bin/app\nu:compute|/bin/app" : "u:main|/bin/app\nu:helper|/bin/app\nk:do_syscall_64|[kernel.kallsyms]");
		if (ms >= 2000 && ms < 4000)
			sample_add(&second, ms, 10, "u:clone|/lib/libc.so\nu:worker|/bin/app");
		if (ms >= 6000)
			sample_add(&db, ms, 10, ms < 9000 ? "u:main|/bin/db\nu:query|/bin/db" : "u:main|/bin/db\nu:query|/bin/db\nu:step|/bin/db\nu:query|/bin/db\nu:step|/bin/db");
	}
	tree = &trees[1];
	sliced = &slices[1];
	for (unsigned int ms = 0; ms < 10000; ms += 2500)
		sample_add(&app, ms, 1, "u:main|/bin/app\nk:asm_exc_page_fault|[kernel.kallsyms]");
	tree = &trees[2];
	sliced = &slices[2];
	sliced->spans_event = 0;
	for (unsigned int t = 0; t < 5; t++) {
		const struct who sleeper = { "pool", 30, 31 + t, UINT32_MAX };

		if (!t)
			sample_add(&sleeper, 200, 200, "u:clone|/lib/libc.so\nu:lock|/bin/pool\nk:futex_wait|[kernel.kallsyms]");
		sample_add(&sleeper, 10000, t ? 9990 : 9800, "u:clone|/lib/libc.so\nu:next_job|/bin/pool\nk:futex_wait|[kernel.kallsyms]");
	}
	sample_add(&app, 4000, 2000, "u:main|/bin/app\nu:read|/lib/libc.so\nk:vfs_read|[kernel.kallsyms]");
}

/* Each of these ends up in a table, a label, a tooltip, a menu, a file name. */
static void fill_hostile(void)
{
	static const char *const names[] = { "</script><script>window.pwned=5</script>", "\" onmouseover=\"window.pwned=6", "it's `quoted` $(id) \\", "tab\there\001\033[31m",
					     "right\xe2\x80\xae left", "zero\xe2\x80\x8bwidth\xef\xbb\xbf", "semi;colon %s &amp; <b>", "\xff\xfe no text" };
	char text[LONG_NAME + 64];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(text, sizeof(text), "m:app\nu:main|/bin/app\nu:%s|/bin/app", names[i]);
		stack_add(text, 10 + i);
	}
	strcpy(text, "m:app\nu:main|/bin/app\nu:");
	memset(text + strlen(text), 'n', LONG_NAME);
	strcpy(text + LONG_NAME + strlen("m:app\nu:main|/bin/app\nu:"), "_its_end|/bin/app");
	stack_add(text, 300);
}

/* 1000 samples. compute 600 (400 self + 200 in helper under it), helper 200 + 60, evil 40. */
static void fill_small(void)
{
	stack_add("m:app (10)\nu:main|/bin/app\nu:compute|/bin/app|app.c:42", 400);
	stack_add("m:app (10)\nu:main|/bin/app\nu:compute|/bin/app|app.c:42\nu:helper|/bin/app", 150);
	stack_add("m:app (10)\nu:main|/bin/app\nu:compute|/bin/app|app.c:42\nu:helper|/bin/app\nu:helper|/bin/app", 50);
	stack_add("m:app (10)\nu:main|/bin/app\nk:do_syscall_64|[kernel.kallsyms]\nk:vfs_read|[kernel.kallsyms]", 100);
	stack_add("m:app (10)\nu:main|/bin/app\nu:<img src=x onerror=\"window.pwned=1\">\xe2\x80\xae|</script><script>window.pwned=2</script>", 40);
	stack_add("m:app (11)\nu:main|/bin/other\nu:compute|/bin/app", 90);
	stack_add("m:app (11)\nu:main|/bin/other\ni:inl|/bin/app", 60);
	stack_add("m:java (12)\nj:Lcom/x/Y;::run|/tmp/perf-12.map\n?:[libz.so]|/lib/libz.so", 50);
	stack_add("m:java (12)\nm:[truncated: 127 frames]\nu:helper|/bin/app", 60);
}

static unsigned int next_random(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x >> 33;
}

/* Stacks of 6 frames that nothing shares but their outer ones, of falling weight. */
static void fill_huge(unsigned int frames)
{
	char words[256];

	for (unsigned int i = 0; i * 4 < frames; i++) {
		sprintf(words, "m:worker\nu:main|/bin/w\nu:a%u|/bin/w\nu:b%u|/bin/w\nu:c%u|/bin/w\nu:d%u|/bin/w", i, i % 1000, i % 999, i % 997);
		stack_add(words, 1 + frames / (4 * i + 40));
	}
}

static void fill_big(void)
{
	char words[MAX_FRAMES * 64];

	for (int i = 0; i < BIG_STACKS; i++) {
		unsigned int depth = 12 + next_random() % 24, at = 0;

		at += sprintf(words, "m:worker (%u)", next_random() % 8);
		for (unsigned int d = 0; d < depth; d++) {
			/* few choices near the root, many near the leaf, as in real programs */
			unsigned int pick = next_random() % (d < 8 ? 2 : d < 16 ? 3 : 40);

			at += sprintf(words + at, "\n%c:namespace_%u::some_class::method_%u_%u|/usr/lib/lib%u.so",
				      d + 4 > depth && i % 3 == 0 ? 'k' : 'u', d % 7, d, pick, pick % 5);
		}
		sprintf(words + at, "\nu:leaf_%d|/usr/lib/libleaf.so", i);
		stack_add(words, 1 + next_random() % 5);
	}
}

static void fill_real(void)
{
	static const char *const top[] = {
		"m:nginx (2211)\nu:_start|/usr/sbin/nginx\nu:__libc_start_call_main|libc.so.6\nu:main|/usr/sbin/nginx|nginx.c:382\nu:ngx_master_process_cycle|/usr/sbin/nginx\nu:ngx_worker_process_cycle|/usr/sbin/nginx\nu:ngx_process_events_and_timers|/usr/sbin/nginx\nu:ngx_epoll_process_events|/usr/sbin/nginx",
		"m:java (4100)\nu:start_thread|libc.so.6\nu:thread_native_entry|libjvm.so\nu:JavaThread::run|libjvm.so\nj:java/lang/Thread::run|/tmp/perf-4100.map\nj:io/netty/channel/nio/NioEventLoop::run|/tmp/perf-4100.map\nj:io/netty/handler/codec/ByteToMessageDecoder::channelRead|/tmp/perf-4100.map",
		"m:postgres (733)\nu:_start|/usr/lib/postgresql/16/bin/postgres\nu:main|postgres\nu:PostmasterMain|postgres\nu:ServerLoop|postgres\nu:PostgresMain|postgres\nu:exec_simple_query|postgres\nu:PortalRun|postgres\nu:ExecutorRun|postgres",
		"m:swapper/1 (0)\nk:secondary_startup_64_no_verify|[kernel.kallsyms]\nk:start_secondary|[kernel.kallsyms]\nk:cpu_startup_entry|[kernel.kallsyms]\nk:do_idle|[kernel.kallsyms]",
	};
	static const char *const mid[4][4] = {
		{ "\nu:ngx_http_process_request_line|/usr/sbin/nginx\ni:ngx_http_parse_request_line|/usr/sbin/nginx|ngx_http_parse.c:104", "\nu:ngx_http_handler|/usr/sbin/nginx\nu:ngx_http_core_run_phases|/usr/sbin/nginx\nu:ngx_http_static_handler|/usr/sbin/nginx", "\nu:ngx_output_chain|/usr/sbin/nginx\nu:ngx_linux_sendfile_chain|/usr/sbin/nginx", "\nu:[libcrypto.so.3]|libcrypto.so.3\n?:[libcrypto.so.3]|libcrypto.so.3" },
		{ "\nj:com/acme/shop/Cart::price|/tmp/perf-4100.map\nj:com/acme/shop/Rules::apply|/tmp/perf-4100.map", "\nj:java/util/HashMap::get|/tmp/perf-4100.map", "\nj:io/netty/buffer/PooledByteBuf::write|/tmp/perf-4100.map\nu:Java_sun_nio_ch_SocketDispatcher_write0|libnio.so", "\nm:[truncated: 127 frames]\nu:G1ParScanThreadState::trim_queue|libjvm.so" },
		{ "\nu:ExecSeqScan|postgres\ni:heap_getnextslot|postgres|heapam.c:1388\nu:heapgettup_pagemode|postgres", "\nu:ExecHashJoin|postgres\nu:ExecScanHashBucket|postgres", "\nu:ExecSort|postgres\nu:tuplesort_performsort|postgres\nu:qsort_tuple|postgres", "\nu:printtup|postgres\nu:pq_putmessage|postgres" },
		{ "\nk:cpuidle_idle_call|[kernel.kallsyms]\nk:cpuidle_enter_state|[kernel.kallsyms]", "\nk:schedule_idle|[kernel.kallsyms]", "\nk:flush_smp_call_function_queue|[kernel.kallsyms]", "\nk:tick_nohz_idle_enter|[kernel.kallsyms]" },
	};
	static const char *const leaf[] = {
		"", "\ni:memchr_inline|libc.so.6|memchr.h:31", "\nu:__memmove_avx_unaligned_erms|libc.so.6", "\nu:malloc|libc.so.6\nu:_int_malloc|libc.so.6",
		"\nu:write|libc.so.6\nk:entry_SYSCALL_64_after_hwframe|[kernel.kallsyms]\nk:do_syscall_64|[kernel.kallsyms]\nk:ksys_write|[kernel.kallsyms]\nk:vfs_write|[kernel.kallsyms]\nk:tcp_sendmsg|[kernel.kallsyms]\nk:tcp_sendmsg_locked|[kernel.kallsyms]\nk:tcp_push|[kernel.kallsyms]\nk:__tcp_push_pending_frames|[kernel.kallsyms]\nk:tcp_write_xmit|[kernel.kallsyms]\nk:__ip_queue_xmit|[kernel.kallsyms]",
		"\nk:asm_exc_page_fault|[kernel.kallsyms]\nk:exc_page_fault|[kernel.kallsyms]\nk:handle_mm_fault|[kernel.kallsyms]\nk:clear_page_erms|[kernel.kallsyms]",
	};
	char words[8192];

	for (int i = 0; i < REAL_STACKS; i++) {
		unsigned int t = next_random() % 9, p = t < 4 ? 0 : t < 6 ? 1 : t < 8 ? 2 : 3, m = next_random() % 4, l = next_random() % 6;

		snprintf(words, sizeof(words), "%s%s%s", top[p], mid[p][m % (1 + next_random() % 4)], p == 3 ? "" : leaf[l]);
		stack_add(words, 1 + next_random() % (40 / (l + 1)));
	}
}

static void profile_end(struct profile *p, const struct tree *t)
{
	p->weight = t->nodes.data[0].total;
	p->kept = t->nodes.data[0].total_count;
	p->seen = p->kept + profile_lost(p);
}

/* The recording of three events. */
static int render_views(struct profile *first)
{
	struct profile faults = { .title = first->title, .event = "page-faults", .unit = "events" };
	struct profile off = { .title = first->title, .event = "offcpu-time", .unit = "ns", .is_time = true, .duration_ns = 10000000000u };
	struct profile *const of[NR_VIEWS] = { first, &faults, &off };
	struct flame_page pages[NR_VIEWS];
	struct flame_cfg cfg = { .input = "it's a file.data", .pages = pages, .nr_pages = NR_VIEWS };

	first->duration_ns = off.duration_ns;
	for (int i = 0; i < NR_VIEWS; i++) {
		tree_end(&trees[i], 0);
		profile_end(of[i], &trees[i]);
		pages[i] = (struct flame_page){ .tree = &trees[i], .profile = of[i], .slices = &slices[i], .event = i };
	}
	return render_html(stdout, trees, first, &cfg);
}

static int render_one(struct profile *p, const char *format)
{
	struct flame_cfg cfg = { 0 };

	tree_end(tree, 0);
	p->losses[LOSS_INTERNAL] = 12;
	p->losses[LOSS_CUT_DEPTH] = 60;
	p->losses[LOSS_UNNAMED] = 50;
	profile_end(p, tree);
	return !strcmp(format, "svg") ? render_svg(stdout, tree, p, &cfg) : render_html(stdout, tree, p, &cfg);
}

int main(int argc, char **argv)
{
	struct profile p = {
		.event = "cpu-clock",
		.unit = "ns",
		.duration_ns = 10004000000u,
		.notes = { "no hardware cycles here: cpu-clock instead", "a second note" },
		.nr_notes = 2,
		.receipt = { .wall_ns = 10210000000u, .own_cpu_ns = 81000000, .bpf_ns = 14200000, .bpf_runs = 18800,
			     .bytes_out = 210000, .peak_rss_bytes = 23u << 20, .map_bytes = 9u << 20, .cpus = 16 },
	};
	const char *what = argc > 1 ? argv[1] : "", *format = argc > 2 ? argv[2] : "";
	int ret;

	pool = strpool_new();
	for (int i = 0; i < NR_VIEWS; i++) {
		if (!pool || tree_init(&trees[i]))
			return 1;
		slices_init(&slices[i]);
		slices[i].has_time = true;
	}
	sliced = slices;
	p.title = "skep flame -a -F 99 -- sleep 10";
	if (!strcmp(what, "small")) {
		p.title = "skep flame </title><script>window.pwned=3</script>";
		fill_small();
	} else if (!strcmp(what, "views")) {
		fill_views();
	} else if (!strcmp(what, "hostile")) {
		p.duration_ns = 119995000000u; /* rounded: two minutes, and no second */
		fill_hostile();
	} else if (!strcmp(what, "big")) {
		fill_big();
	} else if (!strcmp(what, "huge")) {
		fill_huge(argc > 3 ? (unsigned int)atoi(argv[3]) : HUGE_FRAMES);
	} else if (!strcmp(what, "real")) {
		fill_real();
	} else {
		return 2;
	}
	ret = !strcmp(what, "views") ? render_views(&p) : render_one(&p, format);
	fprintf(stderr, "nodes %zu\n", trees[0].nodes.n);
	for (int i = 0; i < NR_VIEWS; i++) {
		tree_free(&trees[i]);
		slices_free(&slices[i]);
	}
	strpool_free(pool);
	return ret || fflush(stdout) ? 1 : 0;
}
