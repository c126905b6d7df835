/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts, buffers, and arrays of them. */
#include <string.h>

#include "calls/decode.h"

void put_quoted(struct decode *d, const char *bytes, size_t n)
{
	put_bytes(d, bytes, strnlen(bytes, n), d->style->hex);
}

void put_bytes(struct decode *d, const char *bytes, size_t n, int hex)
{
	out_char(d->o, '"');
	out_escape(d->o, bytes, n, hex);
	out_char(d->o, '"');
}

#define PAGE_BYTES 4096ull /* the smallest */
#define REST_MAX 4096 /* of a struct, as the kernel takes it */

void put_rest(struct decode *d, uint64_t addr, uint32_t from, uint64_t size)
{
	uint32_t n = (size < REST_MAX ? size : REST_MAX) - from, shown = n < d->style->text ? n : d->style->text, i;
	size_t has = 0;
	const char *bytes = memory_some(d, addr + from, n, &has);

	if (!bytes || has < n) {
		out_text(d->o, ", ???");
		return;
	}
	for (i = 0; i < n && !bytes[i]; i++)
		;
	if (i == n)
		return;
	out_form(d->o, ", /* bytes %u..%u */ ", from, from + n - 1);
	put_bytes(d, bytes, shown, 2);
	out_text(d->o, shown < n ? "..." : "");
}

void put_reserved(struct decode *d, const char *name, const void *words, unsigned size, unsigned n)
{
	static const char none[64];
	uint64_t word;

	if (!memcmp(words, none, size * n))
		return;
	out_form(d->o, ", %s=[", name);
	for (unsigned i = 0; i < n; i++) {
		word = 0; /* little-endian */
		memcpy(&word, (const char *)words + i * size, size);
		out_text(d->o, i ? ", " : "");
		out_hex(d->o, word);
	}
	out_char(d->o, ']');
}

void put_text(struct decode *d, uint64_t addr, bool is_path)
{
	size_t n, len, max = is_path ? TRACE_PATH_MAX - 1 : d->style->text;
	const char *text = addr ? memory_some(d, addr, TRACE_PIECE_MAX, &n) : NULL;

	if (!text) {
		put_addr(d, addr);
		return;
	}
	len = strnlen(text, n);
	if (len == n && len <= max) { /* what follows could not be read */
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '"');
	out_escape(d->o, text, len < max ? len : max, d->style->hex);
	out_char(d->o, '"');
	if (len > max)
		out_text(d->o, "...");
}

/* n bytes, of which as many are at hand as the style shows. */
static void put_shown(struct decode *d, const char *bytes, uint64_t n)
{
	uint64_t shown = n < d->style->text ? n : d->style->text;

	put_bytes(d, bytes, shown, d->style->hex);
	if (n > shown)
		out_text(d->o, "...");
}

void put_buffer(struct decode *d, uint64_t addr, uint64_t n)
{
	uint64_t shown = n < d->style->text ? n : d->style->text, wanted = n > shown ? shown + 1 : n;
	size_t has = 0;
	const char *bytes = addr && wanted ? memory_some(d, addr, wanted, &has) : NULL;

	if (!addr || has < wanted) {
		put_addr(d, addr);
		return;
	}
	put_shown(d, bytes, n);
}

void print_path(struct decode *d, unsigned i)
{
	put_text(d, d->e->args[i], true);
}

void print_text(struct decode *d, unsigned i)
{
	put_text(d, d->e->args[i], false);
}

/* As many bytes as the next argument says. */
void print_buffer(struct decode *d, unsigned i)
{
	put_buffer(d, d->e->args[i], d->e->args[i + 1]);
}

/* As many as the call returned. */
void print_filled(struct decode *d, unsigned i)
{
	put_buffer(d, d->e->args[i], d->e->ret);
}

/* recvfrom(): MSG_TRUNC makes it return more than there was room for. */
void print_received(struct decode *d, unsigned i)
{
	uint64_t room = d->e->args[i + 1]; /* bytes */

	put_buffer(d, d->e->args[i], (uint64_t)d->e->ret < room ? (uint64_t)d->e->ret : room);
}

/* sethostname(): none is longer than 64 bytes. */
void print_host_name(struct decode *d, unsigned i)
{
	uint32_t n = d->e->args[i + 1];

	if (n > 64)
		put_addr(d, d->e->args[i]);
	else
		put_buffer(d, d->e->args[i], n);
}

#define XATTR_BYTES_MAX 65536 /* XATTR_SIZE_MAX */

/* Most values are texts: a NUL at the end is not shown. */
static void put_xattr(struct decode *d, uint64_t addr, uint64_t n)
{
	size_t has;
	const char *bytes;

	if (n > XATTR_BYTES_MAX) {
		put_addr(d, addr);
		return;
	}
	bytes = addr && n && n <= d->style->text ? memory_some(d, addr, n, &has) : NULL;
	put_buffer(d, addr, bytes && has == n && !bytes[n - 1] ? n - 1 : n);
}

void print_xattr(struct decode *d, unsigned i)
{
	put_xattr(d, d->e->args[i], d->e->args[i + 1]);
}

void print_xattr_out(struct decode *d, unsigned i)
{
	put_xattr(d, d->e->args[i], d->e->ret);
}

/* listxattr(): nothing is written if there is no room. */
void print_xattr_names(struct decode *d, unsigned i)
{
	if (!d->e->args[i + 1])
		put_addr(d, d->e->args[i]);
	else
		print_filled(d, i);
}

/* The path of an execve(): what is left of it in the new image where it could not be read before. */
void print_exec_path(struct decode *d, unsigned i)
{
	size_t n;
	bool is_lost = !d->is_failed && !memory_some(d, d->e->args[i], 1, &n) && memory_some(d, TRACE_NEW_PATH, 1, &n);

	put_text(d, is_lost ? TRACE_NEW_PATH : d->e->args[i], true);
}

/* Text n of the new image's argv. */
static bool put_new_arg(struct decode *d, unsigned n)
{
	size_t has, len;
	const char *text = d->is_failed ? NULL : memory_some(d, TRACE_NEW_ARGS, TRACE_PATH_MAX, &has);

	for (; text && has; n--) {
		len = strnlen(text, has);
		if (len == has)
			return false;
		if (!n) {
			put_shown(d, text, len);
			return true;
		}
		text += len + 1;
		has -= len + 1;
	}
	return false;
}

/* An argv. A piece has the pointers, and their texts are others. */
void print_argv(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], word;
	size_t has;
	unsigned n;

	if (!memory_word(d, addr, &word)) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (n = 0; n <= TRACE_STRINGS_MAX; n++) {
		uint64_t at = addr + n * word_bytes(d);
		bool is_there = memory_word(d, at, &word);

		if (is_there && !word)
			break;
		if (n)
			out_text(d->o, ", ");
		if (n >= TRACE_STRINGS_MAX || (n >= d->style->text && !d->style->is_whole)) {
			out_text(d->o, "...");
			break;
		}
		if (!is_there) {
			put_unread(d, at);
			break;
		}
		if (memory_some(d, word, 1, &has) || !put_new_arg(d, n))
			put_text(d, word, false);
	}
	out_char(d->o, ']');
}

/* How many there are. */
void print_envp(struct decode *d, unsigned i)
{
	uint64_t addr = d->e->args[i], word = 0;
	bool is_there;
	unsigned n = 0;

	if (d->style->is_whole) {
		print_argv(d, i);
		return;
	}
	put_addr(d, addr);
	while ((is_there = memory_word(d, addr + n * word_bytes(d), &word)) && word)
		n++;
	if (!is_there && !n)
		return;
	if (n >= TRACE_COUNT_MAX - 1)
		out_form(d->o, " /* %u vars or more */", n);
	else
		out_form(d->o, " /* %u var%s%s */", n, n == 1 ? "" : "s", is_there ? "" : ", unterminated");
}

/* Does memory end before the element at an address? It does where what was read ends with a page, as a piece that was cut elsewhere does not. */
bool memory_ends(const struct decode *d, uint64_t at, unsigned size)
{
	size_t has = 0;

	memory_some(d, at, size, &has);
	if (!has)
		return !(at & (PAGE_BYTES - 1)) && memory_some(d, at - 1, 1, &has);
	return has < size && !((at + has) & (PAGE_BYTES - 1));
}

void put_array(struct decode *d, uint64_t addr, uint64_t n, unsigned size, put_element *put, bool can_fail)
{
	uint64_t at = addr;
	char first[256];
	size_t has;

	if (!addr || (n && (can_fail && d->is_failed)) || n > (UINT64_MAX - addr) / size) {
		put_addr(d, addr);
		return;
	}
	if (n && !memory_get(d, addr, first, size < sizeof(first) ? size : sizeof(first))) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint64_t i = 0; i < n && i < TRACE_PIECE_MAX; i++, at += size) {
		if (i)
			out_text(d->o, ", ");
		if (i >= d->style->text && !d->style->is_whole && !memory_ends(d, at, size)) {
			out_text(d->o, "...");
			break;
		}
		if (!memory_some(d, at, size, &has) || has < size) {
			put_unread(d, at);
			break;
		}
		put(d, at);
	}
	out_char(d->o, ']');
}

void put_int_element(struct decode *d, uint64_t addr)
{
	int32_t n = 0;

	memory_get(d, addr, &n, sizeof(n));
	out_signed(d->o, n);
}

void put_hex_element(struct decode *d, uint64_t addr)
{
	uint64_t word = 0;

	memory_get(d, addr, &word, sizeof(word));
	out_hex(d->o, word);
}

static void put_vector(struct decode *d, uint64_t addr)
{
	uint64_t base = 0, bytes = 0;

	memory_word(d, addr, &base);
	memory_word(d, addr + word_bytes(d), &bytes);
	out_text(d->o, "{iov_base=");
	put_addr(d, base);
	out_text(d->o, ", iov_len=");
	out_decimal(d->o, bytes);
	out_char(d->o, '}');
}

void put_iovec(struct decode *d, uint64_t addr, uint64_t n, uint64_t limit, bool has_bytes)
{
	unsigned word = word_bytes(d);
	uint64_t base, bytes;

	if (!has_bytes) {
		put_array(d, addr, n, 2 * word, put_vector, false);
		return;
	}
	if (n && !memory_word(d, addr, &base)) {
		put_addr(d, addr);
		return;
	}
	if (!addr) {
		put_addr(d, addr);
		return;
	}
	out_char(d->o, '[');
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = addr + i * 2 * word;

		if (i)
			out_text(d->o, ", ");
		if (i >= TRACE_IOVECS_MAX || (i >= d->style->text && !d->style->is_whole && !memory_ends(d, at, 2 * word))) {
			out_text(d->o, "...");
			break;
		}
		if (!memory_word(d, at, &base) || !memory_word(d, at + word, &bytes)) {
			put_unread(d, at);
			break;
		}
		out_text(d->o, "{iov_base=");
		if (!limit && bytes) {
			if (base)
				out_text(d->o, "\"\"");
			else
				put_addr(d, base);
		} else {
			put_buffer(d, base, bytes < limit ? bytes : limit);
		}
		if (limit != UINT64_MAX)
			limit -= bytes < limit ? bytes : limit;
		out_text(d->o, ", iov_len=");
		out_decimal(d->o, bytes);
		out_char(d->o, '}');
	}
	out_char(d->o, ']');
}

void print_iovec_in(struct decode *d, unsigned i)
{
	put_iovec(d, d->e->args[i], (uint32_t)d->e->args[i + 1], UINT64_MAX, true);
}

void print_iovec_out(struct decode *d, unsigned i)
{
	put_iovec(d, d->e->args[i], (uint32_t)d->e->args[i + 1], d->is_failed ? 0 : d->e->ret, !d->is_failed);
}

/* Only where the bytes are. */
void print_iovec_bare(struct decode *d, unsigned i)
{
	put_iovec(d, d->e->args[i], d->e->args[i + 1], 0, false);
}

/* struct utsname */
void print_utsname(struct decode *d, unsigned i)
{
	static const char *const names[] = { "sysname", "nodename", "release", "version", "machine", "domainname" };
	unsigned n = d->style->is_whole ? 6 : 2;
	char text[65];

	if (!memory_get(d, d->e->args[i], text, sizeof(text))) {
		put_addr(d, d->e->args[i]);
		return;
	}
	out_char(d->o, '{');
	for (unsigned k = 0; k < n && memory_get(d, d->e->args[i] + k * sizeof(text), text, sizeof(text)); k++) {
		out_form(d->o, "%s%s=", k ? ", " : "", names[k]);
		put_quoted(d, text, sizeof(text));
	}
	out_text(d->o, d->style->is_whole ? "}" : ", ...}");
}

/* An entry: two numbers, its length, its type, which is its last byte in the older form, and its name. */
static void put_dirent(struct decode *d, uint64_t addr, unsigned length_at, uint16_t bytes, bool is_old)
{
	unsigned word = length_at / 2;
	uint64_t inode = 0, offset = 0, name = addr + length_at + (is_old ? 2 : 3);
	size_t n = 0;
	const char *text = memory_some(d, name, addr + bytes - is_old - name, &n);
	uint8_t type = 0;

	memory_get(d, addr, &inode, word);
	memory_get(d, addr + word, &offset, word);
	memory_get(d, is_old ? addr + bytes - 1 : name - 1, &type, 1);
	out_form(d->o, "{d_ino=%llu, d_off=%llu, d_reclen=%u, ", (unsigned long long)inode, (unsigned long long)offset, bytes);
	if (!is_old) {
		out_text(d->o, "d_type=");
		put_one(d, &names_entry_types, type);
		out_text(d->o, ", ");
	}
	out_text(d->o, "d_name=");
	if (text)
		put_quoted(d, text, n);
	if (is_old) {
		out_text(d->o, ", d_type=");
		put_one(d, &names_entry_types, type);
	}
	out_char(d->o, '}');
}

/* How many entries there are, or all of them; length_at: where an entry has its length. */
static void put_dirents(struct decode *d, unsigned i, unsigned length_at, bool is_old)
{
	uint64_t addr = d->e->args[i], at = 0, n = 0;
	uint16_t bytes;

	if (d->style->is_whole && addr && !d->is_failed) {
		out_char(d->o, '[');
		for (; at < (uint64_t)d->e->ret && memory_get(d, addr + at + length_at, &bytes, 2) && bytes > length_at + 3; at += bytes) {
			out_text(d->o, at ? ", " : "");
			put_dirent(d, addr + at, length_at, bytes, is_old);
		}
		out_text(d->o, at < (uint64_t)d->e->ret ? ", ...]" : "]");
		return;
	}
	put_addr(d, addr);
	if (d->is_failed)
		return;
	while (at < (uint64_t)d->e->ret && memory_get(d, addr + at + length_at, &bytes, 2) && bytes) {
		at += bytes;
		n++;
	}
	if (at >= (uint64_t)d->e->ret)
		out_form(d->o, " /* %llu entr%s */", (unsigned long long)n, n == 1 ? "y" : "ies");
}

void print_dirents(struct decode *d, unsigned i)
{
	put_dirents(d, i, 16, false);
}

/* getdents(): two words before it */
void print_dirents_old(struct decode *d, unsigned i)
{
	put_dirents(d, i, 2 * word_bytes(d), true);
}

/* getrandom(): in hexadecimal, whatever there is */
void print_random(struct decode *d, unsigned i)
{
	struct call_style style = *d->style;
	struct decode hex = *d;

	style.hex = 2;
	hex.style = &style;
	print_filled(&hex, i);
}
