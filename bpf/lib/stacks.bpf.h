/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks as they were walked, each once, under the hash of its frames. */
#ifndef SKEP_STACKS_BPF_H
#define SKEP_STACKS_BPF_H

#include "lib/stack.bpf.h"

struct stacks {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACKS_DEFAULT);
	__type(key, __u64);
	__type(value, struct stack_val);
};

struct stacks stacks SEC(".maps");

/* Puts one walk into a map of that kind under its key. Returns 0, or 1 when it does not fit or the key is of another stack. */
static __always_inline int stack_save_in(void *map, struct stack_val *s, __u64 key)
{
	struct stack_val *have;

	if (!s->nr)
		return 0;
	have = bpf_map_lookup_elem(map, &key);
	if (!have) {
		/* Another CPU may have put it there meanwhile: look again instead of trusting -EEXIST. */
		if (!bpf_map_update_elem(map, &key, s, BPF_NOEXIST))
			return 0;
		have = bpf_map_lookup_elem(map, &key);
		if (!have)
			return 1;
	}
	return have->check != s->check || have->nr != s->nr;
}

static __always_inline int stack_save(struct stack_val *s, __u64 key)
{
	return stack_save_in(&stacks, s, key);
}

#endif
