/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hits of probes as rows: the columns of each site, and names of what was read there. */
#ifndef SKEP_CMD_PROBE_HITS_H
#define SKEP_CMD_PROBE_HITS_H

#include "capture/ksym.h"
#include "capture/source/probe.h"
#include "model/hit.h"
#include "render/rows/rows.h"
#include "util/err.h"
#include "util/strpool.h"

struct probe_hits {
	struct probe *probes; /* borrowed */
	int nr_probes;
	struct hit_site all; /* the columns that all rows have; if not shared, none of values */
	bool is_shared;
	struct probe_hit_site **sites; /* made at a site's first hit */
	uint32_t nr_sites;
	const struct probe_hit_site *now; /* of the last row */
	struct hit_row row;
	struct strpool *pool; /* texts of hit_site */
	uint64_t start_ns;
	struct ksym_asker *ksym; /* names of kernel addresses; NULL: none is needed, or available */
};

/* 0 or -ENOMEM; probe_hits_free() in either case. */
int probe_hits_init(struct probe_hits *hits, struct probe *probes, int nr_probes);
void probe_hits_free(struct probe_hits *hits);

/* All rows get the columns of all sites (CSV, --fields). 0, or -errno with err filled. */
int probe_hits_share(struct probe_hits *hits, struct err *err);

/* The run begins: times are from here on. Gives the view the names of its values. */
void probe_hits_start(struct probe_hits *hits, struct rows_view *view);

/* Valid until the next one. NULL without memory. */
const struct row *probe_hits_row(struct probe_hits *hits, const struct sample *s);

/* A value of a key as text (struct probe_sums). arg: the hits. */
void probe_hits_field(void *arg, const struct site *site, int field_arg, const struct sample_value *v, char *buf, size_t size);

#endif
