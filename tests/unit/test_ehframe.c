/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables out of ELF files made by hand: pages, gaps, overlaps, sources; and those of this program and its vDSO. */
#include "tests/unit/test_cfi.h"
#include "tests/unit/test_sym.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <zlib.h>

#include "unwind/ehtable.h"
#include "unwind/walk.h"

#define TEXT_AT 0x400000ull
#define TEXT_BYTES 0x80000ull
#define DATA_AT 0x1000u /* in the file, of what has an address from SECTION_AT on */
#define SECTIONS_MAX 8
#define CODE_AT SECTION_AT
#define PAGE (uint64_t)UNWIND_PAGE_BYTES

#define SP(n) ((struct unwind_rule){ .cfa = UNWIND_CFA_SP, .cfa_off = n, .ra = UNWIND_AT_CFA, .ra_off = -8 })

struct section {
	const char *name;
	const void *bytes;
	size_t n;
	uint64_t addr, flags;
};

struct file {
	struct section secs[SECTIONS_MAX];
	size_t nr_secs;
	uint16_t machine;
	bool has_hdr;  /* and no section headers */
	bool has_code; /* the sections are executable, and at CODE_AT */
};

static struct out frame, image;
static struct unwind_rules rules;
static struct unwind_table table;
static struct elf_file elf;

static void put_at(size_t at, const void *bytes, size_t n)
{
	assert_true(at + n <= sizeof(image.bytes));
	if (n)
		memcpy(image.bytes + at, bytes, n);
	image.n = image.n < at + n ? at + n : image.n;
}

/* The image of a file with code at TEXT_AT, which has no bytes, and sections. */
static void make_image(const struct file *f)
{
	Elf64_Ehdr h = { .e_ident = ELFMAG,
			 .e_type = ET_DYN,
			 .e_machine = f->machine ? f->machine : EM_X86_64,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 3,
			 .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr p[3] = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = TEXT_AT, .p_memsz = TEXT_BYTES },
			    { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = SECTION_AT, .p_offset = DATA_AT } };
	Elf64_Shdr s[SECTIONS_MAX + 2] = { 0 };
	char names[256] = "";
	size_t at = DATA_AT, name = 1;

	memset(&image, 0, sizeof(image));
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = ELFDATA2LSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	for (size_t i = 0; i < f->nr_secs; i++) {
		const struct section *sec = &f->secs[i];

		put_at(at, sec->bytes, sec->n);
		s[i + 1] = (Elf64_Shdr){ .sh_name = (uint32_t)name,
					 .sh_type = SHT_PROGBITS,
					 .sh_flags = sec->flags,
					 .sh_addr = sec->addr ? sec->addr : SECTION_AT,
					 .sh_offset = at,
					 .sh_size = sec->n };
		name += (size_t)sprintf(names + name, "%s", sec->name) + 1;
		at += sec->n;
	}
	p[1].p_filesz = p[1].p_memsz = at - DATA_AT;
	p[1].p_flags |= f->has_code ? PF_X : 0;
	if (f->has_hdr) {
		uint8_t hdr[8] = { 1, PTR_PCREL | PTR_S32, PTR_OMIT, PTR_OMIT };
		uint32_t back = (uint32_t)(SECTION_AT - (SECTION_AT + at - DATA_AT + 4));

		memcpy(hdr + 4, &back, 4);
		put_at(at, hdr, sizeof(hdr));
		p[2] = (Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME,
				     .p_offset = at,
				     .p_vaddr = SECTION_AT + at - DATA_AT,
				     .p_filesz = sizeof(hdr) };
	} else {
		s[f->nr_secs + 1] = (Elf64_Shdr){ .sh_name = 0, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = name };
		put_at(at, names, name);
		at += name;
		h.e_shoff = at;
		h.e_shnum = (uint16_t)(f->nr_secs + 2);
		h.e_shstrndx = (uint16_t)(f->nr_secs + 1);
		put_at(at, s, h.e_shnum * sizeof(*s));
	}
	put_at(0, &h, sizeof(h));
	put_at(sizeof(h), p, sizeof(p));
}

static void drop(void)
{
	unwind_table_free(&table);
	unwind_rules_free(&rules);
	if (elf.mem)
		elf_close(&elf);
	memset(&elf, 0, sizeof(elf));
}

static int read_file(const struct file *f)
{
	drop();
	make_image(f);
	assert_int_equal(unwind_rules_init(&rules), 0);
	assert_int_equal(elf_open_mem(image.bytes, image.n, &elf), 0);
	return unwind_table_read(&elf, NULL, &rules, &table);
}

static int read_frame(void)
{
	struct file f = { .secs = { { .name = ".eh_frame", .bytes = frame.bytes, .n = frame.n } }, .nr_secs = 1 };

	return read_file(&f);
}

static size_t frame_begin(void)
{
	frame.n = 0;
	return put_cie(&frame, "zR", ENTRY_X86);
}

static void expect_rule(uint64_t vaddr, struct unwind_rule rule)
{
	uint32_t number = unwind_table_find(&table, vaddr);

	assert_true(number < rules.n);
	assert_memory_equal(&rules.data[number], &rule, sizeof(rule));
}

static void expect_none(uint64_t vaddr)
{
	assert_int_equal(unwind_table_find(&table, vaddr), UNWIND_CFA_NONE);
}

/* What the kernel relies on. */
static void check_table(void)
{
	uint32_t rows = 0;

	assert_int_equal(table.vaddr % PAGE, 0);
	for (uint32_t i = 0; i < table.nr_pages; i++) {
		const struct unwind_page *page = &table.pages[i];

		assert_true(page->nr <= UNWIND_BLOCK_ROWS);
		if (!page->nr)
			continue;
		assert_int_equal(page->row, rows);
		rows += page->nr;
		assert_true(rows <= table.nr_rows);
		assert_int_equal(table.rows[page->row] & UNWIND_ROW_LOW, 0);
		for (uint32_t k = 0; k < page->nr; k++) {
			uint32_t row = table.rows[page->row + k];

			assert_true((row & UNWIND_ROW_LOW) < PAGE);
			assert_true(row >> UNWIND_ROW_SHIFT < rules.n);
			assert_true(!k || (row & UNWIND_ROW_LOW) > (table.rows[page->row + k - 1] & UNWIND_ROW_LOW));
			assert_true(!k || row >> UNWIND_ROW_SHIFT != table.rows[page->row + k - 1] >> UNWIND_ROW_SHIFT);
		}
	}
	assert_int_equal(rows, table.nr_rows);
}

static void test_rules(void **state)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP };
	uint32_t number;

	(void)state;
	drop();
	assert_int_equal(unwind_rules_init(&rules), 0);
	assert_int_equal(rules.n, 2);
	assert_int_equal(rules.data[0].cfa, UNWIND_CFA_NONE);
	assert_int_equal(rules.data[1].cfa, UNWIND_CFA_UNKNOWN);
	for (int round = 0; round < 2; round++)
		for (int i = 2; i < (int)UNWIND_RULES_MAX; i++) {
			rule.cfa_off = i * 8;
			assert_int_equal(unwind_rules_number(&rules, &rule, &number), 0);
			assert_int_equal(number, i);
		}
	assert_int_equal(rules.nr_full, 0);
	rule.cfa_off = 1;
	assert_int_equal(unwind_rules_number(&rules, &rule, &number), 0);
	assert_int_equal(number, UNWIND_CFA_UNKNOWN);
	assert_int_equal(rules.n, UNWIND_RULES_MAX);
	assert_int_equal(rules.nr_full, 1);
}

/* One function over four pages, from the middle of the first. */
static void test_pages(void **state)
{
	uint64_t start = TEXT_AT + PAGE / 2;
	size_t cie = frame_begin();

	(void)state;
	put_fde(&frame, cie, start, 3 * PAGE, TEXT("\x41\x0e\x10\x04\xff\x1f\x00\x00\x0e\x18"));
	assert_int_equal(read_frame(), 0);
	check_table();
	assert_int_equal(table.nr_fdes, 1);
	assert_int_equal(table.nr_bad, 0);
	assert_int_equal(table.vaddr, TEXT_AT);
	assert_int_equal(table.nr_pages, 4);
	assert_int_equal(table.pages[0].nr, 3);
	assert_int_equal(table.pages[1].nr, 1);
	assert_int_equal(table.pages[2].nr, 2);
	assert_int_equal(table.pages[3].nr, 2);
	expect_none(TEXT_AT - 1);
	expect_none(start - 1);
	expect_rule(start, SP(8));
	expect_rule(start + 1, SP(16));
	expect_rule(TEXT_AT + PAGE, SP(16));
	expect_rule(start + 2 * PAGE - 1, SP(16));
	expect_rule(start + 2 * PAGE, SP(24));
	expect_rule(start + 3 * PAGE - 1, SP(24));
	expect_none(start + 3 * PAGE);
	expect_none(UINT64_MAX);
}

static void test_gaps(void **state)
{
	uint64_t near = TEXT_AT + 8 * PAGE, far = TEXT_AT + 20 * PAGE;
	size_t cie = frame_begin();

	(void)state;
	put_fde(&frame, cie, TEXT_AT, 0x10, TEXT("\x0e\x10"));
	put_fde(&frame, cie, TEXT_AT + 0x1f, 0x11, TEXT("\x0e\x10"));
	put_fde(&frame, cie, TEXT_AT + 0x40, 0x10, TEXT("\x0e\x18"));
	put_fde(&frame, cie, near, 0x10, TEXT("\x0e\x18"));
	put_fde(&frame, cie, far, PAGE, TEXT("\x0e\x18"));
	assert_int_equal(read_frame(), 0);
	check_table();
	expect_rule(TEXT_AT + 0x1e, SP(16)); /* 15 bytes of padding */
	expect_none(TEXT_AT + 0x30);	     /* 16 bytes */
	expect_rule(TEXT_AT + 0x40, SP(24));
	expect_rule(TEXT_AT + 0x50, unwind_rule_fp); /* more than 16 KiB: another's code */
	expect_rule(near - 1, unwind_rule_fp);
	expect_rule(near, SP(24));
	expect_rule(near + 0x10, unwind_rule_fp);
	expect_rule(far - 1, unwind_rule_fp);
	expect_rule(far, SP(24));
	expect_rule(far + PAGE - 1, SP(24));
	assert_int_equal(table.nr_pages, 21);
	assert_int_equal(table.pages[0].nr, 4);
	assert_int_equal(table.pages[1].nr, 1);
	assert_int_equal(table.pages[20].nr, 1);
}

/* Unsorted, one inside of another, one across the end of another: the first in the file wins. */
static void test_overlaps(void **state)
{
	size_t cie = frame_begin();

	(void)state;
	put_fde(&frame, cie, TEXT_AT + 0x180, 0x100, TEXT("\x0e\x30"));
	put_fde(&frame, cie, TEXT_AT + 0x40, 0x20, TEXT("\x0e\x10"));
	put_fde(&frame, cie, TEXT_AT, 0x200, TEXT("\x0e\x18\x02\x80\x0e\x20"));
	put_fde(&frame, cie, TEXT_AT + 0x50, 8, TEXT("\x0e\x28"));
	assert_int_equal(read_frame(), 0);
	check_table();
	expect_rule(TEXT_AT + 0x3f, SP(24));
	expect_rule(TEXT_AT + 0x40, SP(16));
	expect_rule(TEXT_AT + 0x50, SP(16));
	expect_rule(TEXT_AT + 0x60, SP(24));
	expect_rule(TEXT_AT + 0x80, SP(32));
	expect_rule(TEXT_AT + 0x17f, SP(32));
	expect_rule(TEXT_AT + 0x180, SP(48));
	expect_rule(TEXT_AT + 0x27f, SP(48));
	expect_none(TEXT_AT + 0x280);
}

static void test_outside(void **state)
{
	size_t cie = frame_begin();

	(void)state;
	put_fde(&frame, cie, TEXT_AT - 8, 16, TEXT("")); /* begins before the code */
	put_fde(&frame, cie, TEXT_AT + TEXT_BYTES - 8, 16, TEXT(""));
	put_fde(&frame, cie, SECTION_AT, 16, TEXT("")); /* not executable */
	put_fde(&frame, cie, TEXT_AT, 0, TEXT(""));	/* nothing: no fault */
	assert_int_equal(read_frame(), -ENOEXEC);
	put_fde(&frame, cie, TEXT_AT + TEXT_BYTES - 8, 8, TEXT(""));
	assert_int_equal(read_frame(), 0);
	check_table();
	assert_int_equal(table.nr_fdes, 5);
	assert_int_equal(table.nr_bad, 3);
	assert_int_equal(table.nr_pages, 1);
	expect_rule(TEXT_AT + TEXT_BYTES - 1, SP(8));
}

static void test_broken_program(void **state)
{
	size_t cie = frame_begin();

	(void)state;
	put_fde(&frame, cie, TEXT_AT, 0x20, TEXT("\x44\x3a"));
	put_fde(&frame, cie, TEXT_AT + 0x20, 0x20, TEXT("\x0e\x10"));
	assert_int_equal(read_frame(), 0);
	check_table();
	assert_int_equal(table.nr_bad, 1);
	expect_rule(TEXT_AT + 3, SP(8));
	assert_int_equal(unwind_table_find(&table, TEXT_AT + 4), UNWIND_CFA_UNKNOWN);
	expect_rule(TEXT_AT + 0x20, SP(16));
}

/* The byte before a signal frame is its own, but not another function's. */
static void test_signal_byte(void **state)
{
	struct unwind_rule signal = SP(16);
	size_t cie;

	(void)state;
	signal.ra |= UNWIND_SIGNAL;
	frame_begin();
	cie = put_cie(&frame, "zRS", ENTRY_X86);
	put_fde(&frame, cie, TEXT_AT + 0x100, 9, TEXT("\x0e\x10"));
	put_fde(&frame, cie, TEXT_AT + PAGE, 9, TEXT("\x0e\x10\x44\x0e\x18"));
	put_fde(&frame, 0, TEXT_AT + PAGE - 8, 8, TEXT(""));
	assert_int_equal(read_frame(), 0);
	check_table();
	expect_none(TEXT_AT + 0xfe);
	expect_rule(TEXT_AT + 0xff, signal);
	expect_rule(TEXT_AT + 0x108, signal);
	expect_rule(TEXT_AT + PAGE - 1, SP(8));
	expect_rule(TEXT_AT + PAGE, signal);
}

/* A hostile page with a row for each of its bytes fills a block. */
static void test_full_page(void **state)
{
	size_t cie = frame_begin(), n = 0;
	char program[3 * 6000];

	(void)state;
	for (int i = 0; i < 6000; i++) {
		program[n++] = 0x0e;
		program[n++] = (char)(8 + 8 * (i % 2));
		program[n++] = 0x41;
	}
	put_fde(&frame, cie, TEXT_AT + PAGE, 2 * PAGE, (struct text){ program, n });
	put_fde(&frame, cie, TEXT_AT, 0x10, TEXT("\x0e\x18"));
	assert_int_equal(read_frame(), 0);
	check_table();
	assert_int_equal(table.pages[1].nr, UNWIND_BLOCK_ROWS);
	assert_int_equal(table.nr_bad, 0);
	expect_rule(TEXT_AT, SP(24));
	expect_rule(TEXT_AT + PAGE, SP(8));
	expect_rule(TEXT_AT + 2 * PAGE - 1, SP(16));
	expect_rule(TEXT_AT + 2 * PAGE, SP(8));
}

/* One function with a thousand others in it: each hole is another run of its program, and those have an end. */
static void test_many_holes(void **state)
{
	size_t cie = frame_begin();

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		put_fde(&frame, cie, TEXT_AT + 0x100 + i * 64, 16, TEXT("\x0e\x10"));
	put_fde(&frame, cie, TEXT_AT, 1100 * 64, TEXT(""));
	assert_int_equal(read_frame(), 0);
	check_table();
	expect_rule(TEXT_AT, SP(8));
	expect_rule(TEXT_AT + 0x110, SP(8));
	for (uint64_t i = 0; i < 1000; i++)
		expect_rule(TEXT_AT + 0x100 + i * 64, SP(16));
	expect_none(TEXT_AT + 0x100 + 999 * 64 + 32);
}

static void test_without_sections(void **state)
{
	struct file f = { .secs = { { .name = ".eh_frame" } }, .nr_secs = 1, .has_hdr = true };
	size_t cie = frame_begin();

	(void)state;
	put_fde(&frame, cie, TEXT_AT, 0x20, TEXT("\x0e\x10"));
	put_uint(&frame, 0, 4); /* the end, and then other things */
	put_uint(&frame, 0x55555555, 4);
	f.secs[0].bytes = frame.bytes;
	f.secs[0].n = frame.n;
	assert_int_equal(read_file(&f), 0);
	check_table();
	assert_int_equal(table.nr_bad, 0);
	expect_rule(TEXT_AT, SP(16));
}

static void test_nothing(void **state)
{
	struct file f = { .secs = { { .name = ".text", .bytes = "", .n = 1 } }, .nr_secs = 1 };

	(void)state;
	assert_int_equal(read_file(&f), -ENOENT);
	f.machine = EM_RISCV;
	assert_int_equal(read_file(&f), -ENOTSUP);
	frame_begin();
	assert_int_equal(read_frame(), -ENOENT); /* no function */
}

static void expect_debug_frame(const struct file *f)
{
	assert_int_equal(read_file(f), 0);
	check_table();
	assert_int_equal(table.nr_bad, 0);
	expect_rule(TEXT_AT, SP(32));
	expect_rule(TEXT_AT + 0x40, SP(16));
	expect_rule(TEXT_AT + 0xff, SP(32));
	expect_none(TEXT_AT + 0x100);
}

/* Only where .eh_frame has nothing; also compressed. */
static void test_debug_frame(void **state)
{
	static const uint8_t debug[] = {
		/* CIE of version 4, then CFA = rsp + 32 for 0x100 bytes from TEXT_AT; then a dropped function at 0 */
		20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 8, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0,		     /* */
		24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x0e, 32, 0, 0,		     /* */
		20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
	};
	uint8_t packed[sizeof(Elf64_Chdr) + 256];
	struct file f = { .secs = { { .name = ".eh_frame", .bytes = frame.bytes },
				    { .name = ".debug_frame", .bytes = debug, .n = sizeof(debug) } },
			  .nr_secs = 2 };
	Elf64_Chdr h = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = sizeof(debug) };
	uLongf n = sizeof(packed) - sizeof(h);
	size_t cie = frame_begin();

	(void)state;
	put_fde(&frame, cie, TEXT_AT + 0x40, 0x20, TEXT("\x0e\x10"));
	f.secs[0].n = frame.n;
	expect_debug_frame(&f);
	assert_int_equal(compress(packed + sizeof(h), &n, debug, sizeof(debug)), Z_OK);
	memcpy(packed, &h, sizeof(h));
	f.secs[1] = (struct section){ .name = ".debug_frame", .bytes = packed, .n = sizeof(h) + n, .flags = SHF_COMPRESSED };
	expect_debug_frame(&f);
	/* Broken, it is as if it were not there. */
	h.ch_size++;
	memcpy(packed, &h, sizeof(h));
	assert_int_equal(read_file(&f), 0);
	expect_rule(TEXT_AT + 0x40, SP(16));
	expect_none(TEXT_AT);
}

/* Code without any: what linkers and start files put. */
static void test_start_files(void **state)
{
	static const char plt[] = "\xff\x35....\xff\x25....\x0f\x1f\x40\x00"
				  "\xff\x25....\x68....\xe9....";
	static const char init[] = "\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x90\x48\x83\xc4\x08\xc3";
	struct file f = { .secs = { { .name = ".plt", .bytes = plt, .n = sizeof(plt) - 1, .addr = TEXT_AT },
				    { .name = ".plt.got", .bytes = "\xff\x25....\x66\x90", .n = 8, .addr = TEXT_AT + 0x100 },
				    { .name = ".init", .bytes = init, .n = sizeof(init) - 1, .addr = TEXT_AT + 0x200 },
				    { .name = ".fini", .bytes = "\xc3", .n = 1, .addr = TEXT_AT + 0x300 } },
			  .nr_secs = 4 };
	struct unwind_rule stub = SP(8);

	(void)state;
	stub.cfa = UNWIND_CFA_PLT;
	stub.add = 11;
	assert_int_equal(read_file(&f), 0);
	check_table();
	expect_rule(TEXT_AT, SP(16));
	expect_rule(TEXT_AT + 6, SP(24));
	expect_rule(TEXT_AT + 16, stub);
	expect_rule(TEXT_AT + 31, stub);
	expect_none(TEXT_AT + 32);
	expect_rule(TEXT_AT + 0x100, SP(8));
	expect_rule(TEXT_AT + 0x207, SP(8));
	expect_rule(TEXT_AT + 0x208, SP(16));
	expect_rule(TEXT_AT + 0x20c, SP(16));
	expect_rule(TEXT_AT + 0x20d, SP(8));
	expect_none(TEXT_AT + 0x300);
}

/* The linker's start file, by its address in .fini_array; its bytes are those of GCC 12. */
static void test_destructors(void **state)
{
	static const char code[] = "\xf3\x0f\x1e\xfa\x80\x3d....\x00\x75\x2b\x55\x48\x83\x3d....\x00\x48\x89\xe5\x74\x0c"
				   "\x48\x8b\x3d....\xe8....\xe8....\xc6\x05....\x01\x5d\xc3\x0f\x1f\x00\xc3";
	struct unwind_rule pushed = SP(16);
	uint64_t at = CODE_AT + 8;
	struct file f = { .secs = { { .name = ".fini_array", .bytes = &at, .n = sizeof(at), .addr = CODE_AT },
				    { .name = ".text", .bytes = code, .n = sizeof(code) - 1, .addr = CODE_AT + 8 } },
			  .nr_secs = 2,
			  .has_code = true };

	(void)state;
	pushed.saved = UNWIND_AT_CFA;
	pushed.bp_off = -16;
	assert_int_equal(read_file(&f), 0);
	check_table();
	expect_none(at - 1);
	expect_rule(at + 13, SP(8));
	expect_rule(at + 14, pushed);
	expect_rule(at + 0x33, pushed);
	expect_rule(at + 0x34, SP(8));
	expect_rule(at + 0x38, SP(8));
	expect_none(at + 0x39);
	/* Another way to end is another function. */
	f.secs[1].n -= 1;
	assert_int_equal(read_file(&f), -ENOENT);
}

/* Whole files, cut at each byte and with bytes replaced. */
static void test_cut_and_changed(void **state)
{
	static const uint8_t values[] = { 0x00, 0x7f, 0x80, 0xff };
	size_t cie = frame_begin(), n;

	(void)state;
	put_fde(&frame, cie, TEXT_AT, 0x20, TEXT("\x0e\x10\x41\x0e\x08"));
	put_fde(&frame, cie, TEXT_AT + 0x40, 0x20, TEXT(""));
	assert_int_equal(read_frame(), 0);
	n = image.n;
	for (size_t i = 0; i < n; i++) {
		for (size_t v = 0; v <= sizeof(values); v++) {
			uint8_t was = image.bytes[i], *copy;
			size_t left = v < sizeof(values) ? n : i;

			if (i >= 0x100 && i < DATA_AT)
				continue;
			drop();
			image.bytes[i] = v < sizeof(values) ? values[v] : was;
			copy = malloc(left + !left);
			memcpy(copy, image.bytes, left);
			image.bytes[i] = was;
			assert_int_equal(unwind_rules_init(&rules), 0);
			if (!elf_open_mem(copy, left, &elf) && !unwind_table_read(&elf, NULL, &rules, &table))
				check_table();
			drop();
			free(copy);
		}
	}
}

static __attribute__((noinline)) int rule_here(uint64_t bias)
{
	const struct unwind_rule *rule = &rules.data[unwind_table_find(&table, (uint64_t)(uintptr_t)&rule_here - bias)];

	return rule->cfa == UNWIND_CFA_SP && rule->cfa_off == 8 && rule->ra == UNWIND_AT_CFA && rule->ra_off == -8;
}

static void test_this_program(void **state)
{
	struct elf_file self;
	uint64_t bias = 0;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	drop();
	assert_true(fd >= 0);
	assert_int_equal(unwind_rules_init(&rules), 0);
	assert_int_equal(elf_open_fd(fd, &self), 0);
	if (self.machine != EM_X86_64) {
		elf_close(&self);
		close(fd);
		skip();
	}
	assert_int_equal(unwind_table_read(&self, NULL, &rules, &table), 0);
	check_table();
	assert_int_equal(table.nr_bad, 0);
	assert_true(table.nr_fdes > 20);
	/* AT_PHDR is where the program headers are, which are at elf.phoff in the first segment. */
	for (uint32_t i = 0; i < self.nr_segs; i++)
		if (self.segs[i].type == PT_PHDR)
			bias = getauxval(AT_PHDR) - self.segs[i].vaddr;
	assert_true(rule_here(bias));
	elf_close(&self);
	close(fd);
}

/* Bytes of the mapping that begins at an address. */
static size_t mapped_bytes(const void *addr)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];
	size_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == (unsigned long)addr)
			n = end - start;
	fclose(f);
	return n;
}

static void test_vdso(void **state)
{
	const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	(void)state;
	drop();
	if (!vdso)
		skip();
	assert_int_equal(unwind_rules_init(&rules), 0);
	assert_int_equal(elf_open_mem(vdso, mapped_bytes(vdso), &elf), 0);
	if (elf.machine != EM_X86_64)
		skip();
	assert_int_equal(unwind_table_read(&elf, NULL, &rules, &table), 0);
	check_table();
	assert_int_equal(table.nr_bad, 0);
	assert_true(table.nr_fdes > 0);
}

static void read_built(const char *name, const char *debug_name, struct unwind_table *ret_table)
{
	int fds[2] = { open(in_scratch(name), O_RDONLY), debug_name ? open(in_scratch(debug_name), O_RDONLY) : -1 };
	struct elf_file files[2];

	assert_true(fds[0] >= 0);
	assert_int_equal(elf_open_fd(fds[0], &files[0]), 0);
	if (debug_name)
		assert_int_equal(elf_open_fd(fds[1], &files[1]), 0);
	assert_int_equal(unwind_table_read(&files[0], debug_name ? &files[1] : NULL, &rules, ret_table), 0);
	for (int i = 0; i <= !!debug_name; i++) {
		elf_close(&files[i]);
		close(fds[i]);
	}
}

/* The same code with .eh_frame, .debug_frame, that in 64 bits or compressed or in another file: one table. */
static void test_same_table(void **state)
{
	static const char source[] = "void g(void *);\n"
				     "long f(long n, long m) { char v[n]; g(v); return f(m, n) + v[0]; }\n"
				     "void h(int n) { char v[5000]; g(v); if (n) { g(v + 1); h(n - 1); } g(v + 2); }\n";
	static const char *const ways[] = { "-g", "-g -gdwarf64 -gdwarf-5", "-g -gz" };
	struct unwind_table first;
	char flags[128];

	(void)state;
	drop();
	assert_int_equal(unwind_rules_init(&rules), 0);
	build("gcc", "f.c", source, "-O2 -shared -fPIC -nostdlib", "eh");
	read_built("eh", NULL, &first);
	for (size_t i = 0; i <= sizeof(ways) / sizeof(*ways); i++) {
		if (i < sizeof(ways) / sizeof(*ways)) {
			snprintf(flags, sizeof(flags), "-O2 -shared -fPIC -nostdlib -fno-asynchronous-unwind-tables %s", ways[i]);
			build("gcc", "f.c", source, flags, "debug");
			read_built("debug", NULL, &table);
		} else {
			assert_int_equal(run("cd %s && objcopy --only-keep-debug debug apart && strip debug", scratch), 0);
			read_built("debug", "apart", &table);
		}
		check_table();
		for (uint64_t k = 0; k < 16 * PAGE; k++)
			if (unwind_table_find(&first, k) != unwind_table_find(&table, k))
				fail_msg("%s: another rule at 0x%lx", i < 3 ? ways[i] : "apart", (unsigned long)k);
		unwind_table_free(&table);
	}
	assert_true(first.nr_rows > 10);
	unwind_table_free(&first);
}

static int teardown(void **state)
{
	drop();
	return scratch_drop(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),	       cmocka_unit_test(test_pages),
		cmocka_unit_test(test_gaps),	       cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_outside),	       cmocka_unit_test(test_broken_program),
		cmocka_unit_test(test_signal_byte),    cmocka_unit_test(test_full_page),
		cmocka_unit_test(test_many_holes),     cmocka_unit_test(test_without_sections),
		cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_start_files),    cmocka_unit_test(test_destructors),
		cmocka_unit_test(test_cut_and_changed),
		cmocka_unit_test(test_this_program),   cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_same_table),
	};

	return cmocka_run_group_tests(tests, scratch_make, teardown);
}
