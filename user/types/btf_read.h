/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the readers of BTF share: where its types lie, and which of them have a name. Bytes come as the file has them. */
#ifndef SKEP_TYPES_BTF_READ_H
#define SKEP_TYPES_BTF_READ_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

/* Newer than some of the headers that skep is built with; uapi/linux/btf.h. */
#define KIND_DECL_TAG 17
#define KIND_TYPE_TAG 18
#define KIND_ENUM64 19

#define BTF_STEPS_MAX 32 /* from a name to its innermost type: none of the kernel's has 10 */

struct btf_types {
	const struct btf_types *base;
	const char *types, *strings;
	size_t types_len, strings_len;
	uint32_t first_id, first_string; /* after the base's */
	VEC(uint32_t) at;		 /* where each type begins in types */
	bool is_cut;			 /* at an unknown kind: the number of types is not known */
	void *map, *copy;		 /* what btf_close gives back */
	size_t map_len;
};

/* A type, and where what stands after it is: all that extra_bytes() says. False: void, or no such type. */
bool btf_type_at(const struct btf_types *btf, uint32_t id, struct btf_type *ret_type, const char **ret_more);

/* "" for none. */
const char *btf_string_at(const struct btf_types *btf, uint32_t off);

/* The FUNC at id and its FUNC_PROTO, ret_more being the parameters. False: it is none. */
bool btf_func_at(const struct btf_types *btf, uint32_t id, struct btf_type *ret_func, struct btf_type *ret_proto,
		 const char **ret_more);

struct btf_named {
	uint32_t id, hash, next; /* as heads */
};

/* Types by name, of one file without its base. Zeroes: none yet. */
struct btf_names {
	const struct btf_types *btf;
	uint32_t *heads; /* of chains, by hash: one more than the index in all; 0: empty */
	uint32_t mask;
	VEC(struct btf_named) all;
};

/* kinds: a bit per BTF_KIND. Names of KSYM_NAME_LEN bytes (512) and more are left out. 0 or -ENOMEM. */
int btf_names_build(const struct btf_types *btf, uint32_t kinds, struct btf_names *ret_names);
void btf_names_free(struct btf_names *names);

/* The next type of that name in the order of ids; *at: 0 at first, then as it was left. 0: no more. */
uint32_t btf_names_next(const struct btf_names *names, const char *name, size_t len, uint32_t *at);

#endif
