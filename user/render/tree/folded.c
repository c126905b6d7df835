/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: the folded format, "outer;inner;leaf SAMPLES" (where samples do not all weigh the same: what they weigh), one line a distinct stack, as
 * flame graph tools read it. Lines are sorted bytewise and equal texts (same names in other objects) are one line, so
 * that two runs can be compared with diff. Of a change a line has two numbers, before and after, as difffolded.pl writes and flamegraph.pl reads.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/treepair.h"
#include "render/tree/render.h"
#include "util/text.h"

struct line {
	size_t at; /* in the text */
	uint64_t counts[2]; /* or weights; the second one of a change, whose first is before it */
};

struct folded {
	FILE *mem;
	char *text;
	size_t bytes;
	VEC(struct line) lines;
	VEC(uint32_t) path;
};

static void name_put(FILE *out, const char *name)
{
	char buf[TEXT_FRAME_BYTES];

	text_frame(buf, name);
	fputs(buf, out);
}

static int line_add(struct folded *f, const struct tree *tree, uint32_t leaf, uint64_t count, uint64_t after)
{
	f->path.n = 0;
	for (uint32_t i = leaf; i; i = tree->nodes.data[i].parent) {
		if (vec_reserve(&f->path))
			return -ENOMEM;
		f->path.data[f->path.n++] = i;
	}
	if (vec_reserve(&f->lines))
		return -ENOMEM;
	f->lines.data[f->lines.n++] = (struct line){ ftello(f->mem), { count, after } };
	if (!leaf)
		name_put(f->mem, tree->nodes.data[0].name);
	for (size_t i = f->path.n; i--;) {
		name_put(f->mem, tree->nodes.data[f->path.data[i]].name);
		if (i)
			putc(';', f->mem);
	}
	putc('\0', f->mem);
	return 0;
}

static int line_cmp(const void *a, const void *b, void *text)
{
	const struct line *x = a, *y = b;

	return strcmp((char *)text + x->at, (char *)text + y->at);
}

static void lines_print(FILE *out, struct folded *f, bool is_change)
{
	uint64_t counts[2] = { 0 };

	qsort_r(f->lines.data, f->lines.n, sizeof(*f->lines.data), line_cmp, f->text);
	for (size_t i = 0; i < f->lines.n; i++) {
		const char *text = f->text + f->lines.data[i].at;

		counts[0] += f->lines.data[i].counts[0];
		counts[1] += f->lines.data[i].counts[1];
		if (i + 1 < f->lines.n && !strcmp(text, f->text + f->lines.data[i + 1].at))
			continue;
		fprintf(out, "%s %" PRIu64, text, counts[0]);
		if (is_change)
			fprintf(out, " %" PRIu64, counts[1]);
		putc('\n', out);
		counts[0] = counts[1] = 0;
	}
}

/* Does each sample of all nodes weigh so much? *each 0: it is not known yet. */
static bool weighs_each(uint64_t self, uint64_t count, uint64_t *each)
{
	if (!self && !count)
		return true;
	*each = *each || !count ? *each : self / count;
	return count && self == count * *each;
}

/* Time that was waited, and events at a rate, of whose samples each stands for another number of them. */
static bool is_uneven(const struct tree *tree, const struct flame_sides *sides)
{
	uint64_t each = 0;

	for (uint32_t i = 0; i < tree->nodes.n; i++)
		if (!weighs_each(tree->nodes.data[i].self, tree->nodes.data[i].self_count, &each) ||
		    (sides && !weighs_each(sides->before[i].self, sides->before[i].self_count, &each)))
			return true;
	return false;
}

int render_folded(FILE *out, const struct tree *tree, const struct profile *p, const struct flame_cfg *cfg)
{
	const struct flame_sides *sides = cfg ? cfg->sides : NULL;
	bool by_weight = p->is_time || is_uneven(tree, sides);
	struct folded f = { 0 };
	int ret = 0;

	f.mem = open_memstream(&f.text, &f.bytes);
	if (!f.mem)
		return -errno;
	for (uint32_t i = 0; i < tree->nodes.n && !ret; i++) {
		const struct tree_node *n = &tree->nodes.data[i];

		uint64_t count = by_weight ? n->self : n->self_count, before = 0;

		if (sides)
			before = by_weight ? sides->before[i].self : sides->before[i].self_count;
		if (count || before)
			ret = sides ? line_add(&f, tree, i, before, count) : line_add(&f, tree, i, count, 0);
	}
	if (fclose(f.mem) && !ret)
		ret = -ENOMEM;
	if (!ret && f.lines.n)
		lines_print(out, &f, sides);
	free(f.text);
	vec_free(&f.lines);
	vec_free(&f.path);
	if (!ret && ferror(out))
		ret = -EIO;
	return ret;
}
