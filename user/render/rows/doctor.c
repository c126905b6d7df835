/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/rows/doctor.h"

#include <string.h>

#include "util/json.h"
#include "util/text.h"

#define INDENT 28 /* below a feature: why, and what brings it */

void render_doctor_text(FILE *out, const struct doctor_host *host, const struct doctor_row *rows, size_t n)
{
	const char *last = "";

	fprintf(out, "skep on Linux %s, %s\n\n%-22s %-5s %s\n", host->release, host->machine, "FEATURE", "", "USED BY");
	for (const struct doctor_row *row = rows; row < rows + n; row++) {
		fprintf(out, "%-22s %-5s %s", row->name, row->has ? "yes" : row->needed ? "NO" : "no", row->used_by);
		if (row->instead)
			fprintf(out, "; else %s", row->instead);
		putc('\n', out);
		if (row->why) {
			fprintf(out, "%*s", INDENT, "");
			text_print(out, row->why);
			putc('\n', out);
		}
		if (row->has || !row->enable)
			continue;
		if (strcmp(row->enable, last)) /* one command brings most of them: once is enough */
			fprintf(out, "%*sto enable: %s\n", INDENT, "", row->enable);
		last = row->enable;
	}
}

int render_doctor_json(FILE *out, const struct doctor_host *host, const struct doctor_row *rows, size_t n)
{
	bool works = true;
	struct json j;

	for (size_t i = 0; i < n; i++)
		works = works && (rows[i].has || !rows[i].needed);
	json_begin(&j, out);
	json_object(&j);
	json_key_u64(&j, "skep", 1);
	json_key_text(&j, "kernel", host->release);
	json_key_text(&j, "machine", host->machine);
	json_key(&j, "works");
	json_bool(&j, works);
	json_key(&j, "features");
	json_array(&j);
	for (const struct doctor_row *row = rows; row < rows + n; row++) {
		json_line(&j);
		json_object(&j);
		json_key_text(&j, "name", row->name);
		json_key(&j, "has");
		json_bool(&j, row->has);
		json_key(&j, "needed");
		json_bool(&j, row->needed);
		json_key_text(&j, "used_by", row->used_by);
		json_key_text(&j, "instead", row->instead);
		json_key_text(&j, "why", row->why);
		json_key_text(&j, "enable", row->enable);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	putc('\n', out);
	return json_end(&j);
}
