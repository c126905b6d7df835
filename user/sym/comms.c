/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/comms.h"

#include <errno.h>
#include <stdio.h>

#include "util/hash.h"

/* How a thread got its name: it has none, an event gave it, it is its parent's. */
enum comm_from { COMM_MADE_UP, COMM_SAID, COMM_INHERITED };

void comms_free(struct comms *c)
{
	vec_free(&c->all);
	map_free(&c->by_tid);
}

/* NULL: nothing has named it. */
static struct thread_comm *comm_find(const struct comms *c, uint32_t tid)
{
	int64_t i = map_find(&c->by_tid, hash_u64(tid));

	return i < 0 ? NULL : &c->all.data[i];
}

static int comm_set(struct comms *c, uint32_t tid, const char *comm, enum comm_from from)
{
	struct thread_comm *t = comm_find(c, tid);

	if (!t) {
		if (vec_reserve(&c->all) || map_add(&c->by_tid, hash_u64(tid), c->all.n))
			return -ENOMEM;
		t = &c->all.data[c->all.n++];
		t->first = NULL;
	} else if (t->is_made_up && from == COMM_SAID) {
		t->first = comm;
	}
	t->comm = comm;
	t->is_made_up = from == COMM_MADE_UP;
	return 0;
}

int comms_task(struct comms *c, const struct task_event *t)
{
	const struct thread_comm *parent;
	const char *comm;

	if (t->what == TASK_COMM || t->what == TASK_EXEC) {
		comm = strpool_add(c->pool, t->comm);
		return comm ? comm_set(c, t->tid, comm, COMM_SAID) : -ENOMEM;
	}
	if (t->what != TASK_FORK)
		return 0;
	parent = comm_find(c, t->ptid);
	return parent && !parent->is_made_up ? comm_set(c, t->tid, parent->comm, COMM_INHERITED) : 0;
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
	const struct thread_comm *t;
	const char *comm;

	*ret_made_up = false;
	if (s->comm)
		return strpool_add(c->pool, s->comm);
	if (!s->pid || !s->tid)
		return strpool_add(c->pool, "swapper");
	t = comm_find(c, s->tid);
	*ret_made_up = !t || t->is_made_up;
	if (t)
		return t->comm;
	comm = made_up(c, s->tid);
	return comm && !comm_set(c, s->tid, comm, COMM_MADE_UP) ? comm : NULL;
}

const char *comms_late(struct comms *c, uint32_t tid)
{
	const struct thread_comm *t = comm_find(c, tid);

	return t && t->first ? t->first : made_up(c, tid);
}
