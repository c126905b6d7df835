/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/jitdump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/bytes.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/invoker.h"
#include "util/map.h"
#include "util/vec.h"

#define MAGIC 0x4a695444u
#define VERSION 1u
#define HEADER_BYTES 40u
#define RECORD_BYTES 16u
#define BACK_STEPS 256 /* of code that begins before an address and may hold it */
#define LINE_SPAN_MAX (16u << 20) /* of the lines of one code */
#define V8_SHIFT 0x40u
#define SAME_NAME "\xff" /* as the line before */

enum record { CODE_LOAD = 0, CODE_MOVE = 1, DEBUG_INFO = 2 };

struct line {
	uint64_t addr;
	uint32_t line, order; /* order: in the file */
	const char *file;
};

struct jitdump {
	char *bytes; /* all of the file */
	uint16_t machine;
	VEC(struct jitdump_code) codes; /* by address, then by time */
	VEC(struct line) lines;
	size_t pending_line; /* of DEBUG_INFO, which comes before its code: the first of its lines */
	uint64_t pending_addr;
	struct map by_index; /* codes, while the file is read */
};

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

static int add_code(struct jitdump *d, const struct jitdump_code *code)
{
	if (!code->size || code->addr + code->size < code->addr)
		return 0;
	if (vec_reserve(&d->codes) || map_add(&d->by_index, hash_u64(code->index), d->codes.n))
		return -ENOMEM;
	d->codes.data[d->codes.n++] = *code;
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

static int take_load(struct jitdump *d, uint64_t time_ns, struct bytes *b)
{
	struct jitdump_code code = { .time_ns = time_ns };

	bytes_skip(b, 2 * sizeof(uint32_t) + sizeof(uint64_t)); /* pid, tid, vma */
	code.addr = bytes_u64(b);
	code.size = bytes_u64(b);
	code.index = bytes_u64(b);
	code.name = take_text(b);
	if (b->is_short || !code.name || code.size > bytes_left(b))
		return 0;
	code.bytes = b->at;
	if (d->pending_addr == code.addr && d->lines.n > d->pending_line) {
		code.first_line = d->pending_line;
		code.nr_lines = d->lines.n - d->pending_line;
		qsort(d->lines.data + code.first_line, code.nr_lines, sizeof(*d->lines.data), compare_line);
		if (d->lines.data[code.first_line].addr == code.addr + V8_SHIFT)
			undo_shift(d->lines.data + code.first_line, code.nr_lines);
	}
	d->pending_line = d->lines.n;
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
	if (b->is_short)
		return 0;
	i = map_find(&d->by_index, hash_u64(index));
	if (i < 0)
		return 0;
	code = d->codes.data[i];
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
		file = strcmp(name, SAME_NAME) ? name : file;
		l.file = file;
		if (!file)
			continue;
		if (vec_reserve(&d->lines))
			return -ENOMEM;
		d->lines.data[d->lines.n++] = l;
	}
	return 0;
}

static int compare_codes(const void *pa, const void *pb)
{
	const struct jitdump_code *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static int take_records(struct jitdump *d, struct bytes b)
{
	int ret = 0;

	while (!ret && bytes_left(&b) >= RECORD_BYTES) {
		uint32_t id = bytes_u32(&b), size = bytes_u32(&b);
		uint64_t time_ns = bytes_u64(&b);
		struct bytes record;

		if (size < RECORD_BYTES)
			break;
		record = bytes_cut(&b, size - RECORD_BYTES);
		if (b.is_short)
			break;
		if (id == CODE_LOAD)
			ret = take_load(d, time_ns, &record);
		else if (id == CODE_MOVE)
			ret = take_move(d, time_ns, &record);
		else if (id == DEBUG_INFO)
			ret = take_lines(d, &record);
	}
	map_free(&d->by_index);
	if (d->codes.n)
		qsort(d->codes.data, d->codes.n, sizeof(*d->codes.data), compare_codes);
	return ret;
}

/* Takes the bytes over, also when it fails. */
static int parse(char *bytes, size_t n, struct jitdump **ret_dump)
{
	struct jitdump *d = calloc(1, sizeof(*d));
	struct bytes b = bytes_of(bytes, n);
	uint32_t magic = bytes_u32(&b), version = bytes_u32(&b), size = bytes_u32(&b);
	int ret = d ? 0 : -ENOMEM;

	if (!ret && (magic != MAGIC || version != VERSION || size < HEADER_BYTES || size > n))
		ret = -EBADMSG;
	if (!ret) {
		d->machine = (uint16_t)bytes_u32(&b);
		ret = take_records(d, bytes_of(bytes + size, n - size));
	}
	if (!d) {
		free(bytes);
		return ret;
	}
	d->bytes = bytes;
	if (ret)
		jitdump_free(d);
	else
		*ret_dump = d;
	return ret;
}

int jitdump_parse(const void *bytes, size_t n, struct jitdump **ret_dump)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, n);
	return parse(copy, n, ret_dump);
}

int jitdump_open(const char *path, struct jitdump **ret_dump, struct err *err)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;
	struct stat st;
	char *bytes;
	size_t n;

	if (fd < 0)
		return err_set(err, -errno, "'%s' cannot be read: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !invoker_trusts(st.st_uid)) {
		close(fd);
		err_set(err, -EPERM, "'%s' is no plain file of root or of who runs skep", path);
		return -EPERM;
	}
	ret = file_read_fd(fd, (size_t)st.st_size + 1, JITDUMP_FILE_BYTES, &bytes, &n);
	close(fd);
	if (!ret)
		ret = parse(bytes, n, ret_dump);
	return ret ? err_set(err, ret, "'%s' cannot be read: %s", path, ret == -EBADMSG ? "no dump of a JIT's code, version 1" : strerror(-ret)) : 0;
}

void jitdump_free(struct jitdump *d)
{
	if (!d)
		return;
	vec_free(&d->codes);
	vec_free(&d->lines);
	free(d->bytes);
	free(d);
}

uint16_t jitdump_machine(const struct jitdump *d)
{
	return d->machine;
}

const struct jitdump_code *jitdump_find(const struct jitdump *d, uint64_t time_ns, uint64_t addr)
{
	const struct jitdump_code *best = NULL;
	size_t lo = 0, hi = d->codes.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->codes.data[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (int steps = 0; lo-- > 0 && steps < BACK_STEPS; steps++) {
		const struct jitdump_code *c = &d->codes.data[lo];

		if (addr - c->addr >= c->size)
			continue;
		/* The last one that was there; else the first one that came. */
		if (!best || (c->time_ns <= time_ns ? best->time_ns > time_ns || c->time_ns > best->time_ns :
						      best->time_ns > time_ns && c->time_ns < best->time_ns))
			best = c;
	}
	return best;
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
