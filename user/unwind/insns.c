/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bytes are copied from the file: a running process may have probes in its code. */
#include "unwind/insns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/capstone.h"

#define FUNC_MAX_BYTES (16u << 20)

/* Arm ARM, C6.2: RET Xn with n in bits 5 to 9, and those that check the pointer. */
#define A64_BYTES 4u
#define A64_RET_MASK 0xfffffc1fu
#define A64_RET 0xd65f0000u
#define A64_RETAA 0xd65f0bffu
#define A64_RETAB 0xd65f0fffu

typedef int each_fn(void *arg, uint64_t addr, const struct insn *i);

static int each_a64(const char *bytes, uint64_t size, uint64_t addr, each_fn *each, void *arg)
{
	int ret = 0;

	for (uint64_t at = 0; !ret && size - at >= A64_BYTES; at += A64_BYTES) {
		struct insn i = { .bytes = A64_BYTES };
		uint32_t word;

		memcpy(&word, bytes + at, sizeof(word));
		i.is_ret = (word & A64_RET_MASK) == A64_RET || word == A64_RETAA || word == A64_RETAB;
		ret = each(arg, addr + at, &i);
	}
	return ret;
}

#ifdef HAVE_CAPSTONE
static int each_x86(const char *bytes, uint64_t size, uint64_t addr, bool is64, each_fn *each, void *arg)
{
	const uint8_t *at = (const uint8_t *)bytes;
	const struct capstone *lib = capstone_open();
	size_t left = size;
	cs_insn *insn;
	csh handle;
	int ret = 0;

	if (!lib)
		return -ENOTSUP;
	if (lib->open(CS_ARCH_X86, is64 ? CS_MODE_64 : CS_MODE_32, &handle))
		return -ENOMEM;
	insn = lib->malloc(handle);
	if (!insn)
		ret = -ENOMEM;
	while (!ret && left) {
		struct insn i;

		if (!lib->next(handle, &at, &left, &addr, insn)) {
			ret = -EBADMSG;
			break;
		}
		i.bytes = insn->size;
		i.is_ret = insn->id == X86_INS_RET || insn->id == X86_INS_RETF || insn->id == X86_INS_RETFQ;
		ret = each(arg, insn->address, &i);
	}
	if (insn)
		lib->free(insn, 1);
	lib->close(&handle);
	return ret;
}
#else
static int each_x86(const char *bytes, uint64_t size, uint64_t addr, bool is64, each_fn *each, void *arg)
{
	(void)bytes;
	(void)size;
	(void)addr;
	(void)is64;
	(void)each;
	(void)arg;
	return -ENOTSUP;
}
#endif

int insns_each(const struct elf_file *elf, uint64_t addr, uint64_t size, each_fn *each, void *arg)
{
	char *bytes;
	int ret;

	if (elf->machine != EM_X86_64 && elf->machine != EM_386 && elf->machine != EM_AARCH64)
		return -ENOTSUP;
	ret = size > FUNC_MAX_BYTES ? -ERANGE : elf_read_code(elf, addr, size, &bytes);
	if (ret)
		return ret;
	if (elf->machine == EM_AARCH64)
		ret = each_a64(bytes, size, addr, each, arg);
	else
		ret = each_x86(bytes, size, addr, elf->machine == EM_X86_64, each, arg);
	free(bytes);
	return ret;
}

struct rets {
	uint64_t *addrs;
	uint32_t n, max;
};

static int add_ret(void *arg, uint64_t addr, const struct insn *i)
{
	struct rets *rets = arg;

	if (!i->is_ret)
		return 0;
	if (rets->n == rets->max)
		return -E2BIG;
	rets->addrs[rets->n++] = addr;
	return 0;
}

int insns_rets(const struct elf_file *elf, uint64_t addr, uint64_t size, uint64_t *ret_addrs, uint32_t max)
{
	struct rets rets = { ret_addrs, 0, max };
	int ret = insns_each(elf, addr, size, add_ret, &rets);

	return ret ? ret : (int)rets.n;
}

struct wanted {
	uint64_t addr;
	bool is_found;
};

static int look_at(void *arg, uint64_t addr, const struct insn *i)
{
	struct wanted *w = arg;

	(void)i;
	w->is_found = addr == w->addr;
	return addr >= w->addr;
}

int insns_is_boundary(const struct elf_file *elf, uint64_t func_addr, uint64_t func_size, uint64_t addr)
{
	struct wanted w = { .addr = addr };
	int ret;

	if (addr < func_addr || addr - func_addr >= func_size)
		return 0;
	ret = insns_each(elf, func_addr, func_size, look_at, &w);
	return ret < 0 ? ret : w.is_found;
}
