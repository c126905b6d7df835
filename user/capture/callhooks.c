/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaching, and what was skipped: recursion_misses of struct bpf_prog_info (5.12). */
#include "capture/callhooks.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

void callhooks_choose(struct callhooks *h, bool want_enter, bool want_exit)
{
	h->enter = want_enter ? h->enter : NULL;
	h->exit = want_exit ? h->exit : NULL;
	if (h->enter)
		bpf_program__set_autoload(h->enter, true);
	if (h->exit)
		bpf_program__set_autoload(h->exit, true);
}

static int attach(struct bpf_program *prog, struct bpf_link **ret_link, struct err *err)
{
	if (!prog)
		return 0;
	*ret_link = bpf_program__attach(prog);
	if (*ret_link)
		return 0;
	err_exit(err, -errno, EXIT_CANNOT, "cannot attach to system calls: %s", strerror(errno));
	if (errno == ENOENT)
		err_hint(err, "mount -t tracefs tracefs /sys/kernel/tracing");
	return -errno;
}

int callhooks_attach(const struct callhooks *h, struct err *err)
{
	int ret = attach(h->exit, h->exit_link, err);

	return ret ? ret : attach(h->enter, h->enter_link, err);
}

static uint64_t missed(const struct bpf_program *prog)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	return prog && !bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size) ? info.recursion_misses : 0;
}

uint64_t callhooks_missed(const struct callhooks *h)
{
	return missed(h->enter) + missed(h->exit);
}

void callhooks_note(uint64_t n, struct profile *profile)
{
	if (n)
		profile_note(profile, "%llu entries or returns of any task were skipped by the kernel: they may be missing",
			     (unsigned long long)n);
}
