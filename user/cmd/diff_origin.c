/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the files of a diff come from. Files of two machines, or with two sampling rates, are harder to compare: a note reports that. */
#include <string.h>

#include "cmd/diff.h"
#include "util/text.h"

static bool differ(const char *a, const char *b)
{
	return a && b && *a && *b && strcmp(a, b) != 0;
}

/* As it can be printed; without memory NULL, which differs from nothing. */
static const char *keep(struct diff *d, const char *text)
{
	char buf[128];

	if (!text)
		return NULL;
	text_escape(buf, sizeof(buf), text);
	return strpool_add(d->pool, buf);
}

static void note_machines(struct diff *d, const struct diff_origin *o)
{
	const struct diff_origin *first = &d->origin;
	bool cpus = differ(first->cpu, o->cpu);

	if (differ(first->hostname, o->hostname))
		profile_note(&d->profile, "the files are of two machines, %s and %s: shares are compared, not speeds", first->hostname, o->hostname);
	if (cpus || differ(first->arch, o->arch))
		profile_note(&d->profile, "the files are of two kinds of CPU, %s and %s", cpus ? first->cpu : first->arch, cpus ? o->cpu : o->arch);
}

static void note_rates(struct diff *d, const struct diff_origin *o)
{
	const struct diff_origin *first = &d->origin;

	if (!first->rate || !o->rate || (first->rate == o->rate && first->is_freq == o->is_freq))
		return;
	profile_note(&d->profile, "the files have samples at two rates, %llu %s and %llu %s: shares are compared, and are less certain where samples are fewer",
		     (unsigned long long)first->rate, first->is_freq ? "Hz" : "a sample", (unsigned long long)o->rate, o->is_freq ? "Hz" : "a sample");
}

void diff_compare_origin(struct diff *d, const struct data_meta *meta, const struct event *event)
{
	struct diff_origin o = { .is_known = true, .is_freq = event->freq, .rate = event->period_or_freq };

	o.hostname = keep(d, meta->hostname);
	o.arch = keep(d, meta->arch);
	o.cpu = keep(d, meta->cpu_desc);
	if (!d->origin.is_known) {
		d->origin = o;
		return;
	}
	note_machines(d, &o);
	note_rates(d, &o);
}
