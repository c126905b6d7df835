/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prototypes of the tracepoints are read from the kernel's types: their arguments changed five times. */
#include "capture/source/uringhooks.h"

#include <bpf/bpf.h>

#include "capture/base.h"
#include "capture/features.h"
#include "capture/load.h"
#include "types/btf.h"

#define SUBMIT_REQ "io_uring_submit_req" /* 6.4 */
#define SUBMIT_SQE "io_uring_submit_sqe"
#define COMPLETE "io_uring_complete"
#define REFUSE "io_uring_req_failed"

static bool has_submit_req(void)
{
	return btf_tracepoint_args(object_kernel_types(), SUBMIT_REQ) > 0;
}

static enum uring_submit how_submitted(void)
{
	const struct btf_types *types = object_kernel_types();

	if (has_submit_req() || btf_tracepoint_args(types, SUBMIT_SQE) <= 2)
		return URING_SUBMIT_REQ;
	return btf_tracepoint_has_pointer(types, SUBMIT_SQE, 1) ? URING_SUBMIT_BOTH : URING_SUBMIT_RING;
}

static enum uring_complete how_completed(void)
{
	const struct btf_types *types = object_kernel_types();
	int args = btf_tracepoint_args(types, COMPLETE);

	if (btf_tracepoint_has_pointer(types, COMPLETE, 1))
		return args == 3 ? URING_COMPLETE_CQE : URING_COMPLETE_REQ;
	return args == 3 ? URING_COMPLETE_RING : URING_COMPLETE_FLAGS;
}

static void set_knob(const volatile __u32 *knob, __u32 value)
{
	*(volatile __u32 *)knob = value; /* before the load it is ours */
}

void uringhooks_choose(struct uringhooks *h, bool is_wanted)
{
	enum uring_submit submit;
	enum uring_complete complete;
	int refuse_args;
	bool by_req;

	h->is_used = is_wanted && feature_use(FEATURE_URING);
	bpf_map__set_autocreate(h->ops, h->is_used);
	if (!h->is_used)
		return;
	submit = how_submitted();
	complete = how_completed();
	refuse_args = btf_tracepoint_args(object_kernel_types(), REFUSE);
	set_knob(h->submit_knob, submit);
	set_knob(h->complete_knob, complete);
	by_req = submit != URING_SUBMIT_RING && complete <= URING_COMPLETE_REQ;
	set_knob(h->by_req_knob, by_req);
	set_knob(h->refuse_knob, refuse_args == 3 ? URING_REFUSE_REQ : URING_REFUSE_RING);
	bpf_program__set_autoload(h->refuse, by_req && (refuse_args == 3 || refuse_args == 4));
	bpf_program__set_autoload(has_submit_req() ? h->submit_req : h->submit_sqe, true);
	bpf_program__set_autoload(h->complete, true);
}

int uringhooks_attach(const struct uringhooks *h, struct err *err)
{
	int ret = base_attach(h->complete, h->complete_link, err);

	if (!ret)
		ret = base_attach(h->refuse, h->refuse_link, err);
	if (!ret)
		ret = base_attach(h->submit_req, h->submit_req_link, err);
	return ret ? ret : base_attach(h->submit_sqe, h->submit_sqe_link, err);
}

int uringhooks_pending(const struct uringhooks *h, int (*each)(void *arg, const struct uring_op *op), void *arg)
{
	struct uring_key key, *prev = NULL;
	struct uring_op op;
	int ret = 0;

	while (h->is_used && !ret && !bpf_map_get_next_key(bpf_map__fd(h->ops), prev, &key)) {
		prev = &key;
		if (bpf_map_lookup_elem(bpf_map__fd(h->ops), &key, &op) || op.is_second)
			continue;
		for (uint64_t n = 0; n <= op.others && !ret; n++)
			ret = each(arg, &op);
	}
	return ret;
}
