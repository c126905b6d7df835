/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From samples to frames, losses and notes: what the fold counts and says. */
#include "tests/unit/test_sym.h"

#include "model/fold.h"

#define KERNEL_IP 0xffffffff81000005ull

static const char *false_proc(const char *kallsyms, const char *restricted)
{
	run("rm -rf %s/proc; mkdir -p %s/proc/sys/kernel", scratch, scratch);
	write_file(in_scratch("proc/kallsyms"), kallsyms);
	write_file(in_scratch("proc/sys/kernel/kptr_restrict"), restricted);
	return in_scratch("proc");
}

struct run {
	struct fold *fold;
	struct profile p;
	struct tree tree;
};

static void begin(struct run *r, const struct syms_cfg *cfg)
{
	r->p = (struct profile){ 0 };
	r->fold = malloc(sizeof(*r->fold));
	assert_non_null(r->fold);
	assert_int_equal(fold_init(r->fold), 0);
	assert_int_equal(tree_init(&r->tree), 0);
	r->fold->syms = new_syms(cfg);
	r->fold->profile = &r->p;
	r->fold->tree = &r->tree;
	r->fold->root = ROOT_NONE;
}

static void end(struct run *r)
{
	syms_free(r->fold->syms);
	fold_free(r->fold);
	free(r->fold);
	tree_free(&r->tree);
}

static void add(struct run *r, const struct sample *s)
{
	assert_int_equal(r->fold->sink.sample(&r->fold->sink, s), 0);
}

static void kernel_note(const struct syms_cfg *cfg, const char *note)
{
	const uint64_t ips[] = { KERNEL_IP };
	const struct sample s = { .pid = 1, .weight = 1, .count = 1, .comm = "x", .kips = ips, .nr_kips = 1 };
	struct run r;

	begin(&r, cfg);
	add(&r, &s);
	add(&r, &s);
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
	kernel_note(&cfg, "kernel addresses have no names: the recorded kernel is not the one that runs here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_kernel),
		cmocka_unit_test(other_kernel),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_drop);
}
