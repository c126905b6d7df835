/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From folded samples to places, from places to code, from code to pages. */
#include "cmd/annotation.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/disasm.h"
#include "util/glob.h"
#include "util/log.h"
#include "util/text.h"

#define INSN_TEXT_BYTES 4608
#define NAMES_LISTED 5

static int annotation_sample(void *arg, const struct fold_view *view, const struct named *named)
{
	struct annotation *a = arg;
	const struct sample *s = named->at;
	uint64_t ip = s->ip ? s->ip : sample_leaf(s);
	struct annotate_key key = { .series = view };
	struct code_place place;
	int64_t func;

	if (!ip)
		return 0;
	if (!a->reader && !(a->reader = code_reader_new(a->pic->names.syms, &a->code)))
		return -ENOMEM;
	code_place(a->reader, s->pid, s->time_ns, ip, s->chains[CHAIN_KERNEL].n, &place);
	key.id = place.id;
	key.start = place.key;
	func = annotate_func(&a->model, &key);
	if (func < 0)
		return (int)func;
	if ((size_t)func == a->places.n) {
		if (vec_reserve(&a->places))
			return -ENOMEM;
		a->places.data[a->places.n++] = place;
	}
	return annotate_add(&a->model, (uint32_t)func, place.addr, s->weight, s->count);
}

int annotation_begin(struct annotation *a, struct picture *pic, struct err *err)
{
	if (!disasm_works()) {
		err_exit(err, -ENOTSUP, EXIT_CANNOT, "cannot show instructions: libcapstone is not there, or this skep was built without it");
		err_hint(err, "install libcapstone (Debian: libcapstone4)");
		return -ENOTSUP;
	}
	a->pic = pic;
	a->kcode = kcode_new();
	a->code.read_kernel = a->kcode ? kcode_read : NULL;
	a->code.read_arg = a->kcode;
	pic->fold.also = annotation_sample;
	pic->fold.also_arg = a;
	return 0;
}

void annotation_free(struct annotation *a)
{
	annotate_free(&a->model);
	not_shown_free(&a->not_shown);
	code_reader_free(a->reader);
	sources_free(&a->sources);
	vec_free(&a->places);
	kcode_free(a->kcode);
}

/* "ns::f(int)" is meant by that, by "ns::f" and by a pattern. */
static bool is_wanted_name(const char *wanted, const char *name)
{
	size_t n = strcspn(name, "(");

	return !strcmp(wanted, name) || (n && strlen(wanted) == n && !memcmp(wanted, name, n)) ||
	       (glob_is(wanted) && glob_match(wanted, name, strlen(name)));
}

/* What is being turned into text. */
struct listing {
	struct annotation *a;
	const struct code *code;
	struct annotate_code lines;
};

static size_t add_target(struct listing *l, const struct disasm_insn *i, char *text, size_t len)
{
	uint64_t off = 0;
	const char *name = code_name(l->a->reader, l->code->place, i->target, &off);

	len = text_append(text, INSN_TEXT_BYTES, len, i->has_data ? "        # %llx" : "%llx", (unsigned long long)i->target);
	if (name && off)
		return text_append(text, INSN_TEXT_BYTES, len, " <%s+0x%llx>", name, (unsigned long long)off);
	return name ? text_append(text, INSN_TEXT_BYTES, len, " <%s>", name) : len;
}

static int add_insn(void *arg, const struct disasm_insn *i)
{
	struct listing *l = arg;
	struct annotate_insn insn = { .addr = i->addr, .bytes = i->bytes, .target = i->target, .is_jump = i->is_direct && i->kind == DISASM_JUMP };
	char text[INSN_TEXT_BYTES];
	size_t len = text_append(text, sizeof(text), 0, *i->operands || i->is_direct ? "%-6s %s" : "%s%s", i->name, i->operands);

	if (i->is_direct || i->has_data)
		add_target(l, i, text, len);
	if (!code_line(l->a->reader, l->code, i->addr, &insn.file, &insn.line))
		insn.file = NULL;
	return annotate_code_add(&l->lines, &insn, text);
}

static int show_code(struct annotation *a, const struct annotate_func *f, const struct code *code,
		     struct annotate_view *v, const struct annotate_format *format, struct annotate_page *page)
{
	struct listing l = { .a = a, .code = code };
	struct disasm_code in = { code->machine, a->intel, code->bytes, code->n, code->addr };
	int ret = disasm_each(&in, add_insn, &l);

	if (!ret)
		ret = annotate_code_merge(&l.lines, &a->model.hits.data[f->first_hit], f->nr_hits);
	v->code = &l.lines;
	v->bytes = code->bytes;
	if (!ret)
		format->func(page, v);
	annotate_code_free(&l.lines);
	return ret;
}

static int show_func(struct annotation *a, uint32_t func, const struct annotation_series *series,
		     const struct annotate_format *format, struct annotate_page *page)
{
	const struct annotate_func *f = &a->model.funcs.data[func];
	const struct code_place *place = &a->places.data[func];
	struct annotate_view v = { .event = series->event, .name = place->name ? place->name : "code without a name", .obj = place->obj_name,
				   .start = place->start, .weight = f->weight, .count = f->count,
				   .all_weight = series->weight, .all_count = series->count };
	struct err why = { 0 };
	struct code code;
	int ret = code_read(a->reader, place, &code, &why);

	if (!ret) {
		v.source = code.source;
		ret = show_code(a, f, &code, &v, format, page);
		code_free(&code);
		if (ret == -ENOTSUP)
			err_set(&why, ret, "libcapstone does not know this machine's code");
	}
	if (ret == -ENOMEM)
		return ret;
	if (!ret) {
		page->nr_funcs++;
		a->nr_shown++;
		return 0;
	}
	v.missing = why.text;
	v.hint = *why.hint ? why.hint : NULL;
	a->nr_missing++;
	if (a->skip_missing)
		return 0;
	format->func(page, &v);
	return not_shown_add(&a->not_shown, v.obj, v.name, v.count, v.missing, v.hint);
}

static bool is_wanted(const struct annotation *a, uint32_t func, const struct annotation_series *series)
{
	const struct code_place *p = &a->places.data[func];
	double share = series->weight ? 100.0 * (double)a->model.funcs.data[func].weight / (double)series->weight : 0;

	return share >= a->percent_limit && (!a->function || (p->name && is_wanted_name(a->function, p->name)));
}

/* No function is what was requested: what there is, and what has no names. */
static int nothing_wanted(const struct annotation *a, const uint32_t *order, size_t n, const struct annotation_series *series, struct err *err)
{
	char names[256] = "";
	size_t len = 0, listed = 0;

	err_set(err, -ENOENT, "no samples of '%s'", a->function ? a->function : series->event);
	for (size_t i = 0; i < n && listed < NAMES_LISTED; i++) {
		const struct code_place *p = &a->places.data[order[i]];

		if (p->name) {
			len = text_append(names, sizeof(names), len, "%s%s", listed ? ", " : "", p->name);
			listed++;
		}
	}
	if (listed)
		err_hint(err, "the functions with most samples: %s", names);
	return -ENOENT;
}

static int show_series(struct annotation *a, struct annotation_series *series, uint32_t *order,
		       const struct annotate_format *format, struct annotate_page *page, struct err *err)
{
	size_t n = annotate_order(&a->model, series->at, order), done = 0;
	int ret = 0;

	for (size_t i = 0; i < n; i++) {
		series->weight += a->model.funcs.data[order[i]].weight;
		series->count += a->model.funcs.data[order[i]].count;
	}
	for (size_t i = 0; i < n && !ret && !(a->funcs_max && done >= a->funcs_max); i++) {
		if (!is_wanted(a, order[i], series))
			continue;
		ret = show_func(a, order[i], series, format, page);
		done++;
	}
	/* The function may be in code without names: why it has none is reported. */
	for (size_t i = 0; i < n && !ret && !done && a->function; i++)
		if (!a->places.data[order[i]].name)
			ret = show_func(a, order[i], series, format, page);
	if (ret)
		return err_set(err, ret, "cannot show the instructions: %s", strerror(-ret));
	return done ? 0 : nothing_wanted(a, order, n, series, err);
}

/* A function that cannot be shown is an error where it is the one that was requested. */
static int check_shown(const struct annotation *a, const struct err *why, struct err *err)
{
	if (a->nr_shown)
		return 0;
	if (*why->text) {
		*err = *why;
		return -ENOENT;
	}
	return err_set(err, -ENOENT, a->function ? "'%s' cannot be shown" : "no function can be shown", a->function);
}

static const char *source_line(void *arg, const char *file, uint32_t line, size_t *ret_len)
{
	return sources_line(arg, file, line, ret_len);
}

int annotation_print(struct annotation *a, const struct annotate_format *format, struct annotation_series *series, size_t n,
		     const struct profile *total, FILE *out, struct err *err)
{
	struct annotate_page page = { .out = out, .look = &a->look };
	uint32_t *order = calloc(a->model.funcs.n + 1, sizeof(*order));
	struct err why = { 0 };
	int ret = order ? 0 : err_set(err, -ENOMEM, "out of memory");

	a->look.source_line = source_line;
	a->look.source_arg = &a->sources;
	annotate_end(&a->model);
	if (!ret)
		format->begin(&page, total);
	for (size_t i = 0; i < n && !ret; i++) {
		ret = show_series(a, &series[i], order, format, &page, &why);
		ret = ret == -ENOENT ? 0 : ret;
	}
	if (!ret)
		ret = format->end(&page);
	not_shown_print(&a->not_shown);
	if (!ret)
		ret = check_shown(a, &why, err);
	else if (!*err->text)
		*err = why;
	free(order);
	return ret;
}

uint64_t annotation_unnamed(const struct annotation *a)
{
	uint64_t n = 0;

	for (size_t i = 0; i < a->places.n; i++)
		if (!a->places.data[i].name && a->places.data[i].kind != CODE_KERNEL)
			n += a->model.funcs.data[i].count;
	return n;
}

void annotation_note_skid(const struct event *e, const char *name, struct profile *p)
{
	if (event_is_clock(e))
		profile_note(p, "samples of '%s' come with a timer's interrupt: they may be counted an instruction or more late", name);
	else if (!e->precise && !e->precise_max && e->type != PERF_TYPE_SOFTWARE && e->type != PERF_TYPE_TRACEPOINT && e->type != PERF_TYPE_BREAKPOINT)
		profile_note(p, "'%s' is not precise: samples may be counted an instruction or more late (record with -e %s:p if the CPU has it)", name, name);
}
