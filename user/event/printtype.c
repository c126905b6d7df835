/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The types of a print format's casts. One that is not in the table is refused: its size is not known. */
#include <ctype.h>
#include <string.h>

#include "event/printnode.h"

/* The types of casts, as the kernel's formats name them. */
static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} types[] = {
	{ "char", 1, true },	   { "bool", 1, false },	{ "_Bool", 1, false },	  { "short", 2, true },	    { "int", 4, true },
	{ "long", 8, true },	   { "unsigned", 4, false },	{ "size_t", 8, false },	  { "ssize_t", 8, true },   { "u8", 1, false },
	{ "u16", 2, false },	   { "u32", 4, false },		{ "u64", 8, false },	  { "s8", 1, true },	    { "s16", 2, true },
	{ "s32", 4, true },	   { "s64", 8, true },		{ "__u8", 1, false },	  { "__u16", 2, false },    { "__u32", 4, false },
	{ "__u64", 8, false },	   { "__s8", 1, true },		{ "__s16", 2, true },	  { "__s32", 4, true },	    { "__s64", 8, true },
	{ "uint8_t", 1, false },   { "uint16_t", 2, false },	{ "uint32_t", 4, false }, { "uint64_t", 8, false }, { "int8_t", 1, true },
	{ "int16_t", 2, true },	   { "int32_t", 4, true },	{ "int64_t", 8, true },	  { "gfp_t", 4, false },    { "dev_t", 4, false },
	{ "pid_t", 4, true },	   { "uid_t", 4, false },	{ "gid_t", 4, false },	  { "umode_t", 2, false },  { "mode_t", 4, false },
	{ "fmode_t", 4, false },   { "blk_opf_t", 4, false },	{ "sector_t", 8, false }, { "loff_t", 8, true },    { "off_t", 8, true },
	{ "pgoff_t", 8, false },   { "ino_t", 8, false },	{ "dma_addr_t", 8, false }, { "phys_addr_t", 8, false }, { "ktime_t", 8, true },
	{ "uintptr_t", 8, false }, { "uint", 4, false },	{ "ulong", 8, false },	  { "rwf_t", 4, true },	    { "__kernel_rwf_t", 4, true },
	 { "__le16", 2, false },	{ "__le32", 4, false },	  { "__le64", 8, false },   { "__be16", 2, false },
	{ "__be32", 4, false },	   { "__be64", 8, false },	{ "clockid_t", 4, true }, { "blkcnt_t", 8, false }, { "xfs_ino_t", 8, false },
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_len(const char *at)
{
	size_t n = 0;

	while (is_word(at[n]))
		n++;
	return n;
}

static bool is(const char *at, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(at, word, n);
}

/* One word of a type's name. False: it is none. */
static bool type_word(const char *at, size_t n, struct print_type *t, bool *is_unsigned)
{
	if (is(at, n, "const") || is(at, n, "volatile") || is(at, n, "signed"))
		return true;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (is(at, n, types[i].name)) {
			*is_unsigned |= !types[i].is_signed;
			/* "unsigned char", "long int", "short int" */
			if (!t->size || is(at, n, "char") || is(at, n, "short") || is(at, n, "long"))
				t->size = types[i].size;
			return true;
		}
	return false;
}

const char *print_type_parse(const char *at, struct print_type *ret_type)
{
	struct print_type t = { 0 };
	bool is_unsigned = false, has_tag = false, any = false;
	int stars = 0;

	for (;;) {
		size_t n;

		at += strspn(at, " \t");
		if (*at == '*') {
			stars++;
			at++;
			continue;
		}
		n = word_len(at);
		if (!n)
			break;
		if (is(at, n, "struct") || is(at, n, "union") || is(at, n, "enum")) {
			has_tag = true;
			t.size = *at == 'e' ? 4 : 0;
			is_unsigned |= *at == 'e';
			at += n;
			at += strspn(at, " \t");
			n = word_len(at);
		} else if (!type_word(at, n, &t, &is_unsigned) && !is(at, n, "void")) {
			return NULL;
		}
		any = true;
		at += n;
	}
	if (!any || (!stars && !t.size) || (has_tag && !stars && !t.size))
		return NULL;
	t.is_signed = !is_unsigned;
	*ret_type = stars ? (struct print_type){ .to = stars > 1 ? 8 : t.size, .is_signed = t.is_signed } : t;
	return at;
}
