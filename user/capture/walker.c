/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks that the kernel could not walk: finished here, kept until their samples arrive. */
#include "capture/walker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/rings.h"
#include "capture/unwindstore.h"
#include "util/hash.h"

#define RESTS_BYTES_MIN (1u << 20)
#define RESTS_BYTES_MAX (8u << 20)
#define RESTS_BYTES_A_SAMPLE 8192u /* of stack, if each sample of a second asks */
#define COLLECT_MAX_BYTES (2 * RESTS_BYTES_MAX) /* Until some are walked the kernel requests more of the same */
#define CHAIN_BUCKETS 16384u
#define CHAINS_MAX_BYTES (64u << 20)
#define CHAINS_MAX 65536u /* that are kept: several sums may have one stack, and a sample that is lost has none */

/* A walk that was finished here. */
struct walk {
	struct walk *next;
	uint64_t id;
	uint32_t n, end;
	uint64_t ips[];
};

struct unwinder {
	struct unwind_store *store;
	struct unwind_guide *guide;
	struct rings rests;
	struct walk *chains[CHAIN_BUCKETS];
	struct walk *order[CHAINS_MAX]; /* as they came, from nr_dropped % CHAINS_MAX on */
	uint64_t nr_walked, nr_dropped, chain_bytes;
	uint32_t max_frames;
	uint64_t whole[SAMPLE_DEEP_MAX];
};

/* Most copies of a stack have more room than the stack needs. */
static size_t used_bytes(const void *head, size_t size)
{
	const struct unwind_rest *rest = head;

	return size < sizeof(*rest) ? size : sizeof(*rest) + rest->bytes;
}
_Static_assert(sizeof(struct unwind_rest) <= RINGS_HEAD_MAX, "the head of a record");

/* Of the ring of requests: user space wakes up for each, and takes it within milliseconds; what is seldom sampled needs no room for many. */
static uint32_t rests_bytes(uint64_t rate)
{
	uint64_t bytes = RESTS_BYTES_MAX;

	while (rate && bytes > RESTS_BYTES_MIN && bytes / 2 >= rate * RESTS_BYTES_A_SAMPLE)
		bytes /= 2;
	return bytes;
}

int unwinder_new(const struct unwinder_cfg *cfg, uint32_t nr_cpus, struct unwinder **ret_unwinder, struct err *err)
{
	struct unwinder *u = calloc(1, sizeof(*u));
	int ret;

	if (!u)
		return err_set(err, -ENOMEM, "out of memory");
	u->guide = cfg->guide;
	u->rests.max_bytes = COLLECT_MAX_BYTES;
	u->rests.used = used_bytes;
	u->max_frames = cfg->max_frames ? cfg->max_frames : STACK_MAX_FRAMES;
	ret = unwindstore_new(cfg->bytes ? cfg->bytes : UNWIND_BYTES_DEFAULT, rests_bytes(cfg->rate * nr_cpus), &u->store, err);
	if (!ret)
		ret = rings_watch(&u->rests, unwindstore_rests_fd(u->store), err);
	if (ret) {
		unwinder_free(u);
		return ret;
	}
	*ret_unwinder = u;
	return 0;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (uint32_t i = 0; i < CHAINS_MAX; i++)
		free(u->order[i]);
	rings_close(&u->rests);
	unwindstore_free(u->store);
	free(u);
}

int unwinder_lend(const struct unwinder *u, struct bpf_object *obj)
{
	return unwindstore_lend(u ? u->store : NULL, obj);
}

uint32_t unwinder_mode(const struct unwinder *u)
{
	return !u ? 0 : u->max_frames > STACK_MAX_FRAMES ? 2 : 1;
}

int unwinder_fd(const struct unwinder *u)
{
	return rings_fd(&u->rests);
}

int unwinder_collect(struct unwinder *u)
{
	return rings_collect(&u->rests);
}

static size_t chain_bytes(uint32_t n)
{
	return sizeof(struct walk) + n * sizeof(uint64_t);
}

static void drop_oldest(struct unwinder *u)
{
	struct walk **at, *c = u->order[u->nr_dropped % CHAINS_MAX];

	u->order[u->nr_dropped++ % CHAINS_MAX] = NULL;
	u->chain_bytes -= chain_bytes(c->n);
	for (at = &u->chains[hash_u64(c->id) % CHAIN_BUCKETS]; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	free(c);
}

static int walk_rest(void *arg, const void *record, size_t size)
{
	struct unwinder *u = arg;
	const struct unwind_rest *rest = record;
	uint64_t ips[SAMPLE_DEEP_MAX];
	uint32_t n, end, bucket, room;
	struct walk *c;

	if (size < sizeof(*rest) || rest->bytes > size - sizeof(*rest) || rest->nr > STACK_MAX_FRAMES)
		return 0;
	room = u->max_frames - rest->nr;
	n = u->guide->walk(u->guide, u->store, rest, rest + 1, ips, room, &end);
	/* The copy lacks other stacks (Go's calls into the vDSO): the kernel reads them, once it has the table. */
	if (end == STOP_NO_STACK && rest->nr < STACK_MAX_FRAMES - 1)
		end = STOP_NOT_ASKED;
	while (u->nr_walked - u->nr_dropped == CHAINS_MAX || u->chain_bytes > CHAINS_MAX_BYTES)
		drop_oldest(u);
	c = malloc(chain_bytes(n));
	if (!c)
		return -ENOMEM;
	bucket = hash_u64(rest->id) % CHAIN_BUCKETS;
	*c = (struct walk){ .next = u->chains[bucket], .id = rest->id, .n = n, .end = end };
	memcpy(c->ips, ips, n * sizeof(*ips));
	u->chains[bucket] = c;
	u->order[u->nr_walked++ % CHAINS_MAX] = c;
	u->chain_bytes += chain_bytes(n);
	return 0;
}

int unwinder_walk(struct unwinder *u)
{
	int ret = rings_deliver(&u->rests, walk_rest, u);

	if (!ret)
		u->guide->sync(u->guide, u->store);
	return ret;
}

static const struct walk *find_walk(const struct unwinder *u, uint64_t id)
{
	const struct walk *c = u->chains[hash_u64(id) % CHAIN_BUCKETS];

	while (c && c->id != id)
		c = c->next;
	return c;
}

enum stack_stop unwinder_stop(uint32_t end)
{
	if (end == UNWIND_ASK)
		return STOP_NOT_ASKED;
	return end < STOP_MAX ? end : STOP_UNREADABLE;
}

/* A user chain as the kernel's walker left it, whose last address may be a mark. */
static void take_walk(struct unwinder *u, struct chain *c)
{
	uint64_t mark = c->n ? c->ips[c->n - 1] : 0;
	uint32_t code = mark >> UNWIND_MARK_SHIFT & UNWIND_MARK_CODE;
	const struct walk *w;

	c->stop = c->n == STACK_MAX_FRAMES ? STOP_DEPTH : STOP_WHOLE;
	if (!(mark & UNWIND_MARK))
		return;
	c->n--;
	c->stop = unwinder_stop(code);
	if (code != UNWIND_ASK)
		return;
	w = find_walk(u, mark & UNWIND_MARK_ID);
	if (!w)
		return;
	c->stop = w->end == STOP_DEPTH && u->max_frames > STACK_MAX_FRAMES ? STOP_LIMIT : unwinder_stop(w->end);
	if (c->n + w->n > u->max_frames)
		return;
	memcpy(u->whole, c->ips, c->n * sizeof(*c->ips));
	memcpy(u->whole + c->n, w->ips, w->n * sizeof(*w->ips));
	c->n += w->n;
	c->ips = u->whole;
}

void unwinder_chains(struct unwinder *u, uint32_t limit, bool has_user, struct sample *s)
{
	struct chain *kernel = &s->chains[CHAIN_KERNEL], *user = &s->chains[CHAIN_USER];

	kernel->stop = kernel->n == limit ? STOP_DEPTH : STOP_ROOT;
	if (u)
		take_walk(u, user);
	else
		user->stop = user->n == limit ? STOP_DEPTH : user->n ? STOP_ROOT : STOP_UNREADABLE;
	if (!has_user)
		user->stop = STOP_ROOT;
	if (limit == 1)
		kernel->stop = user->stop = STOP_LEAF;
	s->ip = sample_leaf(s);
}

void unwinder_profile(const struct unwinder *u, struct profile *profile)
{
	struct unwindstore_use use = unwindstore_use(u->store);

	unwindstore_cost(u->store, &profile->receipt);
	receipt_fill(&profile->receipt, "unwinding_bytes", use.bytes, use.room_bytes);
	receipt_fill(&profile->receipt, "unwinding_maps", use.maps, use.room_maps);
	if (use.evicted_bytes)
		profile_note(profile, "%llu MB of unwinding tables were replaced by others (use a larger --unwind-memory)",
			     (unsigned long long)use.evicted_bytes >> 20);
	if (u->guide->nr_replaced)
		profile_note(profile, "%llu times new code replaced mapped code: for %llu us in all, its stacks may be walked with the old code's tables",
			     (unsigned long long)u->guide->nr_replaced, (unsigned long long)u->guide->replaced_ns / 1000);
	if (use.has_no_pages)
		profile_note(profile, "--unwind-memory is too small for all code: stacks are cut in the code that came last");
	if (use.is_full)
		profile_note(profile, "there are more mappings than the kernel's tables hold: %llu stacks were walked in user space",
			     (unsigned long long)u->nr_walked);
}
