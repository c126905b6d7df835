/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 64-bit mixing for our own open-addressed tables. Not for hostile keys that an attacker can probe. */
#ifndef SKEP_UTIL_HASH_H
#define SKEP_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The finaliser of MurmurHash3 (public domain constants): every input bit reaches every output bit. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	x ^= x >> 33;
	return x;
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_u64(a ^ hash_u64(b + 0x9e3779b97f4a7c15ULL));
}

/* FNV-1a over bytes (offset basis and prime of draft-eastlake-fnv), then mixed. */
static inline uint64_t hash_bytes(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325ULL;

	while (n--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return hash_u64(h);
}

/* Mixes n words into hash, to be finished with hash_u64(): for what is hashed often, such as stacks. */
static inline uint64_t hash_words(uint64_t hash, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash << 7 ^ hash >> 57 ^ words[i]) * 0x9e3779b97f4a7c15ULL; /* 2^64 / the golden ratio, as of Fibonacci hashing */
	return hash;
}

#endif
