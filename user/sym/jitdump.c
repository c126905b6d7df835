/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records are read in the order of the file, in one pass and no more than once, while the JIT appends to it. Codes stay in that order.
 */
#include "sym/jitdump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/bytes.h"
#include "sym/demangle.h"
#include "sym/jitindex.h"
#include "util/hash.h"
#include "util/invoker.h"
#include "util/map.h"
#include "util/vec.h"

#define MAGIC 0x4a695444u
#define VERSION 1u
#define HEADER_BYTES 40u
#define FLAG_ARCH_TIMES 1u /* of the header: times are the CPU's counter */
#define RECORD_BYTES 16u
#define LOAD_HEAD_BYTES (RECORD_BYTES + 2 * 4 + 4 * 8 + (64u << 10)) /* up to its name, and that */
#define MOVE_BYTES (RECORD_BYTES + 2 * 4 + 5 * 8)
#define WHOLE_MAX (64u << 20) /* of a record that is taken with all it has: lines, or the bytes of code */
#define CODES_MAX (1u << 20)
#define WINDOW_BYTES (256u << 10)
#define BLOCK_BYTES (64u << 10)
#define LINE_SPAN_MAX (16u << 20) /* of the lines of one code */
#define V8_SHIFT 0x40u
#define SAME_NAME "\xff" /* as the line before */

enum record { CODE_LOAD = 0, CODE_MOVE = 1, DEBUG_INFO = 2 };

struct line {
	uint64_t addr;
	uint32_t line, order; /* order: in the file */
	const char *file;
};

/* Texts and code: what is in it does not move. */
struct block {
	struct block *next;
	size_t n, cap;
	char bytes[];
};

struct jitdump {
	unsigned int keep; /* enum jitdump_keep */
	uint64_t *bytes_left; /* of memory, during a reading */
	uint64_t charged;     /* to it, so far */
	uint64_t offset; /* of the first record that has not been read */
	uint64_t first_ns; /* of the codes of this reading */
	uint32_t nr_bad;
	bool is_open, is_cut, is_broken, has_own_times;
	uint16_t machine;
	struct block *blocks; /* the first has room */
	VEC(struct jitdump_code) codes; /* in the order of the file */
	VEC(struct line) lines;
	size_t pending_line; /* of DEBUG_INFO, which comes before its code: the first of its lines */
	uint64_t pending_addr;
	VEC(uint32_t) latest; /* of each number that the JIT gave: its last code */
	struct map by_index; /* to positions in latest */
	struct jitindex index;
};

/* Where bytes of the file are: in memory, or in a window of it. */
struct source {
	int fd; /* less than 0: all of it is there */
	uint64_t size;
	const uint8_t *bytes;
	uint8_t *window;
	size_t cap, n;
	uint64_t at; /* of the window */
};

/* n bytes from off on; NULL: they are not there. Valid until the next call. */
static const uint8_t *source_bytes(struct source *s, uint64_t off, size_t n)
{
	if (off > s->size || n > s->size - off)
		return NULL;
	if (s->fd < 0)
		return s->bytes + off;
	if (off >= s->at && off - s->at <= s->n && n <= s->n - (off - s->at))
		return s->window + (off - s->at);
	if (n > s->cap || !s->window) {
		size_t cap = n > WINDOW_BYTES ? n : WINDOW_BYTES;
		uint8_t *p = realloc(s->window, cap);

		if (!p)
			return NULL;
		s->window = p;
		s->cap = cap;
	}
	s->at = off;
	s->n = 0;
	while (s->n < s->cap) {
		ssize_t got = pread(s->fd, s->window + s->n, s->cap - s->n, (off_t)(off + s->n));

		if (got <= 0)
			break;
		s->n += (size_t)got;
	}
	return n <= s->n ? s->window : NULL;
}

static bool charge(struct jitdump *d, uint64_t bytes)
{
	if (bytes > *d->bytes_left)
		return false;
	*d->bytes_left -= bytes;
	d->charged += bytes;
	return true;
}

/* A copy that lives as long as the dump. NULL: no memory. */
static void *keep_bytes(struct jitdump *d, const void *bytes, size_t n)
{
	struct block *b = d->blocks;
	char *to;

	if (!b || n > b->cap - b->n) {
		size_t cap = n > BLOCK_BYTES ? n : BLOCK_BYTES;

		b = charge(d, sizeof(*b) + cap) ? malloc(sizeof(*b) + cap) : NULL;
		if (!b)
			return NULL;
		*b = (struct block){ d->blocks, 0, cap };
		d->blocks = b;
	}
	to = b->bytes + b->n;
	memcpy(to, bytes, n);
	b->n += n;
	return to;
}

/* Text up to its NUL, which must be there; NULL. */
static const char *take_text(struct bytes *b)
{
	const char *text = (const char *)b->at;
	const uint8_t *end = memchr(b->at, '\0', bytes_left(b));

	if (!end)
		return NULL;
	b->at = end + 1;
	return text;
}

static const char *keep_text(struct jitdump *d, const char *text)
{
	size_t n = strnlen(text, SYM_NAME_MAX_BYTES - 1);
	char *to = keep_bytes(d, text, n + 1);

	if (to)
		to[n] = '\0';
	return to;
}

/* The number that index has in latest; a new one is at no code yet. -1: no memory. */
static int64_t number_of(struct jitdump *d, uint64_t index)
{
	int64_t i = map_find(&d->by_index, hash_u64(index));

	if (i >= 0)
		return i;
	if (vec_reserve(&d->latest) || map_add(&d->by_index, hash_u64(index), d->latest.n))
		return -1;
	d->latest.data[d->latest.n] = 0;
	return (int64_t)d->latest.n++;
}

static int add_code(struct jitdump *d, const struct jitdump_code *code)
{
	int64_t number;

	if (!code->size || code->addr + code->size < code->addr) {
		d->nr_bad += !!code->size;
		return 0;
	}
	if (d->codes.n >= CODES_MAX || !charge(d, sizeof(*code) + sizeof(struct map_slot) + 3 * sizeof(uint64_t)))
		return -EFBIG;
	number = number_of(d, code->index);
	if (number < 0 || vec_reserve(&d->codes))
		return -ENOMEM;
	d->latest.data[number] = (uint32_t)d->codes.n;
	d->codes.data[d->codes.n++] = *code;
	d->first_ns = code->time_ns < d->first_ns ? code->time_ns : d->first_ns;
	return 0;
}

static int compare_line(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* V8 adds the size of the ELF header that perf inject puts before the code: the first line seems to be that many bytes too far. */
static void undo_shift(struct line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		lines[i].addr -= V8_SHIFT;
}

/* Those of DEBUG_INFO right before a code are its lines. */
static void take_pending_lines(struct jitdump *d, struct jitdump_code *code)
{
	if (d->pending_addr == code->addr && d->lines.n > d->pending_line) {
		code->first_line = d->pending_line;
		code->nr_lines = d->lines.n - d->pending_line;
		qsort(d->lines.data + code->first_line, code->nr_lines, sizeof(*d->lines.data), compare_line);
		if (d->lines.data[code->first_line].addr == code->addr + V8_SHIFT)
			undo_shift(d->lines.data + code->first_line, code->nr_lines);
	}
	d->pending_line = d->lines.n;
}

/* b: its code may be left out, of which there are `left` bytes after b. */
static int take_load(struct jitdump *d, uint64_t time_ns, struct bytes *b, uint64_t left)
{
	struct jitdump_code code = { .time_ns = time_ns };
	const char *name;

	bytes_skip(b, 2 * sizeof(uint32_t) + sizeof(uint64_t)); /* pid, tid, vma */
	code.addr = bytes_u64(b);
	code.size = bytes_u64(b);
	code.index = bytes_u64(b);
	name = take_text(b);
	if (b->is_short || !name || code.size > bytes_left(b) + left) {
		d->nr_bad++;
		return 0;
	}
	code.name = keep_text(d, name);
	code.bytes = d->keep & JITDUMP_CODE ? keep_bytes(d, b->at, code.size) : NULL;
	if (!code.name || (d->keep & JITDUMP_CODE && !code.bytes))
		return -EFBIG;
	take_pending_lines(d, &code);
	return add_code(d, &code);
}

static int take_move(struct jitdump *d, uint64_t time_ns, struct bytes *b)
{
	struct jitdump_code code;
	uint64_t new_addr, index;
	int64_t i;

	bytes_skip(b, 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t)); /* pid, tid, vma, old address */
	new_addr = bytes_u64(b);
	bytes_skip(b, sizeof(uint64_t)); /* size */
	index = bytes_u64(b);
	i = b->is_short ? -1 : map_find(&d->by_index, hash_u64(index));
	if (i < 0) {
		d->nr_bad++;
		return 0;
	}
	code = d->codes.data[d->latest.data[i]];
	code.addr = new_addr;
	code.time_ns = time_ns;
	code.nr_lines = 0; /* those are of the old addresses */
	return add_code(d, &code);
}

static int take_lines(struct jitdump *d, struct bytes *b)
{
	const char *file = NULL;
	uint64_t n;

	d->pending_line = d->lines.n;
	d->pending_addr = bytes_u64(b);
	n = bytes_u64(b);
	for (uint64_t i = 0; i < n && bytes_left(b); i++) {
		struct line l = { .order = (uint32_t)i };
		const char *name;

		l.addr = bytes_u64(b);
		l.line = bytes_u32(b);
		bytes_u32(b); /* discriminator */
		name = take_text(b);
		if (b->is_short || !name)
			break;
		/* Some of V8's names are memory that it has freed: what follows one is no entry, and the lines before it are wrong, too. */
		if (l.addr - d->pending_addr >= LINE_SPAN_MAX) {
			d->lines.n = d->pending_line;
			break;
		}
		if (strcmp(name, SAME_NAME) && (!file || strcmp(name, file))) {
			file = keep_text(d, name);
			if (!file)
				return -EFBIG;
		}
		l.file = file;
		if (!file)
			continue;
		if (!charge(d, sizeof(l)) || vec_reserve(&d->lines))
			return -EFBIG;
		d->lines.data[d->lines.n++] = l;
	}
	return 0;
}

/* So many bytes of a record have to be there to take it. */
static uint64_t bytes_wanted(const struct jitdump *d, uint32_t id, uint32_t size)
{
	if (id == CODE_LOAD && !(d->keep & JITDUMP_CODE))
		return size < LOAD_HEAD_BYTES ? size : LOAD_HEAD_BYTES;
	if (id == CODE_MOVE)
		return size < MOVE_BYTES ? size : MOVE_BYTES;
	if (id == CODE_LOAD || (id == DEBUG_INFO && d->keep & JITDUMP_LINES))
		return size;
	return RECORD_BYTES;
}

static int take_record(struct jitdump *d, uint32_t id, uint64_t time_ns, struct bytes b, uint64_t left)
{
	if (id == CODE_LOAD)
		return take_load(d, d->has_own_times ? 0 : time_ns, &b, left);
	if (id == CODE_MOVE)
		return take_move(d, d->has_own_times ? 0 : time_ns, &b);
	return id == DEBUG_INFO && d->keep & JITDUMP_LINES ? take_lines(d, &b) : 0;
}

static int take_records(struct jitdump *d, struct source *s)
{
	const uint8_t *head;
	int ret = 0;

	while (!ret && (head = source_bytes(s, d->offset, RECORD_BYTES))) {
		struct bytes b = bytes_of(head, RECORD_BYTES);
		uint32_t id = bytes_u32(&b), size = bytes_u32(&b);
		uint64_t time_ns = bytes_u64(&b), wanted = bytes_wanted(d, id, size);

		if (size < RECORD_BYTES)
			return -EBADMSG;
		if (size > s->size - d->offset)
			break;
		if (wanted > WHOLE_MAX) {
			d->nr_bad++;
			d->offset += size;
			continue;
		}
		head = source_bytes(s, d->offset, wanted);
		if (!head)
			break;
		ret = take_record(d, id, time_ns, bytes_of(head + RECORD_BYTES, wanted - RECORD_BYTES), size - wanted);
		d->offset += size;
	}
	return ret;
}

static int take_header(struct jitdump *d, struct source *s)
{
	const uint8_t *head = source_bytes(s, 0, HEADER_BYTES);
	struct bytes b = bytes_of(head ? head : (const uint8_t *)"", head ? HEADER_BYTES : 0);
	uint32_t magic = bytes_u32(&b), version = bytes_u32(&b), size = bytes_u32(&b);

	if (magic != MAGIC || version != VERSION || size < HEADER_BYTES || size > s->size)
		return -EBADMSG;
	d->machine = (uint16_t)bytes_u32(&b);
	bytes_skip(&b, 2 * sizeof(uint32_t) + sizeof(uint64_t)); /* padding, pid, time */
	d->has_own_times = bytes_u64(&b) & FLAG_ARCH_TIMES;
	d->offset = size;
	d->is_open = true;
	return 0;
}

static int take_source(struct jitdump *d, struct source *s, uint64_t *bytes_left)
{
	int ret;

	d->bytes_left = bytes_left;
	d->first_ns = UINT64_MAX;
	ret = d->is_broken ? -EBADMSG : d->is_open ? 0 : take_header(d, s);

	if (!ret)
		ret = take_records(d, s);
	d->is_cut = d->offset < s->size;
	d->is_broken |= ret == -EBADMSG && d->is_open;
	jitindex_add(&d->index, d->codes.data, d->codes.n);
	return ret;
}

uint64_t jitdump_charged(const struct jitdump *d)
{
	return d->charged;
}

struct jitdump *jitdump_new(unsigned int keep)
{
	struct jitdump *d = calloc(1, sizeof(*d));

	if (d)
		d->keep = keep;
	return d;
}

int jitdump_read(struct jitdump *d, int fd, uint64_t *bytes_left)
{
	struct source s = { .fd = fd };
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	s.size = (uint64_t)st.st_size;
	ret = s.size > JITDUMP_FILE_BYTES ? -EFBIG : 0;
	s.size = ret ? JITDUMP_FILE_BYTES : s.size;
	ret = take_source(d, &s, bytes_left) ?: ret;
	free(s.window);
	return ret;
}

int jitdump_parse(const void *bytes, size_t n, struct jitdump **ret_dump)
{
	struct jitdump *d = jitdump_new(JITDUMP_CODE | JITDUMP_LINES);
	uint64_t bytes_left = JITDUMP_CODE_BYTES;
	struct source s = { .fd = -1, .size = n, .bytes = bytes };
	int ret = d ? take_source(d, &s, &bytes_left) : -ENOMEM;

	if (d && d->is_open) {
		*ret_dump = d;
		return 0;
	}
	jitdump_free(d);
	return ret;
}

int jitdump_open_fd(const char *path, uid_t owner, struct stat *ret_st)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (!fstat(fd, ret_st) && S_ISREG(ret_st->st_mode) && (ret_st->st_uid == owner || invoker_trusts(ret_st->st_uid)))
		return fd;
	close(fd);
	return -EPERM;
}

int jitdump_open(const char *path, struct jitdump **ret_dump, struct err *err)
{
	uint64_t bytes_left = JITDUMP_CODE_BYTES;
	struct stat st;
	struct jitdump *d;
	int fd = jitdump_open_fd(path, geteuid(), &st), ret;

	if (fd == -EPERM)
		return err_set(err, -EPERM, "'%s' is no plain file of root or of who runs skep", path);
	if (fd < 0)
		return err_set(err, fd, "'%s' cannot be read: %s", path, strerror(-fd));
	d = jitdump_new(JITDUMP_CODE | JITDUMP_LINES);
	ret = d ? jitdump_read(d, fd, &bytes_left) : -ENOMEM;
	close(fd);
	if (d && d->is_open) {
		*ret_dump = d;
		return 0;
	}
	jitdump_free(d);
	return err_set(err, ret, "'%s' cannot be read: %s", path, ret == -EBADMSG ? "no dump of a JIT's code, version 1" : strerror(-ret));
}

void jitdump_free(struct jitdump *d)
{
	if (!d)
		return;
	for (struct block *b = d->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	vec_free(&d->codes);
	vec_free(&d->lines);
	vec_free(&d->latest);
	map_free(&d->by_index);
	jitindex_free(&d->index);
	free(d);
}

uint16_t jitdump_machine(const struct jitdump *d)
{
	return d->machine;
}

void jitdump_state(const struct jitdump *d, struct jitdump_state *ret_state)
{
	*ret_state = (struct jitdump_state){
		.offset = d->offset, .nr_codes = (uint32_t)d->codes.n, .nr_bad = d->nr_bad, .is_cut = d->is_cut,
		.is_broken = d->is_broken, .has_own_times = d->has_own_times, .first_ns = d->first_ns, .nr_replaced = d->index.nr_replaced,
	};
}

const struct jitdump_code *jitdump_find(const struct jitdump *d, uint64_t time_ns, uint64_t addr)
{
	return jitindex_find(&d->index, d->codes.data, time_ns, addr);
}

bool jitdump_line(const struct jitdump *d, const struct jitdump_code *code, uint64_t addr, const char **ret_file, uint32_t *ret_line)
{
	size_t lo = code->first_line, hi = lo + code->nr_lines;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->lines.data[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == code->first_line || !d->lines.data[lo - 1].line)
		return false;
	*ret_file = d->lines.data[lo - 1].file;
	*ret_line = d->lines.data[lo - 1].line;
	return true;
}
