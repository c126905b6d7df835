/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Chains by thread in a fixed table: the memory for threads does not grow. */
#include "model/shortnames.h"

#include <stdio.h>
#include <string.h>

#include "util/hash.h"

static uint16_t *head_of(struct shortnames *s, uint32_t tid)
{
	return &s->heads[hash_u64(tid) & (SHORTNAMES_HEADS - 1)];
}

/* Where the chain has the thread's link; *: 0 for none. */
static uint16_t *find(struct shortnames *s, uint32_t tid)
{
	uint16_t *link = head_of(s, tid);

	while (*link && s->all[*link - 1].tid != tid)
		link = &s->all[*link - 1].next;
	return link;
}

void shortname_end(struct shortnames *s, uint32_t tid)
{
	uint16_t *link = find(s, tid);
	struct shortname *n;

	if (!*link)
		return;
	n = &s->all[*link - 1];
	*link = n->next;
	n->tid = 0;
	n->next = 0;
}

/* More CPUs than names hold them all: then the next one is shared. */
static uint32_t give(struct shortnames *s)
{
	uint32_t name = s->next;

	for (uint32_t i = 0; i < SHORTNAMES_MAX && s->all[name].is_held; i++)
		name = (name + 1) % SHORTNAMES_MAX;
	s->next = (name + 1) % SHORTNAMES_MAX;
	if (s->all[name].tid)
		shortname_end(s, s->all[name].tid);
	return name;
}

uint32_t shortname_of(struct shortnames *s, uint32_t tid, const char *comm, bool *ret_is_new)
{
	uint16_t *link = find(s, tid);
	struct shortname *n = *link ? &s->all[*link - 1] : NULL;

	*ret_is_new = !n || strcmp(n->comm, comm);
	if (!n) {
		n = &s->all[give(s)];
		link = head_of(s, tid);
		n->tid = tid;
		n->next = *link;
		*link = (uint16_t)(n - s->all + 1);
	}
	if (*ret_is_new)
		snprintf(n->comm, sizeof(n->comm), "%s", comm);
	return (uint32_t)(n - s->all);
}

void shortname_text(uint32_t name, char ret_text[3])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	ret_text[0] = letters[name % 52];
	ret_text[1] = digits[name / 52 % 62];
	ret_text[2] = '\0';
}
