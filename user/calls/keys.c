/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* keyctl(): what each operation takes (security/keys/keyctl.c). */
#include "calls/decode.h"

/* A name of a keyring, or its number. */
static void put_key(struct decode *d, uint32_t id)
{
	const char *name = names_find(&names_key_serials, id);

	if (!name || d->style->names == NAMES_RAW)
		out_signed(d->o, (int32_t)id);
	else if (d->style->names == NAMES_VERBOSE)
		out_form(d->o, "%d /* %s */", (int32_t)id, name);
	else
		out_text(d->o, name);
}

#define PKEY_VERIFY 28 /* KEYCTL_PKEY_VERIFY */

void print_key(struct decode *d, unsigned i)
{
	put_key(d, d->e->args[i]);
}

/* What the call returned of a key: as much as was there, of which the caller's buffer has a part. is_text: its NUL is not shown. */
static void put_returned(struct decode *d, uint64_t addr, uint64_t max, bool is_text)
{
	uint64_t n = (uint64_t)d->e->ret < max ? (uint64_t)d->e->ret : max;
	const char *bytes;
	size_t has;

	if (d->is_failed) {
		put_addr(d, addr);
		return;
	}
	bytes = is_text && n ? memory_some(d, addr, n, &has) : NULL;
	if (bytes && has == n && !bytes[n - 1])
		n--;
	put_buffer(d, addr, n);
}

/* A byte of flags; which it is of the array says which flags. */
static void put_capability(struct decode *d, uint64_t addr)
{
	static const struct names *const lists[] = { &names_key_capabilities, &names_key_capabilities_more };
	uint64_t i = addr - d->e->args[1];
	uint8_t byte = 0;

	memory_get(d, addr, &byte, 1);
	if (i < sizeof(lists) / sizeof(*lists))
		put_flags(d, lists[i], byte);
	else
		out_hex(d->o, byte);
}

/* struct keyctl_dh_params */
static void put_dh(struct decode *d, uint64_t addr)
{
	static const char *const names[] = { "{private=", ", prime=", ", base=" };
	uint32_t keys[3];

	if (!memory_get(d, addr, keys, sizeof(keys))) {
		put_addr(d, addr);
		return;
	}
	for (int i = 0; i < 3; i++) {
		out_text(d->o, names[i]);
		put_key(d, keys[i]);
	}
	out_char(d->o, '}');
}

/* struct keyctl_kdf_params: two pointers, the length of what the second has, reserved words */
static void put_kdf(struct decode *d, uint64_t addr)
{
	unsigned word = word_bytes(d);
	uint64_t hash, other;
	uint32_t k[10]; /* of a 64-bit caller the last is padding */

	if (!memory_get(d, addr + 2 * word, k, d->is_compat ? 36 : 40) || !memory_word(d, addr, &hash) || !memory_word(d, addr + word, &other)) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{hashname=");
	put_text(d, hash, false);
	out_text(d->o, ", otherinfo=");
	if (k[0])
		put_buffer(d, other, k[0]);
	else
		put_addr(d, other);
	out_form(d->o, ", otherinfolen=%u", k[0]);
	put_reserved(d, "__spare", k + 1, 4, 8);
	out_char(d->o, '}');
}

/* struct keyctl_pkey_params, the operation's second argument; second_bytes: of what its fifth points to */
struct pkey {
	uint32_t key, bytes, second_bytes, spare[7];
};

static void put_pkey(struct decode *d, uint64_t addr)
{
	struct pkey p;

	if (!memory_get(d, addr, &p, sizeof(p))) {
		put_addr(d, addr);
		return;
	}
	out_text(d->o, "{key_id=");
	put_key(d, p.key);
	out_form(d->o, ", in_len=%u, %s=%u", p.bytes, (uint32_t)d->e->args[0] == PKEY_VERIFY ? "in2_len" : "out_len", p.second_bytes);
	put_reserved(d, "__spare", p.spare, 4, 7);
	out_char(d->o, '}');
}

/* What a public key works on: 'I'; or a signature: 'V'; or what it makes of it: 'O'. */
static void put_pkey_bytes(struct decode *d, char kind, uint64_t addr)
{
	struct pkey p;

	if (!memory_get(d, d->e->args[1], &p, sizeof(p)))
		put_addr(d, addr);
	else if (kind == 'O')
		put_returned(d, addr, p.second_bytes, false);
	else
		put_buffer(d, addr, kind == 'I' ? p.bytes : p.second_bytes);
}

static void put_argument(struct decode *d, char kind, unsigned i)
{
	uint64_t v = d->e->args[i], next = i + 1 < TRACE_ARGS ? d->e->args[i + 1] : 0;

	switch (kind) {
	case 'k': put_key(d, v); break;
	case 's': put_text(d, v, false); break;
	case 'b': put_buffer(d, v, next); break;
	case 'v': put_iovec(d, v, next, UINT64_MAX, true); break;
	case 'r': put_returned(d, v, next, false); break;
	case 't': put_returned(d, v, next, true); break;
	case 'n': out_decimal(d->o, v); break;
	case 'u': out_decimal(d->o, (uint32_t)v); break;
	case 'd': out_signed(d->o, (int32_t)v); break;
	case 'i': put_id(d, v); break;
	case 'p': put_flags(d, &names_key_permissions, (uint32_t)v); break;
	case 'q': put_name_or_decimal(d, &names_key_defaults, (int32_t)v); break;
	case 'c': put_array(d, v, d->is_failed || (uint64_t)d->e->ret > next ? next : (uint64_t)d->e->ret, 1, put_capability, true); break;
	case 'm': put_flags(d, &names_key_move_flags, (uint32_t)v); break;
	case 'a': put_addr(d, v); break;
	case 'D': put_dh(d, v); break;
	case 'K': put_kdf(d, v); break;
	case 'P': put_pkey(d, v); break;
	case 'I': case 'O': case 'V': put_pkey_bytes(d, kind, v); break;
	case 'e':
		put_errno(d, (uint32_t)v);
		break;
	default: out_hex(d->o, v);
	}
}

void print_keyctl(struct decode *d, unsigned i)
{
	/* a letter an argument, as put_argument() has them */
	static const char *const operations[] = {
		"kd", "s", "kbn", "k", "kii", "kp", "ktn", "k", "kk", "kk", "kssk", "krn", "kbnk", "kuk", "q", "ku", "k", "ktn", "", "kuek", "kvnk", "k",
		"ik", "DrnK", "kxsa", "PsIO", "PsIO", "PsIO", "PsIV", "kss", "kkkm", "cn",
	};
	uint32_t operation = d->e->args[i];
	const char *kinds = operation < sizeof(operations) / sizeof(*operations) ? operations[operation] : "xxxx";

	put_one(d, &names_keyctl_operations, operation);
	for (unsigned k = 0; kinds[k] && i + 1 + k < TRACE_ARGS; k++) {
		out_text(d->o, ", ");
		put_argument(d, kinds[k], i + 1 + k);
	}
}
