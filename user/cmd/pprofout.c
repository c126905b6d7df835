/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/pprofout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COMMENT_BYTES (NOTE_BYTES + 32)
#define COMMENTS_MAX (1 + LOSS_MAX + NOTES_MAX)

static struct pprof_writer *find(const struct pprof_out *o, const struct fold_view *view)
{
	for (size_t i = 0; i < o->views.n; i++)
		if (o->views.data[i].view == view)
			return o->views.data[i].writer;
	return NULL;
}

static struct pprof_writer *writer_of(struct pprof_out *o, const struct fold_view *view)
{
	struct pprof_writer *found = find(o, view);
	struct pprof_view *v;

	if (found)
		return found;
	if (vec_reserve(&o->views))
		return NULL;
	v = &o->views.data[o->views.n];
	v->view = view;
	if (pprof_writer_new(&v->writer))
		return NULL;
	o->views.n++;
	return v->writer;
}

static int label_thread(const struct pprof_out *o, const struct named *named, struct pprof_label *ret_labels)
{
	ret_labels[0] = (struct pprof_label){ .key = "comm", .text = named->comm };
	ret_labels[1] = (struct pprof_label){ .key = "pid", .num = named->at->pid };
	ret_labels[2] = (struct pprof_label){ .key = "tid", .num = named->at->tid };
	return o->pic->fold.root == ROOT_NONE ? 0 : o->pic->fold.root == ROOT_TID ? 3 : 2;
}

int pprof_out_add(void *arg, const struct fold_view *view, const struct named *named)
{
	struct pprof_out *o = arg;
	struct pprof_writer *w = writer_of(o, view);
	struct pprof_label labels[PPROF_LABELS_MAX];
	int n = o->label ? o->label(o->label_arg, named, labels) : label_thread(o, named, labels), ret = -ENOMEM;

	if (w && n >= 0)
		ret = pprof_add(w, named->stack->frames, named->stack->n, labels, (size_t)n, named->at->count, named->at->weight);
	return ret || !o->also ? ret : o->also(o->also_arg, view, named);
}

void pprof_out_begin(struct pprof_out *o, struct picture *pic)
{
	o->pic = pic;
	o->also = pic->fold.also;
	o->also_arg = pic->fold.also_arg;
	pic->fold.also = pprof_out_add;
	pic->fold.also_arg = o;
}

void pprof_out_free(struct pprof_out *o)
{
	for (size_t i = 0; i < o->views.n; i++)
		pprof_writer_free(o->views.data[i].writer);
	vec_free(&o->views);
}

void pprof_out_forget(struct pprof_out *o, const struct fold_view *view)
{
	for (size_t i = 0; i < o->views.n; i++) {
		if (o->views.data[i].view != view)
			continue;
		pprof_writer_free(o->views.data[i].writer);
		o->views.data[i] = o->views.data[--o->views.n];
		return;
	}
}

static uint8_t build_id(void *arg, const char *obj, uint8_t *ret_id)
{
	const struct pprof_out *o = arg;

	return syms_build_id(o->pic->names.syms, obj, ret_id);
}

/* What was measured, what it lost, and its notes. */
struct comments {
	char lines[COMMENTS_MAX][COMMENT_BYTES];
	const char *all[COMMENTS_MAX + 1];
	size_t n;
};

static void comment(struct comments *c, const char *form, ...) __attribute__((format(printf, 2, 3)));
static void comment(struct comments *c, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	vsnprintf(c->lines[c->n], sizeof(c->lines[c->n]), form, args);
	va_end(args);
	c->all[c->n] = c->lines[c->n];
	c->all[++c->n] = NULL;
}

static void comment_all(struct comments *c, const struct profile *p)
{
	c->n = 0;
	comment(c, "%s", p->title ? p->title : "skep");
	for (int i = 0; i < LOSS_MAX; i++)
		if (p->losses[i])
			comment(c, "%s: %" PRIu64 "  %s", loss_word(i), p->losses[i], loss_text(i));
	for (uint32_t i = 0; i < p->nr_notes; i++)
		comment(c, "note: %s", p->notes[i]);
}

size_t pprof_out_stacks(const struct pprof_out *o, const struct fold_view *view)
{
	const struct pprof_writer *w = find(o, view);

	return w ? pprof_stacks(w) : 0;
}

int pprof_out_write(struct pprof_out *o, const struct fold_view *view, const struct profile *p, uint64_t time_ns, FILE *out)
{
	struct pprof_writer *w = writer_of(o, view);
	struct comments c;
	const struct pprof_head head = { .event = p->event, .unit = p->unit, .time_ns = time_ns, .duration_ns = p->duration_ns,
					 .period = p->kept ? p->weight / p->kept : 0, .comments = c.all };

	if (!w)
		return -ENOMEM;
	comment_all(&c, p);
	return pprof_write(w, &head, build_id, o, out);
}
