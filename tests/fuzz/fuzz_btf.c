/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BTF bytes to the prototypes of their functions, alone and as a module's on top of themselves. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/btf.h"

#define FUNCS_MAX 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
	const struct btf_types *btf;
	int left;
};

static int print(void *arg, const char *name, uint32_t id)
{
	struct run *r = arg;
	char text[512];

	if (strlen(name) && btf_prototype(r->btf, id, text, sizeof(text)) && !memchr(text, '\0', sizeof(text)))
		abort();
	btf_parameters(r->btf, id, text, sizeof(text));
	btf_result(r->btf, id, text, 1);
	for (uint32_t i = 0; i < 4 && btf_parameter(r->btf, id, i, text, sizeof(text)); i++)
		;
	return --r->left < 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf_types *base, *module;
	struct run run;

	if (btf_open_mem(data, size, NULL, &base))
		return 0;
	run = (struct run){ base, FUNCS_MAX };
	btf_each_func(base, print, &run);
	if (!btf_open_mem(data, size, base, &module)) {
		run = (struct run){ module, FUNCS_MAX };
		btf_each_func(module, print, &run);
		btf_close(module);
	}
	btf_close(base);
	return 0;
}
