/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is read of a call: the steps of its plan. */
#ifndef SKEP_TRACESTEP_BPF_H
#define SKEP_TRACESTEP_BPF_H

#include "lib/tracefile.bpf.h"
#include "lib/traceread.bpf.h"

struct trace_plan plans[2][SYSCALL_NR_MAX]; /* native, compat; x32's are native ones */

/* A number in the piece of another step. */
static __always_inline __u64 in_piece(struct page *p, __u32 from, __u32 off, __u32 bytes)
{
	__u32 at = p->at[(from - 1) & (TRACE_STEPS - 1)];

	if (!at || off + bytes > piece_bytes(p, at))
		return 0;
	at = (at - 1 + off) & (TRACE_DATA_MAX - 1);
	return bytes == 4 ? *(__u32 *)(p->data + at) : *(__u64 *)(p->data + at);
}

/* The files of n descriptors, from a place of the data on; unit: from one to the next, in bytes. is_matched: calls are selected by them. */
__noinline int read_files(__u32 place, __u32 n, __u32 unit, int is_matched)
{
	struct page *p = page_get();
	__u32 fd, before = ~0u;

	for (__u32 i = 0; p && i < TRACE_FILES_MAX && i < n; i++, before = fd) {
		fd = *(__u32 *)(p->data + ((place + i * unit) & (TRACE_DATA_MAX - 1)));
		if (fd != before) /* as words are that are no descriptors, but 0 */
			read_file(fd, is_matched);
	}
	return 0;
}

/* The files of descriptors whose bits are in the word at a place of the data, which begins with that of `first`. Those from n on are none. */
__noinline int read_file_bits(__u32 place, __u32 first, __u32 n)
{
	struct page *p = page_get();
	__u64 bits;

	if (!p)
		return 0;
	bits = *(__u64 *)(p->data + (place & (TRACE_DATA_MAX - 1)));
	for (__u32 i = 0; i < 64 && bits && first + i < n; i++, bits >>= 1)
		if (bits & 1)
			read_file(first + i, 1);
	return 0;
}

/* The files whose descriptors the piece of step `from` has: n of them from its byte `off` on, every `unit` bytes; or bits. read: enum trace_read. */
__noinline int read_files_of(__u32 from, __u32 off, __u32 n, __u32 unit, __u32 read)
{
	struct page *p = page_get();
	__u32 at, bytes, has;

	if (!p)
		return 0;
	at = p->at[(from - 1) & (TRACE_STEPS - 1)];
	if (!at)
		return 0;
	bytes = piece_bytes(p, at);
	if (read != TRACE_FILE_BITS) {
		has = unit && bytes >= off + sizeof(__u32) ? (bytes - off - (__u32)sizeof(__u32)) / unit + 1 : 0;
		return read_files(at - 1 + off, n < has ? n : has, unit, read == TRACE_FILES);
	}
	n = p->rec.args[0]; /* of select(): one more than the highest descriptor */
	for (__u32 i = 0; i < TRACE_FILE_WORDS_MAX && i * 64 < n && (i + 1) * 8 <= bytes; i++)
		read_file_bits(at - 1 + i * 8, i * 64, n);
	return 0;
}

/* Reads what step `index` of a plan says. */
__noinline int read_step(__u32 table, __u32 nr, __u32 index)
{
	struct page *p = page_get();
	struct trace_step *s;
	__u64 addr, n, bytes;
	__u32 max, u32, compat, word;

	if (!p || nr >= SYSCALL_NR_MAX || index >= TRACE_STEPS || table > 1)
		return 0;
	s = &plans[table][nr].steps[index];
	compat = table == 1;
	if (s->read == TRACE_FILE || s->read == TRACE_FILE_SHOWN)
		return read_file(s->length == LENGTH_RET ? p->rec.ret : p->rec.args[s->arg < TRACE_ARGS ? s->arg : 0], s->read == TRACE_FILE);
	if (s->read == TRACE_FILES || s->read == TRACE_FILES_SHOWN || s->read == TRACE_FILE_BITS) {
		n = s->length == LENGTH_ARG ? p->rec.args[s->length_at < TRACE_ARGS ? s->length_at : 0] : s->max;
		return read_files_of(s->from, s->arg, n, s->unit, s->read);
	}
	word = compat && !(s->when & TRACE_FIXED) ? 4 : 8;
	if (s->from)
		addr = in_piece(p, s->from, s->arg, word);
	else
		addr = p->rec.args[s->arg < TRACE_ARGS ? s->arg : 0];
	if (!addr)
		return 0;
	switch (s->length) {
	case LENGTH_ARG:
		n = p->rec.args[s->length_at < TRACE_ARGS ? s->length_at : 0];
		break;
	case LENGTH_RET:
		n = p->rec.ret < 0 ? 0 : p->rec.ret;
		break;
	case LENGTH_AT_ARG:
		u32 = 0;
		bpf_probe_read_user(&u32, sizeof(u32), (void *)p->rec.args[s->length_at < TRACE_ARGS ? s->length_at : 0]);
		n = u32;
		break;
	case LENGTH_WORD:
		n = in_piece(p, s->from, s->length_at, word);
		break;
	case LENGTH_HALF:
		n = in_piece(p, s->from, s->length_at, 4);
		break;
	case LENGTH_BITS:
		u32 = p->rec.args[0];
		n = (int)u32 < 0 ? 0 : (u32 + 63) / 64 * 8;
		break;
	default:
		n = 1;
	}
	max = s->max ? s->max : cfg_text + (s->read == TRACE_TEXT ? 2 : 1);
	if (max > TRACE_PIECE_MAX)
		max = TRACE_PIECE_MAX;
	switch (s->read) {
	case TRACE_TEXT:
		return read_piece(addr, max, 1);
	case TRACE_STRINGS:
		return read_strings(addr, compat);
	case TRACE_COUNT:
		return read_words(addr, TRACE_COUNT_MAX / 2, compat ? 4 : 8);
	case TRACE_IOVEC:
		return read_iovec(addr, n > TRACE_IOVECS_MAX ? TRACE_IOVECS_MAX : n,
				  s->when & TRACE_AS_DONE ? (__u64)(p->rec.ret < 0 ? 0 : p->rec.ret) : ~0ull, max, compat);
	case TRACE_MESSAGES:
		return read_messages(addr, n > TRACE_MESSAGES_MAX ? TRACE_MESSAGES_MAX : n, s->when & TRACE_AS_DONE, max, compat);
	}
	bytes = n > TRACE_PIECE_MAX ? TRACE_PIECE_MAX : n * s->unit;
	if (bytes > max)
		bytes = max;
	return bytes ? read_piece(addr, bytes, 0) : 0;
}

/* Of a call. The verifiers of older kernels forget the bounds of a number that was on the stack: it gets them once more. */
static __always_inline struct trace_plan *plan_of(__u32 abi, __u64 nr)
{
	asm volatile("" : "+r"(nr));
	nr &= SYSCALL_NR_MAX - 1;
	return &plans[abi == SYSCALL_COMPAT][nr];
}

static __always_inline int step_is_due(struct trace_step *s, __u32 when, int is_failed)
{
	if (when == TRACE_AT_ENTRY)
		return s->when & TRACE_AT_ENTRY;
	if (s->when & TRACE_AGAIN)
		return is_failed;
	return (s->when & TRACE_AT_EXIT) && !(s->when & TRACE_IF_DONE && is_failed);
}

static __always_inline void read_steps(struct page *p, __u32 abi, __u32 nr, __u32 when)
{
	__u32 table = abi == SYSCALL_COMPAT;
	struct trace_plan *plan;

	if (nr >= SYSCALL_NR_MAX)
		return;
	plan = plan_of(abi, nr);
	if (!(plan->when & when))
		return;
	for (__u32 i = 0; i < TRACE_STEPS; i++) {
		struct trace_step *s = &plan->steps[i];
		int at = 0;

		if (s->read == TRACE_END)
			break;
		if (step_is_due(s, when, p->rec.ret < 0 && p->rec.ret >= -SYSCALL_ERRNO_MAX))
			at = read_step(table, nr, i);
		p->at[i] = at > 0 ? at : 0;
		if (at > 0 && s->when & TRACE_IS_PATH)
			match_path(p, at - 1);
	}
}

static __always_inline void read_as(struct page *p, __u64 as, __u64 addr, __u64 size, int is_text)
{
	__u32 at = read_piece(addr, size < TRACE_PATH_MAX ? size : TRACE_PATH_MAX, is_text) - 1 - PIECE_BYTES;

	asm volatile("" : "+r"(at));
	if (at >= TRACE_DATA_MAX)
		return;
	((struct trace_piece *)(p->data + at))->addr = as;
	if (is_text)
		match_path(p, at + PIECE_BYTES);
}

/* After the environment, at the top of the stack, is the path that was given to execve(): fs/exec.c copies it there first. */
static __always_inline void read_image(struct page *p, struct task_struct *current)
{
	struct mm_struct *mm = BPF_CORE_READ(current, mm);
	__u64 from = BPF_CORE_READ(mm, arg_start), to = BPF_CORE_READ(mm, arg_end);

	read_as(p, TRACE_NEW_PATH, BPF_CORE_READ(mm, env_end), TRACE_PATH_MAX, 1);
	if (to > from)
		read_as(p, TRACE_NEW_ARGS, from, to - from, 0);
}

#endif
