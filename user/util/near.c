/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Edits of one character, two neighbours that changed places among them (optimal string alignment), and the best three. */
#include "util/near.h"

#include <string.h>

static unsigned distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned rows[3][NEAR_LEN + 1], *row = rows[0], *above = rows[1], *above2 = rows[2];

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *next = above2;

		above2 = above;
		above = row;
		row = next;
		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above2[j - 2] + 1 < best)
				best = above2[j - 2] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

void near_init(struct near *near, const char *wanted, size_t len)
{
	*near = (struct near){ .wanted = wanted, .len = len };
}

void near_offer(struct near *near, const char *name, size_t len)
{
	unsigned d;
	int k;

	if (len > NEAR_LEN || near->len > NEAR_LEN)
		return;
	/* What is longer or shorter takes at least as many edits. */
	if (near->n == NEAR_NAMES && (len > near->len ? len - near->len : near->len - len) >= near->scores[NEAR_NAMES - 1])
		return;
	d = distance(near->wanted, near->len, name, len);
	for (k = 0; k < near->n && near->scores[k] <= d; k++)
		if (strlen(near->names[k]) == len && !memcmp(near->names[k], name, len))
			return;
	if (k == NEAR_NAMES)
		return;
	near->n += near->n < NEAR_NAMES;
	memmove(&near->scores[k + 1], &near->scores[k], (near->n - 1 - k) * sizeof(near->scores[0]));
	memmove(&near->names[k + 1], &near->names[k], (near->n - 1 - k) * sizeof(near->names[0]));
	near->scores[k] = d;
	memcpy(near->names[k], name, len);
	near->names[k][len] = '\0';
}

bool near_is_close(const struct near *near)
{
	return near->n && near->scores[0] * 2 <= near->len;
}

void near_hint(const struct near *near, struct err *err)
{
	const char *const n0 = near->names[0], *const n1 = near->names[1], *const n2 = near->names[2];

	if (!near->n)
		err_hint(err, "skep list shows the names");
	else
		err_hint(err, "similar: %s%s%s%s%s", n0, near->n > 1 ? ", " : "", n1, near->n > 2 ? ", " : "", n2);
}
