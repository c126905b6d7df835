/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/calljoin.h"

#include <errno.h>
#include <string.h>

#include "bpf/trace.h"
#include "bpf/uring.h"
#include "util/hash.h"

#define PIECES_MAX 1280 /* as many as TRACE_MESSAGES_MAX messages have */

/* What waits for the return of a thread's call: the record of its entry, and signals that are shown after it. */
struct calljoin_waiting {
	uint32_t tid;
	VEC(char) entry;
	VEC(char) signals; /* records of one size */
};

#define SIGNAL_BYTES (sizeof(struct trace_rec) + TRACE_SIGINFO_BYTES)

static struct calljoin_waiting *find(struct calljoin *j, uint32_t tid, bool create)
{
	int64_t at = map_find(&j->by_tid, hash_u64(tid));
	struct calljoin_waiting *w;

	if (at >= 0)
		return &j->waiting.data[at];
	if (!create)
		return NULL;
	w = vec_take(&j->waiting, 1);
	if (!w || map_add(&j->by_tid, hash_u64(tid), j->waiting.n - 1)) {
		j->waiting.n -= w != NULL;
		return NULL;
	}
	*w = (struct calljoin_waiting){ .tid = tid };
	return w;
}

static void forget(struct calljoin *j, struct calljoin_waiting *w)
{
	size_t at = w - j->waiting.data;
	struct calljoin_waiting *last = &j->waiting.data[j->waiting.n - 1];

	vec_free(&w->entry);
	vec_free(&w->signals);
	map_remove(&j->by_tid, hash_u64(w->tid), at, hash_u64(last->tid));
	*w = *last;
	j->waiting.n--;
}

/* The pieces of a record, whose sizes are not to be trusted. Returns how many there are then. */
static uint32_t add_pieces(const struct trace_rec *rec, bool is_entry, struct call_piece *pieces, uint32_t n)
{
	const char *data = (const char *)(rec + 1);
	uint32_t at = 0;

	for (uint16_t i = 0; i < rec->nr_pieces && n < PIECES_MAX; i++) {
		const struct trace_piece *p = (const void *)(data + at);

		if (rec->bytes < sizeof(*p) || at > rec->bytes - sizeof(*p) || p->size > rec->bytes - at - sizeof(*p))
			break;
		pieces[n++] = (struct call_piece){ .addr = p->addr, .bytes = p + 1, .size = p->size, .is_fault = p->flags & TRACE_UNREADABLE,
						   .is_entry = is_entry };
		at += (sizeof(*p) + p->size + 7) & ~7u;
	}
	return n;
}

/* The stack is the last of the pieces. Returns how many others there are. */
static uint32_t take_stack(const struct calljoin *j, const struct call_piece *pieces, uint32_t n, struct sample *s)
{
	const struct call_piece *stack = n ? &pieces[n - 1] : NULL;

	if (!stack || stack->addr != TRACE_STACK)
		return n;
	s->chains[CHAIN_USER] = (struct chain){ .ips = stack->bytes, .n = stack->size / sizeof(uint64_t) };
	if (j->stack)
		j->stack(j->arg, s);
	else
		s->chains[CHAIN_USER].n = 0;
	return n - 1;
}

/* The call that a thread ends in is an event, too. */
static uint32_t nr_events(const struct trace_rec *rec)
{
	return rec->kind == TRACE_ENTRY || rec->kind == TRACE_LOST ? 0 : 1 + (rec->kind == TRACE_GONE && rec->flags & TRACE_IN_CALL);
}

static int send(struct calljoin *j, const struct trace_rec *rec, const struct trace_rec *entry, struct sink *sink)
{
	static const uint8_t kinds[] = { [TRACE_CALL] = CALL_DONE, [TRACE_SIGNAL] = CALL_SIGNAL, [TRACE_GONE] = CALL_GONE,
					 [TRACE_URING] = CALL_URING, [TRACE_PAGE_FAULT] = CALL_FAULT, [TRACE_LOST] = CALL_LOST };
	struct call_piece pieces[PIECES_MAX];
	struct call_event e = { .kind = kinds[rec->kind], .abi = rec->abi, .nr = rec->nr, .in_call = rec->flags & TRACE_IN_CALL,
				.no_entry = rec->flags & (TRACE_NO_ENTRY | TRACE_HAS_ENTRY) && !entry, .start_ns = rec->start_ns,
				.ret = rec->ret, .pieces = pieces, .siginfo = rec + 1 };
	uint32_t uring = rec->kind == TRACE_URING ? rec->flags >> TRACE_URING_SHIFT : 0;
	struct sample s = { .time_ns = rec->time_ns, .weight = 1, .count = 1, .pid = rec->pid, .tid = rec->tid, .cpu = rec->cpu, .call = &e };
	char comm[COMM_LEN];

	e.no_start = uring & URING_NO_START;
	e.no_args = uring & URING_NO_SQE;
	e.no_result = uring & URING_NO_END;
	memcpy(e.args, rec->args, sizeof(e.args));
	memcpy(comm, rec->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	s.comm = comm;
	if (entry)
		e.nr_pieces = add_pieces(entry, true, pieces, 0);
	if (rec->kind == TRACE_CALL || rec->kind == TRACE_PAGE_FAULT)
		e.nr_pieces = add_pieces(rec, false, pieces, e.nr_pieces);
	e.nr_pieces = take_stack(j, pieces, e.nr_pieces, &s);
	if (rec->kind == TRACE_PAGE_FAULT)
		s.chains[e.args[TRACE_FAULT_FLAGS] & TRACE_FAULT_USER ? CHAIN_USER : CHAIN_KERNEL] = (struct chain){ .ips = &e.args[TRACE_FAULT_IP], .n = 1 };
	j->entries_lost += e.no_entry;
	j->delivered += nr_events(rec);
	j->lost += calljoin_lost(rec, sizeof(*rec) + rec->bytes);
	return sink->sample(sink, &s);
}

static int keep(struct calljoin *j, const struct trace_rec *rec, size_t size)
{
	struct calljoin_waiting *w = find(j, rec->tid, true);
	char *to;

	if (!w)
		return -ENOMEM;
	if (rec->kind == TRACE_ENTRY) {
		w->entry.n = 0;
		to = vec_take(&w->entry, size);
	} else {
		to = vec_take(&w->signals, SIGNAL_BYTES);
		size = SIGNAL_BYTES;
	}
	if (!to)
		return -ENOMEM;
	memcpy(to, rec, size);
	return 0;
}

static int send_signals(struct calljoin *j, struct calljoin_waiting *w, struct sink *sink)
{
	int ret = 0;

	for (size_t at = 0; at < w->signals.n && !ret; at += SIGNAL_BYTES) {
		struct trace_rec *rec = (void *)(w->signals.data + at);

		rec->flags = 0;
		ret = send(j, rec, NULL, sink);
	}
	w->signals.n = 0;
	return ret;
}

static bool has_entry_of(const struct calljoin_waiting *w, const struct trace_rec *rec)
{
	const struct trace_rec *entry = w && w->entry.n ? (const void *)w->entry.data : NULL;

	return entry && entry->start_ns == rec->start_ns && entry->nr == rec->nr;
}

/* A thread that is not the first takes the number of the process with its exec, if that is done. */
static struct calljoin_waiting *find_renumbered(struct calljoin *j, const struct trace_rec *rec)
{
	for (size_t i = 0; i < j->waiting.n && rec->kind == TRACE_CALL && !rec->ret; i++)
		if (has_entry_of(&j->waiting.data[i], rec))
			return &j->waiting.data[i];
	return NULL;
}

static bool is_whole(const struct trace_rec *rec, size_t size)
{
	return size >= sizeof(*rec) && rec->bytes <= size - sizeof(*rec) && rec->kind <= TRACE_LOST && rec->abi < SYSCALL_ABIS &&
	       (rec->kind != TRACE_SIGNAL || rec->bytes >= TRACE_SIGINFO_BYTES);
}

int calljoin_take(struct calljoin *j, const void *record, size_t size, struct sink *sink)
{
	const struct trace_rec *rec = record, *entry = NULL;
	struct calljoin_waiting *w, *from;
	int ret;

	if (!is_whole(rec, size)) {
		j->damaged++;
		return 0;
	}
	if (rec->kind == TRACE_ENTRY || (rec->kind == TRACE_SIGNAL && rec->flags & TRACE_IN_CALL))
		return keep(j, rec, size);
	if (rec->kind >= TRACE_URING) /* whatever its thread does */
		return send(j, rec, NULL, sink);
	w = j->waiting.n && rec->kind != TRACE_SIGNAL ? find(j, rec->tid, false) : NULL;
	from = has_entry_of(w, rec) || !(rec->flags & TRACE_HAS_ENTRY) ? w : find_renumbered(j, rec);
	if (rec->flags & TRACE_HAS_ENTRY && from)
		entry = (const void *)from->entry.data;
	ret = send(j, rec, entry, sink);
	if (!ret && w)
		ret = send_signals(j, w, sink);
	if (from && from != w) {
		forget(j, from);
		w = find(j, rec->tid, false);
	}
	if (w)
		forget(j, w);
	return ret;
}

int calljoin_end(struct calljoin *j, struct sink *sink)
{
	int ret = 0;

	for (size_t i = 0; i < j->waiting.n && !ret; i++)
		ret = send_signals(j, &j->waiting.data[i], sink);
	return ret;
}

uint32_t calljoin_events(const void *record, size_t size, bool *ret_no_entry)
{
	const struct trace_rec *rec = record;

	*ret_no_entry = is_whole(rec, size) && rec->kind != TRACE_ENTRY && rec->flags & TRACE_NO_ENTRY;
	return is_whole(rec, size) ? nr_events(rec) : 0;
}

uint64_t calljoin_lost(const void *record, size_t size)
{
	const struct trace_rec *rec = record;

	return is_whole(rec, size) && rec->kind == TRACE_LOST ? rec->args[0] : 0;
}

void calljoin_note(uint64_t entries_lost, struct profile *profile)
{
	if (entries_lost)
		profile_note(profile, "of %llu calls what was read on their entry is missing: there was no room for it in the ring buffer",
			     (unsigned long long)entries_lost);
}

void calljoin_free(struct calljoin *j)
{
	for (size_t i = 0; i < j->waiting.n; i++) {
		vec_free(&j->waiting.data[i].entry);
		vec_free(&j->waiting.data[i].signals);
	}
	vec_free(&j->waiting);
	map_free(&j->by_tid);
}
