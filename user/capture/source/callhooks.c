/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaching, and what was skipped. */
#include "capture/source/callhooks.h"

#include <errno.h>
#include <string.h>

void callhooks_choose(struct callhooks *h, bool want_enter, bool want_exit, struct base *base)
{
	h->enter = want_enter ? h->enter : NULL;
	h->exit = want_exit ? h->exit : NULL;
	if (h->enter)
		bpf_program__set_autoload(h->enter, true);
	if (h->exit)
		bpf_program__set_autoload(h->exit, true);
	base->watched[0] = h->enter;
	base->watched[1] = h->exit;
}

static int attach(struct bpf_program *prog, struct bpf_link **ret_link, struct err *err)
{
	int ret;

	if (!prog)
		return 0;
	*ret_link = bpf_program__attach(prog);
	ret = *ret_link ? 0 : -errno;
	if (!ret)
		return 0;
	err_exit(err, ret, EXIT_CANNOT, "cannot attach to system calls: %s", strerror(-ret));
	if (ret == -ENOENT)
		err_hint(err, "mount -t tracefs tracefs /sys/kernel/tracing");
	return ret;
}

int callhooks_attach(const struct callhooks *h, struct err *err)
{
	int ret = attach(h->exit, h->exit_link, err);

	return ret ? ret : attach(h->enter, h->enter_link, err);
}

void callhooks_note(uint64_t n, struct profile *profile)
{
	if (n)
		profile_note(profile, "the kernel skipped %llu entries or returns of any task: they may be missing",
			     (unsigned long long)n);
}
