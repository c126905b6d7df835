/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Properties of types that need nothing but their reader. Its answers are as foreign as its file, so all walks have a budget. */
#include "types/ctype.h"

#include <errno.h>
#include <string.h>

/* Limits for hostile files only. */
#define DEPTH_MAX 16
#define MEMBERS_MAX (1u << 16)

static bool has_members(struct ctypes *types, uint64_t id)
{
	struct ctype t;

	return !types->get(types, id, &t) && (t.kind == CTYPE_STRUCT || t.kind == CTYPE_UNION);
}

struct search {
	struct ctypes *types;
	const char *name;
	size_t len;
	struct cmember *ret;
	uint32_t budget;
};

static bool is_named(const struct search *s, const struct cmember *m)
{
	size_t n = s->len < CTYPE_NAME_MAX ? s->len : CTYPE_NAME_MAX - 1;

	return n && strlen(m->name) == n && !memcmp(m->name, s->name, n);
}

static int search(struct search *s, uint64_t id, uint64_t bit_at, int depth)
{
	struct cmember m;
	int ret = -ENOENT;

	if (depth == DEPTH_MAX)
		return -ENOENT;
	/* Its own first: they hide those of base classes. */
	for (uint32_t i = 0; s->budget && !s->types->member(s->types, id, i, &m); i++, s->budget -= s->budget > 0)
		if (is_named(s, &m)) {
			m.bit_at += bit_at;
			*s->ret = m;
			return 0;
		}
	for (uint32_t i = 0; ret && s->budget && !s->types->member(s->types, id, i, &m); i++, s->budget -= s->budget > 0)
		if (!m.name[0] && has_members(s->types, m.type))
			ret = search(s, m.type, bit_at + m.bit_at, depth + 1);
	return ret;
}

int ctype_member(struct ctypes *types, uint64_t id, const char *name, size_t len, struct cmember *ret_member)
{
	struct search s = { types, name, len, ret_member, MEMBERS_MAX };

	return search(&s, id, 0, 0);
}

struct listing {
	struct ctypes *types;
	int (*each)(void *arg, const struct cmember *m);
	void *arg;
	uint32_t budget;
};

static int list(struct listing *l, uint64_t id, uint64_t bit_at, int depth)
{
	struct cmember m;
	int ret = 0;

	if (depth == DEPTH_MAX)
		return 0;
	for (uint32_t i = 0; !ret && l->budget && !l->types->member(l->types, id, i, &m); i++) {
		l->budget--;
		m.bit_at += bit_at;
		if (m.name[0])
			ret = l->each(l->arg, &m);
		else if (has_members(l->types, m.type))
			ret = list(l, m.type, m.bit_at, depth + 1);
	}
	return ret;
}

int ctype_each_member(struct ctypes *types, uint64_t id, int (*each)(void *arg, const struct cmember *m), void *arg)
{
	struct listing l = { types, each, arg, MEMBERS_MAX };

	return list(&l, id, 0, 0);
}
