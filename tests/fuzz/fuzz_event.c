/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of -e: whatever it is, events with names that end and groups that hold together, or an error that says something. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROOM 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct event events[ROOM];
	struct err err = { 0 };
	char *text = malloc(size + 1);
	int n;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	n = event_parse(text, events, ROOM, &err);
	if (n > ROOM || n == 0 || (n < 0 && !err.text[0]))
		abort();
	for (int i = 0; i < n; i++) {
		if (!events[i].name[0] || !memchr(events[i].name, '\0', sizeof(events[i].name)))
			abort();
		if (events[i].group_pos > i + 1 || (events[i].group_pos > 1 && events[i - 1].group_pos + 1 != events[i].group_pos))
			abort();
		if ((events[i].kind == EVENT_PROBE) != (events[i].probe != NULL))
			abort();
	}
	events_free(events, n);
	free(text);
	return 0;
}
