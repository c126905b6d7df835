/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bpf(): union bpf_attr (include/uapi/linux/bpf.h), of which each command has its own members. A caller's may end earlier, where its
 * program was built with an older header, or later: then what is beyond is to be zero.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "calls/decode.h"

#define ATTR_MAX 4096
#define NAME_BYTES 16
#define NUMA_NODE 4 /* BPF_F_NUMA_NODE: a node is given */
#define REPLACE 4   /* BPF_F_REPLACE: a program is */
#define TRACEPOINT_NAME 128

enum member_kind {
	M_UINT, M_LONG, M_HEX, M_HEX_LONG, M_FD, M_ADDR,
	M_ONE, M_ONE_LONG, M_FLAGS, M_FLAGS_LONG,
	M_NAME,	   /* a text of NAME_BYTES in the structure */
	M_DEVICE,  /* of the network */
	M_VERSION, /* of the kernel */
	M_NODE,	   /* only with its flag */
	M_TEXT, M_PATH, M_LOG, M_BTF, M_TRACEPOINT,
	M_CHANGED, /* the kernel writes another number there */
};

/* at: its offset. is_later: those before it are one version of the structure, which may end here. */
struct attr_member {
	const char *name;
	uint8_t at, kind;
	bool is_later;
	const struct names *names;
};

/* outer: the name of a structure that has the members. */
struct command {
	const char *outer;
	const struct attr_member *members;
	uint16_t nr_members, size;
};

/* A caller's structure before and after the call. size: what the caller says; known: the bytes up to the last known member. */
struct attr {
	struct decode *d;
	const char *before, *after;
	uint32_t size, known;
};

static const struct attr_member map_create[] = {
	{ "map_type", 0, M_ONE, false, &names_bpf_map_types },
	{ "key_size", 4, M_UINT },
	{ "value_size", 8, M_UINT },
	{ "max_entries", 12, M_UINT },
	{ "map_flags", 16, M_FLAGS, true, &names_bpf_map_flags },
	{ "inner_map_fd", 20, M_FD, true },
	{ "numa_node", 24, M_NODE, true },
	{ "map_name", 28, M_NAME, true },
	{ "map_ifindex", 44, M_DEVICE, true },
	{ "btf_fd", 48, M_FD, true },
	{ "btf_key_type_id", 52, M_UINT },
	{ "btf_value_type_id", 56, M_UINT },
	{ "btf_vmlinux_value_type_id", 60, M_UINT, true },
	{ "map_extra", 64, M_LONG, true },
};
static const struct attr_member map_lookup[] = {
	{ "map_fd", 0, M_FD },
	{ "key", 8, M_ADDR },
	{ "value", 16, M_ADDR },
	{ "flags", 24, M_FLAGS_LONG, true, &names_bpf_lookup_flags },
};
static const struct attr_member map_update[] = {
	{ "map_fd", 0, M_FD },
	{ "key", 8, M_ADDR },
	{ "value", 16, M_ADDR },
	{ "flags", 24, M_ONE_LONG, false, &names_bpf_update_flags },
};
static const struct attr_member map_delete[] = {
	{ "map_fd", 0, M_FD },
	{ "key", 8, M_ADDR },
};
static const struct attr_member map_next[] = {
	{ "map_fd", 0, M_FD },
	{ "key", 8, M_ADDR },
	{ "next_key", 16, M_ADDR },
};
static const struct attr_member map_freeze[] = {
	{ "map_fd", 0, M_FD },
};
static const struct attr_member program_load[] = {
	{ "prog_type", 0, M_ONE, false, &names_bpf_program_types },
	{ "insn_cnt", 4, M_UINT },
	{ "insns", 8, M_ADDR },
	{ "license", 16, M_TEXT },
	{ "log_level", 24, M_UINT, true },
	{ "log_size", 28, M_UINT },
	{ "log_buf", 32, M_LOG },
	{ "kern_version", 40, M_VERSION, true },
	{ "prog_flags", 44, M_FLAGS, true, &names_bpf_program_flags },
	{ "prog_name", 48, M_NAME, true },
	{ "prog_ifindex", 64, M_DEVICE, true },
	{ "expected_attach_type", 68, M_ONE, true, &names_bpf_attach_types },
	{ "prog_btf_fd", 72, M_FD, true },
	{ "func_info_rec_size", 76, M_UINT },
	{ "func_info", 80, M_ADDR },
	{ "func_info_cnt", 88, M_UINT },
	{ "line_info_rec_size", 92, M_UINT },
	{ "line_info", 96, M_ADDR },
	{ "line_info_cnt", 104, M_UINT },
	{ "attach_btf_id", 108, M_UINT, true },
	{ "attach_prog_fd", 112, M_FD, true },
	{ "fd_array", 120, M_ADDR, true },
};
static const struct attr_member object_pin[] = {
	{ "pathname", 0, M_PATH },
	{ "bpf_fd", 8, M_FD },
	{ "file_flags", 12, M_FLAGS, true, &names_bpf_file_flags },
};
static const struct attr_member program_attach[] = {
	{ "target_fd", 0, M_FD },
	{ "attach_bpf_fd", 4, M_FD },
	{ "attach_type", 8, M_ONE, false, &names_bpf_attach_types },
	{ "attach_flags", 12, M_FLAGS, false, &names_bpf_attach_flags },
	{ "replace_bpf_fd", 16, M_FD, true },
};
static const struct attr_member program_detach[] = {
	{ "target_fd", 0, M_FD },
	{ "attach_type", 8, M_ONE, false, &names_bpf_attach_types },
};
static const struct attr_member program_test[] = {
	{ "prog_fd", 0, M_FD },
	{ "retval", 4, M_UINT },
	{ "data_size_in", 8, M_UINT },
	{ "data_size_out", 12, M_UINT },
	{ "data_in", 16, M_ADDR },
	{ "data_out", 24, M_ADDR },
	{ "repeat", 32, M_UINT },
	{ "duration", 36, M_UINT },
	{ "ctx_size_in", 40, M_UINT, true },
	{ "ctx_size_out", 44, M_UINT },
	{ "ctx_in", 48, M_ADDR },
	{ "ctx_out", 56, M_ADDR },
	{ "flags", 64, M_FLAGS, true, &names_bpf_test_flags },
	{ "cpu", 68, M_UINT },
	{ "batch_size", 72, M_UINT, true },
};
static const struct attr_member next_id[] = {
	{ "start_id", 0, M_UINT },
	{ "next_id", 4, M_CHANGED },
	{ "open_flags", 8, M_FLAGS, true, &names_bpf_file_flags },
};
static const struct attr_member program_by_id[] = {
	{ "prog_id", 0, M_UINT },
	{ "next_id", 4, M_UINT },
	{ "open_flags", 8, M_FLAGS, true, &names_bpf_file_flags },
};
static const struct attr_member map_by_id[] = {
	{ "map_id", 0, M_UINT },
	{ "next_id", 4, M_UINT },
	{ "open_flags", 8, M_FLAGS, true, &names_bpf_file_flags },
};
static const struct attr_member btf_by_id[] = {
	{ "btf_id", 0, M_UINT },
};
static const struct attr_member link_by_id[] = {
	{ "link_id", 0, M_UINT },
};
static const struct attr_member object_info[] = {
	{ "bpf_fd", 0, M_FD },
	{ "info_len", 4, M_CHANGED },
	{ "info", 8, M_ADDR },
};
static const struct attr_member program_query[] = {
	{ "target_fd", 0, M_FD },
	{ "attach_type", 4, M_ONE, false, &names_bpf_attach_types },
	{ "query_flags", 8, M_FLAGS, false, &names_bpf_query_flags },
	{ "attach_flags", 12, M_FLAGS, false, &names_bpf_attach_flags },
};
static const struct attr_member raw_tracepoint[] = {
	{ "name", 0, M_TRACEPOINT },
	{ "prog_fd", 8, M_FD },
};
static const struct attr_member btf_load[] = {
	{ "btf", 0, M_BTF },
	{ "btf_log_buf", 8, M_ADDR },
	{ "btf_size", 16, M_UINT },
	{ "btf_log_size", 20, M_UINT },
	{ "btf_log_level", 24, M_UINT },
};
static const struct attr_member task_fd[] = {
	{ "pid", 0, M_UINT },
	{ "fd", 4, M_FD },
	{ "flags", 8, M_UINT },
	{ "buf_len", 12, M_CHANGED },
};
static const struct attr_member map_batch[] = {
	{ "in_batch", 0, M_ADDR },
	{ "out_batch", 8, M_ADDR },
	{ "keys", 16, M_ADDR },
	{ "values", 24, M_ADDR },
	{ "count", 32, M_UINT },
	{ "map_fd", 36, M_FD },
	{ "elem_flags", 40, M_FLAGS_LONG, false, &names_bpf_lookup_flags },
	{ "flags", 48, M_HEX_LONG },
};
static const struct attr_member map_update_batch[] = {
	{ "keys", 16, M_ADDR },
	{ "values", 24, M_ADDR },
	{ "count", 32, M_UINT },
	{ "map_fd", 36, M_FD },
	{ "elem_flags", 40, M_FLAGS_LONG, false, &names_bpf_lookup_flags },
	{ "flags", 48, M_HEX_LONG },
};
static const struct attr_member map_delete_batch[] = {
	{ "keys", 16, M_ADDR },
	{ "count", 32, M_UINT },
	{ "map_fd", 36, M_FD },
	{ "elem_flags", 40, M_FLAGS_LONG, false, &names_bpf_lookup_flags },
	{ "flags", 48, M_HEX_LONG },
};
static const struct attr_member link_create[] = {
	{ "prog_fd", 0, M_FD },
	{ "target_fd", 4, M_FD },
	{ "attach_type", 8, M_ONE, false, &names_bpf_attach_types },
	{ "flags", 12, M_HEX },
};
static const struct attr_member link_update[] = {
	{ "link_fd", 0, M_FD },
	{ "new_prog_fd", 4, M_FD },
	{ "flags", 8, M_FLAGS, false, &names_bpf_attach_flags },
};

#define COMMAND(outer, list, size) { outer, list, sizeof(list) / sizeof(*list), size }
enum { PROG_QUERY = 16, TASK_FD_QUERY = 20, LOOKUP_BATCH = 24, DELETE_BATCH = 27, LINK_CREATE = 28, LINK_UPDATE = 29 };

static const struct command commands[] = {
	COMMAND(NULL, map_create, 72), COMMAND(NULL, map_lookup, 32), COMMAND(NULL, map_update, 32), COMMAND(NULL, map_delete, 16),
	COMMAND(NULL, map_next, 24), COMMAND(NULL, program_load, 128), COMMAND(NULL, object_pin, 16), COMMAND(NULL, object_pin, 16),
	COMMAND(NULL, program_attach, 20), COMMAND(NULL, program_detach, 12), COMMAND("test", program_test, 76), COMMAND(NULL, next_id, 12),
	COMMAND(NULL, next_id, 12), COMMAND(NULL, program_by_id, 12), COMMAND(NULL, map_by_id, 12), COMMAND("info", object_info, 16),
	[PROG_QUERY] = COMMAND("query", program_query, 28), COMMAND("raw_tracepoint", raw_tracepoint, 12), COMMAND(NULL, btf_load, 28),
	COMMAND(NULL, btf_by_id, 4), [TASK_FD_QUERY] = COMMAND("task_fd_query", task_fd, 48), COMMAND(NULL, map_lookup, 32),
	COMMAND(NULL, map_freeze, 4), COMMAND(NULL, next_id, 12), [LOOKUP_BATCH] = COMMAND("batch", map_batch, 56),
	COMMAND("batch", map_batch, 56), COMMAND("batch", map_update_batch, 56), [DELETE_BATCH] = COMMAND("batch", map_delete_batch, 56),
	[LINK_CREATE] = COMMAND("link_create", link_create, 48), [LINK_UPDATE] = COMMAND("link_update", link_update, 16),
	COMMAND(NULL, link_by_id, 4), COMMAND(NULL, next_id, 12),
};

static uint32_t half_at(const char *bytes, unsigned at)
{
	uint32_t n;

	memcpy(&n, bytes + at, sizeof(n));
	return n;
}

static uint64_t word_at(const char *bytes, unsigned at)
{
	uint64_t n;

	memcpy(&n, bytes + at, sizeof(n));
	return n;
}

/* A text of at most n bytes: with its end, or cut. */
static void put_text_in(struct decode *d, const char *text, uint64_t n, uint64_t shown)
{
	uint64_t len = strnlen(text, n);

	out_char(d->o, '"');
	out_escape(d->o, text, len < shown ? len : shown, d->style->hex);
	out_text(d->o, len > shown || (n && len == n) ? "\"..." : "\"");
}

/* The same at an address. */
static void put_text_of(struct decode *d, uint64_t addr, uint64_t n)
{
	uint64_t wanted = n < d->style->text + 1ull ? n : d->style->text + 1ull;
	size_t has = 0;
	const char *text = addr && wanted ? memory_some(d, addr, wanted, &has) : NULL;

	if (addr && !wanted)
		out_text(d->o, "\"\"");
	else if (!text || (has < wanted && !memchr(text, 0, has)))
		put_addr(d, addr);
	else
		put_text_in(d, text, has, d->style->text);
}

static void put_device(struct decode *d, uint32_t index)
{
	char name[IF_NAMESIZE];

	if (!index || d->style->is_elsewhere || !if_indextoname(index, name)) {
		out_decimal(d->o, index);
		return;
	}
	out_text(d->o, "if_nametoindex(");
	put_quoted(d, name, sizeof(name));
	out_char(d->o, ')');
}

static void put_node(struct decode *d, uint32_t node)
{
	if (node == UINT32_MAX && d->style->names != NAMES_RAW)
		out_form(d->o, "%u /* NUMA_NO_NODE */", node);
	else
		out_decimal(d->o, node);
}

static void put_version(struct decode *d, uint32_t version)
{
	enum names_style style = d->style->names;

	if (style != NAMES_ABBREV)
		out_hex(d->o, version);
	if (style == NAMES_RAW)
		return;
	out_form(d->o, style == NAMES_VERBOSE ? " /* KERNEL_VERSION(%u, %u, %u) */" : "KERNEL_VERSION(%u, %u, %u)", version >> 16,
		 version >> 8 & 0xff, version & 0xff);
}

static void put_number(struct decode *d, const struct attr_member *m, uint32_t half, uint64_t word)
{
	switch ((enum member_kind)m->kind) {
	case M_LONG: out_decimal(d->o, word); break;
	case M_HEX: out_hex(d->o, half); break;
	case M_HEX_LONG: out_hex(d->o, word); break;
	case M_FD: put_fd(d, (int32_t)half); break;
	case M_ADDR: put_addr(d, word); break;
	case M_ONE: put_one(d, m->names, half); break;
	case M_ONE_LONG: put_one(d, m->names, word); break;
	case M_FLAGS: put_flags(d, m->names, half); break;
	case M_FLAGS_LONG: put_flags(d, m->names, word); break;
	case M_DEVICE: put_device(d, half); break;
	case M_NODE: put_node(d, half); break;
	case M_VERSION: put_version(d, half); break;
	case M_TEXT: put_text(d, word, false); break;
	case M_PATH: put_text(d, word, true); break;
	case M_TRACEPOINT: put_text_of(d, word, TRACEPOINT_NAME); break;
	default: out_decimal(d->o, half);
	}
}

static void put_member(const struct attr *a, const struct attr_member *m)
{
	uint32_t half = half_at(a->before, m->at), left;
	struct decode *d = a->d;

	out_text(d->o, m->name);
	out_char(d->o, '=');
	switch ((enum member_kind)m->kind) {
	case M_NAME:
		left = a->known - m->at < NAME_BYTES ? a->known - m->at : NAME_BYTES;
		put_text_in(d, a->before + m->at, left, left - 1);
		break;
	case M_LOG:
		put_text_of(d, word_at(a->before, m->at), half_at(a->before, m->at - 4));
		break;
	case M_BTF:
		put_buffer(d, word_at(a->before, m->at), half_at(a->before, m->at + 16));
		break;
	case M_CHANGED:
		out_decimal(d->o, half);
		if (half != half_at(a->after, m->at))
			out_form(d->o, " => %u", half_at(a->after, m->at));
		break;
	default:
		put_number(d, m, half, word_at(a->before, m->at));
	}
}

static void put_members(const struct attr *a, const struct command *c)
{
	bool any = false;

	for (unsigned i = 0; i < c->nr_members; i++) {
		const struct attr_member *m = &c->members[i];

		if (m->is_later && a->known <= m->at)
			break;
		if (m->kind == M_NODE && !(half_at(a->before, 16) & NUMA_NODE))
			continue;
		if (any)
			out_text(a->d->o, ", ");
		put_member(a, m);
		any = true;
	}
}

static void put_id_element(struct decode *d, uint64_t addr)
{
	uint32_t id = 0;

	memory_get(d, addr, &id, sizeof(id));
	out_decimal(d->o, id);
}

static void put_query(const struct attr *a)
{
	uint32_t was = half_at(a->before, 24), is = half_at(a->after, 24);
	struct decode *d = a->d;

	out_text(d->o, ", prog_ids=");
	put_array(d, word_at(a->after, 16), is, 4, put_id_element, true);
	out_form(d->o, ", prog_cnt=%u", was);
	if (is != was)
		out_form(d->o, " => %u", is);
}

static void put_task_fd(const struct attr *a)
{
	uint32_t was = half_at(a->before, 12), is = half_at(a->after, 12);
	struct decode *d = a->d;

	out_text(d->o, ", buf=");
	if (d->is_failed)
		put_addr(d, word_at(a->after, 16));
	else
		put_text_of(d, word_at(a->after, 16), was < is ? was : is);
	out_form(d->o, ", prog_id=%u, fd_type=", half_at(a->after, 24));
	put_one(d, &names_bpf_fd_types, half_at(a->after, 28));
	out_text(d->o, ", probe_offset=");
	out_hex(d->o, word_at(a->after, 32));
	out_text(d->o, ", probe_addr=");
	out_hex(d->o, word_at(a->after, 40));
}

static void put_iterated(struct decode *d, uint64_t addr)
{
	out_text(d->o, "{map={map_fd=");
	put_int_element(d, addr);
	out_text(d->o, "}}");
}

static void put_symbol(struct decode *d, uint64_t addr)
{
	uint64_t word = 0;

	memory_word(d, addr, &word);
	put_text(d, word, false);
}

/* What an attachment takes depends on its type. Returns how many bytes of the structure that type has. */
static uint32_t put_link(const struct attr *a)
{
	const char *b = a->before;
	struct decode *d = a->d;
	uint32_t n;

	if (a->known <= 16)
		return 48;
	switch (half_at(b, 8)) {
	case 0:
		if (half_at(b, 16))
			out_form(d->o, ", target_btf_id=%u", half_at(b, 16));
		return 20;
	case 28: /* BPF_TRACE_ITER */
		out_text(d->o, ", iter_info=");
		put_array(d, word_at(b, 16), half_at(b, 24), 4, put_iterated, false);
		out_form(d->o, ", iter_info_len=%u", half_at(b, 24));
		return 28;
	case 41: /* BPF_PERF_EVENT */
		out_text(d->o, ", perf_event={bpf_cookie=");
		out_hex(d->o, word_at(b, 16));
		out_char(d->o, '}');
		return 24;
	case 42: /* BPF_TRACE_KPROBE_MULTI */
		n = half_at(b, 20);
		out_text(d->o, ", kprobe_multi={flags=");
		put_flags(d, &names_bpf_kprobe_flags, half_at(b, 16));
		out_form(d->o, ", cnt=%u, syms=", n);
		put_array(d, word_at(b, 24), n, word_bytes(d), put_symbol, false);
		out_text(d->o, ", addrs=");
		put_array(d, word_at(b, 32), n, 8, put_hex_element, false);
		out_text(d->o, ", cookies=");
		put_array(d, word_at(b, 40), n, 8, put_hex_element, false);
		out_char(d->o, '}');
		return 48;
	}
	return 16;
}

/* Bytes beyond the members, if any is not zero. */
static void put_beyond(const struct attr *a, uint32_t from)
{
	struct out *o = a->d->o;
	uint32_t at = from;

	while (at < a->size && !a->before[at])
		at++;
	if (at >= a->size)
		return;
	if (!a->d->style->is_whole) {
		out_text(o, ", ...");
		return;
	}
	out_text(o, ", extra_data=\"");
	out_escape(o, a->before + from, a->size - from, 2);
	out_form(o, "\" /* bytes %u..%u */", from, a->size - 1);
}

void print_bpf_attr(struct decode *d, unsigned i)
{
	uint32_t command = d->e->args[i - 1], size = d->e->args[i + 1], known;
	char before[ATTR_MAX] = { 0 }, after[ATTR_MAX] = { 0 };
	struct attr a = { .d = d, .before = before, .after = after, .size = size };
	const struct command *c;

	if (!size || size > ATTR_MAX || command >= sizeof(commands) / sizeof(*commands) || !memory_before(d, d->e->args[i], before, size)) {
		put_addr(d, d->e->args[i]);
		return;
	}
	if (!memory_get(d, d->e->args[i], after, size))
		memcpy(after, before, size);
	c = &commands[command];
	known = c->size;
	a.known = size < known ? size : known;
	/* members beyond the known ones of this command have not been given */
	memset(after + a.known, 0, ATTR_MAX - a.known);
	out_char(d->o, '{');
	if (c->outer)
		out_form(d->o, "%s={", c->outer);
	put_members(&a, c);
	if (command == PROG_QUERY)
		put_query(&a);
	else if (command == TASK_FD_QUERY)
		put_task_fd(&a);
	else if (command == LINK_CREATE)
		known = put_link(&a);
	else if (command == LINK_UPDATE && half_at(before, 8) & REPLACE) {
		out_text(d->o, ", old_prog_fd=");
		put_fd(d, (int32_t)half_at(before, 12));
	}
	if (c->outer)
		out_char(d->o, '}');
	put_beyond(&a, known);
	out_char(d->o, '}');
	if (command >= LOOKUP_BATCH && command <= DELETE_BATCH && half_at(before, 32) != half_at(after, 32))
		out_form(d->o, " => {batch={count=%u}}", half_at(after, 32));
}

/* Commands that return a descriptor: MAP_CREATE, PROG_LOAD, OBJ_GET, PROG_GET_FD_BY_ID, MAP_GET_FD_BY_ID, RAW_TRACEPOINT_OPEN, BTF_LOAD,
 * BTF_GET_FD_BY_ID, LINK_CREATE, LINK_GET_FD_BY_ID, ENABLE_STATS, ITER_CREATE, TOKEN_CREATE */
#define MAKES_FD (1ull << 0 | 1ull << 5 | 1ull << 7 | 1ull << 13 | 1ull << 14 | 1ull << 17 | 1ull << 18 | 1ull << 19 | 1ull << 28 | 1ull << 30 | 1ull << 32 | \
		  1ull << 33 | 1ull << 36)

void put_bpf_result(struct decode *d)
{
	uint32_t command = (uint32_t)d->e->args[0];

	if (command < 64 && MAKES_FD >> command & 1)
		put_fd(d, (int)d->e->ret);
	else
		out_signed(d->o, d->e->ret);
}
