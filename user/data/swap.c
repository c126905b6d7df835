/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recordings of machines with the other byte order: in come attributes and records, hostile, out go the same in ours, in place. As perf
 * does it, all is first taken for words of 64 bits, and what is smaller is then put right. Facts: uapi/linux/perf_event.h, and for the
 * bits of an attribute that compilers count them from the other end of a byte there.
 */
#include <byteswap.h>
#include <stddef.h>

#include "data/reader.h"

#define WORD sizeof(uint64_t)
#define BODY sizeof(struct perf_event_header)

static void swap16(uint8_t *p)
{
	uint16_t v = bswap_16(get_u16(p));

	memcpy(p, &v, sizeof(v));
}

static void swap32(uint8_t *p)
{
	uint32_t v = bswap_32(get_u32(p));

	memcpy(p, &v, sizeof(v));
}

/* As many words as are whole in n bytes. */
void swap_words(uint8_t *p, size_t n)
{
	for (; n >= WORD; n -= WORD, p += WORD) {
		uint64_t v = bswap_64(get_u64(p));

		memcpy(p, &v, sizeof(v));
	}
}

/* A swapped word that is two of 32 bits: the first of them comes first again. */
static void swap_halves(uint8_t *p)
{
	uint64_t v = get_u64(p);

	v = v << 32 | v >> 32;
	memcpy(p, &v, sizeof(v));
}

static uint8_t mirrored(uint8_t b)
{
	uint8_t out = 0;

	for (int i = 0; i < 8; i++)
		out |= (uint8_t)((b >> i & 1) << (7 - i));
	return out;
}

void swap_attr(uint8_t *attr, size_t size)
{
	/* Those that are no word. */
	static const uint8_t halves[] = {
		offsetof(struct perf_event_attr, type), offsetof(struct perf_event_attr, wakeup_events),
		offsetof(struct perf_event_attr, sample_stack_user), offsetof(struct perf_event_attr, aux_watermark),
	};
	const size_t bits = offsetof(struct perf_event_attr, read_format) + WORD;
	const size_t quarters = offsetof(struct perf_event_attr, sample_max_stack);

	swap_words(attr, size);
	for (size_t i = 0; i < sizeof(halves); i++)
		if (halves[i] + WORD <= size)
			swap_halves(attr + halves[i]);
	if (bits + WORD <= size) {
		swap_words(attr + bits, WORD);
		for (size_t i = bits; i < bits + WORD; i++)
			attr[i] = mirrored(attr[i]);
	}
	/* Two of 16 bits in the second half of a word. */
	if (quarters + sizeof(uint32_t) <= size) {
		swap32(attr + quarters);
		swap16(attr + quarters);
		swap16(attr + quarters + sizeof(uint16_t));
	}
}

/* What follows a string: words. */
static void swap_after_text(uint8_t *record, size_t at, size_t size)
{
	size_t n = at < size ? strnlen((const char *)record + at, size - at) + 1 : 0;

	at += (n + RECORD_ALIGN - 1) & ~(size_t)(RECORD_ALIGN - 1);
	if (at < size)
		swap_words(record + at, size - at);
}

/* n pairs of 32 bits. */
static void swap_pairs(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < 2 * n; i++)
		swap32(p + i * sizeof(uint32_t));
}

/* Maps and names. */
static void swap_named(uint8_t *record, uint32_t type, uint16_t misc, size_t size)
{
	size_t text = type == PERF_RECORD_COMM ? 16 : type == PERF_RECORD_KSYMBOL ? 24 : type == PERF_RECORD_MMAP ? MMAP_PATH_AT : MMAP2_PATH_AT;

	if (size < text)
		return;
	if (type == PERF_RECORD_KSYMBOL) {
		swap_words(record + BODY, WORD);
		swap32(record + 16);
		swap16(record + 20);
		swap16(record + 22);
	} else {
		swap_pairs(record + BODY, 1);
	}
	if (type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2)
		swap_words(record + 16, 3 * WORD);
	if (type == PERF_RECORD_MMAP2) {
		if (!(misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
			swap_pairs(record + MMAP2_ID_AT, 1);
			swap_words(record + MMAP2_ID_AT + WORD, 2 * WORD);
		}
		swap_pairs(record + MMAP2_PROT_AT, 1);
	}
	swap_after_text(record, text, size);
}

/* Records of perf itself. */
static void swap_user(uint8_t *record, uint32_t type, size_t size)
{
	switch (type) {
	case RECORD_HEADER_ATTR: {
		size_t n = size >= BODY + PERF_ATTR_SIZE_VER0 ? bswap_32(get_u32(record + BODY + offsetof(struct perf_event_attr, size))) : 0;

		n = n && n <= size - BODY ? n : size - BODY;
		swap_attr(record + BODY, n);
		swap_words(record + BODY + n, size - BODY - n);
		return;
	}
	case RECORD_EVENT_UPDATE:
		swap_words(record + BODY, size - BODY < 2 * WORD ? 0 : 2 * WORD);
		return;
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_BUILD_ID:
	case RECORD_AUXTRACE_INFO:
		if (size >= BODY + sizeof(uint32_t))
			swap32(record + BODY);
		return;
	case RECORD_HEADER_FEATURE:
	case RECORD_COMPRESSED2:
	case RECORD_AUXTRACE:
		swap_words(record + BODY, size - BODY < WORD ? 0 : WORD);
		return;
	}
}

size_t swap_size(const uint8_t *record)
{
	return bswap_16(get_u16(record + offsetof(struct perf_event_header, size)));
}

void swap_record(uint8_t *record)
{
	size_t size = swap_size(record);
	uint32_t type;
	uint16_t misc;

	swap32(record);
	swap16(record + offsetof(struct perf_event_header, misc));
	swap16(record + offsetof(struct perf_event_header, size));
	type = get_u32(record);
	misc = get_u16(record + offsetof(struct perf_event_header, misc));
	switch (type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_KSYMBOL:
		swap_named(record, type, misc, size);
		return;
	case PERF_RECORD_READ:
		if (size >= 16)
			swap_pairs(record + BODY, 1);
		swap_words(record + 16, size < 16 ? 0 : size - 16);
		return;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (size >= 32)
			swap_pairs(record + BODY, 2);
		swap_words(record + 24, size < 24 ? 0 : size - 24);
		return;
	}
	if (type >= RECORD_USER_FIRST)
		swap_user(record, type, size);
	else
		swap_words(record + BODY, size - BODY);
}

/* Bytes that are no words at all, from p on: as the file had them. */
static void unswap(uint8_t *p, const uint8_t *end, uint64_t n)
{
	uint64_t left = (uint64_t)(end - p);

	n = n < left ? (n + WORD - 1) & ~(WORD - 1) : left;
	swap_words(p, n < left ? n : left);
}

/* The fields of a sample after its call chain, as fields_take() has them. */
static void swap_rest(const struct layout *l, uint8_t *p, const uint8_t *end)
{
	uint64_t t = l->sample_type, n, left = (uint64_t)(end - p) / WORD;

	if (t & PERF_SAMPLE_RAW && left) {
		unswap(p, end, WORD);
		swap32(p);
		n = sizeof(uint32_t) + (uint64_t)get_u32(p);
		unswap(p + WORD, end, n > WORD ? n - WORD : 0);
		n = (n + WORD - 1) / WORD;
		if (n > left)
			return;
		p += n * WORD;
		left -= n;
	}
	if (t & PERF_SAMPLE_BRANCH_STACK && left) {
		n = get_u64(p);
		n = n > left ? left : 1 + !!(l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX) + n * sizeof(struct perf_branch_entry) / WORD;
		if (n > left)
			return;
		p += n * WORD;
		left -= n;
	}
	if (t & PERF_SAMPLE_REGS_USER && left) {
		n = 1 + (get_u64(p) ? (uint64_t)__builtin_popcountll(l->user_mask) : 0);
		if (n > left)
			return;
		p += n * WORD;
		left -= n;
	}
	if (t & PERF_SAMPLE_STACK_USER && left)
		unswap(p + WORD, end, get_u64(p));
}

void swap_sample(const struct layout *l, uint8_t *record, size_t size)
{
	static const uint64_t order[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
					  PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD };
	const uint8_t *at = record + BODY, *end = record + size;
	struct reads reads;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(l->sample_type & order[i]))
			continue;
		if ((size_t)(end - at) < WORD)
			return;
		if (order[i] & (PERF_SAMPLE_TID | PERF_SAMPLE_CPU))
			swap_halves(record + (at - record));
		at += WORD;
	}
	if (l->sample_type & PERF_SAMPLE_READ && !reads_take(&at, end, l->read_format, &reads))
		return;
	if (l->sample_type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t left = (uint64_t)(end - at) / WORD, nr = left ? get_u64(at) : 0;

		if (!left || nr > left - 1)
			return;
		at += (1 + nr) * WORD;
	}
	swap_rest(l, record + (at - record), end);
}

void swap_trailer(const struct layout *l, uint8_t *record, size_t size)
{
	uint8_t *trailer;

	if (size < BODY + (size_t)l->trailer)
		return;
	trailer = record + size - l->trailer;
	if (l->tail_tid >= 0)
		swap_halves(trailer);
	if (l->tail_cpu >= 0)
		swap_halves(trailer + l->tail_cpu);
}
