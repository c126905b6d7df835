/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One parser for the keys and orders of all tables: what can be said is what the schema has. */
#include "event/columns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "row.h"
#include "util/near.h"

#define WORDS_BYTES 512

static const char *key_word(const struct column *c)
{
	return c->role == ROLE_KEY && c->in & IN_TEXT ? c->name : NULL;
}

static const char *sort_word(const struct column *c)
{
	return c->sort;
}

/* The column with such a word, or -1. */
static int find(const struct schema *schema, const char *(*word)(const struct column *), const char *text, size_t len)
{
	for (size_t i = 0; i < schema->n; i++) {
		const char *w = word(&schema->columns[i]);

		if (w && strlen(w) == len && !memcmp(w, text, len))
			return (int)i;
	}
	return -1;
}

static void hint_words(const struct schema *schema, const char *(*word)(const struct column *), const char *at, size_t len, const char *what,
		       const struct columns_other *other, struct err *err)
{
	const char *and = other ? " and " : "", *more = other ? other->name : "";
	char words[WORDS_BYTES] = "";
	struct near near;
	size_t n = 0;

	near_init(&near, at, len);
	for (size_t i = 0; i < schema->n; i++) {
		const char *w = word(&schema->columns[i]);

		if (!w)
			continue;
		near_offer(&near, w, strlen(w));
		if (n < sizeof(words))
			n += snprintf(words + n, sizeof(words) - n, "%s%s", n ? ", " : "", w);
	}
	if (near_is_close(&near))
		err_hint(err, "similar: %s; %s are %s%s%s", near.names[0], what, words, and, more);
	else
		err_hint(err, "%s are %s%s%s", what, words, and, more);
}

int columns_by(const char *text, const struct schema *schema, const struct columns_other *other, uint64_t *ret_keys, struct err *err)
{
	uint64_t keys = 0;

	for (size_t at = 0;; at++) {
		size_t len = strcspn(text + at, ",");
		int i = find(schema, key_word, text + at, len), ret = i < 0 ? -ENOENT : 0;

		if (!ret) {
			keys |= 1ull << i;
			at += len;
		} else if (other) {
			ret = other->read(other->arg, text, &at, err);
		}
		if (ret == -ENOENT) {
			ret = err_exit(err, -EINVAL, EXIT_USAGE, "bad key '%.*s' in --by", (int)len, text + at);
			err_caret(err, text, at);
			hint_words(schema, key_word, text + at, len, "keys", other, err);
		}
		if (ret)
			return ret;
		if (!text[at])
			break;
	}
	*ret_keys = keys;
	return 0;
}

int columns_sort(const char *text, const struct schema *schema, int *ret_column, struct err *err)
{
	size_t first = 0;
	int i;

	while (!text && first + 1 < schema->n && !schema->columns[first].sort)
		first++;
	if (!text) {
		*ret_column = (int)first;
		return 0;
	}
	i = find(schema, sort_word, text, strlen(text));
	if (i < 0) {
		err_exit(err, -EINVAL, EXIT_USAGE, "bad order '%s' of --sort", text);
		hint_words(schema, sort_word, text, strlen(text), "orders", NULL, err);
		return -EINVAL;
	}
	*ret_column = i;
	return 0;
}
