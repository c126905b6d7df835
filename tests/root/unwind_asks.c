/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel asks user space to walk, with the step that both share; and code that belongs to no file. */
#include <alloca.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "unwind.h"

/* A walk over a rest's copy of the stack. */
struct unwind_walk {
	const struct unwind_rest *rest;
};

static int unwind_word(struct unwind_walk *w, __u64 addr, __u64 *ret)
{
	__u64 off = addr - w->rest->regs.sp + w->rest->below;

	if (off >= w->rest->bytes || w->rest->bytes - off < sizeof(*ret))
		return -1;
	memcpy(ret, (const char *)(w->rest + 1) + off, sizeof(*ret));
	return 0;
}

static __u64 unwind_leaf(struct unwind_walk *w, __u32 reg)
{
	return reg < UNWIND_LEAF_REGS ? w->rest->leaf[reg] : 0;
}

#include "bpf/lib/unwindstep.bpf.h"

/* The kernel's walk and what user space found behind it. */
static struct {
	__u64 ips[FRAMES_MAX];
	uint32_t nr, nr_rests;
	int end; /* enum stack_stop of the whole */
} whole;

/* Code that keeps frame pointers: calls what it is given. */
#ifdef __aarch64__
/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };
#else
/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#endif
static __u64 code_at;

static struct unwind_rule find_rule(__u64 pc)
{
	static const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };

	if (pc - code_at < sizeof(code))
		return UNWIND_RULE_FP;
	for (uint32_t i = 0; i < nr_objects; i++) {
		const struct object *o = &objects[i];

		if (pc - o->map.start < o->map.end - o->map.start)
			return rules.data[unwind_table_find(&o->table, pc - o->map.bias + o->table.vaddr)];
	}
	return none;
}

/* A rest whose id ends the kernel's walk goes on behind its frames. */
static int walk_rest(void *arg, void *data, size_t size)
{
	const struct unwind_rest *rest = data;
	struct unwind_walk w = { rest };
	struct unwind_regs r;

	(void)arg;
	if (size < sizeof(*rest) || rest->bytes > size - sizeof(*rest) || rest->nr != whole.nr - 1 ||
	    rest->id != (whole.ips[rest->nr] & UNWIND_MARK_ID) || rest->regs.ip != whole.ips[rest->nr - 1])
		return 0;
	r = rest->regs;
	key = rest->space;
	whole.nr--;
	whole.nr_rests++;
	for (whole.end = UNWIND_MORE; !whole.end && whole.nr < FRAMES_MAX;) {
		struct unwind_rule rule = find_rule(unwind_pc(&r));

		whole.end = unwind_step(&w, &r, &rule);
		if (!whole.end)
			whole.ips[whole.nr++] = r.ip;
	}
	return 0;
}

static void walk_whole(void)
{
	struct ring_buffer *ring = ring_buffer__new(bpf_map__fd(skel->maps.unwind_rests), walk_rest, NULL, NULL);
	__u64 last;

	if (!ring)
		die("ring");
	run(skel->progs.walk_self);
	whole.nr = skel->bss->walked.nr;
	whole.nr_rests = 0;
	memcpy(whole.ips, skel->bss->walked.ips, whole.nr * sizeof(*whole.ips));
	last = whole.ips[whole.nr - 1];
	whole.end = last & UNWIND_MARK ? last >> UNWIND_MARK_SHIFT & UNWIND_MARK_CODE : STOP_WHOLE;
	if (whole.end == UNWIND_ASK)
		ring_buffer__consume(ring);
	ring_buffer__free(ring);
}

static __attribute__((noinline, noclone)) void ask(const char *what, int number)
{
	void *want[FRAMES_MAX];
	int n = backtrace(want, FRAMES_MAX);
	char why[128] = "no rest";

	bpf_map_delete_elem(bpf_map__fd(skel->maps.unwind_spaces), &key);
	walk_whole();
	judge(whole.nr_rests && whole.end == STOP_WHOLE && is_same(whole.ips, whole.nr, want, n, why, sizeof(why)), what, number, why);
}

static void *ask_in_thread(void *arg)
{
	deeper(30, 30, "a rest of a thread");
	return arg;
}

void asks(void)
{
	pthread_t t;

	at_bottom = ask;
	for (int n = 0; n < 50; n += 7)
		deeper(n, n, "a rest");
	if (pthread_create(&t, NULL, ask_in_thread, NULL) || pthread_join(t, NULL))
		die("thread");
}

static __attribute__((noinline, noclone)) void crowd(const char *what, int number)
{
	void *want[FRAMES_MAX];
	int n = backtrace(want, FRAMES_MAX);
	char why[128] = "";

	for (uint32_t asks_user = 0; asks_user < 2; asks_user++) {
		if (asks_user)
			tables_crowd();
		else
			tables_fill();
		walk_whole();
		judge(whole.nr_rests == asks_user && whole.end == STOP_WHOLE && is_same(whole.ips, whole.nr, want, n, why, sizeof(why)), what,
		      number, why);
	}
}

void evicted(void)
{
	at_bottom = crowd;
	for (int n = 1; n < 20; n += 6)
		deeper(n, n, "rows that made way");
}

/*
 * Walks from below that code to above it, as far as the kernel may by its kind, or not knowing of it (-1). Room of a size that is not
 * known has it keep a frame pointer of its own, without which there is no way on from one.
 */
static __attribute__((noinline, noclone)) void across(const char *what, int kind)
{
	struct unwind_map more = { .start = code_at, .end = kind < 0 ? 0 : code_at + sizeof(code),
				   .nr_pages = (uint32_t)kind << UNWIND_KIND_SHIFT };
	bool asks_user = kind < 0 || kind == UNWIND_MAP_ASK;
	char *room = alloca(kind + 2);
	void *want[FRAMES_MAX];
	int n = backtrace(want, FRAMES_MAX);
	char why[128] = "";

	memset(room, kind, kind + 2);
	tables_publish(&key, more);
	((void (*)(void (*)(void)))code_at)(walk_whole);
	__asm__ volatile("" : : "r"(room) : "memory");
	if (kind == UNWIND_MAP_NONE)
		judge(whole.end == STOP_NO_CODE && whole.nr > 2 && whole.ips[whole.nr - 2] - code_at < sizeof(code), what, kind, why);
	else
		judge(whole.end == STOP_WHOLE && whole.nr_rests == asks_user && is_same(whole.ips, whole.nr, want, n, why, sizeof(why)),
		      what, kind, why);
}

void unmapped(void)
{
	void *mem = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap");
	memcpy(mem, code, sizeof(code));
	__builtin___clear_cache(mem, (char *)mem + sizeof(code));
	if (mprotect(mem, sizeof(code), PROT_READ | PROT_EXEC))
		die("mprotect");
	code_at = (__u64)mem;
	at_bottom = across;
	for (int kind = -1; kind <= UNWIND_MAP_NONE; kind++)
		if (kind != UNWIND_MAP_TABLE)
			deeper(5, kind, "code without a file");
}

void meet(void)
{
	walk_whole();
	if (!whole.nr_rests || whole.end != STOP_WHOLE)
		die("no rest");
	tables_publish(&key, (struct unwind_map){ 0 });
}
