/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Profiles for the browser test, made with the real tree and renderers: gen small|big|real html|svg.
 * The page goes to stdout. "small" is the tree whose truth drive.js knows; "big" is 10,000 distinct
 * stacks; "real" looks like a server, for the eye.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/tree/render.h"
#include "util/strpool.h"

#define MAX_FRAMES 128
#define PERIOD_NS 1000000u
#define BIG_STACKS 10000
#define REAL_STACKS 900

static struct strpool *pool;
static struct tree tree;

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
	if (tree_add(&tree, frames, n, (uint64_t)samples * PERIOD_NS, samples))
		abort();
	free(copy);
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

int main(int argc, char **argv)
{
	struct flame_cfg cfg = { 0 };
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
	if (!pool || tree_init(&tree))
		return 1;
	p.title = "skep flame -a -F 99 -- sleep 10";
	if (!strcmp(what, "small")) {
		p.title = "skep flame </title><script>window.pwned=3</script>";
		fill_small();
	} else if (!strcmp(what, "big")) {
		fill_big();
	} else if (!strcmp(what, "real")) {
		fill_real();
	} else {
		return 2;
	}
	tree_end(&tree, 0);
	p.weight = tree.nodes.data[0].total;
	p.kept = tree.nodes.data[0].total_count;
	p.losses[LOSS_INTERNAL] = 12;
	p.losses[LOSS_CUT_DEPTH] = 60;
	p.losses[LOSS_UNNAMED] = 50;
	p.seen = p.kept + p.losses[LOSS_INTERNAL];
	fprintf(stderr, "nodes %zu\n", tree.nodes.n);
	ret = !strcmp(format, "svg") ? render_svg(stdout, &tree, &p, &cfg) : render_html(stdout, &tree, &p, &cfg);
	tree_free(&tree);
	strpool_free(pool);
	return ret || fflush(stdout) ? 1 : 0;
}
