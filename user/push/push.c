/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "push/push.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "push/batch.h"
#include "push/client.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/thread.h"

#define SEGMENT_BYTES_MAX (256u << 20)
#define SEGMENT_HINT (64u << 10)
#define NOTE_BYTES 2048
#define LEAVE_NS NS_PER_S /* after that a thread that does not end is left alone */
#define BACK_OFF_MAX_NS (60 * NS_PER_S)
#define SPOOL_PREFIX "push-"
#define SPOOL_FORM SPOOL_PREFIX "%08x"

/* Stores that take a profile with one request. */
static const struct web_kind {
	const char *scheme, *expected;
	int (*send)(const struct weburl *to, const struct segment *seg, char *bytes, size_t n, const char *host, struct err *err);
} kinds[] = {
	{ PYROSCOPE_SCHEME, PYROSCOPE_SCHEMES, pyroscope_send },
	{ OTLP_SCHEME, OTLP_SCHEMES, otlp_send },
};

/* NULL: the URL is of none. */
static const struct web_kind *find_kind(const char *url)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (weburl_is(url, kinds[i].scheme))
			return &kinds[i];
	return NULL;
}

struct server {
	struct push *push;
	char shown[PUSH_SHOWN_BYTES]; /* its URL */
	struct clickhouse *clickhouse;
	const struct web_kind *kind; /* else: NULL with the next, and a ClickHouse */
	struct weburl *web;
	char spool[PATH_MAX]; /* a directory */
	pthread_t thread;
	bool started;
	struct segments missed; /* could not be linked: they are with the next; the main thread's */
	/* Under the lock of all */
	struct push_counts counts;
	/* The thread's */
	struct segments old; /* may be there: in the spool at the start, where an earlier run may have sent them, or sent without an answer */
	char sent[STORE_NAME_BYTES]; /* and could not be unlinked; "": none */
	char said[sizeof(((struct err *)0)->text)];
	/* The main thread's */
	bool is_left; /* the thread does not end: what it has stays */
};

struct push {
	const struct push_cfg *cfg;
	const struct store *store;
	char host[HOST_NAME_MAX + 1], id[STORE_ID_BYTES]; /* id: of the store as it was at first */
	pthread_mutex_t lock;
	struct store mine; /* under it: descriptors of the store as it was when a segment was written last */
	pthread_cond_t wake; /* CLOCK_MONOTONIC */
	uint64_t generation; /* of what came */
	bool ending;
	atomic_bool stop; /* now */
	struct server servers[PUSH_MAX];
	size_t nr;
};

int push_check(const char *url, struct err *err)
{
	char shown[PUSH_SHOWN_BYTES];
	const char *port, *host, *at;
	size_t n;

	push_shown(url, shown, sizeof(shown)); /* without a password */
	port = strstr(shown, "://");
	host = port ? port + 3 : "";
	n = strcspn(host, "/?#");
	at = memrchr(host, '@', n);
	n -= at ? (size_t)(at + 1 - host) : 0;
	host = at ? at + 1 : host;
	at = memrchr(host, ']', n); /* of an address of version 6 */
	n -= at ? (size_t)(at + 1 - host) : 0;
	host = at ? at + 1 : host;
	port = memchr(host, ':', n);
	n = port ? n - (size_t)(port + 1 - host) : 0;
	if (port && (!n || strspn(port + 1, "0123456789") < n || strtoul(port + 1, NULL, 10) > 65535))
		return err_exit(err, -ERANGE, EXIT_USAGE, "cannot push to '%s': there is no such port", shown);
	if (clickhouse_is(url) || find_kind(url))
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "cannot push to '%s'", shown);
	err_hint(err, "--push " PUSH_SCHEMES);
	return -EINVAL;
}

void push_shown(const char *url, char *buf, size_t size)
{
	const char *begin = strstr(url, "://"), *host = begin ? begin + 3 : url, *colon = begin ? strchr(host, ':') : NULL;
	const char *slash = host + strcspn(host, "/"), *at = memrchr(host, '@', (size_t)(slash - host));

	/* "user:pa/ss@host": what is no port is a password, to the last @ */
	if (colon && colon < slash && !at && colon + 1 + strspn(colon + 1, "0123456789") != slash)
		at = strrchr(host, '@');
	if (at && colon && colon < at)
		snprintf(buf, size, "%.*s%s", (int)(colon - url), url, at);
	else
		snprintf(buf, size, "%s", url);
}

static void note(const struct push *p, bool is_detail, const char *form, ...) __attribute__((format(printf, 3, 4)));
static void note(const struct push *p, bool is_detail, const char *form, ...)
{
	char text[NOTE_BYTES];
	va_list args;

	va_start(args, form);
	vsnprintf(text, sizeof(text), form, args);
	va_end(args);
	p->cfg->note(is_detail, text);
}

/* Until something comes, the time is up, or the run ends. */
static void wait_for(struct push *p, uint64_t *generation, uint64_t ns, bool for_segments)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + ns;
	const struct timespec at = { .tv_sec = (time_t)(until / NS_PER_S), .tv_nsec = (long)(until % NS_PER_S) };
	int ret = 0;

	pthread_mutex_lock(&p->lock);
	while (!p->ending && !ret && !(for_segments && p->generation != *generation))
		ret = ns == UINT64_MAX ? pthread_cond_wait(&p->wake, &p->lock) : pthread_cond_timedwait(&p->wake, &p->lock, &at);
	*generation = p->generation;
	pthread_mutex_unlock(&p->lock);
}

static bool is_ending(struct push *p)
{
	bool ending;

	pthread_mutex_lock(&p->lock);
	ending = p->ending;
	pthread_mutex_unlock(&p->lock);
	return ending;
}

/* The main thread's store may be closed and opened again meanwhile: threads have descriptors of their own. */
static void take_store(struct push *p)
{
	pthread_mutex_lock(&p->lock);
	store_close(&p->mine);
	p->mine = *p->store;
	p->mine.dir = fcntl(p->store->dir, F_DUPFD_CLOEXEC, 0);
	p->mine.mark = openat(p->store->dir, STORE_MARK, O_PATH | O_NOFOLLOW | O_CLOEXEC); /* without the lock of the main thread's */
	pthread_mutex_unlock(&p->lock);
}

/* Another agent may have the directory now: its spools are not ours to send. */
static bool has_store(struct push *p)
{
	bool has;

	pthread_mutex_lock(&p->lock);
	has = store_is_there(&p->mine);
	pthread_mutex_unlock(&p->lock);
	return has;
}

static int read_segment(const struct store *spool, const char *name, char **ret_bytes, size_t *ret_n)
{
	int fd = openat(spool->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	ret = st.st_size > SEGMENT_BYTES_MAX ? -EFBIG : file_read_fd(fd, SEGMENT_HINT, SEGMENT_BYTES_MAX, ret_bytes, ret_n);
	close(fd);
	return ret;
}

static bool is_old(const struct server *s, const char *name)
{
	for (size_t i = 0; i < s->old.all.n; i++)
		if (!strcmp(s->old.all.data[i].name, name))
			return true;
	return false;
}

static void forget(struct server *s, const char *name)
{
	for (size_t i = 0; i < s->old.all.n; i++)
		if (!strcmp(s->old.all.data[i].name, name)) {
			s->old.all.data[i] = s->old.all.data[--s->old.all.n];
			return;
		}
}

static int send_segment(struct server *s, const struct store *spool, const struct segment *seg, struct err *err)
{
	bool may_be_there = is_old(s, seg->name);
	const struct batch_from from = { s->push->host, s->push->id };
	char *bytes;
	size_t n;
	int ret = may_be_there ? 0 : vec_reserve(&s->old.all);

	if (ret)
		return err_set(err, -ENOMEM, "out of memory");
	ret = read_segment(spool, seg->name, &bytes, &n);
	if (ret) /* one that cannot be read does not hold up the others */
		return err_set(err, ret == -EFBIG || ret == -EIO ? -EBADMSG : ret, "cannot read '%s': %s", seg->name, strerror(-ret));
	if (!may_be_there)
		s->old.all.data[s->old.all.n++] = *seg;
	return s->kind ? s->kind->send(s->web, seg, bytes, n, s->push->host, err) : clickhouse_send(s->clickhouse, seg, bytes, n, &from, may_be_there, err);
}

static void count(struct server *s, uint64_t *which, uint64_t n)
{
	pthread_mutex_lock(&s->push->lock);
	*which += n;
	pthread_mutex_unlock(&s->push->lock);
}

/* Prints the reason of a failure, unless it is the one that was printed last. */
static void say(struct server *s, const struct err *err)
{
	if (strcmp(s->said, err->text) != 0)
		note(s->push, false, "note: '%s': %s: profiles wait in the spool, and are sent again", s->shown, err->text);
	memcpy(s->said, err->text, sizeof(s->said));
}

/* What cannot be unlinked is not sent again. */
static int unlink_sent(struct server *s, const struct store *spool, const struct segment *seg)
{
	struct err err = { 0 };
	int ret;

	s->sent[0] = '\0';
	pthread_mutex_lock(&s->push->lock); /* count_waiting() sees both or neither */
	ret = unlinkat(spool->dir, seg->name, 0) ? -errno : 0;
	if (!ret && s->counts.waiting)
		s->counts.waiting--;
	pthread_mutex_unlock(&s->push->lock);
	if (!ret || ret == -ENOENT)
		return 0;
	err_set(&err, ret, "cannot remove '%s/%s': %s", s->spool, seg->name, strerror(-ret));
	say(s, &err);
	memcpy(s->sent, seg->name, sizeof(s->sent));
	return -EIO;
}

/* 0: it is there, or is no more; else it is to be tried again. */
static int handle(struct server *s, const struct store *spool, const struct segment *seg)
{
	struct err err = { 0 };
	int ret;

	if (!strcmp(s->sent, seg->name))
		return unlink_sent(s, spool, seg);
	ret = send_segment(s, spool, seg, &err);
	if (ret == -ENOENT) /* it was dropped meanwhile */
		return 0;
	if (ret == -EAGAIN) /* what it lacked was made */
		ret = send_segment(s, spool, seg, &err);
	if (ret && ret != -EBADMSG) {
		count(s, &s->counts.failures, ret != -ECANCELED);
		if (ret != -ECANCELED)
			say(s, &err);
		return ret;
	}
	forget(s, seg->name);
	if (ret) {
		note(s->push, false, "note: '%s' is not sent to '%s': %s", seg->name, s->shown, err.text);
		count(s, &s->counts.dropped, 1);
	} else {
		if (s->said[0])
			note(s->push, false, "note: '%s' answers again", s->shown);
		s->said[0] = '\0';
		count(s, &s->counts.sent, 1);
		count(s, &s->counts.bytes, seg->bytes);
		note(s->push, true, "sent %s to '%s'", seg->name, s->shown);
	}
	return unlink_sent(s, spool, seg);
}

/* What waits now, linked or missed. */
static void count_waiting(struct server *s, const struct store *spool)
{
	const struct store_span whole = { 0 };
	struct segments all = { 0 };

	pthread_mutex_lock(&s->push->lock);
	if (spool->dir < 0 || !store_list(spool, &whole, &all))
		s->counts.waiting = all.all.n + s->missed.all.n;
	pthread_mutex_unlock(&s->push->lock);
	vec_free(&all.all);
}

static void drop_oldest(struct server *s, const struct store *spool)
{
	int n = store_trim(spool, (s->push->cfg->spool_kib ? s->push->cfg->spool_kib : PUSH_SPOOL_KIB) << 10, 0);

	if (n < 0)
		note(s->push, false, "note: '%s': cannot delete old profiles: %s", s->spool, strerror(-n));
	if (n <= 0)
		return;
	count(s, &s->counts.dropped, (uint64_t)n);
	note(s->push, false, "note: '%s': %d profiles were dropped: the spool is full", s->shown, n);
}

/* One that was removed is made again by push_segment(). */
static int no_spool(struct server *s, int why)
{
	struct err err = { 0 };

	if (why == ENOENT)
		return 0;
	err_set(&err, -why, "cannot open '%s': %s", s->spool, strerror(why));
	say(s, &err);
	return -why;
}

/* Sends what there is. 0, or -errno: it is to be tried again. */
static int empty(struct server *s)
{
	const struct store_span whole = { 0 };
	const struct store spool = { .dir = open(s->spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), .mark = -1, .path = s->spool };
	struct segments all = { 0 };
	struct err err = { 0 };
	int ret;

	if (spool.dir < 0)
		return no_spool(s, errno);
	ret = store_list(&spool, &whole, &all);
	if (ret) {
		err_set(&err, ret, "cannot read '%s': %s", s->spool, strerror(-ret));
		say(s, &err);
	}
	for (size_t i = 0; i < all.all.n && !ret && !atomic_load(&s->push->stop) && has_store(s->push); i++)
		ret = handle(s, &spool, &all.all.data[i]);
	vec_free(&all.all);
	close(spool.dir);
	return ret;
}

/* In [0, 1), of this machine and moment. */
static double jitter(const struct push *p, uint64_t moment)
{
	return (double)(hash_pair(hash_bytes(p->host, strlen(p->host)), moment) >> 11) / (double)(1ull << 53);
}

static void *serve(void *arg)
{
	struct server *s = arg;
	struct push *p = s->push;
	uint64_t generation = 0, tries = 0;

	while (!atomic_load(&p->stop)) {
		bool was_ending = is_ending(p);
		int ret = empty(s);
		uint64_t back_off = NS_PER_S << (tries < 6 ? tries : 6);

		if (was_ending)
			break; /* after the last segments one try was made */
		tries = ret ? tries + 1 : 0;
		if (ret) {
			back_off = back_off < BACK_OFF_MAX_NS ? back_off : BACK_OFF_MAX_NS;
			wait_for(p, &generation, (uint64_t)((double)back_off * (0.5 + jitter(p, tries) / 2)), false);
		} else {
			wait_for(p, &generation, UINT64_MAX, true);
			wait_for(p, &generation, (uint64_t)((double)p->cfg->spread_ns * jitter(p, 0)), false);
		}
	}
	return NULL;
}

static int make_spool(const struct server *s)
{
	return mkdir(s->spool, 0750) && errno != EEXIST ? -errno : 0;
}

static int open_spool(const struct server *s)
{
	int fd = open(s->spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && !make_spool(s))
		fd = open(s->spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Links to all of the store that is not older, and to what could not be linked before. 0 or -errno. */
static int link_since(const struct server *s, int dir, uint64_t since_s)
{
	const struct store_span span = { .since_s = since_s };
	struct segments all = { 0 };
	int ret = store_list(s->push->store, &span, &all);

	for (size_t i = 0; i < all.all.n && !ret; i++)
		if (all.all.data[i].start_s >= since_s && linkat(s->push->store->dir, all.all.data[i].name, dir, all.all.data[i].name, 0) && errno != EEXIST)
			ret = -errno;
	vec_free(&all.all);
	return ret;
}

/*
 * What is there may have been sent by an earlier run; so may the store's last profiles, which that run may not have linked any more. Servers that
 * cannot be asked would have these twice.
 */
static int begin_spool(struct server *s)
{
	const struct store_span whole = { 0 };
	const struct store spool = { .dir = open_spool(s), .mark = -1, .path = s->spool };
	struct segments last = { 0 };
	int ret = spool.dir < 0 ? spool.dir : s->clickhouse ? store_list(s->push->store, &whole, &last) : 0;

	if (!ret && last.all.n)
		ret = link_since(s, spool.dir, last.all.data[last.all.n - 1].start_s);
	if (!ret)
		ret = store_list(&spool, &whole, &s->old);
	s->counts.waiting = s->old.all.n;
	vec_free(&last.all);
	if (spool.dir >= 0)
		close(spool.dir);
	return ret;
}

static int open_server(struct push *p, const char *url, struct err *err)
{
	struct server *s = &p->servers[p->nr++];
	int ret = push_check(url, err);

	s->push = p;
	push_shown(url, s->shown, sizeof(s->shown));
	s->kind = find_kind(url);
	if (!ret && s->kind)
		ret = weburl_new(url, s->kind->scheme, p->cfg->password, s->kind->expected, &p->stop, &s->web, err);
	else if (!ret)
		ret = clickhouse_new(url, p->cfg->password, &p->stop, &s->clickhouse, err);
	snprintf(s->spool, sizeof(s->spool), "%s/" SPOOL_FORM, p->store->path, (uint32_t)hash_bytes(s->shown, strlen(s->shown)));
	if (!ret && (ret = begin_spool(s)))
		err_set(err, ret, "cannot use '%s': %s", s->spool, strerror(-ret));
	if (!ret && !(s->started = thread_start(&s->thread, serve, s)))
		ret = err_set(err, -EAGAIN, "cannot start a thread");
	return ret;
}

static bool is_ours(const struct push *p, const char *name)
{
	for (size_t i = 0; i < p->nr; i++)
		if (!strcmp(strrchr(p->servers[i].spool, '/') + 1, name))
			return true;
	return false;
}

static bool has_profiles(const struct push *p, const char *name)
{
	const struct store_span whole = { 0 };
	const struct store spool = { .dir = openat(p->store->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), .mark = -1 };
	struct segments all = { 0 };
	bool has;

	if (spool.dir < 0)
		return false;
	has = !store_list(&spool, &whole, &all) && all.all.n;
	vec_free(&all.all);
	close(spool.dir);
	return has;
}

/* Spools of servers that are not given any more: their links keep profiles beyond what the store keeps. */
static void note_others(const struct push *p)
{
	int fd = openat(p->store->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (e = readdir(dir)))
		if (!strncmp(e->d_name, SPOOL_PREFIX, strlen(SPOOL_PREFIX)) && !is_ours(p, e->d_name) && has_profiles(p, e->d_name))
			note(p, false, "note: '%s/%s' has what a server lacks that is not given any more: delete it, if that is not wanted", p->store->path,
			     e->d_name);
	if (dir)
		closedir(dir);
}

void push_note_others(const struct push_cfg *cfg, const struct store *store)
{
	const struct push none = { .cfg = cfg, .store = store };

	note_others(&none);
}

int push_open(const struct push_cfg *cfg, const struct store *store, struct push **ret_push, struct err *err)
{
	struct push *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;
	int ret;

	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	p->cfg = cfg;
	p->store = store;
	memcpy(p->id, store->id, sizeof(p->id));
	p->mine.dir = p->mine.mark = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attr);
	pthread_condattr_destroy(&attr);
	if (cfg->host && strlen(cfg->host) >= sizeof(p->host)) {
		push_free(p);
		return err_exit(err, -EINVAL, EXIT_USAGE, "'--host' has more than %d characters", HOST_NAME_MAX);
	}
	if (cfg->host)
		snprintf(p->host, sizeof(p->host), "%s", cfg->host);
	else if (gethostname(p->host, sizeof(p->host) - 1))
		strcpy(p->host, "unknown");
	take_store(p);
	ret = client_library(err);
	for (size_t i = 0; i < cfg->nr_urls && !ret; i++)
		ret = open_server(p, cfg->urls[i], err);
	if (!ret)
		note_others(p);
	if (ret)
		push_free(p);
	else
		*ret_push = p;
	return ret;
}

/* A link to a profile of the store, which may have been deleted meanwhile. 0 or -errno. */
static int link_one(struct server *s, int dir, const struct segment *seg)
{
	if (!linkat(s->push->store->dir, seg->name, dir, seg->name, 0) || errno == EEXIST)
		return 0;
	if (errno != ENOENT)
		return -errno;
	count(s, &s->counts.dropped, 1);
	return 0;
}

static void link_segment(struct server *s, const struct segment *seg)
{
	const struct store spool = { .dir = open_spool(s), .mark = -1, .path = s->spool };
	bool was_missing = s->missed.all.n;
	int ret = vec_reserve(&s->missed.all) ? -ENOMEM : 0;
	size_t n = 0;

	if (!ret)
		s->missed.all.data[s->missed.all.n++] = *seg;
	else
		count(s, &s->counts.dropped, 1);
	if (!ret && spool.dir < 0)
		ret = spool.dir;
	for (; n < s->missed.all.n && !ret; n++)
		ret = link_one(s, spool.dir, &s->missed.all.data[n]);
	n -= n && ret;
	s->missed.all.n -= n;
	if (n)
		memmove(s->missed.all.data, s->missed.all.data + n, s->missed.all.n * sizeof(*s->missed.all.data));
	if (ret && !was_missing)
		note(s->push, false, "note: '%s' is not sent to '%s' for now: %s", seg->name, s->shown, strerror(-ret));
	if (spool.dir >= 0)
		drop_oldest(s, &spool);
	count_waiting(s, &spool);
	if (spool.dir >= 0)
		close(spool.dir);
}

void push_segment(struct push *p, const struct segment *seg)
{
	take_store(p);
	for (size_t i = 0; i < p->nr; i++)
		link_segment(&p->servers[i], seg);
	pthread_mutex_lock(&p->lock);
	p->generation++;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

struct push_counts push_counts(struct push *p)
{
	struct push_counts all = { 0 };

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->nr; i++) {
		const struct push_counts *c = &p->servers[i].counts;

		all.sent += c->sent;
		all.dropped += c->dropped;
		all.failures += c->failures;
		all.waiting += c->waiting;
		all.bytes += c->bytes;
	}
	pthread_mutex_unlock(&p->lock);
	return all;
}

/* True: it has ended. */
static bool join_until(struct server *s, uint64_t until)
{
	struct timespec at = { .tv_sec = (time_t)(until / NS_PER_S), .tv_nsec = (long)(until % NS_PER_S) };

	return !s->started || !pthread_clockjoin_np(s->thread, NULL, CLOCK_MONOTONIC, &at);
}

/* A resolver that waits for a server of names does not end when it is told to: the thread is left alone then, with all that it has. */
static void join(struct push *p, struct server *s, uint64_t until)
{
	bool ended = join_until(s, until);

	if (!ended) {
		atomic_store(&p->stop, true);
		ended = join_until(s, clock_ns(CLOCK_MONOTONIC) + LEAVE_NS);
	}
	s->is_left |= !ended;
	s->started = false;
}

void push_end(struct push *p, uint64_t ns)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + ns;

	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->nr; i++)
		join(p, &p->servers[i], until);
}

void push_free(struct push *p)
{
	if (!p)
		return;
	push_end(p, 0);
	for (size_t i = 0; i < p->nr; i++)
		if (p->servers[i].is_left) /* it uses all of this */
			return;
	store_close(&p->mine);
	for (size_t i = 0; i < p->nr; i++) {
		vec_free(&p->servers[i].old.all);
		vec_free(&p->servers[i].missed.all);
		clickhouse_free(p->servers[i].clickhouse);
		weburl_free(p->servers[i].web);
	}
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
