/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One parser for the keys and orders of all tables: the words are the schema's columns. */
#include "event/columns.h"

#include <errno.h>
#include <string.h>

#include "row.h"
#include "util/near.h"
#include "util/text.h"

#define WORDS_BYTES 512

/* Which columns a word may name, and by what. */
struct words {
	const struct schema *schema;
	const char *(*of)(const struct column *);
	uint64_t usable;
	const char *what;
};

static const char *key_word(const struct column *c)
{
	return c->role == ROLE_KEY && c->in & IN_TEXT ? c->name : NULL;
}

static const char *sort_word(const struct column *c)
{
	return c->sort;
}

static const char *field_word(const struct column *c)
{
	return c->name;
}

static const char *word_of(const struct words *w, size_t i)
{
	return w->usable >> i & 1 ? w->of(&w->schema->columns[i]) : NULL;
}

/* Where "_ns" begins, which may be left out; else the end. */
static size_t unit_at(const char *word)
{
	size_t len = strlen(word);

	return len > 3 && !strcmp(word + len - 3, "_ns") ? len - 3 : len;
}

/* The column with such a word, or with such a word and a unit; -1: none. */
static int find(const struct words *w, const char *text, size_t len)
{
	int with_unit = -1;

	for (size_t i = 0; i < w->schema->n; i++) {
		const char *word = word_of(w, i);

		if (!word || memcmp(word, text, strnlen(word, len)))
			continue;
		if (len == strlen(word))
			return (int)i;
		if (len == unit_at(word))
			with_unit = (int)i;
	}
	return with_unit;
}

static void hint_words(const struct words *w, const char *at, size_t len, const struct columns_other *other, struct err *err)
{
	const char *and = other ? " and " : "", *more = other ? other->name : "";
	char words[WORDS_BYTES] = "";
	struct near near;
	size_t n = 0;

	near_init(&near, at, len);
	for (size_t i = 0; i < w->schema->n; i++) {
		const char *word = word_of(w, i);

		if (!word)
			continue;
		near_offer(&near, word, unit_at(word));
		n = text_append(words, sizeof(words), n, "%s%s", n ? ", " : "", word);
	}
	if (near_is_close(&near))
		err_hint(err, "similar: %s; %s are %s%s%s", near.names[0], w->what, words, and, more);
	else
		err_hint(err, "%s are %s%s%s", w->what, words, and, more);
}

int columns_by(const char *text, const struct schema *schema, const struct columns_other *other, uint64_t *ret_keys, struct err *err)
{
	const struct words words = { schema, key_word, UINT64_MAX, "keys" };
	uint64_t keys = 0;

	for (size_t at = 0;; at++) {
		size_t len = strcspn(text + at, ",");
		int i = find(&words, text + at, len), ret = i < 0 ? -ENOENT : 0;

		if (!ret) {
			keys |= 1ull << i;
			at += len;
		} else if (other) {
			ret = other->read(other->arg, text, &at, err);
		}
		if (ret == -ENOENT) {
			ret = err_exit(err, -EINVAL, EXIT_USAGE, "bad key '%.*s' in --by", (int)len, text + at);
			err_caret(err, text, at);
			hint_words(&words, text + at, len, other, err);
		}
		if (ret)
			return ret;
		if (!text[at])
			break;
	}
	*ret_keys = keys;
	return 0;
}

int columns_find(const char *word, size_t len, const struct schema *schema, uint64_t usable)
{
	return find(&(struct words){ schema, field_word, usable, NULL }, word, len);
}

void columns_hint(const char *word, size_t len, const struct schema *schema, uint64_t usable, struct err *err)
{
	hint_words(&(struct words){ schema, field_word, usable, "columns" }, word, len, NULL, err);
}

int columns_fields(const char *text, const struct schema *schema, uint64_t usable, uint8_t *ret_fields, size_t *ret_n, struct err *err)
{
	uint64_t seen = 0;

	*ret_n = 0;
	for (size_t at = 0;; at++) {
		size_t len = strcspn(text + at, ",");
		int i = columns_find(text + at, len, schema, usable);

		if (i < 0) {
			err_exit(err, -EINVAL, EXIT_USAGE, "bad column '%.*s' in --fields", (int)len, text + at);
			err_caret(err, text, at);
			columns_hint(text + at, len, schema, usable, err);
			return -EINVAL;
		}
		if (!(seen >> i & 1))
			ret_fields[(*ret_n)++] = (uint8_t)i;
		seen |= 1ull << i;
		at += len;
		if (!text[at])
			return 0;
	}
}

int columns_sort(const char *text, const struct schema *schema, int *ret_column, struct err *err)
{
	const struct words words = { schema, sort_word, UINT64_MAX, "orders" };
	int i;

	if (!text) {
		*ret_column = schema->sort;
		return 0;
	}
	i = find(&words, text, strlen(text));
	if (i < 0) {
		err_exit(err, -EINVAL, EXIT_USAGE, "bad order '%s' of --sort", text);
		hint_words(&words, text, strlen(text), NULL, err);
		return -EINVAL;
	}
	*ret_column = i;
	return 0;
}
