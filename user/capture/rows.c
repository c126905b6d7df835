/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* No entry is deleted during a walk, so a walk by keys visits each entry that existed when it started. */
#include "capture/rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A part of a key: its word, where it is when the key has one of the bits `of`, and its column. */
#define AT(part) offsetof(struct by_places, part)
#define KEY(name, kind) { name, name, NULL, kind, ROLE_KEY, .in = IN_ALL }
static const struct {
	uint32_t bit, of;
	uint16_t at, bytes;
	struct column column;
} parts[ROWS_KEYS] = {
	[ROWS_COMM] = { BY_COMM, BY_COMM, AT(comm), BY_COMM_LEN, KEY("comm", VALUE_TEXT) },
	[ROWS_PID] = { BY_PID, BY_PID, AT(pid), 4, KEY("pid", VALUE_NUMBER) },
	[ROWS_TID] = { BY_TID, BY_TID, AT(tid), 4, KEY("tid", VALUE_NUMBER) },
	[ROWS_CPU] = { BY_CPU, BY_CPU, AT(cpu), 4, KEY("cpu", VALUE_NUMBER) },
	[ROWS_USER] = { BY_USER, BY_USER, AT(user), 4, KEY("user", VALUE_USER) },
	[ROWS_CGROUP] = { BY_CGROUP, BY_CGROUP, AT(cgroup), 8, KEY("cgroup", VALUE_CGROUP) },
	/* A call is what another row has as its event: one number, and one place. */
	[ROWS_EVENT] = { BY_EVENT, BY_EVENT | BY_SYSCALL, AT(what), 4, KEY("event", VALUE_TEXT) },
	[ROWS_SYSCALL] = { BY_SYSCALL, 0, AT(what), 0, KEY("syscall", VALUE_TEXT) },
	[ROWS_ERRNO] = { BY_ERRNO, BY_ERRNO, AT(error), 4, KEY("errno", VALUE_ERRNO) },
	[ROWS_START] = { 0, BY_PID | BY_TID, AT(start), 8, { "start_ns", "start", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_JSON } },
};

/* Places the parts of `by` that have `bytes` bytes, from offset n on. Returns the offset after them. */
static size_t lay(uint32_t by, uint16_t bytes, size_t n, struct by_places *at)
{
	for (int i = 0; i < ROWS_KEYS; i++)
		if (by & parts[i].of && parts[i].bytes == bytes) {
			*(uint16_t *)((char *)at + parts[i].at) = n;
			n += bytes;
		}
	return n;
}

size_t rows_layout(uint32_t by, int nr_fields, uint32_t texts, struct by_places *ret_at)
{
	struct by_places at = { 0 };
	size_t n = lay(by, 8, 0, &at);

	/* By their alignment. */
	n = lay(by, BY_COMM_LEN, n, &at);
	for (int i = 0; i < nr_fields; i++) {
		at.fields[i] = n;
		n += texts >> i & 1 ? BY_TEXT_MAX : 8;
	}
	n = lay(by, 4, n, &at);
	*ret_at = at;
	return n;
}

void rows_columns(struct column *ret_columns, uint32_t offered)
{
	for (int i = 0; i < ROWS_KEYS; i++) {
		ret_columns[i] = parts[i].column;
		if (i != ROWS_START && !(offered & parts[i].bit))
			ret_columns[i].in = 0;
	}
}

int rows_parse_by(const char *text, uint32_t offered, const struct columns_other *other, uint32_t *by, struct err *err)
{
	struct column columns[ROWS_KEYS];
	const struct schema schema = { columns, ROWS_KEYS, -1 };
	uint64_t keys;
	int ret;

	rows_columns(columns, offered);
	ret = columns_by(text, &schema, other, &keys, err);
	if (!ret)
		*by |= rows_by(keys);
	return ret;
}

uint32_t rows_by(uint64_t keys)
{
	uint32_t by = 0;

	for (int i = 0; i < ROWS_KEYS; i++)
		by |= keys >> i & 1 ? parts[i].bit : 0;
	return by;
}

uint64_t rows_keys(uint32_t by)
{
	uint64_t keys = by & parts[ROWS_START].of ? 1ull << ROWS_START : 0;

	for (int i = 0; i < ROWS_KEYS; i++)
		keys |= by & parts[i].bit ? 1ull << i : 0;
	return keys;
}

uint64_t rows_none(uint32_t by)
{
	return ~rows_keys(by) & ((1ull << ROWS_KEYS) - 1);
}

void rows_other(struct row *row)
{
	row->none |= rows_none(0);
	row->label = "(other)";
	row->rank = 1;
}

uint64_t rows_values(const void *key, uint32_t by, const struct by_places *at, char *comm, struct value *values)
{
	for (int i = 0; i < ROWS_KEYS; i++) {
		const char *from = (const char *)key + *(const uint16_t *)((const char *)at + parts[i].at);

		if (i == ROWS_EVENT || !(by & parts[i].of))
			continue;
		if (i == ROWS_COMM) {
			memcpy(comm, from, BY_COMM_LEN);
			comm[BY_COMM_LEN - 1] = '\0';
			values[i].text = comm;
		} else {
			memcpy(&values[i].num, from, parts[i].bytes); /* its low bytes: both architectures are little-endian */
		}
	}
	return rows_none(by);
}

static uint32_t word(const void *key, uint32_t by, uint32_t bit, __u16 at)
{
	uint32_t value = 0;

	if (by & bit)
		memcpy(&value, (const char *)key + at, sizeof(value));
	return value;
}

/* The number may be another's already: then it goes with that one. */
static bool is_gone(const struct rows_ended *ended, const void *key)
{
	uint32_t id = ended->is_outer ? 0 : ended->by & BY_TID ? word(key, ended->by, BY_TID, ended->at->tid) : word(key, ended->by, BY_PID, ended->at->pid);

	return id && kill((pid_t)id, 0) && errno == ESRCH;
}

static int note_ended(struct rows_ended *ended, const void *key, size_t size)
{
	char *copy;

	if (!ended || !is_gone(ended, key))
		return 0;
	copy = vec_take(&ended->now, size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, key, size);
	return 0;
}

/* A program that was in the midst of adding to one when it was met first is done by now. */
static void drop_ended(const struct rows *r, int fd, size_t size, void *per_cpu)
{
	struct rows_ended *ended = r->ended;

	for (size_t i = 0; i < ended->before.n; i += size) {
		const char *key = ended->before.data + i;

		if (!is_gone(ended, key)) /* another task has its number now */
			continue;
		if (ended->drop && !bpf_map_lookup_elem(fd, key, per_cpu))
			ended->drop(r->arg, per_cpu);
		bpf_map_delete_elem(fd, key);
	}
	ended->before.n = 0;
	if (ended->now.n && vec_take(&ended->before, ended->now.n))
		memcpy(ended->before.data, ended->now.data, ended->now.n);
	ended->now.n = 0;
}

void rows_ended_free(struct rows_ended *ended)
{
	vec_free(&ended->now);
	vec_free(&ended->before);
}

int rows_walk(const struct rows *r)
{
	/* The values of a per-CPU map lie 8-byte aligned one after the other. */
	size_t stride = (bpf_map__value_size(r->rows) + 7) & ~7ul;
	void *per_cpu = calloc(libbpf_num_possible_cpus(), stride);
	char key[BY_FIELDS_KEY_MAX], *prev = NULL;
	size_t size = bpf_map__key_size(r->rows);
	int fd = bpf_map__fd(r->rows), ret = 0;
	__u32 zero = 0;

	if (!per_cpu)
		return -ENOMEM;
	while (!ret && !bpf_map_get_next_key(fd, prev, key)) {
		prev = key;
		if (!bpf_map_lookup_elem(fd, key, per_cpu))
			ret = r->each(r->arg, key, per_cpu);
		if (!ret)
			ret = note_ended(r->ended, key, size);
	}
	if (!ret && r->ended)
		drop_ended(r, fd, size, per_cpu);
	if (!ret && !bpf_map_lookup_elem(bpf_map__fd(r->other), &zero, per_cpu))
		ret = r->each(r->arg, NULL, per_cpu);
	free(per_cpu);
	return ret;
}
