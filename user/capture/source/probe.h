/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes: each hit as a sample with its values, or how often each place was hit. */
#ifndef SKEP_CAPTURE_SOURCE_PROBE_H
#define SKEP_CAPTURE_SOURCE_PROBE_H

#include "bpf/by.h"
#include "capture/source.h"
#include "event/site.h"
#include "row.h"

#define PROBE_TEXT_DEFAULT 128 /* bytes of a text that is kept, with its NUL */

/* The text of one probe, and the places that it stands for. */
struct probe {
	struct probe_spec spec;
	struct site_list sites;
	bool has_event; /* all its sites are hits of one event: */
	uint32_t event; /* its number in the session */
};

enum probe_mode {
	PROBE_MODE_STREAM, /* sink->sample for every hit; struct sample's site counts on through all probes */
	PROBE_MODE_COUNT,  /* a row for every site that was hit */
	PROBE_MODE_READ,   /* the same counts as sink->reading: of event probe->event for its first site, and so on, for each CPU */
	PROBE_MODE_SUM,	   /* a row for every key */
};

/* Sums by key: the extras of the sites are the key's fields, then the value of the histogram. */
struct probe_sums {
	const struct schema *schema; /* capture/byrows.h: of PROBE_MODE_COUNT, too */
	uint32_t by;	/* enum by_bit */
	int nr_fields;	/* at most BY_FIELDS_MAX */
	bool has_value;
	bool is_unsigned; /* a value of 2^63 or more is not negative */
	uint32_t linear; /* 0: log2; else slot 0 is below low, slot i from low + (i - 1) * step on, and this one all beyond */
	int64_t low;
	uint64_t step;
	uint64_t rows_max; /* 0: the source's own */
	/* A field's value as text: v of args[arg] there. */
	void (*field_text)(void *arg, const struct site *site, int field_arg, const struct sample_value *v, char *buf, size_t size);
	void *arg;
};

/* Borrowed until the source is closed. */
struct probe_cfg {
	struct probe *probes;
	int nr_probes;
	enum probe_mode mode;
	struct probe_sums sums;
	uint32_t text_bytes; /* 0: PROBE_TEXT_DEFAULT */
	uint64_t ring_bytes; /* of each CPU; 0: the source's own */
	bool bpf_stats;	     /* have the kernel time the programs */
	bool keeps_budget; /* of what happens a part may be left out (base_take_part()) */
};

/* NULL without memory. */
struct source *src_probe_new(const struct probe_cfg *cfg);

/* The i-th site of all probes, and whose it is (ret_probe may be NULL). NULL: past the last. */
const struct site *probe_site(const struct probe *probes, int nr_probes, uint32_t i, const struct probe **ret_probe);

#endif
