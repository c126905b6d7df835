/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/comms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/hash.h"

#define COMMS_FIRST 1024

/* How a thread got its name: it has none, an event gave it, it is its parent's. */
enum comm_from { COMM_MADE_UP, COMM_SAID, COMM_INHERITED };

int comms_init(struct comms *c, struct strpool *pool)
{
	*c = (struct comms){ .pool = pool, .cap = COMMS_FIRST };
	c->slots = calloc(c->cap, sizeof(*c->slots));
	return c->slots ? 0 : -ENOMEM;
}

void comms_free(struct comms *c)
{
	free(c->slots);
	c->slots = NULL;
}

static struct comm_slot *comm_find(struct comms *c, uint32_t tid)
{
	uint32_t at = hash_u64(tid) & (c->cap - 1);

	while (c->slots[at].comm && c->slots[at].tid != tid)
		at = (at + 1) & (c->cap - 1);
	return &c->slots[at];
}

static int comm_set(struct comms *c, uint32_t tid, const char *comm, enum comm_from from)
{
	struct comm_slot *slot;

	if (c->nr * 2 >= c->cap) {
		struct comm_slot *old = c->slots;
		uint32_t n = c->cap;

		c->slots = calloc(n * 2, sizeof(*c->slots));
		if (!c->slots) {
			c->slots = old;
			return -ENOMEM;
		}
		c->cap = n * 2;
		for (uint32_t i = 0; i < n; i++)
			if (old[i].comm)
				*comm_find(c, old[i].tid) = old[i];
		free(old);
	}
	slot = comm_find(c, tid);
	c->nr += !slot->comm;
	if (!slot->comm)
		slot->first = NULL;
	else if (slot->is_made_up && from == COMM_SAID)
		slot->first = comm;
	slot->tid = tid;
	slot->comm = comm;
	slot->is_made_up = from == COMM_MADE_UP;
	return 0;
}

int comms_task(struct comms *c, const struct task_event *t)
{
	struct comm_slot *slot;
	const char *comm;

	if (t->what == TASK_COMM || t->what == TASK_EXEC) {
		comm = strpool_add(c->pool, t->comm);
		return comm ? comm_set(c, t->tid, comm, COMM_SAID) : -ENOMEM;
	}
	if (t->what != TASK_FORK)
		return 0;
	slot = comm_find(c, t->ptid);
	return slot->comm && !slot->is_made_up ? comm_set(c, t->tid, slot->comm, COMM_INHERITED) : 0;
}

/* perf's name for a thread that no event named; NULL: no memory. */
static const char *made_up(struct comms *c, uint32_t tid)
{
	char text[16];

	snprintf(text, sizeof(text), ":%d", (int)tid);
	return strpool_add(c->pool, text);
}

const char *comms_of(struct comms *c, const struct sample *s, bool *ret_made_up)
{
	const struct comm_slot *slot;
	const char *comm;

	*ret_made_up = false;
	if (s->comm)
		return strpool_add(c->pool, s->comm);
	if (!s->pid || !s->tid)
		return strpool_add(c->pool, "swapper");
	slot = comm_find(c, s->tid);
	*ret_made_up = !slot->comm || slot->is_made_up;
	if (slot->comm)
		return slot->comm;
	comm = made_up(c, s->tid);
	return comm && !comm_set(c, s->tid, comm, COMM_MADE_UP) ? comm : NULL;
}

const char *comms_late(struct comms *c, uint32_t tid)
{
	const struct comm_slot *slot = comm_find(c, tid);

	return slot->first ? slot->first : made_up(c, tid);
}
