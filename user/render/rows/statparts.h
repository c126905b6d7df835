/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat.c, a line for each count, and statmetrics.c, a line for each key, share: numbers of the locale, keys, values of a row. */
#ifndef SKEP_RENDER_ROWS_STATPARTS_H
#define SKEP_RENDER_ROWS_STATPARTS_H

#include <locale.h>
#include <stddef.h>

#include "model/derived.h"
#include "render/rows/stat.h"

/* Tables have the separators and the point of the user's locale, as perf's: none in the C locale. CSV and JSON never have. */
struct numbers {
	locale_t user, before;
};

struct numbers numbers_of_user(const struct stat_cfg *cfg);
void numbers_back(const struct numbers *n);

void trim_right(char *text);

/* The width of a group's name in a table, and the word for it. */
int stat_group_width(const struct counts *c, const char **ret_word);

/* How a line begins: the time of -I, the key. The first returns how many bytes of buf it filled. */
size_t stat_prefix_text(char *buf, size_t size, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key, double since_s);
void stat_prefix_csv(FILE *out, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key, double since_s);
void stat_prefix_json(FILE *out, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key, double since_s);

/* The values of one key, in events; -1 for what was not counted. */
void stat_row_values(const struct counts *c, const struct stat_cfg *cfg, size_t key, double *values);

/* Is it one that -M selects? All are without -M. */
bool stat_wants(const struct stat_cfg *cfg, const struct metric *metric);

/* --metric-only: the figures alone, a line for each key; and the heading above them. 0, -ENOMEM or -EIO. */
int stat_metric_rows(FILE *out, const struct counts *c, const struct stat_cfg *cfg, double wall_ns, double since_s);
int stat_metric_head(FILE *out, const struct counts *c, const struct stat_cfg *cfg);

#endif
