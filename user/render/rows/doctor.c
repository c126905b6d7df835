/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/rows/doctor.h"

#include <string.h>

#include "util/json.h"
#include "util/text.h"

#define INDENT 29 /* below a feature: why, and what brings it */
#define NARROW_COLUMNS 60 /* on less, texts stand below the feature */
#define NARROW_INDENT 4
#define LINE_BYTES 512

static const struct column columns[DOCTOR_COLUMNS] = {
	[DOCTOR_NAME] = { "name", NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_ALL },
	[DOCTOR_HAS] = { "has", NULL, NULL, VALUE_FLAG, ROLE_INFO, .in = IN_ALL },
	[DOCTOR_NEEDED] = { "needed", NULL, NULL, VALUE_FLAG, ROLE_INFO, .in = IN_ALL },
	[DOCTOR_USED_BY] = { "used_by", NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_ALL },
	[DOCTOR_INSTEAD] = { "instead", NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_ALL },
	[DOCTOR_WHY] = { "why", NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_ALL },
	[DOCTOR_ENABLE] = { "enable", NULL, NULL, VALUE_TEXT, ROLE_INFO, .in = IN_ALL },
};
static const struct schema schema = { columns, DOCTOR_COLUMNS, -1 };

static bool is_missing(const struct doctor_row *row)
{
	return row->values[DOCTOR_NEEDED].num && !row->values[DOCTOR_HAS].num;
}

static int indent_of(const struct doctor_host *host)
{
	return host->columns && host->columns < NARROW_COLUMNS ? NARROW_INDENT : INDENT;
}

/* In its column. begin: before the text. */
static void print_cell(FILE *out, const struct doctor_host *host, const char *begin, const char *text, const char *join, const char *more)
{
	char safe[LINE_BYTES];
	size_t n = text_append(safe, sizeof(safe), 0, "%s", begin);

	n += text_escape(safe + n, sizeof(safe) - n, text);
	if (more && n < sizeof(safe))
		text_append(safe, sizeof(safe), n, "%s%s", join, more);
	text_wrap(out, safe, indent_of(host), host->columns, indent_of(host));
	putc('\n', out);
}

static int print_text(FILE *out, const struct doctor_host *host, const struct doctor_row *rows, size_t n)
{
	const char *last = "";

	fprintf(out, "skep on Linux %s, %s\n\n%-22s %-5s %s\n", host->release, host->machine, "FEATURE", "", "USED BY");
	for (const struct doctor_row *row = rows; row < rows + n; row++) {
		const struct value *v = row->values;

		fprintf(out, "%-22s %-5s ", v[DOCTOR_NAME].text, v[DOCTOR_HAS].num ? "yes" : is_missing(row) ? "NO" : "no");
		if (indent_of(host) != INDENT)
			fprintf(out, "\n%*s", indent_of(host), "");
		print_cell(out, host, "", v[DOCTOR_USED_BY].text, "; else ", v[DOCTOR_INSTEAD].text);
		if (v[DOCTOR_WHY].text) {
			fprintf(out, "%*s", indent_of(host), "");
			print_cell(out, host, "", v[DOCTOR_WHY].text, NULL, NULL);
		}
		if (v[DOCTOR_HAS].num || !v[DOCTOR_ENABLE].text)
			continue;
		if (strcmp(v[DOCTOR_ENABLE].text, last)) { /* one command brings most of them: once is enough */
			fprintf(out, "%*s", indent_of(host), "");
			print_cell(out, host, "to enable: ", v[DOCTOR_ENABLE].text, NULL, NULL);
		}
		last = v[DOCTOR_ENABLE].text;
	}
	return 0;
}

static void begin_json(struct json *j, FILE *out, const struct doctor_host *host, const struct doctor_row *rows, size_t n)
{
	bool works = true;

	for (size_t i = 0; i < n; i++)
		works = works && !is_missing(&rows[i]);
	json_begin(j, out);
	json_object(j);
	json_key_u64(j, "skep", 1);
	json_key_text(j, "kernel", host->release);
	json_key_text(j, "machine", host->machine);
	json_key(j, "works");
	json_bool(j, works);
	json_key(j, "features");
	json_array(j);
}

int render_doctor(FILE *out, const struct rows_format *format, const struct doctor_host *host, const struct doctor_row *rows, size_t n)
{
	struct rows_view view = { .separator = "," };
	struct json j = { 0 };

	if (format->in == IN_TEXT)
		return print_text(out, host, rows, n);
	rows_choose(&view, format, &schema, NULL, 0);
	if (format->in == IN_JSON)
		begin_json(&j, out, host, rows, n);
	else
		format->head(out, &schema, &view);
	for (size_t i = 0; i < n; i++) {
		const struct row row = { .schema = &schema, .values = rows[i].values };

		if (format->in == IN_JSON)
			rows_json_put(&j, &row, &view);
		else
			format->row(out, &row, &view);
	}
	if (format->in == IN_JSON) {
		json_array_end(&j);
		json_object_end(&j);
		putc('\n', out);
	}
	return format->in == IN_JSON ? json_end(&j) : 0;
}
