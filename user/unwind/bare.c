/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Described code is skipped; without a symbol table only its calls are read, because they show where functions start. Of the rest,
 * instructions that move the stack or change the flow are kept, the instruction after each, and what is jumped to: about a third. The
 * first passes find the depth of the stack at jump targets, the next guesses where nothing jumps to, the last says the rules.
 */
#include "unwind/bare.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/crtcode.h"
#include "unwind/insn86.h"
#include "util/vec.h"

#define TEXT_MAX_BYTES (32u << 20)
#define BARE_MAX_BYTES (4u << 20) /* of that, without a description */
#define DEPTH_MAX INT16_MAX
#define WORD 8
#define FUNC_ALIGN 16u
#define NEAR_BYTES 8192u
#define NONE UINT32_MAX
/* Kinds beside those of insn86.h. */
#define UNDECODED 255 /* one byte */
#define DESCRIBED 254 /* a stretch of described code */

/* What is known at an instruction. Depths are from the caller's stack pointer down, in bytes; 0: none. */
struct depth {
	int16_t sp;
	int16_t frame;	/* bp is so deep, if it is used as a frame pointer */
	int16_t bp, bx; /* where the caller's are saved */
	bool is_start;	/* of a function */
	bool is_last;	/* and that does not come back */
};
#define LOST (-1) /* .sp */

static const struct depth entry = { .sp = WORD, .is_start = true };

/* One that is kept. */
struct insn {
	uint32_t at;
	uint32_t target; /* where it jumps to, as an index; NONE */
	int32_t value;
	uint8_t kind, reg;
	bool is_jumped : 1; /* a jump or a branch leads there */
	bool is_loop : 1;   /* one from behind */
	bool is_within : 1; /* a function: a branch leads from one side of it to the other */
};

struct text {
	const uint8_t *bytes;
	uint32_t n, nr; /* bytes, kept instructions */
	uint64_t vaddr;
	uint64_t *starts, *functions, *kept; /* a bit for each byte: an instruction starts there, a function does, it is kept */
	uint64_t *described; /* a bit for each byte that has unwinding information */
	bool has_symbols;    /* all functions are known */
	uint32_t *kept_before; /* for each word of kept: the number of bits set in the words before it */
	VEC(struct insn) moving; /* the stack, or the flow */
	struct insn *insns;
	struct depth *known; /* at each of them */
	crt_each_fn *each;
	void *arg;
};

static void mark(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= 1ull << at % 64;
}

static void mark_range(uint64_t *bits, uint32_t from, uint32_t to)
{
	for (; from < to && from % 64; from++)
		mark(bits, from);
	for (; to - from >= 64; from += 64)
		bits[from / 64] = UINT64_MAX;
	for (; from < to; from++)
		mark(bits, from);
}

static bool is_marked(const uint64_t *bits, uint32_t at)
{
	return bits[at / 64] >> at % 64 & 1;
}

/* Of the kept instruction that starts at that byte; NONE: there is none. */
static uint32_t index_of(const struct text *t, uint64_t at)
{
	if (at >= t->n || !is_marked(t->kept, at))
		return NONE;
	return t->kept_before[at / 64] + __builtin_popcountll(t->kept[at / 64] & ((1ull << at % 64) - 1));
}

static void know(struct text *t, uint32_t i, struct depth d)
{
	if (i != NONE && (!t->known[i].sp || (d.is_start && !t->known[i].is_start)))
		t->known[i] = d;
}

/* The functions of the symbol table. */
static void mark_functions(struct text *t, const struct elf_file *elf)
{
	const struct elf_sec *sec = elf_sec_by_type(elf, SHT_SYMTAB);
	struct elf_sym sym;
	bool is_full = sec; /* .dynsym has exported functions only */
	char *bytes;

	if (!sec)
		sec = elf_sec_by_type(elf, SHT_DYNSYM);
	if (!sec || elf_read_sec(elf, sec, &bytes))
		return;
	for (size_t i = 0; i < sec->size / elf_sym_size(elf); i++) {
		elf_sym_at(elf, bytes, i, &sym);
		if (sym.type != STT_FUNC || sym.value < t->vaddr || sym.value - t->vaddr >= t->n)
			continue;
		mark(t->functions, (uint32_t)(sym.value - t->vaddr));
		t->has_symbols = is_full;
	}
	free(bytes);
}

static bool has_target(uint8_t kind)
{
	return kind == INSN86_CALL || kind == INSN86_JUMP || kind == INSN86_BRANCH;
}

static uint32_t end_of_described(const struct text *t, uint32_t at)
{
	uint64_t left;

	while (!(left = ~t->described[at / 64] >> at % 64)) /* the bit after the text is clear */
		at += 64 - at % 64;
	return at + __builtin_ctzll(left);
}

/* The instruction at a byte. Returns where the next one is. Its target is one of a kind that has one. */
static uint32_t read_insn(const struct text *t, uint32_t at, struct insn86 *ret_insn, uint64_t *ret_target)
{
	uint32_t len;

	*ret_insn = (struct insn86){ .kind = UNDECODED };
	len = insn86_read(t->bytes + at, t->n - at, ret_insn);
	at += len ? len : 1;
	*ret_target = at + (uint64_t)(int64_t)ret_insn->value;
	return at;
}

/* In code without a description. */
static bool is_bare(const struct text *t, uint64_t at)
{
	return at < t->n && !is_marked(t->described, (uint32_t)at);
}

/* Passes over described code [at, end): keeps one instruction for all of it, and marks the functions that it calls. */
static int pass_over(struct text *t, uint32_t at, uint32_t end)
{
	mark(t->starts, at);
	mark(t->kept, at);
	if (vec_reserve(&t->moving))
		return -ENOMEM;
	t->moving.data[t->moving.n++] = (struct insn){ .at = at, .target = NONE, .kind = DESCRIBED };
	while (at < end && !t->has_symbols) {
		struct insn86 in;
		uint64_t target;

		at = read_insn(t, at, &in, &target);
		if ((in.kind == INSN86_CALL || in.kind == INSN86_JUMP) && is_bare(t, target))
			mark(t->functions, (uint32_t)target);
	}
	return 0;
}

/* Marks where instructions start, and which are kept; has those that do more than compute. Their target is the next instruction's byte still. */
static int decode(struct text *t)
{
	bool was_other = false;

	for (uint32_t at = 0, next; at < t->n; at = next) {
		struct insn86 in;
		uint64_t target;

		if (is_marked(t->described, at)) {
			next = end_of_described(t, at);
			if (pass_over(t, at, next))
				return -ENOMEM;
			was_other = false;
			continue;
		}
		next = read_insn(t, at, &in, &target);
		mark(t->starts, at);
		if (in.kind != INSN86_OTHER || !was_other)
			mark(t->kept, at);
		was_other = in.kind == INSN86_OTHER;
		if (has_target(in.kind) && is_bare(t, target))
			mark(t->kept, (uint32_t)target);
		if (was_other)
			continue;
		if (vec_reserve(&t->moving))
			return -ENOMEM;
		t->moving.data[t->moving.n++] = (struct insn){ at, next, in.value, in.kind, in.reg };
	}
	return 0;
}

/* Those that are kept. */
static int keep(struct text *t)
{
	uint32_t nr_words = t->n / 64 + 1, i = 0;
	size_t next = 0;

	for (uint32_t w = 0; w < nr_words; w++) {
		t->kept[w] = (t->kept[w] | t->functions[w]) & t->starts[w]; /* nothing starts in the midst of an instruction */
		t->kept_before[w] = t->nr;
		t->nr += __builtin_popcountll(t->kept[w]);
	}
	t->insns = calloc(t->nr + 1, sizeof(*t->insns));
	t->known = calloc(t->nr + 1, sizeof(*t->known));
	if (!t->insns || !t->known)
		return -ENOMEM;
	for (uint32_t w = 0; w < nr_words; w++)
		for (uint64_t left = t->kept[w]; left; left &= left - 1, i++) {
			uint32_t at = w * 64 + __builtin_ctzll(left);
			struct insn *in = &t->insns[i];

			if (is_marked(t->functions, at))
				t->known[i] = entry;
			*in = (struct insn){ .at = at, .target = NONE };
			if (next == t->moving.n || t->moving.data[next].at != at)
				continue;
			*in = t->moving.data[next++];
			in->target = has_target(in->kind) ? index_of(t, in->target + (uint64_t)(int64_t)in->value) : NONE;
		}
	t->insns[t->nr].at = t->n;
	return 0;
}

/* One that is not taken always, and stays: far away lie other functions, and cold parts of this one. */
static bool is_near(const struct text *t, const struct insn *in)
{
	uint32_t to = in->kind == INSN86_BRANCH && in->target != NONE ? t->insns[in->target].at : NONE;

	return to != NONE && (to > in->at ? to - in->at : in->at - to) < NEAR_BYTES;
}

/* What jumps and branches say of the places that they lead to, and across. */
static void find_jumped(struct text *t)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < t->nr; i++) { /* forwards */
		struct insn *in = &t->insns[i];

		if (in->kind != INSN86_CALL && in->target != NONE) {
			t->insns[in->target].is_jumped = true;
			t->insns[in->target].is_loop |= in->target <= i;
		}
		in->is_within = i < to;
		if (is_near(t, in) && in->target > to)
			to = in->target;
	}
	to = NONE;
	for (uint32_t i = t->nr; i-- > 0;) { /* and back */
		struct insn *in = &t->insns[i];

		in->is_within |= to != NONE && i > to;
		if (is_near(t, in) && in->target < to)
			to = in->target;
	}
}

/* But for the functions. */
static void forget(struct text *t)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (!t->known[i].is_start)
			t->known[i] = (struct depth){ 0 };
}

static void pushed(struct depth *d, uint8_t reg)
{
	d->sp += WORD;
	if (reg == INSN86_BP && !d->bp)
		d->bp = d->sp;
	if (reg == INSN86_BX && !d->bx)
		d->bx = d->sp;
}

static void popped(struct depth *d, uint8_t reg)
{
	if (reg == INSN86_BP && d->bp == d->sp)
		d->bp = d->frame = 0;
	if (reg == INSN86_BX && d->bx == d->sp)
		d->bx = 0;
	d->sp -= WORD;
}

static void step(struct depth *d, const struct insn *in)
{
	int64_t sp = d->sp;

	switch (in->kind) {
	case INSN86_SP_BP:
		sp = (int64_t)d->frame - in->value;
		d->sp = d->frame && sp >= WORD && sp < DEPTH_MAX ? (int16_t)sp : LOST;
		return;
	case INSN86_LEAVE:
		d->sp = d->frame ? d->frame : LOST;
		if (d->frame)
			popped(d, INSN86_BP);
		return;
	case INSN86_LOSE_SP:
		d->sp = LOST;
		return;
	}
	if (sp == LOST)
		return;
	switch (in->kind) {
	case INSN86_PUSH:
		pushed(d, in->reg);
		break;
	case INSN86_POP:
		popped(d, in->reg);
		break;
	case INSN86_ADD_SP:
		sp -= in->value;
		d->sp = sp >= WORD && sp < DEPTH_MAX ? (int16_t)sp : LOST;
		break;
	case INSN86_SET_BP:
		if (d->bp)
			d->frame = d->sp;
		break;
	}
	if (d->sp < WORD || d->sp > DEPTH_MAX - WORD)
		d->sp = LOST;
}

static struct unwind_rule rule_of(const struct depth *d)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_AT_CFA, .cfa_off = d->sp, .ra_off = -WORD };

	if (d->sp == LOST) {
		if (!d->frame)
			return (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN };
		rule.cfa = UNWIND_CFA_BP;
		rule.cfa_off = d->frame;
	}
	if (d->bp) {
		rule.saved |= UNWIND_AT_CFA;
		rule.bp_off = (int16_t)-d->bp;
	}
	if (d->bx) {
		rule.saved |= UNWIND_AT_CFA << UNWIND_BX_SHIFT;
		rule.bx_off = (int16_t)-d->bx;
	}
	return rule;
}

/* What follows is not reached from it. */
static bool is_end(const struct insn *in)
{
	return in->kind == INSN86_END || in->kind == INSN86_JUMP || in->kind == INSN86_JUMP_AT;
}

/* How the instruction after one is reached, if not by a jump. */
static struct depth depth_after(struct depth d, const struct insn *in, bool was_call)
{
	if (is_end(in))
		return (struct depth){ 0 };
	/* The call did not come back, or there would be nothing to align but a loop. */
	if (in->kind == INSN86_NOP && was_call && !(in[1].at % FUNC_ALIGN) && !in[1].is_loop)
		return (struct depth){ 0 };
	return d;
}

static int say(const struct text *t, uint64_t from, uint64_t to, const struct depth *d)
{
	struct unwind_rule rule = rule_of(d);

	return from < to ? t->each(t->arg, t->vaddr + from, t->vaddr + to, &rule) : 0;
}

/* __clone, a new thread's: xor %ebp, %ebp; pop %rdi; call *%r9; mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall; hlt */
static const char clone[] = "\x31\xed\x5f\x41\xff\xd1\x89\xc7\x31\xc0\xb0\x3c\x0f\x05\xf4";
static const struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = WORD, .ra = UNWIND_SAME };

/* What is known by its bytes. */
static int say_known(const struct text *t)
{
	struct crt_code c = { t->bytes, t->n, t->vaddr, t->each, t->arg };
	const uint8_t *at = memmem(t->bytes, t->n, clone, sizeof(clone) - 1);
	int ret = crt_say_sigreturn(&c);

	return ret || !at ? ret : crt_say(&c, (uint64_t)(at - t->bytes), (uint64_t)(at - t->bytes) + sizeof(clone) - 1, &outermost);
}

/*
 * Where nothing jumps to, and none comes from above: a case of the switch before, or a function without a symbol that is called by its
 * address only, which no branch leads across.
 */
static struct depth guess(const struct text *t, const struct depth *cases, uint32_t i)
{
	static const struct depth lost = { .sp = LOST };
	bool is_no_start = t->has_symbols || t->insns[i].is_within;

	if (cases->sp > WORD || (cases->sp && is_no_start))
		return *cases;
	return is_no_start || t->insns[i].at % FUNC_ALIGN ? lost : entry;
}

enum pass { PASS_FIND, PASS_STARTS, PASS_GUESS, PASS_SAY };

/* Before the rest those that may be functions: what is jumped to, and what follows that, is known when they are. */
static void know_guess(struct text *t, uint32_t i, enum pass pass, const struct depth *cases, bool is_behind_end)
{
	struct depth d = guess(t, cases, i);

	if (pass != PASS_STARTS || (is_behind_end && d.sp != LOST && !t->insns[i].is_jumped))
		know(t, i, d);
}

static int walk(struct text *t, enum pass pass)
{
	static const struct depth first = { .sp = WORD };
	struct depth d = { 0 }, said = first, cases = { 0 };
	uint32_t from = 0, callee = NONE;
	bool was_call = false, is_known = false, is_behind_end = true;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < t->nr; i++) {
		const struct insn *in = &t->insns[i];

		if (in->kind == DESCRIBED) {
			if (pass == PASS_SAY && is_known)
				ret = say(t, from, in->at, &said);
			from = in[1].at;
			said = first;
			d = cases = (struct depth){ 0 };
			callee = NONE;
			was_call = is_known = false;
			is_behind_end = true;
			continue;
		}
		if (!d.sp && !t->known[i].sp && pass != PASS_FIND && in->kind != INSN86_NOP)
			know_guess(t, i, pass, &cases, is_behind_end);
		if (t->known[i].sp) {
			if (callee != NONE && d.sp && d.sp != t->known[i].sp)
				t->known[callee].is_last = true;
			d = t->known[i];
		}
		is_known |= d.sp;
		if (d.is_start)
			cases = (struct depth){ 0 };
		d.is_start = d.is_last = false;
		callee = NONE;
		if (pass == PASS_SAY && d.sp && memcmp(&d, &said, sizeof(d)) != 0) {
			ret = say(t, from, in->at, &said);
			from = in->at;
			said = d;
		}
		is_behind_end = is_end(in) || (is_behind_end && in->kind == INSN86_NOP);
		if (in->kind == UNDECODED)
			d = (struct depth){ 0 };
		if (!d.sp)
			continue;
		if (in->kind == INSN86_CALL) {
			callee = in->target;
			know(t, callee, entry);
		} else if (has_target(in->kind)) {
			know(t, in->target, d);
		} else if (in->kind == INSN86_JUMP_AT) {
			cases = d;
		}
		step(&d, in);
		d = depth_after(d, in, was_call);
		if (callee != NONE && t->known[callee].is_last)
			d = (struct depth){ 0 };
		is_behind_end = !d.sp;
		was_call = in->kind == INSN86_CALL || in->kind == INSN86_CALL_AT || (was_call && in->kind == INSN86_NOP);
	}
	return pass == PASS_SAY && !ret && is_known ? say(t, from, t->n, &said) : ret;
}

static int walk_all(struct text *t, const struct elf_file *elf)
{
	int ret;

	mark_functions(t, elf);
	ret = decode(t);
	if (!ret)
		ret = keep(t);
	if (ret)
		return ret;
	find_jumped(t);
	/* Twice, for what is jumped to from below; and again when it is known which functions do not come back */
	for (int i = 0; i < 2; i++) {
		forget(t);
		walk(t, PASS_FIND);
		walk(t, PASS_FIND);
	}
	walk(t, PASS_STARTS);
	walk(t, PASS_FIND);
	walk(t, PASS_FIND);
	walk(t, PASS_GUESS);
	/* The first rule counts */
	ret = say_known(t);
	return ret ? ret : walk(t, PASS_SAY);
}

/* Marks described bytes, each once however many describe it. Returns how many are left. */
static uint32_t mark_described(struct text *t, const struct bare_described *described, size_t n)
{
	uint64_t done = t->vaddr, end = t->vaddr + t->n;
	uint32_t left = t->n;

	for (size_t i = 0; i < n; i++) {
		uint64_t from = described[i].from > done ? described[i].from : done;
		uint64_t to = described[i].to < end ? described[i].to : end;

		if (from >= to)
			continue;
		mark_range(t->described, (uint32_t)(from - t->vaddr), (uint32_t)(to - t->vaddr));
		left -= (uint32_t)(to - from);
		done = to;
	}
	return left;
}

int bare_each(const struct elf_file *elf, const struct bare_described *described, size_t n, crt_each_fn *each, void *arg)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".text");
	struct text t = { .each = each, .arg = arg };
	uint32_t nr_words;
	char *bytes;
	int ret;

	if (!sec || sec->size > TEXT_MAX_BYTES || elf_read_sec(elf, sec, &bytes))
		return 0;
	t.bytes = (const uint8_t *)bytes;
	t.n = (uint32_t)sec->size;
	t.vaddr = sec->addr;
	nr_words = t.n / 64 + 1;
	t.starts = calloc(nr_words, sizeof(*t.starts));
	t.functions = calloc(nr_words, sizeof(*t.functions));
	t.kept = calloc(nr_words, sizeof(*t.kept));
	t.described = calloc(nr_words, sizeof(*t.described));
	t.kept_before = calloc(nr_words, sizeof(*t.kept_before));
	ret = t.starts && t.functions && t.kept && t.described && t.kept_before ? 0 : -ENOMEM;
	if (!ret && mark_described(&t, described, n) <= BARE_MAX_BYTES)
		ret = walk_all(&t, elf);
	free(t.starts);
	free(t.functions);
	free(t.kept);
	free(t.described);
	free(t.kept_before);
	vec_free(&t.moving);
	free(t.insns);
	free(t.known);
	free(bytes);
	return ret;
}
