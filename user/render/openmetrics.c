/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/openmetrics.h"

#include <inttypes.h>

#include "util/clock.h"
#include "util/text.h"

#define TEXT_BYTES (4 * 4096 + 1) /* of a path, escaped */
/* Upper ends of buckets: every second slot, from 1 us to 17 s for times. They never change, else sums over time would be wrong. */
#define SLOT_FIRST 10
#define SLOT_LAST 34
#define SLOT_STEP 2

static const char *const kinds[] = { [SERIES_COUNTER] = "counter", [SERIES_GAUGE] = "gauge", [SERIES_HIST] = "histogram" };

/* A label's text has no control characters, and \ " as the format wants them. */
static void print_text(FILE *out, const char *text)
{
	char shown[TEXT_BYTES];

	text_escape(shown, sizeof(shown), text);
	for (const char *p = shown; *p; p++) {
		if (*p == '\\' || *p == '"')
			putc_unlocked('\\', out);
		putc_unlocked(*p, out);
	}
}

static void print_number(FILE *out, uint64_t n, bool is_time)
{
	if (is_time)
		fprintf(out, "%" PRIu64 ".%09" PRIu64, n / NS_PER_S, n % NS_PER_S);
	else
		fprintf(out, "%" PRIu64, n);
}

/* le: another label, its text; NULL: none. */
static void print_name(FILE *out, const struct series_value *v, const char *suffix, const char *le)
{
	const char *sep = "{";

	fprintf(out, "%s%s", v->family->name, suffix);
	for (int i = 0; i < SERIES_LABELS_MAX && v->family->labels[i]; i++) {
		fprintf(out, "%s%s=\"", sep, v->family->labels[i]);
		print_text(out, v->texts[i]);
		putc_unlocked('"', out);
		sep = ",";
	}
	if (le) {
		fprintf(out, "%sle=\"%s\"", sep, le);
		sep = ",";
	}
	fputs(*sep == ',' ? "} " : " ", out);
}

static void print_hist(FILE *out, const struct series_value *v)
{
	uint64_t n = 0;
	char le[32];

	for (int i = 0; i < HIST_SLOTS; i++) {
		n += v->slots[i];
		if (i + 1 < SLOT_FIRST || i + 1 > SLOT_LAST || (i + 1 - SLOT_FIRST) % SLOT_STEP)
			continue;
		if (v->family->is_time)
			snprintf(le, sizeof(le), "%.9f", (double)(UINT64_C(1) << (i + 1)) / (double)NS_PER_S);
		else
			snprintf(le, sizeof(le), "%" PRIu64 ".0", UINT64_C(1) << (i + 1));
		print_name(out, v, "_bucket", le);
		fprintf(out, "%" PRIu64 "\n", n);
	}
	print_name(out, v, "_bucket", "+Inf");
	fprintf(out, "%" PRIu64 "\n", n);
	print_name(out, v, "_count", NULL);
	fprintf(out, "%" PRIu64 "\n", n);
	print_name(out, v, "_sum", NULL);
	print_number(out, v->n, v->family->is_time);
	putc_unlocked('\n', out);
}

void openmetrics_write(FILE *out, const struct series *s)
{
	/* A family's values stand together: readers refuse families that are mixed */
	for (size_t f = 0; f < s->families.n; f++) {
		const struct series_family *family = s->families.data[f];

		fprintf(out, "# TYPE %s %s\n", family->name, kinds[family->kind]);
		if (family->is_time)
			fprintf(out, "# UNIT %s seconds\n", family->name);
		fprintf(out, "# HELP %s %s\n", family->name, family->help);
		for (size_t i = 0; i < s->values.n; i++) {
			const struct series_value *v = &s->values.data[i];

			if (v->family != family)
				continue;
			if (family->kind == SERIES_HIST) {
				print_hist(out, v);
				continue;
			}
			print_name(out, v, family->kind == SERIES_COUNTER ? "_total" : "", NULL);
			print_number(out, v->n, family->is_time);
			putc_unlocked('\n', out);
		}
	}
	fputs("# EOF\n", out);
}
