/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From samples to frames, losses and notes: what the fold counts and says. */
#include "tests/unit/test_sym.h"

#include "cmd/live.h"

#define KERNEL_IP 0xffffffff81000005ull
#define DEEPEST 8000

static const char *false_proc(const char *kallsyms, const char *restricted)
{
	run("rm -rf %s/proc; mkdir -p %s/proc/sys/kernel", scratch, scratch);
	write_file(in_scratch("proc/kallsyms"), kallsyms);
	write_file(in_scratch("proc/sys/kernel/kptr_restrict"), restricted);
	return in_scratch("proc");
}

struct run {
	struct picture *pic;
	struct profile p;
	struct tree tree;
};

static void begin(struct run *r, const struct syms_cfg *cfg)
{
	struct syms_cfg shared = *cfg;

	r->p = (struct profile){ 0 };
	r->pic = picture_new(NULL);
	assert_non_null(r->pic);
	assert_int_equal(tree_init(&r->tree), 0);
	shared.pool = r->pic->names.pool;
	r->pic->names.syms = new_syms(&shared);
	r->pic->fold.view = (struct fold_view){ .profile = &r->p, .tree = &r->tree };
	r->pic->fold.root = ROOT_NONE;
}

static void end(struct run *r)
{
	picture_free(r->pic);
	tree_free(&r->tree);
}

static void add(struct run *r, const struct sample *s)
{
	assert_int_equal(r->pic->names.sink.sample(&r->pic->names.sink, s), 0);
}

static void kernel_note(const struct syms_cfg *cfg, const char *note)
{
	const uint64_t ips[] = { KERNEL_IP };
	const struct sample s = { .pid = 1, .weight = 1, .count = 1, .comm = "x", .chains = { [CHAIN_KERNEL] = { .ips = ips, .n = 1 } } };
	struct run r;

	begin(&r, cfg);
	add(&r, &s);
	add(&r, &s);
	names_note(r.pic->names.syms, &r.p);
	assert_int_equal(r.p.losses[LOSS_UNNAMED_KERNEL], note ? 2 : 0);
	assert_int_equal(r.p.nr_notes, note ? 1 : 0);
	if (note)
		assert_string_equal(r.p.notes[0], note);
	end(&r);
}

static void hidden_kernel(void **state)
{
	static const char zeros[] = "0000000000000000 T _text\n0000000000000000 T f\n";
	struct syms_cfg cfg = { .proc_root = false_proc(zeros, "1\n") };

	(void)state;
	kernel_note(&cfg, "kernel addresses are hidden (kernel.kptr_restrict=1): run as root or with CAP_SYSLOG");
	false_proc(zeros, "2\n");
	kernel_note(&cfg, "kernel addresses are hidden (kernel.kptr_restrict=2): "
		    "sysctl kernel.kptr_restrict=1 shows them to root");
	false_proc("ffffffff81000000 T _text\nffffffff81000100 T _etext\n", "1\n");
	kernel_note(&cfg, NULL);
}

static void other_kernel(void **state)
{
	struct syms_cfg cfg = { .proc_root = false_proc("ffffffff81000000 T _text\n", "0\n"), .kernel_build_id_size = 20 };

	(void)state;
	if (access("/sys/kernel/notes", R_OK))
		skip();
	memset(cfg.kernel_build_id, 0x5a, 20);
	kernel_note(&cfg, "kernel addresses have no names: the file was recorded under another kernel than this one");
}

/* A file may hold stacks of any depth: what does not fit is a cut stack, counted and marked. */
static void deeper_than_we_keep(void **state)
{
	static uint64_t ips[DEEPEST];
	struct sample s = { .pid = 1, .weight = 10, .count = 3, .comm = "x", .chains = { [CHAIN_USER] = { .ips = ips, .n = DEEPEST } } };
	struct syms_cfg cfg = { .offline = true };
	const struct stack *st;
	struct run r;

	(void)state;
	for (int i = 0; i < DEEPEST; i++)
		ips[i] = 0x1000 + i;
	begin(&r, &cfg);
	st = &r.pic->names.stack;
	add(&r, &s);
	assert_int_equal(st->n, STACK_FRAMES_MAX + 1);
	assert_int_equal(st->cut, STOP_DEPTH);
	assert_int_equal(r.p.losses[LOSS_CUT_DEPTH], 3);
	assert_string_equal(st->frames[st->n - 1].name, "[truncated: 2048 frames]");
	s.chains[CHAIN_KERNEL].ips = ips;
	s.chains[CHAIN_KERNEL].n = DEEPEST;
	add(&r, &s);
	assert_int_equal(st->n, STACK_FRAMES_MAX + 1);
	assert_int_equal(r.p.losses[LOSS_CUT_DEPTH], 6);
	/* The walker's own limit. */
	s.chains[CHAIN_KERNEL].n = 0;
	s.chains[CHAIN_USER].n = STACK_MAX_FRAMES;
	s.chains[CHAIN_USER].stop = STOP_DEPTH;
	add(&r, &s);
	assert_int_equal(st->n, STACK_MAX_FRAMES + 1);
	assert_string_equal(st->frames[st->n - 1].name, "[truncated: 127 frames]");
	assert_int_equal(r.p.losses[LOSS_CUT_DEPTH], 9);
	end(&r);
}

/* Beyond a root there is nothing, whatever the walker found there before it gave up. */
static void junk_above_the_root(void **state)
{
	uint64_t ips[STACK_MAX_FRAMES] = { 0 };
	const struct sample s = { .pid = PID, .weight = 1, .count = 1, .comm = "x", .chains = { [CHAIN_USER] = { .ips = ips, .n = STACK_MAX_FRAMES, .stop = STOP_DEPTH } } };
	struct syms_cfg cfg = { .offline = true };
	struct run r;

	(void)state;
	build("gcc", "p.c", "int main(void) { return 0; }\n", "-fno-pie -no-pie", "prog");
	ips[0] = nm_value("", in_scratch("prog"), "main");
	ips[1] = nm_value("", in_scratch("prog"), "_start") + 4;
	begin(&r, &cfg);
	map_elf(r.pic->names.syms, PID, in_scratch("prog"), 0);
	add(&r, &s);
	assert_int_equal(r.pic->names.stack.n, 2);
	assert_string_equal(r.pic->names.stack.frames[1].name, "_start");
	assert_int_equal(r.pic->names.stack.cut, STOP_ROOT);
	assert_int_equal(r.p.losses[LOSS_CUT_DEPTH], 0);
	end(&r);
}

/* A thread that is inside clone() has callers: a root is where a stack begins only if it called something. */
static void leaf_that_is_a_root(void **state)
{
	uint64_t ips[3] = { 0 };
	const struct sample s = { .pid = PID, .weight = 1, .count = 1, .comm = "x", .chains = { [CHAIN_USER] = { .ips = ips, .n = 3 } } };
	struct syms_cfg cfg = { .offline = true };
	struct run r;

	(void)state;
	build("gcc", "c.c", "void clone3(void) { }\nvoid spawn(void) { clone3(); }\nint main(void) { spawn(); return 0; }\n",
	      "-O0 -fno-pie -no-pie", "cloner");
	ips[0] = nm_value("", in_scratch("cloner"), "clone3");
	ips[1] = nm_value("", in_scratch("cloner"), "spawn") + 4;
	ips[2] = nm_value("", in_scratch("cloner"), "_start") + 4;
	begin(&r, &cfg);
	map_elf(r.pic->names.syms, PID, in_scratch("cloner"), 0);
	add(&r, &s);
	assert_int_equal(r.pic->names.stack.n, 3);
	assert_string_equal(r.pic->names.stack.frames[1].name, "spawn");
	end(&r);
}

/* The only path below a node, names joined by ';'. */
static void path_text(const struct tree *tree, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (uint32_t i = tree->nodes.data[0].first_child; i != TREE_NONE; i = tree->nodes.data[i].first_child) {
		assert_int_equal(tree->nodes.data[i].next_sibling, TREE_NONE);
		n += snprintf(buf + n, size - n, "%s%s", n ? ";" : "", tree->nodes.data[i].name);
		assert_true(n < size);
	}
}

/* What it did stands above its stack, and who woke it upon it, leaf to leaf; a stack that could not be walked says so. */
static void time_off_a_cpu(void **state)
{
	const uint64_t task_ips[] = { KERNEL_IP, KERNEL_IP + 0x10 }, waker_ips[] = { KERNEL_IP + 0x20, KERNEL_IP + 0x30 };
	struct syms_cfg cfg = { .proc_root = false_proc("ffffffff81000000 T _text\nffffffff81000000 T switch\nffffffff81000010 T wait\n"
							"ffffffff81000020 T wake\nffffffff81000030 T post\nffffffff81000100 T _etext\n", "0\n") };
	const struct sample waker = { .pid = 2, .comm = "w", .chains = { [CHAIN_KERNEL] = { .ips = waker_ips, .n = 2 } } };
	struct sample s = { .pid = 1, .weight = 7, .count = 1, .comm = "x", .chains = { [CHAIN_KERNEL] = { .ips = task_ips, .n = 2 } } };
	char text[256];
	struct run r;

	(void)state;
	s.waker = &waker;
	begin(&r, &cfg);
	add(&r, &s);
	path_text(&r.tree, text, sizeof(text));
	assert_string_equal(text, "wait;switch;[woken by w];wake;post");
	end(&r);

	s.waker = NULL;
	s.off_cpu = OFF_CPU_QUEUED;
	s.chains[CHAIN_USER].stop = STOP_BEFORE;
	begin(&r, &cfg);
	add(&r, &s);
	path_text(&r.tree, text, sizeof(text));
	assert_string_equal(text, "[truncated: asleep before the start];wait;switch;[run queue]");
	assert_int_equal(r.p.losses[LOSS_CUT_BEFORE], 1);
	assert_int_equal(r.p.weight, 7);
	end(&r);

	/* Among samples of what runs, blocked time says so, and that of a file which does not say more */
	s.chains[CHAIN_KERNEL].n = 0;
	s.chains[CHAIN_USER].stop = STOP_ROOT;
	for (int blocked = 0; blocked < 2; blocked++) {
		s.off_cpu = blocked ? OFF_CPU_BLOCKED : OFF_CPU_UNKNOWN;
		begin(&r, &cfg);
		r.pic->names.off_event = s.event;
		add(&r, &s);
		path_text(&r.tree, text, sizeof(text));
		assert_string_equal(text, blocked ? "[blocked]" : "[off-CPU]");
		end(&r);
	}

	s.off_cpu = OFF_CPU_QUEUED;
	s.chains[CHAIN_USER].stop = STOP_NO_ROOM;
	begin(&r, &cfg);
	add(&r, &s);
	path_text(&r.tree, text, sizeof(text));
	assert_string_equal(text, "[truncated: no room for the stack];[run queue]");
	assert_int_equal(r.p.losses[LOSS_STACKS_FULL], 1);
	assert_true(loss_is_strict(LOSS_STACKS_FULL) && !loss_is_strict(LOSS_CUT_BEFORE));
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_kernel),
		cmocka_unit_test(other_kernel),
		cmocka_unit_test(deeper_than_we_keep),
		cmocka_unit_test(junk_above_the_root),
		cmocka_unit_test(leaf_that_is_a_root),
		cmocka_unit_test(time_off_a_cpu),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
