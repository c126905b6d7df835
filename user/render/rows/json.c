/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An object a line: the key, then the values. Numbers are numbers, durations and moments in ns; what is not known is null. A
 * histogram is a list of its slots that are not empty: where each begins, and how many it has. The last line has one member, "end":
 * the ledger and the receipt of the run.
 */
#include <ctype.h>
#include <string.h>

#include "render/ledger.h"
#include "render/rows/rows.h"
#include "util/json.h"

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	(void)out;
	(void)schema;
	(void)view;
}

/* "no_process" of "(no process)". Only rows with a label have "of". */
static void print_label(struct json *j, const char *label)
{
	char word[32];
	size_t n = 0;

	for (; *label && n + 1 < sizeof(word); label++)
		if (isalpha((unsigned char)*label))
			word[n++] = *label;
		else if (*label == ' ')
			word[n++] = '_';
	word[n] = '\0';
	json_key_text(j, "of", word);
}

static void print_slots(struct json *j, const uint64_t *slots, const struct hist_axis *axis)
{
	json_array(j);
	for (int i = 0; i < HIST_SLOTS; i++) {
		int64_t begin = hist_slot_begin(axis, i);

		if (!slots[i])
			continue;
		json_object(j);
		json_key(j, "from");
		if (begin == INT64_MIN)
			json_text(j, NULL);
		else
			json_i64(j, begin);
		json_key_u64(j, "n", slots[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void print_reasons(struct json *j, const struct reason *reasons)
{
	json_object(j);
	for (int i = 0; i < REASONS_MAX && reasons[i].name; i++)
		json_key_u64(j, reasons[i].name, reasons[i].n);
	json_object_end(j);
}

static void print_members(struct json *j, const struct members *members)
{
	json_array(j);
	for (size_t i = 0; i < members->n; i++) {
		json_object(j);
		json_key_text(j, "type", members->all[i].type);
		json_key_text(j, "name", members->all[i].name);
		json_object_end(j);
	}
	json_array_end(j);
}

static void print_value(struct json *j, const struct row *row, size_t i, const char *name, const struct rows_view *view)
{
	const struct column *c = &row->schema->columns[i];
	const struct value *v = &row->values[i];
	bool is_record = c->kind == VALUE_RECORD && row_knows(row, i), is_member = name != c->name; /* of a group */
	char text[ROWS_CELL_BYTES];

	if (is_record && is_member) { /* its members are the group's */
		view->record_json(view, row, i, j);
		return;
	}
	json_key(j, name);
	if (is_record) {
		json_object(j);
		view->record_json(view, row, i, j);
		json_object_end(j);
		return;
	}
	if (!row_knows(row, i)) {
		json_text(j, NULL);
		return;
	}
	switch (c->kind) {
	case VALUE_TEXT:
		json_text(j, v->text);
		break;
	case VALUE_USER:
	case VALUE_CGROUP:
	case VALUE_HEX:
	case VALUE_SYMBOL:
	case VALUE_IPV4:
	case VALUE_DEVICE:
		rows_cell(text, sizeof(text), row, i, view, true);
		json_text(j, text);
		break;
	case VALUE_ERRNO:
		rows_cell(text, sizeof(text), row, i, view, true);
		json_text(j, v->num ? text : NULL); /* 0 is no error */
		break;
	case VALUE_SIGNED:
	case VALUE_ENUM:
		if (rows_name(text, sizeof(text), row, i, view))
			json_text(j, text);
		else
			json_i64(j, (int64_t)v->num);
		break;
	case VALUE_SECONDS:
		json_double(j, (double)(int64_t)v->num / 1e9, c->decimals);
		break;
	case VALUE_FIXED:
	case VALUE_CHANGE:
		json_double(j, (double)(int64_t)v->num / VALUE_ONE, VALUE_ONE_DECIMALS);
		break;
	case VALUE_COUNT:
		json_double(j, v->real, rows_count_decimals(v->real));
		break;
	case VALUE_FLAG:
		json_bool(j, v->num);
		break;
	case VALUE_HIST:
		print_slots(j, v->slots, c->axis);
		break;
	case VALUE_STACK:
		json_array(j);
		for (const char *const *frame = v->frames; *frame; frame++)
			json_text(j, *frame);
		json_array_end(j);
		break;
	case VALUE_MEMBERS:
		print_members(j, v->members);
		break;
	case VALUE_REASONS:
		print_reasons(j, v->reasons);
		break;
	default:
		if (c->role < ROLE_MEAN)
			json_u64(j, v->num);
		else
			json_double(j, row_number(row, i, view->round_ns / 1e9), c->kind == VALUE_REAL);
	}
}

/* A group is shown[k], its columns follow it. Returns where the last of them is. */
static size_t print_group(struct json *j, const struct row *row, const uint8_t *shown, size_t n, size_t k, const struct rows_view *view)
{
	size_t i = shown[k];
	const struct column *c = &row->schema->columns[i];
	bool is_absent = row->absent >> i & 1, is_known = !is_absent && row_knows(row, i);

	if (!is_absent)
		json_key(j, c->name);
	if (is_known)
		json_object(j);
	else if (!is_absent)
		json_text(j, NULL);
	for (; k + 1 < n && shown[k + 1] <= i + c->of; k++)
		if (is_known && !(row->absent >> shown[k + 1] & 1))
			print_value(j, row, shown[k + 1], row->schema->columns[shown[k + 1]].name + strlen(c->name) + 1, view);
	if (is_known)
		json_object_end(j);
	return k;
}

static void print_object(struct json *j, const struct row *row, const struct rows_view *view)
{
	uint8_t own[ROW_COLUMNS_MAX];
	const uint8_t *shown;
	size_t n;

	json_object(j);
	if (view->since_start_ns)
		json_key_u64(j, "time_ns", view->since_start_ns);
	if (row->label)
		print_label(j, row->label);
	shown = rows_shown(row->schema, view, &rows_json, own, &n);
	for (size_t k = 0; k < n; k++) {
		size_t i = shown[k];

		if (row->schema->columns[i].kind == VALUE_GROUP)
			k = print_group(j, row, shown, n, k, view);
		else if (!(row->absent >> i & 1))
			print_value(j, row, i, row->schema->columns[i].name, view);
	}
	json_object_end(j);
}

void rows_json_put(struct json *j, const struct row *row, const struct rows_view *view)
{
	json_line(j);
	print_object(j, row, view);
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	struct json j;

	json_begin(&j, out);
	print_object(&j, row, view);
	putc('\n', out);
}

static void print_end(FILE *out, const struct profile *p)
{
	struct json j;

	json_begin(&j, out);
	json_object(&j);
	json_key(&j, "end");
	json_object(&j);
	profile_json(&j, p);
	json_object_end(&j);
	json_object_end(&j);
	putc('\n', out);
}

const struct rows_format rows_json = { "json", print_head, print_row, .end = print_end, .in = IN_JSON, .keys_first = true };
