/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records are copied out at once: what waits for its time must not hold up the ring. */
#include "capture/rings.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/cost.h"

/* Takes the record of size bytes at position `at`. 0, or -ENOMEM. */
static int take_record(struct rings *r, const struct ring_map *m, uint64_t at, size_t size)
{
	char head[RINGS_HEAD_MAX];
	uint64_t n = size, time_ns = 0;
	size_t place = r->bytes.n, nr_head = size < sizeof(head) ? size : sizeof(head);
	char *p;

	ring_copy(head, m->data, m->mask, at, nr_head);
	if (r->used) {
		n = r->used(head, nr_head);
		n = n < size ? n : size;
		nr_head = nr_head < n ? nr_head : n;
	}
	p = vec_take(&r->bytes, sizeof(n) + ((n + 7) & ~7ul));
	if (!p || vec_reserve(&r->places))
		return -ENOMEM;
	memcpy(p, &n, sizeof(n));
	memcpy(p + sizeof(n), head, nr_head);
	ring_copy(p + sizeof(n) + nr_head, m->data, m->mask, at + nr_head, n - nr_head);
	if (nr_head >= sizeof(time_ns))
		memcpy(&time_ns, head, sizeof(time_ns));
	r->places.data[r->places.n++] = (struct ring_place){ time_ns, place };
	return 0;
}

static int spool_record(struct spool *spool, const struct ring_map *m, uint64_t at, size_t size)
{
	uint64_t time_ns = 0;
	void *p;

	if (size >= sizeof(time_ns))
		ring_copy((char *)&time_ns, m->data, m->mask, at, sizeof(time_ns));
	p = spool_take(spool, time_ns, size);
	if (!p)
		return -ENOMEM;
	ring_copy(p, m->data, m->mask, at, size);
	return 0;
}

static bool is_full(const struct rings *r)
{
	return r->max_bytes && r->bytes.n >= r->max_bytes;
}

/* Takes the records of a ring, and those that arrive meanwhile, unless a spool is to have them. */
static int read_ring(struct rings *r, const struct ring_map *m)
{
	uint64_t at = *m->consumer, end = 0; /* only we write it */
	int ret = 0;

	while (!ret && !is_full(r)) {
		uint32_t head, size;

		if (!end || !r->spool)
			end = __atomic_load_n(m->producer, __ATOMIC_ACQUIRE);
		if (at >= end)
			break;
		head = __atomic_load_n((const uint32_t *)(m->data + (at & m->mask)), __ATOMIC_ACQUIRE);
		size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(head & BPF_RINGBUF_DISCARD_BIT) && r->spool)
			ret = spool_record(r->spool, m, at + BPF_RINGBUF_HDR_SZ, size);
		else if (!(head & BPF_RINGBUF_DISCARD_BIT))
			ret = take_record(r, m, at + BPF_RINGBUF_HDR_SZ, size);
		at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
		__atomic_store_n(m->consumer, at, __ATOMIC_RELEASE);
	}
	return ret;
}

static void unmap(const struct ring_map *m)
{
	size_t page = sysconf(_SC_PAGESIZE);

	munmap(m->consumer, page);
	munmap((void *)m->producer, page + m->mask + 1);
}

/* Once, where libbpf's reader maps the data twice, so that no record crosses its end: of a ring of 8 MB these are 8 MB less in memory. */
static int map_ring(int fd, struct ring_map *ret_map)
{
	struct bpf_map_info info = { 0 };
	size_t page = sysconf(_SC_PAGESIZE);
	__u32 size = sizeof(info);
	void *ours, *theirs;
	int ret;

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return -errno;
	ours = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ours == MAP_FAILED)
		return -errno;
	theirs = mmap(NULL, page + info.max_entries, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (theirs == MAP_FAILED) {
		ret = -errno;
		munmap(ours, page);
		return ret;
	}
	*ret_map = (struct ring_map){ ours, theirs, (char *)theirs + page, info.max_entries - 1 };
	return 0;
}

static int watch(struct rings *r, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct ring_map *m;
	int ret;

	if (!r->maps.n) {
		r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
		if (r->epoll_fd < 0)
			return -errno;
	}
	m = vec_take(&r->maps, 1);
	ret = m ? map_ring(fd, m) : -ENOMEM;
	if (!ret && !epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		return 0;
	if (!ret) {
		ret = -errno;
		unmap(m);
	}
	r->maps.n -= m != NULL;
	if (!r->maps.n)
		close(r->epoll_fd);
	return ret;
}

int rings_watch(struct rings *r, int fd, struct err *err)
{
	int ret = watch(r, fd);

	return ret ? err_exit(err, ret, EXIT_CANNOT, "cannot map a ring buffer: %s", strerror(-ret)) : 0;
}

uint64_t rings_share(uint64_t all, uint64_t least, uint64_t most, const struct place *place)
{
	uint64_t bytes = most;

	while (bytes > least && bytes * place->nr_cpus > all)
		bytes /= 2;
	return bytes;
}

void rings_size(struct bpf_map *map, const struct place *place)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < place->nr_cpus; i++)
		end = place->cpus[i] + 1 > end ? place->cpus[i] + 1 : end;
	bpf_map__set_max_entries(map, end);
}

/* One call fills the whole outer map, so that the RCU wait after it is paid once and not per CPU (5.13). */
static int fill(const struct rings *r, int outer, const struct place *place)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	__u32 count = place->nr_cpus;
	int ret = 0;

	if (!bpf_map_update_batch(outer, place->cpus, r->fds.data, &count, &opts) && count == place->nr_cpus)
		return 0;
	for (uint32_t i = 0; i < place->nr_cpus && !ret; i++)
		if (bpf_map_update_elem(outer, &place->cpus[i], &r->fds.data[i], BPF_ANY))
			ret = -errno;
	return ret;
}

int rings_open(struct rings *r, const struct bpf_map *map, uint64_t bytes, const struct place *place, struct err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < place->nr_cpus && !ret; i++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, bytes, NULL);

		if (fd < 0)
			return err_exit(err, fd, EXIT_CANNOT, "cannot make a ring buffer of %llu bytes: %s", (unsigned long long)bytes,
					strerror(-fd));
		if (vec_reserve(&r->fds)) {
			close(fd);
			return -ENOMEM;
		}
		r->fds.data[r->fds.n++] = fd;
		ret = rings_watch(r, fd, err);
	}
	if (ret)
		return ret;
	ret = fill(r, bpf_map__fd(map), place);
	return ret ? err_exit(err, ret, EXIT_CANNOT, "cannot set up the ring buffers: %s", strerror(-ret)) : 0;
}

int rings_fd(const struct rings *r)
{
	return r->epoll_fd;
}

uint64_t rings_filled(const struct rings *r)
{
	uint64_t most = 0;

	for (size_t i = 0; i < r->maps.n; i++) {
		const struct ring_map *m = &r->maps.data[i];
		uint64_t bytes = __atomic_load_n(m->producer, __ATOMIC_RELAXED) - *m->consumer;

		most = bytes > most ? bytes : most;
	}
	return most;
}

int rings_collect(struct rings *r)
{
	int ret = 0;

	for (size_t i = 0; i < r->maps.n && !ret; i++)
		ret = read_ring(r, &r->maps.data[i]);
	return ret;
}

static int deliver_at(const struct rings *r, uint64_t at, int (*each)(void *arg, const void *record, size_t size), void *arg)
{
	uint64_t size;

	memcpy(&size, r->bytes.data + at, sizeof(size));
	return each(arg, r->bytes.data + at + sizeof(size), size);
}

int rings_deliver(struct rings *r, int (*each)(void *arg, const void *record, size_t size), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < r->places.n && !ret; i++)
		ret = deliver_at(r, r->places.data[i].at, each, arg);
	r->bytes.n = r->places.n = 0;
	return ret;
}

static int by_time(const void *a, const void *b)
{
	const struct ring_place *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Moves what is left, from the i-th place on, to the front. */
static void keep_rest(struct rings *r, size_t from)
{
	char *old = r->bytes.data, *copy;
	size_t bytes = 0;

	r->places.n -= from;
	if (from)
		memmove(r->places.data, r->places.data + from, r->places.n * sizeof(*r->places.data));
	if (!r->places.n) {
		r->bytes.n = 0;
		return;
	}
	copy = from ? malloc(r->bytes.n) : NULL;
	if (!copy) /* their bytes stay where they are */
		return;
	for (size_t i = 0; i < r->places.n; i++) {
		uint64_t size, whole;

		memcpy(&size, old + r->places.data[i].at, sizeof(size));
		whole = sizeof(size) + ((size + 7) & ~7ull);
		memcpy(copy + bytes, old + r->places.data[i].at, whole);
		r->places.data[i].at = bytes;
		bytes += whole;
	}
	r->bytes.data = copy;
	r->bytes.cap = r->bytes.n;
	r->bytes.n = bytes;
	free(old);
}

static bool is_sorted(const struct rings *r)
{
	for (size_t i = 1; i < r->places.n; i++)
		if (r->places.data[i].time_ns < r->places.data[i - 1].time_ns)
			return false;
	return true;
}

int rings_drain(struct rings *r, uint64_t until_ns, int (*each)(void *arg, const void *record, size_t size), void *arg)
{
	int ret = rings_collect(r);
	size_t i = 0;

	if (ret)
		return ret;
	if (!is_sorted(r))
		qsort(r->places.data, r->places.n, sizeof(*r->places.data), by_time);
	for (; i < r->places.n && r->places.data[i].time_ns <= until_ns && !ret; i++)
		ret = deliver_at(r, r->places.data[i].at, each, arg);
	keep_rest(r, i);
	return ret;
}

void rings_cost(const struct rings *r, struct receipt *receipt)
{
	for (size_t i = 0; i < r->fds.n; i++)
		cost_of_map(r->fds.data[i], receipt);
}

void rings_close(struct rings *r)
{
	for (size_t i = 0; i < r->maps.n; i++)
		unmap(&r->maps.data[i]);
	if (r->maps.n)
		close(r->epoll_fd);
	vec_free(&r->maps);
	for (size_t i = 0; i < r->fds.n; i++)
		close(r->fds.data[i]);
	vec_free(&r->fds);
	vec_free(&r->bytes);
	vec_free(&r->places);
}
