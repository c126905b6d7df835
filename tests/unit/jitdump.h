/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Dumps of a JIT, written byte by byte into a growing buffer of the test. */
#ifndef SKEP_TESTS_JITDUMP_H
#define SKEP_TESTS_JITDUMP_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

#define JIT_UNUSED __attribute__((unused))

static JIT_UNUSED size_t put_u64(uint8_t *at, size_t n, uint64_t v)
{
	memcpy(at + n, &v, sizeof(v));
	return n + sizeof(v);
}

static JIT_UNUSED size_t put_u32(uint8_t *at, size_t n, uint32_t v)
{
	memcpy(at + n, &v, sizeof(v));
	return n + sizeof(v);
}

static JIT_UNUSED size_t put_header(uint8_t *at, uint64_t flags)
{
	size_t n = put_u32(at, put_u32(at, put_u32(at, put_u32(at, 0, 0x4a695444), 1), 40), EM_X86_64);

	return put_u64(at, put_u64(at, put_u64(at, n, 0), 0), flags);
}

static JIT_UNUSED size_t put_head(uint8_t *at, size_t n, uint32_t id, uint32_t size, uint64_t time_ns)
{
	return put_u64(at, put_u32(at, put_u32(at, n, id), size), time_ns);
}

/* `size` bytes of code, all `byte`. */
static JIT_UNUSED size_t put_code(uint8_t *at, size_t n, uint64_t time_ns, uint64_t addr, uint64_t size, uint64_t index, const char *name, uint8_t byte)
{
	n = put_head(at, n, 0, (uint32_t)(16 + 40 + strlen(name) + 1 + size), time_ns);
	n = put_u64(at, n, 0);
	n = put_u64(at, n, addr);
	n = put_u64(at, n, addr);
	n = put_u64(at, n, size);
	n = put_u64(at, n, index);
	memcpy(at + n, name, strlen(name) + 1);
	n += strlen(name) + 1;
	memset(at + n, byte, size);
	return n + size;
}

static JIT_UNUSED size_t put_load(uint8_t *at, size_t n, uint64_t time_ns, uint64_t addr, uint64_t index, const char *name, uint8_t byte)
{
	return put_code(at, n, time_ns, addr, 4, index, name, byte);
}

static JIT_UNUSED size_t put_move(uint8_t *at, size_t n, uint64_t time_ns, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	n = put_head(at, n, 1, 16 + 48, time_ns);
	n = put_u64(at, put_u64(at, n, 0), 0);
	return put_u64(at, put_u64(at, put_u64(at, put_u64(at, n, from), to), size), index);
}

static JIT_UNUSED size_t put_line(uint8_t *at, size_t n, uint64_t addr, uint32_t line, const char *file)
{
	n = put_u32(at, put_u32(at, put_u64(at, n, addr), line), 0);
	memcpy(at + n, file, strlen(file) + 1);
	return n + strlen(file) + 1;
}

#endif
