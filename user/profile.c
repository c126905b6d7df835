/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of the loss ledger, in one place for every format, and the notes. Nothing is owned here. */
#include "profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum loss_kind { WHOLE, PART, NOTE };

#define LOSS_WORD(name, key, kind, text) { key, text, kind },
static const struct loss_word {
	const char *key, *text;
	enum loss_kind kind;
} words[LOSS_MAX] = { LOSSES(LOSS_WORD) };

int loss_is_whole(enum loss reason)
{
	return (unsigned int)reason < LOSS_MAX && words[reason].kind == WHOLE;
}

uint64_t profile_lost(const struct profile *p)
{
	uint64_t lost = 0;

	for (int i = 0; i < LOSS_MAX; i++)
		lost += loss_is_whole(i) ? p->losses[i] : 0;
	return lost;
}

const char *loss_word(enum loss reason)
{
	return loss_is_whole(reason) ? "lost" : "note";
}

int loss_is_strict(enum loss reason)
{
	return (unsigned int)reason < LOSS_MAX && words[reason].kind != NOTE;
}

const char *loss_name(enum loss reason)
{
	return (unsigned int)reason < LOSS_MAX ? words[reason].key : "unknown";
}

const char *loss_text(enum loss reason)
{
	return (unsigned int)reason < LOSS_MAX ? words[reason].text : "unknown reason";
}

enum loss loss_of_text(const char *text)
{
	int i = 0;

	while (i < LOSS_MAX && strcmp(words[i].text, text) != 0)
		i++;
	return (enum loss)i;
}

void receipt_fill(struct receipt *r, const char *name, uint64_t used, uint64_t room)
{
	if (r->nr_fills < FILLS_MAX)
		r->fills[r->nr_fills++] = (struct table_fill){ name, used, room };
}

void profile_note(struct profile *p, const char *fmt, ...)
{
	char text[NOTE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < p->nr_notes; i++)
		if (!strcmp(p->notes[i], text))
			return;
	if (p->nr_notes < NOTES_MAX)
		memcpy(p->notes[p->nr_notes++], text, sizeof(text));
}
