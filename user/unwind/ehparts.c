/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of a few pages at a time, by the search table of .eh_frame_hdr: most of a compiler's 100 MB of code is never sampled. Format:
 * Linux Standard Base 5.0, Core, 10.6.2.
 */
#include <errno.h>
#include <stdlib.h>

#include "elf/gopclntab.h"
#include "unwind/arm64.h"
#include "unwind/crt.h"
#include "unwind/ehframe.h"
#include "unwind/ehtable.h"
#include "util/vec.h"

#define HEAD_BYTES 12u /* in the only form that linkers write */
#define ENTRY_BYTES 8u
#define OTHERS_MAX 256u /* pieces of code that no FDE describes */
#define CIE_MAX_BYTES 4096u	/* real ones have 20 to 60 */
#define ENTRY_MAX_BYTES 65536u
#define AHEAD_BYTES 4096u
#define SLICE_MAX_BYTES (64u << 20) /* of .eh_frame, from the first entry of a part to its last */

/* An entry of the search table. */
struct found {
	uint64_t start, fde;
};

static struct found take_found(const struct unwind_parts *p, struct bytes *b)
{
	uint64_t start = p->hdr_vaddr + (uint64_t)(int64_t)(int32_t)bytes_u32(b);

	return (struct found){ start, p->hdr_vaddr + (uint64_t)(int64_t)(int32_t)bytes_u32(b) };
}

/* n of them, from number i on, malloc'ed. */
static int read_found(const struct elf_file *elf, const struct unwind_parts *p, uint32_t i, uint32_t n, struct found **ret_found)
{
	struct found *found = NULL;
	struct bytes b;
	char *bytes;
	int ret = elf_read(elf, p->hdr_off + (uint64_t)i * ENTRY_BYTES, (uint64_t)n * ENTRY_BYTES, &bytes);

	if (ret)
		return ret;
	found = malloc(n * sizeof(*found));
	b = bytes_of(bytes, (size_t)n * ENTRY_BYTES);
	for (uint32_t k = 0; found && k < n; k++)
		found[k] = take_found(p, &b);
	free(bytes);
	*ret_found = found;
	return found ? 0 : -ENOMEM;
}

/* How many functions begin before an address. */
static int find_first(const struct elf_file *elf, const struct unwind_parts *p, uint64_t vaddr, uint32_t *ret_i)
{
	uint32_t low = 0, high = p->nr_fdes, start;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int ret = elf_read_at(elf, p->hdr_off + (uint64_t)mid * ENTRY_BYTES, &start, sizeof(start));

		if (ret)
			return ret;
		if (p->hdr_vaddr + (uint64_t)(int64_t)(int32_t)start < vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	*ret_i = low;
	return 0;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int add_cie(struct eh_reading *r, uint64_t vaddr)
{
	char *bytes;
	uint64_t off;
	uint32_t len;
	int ret;

	if (!elf_vaddr_to_off(r->elf, vaddr, &off) || elf_read_at(r->elf, off, &len, sizeof(len)) || len > CIE_MAX_BYTES ||
	    elf_read(r->elf, off, sizeof(len) + len, &bytes))
		return 0;
	ret = cfi_add_cie(&r->cfis[EH_FRAME], vaddr, bytes_of(bytes, sizeof(len) + len));
	free(bytes);
	return ret == -ENOMEM ? ret : 0;
}

/* Those of n FDEs. One that is broken is none. */
static int add_cies(struct eh_reading *r, const struct found *found, uint32_t n)
{
	VEC(uint64_t) cies = { 0 };
	struct cfi_fde fde;
	uint64_t cie, last = 0;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < n; i++) {
		if (cfi_at(&r->cfis[EH_FRAME], found[i].fde, &fde, &cie) < 0 || cie == last)
			continue;
		last = cie;
		ret = vec_reserve(&cies);
		if (!ret)
			cies.data[cies.n++] = cie;
	}
	if (!ret && cies.n)
		qsort(cies.data, cies.n, sizeof(uint64_t), compare_u64);
	for (size_t i = 0; !ret && i < cies.n; i++)
		if (!i || cies.data[i] != cies.data[i - 1])
			ret = add_cie(r, cies.data[i]);
	vec_free(&cies);
	return ret;
}

/* Reads an entry, which begins with its length, and what follows it: *had is up to where, from first on. By rising addresses. */
static int read_entry(struct eh_reading *r, uint64_t vaddr, uint64_t first, uint64_t size, uint64_t *had)
{
	uint64_t at = vaddr - first, end = at + sizeof(uint32_t), off;
	char *bytes = r->bytes[EH_FRAME];
	uint32_t len;
	int ret;

	for (int step = 0; step < 2; step++) {
		if (end > size)
			return 0; /* broken */
		if (end > *had) {
			uint64_t from = at > *had ? at : *had, to = end + AHEAD_BYTES < size ? end + AHEAD_BYTES : size;

			if (!elf_vaddr_to_off(r->elf, first + from, &off))
				return -ENOEXEC;
			ret = elf_read_at(r->elf, off, bytes + from, to - from);
			if (ret)
				return ret;
			*had = to;
		}
		memcpy(&len, bytes + at, sizeof(len));
		end += step ? 0 : len;
	}
	return 0;
}

/* Where entries may be that are near one of them: in its segment of the file. */
static bool find_bounds(const struct elf_file *elf, uint64_t near, uint64_t *ret_low, uint64_t *ret_high)
{
	for (uint32_t i = 0; i < elf->nr_segs; i++) {
		const struct elf_seg *s = &elf->segs[i];

		if (s->type != PT_LOAD || near - s->vaddr >= s->filesz)
			continue;
		*ret_low = near - s->vaddr > SLICE_MAX_BYTES / 2 ? near - SLICE_MAX_BYTES / 2 : s->vaddr;
		*ret_high = s->filesz - (near - s->vaddr) > SLICE_MAX_BYTES / 2 ? near + SLICE_MAX_BYTES / 2 : s->vaddr + s->filesz;
		return true;
	}
	return false;
}

/* What n entries at rising addresses are in, from first on up to high. */
static int read_entries(struct eh_reading *r, const uint64_t *vaddrs, uint32_t n, uint64_t high)
{
	uint64_t first = vaddrs[0], size = vaddrs[n - 1] + sizeof(uint32_t) + ENTRY_MAX_BYTES, had = 0;
	int ret = 0;

	size = (size < high ? size : high) - first;
	r->bytes[EH_FRAME] = calloc(1, size);
	if (!r->bytes[EH_FRAME])
		return -ENOMEM;
	for (uint32_t i = 0; !ret && i < n; i++)
		ret = read_entry(r, vaddrs[i], first, size, &had);
	if (!ret)
		cfi_init(&r->cfis[EH_FRAME], eh_machine(r->elf), r->bytes[EH_FRAME], size, first);
	return ret;
}

/*
 * Bytes of .eh_frame that n FDEs are in, but for those that are nowhere near the others: of compilers that put cold code together the
 * entries of a few pages are all over it. What lies between is left out, and 0.
 */
static int read_slice(struct eh_reading *r, const struct found *found, uint32_t n)
{
	uint64_t *vaddrs = malloc(n * sizeof(*vaddrs)), low, high;
	uint32_t from = 0, to = n;
	int ret;

	if (!vaddrs)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		vaddrs[i] = found[i].fde;
	qsort(vaddrs, n, sizeof(*vaddrs), compare_u64);
	ret = find_bounds(r->elf, vaddrs[n / 2], &low, &high) ? 0 : -ENOEXEC;
	while (!ret && vaddrs[from] < low)
		from++;
	while (!ret && vaddrs[to - 1] >= high)
		to--;
	if (!ret)
		ret = read_entries(r, vaddrs + from, to - from, high);
	free(vaddrs);
	return ret;
}

static int add_found(struct eh_reading *r, const struct found *found, uint32_t n)
{
	const struct cfi *cfi = &r->cfis[EH_FRAME];
	struct cfi_fde fde;
	uint64_t cie, left;
	int ret = read_slice(r, found, n);

	if (!ret)
		ret = add_cies(r, found, n);
	/* Entries that overlap would be run again and again. */
	left = (uint64_t)bytes_left(&cfi->bytes);
	for (uint32_t i = 0; !ret && i < n; i++) {
		bool is_good = cfi_at(cfi, found[i].fde, &fde, &cie) == 1 && fde.cie != UINT32_MAX && fde.nr_bytes <= left;

		r->table->nr_fdes++;
		r->table->nr_bad += !is_good;
		if (!is_good)
			continue;
		left -= fde.nr_bytes;
		ret = eh_add_entry(r, &fde, EH_FRAME);
	}
	return ret;
}

/* Those that begin in [from, to], and the one before: what lies between functions is known by both its ends. */
static int collect(struct eh_reading *r, const struct unwind_parts *p, uint64_t from, uint64_t to)
{
	struct found *found;
	uint32_t first, end, n;
	int ret = find_first(r->elf, p, from, &first);

	if (!ret)
		ret = find_first(r->elf, p, to, &end);
	if (ret)
		return ret;
	first -= first > 0;
	end += end < p->nr_fdes;
	n = end - first;
	if (first >= end || n > to - from + 2)
		return -ENOEXEC;
	ret = read_found(r->elf, p, first, n, &found);
	if (ret)
		return ret;
	ret = add_found(r, found, n);
	free(found);
	return ret ? ret : eh_add_others(r);
}

int unwind_parts_read(const struct elf_file *elf, const struct unwind_parts *parts, uint32_t page, uint32_t nr, struct unwind_rules *rules,
		      struct unwind_table *ret_table)
{
	struct unwind_table table = { 0 };
	struct eh_reading r = { .elf = elf, .rules = rules, .table = &table };
	uint64_t from = parts->vaddr + (uint64_t)page * UNWIND_PAGE_BYTES, to = from + (uint64_t)nr * UNWIND_PAGE_BYTES;
	int ret;

	to = to < parts->end ? to : parts->end;
	ret = collect(&r, parts, from, to);
	if (!ret)
		ret = eh_cover(&r.entries, &r.pieces);
	if (!ret)
		ret = eh_compile(&r, from, to);
	return eh_reading_end(&r, ret, ret_table);
}

/* The only form that linkers write: version 1, a pointer of 4 bytes, a number of 4 bytes, pairs relative to the header. */
static int read_head(const struct elf_file *elf, struct unwind_parts *p)
{
	const struct elf_seg *hdr = NULL;
	struct bytes b;
	char *head;
	bool is_usual;
	int ret;

	for (uint32_t i = 0; i < elf->nr_segs; i++)
		if (elf->segs[i].type == PT_GNU_EH_FRAME)
			hdr = &elf->segs[i];
	if (!hdr || hdr->filesz < HEAD_BYTES + ENTRY_BYTES)
		return -ENOENT;
	ret = elf_read(elf, hdr->off, HEAD_BYTES, &head);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOENT;
	b = bytes_of(head, HEAD_BYTES);
	is_usual = bytes_u8(&b) == 1;
	is_usual &= (bytes_u8(&b) & (PTR_INDIRECT | PTR_FORM)) == PTR_S32;
	is_usual &= bytes_u8(&b) == PTR_U32;
	is_usual &= bytes_u8(&b) == (PTR_DATAREL | PTR_S32);
	bytes_u32(&b);
	p->nr_fdes = bytes_u32(&b);
	free(head);
	if (!is_usual || !p->nr_fdes || p->nr_fdes > (hdr->filesz - HEAD_BYTES) / ENTRY_BYTES)
		return -ENOENT;
	p->hdr_vaddr = hdr->vaddr;
	p->hdr_off = hdr->off + HEAD_BYTES;
	return 0;
}

/* From the first function to the end of the last one. */
static int read_ends(const struct elf_file *elf, struct unwind_parts *p)
{
	struct found *first = NULL, *last = NULL;
	struct unwind_table table = { 0 };
	struct eh_reading r = { .elf = elf, .table = &table };
	int ret = read_found(elf, p, 0, 1, &first);

	if (!ret)
		ret = read_found(elf, p, p->nr_fdes - 1, 1, &last);
	if (!ret)
		ret = add_found(&r, last, 1);
	if (!ret && r.entries.n) {
		p->vaddr = first->start;
		p->end = r.entries.data[0].fde.end;
	}
	free(first);
	free(last);
	eh_reading_end(&r, -ENOENT, &table);
	if (ret == -ENOMEM)
		return ret;
	return !ret && p->vaddr < p->end && eh_text(elf, p->vaddr, p->vaddr + 1) ? 0 : -ENOENT;
}

struct others {
	struct unwind_parts *parts;
	uint32_t n;
};

/* They are found anew for each part. */
static int stretch(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	struct others *others = arg;
	struct unwind_parts *p = others->parts;

	(void)rule;
	if (others->n++ == OTHERS_MAX)
		return -ENOENT;
	p->vaddr = start < p->vaddr ? start : p->vaddr;
	p->end = end > p->end ? end : p->end;
	return 0;
}

int unwind_parts_find(const struct elf_file *elf, struct unwind_parts *ret_parts)
{
	struct unwind_parts p = { 0 };
	struct others others = { &p, 0 };
	int ret;

	if (!elf->is64 || (elf->machine != EM_X86_64 && elf->machine != EM_AARCH64) || elf_sec_by_name(elf, ".debug_frame") ||
	    gopclntab_is(elf))
		return -ENOENT;
	ret = read_head(elf, &p);
	if (!ret)
		ret = read_ends(elf, &p);
	if (!ret)
		ret = elf->machine == EM_X86_64 ? crt_each(elf, stretch, &others) : arm64_each(elf, stretch, &others);
	if (ret)
		return ret == CRT_MUSL ? -ENOENT : ret;
	p.vaddr &= ~(uint64_t)(UNWIND_PAGE_BYTES - 1);
	if (p.end - p.vaddr > EH_SPAN_MAX_BYTES)
		return -ENOENT;
	p.nr_pages = (uint32_t)((p.end - p.vaddr + UNWIND_PAGE_BYTES - 1) >> UNWIND_PAGE_SHIFT);
	*ret_parts = p;
	return 0;
}
