/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of io_uring, from submission to completion. They are submitted by the task itself, or by a thread that the kernel made for the
 * ring (IORING_SETUP_SQPOLL), which counts as the first thread of its process; they may complete in any task. Whoever includes this defines
 * uring_whose() and uring_ended().
 */
#ifndef SKEP_URING_BPF_H
#define SKEP_URING_BPF_H

#include "bpf/uring.h"
#include "lib/current.bpf.h"
#include "lib/filter_task.bpf.h"

const volatile __u32 cfg_uring_submit = URING_SUBMIT_BOTH;
const volatile __u32 cfg_uring_complete = URING_COMPLETE_CQE;
const volatile __u32 cfg_uring_refuse = URING_REFUSE_RING;
const volatile __u32 cfg_uring_by_req = 1; /* both pass the request */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, URING_OPS_MAX);
	__type(key, struct uring_key);
	__type(value, struct uring_op);
} uring_ops SEC(".maps");

struct uring_end {
	__u64 now_ns;
	__s32 res;
	__u32 cqe_flags;
	__u32 flags; /* enum uring_flag */
};

/* Notes in op->whose that this task has submitted it. */
static __always_inline void uring_whose(struct uring_op *op, struct task_struct *owner);

/* An operation of a target has ended, or has one of many results. */
static __always_inline void uring_ended(struct uring_op *op, const struct uring_end *end);

#define URING_SQE128 (1 << 10)	   /* IORING_SETUP_SQE128 */
#define URING_NO_SQARRAY (1 << 16) /* IORING_SETUP_NO_SQARRAY */
#define URING_CQE_MORE 2	   /* IORING_CQE_F_MORE */
#define URING_CQE_NOTIF 8	   /* IORING_CQE_F_NOTIF */

/* Operations of which some have many results, and the bits that say so: include/uapi/linux/io_uring.h. */
static __always_inline int uring_may_repeat(const struct uring_sqe *sqe)
{
	switch (sqe->opcode) {
	case 6: /* POLL_ADD: IORING_POLL_ADD_MULTI */
		return sqe->len & 1;
	case 11: /* TIMEOUT: IORING_TIMEOUT_MULTISHOT */
		return sqe->op_flags & 1 << 6;
	case 13: /* ACCEPT: IORING_ACCEPT_MULTISHOT */
		return sqe->ioprio & 1;
	case 9: case 10: case 26: case 27: /* SENDMSG, RECVMSG, SEND, RECV: IORING_RECV_MULTISHOT, IORING_RECVSEND_BUNDLE */
		return sqe->ioprio & (1 << 1 | 1 << 4);
	case 46: case 49: case 58: case 64: /* URING_CMD, READ_MULTISHOT, RECV_ZC, URING_CMD128 */
		return 1;
	}
	return 0;
}

/* Is it a thread that the kernel made for a process? It makes no calls. */
static __always_inline int uring_is_worker(struct task_struct *task)
{
	return bpf_core_field_exists(struct kernel_clone_args, io_thread) && BPF_CORE_READ(task, flags) & PF_IO_WORKER;
}

/* Who is charged for what this task submits. */
static __always_inline struct task_struct *uring_owner(struct task_struct *task, struct io_ring_ctx *ring)
{
	struct io_ring_ctx___old *old = (void *)ring;

	if (uring_is_worker(task))
		return BPF_CORE_READ(task, group_leader);
	if (bpf_core_field_exists(struct io_ring_ctx___old, sqo_task) && BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return BPF_CORE_READ(old, sqo_task);
	return task;
}

static __always_inline int uring_pass(struct task_struct *owner)
{
	return BPF_CORE_READ(owner, tgid) && filter_task(owner);
}

static __always_inline __u64 uring_user_data(struct io_kiocb *req)
{
	struct io_kiocb___old *old = (void *)req;

	return bpf_core_type_exists(struct io_cqe) ? BPF_CORE_READ(req, cqe.user_data) : BPF_CORE_READ(old, user_data);
}

/*
 * The entry of the ring that is being submitted, the last one that the kernel took from it. User space may have changed it since: it is the
 * same if what the kernel has noted of it is still there.
 */
static __always_inline int uring_read(struct io_ring_ctx *ring, struct uring_sqe *sqe)
{
	__u32 flags = BPF_CORE_READ(ring, flags), entries = BPF_CORE_READ(ring, sq_entries);
	__u32 at = (BPF_CORE_READ(ring, cached_sq_head) - 1) & (entries - 1);
	__u64 user_data = sqe->user_data;
	__u8 opcode = sqe->opcode;

	if (!(flags & URING_NO_SQARRAY) && bpf_probe_read_kernel(&at, sizeof(at), BPF_CORE_READ(ring, sq_array) + at))
		at = entries;
	if (at < entries && !bpf_probe_read_kernel(sqe, sizeof(*sqe), (void *)BPF_CORE_READ(ring, sq_sqes) + ((__u64)at << (flags & URING_SQE128 ? 7 : 6))) &&
	    (opcode == URING_OPCODE_UNKNOWN || sqe->opcode == opcode) && sqe->user_data == user_data)
		return 1;
	sqe->opcode = opcode;
	sqe->user_data = user_data;
	return 0;
}

/* By its ring and user_data alone operations that have the same cannot be told apart: they are counted. */
static __always_inline int uring_add_other(const struct uring_key *key, __u8 opcode)
{
	struct uring_op *op = bpf_map_lookup_elem(&uring_ops, key);

	if (!op)
		return 0;
	op->is_mixed = 1;
	if (op->sqe.opcode != opcode)
		op->sqe.opcode = URING_OPCODE_UNKNOWN;
	op->has_sqe = 0;
	__sync_fetch_and_add(&op->others, 1);
	return 1;
}

/* A request is used again once its operation has ended. If that is still here, its completion was never seen. */
static __always_inline void uring_drop_old(const struct uring_key *key, __u64 now_ns)
{
	struct uring_op *old = bpf_map_lookup_elem(&uring_ops, key);
	struct uring_end end = { .now_ns = now_ns, .flags = URING_NO_END };

	if (old)
		uring_ended(old, &end);
}

static __always_inline int uring_begin(struct io_ring_ctx *ring, struct io_kiocb *req, struct uring_op *op)
{
	struct task_struct *owner = uring_owner(current_task(), ring);
	struct uring_key key = { (__u64)ring, op->sqe.user_data };

	if (!uring_pass(owner))
		return 0;
	uring_whose(op, owner);
	if (!op->has_sqe)
		op->has_sqe = uring_read(ring, &op->sqe);
	op->start_ns = bpf_ktime_get_ns();
	if (!cfg_uring_by_req) {
		if (!uring_add_other(&key, op->sqe.opcode) && bpf_map_update_elem(&uring_ops, &key, op, BPF_ANY)) {
			loss_count(COUNT_SEEN);
			loss_count(LOSS_INTERNAL);
		}
		return 0;
	}
	if (op->has_sqe && uring_may_repeat(&op->sqe)) { /* only its last completion will have the request */
		op->is_second = 1;
		bpf_map_update_elem(&uring_ops, &key, op, BPF_ANY);
		op->is_second = 0;
	}
	key.object = (__u64)req;
	key.user_data = 0;
	uring_drop_old(&key, op->start_ns);
	bpf_map_update_elem(&uring_ops, &key, op, BPF_ANY); /* without room it will be one whose submission was not seen */
	return 0;
}

static __always_inline int uring_submit(__u64 *args, __u32 how)
{
	struct uring_op op = {};
	struct io_ring_ctx *ring;
	struct io_kiocb *req;
	void *first;

	if (!run_armed)
		return 0;
	first = (void *)args[0];
	if (how == URING_SUBMIT_RING) {
		op.sqe.opcode = args[1];
		op.sqe.user_data = args[2];
		return uring_begin(first, NULL, &op);
	}
	req = first;
	if (how == URING_SUBMIT_BOTH)
		req = (void *)args[1];
	ring = how == URING_SUBMIT_BOTH ? first : BPF_CORE_READ(req, ctx);
	op.sqe.opcode = BPF_CORE_READ(req, opcode);
	op.sqe.user_data = uring_user_data(req);
	return uring_begin(ring, req, &op);
}

SEC("?raw_tp/io_uring_submit_req")
int uring_submit_req(struct bpf_raw_tracepoint_args *ctx)
{
	return uring_submit(ctx->args, URING_SUBMIT_REQ);
}

SEC("?raw_tp/io_uring_submit_sqe")
int uring_submit_sqe(struct bpf_raw_tracepoint_args *ctx)
{
	return uring_submit(ctx->args, cfg_uring_submit);
}

/* The kernel finds an operation that is not valid before it is submitted, or when it is added to a chain. */
SEC("?raw_tp/io_uring_req_failed")
int uring_refuse(struct bpf_raw_tracepoint_args *ctx)
{
	void *sqe = (void *)ctx->args[0];
	struct io_kiocb *req = (void *)ctx->args[1];
	struct uring_op op = {}, *old;
	struct uring_key key = {};

	if (!run_armed)
		return 0;
	if (cfg_uring_refuse == URING_REFUSE_RING)
		req = (void *)ctx->args[2];
	op.has_sqe = !bpf_probe_read_kernel(&op.sqe, sizeof(op.sqe), sqe);
	key.object = (__u64)req;
	old = bpf_map_lookup_elem(&uring_ops, &key);
	if (!op.has_sqe || (old && old->sqe.user_data == op.sqe.user_data && old->sqe.opcode == op.sqe.opcode))
		return 0;
	return uring_begin(BPF_CORE_READ(req, ctx), req, &op);
}

static __always_inline struct task_struct *uring_task(struct io_kiocb *req)
{
	struct io_kiocb___old *old = (void *)req;

	if (!req)
		return current_task();
	if (bpf_core_field_exists(struct io_kiocb___old, task))
		return BPF_CORE_READ(old, task);
	return BPF_CORE_READ(req, tctx, task);
}

/*
 * It was submitted before the run. Without the request it is shown only if the kernel found at once that it is not valid: then it is still
 * the last one that was taken from the ring.
 */
static __always_inline void uring_end_unknown(struct io_ring_ctx *ring, struct io_kiocb *req, __u64 user_data, struct uring_end *end)
{
	struct uring_op op = {};
	struct task_struct *owner;

	if (end->cqe_flags & URING_CQE_NOTIF) /* a second result of SEND_ZC */
		return;
	op.sqe.user_data = user_data;
	op.sqe.opcode = req ? BPF_CORE_READ(req, opcode) : URING_OPCODE_UNKNOWN;
	if (!req && end->res < 0)
		op.has_sqe = uring_read(ring, &op.sqe);
	if (!req && !op.has_sqe)
		return;
	owner = uring_owner(uring_task(req), ring);
	if (!uring_pass(owner))
		return;
	uring_whose(&op, owner);
	end->flags = URING_NO_START | (op.has_sqe ? 0 : URING_NO_SQE);
	uring_ended(&op, end);
}

static __always_inline void uring_end(struct io_ring_ctx *ring, struct io_kiocb *req, __u64 user_data, struct uring_end *end)
{
	struct uring_key key = { (__u64)ring, user_data };
	struct uring_op *op;

	if (req) {
		key.object = (__u64)req;
		key.user_data = 0;
	}
	op = bpf_map_lookup_elem(&uring_ops, &key);
	if (!op) {
		if (req || !cfg_uring_by_req)
			uring_end_unknown(ring, req, user_data, end);
		return;
	}
	end->flags = (op->is_mixed ? URING_NO_START : 0) | (op->has_sqe ? 0 : URING_NO_SQE);
	uring_ended(op, end);
	if (!req && (cfg_uring_by_req || end->cqe_flags & URING_CQE_MORE))
		return;
	if (op->others) {
		__sync_fetch_and_add(&op->others, -1);
		return;
	}
	if (req && op->has_sqe && uring_may_repeat(&op->sqe)) {
		struct uring_key second = { (__u64)ring, op->sqe.user_data };

		bpf_map_delete_elem(&uring_ops, &second);
	}
	bpf_map_delete_elem(&uring_ops, &key);
}

SEC("?raw_tp/io_uring_complete")
int uring_complete(struct bpf_raw_tracepoint_args *ctx)
{
	struct uring_end end = {};
	struct io_kiocb *req = NULL;
	__u64 user_data;

	if (!run_armed)
		return 0;
	end.now_ns = bpf_ktime_get_ns();
	if (cfg_uring_complete == URING_COMPLETE_CQE) {
		struct {
			__u64 user_data;
			__s32 res;
			__u32 flags;
		} cqe = {};

		bpf_probe_read_kernel(&cqe, sizeof(cqe), (void *)ctx->args[2]);
		req = (void *)ctx->args[1];
		user_data = cqe.user_data;
		end.res = cqe.res;
		end.cqe_flags = cqe.flags;
	} else if (cfg_uring_complete == URING_COMPLETE_REQ) {
		req = (void *)ctx->args[1];
		user_data = ctx->args[2];
		end.res = ctx->args[3];
		end.cqe_flags = ctx->args[4];
	} else {
		user_data = ctx->args[1];
		end.res = ctx->args[2];
		if (cfg_uring_complete == URING_COMPLETE_FLAGS)
			end.cqe_flags = ctx->args[3];
	}
	uring_end((void *)ctx->args[0], cfg_uring_by_req ? req : NULL, user_data, &end);
	return 0;
}

#endif
