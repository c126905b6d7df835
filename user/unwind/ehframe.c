/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of an object. In: its .eh_frame, then .debug_frame, its own or its debug file's, for what is left; of Go's its own
 * table (unwind/gocode.h) before. Entries are
 * collected first, since neither their order nor that they are disjoint is certain; then their programs are run by rising address.
 */
#include "unwind/ehframe.h"

#include <errno.h>
#include <stdlib.h>

#include "elf/elfpack.h"
#include "elf/gopclntab.h"
#include "unwind/arm64.h"
#include "unwind/bare.h"
#include "unwind/crt.h"
#include "unwind/ehtable.h"
#include "unwind/gocode.h"
#include "unwind/walk.h"
#include "util/vec.h"

#define BRIDGED_BYTES 16u /* padding between functions, where no gap is worth two rows */
#define FP_GAP_BYTES 16384u /* code that no compiler of C made: V8's. Such keeps frame pointers, or nothing does */
#define HDR_MAX_BYTES 32u

static bool is_in(const struct elf_seg *s, uint64_t start, uint64_t end)
{
	return s->type == PT_LOAD && (s->flags & PF_X) && start >= s->vaddr && end - s->vaddr <= s->memsz;
}

const struct elf_seg *eh_text(const struct elf_file *elf, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < elf->nr_segs; i++)
		if (is_in(&elf->segs[i], start, end))
			return &elf->segs[i];
	return NULL;
}

static bool is_text(struct eh_reading *r, uint64_t start, uint64_t end)
{
	if (r->text && is_in(r->text, start, end))
		return true;
	r->text = eh_text(r->elf, start, end);
	return r->text;
}

int eh_add_entry(struct eh_reading *r, const struct cfi_fde *fde, enum eh_source source)
{
	struct eh_entry *e;

	if (fde->start >= fde->end)
		return 0; /* of a function that the linker has dropped */
	if (!is_text(r, fde->start, fde->end)) {
		/* Those have an address of 0, or near, in .debug_frame. */
		r->table->nr_bad += source == EH_FRAME;
		return 0;
	}
	if (r->entries.n == UINT32_MAX)
		return -E2BIG;
	e = vec_take(&r->entries, 1);
	if (!e)
		return -ENOMEM;
	*e = (struct eh_entry){ .fde = *fde, .source = source };
	return 0;
}

static int add_fdes(struct eh_reading *r, enum eh_source source)
{
	struct cfi_fde fde;
	int ret;

	for (;;) {
		ret = cfi_next(&r->cfis[source], &fde);
		if (!ret || ret == -ENOMEM)
			return ret;
		if (ret < 0) {
			r->table->nr_bad++;
			continue;
		}
		r->table->nr_fdes++;
		if (source == EH_DEBUG_FRAME && !fde.start)
			continue;
		ret = eh_add_entry(r, &fde, source);
		if (ret)
			return ret;
	}
}

const struct cfi_machine *eh_machine(const struct elf_file *elf)
{
	return elf->machine == EM_X86_64 ? &cfi_x86_64 : &cfi_arm64;
}

/* Without section headers (strip --strip-section-headers, the vDSO of a core file) the search table of C++ says where it begins. */
static int read_by_hdr(struct eh_reading *r, const struct elf_seg *hdr, uint64_t *ret_vaddr, uint64_t *ret_size)
{
	uint64_t n = hdr->filesz < HDR_MAX_BYTES ? hdr->filesz : HDR_MAX_BYTES, off;
	struct bytes_base base = { .vaddr = hdr->vaddr, .data = hdr->vaddr, .is64 = true };
	struct bytes b;
	uint8_t enc;
	char *head;
	bool is_good;

	if (elf_read(r->elf, hdr->off, n, &head))
		return -ENOENT;
	b = bytes_of(head, n);
	base.first = b.at;
	is_good = bytes_u8(&b) == 1; /* version */
	enc = bytes_u8(&b);
	bytes_u16(&b); /* encodings of what follows */
	is_good = is_good && bytes_ptr(&b, enc, &base, ret_vaddr);
	free(head);
	if (!is_good)
		return -ENOENT;
	for (uint32_t i = 0; i < r->elf->nr_segs; i++) {
		const struct elf_seg *s = &r->elf->segs[i];

		if (s->type != PT_LOAD || *ret_vaddr < s->vaddr || *ret_vaddr - s->vaddr >= s->filesz)
			continue;
		off = *ret_vaddr - s->vaddr;
		*ret_size = s->filesz - off;
		return elf_read(r->elf, s->off + off, *ret_size, &r->bytes[EH_FRAME]);
	}
	return -ENOENT;
}

/* 0 also when there is none. */
static int read_eh_frame(struct eh_reading *r)
{
	const struct elf_sec *sec = elf_sec_by_name(r->elf, ".eh_frame");
	uint64_t vaddr = 0, size = 0;
	int ret = -ENOENT;

	if (sec) {
		vaddr = sec->addr;
		ret = elfpack_read_sec(r->elf, sec, &r->bytes[EH_FRAME], &size);
	}
	for (uint32_t i = 0; !sec && ret == -ENOENT && i < r->elf->nr_segs; i++)
		if (r->elf->segs[i].type == PT_GNU_EH_FRAME)
			ret = read_by_hdr(r, &r->elf->segs[i], &vaddr, &size);
	if (ret == -ENOENT || ret == -ENODATA)
		return 0;
	if (ret)
		return ret == -ERANGE || ret == -EBADMSG ? -ENOEXEC : ret;
	cfi_init(&r->cfis[EH_FRAME], eh_machine(r->elf), r->bytes[EH_FRAME], size, vaddr);
	r->cfis[EH_FRAME].ends_at_zero = !sec;
	return add_fdes(r, EH_FRAME);
}

/* What is broken here does not count: it is only the second source. */
static int read_debug_frame(struct eh_reading *r, const struct elf_file *debug)
{
	const struct elf_file *elf = r->elf;
	const struct elf_sec *sec = elf_sec_by_name(elf, ".debug_frame");
	uint64_t size;
	int ret;

	if (!sec && debug) {
		elf = debug;
		sec = elf_sec_by_name(elf, ".debug_frame");
	}
	if (!sec || !elf->is64 || elf->machine != r->elf->machine)
		return 0;
	ret = elfpack_read_sec(elf, sec, &r->bytes[EH_DEBUG_FRAME], &size);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	cfi_init(&r->cfis[EH_DEBUG_FRAME], eh_machine(elf), r->bytes[EH_DEBUG_FRAME], size, sec->addr);
	r->cfis[EH_DEBUG_FRAME].is_debug_frame = true;
	return add_fdes(r, EH_DEBUG_FRAME);
}

/*
 * A signal frame "returns" to the first instruction of its code, and a return address is looked up at the byte before: that is this
 * entry's too, if it is nobody's.
 */
static int add_signal_bytes(struct eh_reading *r)
{
	size_t n = r->entries.n;
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		struct eh_entry e = r->entries.data[i];

		if (e.source == EH_RULE || !r->cfis[e.source].cies[e.fde.cie].is_signal || !e.fde.start)
			continue;
		e.fde.end = e.fde.start--;
		ret = is_text(r, e.fde.start, e.fde.end) ? eh_add_entry(r, &e.fde, e.source) : 0;
	}
	return ret;
}

static int add_crt(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	struct cfi_fde fde = { .start = start, .end = end };
	struct eh_reading *r = arg;
	int ret = unwind_rules_number(r->rules, rule, &fde.cie);

	return ret ? ret : eh_add_entry(r, &fde, EH_RULE);
}

static int compare_described(const void *a, const void *b)
{
	const struct bare_described *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Rules of the code of a musl program that no entry describes. Copies where that is: entries are added meanwhile. */
static int add_bare(struct eh_reading *r)
{
	struct bare_described *described = malloc((r->entries.n + 1) * sizeof(*described)); /* of none, too */
	size_t n = r->entries.n;
	int ret;

	if (!described)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		described[i] = (struct bare_described){ r->entries.data[i].fde.start, r->entries.data[i].fde.end };
	qsort(described, n, sizeof(*described), compare_described);
	ret = bare_each(r->elf, described, n, add_crt, r);
	free(described);
	return ret;
}

int eh_add_others(struct eh_reading *r)
{
	int ret = add_signal_bytes(r);

	if (ret)
		return ret;
	ret = r->elf->machine == EM_X86_64 ? crt_each(r->elf, add_crt, r) : arm64_each(r->elf, add_crt, r);
	return ret == CRT_MUSL ? add_bare(r) : ret;
}

static int put_rule(void *arg, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct eh_reading *r = arg;
	struct eh_recent *recent = &r->recent[((uint32_t)rule->cfa_off / 8 + rule->saved) % EH_RECENT];
	int ret;

	if (memcmp(rule, &recent->rule, sizeof(*rule)) != 0) {
		ret = unwind_rules_number(r->rules, rule, &recent->number);
		if (ret)
			return ret;
		recent->rule = *rule;
	}
	return eh_rows_put(&r->rows, vaddr > r->from ? vaddr : r->from, recent->number);
}

static int put_piece(struct eh_reading *r, const struct eh_piece *p)
{
	const struct eh_entry *e = &r->entries.data[p->entry];
	int ret;

	if (e->source == EH_RULE)
		return eh_rows_put(&r->rows, p->from > r->from ? p->from : r->from, e->fde.cie);
	ret = cfi_run(&r->cfis[e->source], &e->fde, p->from, p->to, put_rule, r);
	if (ret == -EBADMSG) {
		r->table->nr_bad++;
		ret = 0;
	}
	return ret;
}

/* What is in force after p up to where next begins, from at on. */
static int put_gap(struct eh_reading *r, const struct eh_piece *p, const struct eh_piece *next, uint64_t at)
{
	uint64_t gap = next ? next->from - p->to : UINT64_MAX;
	struct eh_piece last = { p->to - 1, p->to, p->entry };

	if (!gap)
		return 0;
	if (gap < BRIDGED_BYTES)
		return at == r->from ? put_piece(r, &last) : 0; /* else it is in force already */
	if (!r->is_go && (!next || gap < FP_GAP_BYTES))
		return eh_rows_put(&r->rows, at, UNWIND_CFA_NONE);
	return put_rule(r, at, &unwind_rule_fp);
}

int eh_compile(struct eh_reading *r, uint64_t from, uint64_t to)
{
	const struct eh_piece *p = r->pieces.data, *end = p + r->pieces.n;
	int ret = eh_rows_begin(&r->rows, r->table, from, to);

	r->from = from;
	for (; !ret && p < end && p->from < to; p++) {
		const struct eh_piece *next = p + 1 < end ? p + 1 : NULL;
		struct eh_piece part = { p->from > from ? p->from : from, p->to < to ? p->to : to, p->entry };
		uint64_t at = p->to > from ? p->to : from;

		if (part.from < part.to)
			ret = put_piece(r, &part);
		if (!ret && at < to && (!next || next->from > at))
			ret = put_gap(r, p, next, at);
	}
	return ret ? ret : eh_rows_end(&r->rows, to);
}

int eh_reading_end(struct eh_reading *r, int ret, struct unwind_table *ret_table)
{
	for (int i = 0; i < EH_SOURCES; i++) {
		cfi_free(&r->cfis[i]);
		free(r->bytes[i]);
	}
	vec_free(&r->entries);
	vec_free(&r->pieces);
	if (ret) {
		unwind_table_free(r->table);
		return ret == -E2BIG ? -ENOEXEC : ret;
	}
	*ret_table = *r->table;
	return 0;
}

/* All but what is absurdly far from the first. */
static int compile_all(struct eh_reading *r)
{
	const struct eh_piece *p = r->pieces.data;

	while (p[r->pieces.n - 1].to - p[0].from > EH_SPAN_MAX_BYTES - UNWIND_PAGE_BYTES) {
		r->table->nr_bad++;
		if (!--r->pieces.n)
			return -ENOEXEC;
	}
	return eh_compile(r, p[0].from, p[r->pieces.n - 1].to);
}

int unwind_table_read(const struct elf_file *elf, const struct elf_file *debug, struct unwind_rules *rules,
		      struct unwind_table *ret_table)
{
	struct unwind_table table = { 0 };
	struct eh_reading r = { .elf = elf, .rules = rules, .table = &table, .is_go = gopclntab_is(elf) };
	int ret;

	if (!elf->is64 || (elf->machine != EM_X86_64 && elf->machine != EM_AARCH64))
		return -ENOTSUP;
	ret = gocode_each(elf, add_crt, &r);
	if (!ret)
		ret = read_eh_frame(&r);
	if (!ret)
		ret = read_debug_frame(&r, debug);
	if (!ret)
		ret = eh_add_others(&r);
	if (!ret && !r.entries.n)
		ret = table.nr_bad ? -ENOEXEC : -ENOENT;
	if (!ret)
		ret = eh_cover(&r.entries, &r.pieces);
	if (!ret)
		ret = compile_all(&r);
	return eh_reading_end(&r, ret, ret_table);
}
