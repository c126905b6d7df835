/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/stacksums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/dump.h"
#include "util/hash.h"

#define SLOTS 4096
#define SUMS_MAX (SLOTS / 2)
#define IPS_MAX 32768
#define STACK_IPS_MAX 512 /* deeper stacks are not summed */
#define REST 32768 /* samples that are not summed after sums that held fewer than two samples each */
#define EVENTS_KNOWN 64 /* samples of events with numbers from this on are not summed */
#define MIX 0x9e3779b97f4a7c15ull /* 2^64 / the golden ratio, as of Fibonacci hashing */

/* What samples of one sum have in common, beside their addresses. Without padding: it is compared as bytes. */
struct key {
	uint64_t ip;
	uint32_t pid, tid;
	uint16_t event;
	uint16_t nr[CHAIN_KINDS];
	uint8_t stop[CHAIN_KINDS];
	uint8_t is_calls; /* a bit for each chain */
	uint8_t is_tracepoint;
	uint8_t pad[6];
};
_Static_assert(sizeof(struct key) == 32, "no padding but pad");

struct sum {
	struct key key;
	uint64_t weight, count, last_ns; /* count 0: empty */
	uint32_t hash; /* part of it */
	uint32_t ips;  /* where in `ips` its chains begin */
};

/* Half a megabyte. */
struct stack_sums {
	struct sum slots[SLOTS];
	uint64_t ips[IPS_MAX];
	uint16_t order[SUMS_MAX]; /* the slots as they were filled */
	uint32_t n, added; /* sums, and samples in them */
	uint32_t nr_ips;
	uint32_t rest;
	uint64_t seen; /* a bit for each event that had a sample */
	bool leaf_only;
};

struct stack_sums *stack_sums_new(bool leaf_only)
{
	struct stack_sums *sums = calloc(1, sizeof(*sums));

	if (sums)
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
static struct key key_of(const struct stack_sums *sums, const struct sample *s, uint64_t *leaf, const uint64_t *chains[CHAIN_KINDS])
{
	struct key key = { .ip = s->ip, .pid = s->pid, .tid = s->tid, .event = s->event, .is_tracepoint = s->is_tracepoint };

	if (sums->leaf_only) {
		key.ip = *leaf = s->ip ? s->ip : sample_leaf(s);
		key.nr[s->chains[CHAIN_KERNEL].n ? CHAIN_KERNEL : CHAIN_USER] = 1;
		chains[CHAIN_KERNEL] = chains[CHAIN_USER] = leaf;
		return key;
	}
	for (int i = 0; i < CHAIN_KINDS; i++) {
		chains[i] = s->chains[i].ips;
		key.nr[i] = (uint16_t)s->chains[i].n;
		key.stop[i] = s->chains[i].stop;
		key.is_calls |= s->chains[i].is_calls << i;
	}
	return key;
}

static uint64_t hash_of(const struct key *key, const uint64_t *chains[CHAIN_KINDS])
{
	uint64_t hash = (key->ip ^ (uint64_t)key->tid << 32 ^ key->event) * MIX ^ key->pid;

	for (int i = 0; i < CHAIN_KINDS; i++)
		for (uint32_t k = 0; k < key->nr[i]; k++)
			hash = (hash << 7 ^ hash >> 57 ^ chains[i][k]) * MIX;
	return hash_u64(hash);
}

static bool is_of(const struct stack_sums *sums, const struct sum *sum, const struct key *key, const uint64_t *chains[CHAIN_KINDS])
{
	const uint64_t *ips = sums->ips + sum->ips;

	if (memcmp(&sum->key, key, sizeof(*key)) != 0)
		return false;
	for (int i = 0; i < CHAIN_KINDS; ips += key->nr[i++])
		for (uint32_t k = 0; k < key->nr[i]; k++)
			if (ips[k] != chains[i][k])
				return false;
	return true;
}

static uint32_t ips_of(const struct key *key)
{
	uint32_t n = 0;

	for (int i = 0; i < CHAIN_KINDS; i++)
		n += key->nr[i];
	return n;
}

static void copy_chains(struct stack_sums *sums, const struct key *key, const uint64_t *chains[CHAIN_KINDS])
{
	for (int i = 0; i < CHAIN_KINDS; sums->nr_ips += key->nr[i++])
		if (key->nr[i])
			memcpy(sums->ips + sums->nr_ips, chains[i], key->nr[i] * sizeof(*sums->ips));
}

int stack_sums_add(struct stack_sums *sums, const struct sample *s)
{
	const uint64_t *chains[CHAIN_KINDS];
	uint64_t hash, leaf;
	struct key key;
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
	for (struct sum *sum; (sum = &sums->slots[at])->count; at = (at + 1) & (SLOTS - 1)) {
		if (sum->hash != (uint32_t)hash || !is_of(sums, sum, &key, chains))
			continue;
		sum->weight += s->weight;
		sum->count += s->count;
		sum->last_ns = s->time_ns;
		sums->added++;
		return 1;
	}
	if (sums->n == SUMS_MAX || sums->nr_ips + ips_of(&key) > IPS_MAX)
		return -ENOSPC;
	sums->order[sums->n++] = (uint16_t)at;
	sums->added++;
	sums->slots[at] = (struct sum){ .key = key, .hash = (uint32_t)hash, .weight = s->weight, .count = s->count, .last_ns = s->time_ns, .ips = sums->nr_ips };
	copy_chains(sums, &key, chains);
	return 1;
}

int stack_sums_take(struct stack_sums *sums, int (*each)(void *arg, const struct sample *s), void *arg)
{
	int ret = 0;

	for (uint32_t i = 0; i < sums->n; i++) {
		struct sum *sum = &sums->slots[sums->order[i]];
		const struct key *key = &sum->key;
		const uint64_t *ips = sums->ips + sum->ips;
		struct sample s = { .time_ns = sum->last_ns, .weight = sum->weight, .count = sum->count, .ip = key->ip, .pid = key->pid, .tid = key->tid,
				    .cpu = UINT32_MAX, .event = key->event, .is_tracepoint = key->is_tracepoint };

		for (int k = 0; k < CHAIN_KINDS; ips += key->nr[k++])
			s.chains[k] = (struct chain){ .ips = ips, .n = key->nr[k], .stop = key->stop[k], .is_calls = key->is_calls >> k & 1 };
		if (ret >= 0)
			ret = each(arg, &s);
		sum->count = 0;
	}
	sums->rest = sums->n >= SUMS_MAX / 4 && sums->added < 2 * sums->n ? REST : 0;
	sums->n = sums->added = sums->nr_ips = 0;
	return ret;
}
