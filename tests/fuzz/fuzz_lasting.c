/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of kprobe_events and uprobe_events: words that end, and values that can be bound and written again, or an error that says something. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/bind.h"
#include "event/fetch.h"
#include "event/lasting.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void bind(const struct lasting *l, bool is_return)
{
	struct probe_spec spec = { .kind = PROBE_USER, .is_return = is_return, .exprs.text = "", .lasting_args = true };
	struct bind_env env = { .kind = PROBE_USER, .is_return = is_return, .what = l->name, .lasting = l, .nr_regs = 6 };
	struct bound_probe bound;
	struct err err = { 0 };
	char text[64];
	int ret = bind_probe(&spec, &env, &bound, &err);

	if (ret && !err.text[0])
		abort();
	for (int i = 0; !ret && i < bound.nr_args; i++)
		if (!fetch_text(&bound, i, "", false, text, sizeof(text), &err) && !memchr(text, '\0', sizeof(text)))
			abort();
	bind_free(&bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lasting l;

	if (!size || lasting_parse((const char *)data + 1, size - 1, *data & 1, &l))
		return 0;
	if (!*l.group || !*l.name || strlen(l.group) >= LASTING_NAME_MAX || strlen(l.name) >= LASTING_NAME_MAX)
		abort();
	bind(&l, l.is_return);
	lasting_free(&l);
	return 0;
}
