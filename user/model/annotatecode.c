/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function's instructions with what was sampled on them; its lines; its arrows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/annotate.h"
#include "util/hash.h"

void annotate_code_free(struct annotate_code *code)
{
	vec_free(&code->insns);
	vec_free(&code->text);
	vec_free(&code->arrows);
	vec_free(&code->lines);
}

int annotate_code_add(struct annotate_code *code, const struct annotate_insn *insn, const char *text)
{
	size_t n = strlen(text) + 1, at = code->text.n;
	char *to = vec_reserve(&code->insns) ? NULL : vec_take(&code->text, n);

	if (!to)
		return -ENOMEM;
	memcpy(to, text, n);
	code->insns.data[code->insns.n] = *insn;
	code->insns.data[code->insns.n++].text = at;
	return 0;
}

uint32_t annotate_code_find(const struct annotate_code *code, uint64_t addr)
{
	size_t lo = 0, hi = code->insns.n;
	const struct annotate_insn *i;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (code->insns.data[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	i = lo ? &code->insns.data[lo - 1] : NULL;
	return i && addr - i->addr < i->bytes ? (uint32_t)(lo - 1) : ANNOTATE_NOWHERE;
}

static void count_hits(struct annotate_code *code, const struct annotate_hit *hits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t at = annotate_code_find(code, hits[i].addr);

		if (at == ANNOTATE_NOWHERE) {
			code->outside_weight += hits[i].weight;
			code->outside_count += hits[i].count;
			continue;
		}
		code->insns.data[at].weight += hits[i].weight;
		code->insns.data[at].count += hits[i].count;
	}
}

/* An instruction without a line is a line of its own. */
static struct annotate_line *line_of(struct annotate_code *code, struct map *index, const struct annotate_insn *i)
{
	uint32_t number = i->file ? i->line : 0;
	uint64_t hash = i->file ? hash_pair((uintptr_t)i->file, number) : hash_pair(i->addr, 0);

	map_each(k, index, hash) {
		struct annotate_line *l = &code->lines.data[k];

		if (l->file == i->file && l->line == number && (l->file || l->addr == i->addr))
			return l;
	}
	if (vec_reserve(&code->lines) || map_add(index, hash, code->lines.n))
		return NULL;
	code->lines.data[code->lines.n] = (struct annotate_line){ .file = i->file, .line = number, .addr = i->addr };
	return &code->lines.data[code->lines.n++];
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct annotate_line *a = pa, *b = pb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int fill_lines(struct annotate_code *code)
{
	struct map index = { 0 };
	int ret = 0;

	for (size_t k = 0; k < code->insns.n && !ret; k++) {
		const struct annotate_insn *i = &code->insns.data[k];
		struct annotate_line *l;

		if (!i->count)
			continue;
		l = line_of(code, &index, i);
		if (!l) {
			ret = -ENOMEM;
			break;
		}
		l->weight += i->weight;
		l->count += i->count;
		if (i->weight > l->top_weight) {
			l->top_weight = i->weight;
			l->addr = l->file ? i->addr : l->addr;
		}
	}
	map_free(&index);
	if (code->lines.n)
		qsort(code->lines.data, code->lines.n, sizeof(*code->lines.data), compare_lines);
	return ret;
}

static uint32_t arrow_low(const struct annotate_arrow *a)
{
	return a->from < a->to ? a->from : a->to;
}

static uint32_t arrow_high(const struct annotate_arrow *a)
{
	return a->from < a->to ? a->to : a->from;
}

/* Short ones are next to the instructions. */
static int compare_arrows(const void *pa, const void *pb)
{
	const struct annotate_arrow *a = pa, *b = pb;
	uint32_t n = arrow_high(a) - arrow_low(a), m = arrow_high(b) - arrow_low(b);

	if (n != m)
		return n < m ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int compare_from(const void *pa, const void *pb)
{
	uint32_t a = arrow_low(pa), b = arrow_low(pb);

	return a < b ? -1 : a > b;
}

static int find_arrows(struct annotate_code *code)
{
	for (size_t i = 0; i < code->insns.n; i++) {
		struct annotate_arrow a = { .from = (uint32_t)i };

		if (!code->insns.data[i].is_jump)
			continue;
		a.to = annotate_code_find(code, code->insns.data[i].target);
		if (a.to == ANNOTATE_NOWHERE || a.to == a.from || arrow_high(&a) - arrow_low(&a) > ANNOTATE_ARROW_MAX)
			continue;
		if (vec_reserve(&code->arrows))
			return -ENOMEM;
		code->arrows.data[code->arrows.n++] = a;
	}
	return 0;
}

/* Gives each arrow the innermost lane that is free over its length; those that find none are left out. */
static int place_arrows(struct annotate_code *code)
{
	uint8_t *taken = calloc(code->insns.n + 1, sizeof(*taken)); /* a bit for each lane of a row */
	size_t kept = 0;

	if (!taken)
		return -ENOMEM;
	if (code->arrows.n)
		qsort(code->arrows.data, code->arrows.n, sizeof(*code->arrows.data), compare_arrows);
	for (size_t k = 0; k < code->arrows.n; k++) {
		struct annotate_arrow a = code->arrows.data[k];
		uint8_t all = 0;

		for (uint32_t i = arrow_low(&a); i <= arrow_high(&a) && all != UINT8_MAX; i++)
			all |= taken[i];
		while (a.lane < ANNOTATE_LANES && all & 1u << a.lane)
			a.lane++;
		if (a.lane == ANNOTATE_LANES)
			continue;
		for (uint32_t i = arrow_low(&a); i <= arrow_high(&a); i++)
			taken[i] |= (uint8_t)(1u << a.lane);
		code->nr_lanes = a.lane >= code->nr_lanes ? a.lane + 1 : code->nr_lanes;
		code->arrows.data[kept++] = a;
	}
	code->arrows.n = kept;
	if (kept)
		qsort(code->arrows.data, kept, sizeof(*code->arrows.data), compare_from);
	free(taken);
	return 0;
}

int annotate_code_merge(struct annotate_code *code, const struct annotate_hit *hits, size_t n)
{
	int ret;

	count_hits(code, hits, n);
	ret = fill_lines(code);
	if (!ret)
		ret = find_arrows(code);
	return ret ? ret : place_arrows(code);
}

/* The first arrow that may reach a row: they are in the order of where they begin, and none is longer than the maximum. */
static size_t first_arrow(const struct annotate_code *code, uint32_t insn)
{
	size_t lo = 0, hi = code->arrows.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (arrow_low(&code->arrows.data[mid]) + ANNOTATE_ARROW_MAX < insn)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void annotate_arrow_row(const struct annotate_code *code, uint32_t insn, char ret_text[ANNOTATE_LANES + 3])
{
	uint32_t lanes = code->nr_lanes;

	memset(ret_text, ' ', lanes + 2);
	ret_text[lanes + 2] = '\0';
	for (size_t k = first_arrow(code, insn); k < code->arrows.n && arrow_low(&code->arrows.data[k]) <= insn; k++) {
		const struct annotate_arrow *a = &code->arrows.data[k];
		char *at = &ret_text[lanes - 1 - a->lane];

		if (arrow_high(a) < insn)
			continue;
		if (insn != a->from && insn != a->to) {
			*at = *at == ' ' ? '|' : '+';
			continue;
		}
		*at = insn == arrow_low(a) ? '/' : '\\';
		for (char *p = at + 1; p < ret_text + lanes; p++)
			*p = *p == ' ' ? '-' : *p == '|' ? '+' : *p;
		if (ret_text[lanes] != '>')
			ret_text[lanes] = insn == a->to ? '>' : '-';
	}
}
