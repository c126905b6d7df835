/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line that is typed. Pure. */
#ifndef SKEP_UI_PROMPT_H
#define SKEP_UI_PROMPT_H

#include <stddef.h>
#include <stdint.h>

#define PROMPT_BYTES 256

struct prompt {
	char text[PROMPT_BYTES]; /* UTF-8 */
	size_t n;
};

enum prompt_state { PROMPT_GOES_ON, PROMPT_DONE, PROMPT_LEFT };

/* Begins with text. */
void prompt_set(struct prompt *p, const char *text);

/* Takes a key of enum screen_key: Enter ends it, Escape leaves it; what has no meaning here changes nothing. */
enum prompt_state prompt_key(struct prompt *p, uint32_t key);

#endif
