/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For programs. Format 1: the members of render/tree/json.c's format from "skep" to "receipt", then
 *   "percent_type": what shares are of,
 *   "functions": [ { "name", "object", "event", "weight", "count", "share" (in percent, of all samples of the event),
 *     "missing", "hint": why there is nothing more; or:
 *     "code": where the code is from, "start": address,
 *     "lines": [ { "file" or null, "line", "address" (the hottest), "weight", "count", "share" } ] hottest first,
 *     "outside_count": samples on no instruction,
 *     "instructions": [ { "address", "bytes", "text", "file", "line", "target", "weight", "count", "share" } ] } ]
 * An instruction without samples has no weight, count and share; one without a line no file and line. Addresses are texts,
 * "0x...": those of the kernel have more digits than a number of JavaScript, or of jq.
 */
#include <inttypes.h>
#include <stdio.h>

#include "render/annotate/annotate.h"
#include "render/ledger.h"

#define SHARE_DECIMALS 4

static void json_begin_page(struct annotate_page *page, const struct profile *p)
{
	struct json *json = &page->json;

	json_begin(json, page->out);
	json_object(json);
	json_key_u64(json, "skep", 1);
	profile_json(json, p);
	json_key_text(json, "percent_type", annotate_share_kind(page->look));
	json_key(json, "functions");
	json_array(json);
}

static void put_samples(struct annotate_page *page, const struct annotate_view *v, uint64_t weight, uint64_t count)
{
	json_key_u64(&page->json, "weight", weight);
	json_key_u64(&page->json, "count", count);
	json_key(&page->json, "share");
	json_double(&page->json, annotate_share(page->look, v, weight, count), SHARE_DECIMALS);
}

static void put_address(struct json *json, const char *key, uint64_t addr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	json_key_text(json, key, text);
}

static void put_lines(struct annotate_page *page, const struct annotate_view *v)
{
	const struct annotate_code *code = v->code;
	struct json *json = &page->json;

	json_key(json, "lines");
	json_array(json);
	for (size_t i = 0; i < code->lines.n && !(page->look->lines_max && i >= page->look->lines_max); i++) {
		const struct annotate_line *l = &code->lines.data[i];

		json_line(json);
		json_object(json);
		json_key_text(json, "file", l->file);
		json_key_u64(json, "line", l->line);
		put_address(json, "address", l->addr);
		put_samples(page, v, l->weight, l->count);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_insns(struct annotate_page *page, const struct annotate_view *v)
{
	const struct annotate_code *code = v->code;
	struct json *json = &page->json;
	char raw[ANNOTATE_RAW_BYTES];

	json_key_u64(json, "outside_count", code->outside_count);
	json_key(json, "instructions");
	json_array(json);
	for (size_t k = 0; k < code->insns.n; k++) {
		const struct annotate_insn *i = &code->insns.data[k];

		json_line(json);
		json_object(json);
		put_address(json, "address", i->addr);
		annotate_raw_text(v, i, raw, sizeof(raw));
		json_key_text(json, "bytes", raw);
		json_key_text(json, "text", code->text.data + i->text);
		if (i->file) {
			json_key_text(json, "file", i->file);
			json_key_u64(json, "line", i->line);
		}
		if (i->is_jump)
			put_address(json, "target", i->target);
		if (i->count)
			put_samples(page, v, i->weight, i->count);
		json_object_end(json);
	}
	json_array_end(json);
}

static void json_func(struct annotate_page *page, const struct annotate_view *v)
{
	struct json *json = &page->json;

	json_line(json);
	json_object(json);
	json_key_text(json, "name", v->name);
	json_key_text(json, "object", v->obj);
	json_key_text(json, "event", v->event);
	json_key_u64(json, "weight", v->weight);
	json_key_u64(json, "count", v->count);
	json_key(json, "share");
	json_double(json, v->all_weight ? 100.0 * (double)v->weight / (double)v->all_weight : 0, SHARE_DECIMALS);
	if (v->missing) {
		json_key_text(json, "missing", v->missing);
		json_key_text(json, "hint", v->hint);
	} else {
		json_key_text(json, "code", v->source ? v->source : v->obj);
		put_address(json, "start", v->start);
		put_lines(page, v);
		if (!page->look->summary)
			put_insns(page, v);
	}
	json_object_end(json);
}

static int json_end_page(struct annotate_page *page)
{
	json_array_end(&page->json);
	json_object_end(&page->json);
	putc('\n', page->out);
	return json_end(&page->json);
}

const struct annotate_format annotate_json = { "json", json_begin_page, json_func, json_end_page };
