/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "data/store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/text.h"

#define TIME_FORM "%Y%m%dT%H%M%SZ"
#define TIME_BYTES sizeof("20261127T140300Z")
#define ENDING ".pb.gz"
#define MARK_BYTES 64

static int write_mark(struct store *s)
{
	char text[MARK_BYTES];
	uint64_t random;
	int n;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(s->id, sizeof(s->id), "%016" PRIx64, random);
	n = snprintf(text, sizeof(text), "%d %s\n", STORE_VERSION, s->id);
	return pwrite(s->mark, text, (size_t)n, 0) == n && !fsync(s->mark) ? 0 : -errno;
}

static bool is_id(const char *text)
{
	return strspn(text, "0123456789abcdef") == STORE_ID_BYTES - 1 && text[STORE_ID_BYTES - 1] == '\n';
}

/* An empty mark is that of a writer that was killed when it made it; the first ones had no id. */
static int check_version(struct store *s, bool is_writer, struct err *err)
{
	char text[MARK_BYTES], *end = text;
	ssize_t n = pread(s->mark, text, sizeof(text) - 1, 0);
	int ret = n < 0 ? -errno : 0;

	text[n > 0 ? n : 0] = '\0';
	if (n > 0 && strtol(text, &end, 10) != STORE_VERSION)
		return err_set(err, -EPROTONOSUPPORT, "the store '%s' is of another version of skep", s->path);
	if (!ret && *end == ' ' && is_id(end + 1))
		snprintf(s->id, sizeof(s->id), "%.16s", end + 1);
	else if (!ret && is_writer)
		ret = write_mark(s);
	return ret ? err_set(err, ret, "cannot read '%s/" STORE_MARK "': %s", s->path, strerror(-ret)) : 0;
}

static int open_mark(struct store *s, bool is_writer, struct err *err)
{
	s->mark = openat(s->dir, STORE_MARK, (is_writer ? O_RDWR | O_CREAT : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0640);
	if (s->mark < 0 && errno == ENOENT)
		return err_set(err, -ENOENT, "'%s' is no store of skep agent", s->path);
	if (s->mark < 0)
		return err_set(err, -errno, "cannot open '%s/" STORE_MARK "': %s", s->path, strerror(errno));
	if (is_writer && flock(s->mark, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? err_set(err, -EBUSY, "another skep agent writes to '%s'", s->path) :
					      err_set(err, -errno, "cannot lock '%s/" STORE_MARK "': %s", s->path, strerror(errno));
	return check_version(s, is_writer, err);
}

int store_open(struct store *s, const char *path, bool is_writer, struct err *err)
{
	*s = (struct store){ .dir = -1, .mark = -1, .path = path };
	if (is_writer && mkdir(path, 0750) && errno != EEXIST)
		return err_set(err, -errno, "cannot make the store '%s': %s", path, strerror(errno));
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return err_set(err, -errno, "cannot open the store '%s': %s", path, strerror(errno));
	return open_mark(s, is_writer, err);
}

void store_close(struct store *s)
{
	if (s->mark >= 0)
		close(s->mark);
	if (s->dir >= 0)
		close(s->dir);
	s->mark = s->dir = -1;
}

bool store_is_there(const struct store *s)
{
	struct stat dir, mark, now;
	int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_same = s->mark >= 0 && fd >= 0 && !fstat(fd, &now) && !fstat(s->dir, &dir) && now.st_dev == dir.st_dev && now.st_ino == dir.st_ino &&
		       !fstat(s->mark, &mark) && !fstatat(fd, STORE_MARK, &now, AT_SYMLINK_NOFOLLOW) && now.st_dev == mark.st_dev &&
		       now.st_ino == mark.st_ino;

	if (fd >= 0)
		close(fd);
	return is_same;
}

static bool take_time(const char **p, char after, uint64_t *ret_s)
{
	struct tm tm = { 0 };
	const char *end = strptime(*p, TIME_FORM, &tm);
	time_t t;

	if (!end || *end != after || end - *p != TIME_BYTES - 1)
		return false;
	t = timegm(&tm);
	*p = end + 1;
	*ret_s = (uint64_t)t;
	return t >= 0 && t <= (time_t)UINT32_MAX; /* as ClickHouse's DateTime: until 2106 */
}

/* "START-END.VIEW.pb.gz" */
static bool parse(const char *name, struct segment *seg)
{
	const char *p = name;
	size_t n;

	*seg = (struct segment){ 0 };
	if (strlen(name) >= sizeof(seg->name) || !take_time(&p, '-', &seg->start_s) || !take_time(&p, '.', &seg->end_s))
		return false;
	n = strlen(p);
	if (!text_ends(p, n, ENDING))
		return false;
	n -= strlen(ENDING);
	if (n >= sizeof(seg->view))
		return false;
	memcpy(seg->view, p, n);
	strcpy(seg->name, name);
	return true;
}

bool segment_is_in(const struct segment *seg, const struct store_span *span)
{
	return seg->end_s > span->since_s && (!span->until_s || seg->start_s < span->until_s);
}

static bool is_wanted(const struct segment *seg, const struct store_span *span)
{
	return (!span->view || !strcmp(span->view, seg->view)) && segment_is_in(seg, span);
}

static int by_start(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return x->start_s != y->start_s ? (x->start_s < y->start_s ? -1 : 1) : strcmp(x->name, y->name);
}

static int take_all(const struct store *s, DIR *dir, const struct store_span *span, struct segments *ret_all)
{
	struct dirent *e;
	struct segment seg;
	struct stat st;

	while ((e = readdir(dir))) {
		if (!parse(e->d_name, &seg) || !is_wanted(&seg, span) || fstatat(s->dir, seg.name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		seg.bytes = (uint64_t)st.st_size;
		if (vec_reserve(&ret_all->all))
			return -ENOMEM;
		ret_all->all.data[ret_all->all.n++] = seg;
	}
	return 0;
}

int store_list(const struct store *s, const struct store_span *span, struct segments *ret_all)
{
	int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	ret = take_all(s, dir, span, ret_all);
	closedir(dir);
	if (!ret && ret_all->all.n)
		qsort(ret_all->all.data, ret_all->all.n, sizeof(*ret_all->all.data), by_start);
	return ret;
}

static void put_time(char *to, uint64_t s)
{
	time_t t = (time_t)s;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(to, TIME_BYTES, TIME_FORM, &tm))
		strcpy(to, "19700101T000000Z");
}

void store_view(char ret_view[STORE_VIEW_BYTES], const char *event)
{
	size_t n = 0;

	for (; event[n] && n < STORE_VIEW_BYTES - 1; n++)
		ret_view[n] = isalnum((unsigned char)event[n]) || strchr("-_.", event[n]) ? event[n] : '_';
	ret_view[n] = '\0';
}

void store_name(const struct store *s, struct segment *seg, uint64_t start_s, uint64_t end_s, const char *event)
{
	char from[TIME_BYTES], to[TIME_BYTES];

	*seg = (struct segment){ .start_s = start_s, .end_s = end_s > start_s ? end_s : start_s + 1 };
	store_view(seg->view, event);
	/* A clock that was set back gives a time twice */
	do {
		put_time(from, seg->start_s);
		put_time(to, seg->end_s);
		snprintf(seg->name, sizeof(seg->name), "%s-%s.%s" ENDING, from, to, seg->view);
		seg->end_s++;
	} while (!faccessat(s->dir, seg->name, F_OK, AT_SYMLINK_NOFOLLOW));
	seg->end_s--;
}

int store_trim(const struct store *s, uint64_t max_bytes, uint64_t since_s)
{
	const struct store_span whole = { 0 };
	struct segments all = { 0 };
	int ret = store_list(s, &whole, &all), nr = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < all.all.n; i++)
		bytes += all.all.data[i].bytes;
	for (size_t i = 0; i < all.all.n && !ret; i++) {
		const struct segment *seg = &all.all.data[i];

		if ((!max_bytes || bytes <= max_bytes) && seg->start_s >= since_s)
			break;
		if (!unlinkat(s->dir, seg->name, 0))
			nr++;
		else if (errno != ENOENT) /* who sends it has deleted it */
			ret = -errno;
		bytes -= seg->bytes;
	}
	vec_free(&all.all);
	return ret ? ret : nr;
}
