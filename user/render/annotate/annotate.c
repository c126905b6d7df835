/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the formats share. */
#include "render/annotate/annotate.h"

#include <string.h>

#include "util/text.h"

#define TAB_WIDTH 8

const struct annotate_format *annotate_format(const char *name)
{
	static const struct annotate_format *const all[] = {
#define FORMAT(name, format) &(format),
#include "render/annotate/formats.def"
#undef FORMAT
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

double annotate_share(const struct annotate_look *look, const struct annotate_view *v, uint64_t weight, uint64_t count)
{
	uint64_t part = look->by_count ? count : weight;
	uint64_t whole = look->by_count ? (look->global ? v->all_count : v->count) : look->global ? v->all_weight : v->weight;

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *annotate_share_kind(const struct annotate_look *look)
{
	if (look->by_count)
		return look->global ? "global hits" : "local hits";
	return look->global ? "global period" : "local period";
}

const char *annotate_path(const struct annotate_look *look, const char *path)
{
	const char *slash = strrchr(path, '/');

	return look->full_paths || path[0] == '[' || !slash || !slash[1] ? path : slash + 1;
}

void annotate_line_name(const struct annotate_look *look, const struct annotate_view *v, const struct annotate_line *l, char *buf, size_t size)
{
	if (l->file)
		text_append(buf, size, 0, "%s:%u", annotate_path(look, l->file), l->line);
	else
		text_append(buf, size, 0, "%s+0x%llx", v->name, (unsigned long long)(l->addr - v->start));
}

void annotate_source_text(const struct annotate_look *look, const char *file, uint32_t line, char *buf, size_t size)
{
	size_t len = 0, n = 0;
	const char *text = look->source_line ? look->source_line(look->source_arg, file, line, &len) : NULL;

	for (size_t i = 0; text && i < len && n + TAB_WIDTH < size; i++) {
		if (text[i] == '\t')
			do
				buf[n++] = ' ';
			while (n % TAB_WIDTH);
		else if (text[i])
			buf[n++] = text[i];
	}
	buf[n] = '\0';
}

void annotate_raw_text(const struct annotate_view *v, const struct annotate_insn *i, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (uint32_t k = 0; k < i->bytes; k++)
		len = text_append(buf, size, len, "%s%02x", k ? " " : "", v->bytes[i->addr - v->start + k]);
}
