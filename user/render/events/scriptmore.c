/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of the fields that few samples have: data addresses, registers, branches, raw bytes. In come bytes of the file, hostile. */
#include "render/events/script.h"

#include <ctype.h>
#include <linux/perf_event.h>

#include "model/datasrc.h"
#include "sample.h"

#define NUMBER_WIDTH 16
#define DATA_SRC_BYTES 100 /* data_src__fprintf(), tools/perf/builtin-script.c */
#define BYTES_A_LINE 8
#define LABEL_WIDTH 17

static uint64_t word_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put_addr(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	struct frame f = { .kind = FRAME_UNKNOWN };
	const struct sample *s = line->named->at;

	textbuf_hex(b, s->fields->addr, NUMBER_WIDTH);
	if (!line->has_addr_sym)
		return;
	if (view->place.find)
		view->place.find(view->place.arg, s, s->fields->addr, &f);
	script_symbol(b, &f, line->fields);
}

/* perf pads all of it to the widest one so far, and cuts what its buffers have no room for. */
static void put_data_src(struct textbuf *b, uint64_t data_src, const struct script_view *view)
{
	char text[DATA_SRC_BYTES];
	size_t n;

	textbuf_hex(b, data_src, NUMBER_WIDTH);
	textbuf_char(b, ' ');
	n = datasrc_line(data_src, text, sizeof(text) - 1 - NUMBER_WIDTH);
	textbuf_text(b, text);
	if (n > *view->data_src_width)
		*view->data_src_width = n;
	textbuf_pad(b, *view->data_src_width - n);
}

void script_before(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	const struct sample_fields *f = line->named->at->fields;

	if (!f)
		return;
	if (line->fields & SCRIPT_BIT(ADDR))
		put_addr(b, line, view);
	if (line->fields & SCRIPT_BIT(DATA_SRC))
		put_data_src(b, f->data_src, view);
	if (line->fields & SCRIPT_BIT(WEIGHT))
		textbuf_u64(b, f->has & PERF_SAMPLE_WEIGHT_STRUCT ? f->weight & UINT32_MAX : f->weight, NUMBER_WIDTH);
	if (line->fields & SCRIPT_BIT(INS_LAT))
		textbuf_u64(b, f->weight >> 32 & UINT16_MAX, NUMBER_WIDTH);
	if (line->fields & SCRIPT_BIT(RETIRE_LAT))
		textbuf_u64(b, f->weight >> 48, NUMBER_WIDTH);
	if (line->fields & SCRIPT_BIT(CGROUP))
		textbuf_u64(b, f->cgroup, NUMBER_WIDTH);
}

/* Of x86 by the numbers of its perf_regs.h, which have a gap for the vector registers; of others numbers. */
static void put_reg_name(struct textbuf *b, unsigned reg)
{
	static const char *const names[] = { "AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "IP", "FLAGS", "CS", "SS",
					     "DS", "ES", "FS", "GS", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15" };

	if (reg < sizeof(names) / sizeof(names[0]))
		textbuf_printf(b, "%5s", names[reg]);
	else
		textbuf_printf(b, "%5u", reg);
}

static void put_regs(struct textbuf *b, const struct sample_regs *regs)
{
	const uint8_t *p = regs->words;

	if (!regs->abi || !p)
		return;
	textbuf_printf(b, " ABI:%llu ", (unsigned long long)regs->abi);
	for (unsigned i = 0; i < 64; i++) {
		if (!(regs->mask >> i & 1))
			continue;
		put_reg_name(b, i);
		textbuf_put(b, ":0x", 3);
		textbuf_hex(b, word_at(p), 0);
		textbuf_char(b, ' ');
		p += sizeof(uint64_t);
	}
}

/* The three words of struct perf_branch_entry. */
struct branch_words {
	uint64_t from, to, flags;
};

static char flag(uint64_t flags, unsigned bit, char letter)
{
	return flags >> bit & 1 ? letter : '-';
}

/* mispred:1, predicted:1, in_tx:1, abort:1, cycles:16, type:4, ...: PERF_BR_* in uapi/linux/perf_event.h */
static void put_branch_flags(struct textbuf *b, uint64_t flags)
{
	static const char *const types[16] = { "-", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL",
					       "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "EXTEND_ABI" };
	char guess = flags & 1 ? 'M' : flags & 2 ? 'P' : '-';

	textbuf_printf(b, "/%c/%c/%c/%llu/%s ", guess, flag(flags, 2, 'X'), flag(flags, 3, 'A'), (unsigned long long)(flags >> 4 & 0xffff),
		       types[flags >> 20 & 15]);
}

static void put_branch_end(struct textbuf *b, const struct script_line *line, const struct script_view *view, uint64_t addr, enum script_field how)
{
	struct frame f = { .kind = FRAME_UNKNOWN, .pos = addr };
	bool is_known = view->place.find && view->place.find(view->place.arg, line->named->at, addr, &f);

	if (how == SCRIPT_BRSTACKSYM) {
		if (is_known && f.kind != FRAME_UNKNOWN) {
			textbuf_foreign(b, f.name);
			textbuf_put(b, "+0x", 3);
			textbuf_hex(b, f.off, 0);
		} else {
			textbuf_put(b, "[unknown]", 9);
		}
	} else {
		textbuf_put(b, "0x", 2);
		textbuf_hex(b, how == SCRIPT_BRSTACKOFF ? f.pos : addr, 0);
	}
	if (line->fields & SCRIPT_BIT(DSO)) {
		textbuf_char(b, '(');
		textbuf_foreign(b, f.obj && f.obj[0] ? f.obj : "[unknown]");
		textbuf_char(b, ')');
	}
}

static void put_branches(struct textbuf *b, const struct script_line *line, const struct script_view *view, enum script_field how)
{
	const struct sample_fields *f = line->named->at->fields;

	for (uint64_t i = 0; i < f->nr_branches; i++) {
		struct branch_words br;

		memcpy(&br, f->branches + i * sizeof(br), sizeof(br));
		textbuf_char(b, ' ');
		put_branch_end(b, line, view, br.from, how);
		textbuf_char(b, '/');
		put_branch_end(b, line, view, br.to, how);
		put_branch_flags(b, br.flags);
	}
}
_Static_assert(sizeof(struct branch_words) == sizeof(struct perf_branch_entry), "a branch record");

/* As perf does: eight bytes a line, and the text, if it is nothing else. */
static void put_bpf_output(struct textbuf *b, const struct sample_fields *f)
{
	bool is_text = f->raw_bytes && !f->raw[f->raw_bytes - 1];
	uint32_t len = 0;

	for (uint32_t at = 0; at < f->raw_bytes; at += BYTES_A_LINE) {
		textbuf_printf(b, "\n%*s %04x:", LABEL_WIDTH, at ? "" : "BPF output:", at);
		for (uint32_t i = at; i < at + BYTES_A_LINE; i++)
			i < f->raw_bytes ? textbuf_printf(b, " %02x", f->raw[i]) : textbuf_put(b, "   ", 3);
		textbuf_put(b, "  ", 2);
		for (uint32_t i = at; i < at + BYTES_A_LINE && i < f->raw_bytes; i++)
			textbuf_char(b, isprint(f->raw[i]) ? (char)f->raw[i] : '.');
	}
	textbuf_char(b, '\n');
	while (len < f->raw_bytes && isprint(f->raw[len]))
		len++;
	for (uint32_t i = len; i < f->raw_bytes && is_text; i++)
		is_text = !f->raw[i];
	if (!is_text || !len)
		return;
	textbuf_printf(b, "%*s \"", LABEL_WIDTH, "BPF string:");
	textbuf_put(b, (const char *)f->raw, len);
	textbuf_put(b, "\"\n", 2);
}

static void put_page_size(struct textbuf *b, uint64_t bytes)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	size_t unit = 0;

	while (bytes && !(bytes % 1024) && unit < sizeof(units) / sizeof(units[0]) - 1) {
		bytes /= 1024;
		unit++;
	}
	if (bytes)
		textbuf_printf(b, " %llu%s", (unsigned long long)bytes, units[unit]);
	else
		textbuf_put(b, " N/A", 4);
}

void script_after(struct textbuf *b, const struct script_line *line, const struct script_view *view)
{
	const struct sample_fields *f = line->named->at->fields;

	if (!f)
		return;
	if (line->fields & SCRIPT_BIT(IREGS) && f->has & PERF_SAMPLE_REGS_INTR)
		put_regs(b, &f->intr_regs);
	if (line->fields & SCRIPT_BIT(UREGS) && f->has & PERF_SAMPLE_REGS_USER)
		put_regs(b, &f->user_regs);
	for (enum script_field how = SCRIPT_BRSTACK; how <= SCRIPT_BRSTACKOFF && f->has & PERF_SAMPLE_BRANCH_STACK; how++)
		if (line->fields >> how & 1)
			put_branches(b, line, view, how);
	if (line->fields & SCRIPT_BIT(BPF_OUTPUT) && line->is_bpf_output && f->has & PERF_SAMPLE_RAW)
		put_bpf_output(b, f);
	if (line->fields & SCRIPT_BIT(PHYS_ADDR))
		textbuf_hex(b, f->phys_addr, NUMBER_WIDTH);
	if (line->fields & SCRIPT_BIT(DATA_PAGE_SIZE))
		put_page_size(b, f->data_page_bytes);
	if (line->fields & SCRIPT_BIT(CODE_PAGE_SIZE))
		put_page_size(b, f->code_page_bytes);
}
