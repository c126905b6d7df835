/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "ui/prompt.h"

#include <stdio.h>
#include <string.h>

#include "ui/screen.h"
#include "util/text.h"

#define DELETE_LINE ('u' & 0x1f) /* Ctrl-U */

void prompt_set(struct prompt *p, const char *text)
{
	snprintf(p->text, sizeof(p->text), "%s", text);
	p->n = strlen(p->text);
}

/* RFC 3629. Returns how many bytes. */
static size_t encode(char *bytes, uint32_t c)
{
	if (c < 0x80) {
		bytes[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		bytes[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	bytes[0] = (char)(0xf0 | c >> 18);
	bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
	bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
	bytes[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void erase_last(struct prompt *p)
{
	while (p->n && ((unsigned char)p->text[--p->n] & 0xc0) == 0x80)
		;
	p->text[p->n] = '\0';
}

enum prompt_state prompt_key(struct prompt *p, uint32_t key)
{
	char bytes[4];
	size_t n;

	switch (key) {
	case SCREEN_ENTER: return PROMPT_DONE;
	case SCREEN_ESCAPE: return PROMPT_LEFT;
	case SCREEN_BACKSPACE: erase_last(p); return PROMPT_GOES_ON;
	case DELETE_LINE: prompt_set(p, ""); return PROMPT_GOES_ON;
	default: break;
	}
	if (key >= SCREEN_UP || text_is_control(key))
		return PROMPT_GOES_ON;
	n = encode(bytes, key);
	if (p->n + n >= sizeof(p->text))
		return PROMPT_GOES_ON;
	memcpy(p->text + p->n, bytes, n);
	p->n += n;
	p->text[p->n] = '\0';
	return PROMPT_GOES_ON;
}
