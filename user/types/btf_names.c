/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Chains by hash, not open addressing: any number of functions may have one name, and all of them are needed. */
#include <errno.h>
#include <string.h>

#include "types/btf_read.h"
#include "util/hash.h"

#define NAME_BYTES_MAX 512 /* KSYM_NAME_LEN; without a limit types could all be named by ends of one text of megabytes */

int btf_names_build(const struct btf_types *btf, uint32_t kinds, struct btf_names *ret_names)
{
	struct btf_names names = { .btf = btf, .mask = 63 };

	while (names.mask < btf->at.n / 2)
		names.mask = names.mask * 2 + 1;
	names.heads = calloc((size_t)names.mask + 1, sizeof(*names.heads));
	if (!names.heads)
		return -ENOMEM;
	/* From the last on, as each goes in front of its chain. */
	for (size_t i = btf->at.n; i-- > 0;) {
		struct btf_type t;
		const char *name;
		uint32_t hash, *head;
		size_t len;

		memcpy(&t, btf->types + btf->at.data[i], sizeof(t));
		if (!(kinds >> BTF_INFO_KIND(t.info) & 1) || !t.name_off)
			continue;
		name = btf_string_at(btf, t.name_off);
		len = strnlen(name, NAME_BYTES_MAX);
		if (!len || len == NAME_BYTES_MAX)
			continue;
		if (vec_reserve(&names.all)) {
			btf_names_free(&names);
			return -ENOMEM;
		}
		hash = (uint32_t)hash_bytes(name, len);
		head = &names.heads[hash & names.mask];
		names.all.data[names.all.n++] = (struct btf_named){ btf->first_id + (uint32_t)i, hash, *head };
		*head = (uint32_t)names.all.n;
	}
	*ret_names = names;
	return 0;
}

void btf_names_free(struct btf_names *names)
{
	free(names->heads);
	names->heads = NULL;
	vec_free(&names->all);
}

uint32_t btf_names_next(const struct btf_names *names, const char *name, size_t len, uint32_t *at)
{
	uint32_t hash = (uint32_t)hash_bytes(name, len), next;

	if (!names->heads || !len || len >= NAME_BYTES_MAX)
		return 0;
	for (next = *at ? names->all.data[*at - 1].next : names->heads[hash & names->mask]; next;) {
		const struct btf_named *n = &names->all.data[next - 1];
		struct btf_type t;
		const char *more, *text;

		if (n->hash == hash && btf_type_at(names->btf, n->id, &t, &more)) {
			text = btf_string_at(names->btf, t.name_off);
			if (!strncmp(text, name, len) && !text[len]) {
				*at = next;
				return n->id;
			}
		}
		next = n->next;
	}
	return 0;
}
