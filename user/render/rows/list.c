/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each line starts with the name, for grep and awk; details are indented below it. */
#include "render/rows/list.h"

#include "util/text.h"

#define NAME_COLUMNS 40 /* what is longer moves what stands after it */
#define KIND_COLUMNS 10
#define INDENT 4

const struct list_kind_row list_kinds[LIST_KINDS] = {
	[LIST_HARDWARE] = { "hardware", "hw", "Hardware events", false },
	[LIST_CACHE] = { "cache", NULL, "Cache events", false },
	[LIST_SOFTWARE] = { "software", "sw", "Software events", false },
	[LIST_PMU] = { "pmu", NULL, "PMU events", false },
	[LIST_TRACEPOINT] = { "tracepoint", "tracepoints", "Tracepoints", true },
	[LIST_SYSCALL] = { "syscall", "syscalls", "System calls", true },
	[LIST_KERNEL] = { "kernel", NULL, "Kernel functions", true },
	[LIST_USER] = { "user", NULL, "Functions of programs", true },
	[LIST_USDT] = { "usdt", NULL, "Probes that programs bring along (USDT)", true },
};

void list_begin(struct list_out *list, FILE *out, bool json, bool verbose, bool privileged, int columns)
{
	*list = (struct list_out){ .out = out, .json = json, .verbose = verbose, .privileged = privileged, .columns = columns, .kind = -1 };
	if (!json)
		return;
	json_begin(&list->writer, out);
	json_object(&list->writer);
	json_key_u64(&list->writer, "skep", 1);
	json_key(&list->writer, "events");
	json_array(&list->writer);
}

static void row_json(struct json *j, const struct list_row *row)
{
	json_line(j);
	json_object(j);
	json_key_text(j, "kind", list_kinds[row->kind].name);
	json_key_text(j, "name", row->name);
	if (row->alias)
		json_key_text(j, "alias", row->alias);
	json_key(j, "has");
	json_bool(j, !row->missing);
	if (row->missing)
		json_key_text(j, "why", row->missing);
	json_key(j, "needs_root");
	json_bool(j, list_kinds[row->kind].root);
	for (int i = 0; i < LIST_FACTS_MAX && row->facts[i].key; i++) {
		if (row->facts[i].text)
			json_key_text(j, row->facts[i].key, row->facts[i].text);
		else
			json_key_u64(j, row->facts[i].key, row->facts[i].number);
	}
	if (row->has_fields) {
		json_key(j, row->kind == LIST_KERNEL ? "parameters" : "fields");
		json_array(j);
		for (size_t i = 0; i < row->nr_fields; i++) {
			json_object(j);
			json_key_text(j, "type", row->fields[i].type);
			json_key_text(j, "name", row->fields[i].name);
			json_object_end(j);
		}
		json_array_end(j);
	}
	if (row->example)
		json_key_text(j, "example", row->example);
	json_object_end(j);
}

static void heading(struct list_out *list, const struct list_row *row)
{
	const struct list_kind_row *kind = &list_kinds[row->kind];

	if (!list->columns || list->kind == (int)row->kind)
		return;
	fprintf(list->out, "%s%s%s:\n", list->kind < 0 ? "" : "\n", kind->heading,
		kind->root && !list->privileged ? " (using them needs root)" : "");
}

static void details(FILE *out, const struct list_row *row)
{
	/* A kernel function's are in its prototype. */
	for (size_t i = 0; i < row->nr_fields && row->kind != LIST_KERNEL; i++) {
		fprintf(out, "%*s", INDENT, "");
		text_print(out, row->fields[i].type);
		putc(' ', out);
		text_print(out, row->fields[i].name);
		putc('\n', out);
	}
	for (int i = 0; i < LIST_FACTS_MAX && row->facts[i].key; i++) {
		fprintf(out, "%*s%s: ", INDENT, "", row->facts[i].key);
		if (row->facts[i].text)
			text_print(out, row->facts[i].text);
		else
			fprintf(out, "%llu", (unsigned long long)row->facts[i].number);
		putc('\n', out);
	}
	if (row->example) {
		fprintf(out, "%*sexample: ", INDENT, "");
		text_print(out, row->example);
		putc('\n', out);
	}
}

static void row_text(struct list_out *list, const struct list_row *row)
{
	size_t len = text_escape(NULL, 0, row->name), pad = len < NAME_COLUMNS ? NAME_COLUMNS : len, behind = 0;
	FILE *out = list->out;

	heading(list, row);
	behind += row->alias ? 3 + text_escape(NULL, 0, row->alias) + 2 : 0;
	behind += row->missing ? text_escape(NULL, 0, row->missing) : row->note ? text_escape(NULL, 0, row->note) : 0;
	text_print(out, row->name);
	/* A narrow terminal has what does not fit on a line of its own. */
	if (list->columns && behind && pad + 2 + behind > (size_t)list->columns)
		fprintf(out, "\n%*s", INDENT, "");
	else if (!list->columns || behind)
		fprintf(out, "%*s  ", (int)(pad - len), "");
	if (!list->columns)
		fprintf(out, "%-*s", behind ? KIND_COLUMNS + 2 : 0, list_kinds[row->kind].name);
	if (row->alias) {
		fputs("or ", out);
		text_print(out, row->alias);
		if (row->missing || row->note)
			fputs("  ", out);
	}
	if (row->missing || row->note)
		text_print(out, row->missing ? row->missing : row->note);
	putc('\n', out);
	if (list->verbose)
		details(out, row);
}

void list_row(struct list_out *list, const struct list_row *row)
{
	if (list->json)
		row_json(&list->writer, row);
	else
		row_text(list, row);
	list->kind = row->kind;
	list->nr_rows++;
}

int list_end(struct list_out *list, const char *const *notes, size_t nr_notes)
{
	if (!list->json)
		return 0;
	json_array_end(&list->writer);
	json_key(&list->writer, "notes");
	json_array(&list->writer);
	for (size_t i = 0; i < nr_notes; i++)
		json_text(&list->writer, notes[i]);
	json_array_end(&list->writer);
	json_object_end(&list->writer);
	putc('\n', list->out);
	return json_end(&list->writer);
}
