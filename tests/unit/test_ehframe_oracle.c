/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of real objects against libdw's reading of the same bytes, at every row, at the byte before it, and at random addresses:
 * both are asked for the caller's registers in a made-up world, where registers and memory are random. SKEP_OBJECTS=N takes N
 * objects of the system instead of a handful.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LIBDW
#include "test_objects.h"
#include "test_oracle.h"
#endif

#include "unwind/arm64.h"
#include "unwind/crt.h"
#include "unwind/ehframe.h"
#include "util/hash.h"

#ifndef HAVE_LIBDW

static void test_objects(void **state)
{
	(void)state;
	skip();
}

static void test_arm64_objects(void **state)
{
	(void)state;
	skip();
}

#else

#define RANDOM_ADDRESSES 1000
#define SHOWN_MAX 20
#define BRIDGED_BYTES 16
#define STARTS_MAX 32

struct counts {
	uint64_t objects, rows, addresses, mismatches;
	uint64_t unsaid_cfa, unsaid_ra, unsaid_bp, unsaid_bx; /* libdw knows it */
	uint64_t lazy; /* of arm64's lazy binding: libdw takes it that the stub has pushed nothing, as its CFI says */
	uint64_t bridged, signal, start_files, gaps, halves; /* libdw has nothing there */
};

struct range {
	uint64_t start, end;
};

struct object {
	const char *path;
	struct range starts[STARTS_MAX];
	size_t nr_starts;
	struct elf_file elf;
	struct unwind_table table;
	Elf *libelf;
	Dwarf_CFI *cfi;
};

static struct unwind_rules rules;
static struct counts counts;

static struct value our_cfa(const struct unwind_rule *rule)
{
	uint64_t off = (uint64_t)(int64_t)rule->cfa_off, add = (uint64_t)(int64_t)rule->add;

	switch (rule->cfa) {
	case UNWIND_CFA_SP:
		return (struct value){ KNOWN, regs[machine->sp] + off };
	case UNWIND_CFA_BP:
		return (struct value){ KNOWN, regs[machine->bp] + off };
	case UNWIND_CFA_BX:
		return (struct value){ KNOWN, regs[machine->bx] + off };
	case UNWIND_CFA_REG:
		return (struct value){ KNOWN, regs[rule->reg] + off };
	case UNWIND_CFA_SP_DEREF:
		return (struct value){ KNOWN, memory_at(regs[machine->sp] + off) + add };
	case UNWIND_CFA_BP_DEREF:
		return (struct value){ KNOWN, memory_at(regs[machine->bp] + off) + add };
	case UNWIND_CFA_SP_INDEX:
		return (struct value){ KNOWN, memory_at(regs[machine->sp] + 8 * regs[rule->reg] + off) + add };
	case UNWIND_CFA_PLT:
		return (struct value){ KNOWN, regs[machine->sp] + off + ((regs[machine->ip] & 15) >= add ? 8 : 0) };
	default:
		return (struct value){ UNSAID, 0 };
	}
}

static struct value our_saved(unsigned int how, int16_t off, uint64_t cfa, uint8_t reg)
{
	switch (how) {
	case UNWIND_SAME:
		return reg == machine->ra ? (struct value){ NOTHING, 0 } : (struct value){ KNOWN, regs[reg] };
	case UNWIND_AT_CFA:
		return (struct value){ KNOWN, memory_at(cfa + (uint64_t)(int64_t)off) };
	case UNWIND_AT_SP:
		return (struct value){ KNOWN, memory_at(regs[machine->sp] + (uint64_t)(int64_t)off) };
	case UNWIND_AT_BP:
		return (struct value){ KNOWN, memory_at(regs[machine->bp] + (uint64_t)(int64_t)off) };
	default:
		return (struct value){ UNSAID, 0 };
	}
}

static void mismatch(const struct object *o, uint64_t addr, const char *what, struct value ours, struct value theirs)
{
	if (counts.mismatches++ < SHOWN_MAX)
		print_error("%s at 0x%" PRIx64 ": %s is %d 0x%" PRIx64 ", libdw has %d 0x%" PRIx64 "\n", o->path, addr, what,
			    ours.known, ours.v, theirs.known, theirs.v);
}

static void compare(const struct object *o, uint64_t addr, const char *what, struct value ours, struct value theirs,
		    uint64_t *unsaid)
{
	if (ours.known == UNSAID)
		*unsaid += theirs.known == KNOWN;
	else if (theirs.known != ours.known || theirs.v != ours.v)
		mismatch(o, addr, what, ours, theirs);
}

static bool is_covered(const struct object *o, uint64_t addr)
{
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(o->cfi, addr, &frame))
		return false;
	free(frame);
	return true;
}

static int add_start_file(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	struct object *o = arg;

	(void)rule;
	if (o->nr_starts < STARTS_MAX)
		o->starts[o->nr_starts++] = (struct range){ start, end };
	return 0;
}

static bool is_start_file(const struct object *o, uint64_t addr)
{
	for (size_t i = 0; i < o->nr_starts; i++)
		if (addr >= o->starts[i].start && addr < o->starts[i].end + BRIDGED_BYTES)
			return true;
	return false;
}

/* A rule where libdw has none: padding after a function, the byte before a signal frame, start files, or a large gap. */
static void check_more(const struct object *o, uint64_t addr, const struct unwind_rule *rule)
{
	for (uint64_t i = 1; i < BRIDGED_BYTES; i++) {
		if (is_covered(o, addr - i)) {
			counts.bridged++;
			return;
		}
	}
	if ((rule->ra & UNWIND_SIGNAL) && is_covered(o, addr + 1)) {
		counts.signal++;
		return;
	}
	if (is_start_file(o, addr)) {
		counts.start_files++;
		return;
	}
	if (rule->cfa == UNWIND_CFA_FP) {
		counts.gaps++;
		return;
	}
	mismatch(o, addr, "rule", (struct value){ KNOWN, rule->cfa }, (struct value){ NOTHING, 0 });
}

static void check_addr(const struct object *o, uint64_t addr)
{
	const struct unwind_rule *rule = &rules.data[unwind_table_find(&o->table, addr)];
	struct value cfa, theirs, ra, bp, bx;
	Dwarf_Addr start, end;
	Dwarf_Frame *frame;
	uint64_t at;
	bool is_signal;

	counts.addresses++;
	regs[machine->ip] = addr;
	if (dwarf_cfi_addrframe(o->cfi, addr, &frame)) {
		if (rule->cfa != UNWIND_CFA_NONE && rule->cfa != UNWIND_CFA_UNKNOWN)
			check_more(o, addr, rule);
		return;
	}
	cfa = our_cfa(rule);
	theirs = libdw_cfa(frame);
	/* Half of a definition after an expression (libgcrypt) is refused by libdw alone. */
	if (theirs.known == NOTHING && rule->cfa == UNWIND_CFA_SP) {
		counts.halves++;
		free(frame);
		return;
	}
	if (rule->cfa == UNWIND_CFA_NONE)
		mismatch(o, addr, "no rule", cfa, theirs);
	at = cfa.v;
	if (machine == &arm64 && cfa.v == theirs.v + 16 && libdw_reg(frame, machine->ra, theirs.v).v == memory_at(theirs.v + 8)) {
		at = theirs.v;
		theirs = cfa;
		counts.lazy++;
	}
	compare(o, addr, "CFA", cfa, theirs, &counts.unsaid_cfa);
	if (cfa.known == KNOWN && theirs.known == KNOWN) {
		dwarf_frame_info(frame, &start, &end, &is_signal);
		if (is_signal != !!(rule->ra & UNWIND_SIGNAL))
			mismatch(o, addr, "signal", (struct value){ KNOWN, rule->ra }, (struct value){ KNOWN, is_signal });
		ra = our_saved(rule->ra & ~UNWIND_SIGNAL, rule->ra_off, cfa.v, machine->ra);
		if ((rule->ra & ~UNWIND_SIGNAL) == UNWIND_IN_REG)
			ra = (struct value){ KNOWN, regs[rule->reg] };
		if ((rule->ra & ~UNWIND_SIGNAL) == UNWIND_IN_LINK)
			ra = (struct value){ KNOWN, regs[machine->ra] };
		compare(o, addr, "return address", ra, libdw_reg(frame, machine->ra, at), &counts.unsaid_ra);
		bp = our_saved(rule->saved & 15, rule->bp_off, cfa.v, machine->bp);
		compare(o, addr, "rbp", bp, libdw_reg(frame, machine->bp, at), &counts.unsaid_bp);
		/* elfutils takes rbx for lost until it is saved (it names rax instead, backends/x86_64_cfi.c). */
		bx = our_saved(rule->saved >> UNWIND_BX_SHIFT, rule->bx_off, cfa.v, machine->bx);
		theirs = libdw_reg(frame, machine->bx, at);
		if (theirs.known != NOTHING && machine == &x86_64)
			compare(o, addr, "rbx", bx, theirs, &counts.unsaid_bx);
	}
	free(frame);
}

static void check_rows(const struct object *o)
{
	for (uint32_t i = 0; i < o->table.nr_pages; i++) {
		const struct unwind_page *page = &o->table.pages[i];
		uint64_t vaddr = o->table.vaddr + (uint64_t)i * UNWIND_PAGE_BYTES;

		for (uint32_t k = 0; k < page->nr; k++) {
			uint64_t low = o->table.rows[page->row + k] & UNWIND_ROW_LOW;

			check_addr(o, vaddr + low);
			check_addr(o, vaddr + low - 1);
		}
	}
	counts.rows += o->table.nr_rows;
}

static void check_random(const struct object *o)
{
	uint64_t span = (uint64_t)o->table.nr_pages * UNWIND_PAGE_BYTES;

	for (uint64_t i = 0; i < RANDOM_ADDRESSES; i++)
		check_addr(o, o->table.vaddr + hash_pair(i, counts.objects) % span);
}

static void check_object(const char *path)
{
	struct object o = { .path = path };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!elf_open_fd(fd, &o.elf)) {
		if (o.elf.machine == machine->elf && (o.elf.type == ET_DYN || o.elf.type == ET_EXEC) &&
		    !unwind_table_read(&o.elf, NULL, &rules, &o.table)) {
			o.libelf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
			o.cfi = elf_sec_by_name(&o.elf, ".eh_frame") ? dwarf_getcfi_elf(o.libelf) : NULL;
			(machine == &arm64 ? arm64_each : crt_each)(&o.elf, add_start_file, &o);
			if (o.cfi) {
				counts.objects++;
				check_rows(&o);
				check_random(&o);
				dwarf_cfi_end(o.cfi);
			}
			elf_end(o.libelf);
			unwind_table_free(&o.table);
		}
		elf_close(&o.elf);
	}
	close(fd);
}

static void say(const char *what, uint64_t n)
{
	print_message("%10" PRIu64 " %s\n", n, what);
}

static void begin(const struct machine *m)
{
	machine = m;
	counts = (struct counts){ 0 };
	elf_version(EV_CURRENT);
	assert_int_equal(unwind_rules_init(&rules), 0);
	for (unsigned int i = 0; i < REGS; i++)
		regs[i] = hash_u64(i + 1);
}

static void end(void)
{
	say("objects", counts.objects);
	say("rows", counts.rows);
	say("rules", rules.n);
	say("addresses", counts.addresses);
	say("mismatches", counts.mismatches);
	say("CFAs that libdw knows and rules cannot say", counts.unsaid_cfa);
	say("return addresses", counts.unsaid_ra);
	say("frame pointers", counts.unsaid_bp);
	say("rbx", counts.unsaid_bx);
	say("rules where libdw has none: in padding", counts.bridged);
	say("before signal frames", counts.signal);
	say("in start files", counts.start_files);
	say("in gaps, by frame pointers", counts.gaps);
	say("half definitions", counts.halves);
	say("of lazy binding", counts.lazy);
	assert_int_equal(counts.mismatches, 0);
	assert_true(counts.rows > 0);
	unwind_rules_free(&rules);
}

static void test_objects(void **state)
{
	(void)state;
	begin(&x86_64);
	objects_each(check_object, &counts.objects);
	end();
}

/* What Debian's cross compiler comes with, and what it makes. Signed code is not here: libdw takes its mark for SPARC's windows. */
static void test_arm64_objects(void **state)
{
	static const char *const hows[] = { "-O0", "-O2", "-O2 -fomit-frame-pointer", "-O3 -fstack-clash-protection",
					    "-Os -fno-omit-frame-pointer -moutline-atomics", "-O2 -static -DSTATIC" };
	char path[] = "/tmp/skep-oracle-XXXXXX", command[512];
	int fd;

	(void)state;
	if (system("command -v aarch64-linux-gnu-gcc >/dev/null 2>&1")) {
		print_message("no cross compiler: tools/packages.sh arm64\n");
		skip();
	}
	begin(&arm64);
	objects_glob("/usr/aarch64-linux-gnu/lib/*.so.*", UINT64_MAX, check_object, &counts.objects);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(hows) / sizeof(*hows); i++) {
		snprintf(command, sizeof(command),
			 "aarch64-linux-gnu-gcc -g %s -Itests/work tests/work/stacks.c -o %s -pthread -ldl", hows[i], path);
		if (system(command)) {
			unlink(path);
			fail();
		}
		check_object(path);
	}
	unlink(path);
	close(fd);
	end();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_objects), cmocka_unit_test(test_arm64_objects) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
