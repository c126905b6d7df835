/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rules of all tables, each once, found by hash. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/ehtable.h"
#include "util/hash.h"

#define SLOTS (4 * UNWIND_RULES_MAX) /* a power of two */
#define STEPS_MAX 64u		     /* hostile rules collide as they like; those of real programs are a step or two away */
#define FIRST_CAP 256u

int unwind_rules_init(struct unwind_rules *rules)
{
	static const struct unwind_rule fixed[] = { { .cfa = UNWIND_CFA_NONE }, { .cfa = UNWIND_CFA_UNKNOWN } };
	uint32_t number;
	int ret = 0;

	*rules = (struct unwind_rules){ .nr_slots = SLOTS, .slots = calloc(SLOTS, sizeof(*rules->slots)) };
	if (!rules->slots)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < sizeof(fixed) / sizeof(*fixed); i++)
		ret = unwind_rules_number(rules, &fixed[i], &number);
	if (ret)
		unwind_rules_free(rules);
	return ret;
}

void unwind_rules_free(struct unwind_rules *rules)
{
	free(rules->data);
	free(rules->slots);
	*rules = (struct unwind_rules){ 0 };
}

static uint32_t hash_of(const struct unwind_rule *rule)
{
	uint64_t words[2];

	memcpy(words, rule, sizeof(words));
	return (uint32_t)hash_pair(words[0], words[1]);
}

static int add(struct unwind_rules *rules, const struct unwind_rule *rule)
{
	if (rules->n == rules->cap) {
		uint32_t cap = rules->cap ? rules->cap * 2 : FIRST_CAP;
		struct unwind_rule *p = realloc(rules->data, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		rules->data = p;
		rules->cap = cap;
	}
	rules->data[rules->n++] = *rule;
	return 0;
}

int unwind_rules_number(struct unwind_rules *rules, const struct unwind_rule *rule, uint32_t *ret_number)
{
	uint32_t at = hash_of(rule);
	int ret;

	/* A slot is empty or a number + 1. */
	for (unsigned int step = 0; step < STEPS_MAX; step++, at++) {
		uint32_t *slot = &rules->slots[at & (rules->nr_slots - 1)];

		if (!*slot) {
			if (rules->n == UNWIND_RULES_MAX)
				break;
			ret = add(rules, rule);
			if (ret)
				return ret;
			*slot = rules->n;
		}
		if (!memcmp(&rules->data[*slot - 1], rule, sizeof(*rule))) {
			*ret_number = *slot - 1;
			return 0;
		}
	}
	rules->nr_full++;
	*ret_number = UNWIND_CFA_UNKNOWN;
	return 0;
}
