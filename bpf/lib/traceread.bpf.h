/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of the current process, piece by piece into the page of the CPU. Functions that read are global: the verifier looks at each of
 * them once, whatever the plan.
 */
#ifndef SKEP_TRACEREAD_BPF_H
#define SKEP_TRACEREAD_BPF_H

#include "bpf/trace.h"

const volatile __u32 cfg_text = 32; /* bytes of a string that are shown */

/* Where the record of a call is put together. room: what a piece that begins within the data may take beyond it. */
struct page {
	struct trace_rec rec;
	__u8 data[TRACE_DATA_MAX];
	__u8 room[2 * TRACE_PIECE_MAX];
	__u64 left; /* bytes of an array of struct iovec that were not looked at */
	__u32 at[TRACE_STEPS]; /* of the bytes that each step has read, and 1; 0: none */
	__u64 lost; /* events that there was no room for, and of which no record says so yet */
	__u32 is_match; /* one of its paths or files is selected */
	struct {
		__u32 at, text; /* in the pattern, in the text */
		__u32 star, mark; /* behind its last star, and where that began to match; 0: none */
	} glob;
	__u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* one a CPU, by its number: values of a per-CPU map have at most 32 KiB */
	__type(key, __u32);
	__type(value, struct page);
} pages SEC(".maps");

static __always_inline struct page *page_get(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&pages, &cpu);
}

#define PIECE_BYTES ((__u32)sizeof(struct trace_piece))
#define PAGE_BYTES (TRACE_DATA_MAX + TRACE_PIECE_MAX)

/*
 * Where the next piece begins; TRACE_DATA_MAX: there is no room for one. The asm keeps the compiler from leaving out the check, which the
 * verifier needs.
 */
static __always_inline __u32 piece_begin(struct page *p)
{
	__u32 at = p->rec.bytes;

	asm volatile("" : "+r"(at));
	return at <= TRACE_DATA_MAX - 64 ? at & ~7u : TRACE_DATA_MAX;
}

static __always_inline void piece_end(struct page *p, __u32 at, __u64 addr, __u32 size, __u32 flags)
{
	struct trace_piece *piece = (void *)p->data + at;

	piece->addr = addr;
	piece->size = size;
	piece->flags = flags;
	p->rec.bytes = (at + PIECE_BYTES + size + 7) & ~7u;
	p->rec.nr_pieces++;
}

/* What can be read of what is not there as a whole: a text without its NUL, a part of an array. Returns bytes, or -1. */
static __always_inline long read_less(void *to, __u64 addr, __u32 size, __u32 is_text)
{
	__u32 less = is_text ? size - 1 : (__u32)(size - ((addr + size) & 4095)); /* the end of its last page but one */

	if (less >= size || less > TRACE_PIECE_MAX)
		return -1;
	if (!bpf_probe_read_user(to, less, (void *)addr))
		return less;
	less = 4096 - (addr & 4095);
	if (is_text || less >= size)
		return -1;
	return bpf_probe_read_user(to, less, (void *)addr) ? -1 : (long)less;
}

/*
 * Adds a piece of the current process's memory: `size` bytes, those of them that can be read, or a text of at most that. Returns where
 * its bytes begin, and 1; 0: it could not be read, or there was no room. The bytes that could not be read of some are 0.
 */
__noinline int read_piece(__u64 addr, __u32 size, __u32 is_text)
{
	struct page *p = page_get();
	__u32 at;
	long n = size;

	if (!p)
		return 0;
	at = piece_begin(p);
	if (at >= TRACE_DATA_MAX)
		return 0;
	if (size > TRACE_PIECE_MAX)
		size = TRACE_PIECE_MAX;
	if (is_text) {
		n = bpf_probe_read_user_str(p->data + at + PIECE_BYTES, size, (void *)addr);
		if (!n) { /* an empty text: kernels such as 5.10 and 6.1 say 0 and may write no NUL (github.com/falcosecurity/libs/issues/866) */
			p->data[at + PIECE_BYTES] = 0;
			n = 1;
		}
	} else {
		n = bpf_probe_read_user(p->data + at + PIECE_BYTES, size, (void *)addr);
		n = n ? -1 : (long)size;
	}
	if (n < 0)
		n = read_less(p->data + at + PIECE_BYTES, addr, size, is_text);
	if (n < 0 || n > TRACE_PIECE_MAX) {
		piece_end(p, at, addr, 0, TRACE_UNREADABLE);
		return 0;
	}
	piece_end(p, at, addr, n, 0);
	return at + PIECE_BYTES + 1;
}

/*
 * Adds a piece with the words from an address on, as many as can be read, less than twice `n`, a power of two. Where they end is found
 * by halves: an array ends with a word that is 0, but one read of a fixed length may cross into a page that is not there. Returns as
 * read_piece() does.
 */
__noinline int read_words(__u64 addr, __u32 n, __u32 word)
{
	struct page *p = page_get();
	__u32 at, bytes = 0;

	if (!p)
		return 0;
	at = piece_begin(p);
	if (at >= TRACE_DATA_MAX)
		return 0;
	for (int i = 0; i < 9 && n; i++, n /= 2) {
		__u32 size = n * word, to = bytes & (TRACE_PIECE_MAX - 1);

		if (size <= TRACE_PIECE_MAX / 2 && to <= TRACE_PIECE_MAX / 2 * 2 - 8 &&
		    !bpf_probe_read_user(p->data + at + PIECE_BYTES + to, size, (void *)addr + bytes))
			bytes += size;
	}
	piece_end(p, at, addr, bytes & (TRACE_PIECE_MAX - 1), bytes ? 0 : TRACE_UNREADABLE);
	return bytes ? at + PIECE_BYTES + 1 : 0;
}

/* How many bytes there are of what was read; at: as read_piece() returns it. */
static __always_inline __u32 piece_bytes(struct page *p, int at)
{
	__u32 begin = at - 1 - PIECE_BYTES;

	asm volatile("" : "+r"(begin));
	return begin < TRACE_DATA_MAX ? ((struct trace_piece *)(p->data + begin))->size : 0;
}

/* An array of pointers up to NULL, and their texts. */
__noinline int read_strings(__u64 addr, __u32 is_compat)
{
	struct page *p = page_get();
	__u32 word = is_compat ? 4 : 8, size = cfg_text + 2, n;
	int at = read_words(addr, TRACE_STRINGS_MAX, word); /* also the one after the last that is shown */

	if (!p || at <= 0 || at >= TRACE_DATA_MAX)
		return 0;
	n = piece_bytes(p, at) / word;
	for (__u32 i = 0; i < TRACE_STRINGS_MAX && i < n; i++) {
		__u32 place = (at - 1 + i * word) & (TRACE_DATA_MAX - 1);
		__u64 pointer = is_compat ? *(__u32 *)(p->data + place) : *(__u64 *)(p->data + place);

		if (!pointer)
			break;
		read_piece(pointer, size, 1);
	}
	return 0;
}

/* Of the bytes of one struct iovec, which is at a place of the data, those that are left. Returns whether there are more. */
__noinline int read_vector(__u32 place, __u32 max, __u32 is_compat)
{
	struct page *p = page_get();
	__u64 base, bytes;

	if (!p || !p->left)
		return 0;
	place &= TRACE_DATA_MAX - 1;
	if (is_compat) {
		base = *(__u32 *)(p->data + place);
		bytes = *(__u32 *)(p->data + place + 4);
	} else {
		base = *(__u64 *)(p->data + place);
		bytes = *(__u64 *)(p->data + place + 8);
	}
	if (bytes > p->left)
		bytes = p->left;
	p->left -= bytes;
	if (bytes)
		read_piece(base, bytes < max ? bytes : max, 0);
	return 1;
}

/* An array of struct iovec, and of the bytes that they have at most `limit`, each at most `max`. */
__noinline int read_iovec(__u64 addr, __u32 n, __u64 limit, __u32 max, __u32 is_compat)
{
	struct page *p = page_get();
	__u32 unit = is_compat ? 8 : 16;
	int at;

	if (n > TRACE_IOVECS_MAX)
		n = TRACE_IOVECS_MAX;
	if (!n || !p)
		return 0;
	at = read_piece(addr, n * unit, 0);
	if (at <= 0)
		return 0;
	n = piece_bytes(p, at) / unit;
	p->left = limit;
	for (__u32 i = 0; i < TRACE_IOVECS_MAX; i++)
		if (i >= n || !read_vector(at - 1 + i * unit, max, is_compat))
			break;
	return 0;
}

/* What the struct mmsghdr points to that is at a place of the data. as_done: as many bytes as it says were moved. */
__noinline int read_message(__u32 place, __u32 as_done, __u32 max, __u32 is_compat)
{
	struct page *p = page_get();
	__u64 words[6]; /* name, its bytes, vector, how many it has, control messages, their bytes */
	__u64 limit = ~0ull;
	__u32 name_bytes;

	if (!p)
		return 0;
	place &= TRACE_DATA_MAX - 1;
	for (int i = 0; i < 6; i++)
		words[i] = is_compat ? *(__u32 *)(p->data + place + i * 4) : *(__u64 *)(p->data + place + i * 8);
	if (as_done)
		limit = *(__u32 *)(p->data + place + (is_compat ? 28 : 56));
	name_bytes = words[1]; /* an int */
	if (name_bytes)
		read_piece(words[0], name_bytes < TRACE_NAME_MAX ? name_bytes : TRACE_NAME_MAX, 0);
	read_iovec(words[2], words[3] < TRACE_IOVECS_MAX ? words[3] : TRACE_IOVECS_MAX, limit, max, is_compat);
	if (words[5])
		read_piece(words[4], words[5] < TRACE_CONTROL_MAX ? words[5] : TRACE_CONTROL_MAX, 0);
	return 0;
}

/* An array of struct mmsghdr. */
__noinline int read_messages(__u64 addr, __u32 n, __u32 as_done, __u32 max, __u32 is_compat)
{
	struct page *p = page_get();
	__u32 unit = is_compat ? 32 : 64;
	int at;

	if (n > TRACE_MESSAGES_MAX)
		n = TRACE_MESSAGES_MAX;
	if (!n || !p)
		return 0;
	at = read_piece(addr, n * unit, 0);
	if (at <= 0)
		return 0;
	n = piece_bytes(p, at) / unit;
	for (__u32 i = 0; i < TRACE_MESSAGES_MAX && i < n; i++)
		read_message(at - 1 + i * unit, as_done, max, is_compat);
	return 0;
}

#endif
