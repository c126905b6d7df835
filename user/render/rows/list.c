/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each line starts with the name, for grep and awk; details are indented below it. */
#include "render/rows/list.h"

#include <string.h>

#include "util/text.h"

#define NAME_COLUMNS 40 /* what is longer moves what stands after it */
#define KIND_COLUMNS 10
#define INDENT 4
#define LINE_BYTES 4096

const struct list_kind_row list_kinds[LIST_KINDS] = {
	[LIST_HARDWARE] = { "hardware", "hw", "Hardware events", false },
	[LIST_CACHE] = { "cache", "hwcache", "Cache events", false },
	[LIST_SOFTWARE] = { "software", "sw", "Software events", false },
	[LIST_PMU] = { "pmu", NULL, "PMU events", false },
	[LIST_TRACEPOINT] = { "tracepoint", "tracepoints", "Tracepoints", true },
	[LIST_SYSCALL] = { "syscall", "syscalls", "System calls", true },
	[LIST_KERNEL] = { "kernel", NULL, "Kernel functions", true },
	[LIST_USER] = { "user", NULL, "Functions of programs", true },
	[LIST_USDT] = { "usdt", NULL, "Probes that programs bring along (USDT)", true },
};

#define TEXT(name) { name, NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_ALL }
#define NUMBER(name) { name, NULL, NULL, VALUE_NUMBER, ROLE_INFO, .in = IN_ALL }
#define FLAG(name) { name, NULL, NULL, VALUE_FLAG, ROLE_INFO, .in = IN_ALL }
#define MEMBERS(name) { name, NULL, NULL, VALUE_MEMBERS, ROLE_INFO, .in = IN_ALL }

static const struct column columns[LIST_COLUMNS] = {
	[LIST_COL_KIND] = TEXT("kind"),	     [LIST_COL_NAME] = TEXT("name"),	[LIST_COL_ALIAS] = TEXT("alias"),
	[LIST_COL_HAS] = FLAG("has"),	     [LIST_COL_WHY] = TEXT("why"),	[LIST_COL_ROOT] = FLAG("needs_root"),
	[LIST_UNIT] = TEXT("unit"),	     [LIST_TERMS] = TEXT("terms"),	[LIST_NUMBER] = NUMBER("number"),
	[LIST_PROTOTYPE] = TEXT("prototype"), [LIST_RETURNS] = TEXT("returns"), [LIST_MODULE] = TEXT("module"),
	[LIST_COPIES] = NUMBER("copies"),    [LIST_PROVIDER] = TEXT("provider"), [LIST_ARGUMENTS] = TEXT("arguments"),
	[LIST_ADDRESS] = TEXT("address"),    [LIST_SIZE] = NUMBER("size"),	[LIST_DEMANGLED] = TEXT("demangled"),
	[LIST_SEMAPHORE] = TEXT("semaphore"), [LIST_SITES] = NUMBER("sites"),	[LIST_FIELDS] = MEMBERS("fields"),
	[LIST_PARAMETERS] = MEMBERS("parameters"), [LIST_EXAMPLE] = TEXT("example"),
};
static const struct schema schema = { columns, LIST_COLUMNS, -1 };

void list_text(struct list_row *row, enum list_column column, const char *text)
{
	row->values[column].text = text;
	row->details |= 1ull << column;
}

void list_number(struct list_row *row, enum list_column column, uint64_t number)
{
	row->values[column].num = number;
	row->details |= 1ull << column;
}

void list_begin(struct list_out *list, FILE *out, const struct rows_format *format, bool verbose, bool privileged, int columns)
{
	*list = (struct list_out){ .out = out, .format = format, .view.separator = ",", .verbose = verbose, .privileged = privileged,
				   .columns = columns, .kind = -1 };
	rows_choose(&list->view, format, &schema, NULL, 0);
	if (format->in == IN_CSV)
		format->head(out, &schema, &list->view);
	if (format->in != IN_JSON)
		return;
	json_begin(&list->json, out);
	json_object(&list->json);
	json_key_u64(&list->json, "skep", 1);
	json_key(&list->json, "events");
	json_array(&list->json);
}

static void put_row(struct list_out *list, const struct list_row *from)
{
	int fields = from->kind == LIST_KERNEL ? LIST_PARAMETERS : LIST_FIELDS;
	struct value v[LIST_COLUMNS];
	struct row row = { .schema = &schema, .values = v };
	uint64_t has = from->details | 1 << LIST_COL_KIND | 1 << LIST_COL_NAME | 1 << LIST_COL_HAS | 1 << LIST_COL_ROOT;

	memcpy(v, from->values, sizeof(v));
	v[LIST_COL_KIND].text = list_kinds[from->kind].name;
	v[LIST_COL_NAME].text = from->name;
	v[LIST_COL_ALIAS].text = from->alias;
	v[LIST_COL_HAS].num = !from->missing;
	v[LIST_COL_WHY].text = from->missing;
	v[LIST_COL_ROOT].num = list_kinds[from->kind].root;
	v[fields].members = &from->fields;
	v[LIST_EXAMPLE].text = from->example;
	has |= (uint64_t)(from->alias != NULL) << LIST_COL_ALIAS | (uint64_t)(from->missing != NULL) << LIST_COL_WHY |
	       (uint64_t)from->has_fields << fields | (uint64_t)(from->example != NULL) << LIST_EXAMPLE;
	row.none = row.absent = ~has;
	if (list->format->in == IN_JSON)
		rows_json_put(&list->json, &row, &list->view);
	else
		list->format->row(list->out, &row, &list->view);
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
	for (size_t i = 0; i < row->fields.n && row->kind != LIST_KERNEL; i++) {
		fprintf(out, "%*s", INDENT, "");
		text_print(out, row->fields.all[i].type);
		putc(' ', out);
		text_print(out, row->fields.all[i].name);
		putc('\n', out);
	}
	for (int i = LIST_UNIT; i <= LIST_SITES; i++) {
		if (!(row->details >> i & 1))
			continue;
		fprintf(out, "%*s%s: ", INDENT, "", columns[i].name);
		if (columns[i].kind == VALUE_TEXT)
			text_print(out, row->values[i].text);
		else
			fprintf(out, "%llu", (unsigned long long)row->values[i].num);
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
	size_t len = text_escape(NULL, 0, row->name), pad = len < NAME_COLUMNS ? NAME_COLUMNS : len, after = 0;
	const char *note = row->missing ? row->missing : row->note;
	char safe[LINE_BYTES];
	FILE *out = list->out;
	bool is_below;

	heading(list, row);
	after += row->alias ? 3 + text_escape(NULL, 0, row->alias) + 2 : 0;
	after += note ? text_escape(NULL, 0, note) : 0;
	text_print(out, row->name);
	/* A narrow terminal has what does not fit on lines of its own. */
	is_below = list->columns && after && pad + 2 + after > (size_t)list->columns;
	if (is_below)
		fprintf(out, "\n%*s", INDENT, "");
	else if (!list->columns || after)
		fprintf(out, "%*s  ", (int)(pad - len), "");
	if (!list->columns)
		fprintf(out, "%-*s", after ? KIND_COLUMNS + 2 : 0, list_kinds[row->kind].name);
	if (row->alias) {
		fputs("or ", out);
		text_print(out, row->alias);
		if (note)
			fputs("  ", out);
	}
	if (note) {
		text_escape(safe, sizeof(safe), note);
		text_wrap(out, safe, INDENT + (row->alias ? text_escape(NULL, 0, row->alias) + sizeof("or   ") - 1 : 0), is_below ? list->columns : 0, INDENT);
	}
	putc('\n', out);
	if (list->verbose)
		details(out, row);
}

void list_row(struct list_out *list, const struct list_row *row)
{
	(list->format->in == IN_TEXT ? row_text : put_row)(list, row);
	list->kind = row->kind;
	list->nr_rows++;
}

int list_end(struct list_out *list, const char *const *notes, size_t nr_notes)
{
	if (list->format->in != IN_JSON)
		return 0;
	json_array_end(&list->json);
	json_key(&list->json, "notes");
	json_array(&list->json);
	for (size_t i = 0; i < nr_notes; i++)
		json_text(&list->json, notes[i]);
	json_array_end(&list->json);
	json_object_end(&list->json);
	putc('\n', list->out);
	return json_end(&list->json);
}
