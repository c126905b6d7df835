/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/places.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "sym/dataaddr.h"
#include "sym/extent.h"
#include "sym/relay.h"
#include "util/hash.h"
#include "util/map.h"

/* The cgroup namespace that a thread is in. */
struct thread_ns {
	uint32_t tid;
	struct task_namespace ns;
};

struct places {
	struct relay relay; /* first */
	struct names *names;
	struct places_cfg cfg;
	VEC(struct thread_ns) threads;
	struct map by_tid;
	struct data_address data;
	struct frame code;
	struct extent extents[STACK_FRAMES_MAX + 2];
};

/* PERF_RECORD_NAMESPACES of uapi/linux/perf_event.h */
struct namespaces_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t nr;
	struct task_namespace links[];
};

int places_watch(struct places *p, const struct data_record *rec)
{
	size_t at = offsetof(struct namespaces_record, links) + CGROUP_NS_INDEX * sizeof(struct task_namespace);
	struct namespaces_record head;
	struct thread_ns t;
	int64_t i;

	if (!p->cfg.cgroup_ns || rec->type != PERF_RECORD_NAMESPACES || rec->body < at + sizeof(t.ns))
		return 0;
	memcpy(&head, rec->bytes, sizeof(head));
	if (head.nr <= CGROUP_NS_INDEX)
		return 0;
	t.tid = head.tid;
	memcpy(&t.ns, rec->bytes + at, sizeof(t.ns));
	i = map_find(&p->by_tid, hash_u64(t.tid));
	if (i >= 0) {
		p->threads.data[i] = t;
		return 0;
	}
	if (vec_reserve(&p->threads))
		return -ENOMEM;
	p->threads.data[p->threads.n++] = t;
	return map_add(&p->by_tid, hash_u64(t.tid), (uint32_t)p->threads.n - 1);
}

static int places_sample(struct named_sink *sink, const struct named *from)
{
	struct places *p = (struct places *)sink;
	const struct sample *s = from->at;
	struct named n = *from;

	for (uint32_t i = 0; i < from->stack->n && p->cfg.extents; i++)
		p->extents[i] = syms_extent(p->names->syms, s->pid, s->time_ns, &from->stack->frames[i]);
	if (p->cfg.extents)
		n.extents = p->extents;
	if (p->cfg.data) {
		syms_data_address(p->names->syms, s, p->cfg.data_line, &p->data);
		n.data = &p->data;
	}
	if (p->cfg.code) {
		syms_code_address(p->names->syms, s, &p->code);
		n.code = &p->code;
	}
	if (p->cfg.cgroup_ns) {
		int64_t i = map_find(&p->by_tid, hash_u64(s->tid));

		n.cgroup_ns = i < 0 ? NULL : &p->threads.data[i].ns;
	}
	return relay_pass(&p->relay, &n);
}

struct places *places_new(const struct places_cfg *cfg)
{
	struct places *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->relay.sink = (struct named_sink){ .sample = places_sample };
	p->cfg = *cfg;
	return p;
}

void places_insert(struct places *p, struct names *names)
{
	p->names = names;
	relay_insert(&p->relay, names);
}

void places_free(struct places *p)
{
	if (!p)
		return;
	vec_free(&p->threads);
	map_free(&p->by_tid);
	free(p);
}
