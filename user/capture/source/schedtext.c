/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/source/schedtext.h"

#include <stdio.h>
#include <string.h>

#include "capture/ksym.h"

#define HOOK_BYTES 4096 /* of a symbol that is the last one known */
#define HOOK_FRAMES_MAX 16 /* between the scheduler's function and us */

/* As text, where BPF does not know it: the ranges of its text are in their order. */
static void read_symbols(struct schedtext *text, bool wakers)
{
	unsigned long long addr;
	struct schedtext_range *open = NULL;
	char line[512], name[256];
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && fgets(line, sizeof(line), f) && (wakers || !(text->from && text->to))) {
		if (sscanf(line, "%llx %*c %255s", &addr, name) != 2)
			continue;
		if (open)
			open->to = addr;
		open = NULL;
		if (!strcmp(name, "__sched_text_start"))
			text->from = addr;
		else if (!strcmp(name, "__sched_text_end"))
			text->to = addr;
		else if (wakers && ksym_is_hook(name) && !vec_reserve(&text->hooks))
			*(open = &text->hooks.data[text->hooks.n++]) = (struct schedtext_range){ addr, addr + HOOK_BYTES };
	}
	if (f)
		fclose(f);
}

void schedtext_open(struct schedtext *text, bool wakers)
{
	if (ksym_open(&text->asker)) {
		read_symbols(text, wakers);
		return;
	}
	text->from = ksym_addr(text->asker, "__sched_text_start");
	text->to = ksym_addr(text->asker, "__sched_text_end");
}

static bool outside_hooks(const struct schedtext *text, uint64_t ip)
{
	char name[256];

	for (size_t i = 0; i < text->hooks.n; i++)
		if (ip >= text->hooks.data[i].from && ip < text->hooks.data[i].to)
			return false;
	return !text->asker || ksym_name(text->asker, ip, name, sizeof(name)) || !ksym_is_hook(name);
}

static bool is_inside(const struct schedtext *text, uint64_t ip)
{
	return ip >= text->from && ip < text->to;
}

uint32_t schedtext_begin(const struct schedtext *text, const struct stack_val *stack, bool is_waker)
{
	bool by_name = is_waker || !text->to; /* without CAP_SYSLOG the kernel shows names, not addresses */
	uint32_t i = 1;				/* our program */

	for (; i < stack->nr && i < HOOK_FRAMES_MAX; i++)
		if (by_name ? outside_hooks(text, stack->ips[i]) : is_inside(text, stack->ips[i]))
			return i;
	return 0;
}

uint32_t schedtext_caller(const struct schedtext *text, const struct stack_val *stack, uint32_t begin)
{
	uint32_t i = begin;

	while (i < stack->nr && is_inside(text, stack->ips[i]))
		i++;
	return i < stack->nr ? i : begin;
}

void schedtext_close(struct schedtext *text)
{
	ksym_close(text->asker);
	vec_free(&text->hooks);
}
