/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pages of memory: where they are to be, and are; segments of it. */
#include "calls/decode.h"

#define MODE_FLAGS 0xe000ull /* of a memory policy: include/uapi/linux/mempolicy.h */

void print_mempolicy(struct decode *d, unsigned i)
{
	/* set_mempolicy() takes an int */
	uint64_t mode = i ? d->e->args[i] : (uint32_t)d->e->args[i];
	const char *name = names_find(&names_mempolicy_modes, mode & ~MODE_FLAGS);

	if (!(mode & MODE_FLAGS) || d->style->names == NAMES_RAW) {
		put_one(d, &names_mempolicy_modes, mode);
		return;
	}
	if (!name) {
		put_flags(d, &names_mempolicy_flags, mode);
		return;
	}
	if (d->style->names == NAMES_VERBOSE) {
		out_hex(d->o, mode);
		out_text(d->o, " /* ");
	}
	out_text(d->o, name);
	names_more_flags(d->o, &names_mempolicy_flags, mode & MODE_FLAGS, true);
	if (d->style->names == NAMES_VERBOSE)
		out_text(d->o, " */");
}

void print_mempolicy_out(struct decode *d, unsigned i)
{
	uint32_t mode;

	if (!memory_get(d, d->e->args[i], &mode, 4)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_char(d->o, '[');
	put_one(d, &names_mempolicy_modes, mode);
	out_char(d->o, ']');
}

static void put_node_word(struct decode *d, uint64_t addr)
{
	uint64_t word = 0;

	memory_word(d, addr, &word);
	put_wide_hex(d, word, 2 * word_bytes(d));
}

/* A set of nodes. Callers pass their number plus one. */
static void put_nodes(struct decode *d, uint64_t addr, uint64_t max, bool can_fail)
{
	uint64_t bits = 8 * word_bytes(d), n = (max + bits - 2) / bits;

	if (n < max / bits || (max && !n))
		put_addr(d, addr);
	else
		put_array(d, addr, n, word_bytes(d), put_node_word, can_fail);
}

void print_nodes(struct decode *d, unsigned i)
{
	put_nodes(d, d->e->args[i], d->e->args[i + 1], false);
}

/* get_mempolicy() */
void print_nodes_out(struct decode *d, unsigned i)
{
	put_nodes(d, d->e->args[i], d->e->args[i + 1], true);
}

void print_nodes_second(struct decode *d, unsigned i)
{
	put_nodes(d, d->e->args[i], d->e->args[i - 1], false);
}

void print_nodes_third(struct decode *d, unsigned i)
{
	put_nodes(d, d->e->args[i], d->e->args[i - 2], false);
}

static void put_page(struct decode *d, uint64_t addr)
{
	uint64_t word = 0;

	memory_word(d, addr, &word);
	put_addr(d, word);
}

/* move_pages(): the pages, the nodes where they are to be, and what became of each */
void print_pages_in(struct decode *d, unsigned i)
{
	put_array(d, d->e->args[i], d->e->args[1], word_bytes(d), put_page, false);
}

void print_page_nodes(struct decode *d, unsigned i)
{
	put_array(d, d->e->args[i], d->e->args[1], 4, put_int_element, false);
}

static void put_page_status(struct decode *d, uint64_t addr)
{
	int32_t status = 0;

	memory_get(d, addr, &status, 4);
	if (status < 0)
		put_errno(d, status);
	else
		out_signed(d->o, status);
}

void print_page_status(struct decode *d, unsigned i)
{
	put_array(d, d->e->args[i], d->e->args[1], 4, put_page_status, true);
}

static void put_residence(struct decode *d, uint64_t addr)
{
	uint8_t byte = 0;

	memory_get(d, addr, &byte, 1);
	out_decimal(d->o, byte & 1);
}

/* mincore(): a byte a page */
void print_mincore(struct decode *d, unsigned i)
{
	uint64_t bytes = d->e->args[1];

	put_array(d, d->e->args[i], bytes / 4096 + !!(bytes & 4095), 1, put_residence, true);
}

/* modify_ldt(): struct user_desc (arch/x86/include/uapi/asm/ldt.h), of which the last word has bits */
void print_ldt(struct decode *d, unsigned i)
{
	uint32_t w[4];

	if (d->e->args[i + 1] != sizeof(w) || !memory_get(d, d->e->args[i], w, sizeof(w))) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_text(d->o, "{entry_number=");
	put_id(d, w[0]);
	out_text(d->o, ", base_addr=");
	put_wide_hex(d, w[1], 8);
	out_text(d->o, ", limit=");
	put_wide_hex(d, w[2], 8);
	out_form(d->o, ", seg_32bit=%u, contents=%u, read_exec_only=%u, limit_in_pages=%u, seg_not_present=%u, useable=%u", w[3] & 1,
		 w[3] >> 1 & 3, w[3] >> 3 & 1, w[3] >> 4 & 1, w[3] >> 5 & 1, w[3] >> 6 & 1);
	if (!d->is_compat)
		out_form(d->o, ", lm=%u", w[3] >> 7 & 1);
	out_char(d->o, '}');
}
