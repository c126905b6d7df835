/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One pass over the types finds where each starts; everything else is read in place. */
#include "types/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "types/btf_read.h"
#include "util/file.h"

#define MAX_BYTES (256u << 20)
#define DEPTH_MAX 4	 /* of functions that take functions */
#define DECLS_MAX 1024	 /* in one prototype: functions that take themselves, 65535 times, would never end */
#define DECL_MAX 1024	 /* of one declarator's text */
#define PARAMS_MAX 512	 /* of that, a list of parameters */
#define NAME_MAX_LEN 256 /* of that, the name */

/* Bytes after struct btf_type, or -1 for an unknown kind. */
static int64_t extra_bytes(const struct btf_type *t)
{
	uint64_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return (int64_t)(n * sizeof(struct btf_member));
	case BTF_KIND_ENUM:
		return (int64_t)(n * sizeof(struct btf_enum));
	case KIND_ENUM64:
		return (int64_t)(n * 3 * sizeof(uint32_t));
	case BTF_KIND_FUNC_PROTO:
		return (int64_t)(n * sizeof(struct btf_param));
	case BTF_KIND_DATASEC:
		return (int64_t)(n * sizeof(struct btf_var_secinfo));
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

static int index_types(struct btf_types *btf)
{
	struct btf_type t;

	for (size_t at = 0; at < btf->types_len;) {
		int64_t more;

		if (btf->types_len - at < sizeof(t))
			return -EBADMSG;
		memcpy(&t, btf->types + at, sizeof(t));
		more = extra_bytes(&t);
		/* A kind of a newer kernel: what is before it can be used. */
		if (more < 0) {
			btf->is_cut = true;
			return 0;
		}
		if ((uint64_t)more > btf->types_len - at - sizeof(t))
			return -EBADMSG;
		if (vec_reserve(&btf->at))
			return -ENOMEM;
		btf->at.data[btf->at.n++] = (uint32_t)at;
		at += sizeof(t) + (size_t)more;
	}
	return 0;
}

static int read_header(struct btf_types *btf, const char *bytes, size_t size)
{
	struct btf_header h;
	size_t room;

	if (size < sizeof(h) || size > MAX_BYTES)
		return -EBADMSG;
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != BTF_MAGIC || h.hdr_len < sizeof(h) || h.hdr_len > size)
		return -EBADMSG;
	room = size - h.hdr_len;
	if (h.type_off > room || h.type_len > room - h.type_off || h.str_off > room || h.str_len > room - h.str_off || !h.str_len ||
	    bytes[h.hdr_len + h.str_off + h.str_len - 1])
		return -EBADMSG;
	btf->types = bytes + h.hdr_len + h.type_off;
	btf->types_len = h.type_len;
	btf->strings = bytes + h.hdr_len + h.str_off;
	btf->strings_len = h.str_len;
	return 0;
}

int btf_open_mem(const void *bytes, size_t size, const struct btf_types *base, struct btf_types **ret_btf)
{
	struct btf_types *btf;
	int ret;

	if (base && base->is_cut)
		return -EBADMSG;
	btf = calloc(1, sizeof(*btf));
	if (!btf)
		return -ENOMEM;
	btf->base = base;
	btf->first_id = base ? base->first_id + (uint32_t)base->at.n : 1; /* 0 is void */
	btf->first_string = base ? base->first_string + (uint32_t)base->strings_len : 0;
	ret = read_header(btf, bytes, size);
	if (!ret)
		ret = index_types(btf);
	if (ret)
		btf_close(btf);
	else
		*ret_btf = btf;
	return ret;
}

int btf_open(const char *path, const struct btf_types *base, struct btf_types **ret_btf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	void *map = MAP_FAILED;
	struct stat st;
	char *copy = NULL;
	size_t n = 0;

	if (fd < 0)
		return -errno;
	/* Since 6.16 it can be mapped, which is 3 ms less; it cannot be cut then. Elsewhere than in sysfs it could. */
	if (!strncmp(path, "/sys/", 5) && !fstat(fd, &st) && st.st_size > 0) {
		n = (size_t)st.st_size;
		map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	ret = map != MAP_FAILED ? 0 : file_read_fd(fd, n + 1, MAX_BYTES, &copy, &n);
	close(fd);
	if (!ret)
		ret = btf_open_mem(copy ? copy : map, n, base, ret_btf);
	if (ret) {
		if (map != MAP_FAILED)
			munmap(map, n);
		free(copy);
		return ret;
	}
	(*ret_btf)->map = map != MAP_FAILED ? map : NULL;
	(*ret_btf)->map_len = n;
	(*ret_btf)->copy = copy;
	return 0;
}

void btf_close(struct btf_types *btf)
{
	if (!btf)
		return;
	if (btf->map)
		munmap(btf->map, btf->map_len);
	free(btf->copy);
	vec_free(&btf->at);
	free(btf);
}

const char *btf_string_at(const struct btf_types *btf, uint32_t off)
{
	while (btf && off < btf->first_string)
		btf = btf->base;
	return btf && off - btf->first_string < btf->strings_len ? btf->strings + (off - btf->first_string) : "";
}

bool btf_type_at(const struct btf_types *btf, uint32_t id, struct btf_type *ret_type, const char **ret_more)
{
	const char *at;

	while (btf && id < btf->first_id)
		btf = btf->base;
	if (!btf || !id || id - btf->first_id >= btf->at.n)
		return false;
	at = btf->types + btf->at.data[id - btf->first_id];
	memcpy(ret_type, at, sizeof(*ret_type));
	*ret_more = at + sizeof(*ret_type);
	return true;
}

int btf_each_func(const struct btf_types *btf, int (*each)(void *arg, const char *name, uint32_t id), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < btf->at.n && !ret; i++) {
		struct btf_type t;

		memcpy(&t, btf->types + btf->at.data[i], sizeof(t));
		if (BTF_INFO_KIND(t.info) == BTF_KIND_FUNC)
			ret = each(arg, btf_string_at(btf, t.name_off), btf->first_id + (uint32_t)i);
	}
	return ret;
}

uint32_t btf_find(const struct btf_types *btf, uint32_t kind, const char *name)
{
	for (size_t i = 0; i < btf->at.n; i++) {
		struct btf_type t;

		memcpy(&t, btf->types + btf->at.data[i], sizeof(t));
		if (BTF_INFO_KIND(t.info) == kind && !strcmp(btf_string_at(btf, t.name_off), name))
			return btf->first_id + (uint32_t)i;
	}
	return 0;
}

/* The prototype of the typedef btf_trace_NAME, whose first argument is the kernel's own; false: there is none. */
static bool tracepoint_proto(const struct btf_types *btf, const char *tracepoint, struct btf_type *ret_proto, const char **ret_more)
{
	struct btf_type t = { 0 };
	char name[NAME_MAX_LEN];
	const char *more;
	uint32_t id;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf_find(btf, BTF_KIND_TYPEDEF, name);
	/* A pointer to a function */
	for (int steps = 0; steps < 2 && btf_type_at(btf, id, &t, &more); steps++)
		id = t.type;
	if (!btf_type_at(btf, id, ret_proto, ret_more))
		return false;
	return BTF_INFO_KIND(ret_proto->info) == BTF_KIND_FUNC_PROTO && BTF_INFO_VLEN(ret_proto->info);
}

int btf_tracepoint_args(const struct btf_types *btf, const char *tracepoint)
{
	struct btf_type proto;
	const char *more;

	return tracepoint_proto(btf, tracepoint, &proto, &more) ? (int)BTF_INFO_VLEN(proto.info) - 1 : -1;
}

bool btf_tracepoint_has_pointer(const struct btf_types *btf, const char *tracepoint, uint32_t i)
{
	struct btf_type proto, t;
	struct btf_param p;
	const char *more, *rest;

	if (!tracepoint_proto(btf, tracepoint, &proto, &more) || i + 1 >= BTF_INFO_VLEN(proto.info))
		return false;
	memcpy(&p, more + (i + 1) * sizeof(p), sizeof(p));
	return btf_type_at(btf, p.type, &t, &rest) && BTF_INFO_KIND(t.info) == BTF_KIND_PTR;
}

uint32_t btf_struct_bytes(const struct btf_types *btf, const char *name)
{
	struct btf_type t;
	const char *more;

	return btf_type_at(btf, btf_find(btf, BTF_KIND_STRUCT, name), &t, &more) ? t.size : 0;
}

bool btf_has_member(const struct btf_types *btf, const char *name, const char *member)
{
	struct btf_type t;
	struct btf_member m;
	const char *more;

	if (!btf_type_at(btf, btf_find(btf, BTF_KIND_STRUCT, name), &t, &more))
		return false;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(t.info); i++) {
		memcpy(&m, more + i * sizeof(m), sizeof(m));
		if (!strcmp(btf_string_at(btf, m.name_off), member))
			return true;
	}
	return false;
}

const char *btf_enum_name(const struct btf_types *btf, const char *name, uint32_t value)
{
	struct btf_type t;
	struct btf_enum e;
	const char *more;

	if (!btf_type_at(btf, btf_find(btf, BTF_KIND_ENUM, name), &t, &more))
		return NULL;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(t.info); i++) {
		memcpy(&e, more + i * sizeof(e), sizeof(e));
		if ((uint32_t)e.val == value)
			return btf_string_at(btf, e.name_off);
	}
	return NULL;
}

int64_t btf_percpu_offset(const struct btf_types *btf, const char *name)
{
	uint32_t var = btf_find(btf, BTF_KIND_VAR, name), sec = btf_find(btf, BTF_KIND_DATASEC, ".data..percpu");
	struct btf_type t;
	const char *more;

	if (!var || !btf_type_at(btf, sec, &t, &more))
		return -1;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(t.info); i++) {
		struct btf_var_secinfo info;

		memcpy(&info, more + i * sizeof(info), sizeof(info));
		if (info.type == var)
			return info.offset;
	}
	return -1;
}

/* A text that is cut at its room, and remembers how long it would be. */
struct text {
	char *buf;
	size_t size, len;
	unsigned *decls; /* that may still be written */
	bool is_cut;
};

/* The mark of what is cut, in the place of its last bytes where there is no more room. */
static void put_dots(char *buf, size_t size)
{
	static const char dots[] = "...";
	size_t len = strlen(buf), last = size > sizeof(dots) ? size - sizeof(dots) : 0;

	snprintf(buf + (len < last ? len : last), size - (len < last ? len : last), "%s", dots);
}

static void put(struct text *t, const char *s)
{
	size_t n = strlen(s), room = t->len + 1 < t->size ? t->size - t->len - 1 : 0;

	if (t->size && room) {
		memcpy(t->buf + t->len, s, n < room ? n : room);
		t->buf[t->len + (n < room ? n : room)] = '\0';
	}
	t->is_cut |= n > room;
	t->len += n;
}

static struct text text_in(char *buf, size_t size, unsigned *decls)
{
	if (size)
		buf[0] = '\0';
	return (struct text){ buf, size, 0, decls, false };
}

static size_t text_end(const struct text *t)
{
	if (t->is_cut && t->size)
		put_dots(t->buf, t->size);
	return t->len;
}

static const char *keyword(uint32_t info)
{
	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_STRUCT:
		return "struct ";
	case BTF_KIND_UNION:
		return "union ";
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		return "enum ";
	case BTF_KIND_FWD:
		return BTF_INFO_KFLAG(info) ? "union " : "struct ";
	default:
		return "";
	}
}

static const char *qualifier(uint32_t kind)
{
	return kind == BTF_KIND_CONST ? "const" : kind == BTF_KIND_VOLATILE ? "volatile" : kind == BTF_KIND_RESTRICT ? "restrict" : NULL;
}

static void put_decl(const struct btf_types *btf, uint32_t id, const char *name, int depth, struct text *out);

static void put_params(const struct btf_types *btf, const struct btf_type *proto, const char *more, int depth, struct text *out)
{
	uint32_t n = BTF_INFO_VLEN(proto->info), i;

	if (!n)
		put(out, "void");
	for (i = 0; i < n && out->len < out->size && *out->decls; i++) {
		struct btf_param p;

		memcpy(&p, more + i * sizeof(p), sizeof(p));
		put(out, i ? ", " : "");
		if (!p.type && i + 1 == n)
			put(out, "..."); /* btf.rst: the last of a variable number */
		else
			put_decl(btf, p.type, btf_string_at(btf, p.name_off), depth + 1, out);
	}
	out->is_cut |= i < n;
}

/* Joined in front of a declarator: "*" + "name", "const" + "name". */
static void prepend(char *decl, const char *text, bool space)
{
	char old[DECL_MAX];

	snprintf(old, sizeof(old), "%s", decl);
	if (snprintf(decl, DECL_MAX, "%s%s%s", text, space && *old ? " " : "", old) >= DECL_MAX)
		put_dots(decl, DECL_MAX);
}

static void append(char *decl, const char *text)
{
	size_t len = strlen(decl);

	if (snprintf(decl + len, DECL_MAX - len, "%s", text) >= (int)(DECL_MAX - len))
		put_dots(decl, DECL_MAX);
}

/* What stands around the declarator of an array or a function: parentheses when a pointer's star begins it. */
static void wrap_pointer(char *decl)
{
	if (decl[0] != '*')
		return;
	prepend(decl, "(", false);
	append(decl, ")");
}

/*
 * C declarations read inside out: the walk from the outermost type to the innermost builds the declarator around the name, and
 * what names the innermost type comes first.
 */
static void put_decl(const struct btf_types *btf, uint32_t id, const char *name, int depth, struct text *out)
{
	char decl[DECL_MAX], part[PARAMS_MAX], first[64] = "";
	struct btf_type t;
	const char *more, *q, *type_name = "void";
	const char *word = "";

	*out->decls -= *out->decls > 0;
	if (snprintf(decl, NAME_MAX_LEN, "%s", name) >= NAME_MAX_LEN)
		put_dots(decl, NAME_MAX_LEN);
	for (int steps = 0; btf_type_at(btf, id, &t, &more); steps++) {
		uint32_t kind = BTF_INFO_KIND(t.info);

		if (steps > BTF_STEPS_MAX || depth > DEPTH_MAX) {
			type_name = "...";
			break;
		}
		q = qualifier(kind);
		if (kind == BTF_KIND_PTR) {
			prepend(decl, "*", false);
		} else if (q) {
			struct btf_type next;
			const char *unused;
			bool of_pointer = btf_type_at(btf, t.type, &next, &unused) && BTF_INFO_KIND(next.info) == BTF_KIND_PTR;

			if (of_pointer)
				prepend(decl, q, true);
			else
				snprintf(first + strlen(first), sizeof(first) - strlen(first), "%s ", q);
		} else if (kind == BTF_KIND_ARRAY) {
			struct btf_array a;

			memcpy(&a, more, sizeof(a));
			wrap_pointer(decl);
			snprintf(part, sizeof(part), "[%u]", a.nelems);
			append(decl, part);
			t.type = a.type;
		} else if (kind == BTF_KIND_FUNC_PROTO) {
			struct text params = text_in(part, sizeof(part), out->decls);

			wrap_pointer(decl);
			put_params(btf, &t, more, depth, &params);
			text_end(&params);
			append(decl, "(");
			append(decl, part);
			append(decl, ")");
		} else if (kind != KIND_TYPE_TAG) {
			type_name = btf_string_at(btf, t.name_off);
			word = keyword(t.info);
			break;
		}
		id = t.type;
	}
	put(out, first);
	put(out, word);
	put(out, *type_name ? type_name : "{...}");
	if (*decl)
		put(out, " ");
	put(out, decl);
}

bool btf_func_at(const struct btf_types *btf, uint32_t id, struct btf_type *ret_func, struct btf_type *ret_proto,
		 const char **ret_more)
{
	return btf_type_at(btf, id, ret_func, ret_more) && BTF_INFO_KIND(ret_func->info) == BTF_KIND_FUNC &&
	       btf_type_at(btf, ret_func->type, ret_proto, ret_more) && BTF_INFO_KIND(ret_proto->info) == BTF_KIND_FUNC_PROTO;
}

size_t btf_prototype(const struct btf_types *btf, uint32_t id, char *buf, size_t size)
{
	unsigned decls = DECLS_MAX;
	struct text out = text_in(buf, size, &decls);
	struct btf_type func, proto;
	const char *more;

	if (btf_func_at(btf, id, &func, &proto, &more))
		put_decl(btf, func.type, btf_string_at(btf, func.name_off), 0, &out);
	return text_end(&out);
}

size_t btf_parameters(const struct btf_types *btf, uint32_t id, char *buf, size_t size)
{
	unsigned decls = DECLS_MAX;
	struct text out = text_in(buf, size, &decls);
	struct btf_type func, proto;
	const char *more;

	if (btf_func_at(btf, id, &func, &proto, &more))
		put_params(btf, &proto, more, 0, &out);
	return text_end(&out);
}

size_t btf_result(const struct btf_types *btf, uint32_t id, char *buf, size_t size)
{
	unsigned decls = DECLS_MAX;
	struct text out = text_in(buf, size, &decls);
	struct btf_type func, proto;
	const char *more;

	if (btf_func_at(btf, id, &func, &proto, &more))
		put_decl(btf, proto.type, "", 0, &out);
	return text_end(&out);
}

size_t btf_type_name(const struct btf_types *btf, uint32_t id, char *buf, size_t size)
{
	unsigned decls = DECLS_MAX;
	struct text out = text_in(buf, size, &decls);

	put_decl(btf, id, "", 0, &out);
	return text_end(&out);
}

const char *btf_parameter(const struct btf_types *btf, uint32_t id, uint32_t i, char *buf, size_t size)
{
	unsigned decls = DECLS_MAX;
	struct text out = text_in(buf, size, &decls);
	struct btf_type func, proto;
	struct btf_param p;
	const char *more;

	if (!btf_func_at(btf, id, &func, &proto, &more) || i >= BTF_INFO_VLEN(proto.info))
		return NULL;
	memcpy(&p, more + i * sizeof(p), sizeof(p));
	if (!p.type && i + 1 == BTF_INFO_VLEN(proto.info))
		put(&out, "...");
	else
		put_decl(btf, p.type, "", 0, &out);
	text_end(&out);
	return btf_string_at(btf, p.name_off);
}
