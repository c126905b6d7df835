/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stubs and start files: short code without branches that matter, in which only the depth of the stack changes. */
#include "sym/crt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sym/bytes.h"

#define STUB_BYTES 16u
#define CODE_MAX_BYTES (1u << 20)
#define WORD 8

struct code {
	const uint8_t *bytes;
	uint64_t n, vaddr;
	crt_each_fn *each;
	void *arg;
};

static bool has(const struct code *c, uint64_t at, const char *bytes, size_t n)
{
	return at <= c->n && n <= c->n - at && !memcmp(c->bytes + at, bytes, n);
}
#define HAS(code, at, text) has(code, at, text, sizeof(text) - 1)

/* Return address at the CFA's top, nothing else moved. */
static int say(const struct code *c, uint64_t from, uint64_t to, enum unwind_cfa cfa, int32_t off, int16_t add)
{
	struct unwind_rule rule = { .cfa = (uint8_t)cfa, .ra = UNWIND_AT_CFA, .cfa_off = off, .add = add, .ra_off = -WORD };

	return from < to ? c->each(c->arg, c->vaddr + from, c->vaddr + to, &rule) : 0;
}

/* Where the push of a lazy stub ends, by its second one; 0: another kind of stub, which only jumps. */
static int16_t push_end(const struct code *c)
{
	if (HAS(c, STUB_BYTES, "\xff\x25") && HAS(c, STUB_BYTES + 6, "\x68"))
		return 11; /* jmp *slot; push n; jmp head */
	if (HAS(c, STUB_BYTES, "\xf3\x0f\x1e\xfa\x68"))
		return 9; /* endbr64; push n; jmp head */
	return HAS(c, STUB_BYTES, "\x68") ? 5 : 0;
}

/* The head pushes the link map, and is come to with one word pushed already. */
static int each_plt(const struct code *c)
{
	int16_t pushed = push_end(c);
	int ret = 0;

	if (pushed && HAS(c, 0, "\xff\x35") && !(c->vaddr % STUB_BYTES)) {
		ret = say(c, 0, 6, UNWIND_CFA_SP, 2 * WORD, 0);
		if (!ret)
			ret = say(c, 6, STUB_BYTES, UNWIND_CFA_SP, 3 * WORD, 0);
		return ret ? ret : say(c, STUB_BYTES, c->n, UNWIND_CFA_PLT, WORD, pushed);
	}
	return HAS(c, 0, "\xff\x25") || HAS(c, 0, "\xf3\x0f\x1e\xfa\xff\x25") || HAS(c, 0, "\xf3\x0f\x1e\xfa\xf2\xff\x25")
		       ? say(c, 0, c->n, UNWIND_CFA_SP, WORD, 0)
		       : 0;
}

/* .init and .fini: [endbr64;] sub $8, %rsp ... add $8, %rsp; ret */
static int each_init(const struct code *c)
{
	static const char sub[] = "\x48\x83\xec\x08", end[] = "\x48\x83\xc4\x08\xc3";
	uint64_t begin = HAS(c, 0, "\xf3\x0f\x1e\xfa") ? 4 : 0, ret_at;
	int ret;

	if (c->n < sizeof(end) - 1 || !HAS(c, begin, sub))
		return 0;
	begin += sizeof(sub) - 1;
	ret_at = c->n - 1;
	if (!HAS(c, c->n - (sizeof(end) - 1), end))
		return 0;
	ret = say(c, 0, begin, UNWIND_CFA_SP, WORD, 0);
	if (!ret)
		ret = say(c, begin, ret_at, UNWIND_CFA_SP, 2 * WORD, 0);
	return ret ? ret : say(c, ret_at, c->n, UNWIND_CFA_SP, WORD, 0);
}

int crt_each(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	static const struct {
		const char *name;
		int (*each)(const struct code *c);
	} kinds[] = {
		{ ".plt", each_plt },	  { ".plt.got", each_plt }, { ".plt.sec", each_plt },
		{ ".iplt", each_plt },	  { ".init", each_init },   { ".fini", each_init },
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct elf_sec *sec = elf_sec_by_name(elf, kinds[i].name);
		struct code c = { .each = each, .arg = arg };
		char *bytes;

		if (!sec || sec->size > CODE_MAX_BYTES || elf_read_sec(elf, sec, &bytes))
			continue;
		c.bytes = (const uint8_t *)bytes;
		c.n = sec->size;
		c.vaddr = sec->addr;
		ret = kinds[i].each(&c);
		free(bytes);
	}
	return ret;
}
