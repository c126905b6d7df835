/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Strings against literals: eight bytes at a time, or, for patterns, all states at once for each byte. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/gen_emit.h"

static void clear_text(struct gen_ctx *c, int bytes)
{
	for (int i = 0; i < bytes; i += 8)
		emit(c, BPF_ST | BPF_MEM | BPF_DW, 10, 0, TEXT_AT + i, 0);
}

/* Are the first n bytes of the text those? Jumps to no where they are not. */
static void compare_bytes(struct gen_ctx *c, const char *with, int n, struct patches *no)
{
	for (int i = 0; i < n; i += 8) {
		int bytes = n - i < 8 ? n - i : 8;
		uint64_t word = 0;

		memcpy(&word, with + i, bytes);
		load8(c, 0, 10, TEXT_AT + i);
		if (bytes < 8)
			alu_imm(c, BPF_LSH, 0, 64 - 8 * bytes);
		number(c, 1, bytes < 8 ? word << (64 - 8 * bytes) : word);
		jump_reg(c, BPF_JNE, 0, 1, no);
	}
}

int gen_glob_compile(const char *pattern, size_t len, struct gen_glob *ret_glob)
{
	unsigned state = 0;

	memset(ret_glob, 0, sizeof(*ret_glob));
	for (size_t i = 0; i < len; i++) {
		uint64_t bit = 1ull << state;
		size_t first = i + 2 + (i + 1 < len && (pattern[i + 1] == '!' || pattern[i + 1] == '^')); /* after one of the set */
		const char *close = pattern[i] == '[' && first < len ? memchr(pattern + first, ']', len - first) : NULL;

		if (pattern[i] == '*') {
			ret_glob->loop |= bit;
			continue;
		}
		if (state == 62)
			return -E2BIG;
		if (pattern[i] == '?') {
			for (int ch = 1; ch < GEN_CHARS; ch++)
				ret_glob->step[ch] |= bit;
		} else if (close) {
			const char *at = pattern + i + 1;
			bool is_not = *at == '!' || *at == '^';

			for (int ch = 1; ch < GEN_CHARS; ch++) {
				bool in = false;

				for (const char *p = at + is_not; p < close; p++) {
					bool range = p + 2 < close && p[1] == '-';

					in |= ch >= (unsigned char)p[0] && ch <= (unsigned char)p[range ? 2 : 0];
					p += range ? 2 : 0;
				}
				if (in != is_not)
					ret_glob->step[ch] |= bit;
			}
			i = close - pattern;
		} else {
			if (pattern[i] == '\\' && i + 1 < len)
				i++;
			ret_glob->step[(unsigned char)pattern[i]] |= bit;
		}
		state++;
	}
	ret_glob->accept = 1ull << state;
	return 0;
}

/* The table of a pattern, which probes share; its index, or -errno. */
static int add_glob(struct gen_ctx *c, const char *pattern, int len)
{
	struct gen *g = c->g;
	struct gen_glob glob;
	int i = 0;

	if (gen_glob_compile(pattern, len, &glob))
		return c->error = err_exit(c->err, -E2BIG, EXIT_USAGE, "a pattern has at most 62 characters");
	while (i < *g->nr_globs && memcmp(&g->globs[i], &glob, sizeof(glob)))
		i++;
	if (i == GEN_GLOBS_MAX)
		return c->error = err_exit(c->err, -E2BIG, EXIT_USAGE, "at most %d patterns in one run", GEN_GLOBS_MAX);
	g->globs[i] = glob;
	*g->nr_globs += i == *g->nr_globs;
	return i;
}

/* Every byte of the text steps all states at once (Shift-And); it has ended at its NUL. The states are in r2, the table in r4. */
static void run_glob(struct gen_ctx *c, const char *pattern, int len, int text_bytes, struct patches *no)
{
	struct gen *g = c->g;
	struct patches end = { 0 };
	const struct gen_glob *glob;
	int index;

	if (c->error)
		return;
	index = add_glob(c, pattern, len);
	if (index < 0)
		return;
	glob = &g->globs[index];
	emit(c, BPF_LD | BPF_IMM | BPF_DW, 4, BPF_PSEUDO_MAP_VALUE, 0, c->cfg->globs_fd);
	emit(c, 0, 0, 0, 0, index * (int)sizeof(*glob));
	mov_imm(c, 2, 1);
	number(c, 5, glob->loop);
	for (int i = 0; i < text_bytes; i++) {
		emit(c, BPF_LDX | BPF_MEM | BPF_B, 1, 10, TEXT_AT + i, 0);
		jump(c, BPF_JEQ, 1, 0, &end);
		alu_imm(c, BPF_LSH, 1, 3);
		mov(c, 3, 4);
		alu(c, BPF_ADD, 3, 1);
		load8(c, 3, 3, 0);
		alu(c, BPF_AND, 3, 2);
		alu_imm(c, BPF_LSH, 3, 1);
		alu(c, BPF_AND, 2, 5);
		alu(c, BPF_OR, 2, 3);
	}
	land(c, &end);
	number(c, 1, glob->accept);
	alu(c, BPF_AND, 2, 1);
	jump(c, BPF_JEQ, 2, 0, no);
}

static bool is_plain(const char *pattern, int len)
{
	for (int i = 0; i < len; i++)
		if (strchr("*?[\\", pattern[i]))
			return false;
	return true;
}

/* Falls through when the text matches. */
static void match(struct gen_ctx *c, const struct bound *n, struct patches *no)
{
	const char *with = n->literal;
	int len = n->size, room;
	bool is_glob = (n->op == OP_GLOB || n->op == OP_NOT_GLOB) && !is_plain(with, len), is_prefix;
	char exact[TEXT_BYTES] = "";

	is_prefix = is_glob && with[len - 1] == '*' && is_plain(with, len - 1);
	memcpy(exact, with, is_prefix ? len - 1 : len);
	if (is_prefix)
		len--;
	room = is_glob && !is_prefix ? TEXT_BYTES : is_prefix ? len + 1 : len + 2;
	if (n->kind == BOUND_MATCH_COMM) {
		room = PROBE_COMM_LEN;
		if (len >= PROBE_COMM_LEN && !(is_glob && !is_prefix)) { /* no name is so long */
			jump(c, BPF_JA, 0, 0, no);
			return;
		}
		clear_text(c, room);
		mov(c, 1, 10);
		alu_imm(c, BPF_ADD, 1, TEXT_AT);
		mov_imm(c, 2, room);
		call(c, HELPER(get_current_comm));
	} else {
		clear_text(c, (room + 7) & ~7);
		if (n->bits && n->bits < room)
			room = n->bits;
		gen_read_text(c, n->a, 10, TEXT_AT, room);
		jump(c, BPF_JSLT, 0, 0, c->fault);
		if (is_glob && !is_prefix && room == TEXT_BYTES) /* it may go on after what was read */
			jump(c, BPF_JSGE, 0, TEXT_BYTES, c->fault);
	}
	if (is_glob && !is_prefix)
		run_glob(c, with, len, room - 1, no);
	else
		compare_bytes(c, exact, is_prefix ? len : len + 1, no);
}

void gen_match(struct gen_ctx *c, const struct bound *n, bool when, struct patches *to)
{
	bool is_not = n->op == OP_NE || n->op == OP_NOT_GLOB;
	struct patches no = { 0 };

	if (when == is_not) { /* jump where it does not match */
		match(c, n, to);
		return;
	}
	match(c, n, &no);
	jump(c, BPF_JA, 0, 0, to);
	land(c, &no);
}
