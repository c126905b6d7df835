/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs of the classic BPF: struct sock_filter (include/uapi/linux/filter.h), of sockets and of seccomp(). */
#include "calls/decode.h"

#define INSTRUCTION_BYTES 8
#define INSTRUCTIONS_MAX 4096 /* BPF_MAXINSNS */

struct instruction {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

enum { LD, LDX, ST, STX, ALU, JMP, RET, MISC };

/* "|BPF_ABS", or the bits where they have no name */
static void put_part(struct decode *d, const struct names *names, uint32_t bits)
{
	out_char(d->o, '|');
	put_one(d, names, bits);
}

static void put_code(struct decode *d, uint16_t code)
{
	uint32_t class = code & 7, rest = code & ~7u;

	if (d->style->names == NAMES_RAW) {
		out_hex(d->o, code);
		return;
	}
	put_one(d, &names_filter_classes, class);
	switch (class) {
	case LD: case LDX:
		put_part(d, &names_filter_sizes, rest & 0x18);
		put_part(d, &names_filter_modes, rest & ~0x18u);
		break;
	case ALU: case JMP:
		put_part(d, &names_filter_sources, rest & 8);
		put_part(d, class == ALU ? &names_filter_operations : &names_filter_jumps, rest & ~8u);
		break;
	case RET:
		put_part(d, &names_filter_results, rest);
		break;
	case MISC:
		put_part(d, &names_filter_moves, rest);
		break;
	default:
		if (rest) {
			out_char(d->o, '|');
			out_hex(d->o, rest);
		}
	}
}

/* What is not in the packet is at negative offsets: SKF_AD_OFF and others. */
static bool put_offset(struct decode *d, uint32_t k)
{
	const uint32_t ancillary = -0x1000, network = -0x100000, link = -0x200000;
	const char *name = k >= ancillary ? names_find(&names_filter_ancillary, k - ancillary) : NULL;

	if (k < link || d->style->names != NAMES_ABBREV)
		return false;
	if (k >= ancillary && name)
		out_form(d->o, "SKF_AD_OFF+%s", name);
	else if (k >= ancillary)
		out_form(d->o, "SKF_AD_OFF+%u", k - ancillary);
	else if (k >= network)
		out_form(d->o, "SKF_NET_OFF+%u", k - network);
	else
		out_form(d->o, "SKF_LL_OFF+%u", k - link);
	return true;
}

/* What seccomp() does: an action, and 16 bits of data */
static void put_action(struct decode *d, uint32_t k)
{
	const char *name = names_find(&names_seccomp_actions, k & 0xffff0000);

	if (!name || d->style->names != NAMES_ABBREV) {
		put_one(d, &names_seccomp_actions, k);
		return;
	}
	out_text(d->o, name);
	if (k & 0xffff) {
		out_char(d->o, '|');
		out_hex(d->o, k & 0xffff);
	}
}

static void put_instruction(struct decode *d, uint64_t addr, bool is_seccomp)
{
	struct instruction in = { 0 };
	bool is_jump;

	memory_get(d, addr, &in, sizeof(in));
	is_jump = in.jt || in.jf;
	out_text(d->o, is_jump ? "BPF_JUMP(" : "BPF_STMT(");
	put_code(d, in.code);
	out_text(d->o, ", ");
	if (is_seccomp && in.code == RET)
		put_action(d, in.k);
	else if (is_seccomp || (in.code & 7) != LD || !((in.code & 0xe0) == 0x20 || (in.code & 0xe0) == 0x40) || !put_offset(d, in.k)) /* ABS, IND */
		out_hex(d->o, in.k);
	if (is_jump) {
		out_text(d->o, ", ");
		out_hex(d->o, in.jt);
		out_text(d->o, ", ");
		out_hex(d->o, in.jf);
	}
	out_char(d->o, ')');
}

static void put_of_socket(struct decode *d, uint64_t addr)
{
	put_instruction(d, addr, false);
}

static void put_of_seccomp(struct decode *d, uint64_t addr)
{
	put_instruction(d, addr, true);
}

void put_filter_program(struct decode *d, uint64_t addr, uint32_t n, bool is_seccomp)
{
	struct decode few = *d;
	struct call_style style = *d->style;

	if (!d->style->is_whole) {
		put_addr(d, addr);
		return;
	}
	style.is_whole = false;
	style.text = INSTRUCTIONS_MAX;
	few.style = &style;
	put_array(&few, addr, n, INSTRUCTION_BYTES, is_seccomp ? put_of_seccomp : put_of_socket, false);
}
