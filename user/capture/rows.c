/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* No entry is deleted during a walk, so a walk by keys visits each entry that existed when it started. */
#include "capture/rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

size_t rows_layout(uint32_t by, int nr_fields, uint32_t texts, struct by_places *ret_at)
{
	struct by_places at = { 0 };
	const struct {
		uint32_t bits;
		__u16 *place;
	} words[] = { { BY_SYSCALL | BY_EVENT, &at.what }, { BY_PID, &at.pid },	  { BY_TID, &at.tid },
		      { BY_CPU, &at.cpu },		     { BY_USER, &at.user }, { BY_ERRNO, &at.error } };
	size_t n = 0;

	/* By their alignment. */
	if (by & BY_CGROUP)
		n += 8;
	at.start = n;
	if (by & (BY_PID | BY_TID))
		n += 8;
	at.comm = n;
	if (by & BY_COMM)
		n += BY_COMM_LEN;
	for (int i = 0; i < nr_fields; i++) {
		at.fields[i] = n;
		n += texts >> i & 1 ? BY_TEXT_MAX : 8;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		*words[i].place = n;
		if (by & words[i].bits)
			n += 4;
	}
	*ret_at = at;
	return n;
}

static uint32_t word(const void *key, uint32_t by, uint32_t bit, __u16 at)
{
	uint32_t value = 0;

	if (by & bit)
		memcpy(&value, (const char *)key + at, sizeof(value));
	return value;
}

static const uint32_t bits[ROWS_KEYS] = {
	[ROWS_COMM] = BY_COMM, [ROWS_PID] = BY_PID,	  [ROWS_TID] = BY_TID,	   [ROWS_CPU] = BY_CPU,		[ROWS_USER] = BY_USER,
	[ROWS_CGROUP] = BY_CGROUP, [ROWS_EVENT] = BY_EVENT, [ROWS_SYSCALL] = BY_SYSCALL, [ROWS_ERRNO] = BY_ERRNO,
};

void rows_columns(struct column *ret_columns, uint32_t offered)
{
	static const struct column columns[ROWS_KEYS] = {
		[ROWS_COMM] = { "comm", "comm", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
		[ROWS_PID] = { "pid", "pid", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
		[ROWS_TID] = { "tid", "tid", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
		[ROWS_CPU] = { "cpu", "cpu", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_ALL },
		[ROWS_USER] = { "user", "user", NULL, VALUE_USER, ROLE_KEY, .in = IN_ALL },
		[ROWS_CGROUP] = { "cgroup", "cgroup", NULL, VALUE_CGROUP, ROLE_KEY, .in = IN_ALL },
		[ROWS_EVENT] = { "event", "event", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
		[ROWS_SYSCALL] = { "syscall", "syscall", NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL },
		[ROWS_ERRNO] = { "errno", "errno", NULL, VALUE_ERRNO, ROLE_KEY, .in = IN_ALL },
		[ROWS_START] = { "start_ns", "start", NULL, VALUE_NUMBER, ROLE_KEY, .in = IN_JSON },
	};

	memcpy(ret_columns, columns, sizeof(columns));
	for (int i = 0; i < ROWS_START; i++)
		if (!(offered & bits[i]))
			ret_columns[i].in = 0;
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

	for (int i = 0; i < ROWS_START; i++)
		by |= keys >> i & 1 ? bits[i] : 0;
	return by;
}

uint64_t rows_keys(uint32_t by)
{
	uint64_t keys = by & (BY_PID | BY_TID) ? 1ull << ROWS_START : 0;

	for (int i = 0; i < ROWS_START; i++)
		keys |= by & bits[i] ? 1ull << i : 0;
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
	if (by & BY_CGROUP)
		memcpy(&values[ROWS_CGROUP].num, (const char *)key + at->cgroup, sizeof(uint64_t));
	if (by & (BY_PID | BY_TID))
		memcpy(&values[ROWS_START].num, (const char *)key + at->start, sizeof(uint64_t));
	if (by & BY_COMM) {
		memcpy(comm, (const char *)key + at->comm, BY_COMM_LEN);
		comm[BY_COMM_LEN - 1] = '\0';
		values[ROWS_COMM].text = comm;
	}
	values[ROWS_PID].num = word(key, by, BY_PID, at->pid);
	values[ROWS_TID].num = word(key, by, BY_TID, at->tid);
	values[ROWS_CPU].num = word(key, by, BY_CPU, at->cpu);
	values[ROWS_USER].num = word(key, by, BY_USER, at->user);
	values[ROWS_ERRNO].num = word(key, by, BY_ERRNO, at->error);
	return rows_none(by);
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
	if (vec_take(&ended->before, ended->now.n))
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
