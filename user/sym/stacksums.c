/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/stacksums.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sym/dump.h"
#include "util/hash.h"

#define CACHE_LINE 64
#define NUMBER_BITS 12 /* of a slot */
#define NUMBER_MASK ((1u << NUMBER_BITS) - 1)
#define SLOTS (1u << NUMBER_BITS)
#define SUMS_MAX (SLOTS / 2)
#define TASKS 1024
#define IPS_MAX 32768
#define STACK_IPS_MAX 512 /* deeper stacks are not summed */
#define REST 32768 /* samples that are not summed after sums of which fewer than one in ... */
#define ALIKE_MIN 8 /* ... had another sample: looking a stack up costs ten times as much as adding it */
#define EVENTS_KNOWN 64 /* samples of events with numbers from this on are not summed */

/* What samples of one sum have in common, beside their addresses: words, which stay in registers while they are compared. */
struct key {
	uint64_t ip;
	uint64_t task;	/* pid, then tid */
	uint64_t shape; /* event, is_tracepoint, then of each chain: */
};
#define EVENT_BITS 6
#define NR_BITS 10
#define STOP_BITS 8
#define CHAIN_BITS (NR_BITS + STOP_BITS + 1) /* and is_calls */
_Static_assert(EVENTS_KNOWN <= 1 << EVENT_BITS && STACK_IPS_MAX < 1 << NR_BITS, "shape has room for numbers");
_Static_assert(EVENT_BITS + 1 + CHAIN_KINDS * CHAIN_BITS <= 64, "shape has room for all");

static int chain_shift(int kind)
{
	return EVENT_BITS + 1 + kind * CHAIN_BITS;
}

static uint32_t nr_of(const struct key *key, int kind)
{
	return key->shape >> chain_shift(kind) & ((1u << NR_BITS) - 1);
}

struct sum {
	_Alignas(CACHE_LINE) struct key key;
	uint64_t weight, count, last_ns; /* count 0: taken, its samples to come are added to it */
	uint32_t ips; /* where in `ips` its chains begin */
};
_Static_assert(sizeof(struct sum) == CACHE_LINE, "a sample of a known stack touches one line of the sums");

/* Of 400 KB as much is touched as there are sums. */
struct stack_sums {
	struct sum sums[SUMS_MAX]; /* the oldest first */
	uint64_t ips[IPS_MAX];
	uint32_t slots[SLOTS]; /* a sum's number, from 1, and above it bits of its hash; 0: empty */
	uint64_t tasks[TASKS / 64]; /* bits of the pids and tids that may have sums */
	uint32_t n, added; /* sums, and samples in them */
	uint32_t nr_ips;
	uint32_t rest;
	uint64_t seen; /* a bit for each event that had a sample */
	bool leaf_only;
};

struct stack_sums *stack_sums_new(bool leaf_only)
{
	struct stack_sums *sums = aligned_alloc(CACHE_LINE, sizeof(*sums));

	if (!sums)
		return NULL;
	memset(sums->slots, 0, sizeof(*sums) - offsetof(struct stack_sums, slots)); /* what is before it is written before it is read */
	sums->leaf_only = leaf_only;
	return sums;
}

void stack_sums_free(struct stack_sums *sums)
{
	free(sums);
}

/* Is it the first sample of its event? */
static bool note_event(struct stack_sums *sums, uint16_t event)
{
	bool was = sums->seen >> event & 1;

	sums->seen |= 1ull << event;
	return !was;
}

static uint32_t pid_of(const struct key *key)
{
	return (uint32_t)key->task;
}

static uint32_t tid_of(const struct key *key)
{
	return key->task >> 32;
}

static void note_id(struct stack_sums *sums, uint32_t id)
{
	sums->tasks[id % TASKS / 64] |= 1ull << id % 64;
}

static void note_task(struct stack_sums *sums, uint32_t pid, uint32_t tid)
{
	note_id(sums, pid);
	note_id(sums, tid);
}

static bool may_have(const struct stack_sums *sums, uint32_t id)
{
	return sums->tasks[id % TASKS / 64] >> id % 64 & 1;
}

static uint64_t depth_of(const struct sample *s)
{
	uint64_t n = 0;

	for (int i = 0; i < CHAIN_KINDS; i++)
		n += s->chains[i].n;
	return n;
}

/* Is there more to the sample than its stack? */
static bool has_more(const struct stack_sums *sums, const struct sample *s)
{
	if (!sample_leaf(s) || s->comm || s->off_cpu || s->waker || !s->count)
		return true;
	if (sums->leaf_only)
		return s->is_tracepoint; /* its leaf is further up the stack */
	return dumps_has(s) || depth_of(s) > STACK_IPS_MAX;
}

/* The chains that count, and all else that does. */
static inline struct key key_of(const struct stack_sums *sums, const struct sample *s, uint64_t *leaf, const uint64_t *chains[CHAIN_KINDS])
{
	struct key key = { .ip = s->ip, .task = (uint64_t)s->tid << 32 | s->pid, .shape = s->event | (uint64_t)s->is_tracepoint << EVENT_BITS };

	if (sums->leaf_only) {
		key.ip = *leaf = s->ip ? s->ip : sample_leaf(s);
		key.shape |= 1ull << chain_shift(s->chains[CHAIN_KERNEL].n ? CHAIN_KERNEL : CHAIN_USER);
		chains[CHAIN_KERNEL] = chains[CHAIN_USER] = leaf;
		return key;
	}
	for (int i = 0; i < CHAIN_KINDS; i++) {
		const struct chain *c = &s->chains[i];

		chains[i] = c->ips;
		key.shape |= (c->n | (uint64_t)c->stop << NR_BITS | (uint64_t)c->is_calls << (NR_BITS + STOP_BITS)) << chain_shift(i);
	}
	return key;
}

static uint64_t hash_of(const struct key *key, const uint64_t *chains[CHAIN_KINDS])
{
	uint64_t hash = hash_words(0, (const uint64_t[]){ key->ip ^ key->task << 7 }, 1) ^ key->shape;

	for (int i = 0; i < CHAIN_KINDS; i++)
		hash = hash_words(hash, chains[i], nr_of(key, i));
	return hash_u64(hash);
}

static bool is_of(const struct stack_sums *sums, const struct sum *sum, const struct key *key, const uint64_t *chains[CHAIN_KINDS])
{
	const uint64_t *ips = sums->ips + sum->ips;

	if (sum->key.ip != key->ip || sum->key.task != key->task || sum->key.shape != key->shape)
		return false;
	for (int i = 0; i < CHAIN_KINDS; ips += nr_of(key, i++))
		for (uint32_t k = 0; k < nr_of(key, i); k++)
			if (ips[k] != chains[i][k])
				return false;
	return true;
}

static uint32_t ips_of(const struct key *key)
{
	uint32_t n = 0;

	for (int i = 0; i < CHAIN_KINDS; i++)
		n += nr_of(key, i);
	return n;
}

static void copy_chains(struct stack_sums *sums, const struct key *key, const uint64_t *chains[CHAIN_KINDS])
{
	for (int i = 0; i < CHAIN_KINDS; sums->nr_ips += nr_of(key, i++))
		if (nr_of(key, i))
			memcpy(sums->ips + sums->nr_ips, chains[i], nr_of(key, i) * sizeof(*sums->ips));
}

int stack_sums_add(struct stack_sums *sums, const struct sample *s)
{
	const uint64_t *chains[CHAIN_KINDS];
	uint64_t hash, leaf;
	struct key key;
	struct sum *sum;
	uint32_t at;

	if (s->event >= EVENTS_KNOWN || note_event(sums, s->event))
		return 0;
	if (sums->rest) {
		sums->rest--;
		return 0;
	}
	if (has_more(sums, s))
		return 0;
	key = key_of(sums, s, &leaf, chains);
	hash = hash_of(&key, chains);
	at = hash >> 32 & (SLOTS - 1);
	for (uint32_t slot; (slot = sums->slots[at]); at = (at + 1) & (SLOTS - 1)) {
		sum = &sums->sums[(slot & NUMBER_MASK) - 1];
		if ((slot ^ (uint32_t)hash) & ~NUMBER_MASK || !is_of(sums, sum, &key, chains))
			continue;
		if (!sum->count)
			note_task(sums, s->pid, s->tid);
		sum->weight += s->weight;
		sum->count += s->count;
		sum->last_ns = s->time_ns;
		sums->added++;
		return 1;
	}
	if (sums->n == SUMS_MAX || sums->nr_ips + ips_of(&key) > IPS_MAX)
		return -ENOSPC;
	sums->sums[sums->n] = (struct sum){ .key = key, .weight = s->weight, .count = s->count, .last_ns = s->time_ns, .ips = sums->nr_ips };
	sums->slots[at] = ++sums->n | ((uint32_t)hash & ~NUMBER_MASK);
	sums->added++;
	note_task(sums, s->pid, s->tid);
	copy_chains(sums, &key, chains);
	return 1;
}

/* Calls each() for a sum, which is empty then. */
static int take(struct stack_sums *sums, struct sum *sum, int (*each)(void *arg, const struct sample *s), void *arg)
{
	const struct key *key = &sum->key;
	const uint64_t *ips = sums->ips + sum->ips;
	struct sample s = { .time_ns = sum->last_ns, .weight = sum->weight, .count = sum->count, .ip = key->ip, .pid = pid_of(key),
			    .tid = tid_of(key), .cpu = UINT32_MAX, .event = key->shape & ((1 << EVENT_BITS) - 1),
			    .is_tracepoint = key->shape >> EVENT_BITS & 1 };

	for (int k = 0; k < CHAIN_KINDS; ips += nr_of(key, k++)) {
		uint64_t chain = key->shape >> chain_shift(k);

		s.chains[k] = (struct chain){ .ips = ips, .n = nr_of(key, k), .stop = chain >> NR_BITS & ((1 << STOP_BITS) - 1),
					      .is_calls = chain >> (NR_BITS + STOP_BITS) & 1 };
	}
	sum->weight = sum->count = 0;
	return each(arg, &s);
}

int stack_sums_take(struct stack_sums *sums, int (*each)(void *arg, const struct sample *s), void *arg)
{
	int ret = 0;

	for (uint32_t i = 0; i < sums->n && ret >= 0; i++)
		if (sums->sums[i].count)
			ret = take(sums, &sums->sums[i], each, arg);
	sums->rest = sums->n >= SUMS_MAX / 4 && sums->added - sums->n < sums->n / ALIKE_MIN ? REST : 0;
	sums->n = sums->added = sums->nr_ips = 0;
	memset(sums->slots, 0, sizeof(sums->slots));
	memset(sums->tasks, 0, sizeof(sums->tasks));
	return ret;
}

int stack_sums_take_task(struct stack_sums *sums, uint32_t pid, uint32_t tid, int (*each)(void *arg, const struct sample *s), void *arg)
{
	int ret = 0;

	if (!may_have(sums, pid) && !may_have(sums, tid))
		return 0;
	memset(sums->tasks, 0, sizeof(sums->tasks));
	for (uint32_t i = 0; i < sums->n && ret >= 0; i++) {
		struct sum *sum = &sums->sums[i];

		if (!sum->count)
			continue;
		if (pid_of(&sum->key) == pid || tid_of(&sum->key) == tid)
			ret = take(sums, sum, each, arg);
		else
			note_task(sums, pid_of(&sum->key), tid_of(&sum->key));
	}
	return ret;
}
